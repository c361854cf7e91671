#!/usr/bin/python3
"""A ratchet over labelled evidence: a run that was right once must stay right.

    score_ratchet.py --bin PROGRAM --ok tests/score-ok.txt --evidence FOLDER [--update]

FOLDER holds score/score.py with the sets corpus and cases; without it there is nothing to do. The ok file has a line
"scenario<TAB>run" for each run that was right; --update only ever adds lines. Exit code 1 when a kept run is wrong or gone.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

WRONG = ("missed", "false", "calls_wrong", "fault_wrong", "fault_unknown", "counts_wrong", "books_wrong", "broken")


def score(program, evidence):
    sets = [str(evidence / name) for name in ("corpus", "cases") if (evidence / name).is_dir()]
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.json"
        done = subprocess.run(["/usr/bin/python3", str(evidence / "score/score.py"), "--bin", program, "--json", str(rows), *sets],
                              capture_output=True, text=True)
        if not rows.exists():
            sys.exit(f"score.py did not finish:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return {(row["scenario"], row["run"]): row for row in json.loads(rows.read_text())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--ok", type=pathlib.Path, required=True)
    parser.add_argument("--evidence", type=pathlib.Path, required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if not (options.evidence / "score/score.py").is_file():
        print("no labelled evidence beside the project: nothing to score")
        return 0
    kept = {tuple(line.split("\t")) for line in options.ok.read_text().splitlines() if line.strip()}
    rows = score(options.bin, options.evidence)
    right = {key for key, row in rows.items() if not any(row.get(word) for word in WRONG)}
    for key in sorted(kept - right):
        row = rows.get(key)
        print(f"NO LONGER RIGHT {key[0]} / {key[1]}" + ("" if row else ": no such run any more"))
        for note in (row or {}).get("notes", []):
            print("   ", note)
    for key in sorted(right - kept):
        print(f"newly right {key[0]} / {key[1]}" + ("" if options.update else "  (keep it: ./dev score --update)"))
    if options.update:
        options.ok.write_text("".join(f"{scenario}\t{run}\n" for scenario, run in sorted(kept | right)))
    print(f"{len(right)} of {len(rows)} runs are right, {len(kept - right)} of {len(kept)} kept ones are not")
    return 1 if kept - right else 0


if __name__ == "__main__":
    sys.exit(main())
