#!/usr/bin/python3
"""What an extract refuses, it refuses with one message and exit code 2, and leaves nothing behind: no folder, no draft, nothing changed.

    extract_refusals.py --bin PROGRAM EVIDENCE
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile


def small_files():
    """As on a full disk: a file that grows beyond 20,000 bytes fails."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


def cases(folder, incident, evidence):
    """(what it shows, arguments, where the bundle would stand, a word of the message, preparation of the process)."""
    there = folder / "there"
    there.mkdir()
    (there / "kept.txt").write_text("kept")
    yield "an unknown incident", ["inc-000000", evidence, "-o", folder / "a"], "One id for concurrent calls", None
    yield "a folder that exists", [incident, evidence, "-o", there], "never written over", None
    yield "a file that exists", [incident, evidence, "-o", there / "kept.txt"], "never written over", None
    yield "a folder in no folder", [incident, evidence, "-o", folder / "none" / "b"], "no such folder", None
    yield "a full disk", [incident, evidence, "-o", folder / "c"], "cannot be written", small_files
    yield "standard input", [incident, "-", "-o", folder / "d"], "second time", None
    yield "a missing input", [incident, folder / "no.log", "-o", folder / "e"], "no.log", None
    yield "a name that would act on the terminal", [incident, folder / "no\x1b[31m\n.log", "-o", folder / "g"], r"no\x1b[31m\n.log", None
    if os.geteuid() != 0:
        closed = folder / "closed"
        closed.mkdir(mode=0o500)
        yield "a folder that cannot be written to", [incident, evidence, "-o", closed / "f"], "cannot be put here", None


def tree(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("evidence")
    options = parser.parse_args()
    program = str(pathlib.Path(options.bin).resolve())
    told = subprocess.run([program, options.evidence], capture_output=True, text=True).stdout
    incident = re.search(r"inc-[0-9a-f]+", told).group()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for shows, arguments, word, prepare in cases(folder, incident, options.evidence):
            before = tree(folder)
            # Python ignores the signal of a file that grew too large; so must the program, to be told by write(2).
            done = subprocess.run([program, "extract", *map(str, arguments)], capture_output=True, text=True, preexec_fn=prepare, restore_signals=False, stdin=subprocess.DEVNULL)
            problems = [] if done.returncode == 2 else [f"exit code {done.returncode}"]
            problems += [] if word in done.stderr else [f"the message does not say '{word}': {done.stderr!r}"]
            problems += [] if done.stdout == "" else [f"it prints {done.stdout!r}"]
            problems += [] if tree(folder) == before else [f"it leaves {sorted(set(tree(folder)) - set(before))}"]
            failed += bool(problems)
            print(f"{'FAIL' if problems else 'ok  '} {shows}", *problems, sep="\n     " if problems else "")
    sys.exit(1 if failed else 0)


main()
