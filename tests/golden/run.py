#!/usr/bin/python3
"""Runs one golden case: the program with fixed arguments and environment, its output against the kept one.

    run.py --bin PROGRAM CASE_FOLDER...

case.json:  "shows"  one sentence: what this case shows
            "args"   the arguments; paths are relative to the project root, where the program runs
            "exit"   the exit code (default 0)
            "stdin"  a file to read from; null: closed (optional)
            "env"    variables that differ from the fixed ones (optional)
            "view"   what of the output is kept (optional): JSON pointers, where * stands for every member, for JSON output; pieces of
                     text, of which a kept line must hold one, for other output
            "same_as" another case, whose expected files this one must meet (optional)
Kept beside it: expected.json when the output is JSON, else expected.txt; expected.err where stderr is not empty.
MCPSCAN_UPDATE_GOLDEN=1 rewrites them instead; read the diff before committing it.
"""
import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "COLUMNS": "100"}
KEYS = {"shows", "args", "exit", "stdin", "env", "view", "same_as"}


def pick(value, steps):
    """The part of a JSON value that a pointer names, in its own surroundings; None where there is none."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        names = value if step == "*" else [step] if step in value else []
        picked = {name: pick(value[name], rest) for name in names}
        return {name: part for name, part in picked.items() if part is not None} or None
    if isinstance(value, list):
        if step == "*":
            return [pick(item, rest) for item in value]
        return [pick(value[int(step)], rest)] if step.isdigit() and int(step) < len(value) else None
    return None


def merge(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{k: merge(one[k], v) if k in one else v for k, v in other.items()}}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [merge(a, b) for a, b in zip(one, other)]
    return other if other is not None else one


def view_of(output, view):
    """(name of the kept file, its text)."""
    try:
        document = json.loads(output)
    except ValueError:
        lines = output.splitlines(keepends=True)
        return "expected.txt", "".join(line for line in lines if not view or any(piece in line for piece in view))
    kept = document
    if view:
        kept = None
        for pointer in view:
            kept = merge(kept, pick(document, pointer.strip("/").split("/")))
    return "expected.json", json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=False) + "\n"


def run_case(program, folder, case):
    closed = "stdin" in case and case["stdin"] is None
    stdin = (ROOT / case["stdin"]).open("rb") if case.get("stdin") else subprocess.DEVNULL
    environment = {**ENVIRONMENT, **case.get("env", {})}
    done = subprocess.run([program, *case["args"]], cwd=ROOT, env=environment, stdin=stdin, capture_output=True, timeout=120,
                          preexec_fn=(lambda: os.close(0)) if closed else None)
    wanted_exit = case.get("exit", 0)
    problems = [] if done.returncode == wanted_exit else [f"exit code {done.returncode}, expected {wanted_exit}\n{done.stderr.decode(errors='replace')}"]
    kept_name, text = view_of(done.stdout.decode("utf-8", "replace"), case.get("view"))
    results = {kept_name: text, "expected.err": done.stderr.decode("utf-8", "replace")}
    for name in ("expected.txt", "expected.json", "expected.err"):
        problems += compare(folder, name, results.get(name, ""))
    return problems


def compare(folder, name, text):
    path = folder / name
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if kept == text:
        return []
    if os.environ.get("MCPSCAN_UPDATE_GOLDEN") == "1":
        if text:
            path.write_text(text, encoding="utf-8")
        else:
            path.unlink()
        return []
    diff = difflib.unified_diff(kept.splitlines(keepends=True), text.splitlines(keepends=True), f"kept {folder.name}/{name}", "printed now")
    return ["".join(diff)]


def check(program, folder):
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    unknown = set(case) - KEYS
    if unknown:
        return case, [f"unknown keys in case.json: {', '.join(sorted(unknown))}"]
    kept_in = folder.parent / case["same_as"] if "same_as" in case else folder
    if "same_as" in case and os.environ.get("MCPSCAN_UPDATE_GOLDEN") == "1":
        return case, []
    problems = run_case(program, kept_in, case)
    if not any((kept_in / f"expected.{kind}").exists() for kind in ("txt", "json", "err")):
        problems.append("nothing is kept: run with MCPSCAN_UPDATE_GOLDEN=1 and read what it wrote")
    return case, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    for folder in (f for f in options.cases if (f / "case.json").exists()):
        case, problems = check(str(pathlib.Path(options.bin).resolve()), folder.resolve())
        print(f"{'FAIL' if problems else 'ok  '} {folder.name}: {case.get('shows', '')}")
        for problem in problems:
            print(problem)
        failed += bool(problems)
    sys.exit(1 if failed else 0)


main()
