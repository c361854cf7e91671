#!/usr/bin/env python3
"""Recall and false accusations on labelled, seeded traffic: the classes of faults and of look-alikes that mcpscan must tell apart.

usage: measure.py --bin BUILD/mcpscan [--calls 2000] [--seed N] [--only P01,N07] [--subset W1,W1+C] [--write docs/accuracy.md]
                  [--check] [--keep FOLDER] [--verbose]

--check    exit 1 when a look-alike was accused, a wrong party was named, or a class fell below the recall that RECALL promises
--write    replace the tables between the marks of that page
Witnesses: W1 the client's wire, W2 the server's wire (a gateway lies between), G the gateway's log, C the client's transcripts.
Seeds below 1000 are for tuning; what is written into the page is measured with others.
"""
import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import faults  # noqa: E402
import traffic  # noqa: E402
import witness  # noqa: E402

SUBSETS = ("W1", "W2", "G", "W1+W2", "W1+C", "W1+W2+G+C")
# A finding at low or above that is neither of a fault's calls nor allowed is a false accusation. What a class may show beside its fault:
ALLOWED = {
    "N11": {"capture-gap"},
}
# Least recall, per class and where it differs per subset, that --check demands.
RECALL = {"P01": 0.6, "P02": 0.9, "P03": 0.9, ("P03", "G"): 0.6, "P04": 0.95, "P05": 1.0, "P06": 0.95, "P07": 0.95, "P08": 0.6, "P09": 0.4, "P10": 0.95, "P11": 0.95}
MARKS = ("<!-- measured -->", "<!-- end of what was measured -->")


def make(name, calls, seed):
    day = traffic.Day(f"{name}-{seed}", calls, faults.MODERN if name in ("N04", "N09") else "2025-11-25" if name in ("P11", "N03")
                      else traffic.REVISION)
    return faults.SEEDERS[name](day, random.Random(f"{name}-{seed}-faults"))


def write(seeded, folder):
    """The files of each witness; the client's clock is `front_skew` ahead of the gateway's."""
    day, twins = seeded.day, seeded.day.front()
    if seeded.edit_front:
        seeded.edit_front(twins)
    front = [twins[id(e)] for e in day.exchanges]
    ends = day.end + 2 * traffic.TIMEOUT
    folder.mkdir(parents=True, exist_ok=True)
    witness.write_capture(folder / "client-wire.pcap", front, witness.GATEWAY, ends, False, seeded.cut, seeded.front_skew)
    witness.write_capture(folder / "server-wire.pcap", day.exchanges, witness.SERVER, ends, True, seeded.cut)
    witness.write_gateway_log(folder / "gateway.log", [e for e in front if in_span(e, seeded.cut)])
    witness.write_transcripts(folder / "transcripts", day, seeded.front_skew)
    return {"W1": folder / "client-wire.pcap", "W2": folder / "server-wire.pcap", "G": folder / "gateway.log", "C": folder / "transcripts"}


def in_span(exchange, cut):
    return not cut or cut[0] <= exchange.at and exchange.end_at <= cut[1]


def scan(binary, paths):
    run = subprocess.run([binary, "--format", "json", "--threads", "1", *map(str, paths)], capture_output=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{binary} ended with {run.returncode}: {run.stderr.decode(errors='replace')[:500]}")
    return json.loads(run.stdout)


def visible(fault, subset):
    seen = set(subset.split("+"))
    return any(set(need.split("+")) <= seen for need in fault.witnesses)


def norm(session):
    return session if session is None else str(session).replace("-", "").lower()


def calls_of(finding):
    """The (session, id) pairs that a finding is about; ids as text, since a drifted one keeps its value."""
    return {(norm(c.get("session", finding.get("session"))), str(c["rpc_id"]).split("_")[0]) for c in finding["calls"]}


def judge(name, seeded, subset, report):
    known = {id(f): {(norm(s), str(i)) for s, i in f.calls} | {(norm(f.calls[0][0]), str(i)) for i in f.ids} for f in seeded.faults}
    touched = set().union(*known.values()) if known else set()
    expected = [f for f in seeded.faults if visible(f, subset)]
    row = collections.Counter(seeded=len(expected), calls=len(seeded.day.calls))
    notes = []
    for fault in expected:
        hits = [f for f in report["findings"] if f["rule"] in fault.rules and (calls_of(f) & known[id(fault)])]
        row["found"] += bool(hits)
        if not hits:
            notes.append(f"missed {fault.rules} {fault.calls}")
        for finding in hits[:1]:
            party, certainty = finding["fault"]["party"], finding["fault"]["certainty"]
            row[f"blamed {party} ({certainty})"] += 1
            if party in fault.never and certainty in ("proven", "strong"):
                row["wrong blame"] += 1
                notes.append(f"wrong blame of {party} {certainty} for {fault.calls}")
    for finding in report["findings"]:
        if finding["level"] == "informational" or finding["rule"] in ALLOWED.get(name, ()):
            continue
        calls = calls_of(finding)
        false = len(calls - touched) if calls else finding["count"] if not touched else 0
        if false:
            row["false"] += false
            notes.append(f"false {finding['rule']} {finding['level']} {finding['detail']} {finding['session']} {sorted(calls - touched)[:4]}")
    return row, notes


def wilson(hits, trials, z=1.96):
    """The upper bound of a rate at 95 % (Wilson)."""
    if not trials:
        return 0.0
    rate = hits / trials
    return (rate + z * z / (2 * trials) + z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))) / (1 + z * z / trials)


def title(name):
    return faults.SEEDERS[name].__name__[4:].replace("_", " ")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--subset", default="")
    parser.add_argument("--write")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    names = [n for n in options.only.split(",") if n] or list(faults.SEEDERS)
    subsets = [s for s in options.subset.split(",") if s] or SUBSETS
    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            seeded = make(name, options.calls, options.seed)
            files = write(seeded, pathlib.Path(options.keep or scratch) / name)
            for subset in subsets:
                row, notes = judge(name, seeded, subset, scan(options.bin, [files[w] for w in subset.split("+")]))
                rows[name, subset] = row
                blame = ", ".join(f"{k[7:]} {v}" for k, v in sorted(row.items()) if k.startswith("blamed"))
                print(f"{name} {subset:10} found {row['found']:3} of {row['seeded']:3}  false {row['false']:3}  wrong blame {row['wrong blame']:3}  {blame}")
                for note in notes[:40 if options.verbose else 0]:
                    print("    ", note)
    failed = verdict(rows)
    if options.write:
        write_page(pathlib.Path(options.write), rows, options)
    return 1 if options.check and failed else 0


def verdict(rows):
    failed = [f"{name} {subset}" for (name, subset), row in rows.items()
              if row["false"] or row["wrong blame"] or row["found"] < row["seeded"] * RECALL.get((name, subset), RECALL.get(name, 0))]
    if failed:
        print("not as promised:", ", ".join(failed))
    return failed


def write_page(path, rows, options):
    """The tables between the marks of the page; what stands around them is written by hand."""
    subsets = [s for s in SUBSETS if any(subset == s for _, subset in rows)]
    names = sorted({name for name, _ in rows})
    lines = [MARKS[0], f"{options.calls} calls a class, seed {options.seed}.", "", "### Found, of the seeded faults that the evidence can show", "",
             "| class | fault | " + " | ".join(subsets) + " |", "|---|---|" + "---|" * len(subsets)]
    for name in (n for n in names if n.startswith("P")):
        cells = [f"{row['found']} of {row['seeded']}" if row["seeded"] else "-" for row in (rows[name, s] for s in subsets)]
        lines.append(f"| {name} | {title(name)} | " + " | ".join(cells) + " |")
    lines += ["", "### Named as the one at fault (the first finding of each fault)", "", "| class | " + " | ".join(subsets) + " |",
              "|---|" + "---|" * len(subsets)]
    for name in (n for n in names if n.startswith("P")):
        cells = [", ".join(f"{k[7:]} {v}" for k, v in sorted(rows[name, s].items()) if k.startswith("blamed")) or "-" for s in subsets]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "### Falsely accused calls, of clean traffic that looks odd", "", "| class | look-alike | " + " | ".join(subsets) + " |",
              "|---|---|" + "---|" * len(subsets)]
    for name in (n for n in names if n.startswith("N")):
        lines.append(f"| {name} | {title(name)} | " + " | ".join(str(rows[name, s]["false"]) for s in subsets) + " |")
    clean = [row for (name, _), row in rows.items() if name.startswith("N")]
    false, calls = sum(row["false"] for row in clean), sum(row["calls"] for row in clean)
    beside = sum(row["false"] for (name, _), row in rows.items() if name.startswith("P"))
    lines += ["", f"Together {false} in {calls} calls read: at most {1000 * wilson(false, calls):.3f} per 1,000 (Wilson, 95 %). Beside the faults "
              f"of the P classes {beside} calls were accused that had none; a party that could not be at fault was named "
              f"{sum(row['wrong blame'] for row in rows.values())} times.", MARKS[1]]
    page = path.read_text()
    head, tail = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    path.write_text(head + "\n".join(lines) + tail)


if __name__ == "__main__":
    sys.exit(main())
