#!/usr/bin/python3
"""Runs a program that counts what it does (cmake/layout.cmake) over what people scan: logs, captures and HAR files of every kind that the
benchmark's generators know, the evidence of the tests, and the labelled evidence beside the project.

    train.py --bin PROGRAM --data FOLDER
"""
import argparse
import pathlib
import subprocess
import sys

import truth

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 2026
LARGE, SMALL = 60, 12  # megabytes: the usual log and capture; every other kind


def scan(program, path, form):
    if subprocess.run([program, "--threads", "1", "--format", form, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode > 2:
        sys.exit(f"train: the scan of {path} crashed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not truth.GENERATORS.is_dir():
        sys.exit(f"train: no generators in {truth.GENERATORS}")
    options.data.mkdir(parents=True, exist_ok=True)
    for name in truth.SETS:
        path = options.data / name
        truth.generate(name, path, LARGE if name in ("log", "pcap") else SMALL, SEED, options.data / "tools")
        scan(options.bin, path, "json")
        path.unlink()
    beside = truth.GENERATORS.parent
    for folder in (ROOT / "samples", ROOT / "tests/golden", beside / "corpus", beside / "cases"):
        for path in sorted(folder.iterdir() if folder.is_dir() else []):
            scan(options.bin, path, "text")


if __name__ == "__main__":
    main()
