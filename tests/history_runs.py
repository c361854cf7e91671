#!/usr/bin/python3
"""What a history goes through on a real host: a run that is killed while it reads, a disk without room, two cron jobs at once. Each step waits
for the one before it; none for a clock.

    history_runs.py --bin PROGRAM LOG

A run holds its transaction once it reads, and it reads once more has gone through its pipe than the pipe holds: so a run that is fed half of
the log through standard input is known to be in the middle.
"""
import argparse
import json
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

PIPE = 1 << 20  # more than a pipe holds


class Runs:
    def __init__(self, program, log):
        self.program, self.log = program, log
        self.half = log.read_bytes()
        while len(self.half) < 4 * PIPE:
            self.half += b"#\n" * 65536

    def summary(self, history, *inputs, limit=None, wait="60"):
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        return subprocess.run([self.program, "summary", *map(str, inputs), "--history", str(history), "--wait", wait, "--format", "json"],
                              capture_output=True, preexec_fn=before, restore_signals=False, check=False)

    def in_the_middle(self, history):
        run = subprocess.Popen([self.program, "summary", "-", "--history", str(history), "--format", "json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdin.write(self.half)
        run.stdin.flush()
        return run


def requests(done):
    return json.loads(done.stdout)["totals"]["requests"]["day"] if done.stdout else None


def killed(runs, folder, expected):
    history = folder / "killed"
    run = runs.in_the_middle(history)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    done = runs.summary(history, runs.log, wait="0")
    if done.returncode not in (0, 1) or requests(done) != expected:
        yield f"after a run was killed: {done.returncode}, {requests(done)} requests, {done.stderr.decode()[:200]}"
    again = runs.summary(history, runs.log)
    if requests(again) != expected:
        yield f"the run after that counts {requests(again)}"


def full_disk(runs, folder, expected):
    history = folder / "full"
    if requests(runs.summary(history, runs.log)) != expected:
        yield "the first run is wrong"
    other = folder / "other.log"
    other.write_bytes(runs.log.read_bytes().replace(b"2026-11-28", b"2026-11-29"))
    done = runs.summary(history, runs.log, other, limit=history.stat().st_size + 4096)
    if done.returncode != 2 or done.stdout or b"this run left nothing in it" not in done.stderr:
        yield f"without room: {done.returncode}, {len(done.stdout)} bytes, {done.stderr.decode()[:200]}"
    if requests(runs.summary(history)) != expected:
        yield "a run without room changed what was kept"
    if requests(runs.summary(history, runs.log, other)) != expected:
        yield "with room again the new day is not read in full"


def two_at_once(runs, folder, expected):
    history = folder / "two"
    first = runs.in_the_middle(history)
    refused = runs.summary(history, runs.log, wait="0")
    if refused.returncode != 2 or b"the history is locked" not in refused.stderr:
        yield f"a second run that does not wait: {refused.returncode}, {refused.stderr.decode()[:200]}"
    waiting = subprocess.Popen([runs.program, "summary", str(runs.log), "--history", str(history), "--wait", "60", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first.communicate()
    _, complaint = waiting.communicate()
    if first.returncode not in (0, 1) or waiting.returncode not in (0, 1):
        yield f"two runs, one after the other: {first.returncode}, {waiting.returncode}, {complaint.decode()[:200]}"
    # Of two sources of the same traffic the one that saw more counts, so the sum is that of one.
    if requests(runs.summary(history)) != expected:
        yield f"two runs at once lost something: {requests(runs.summary(history))} requests instead of {expected}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("log", type=pathlib.Path)
    options = parser.parse_args()
    runs = Runs(str(pathlib.Path(options.bin).resolve()), options.log)
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected = requests(runs.summary(folder / "plain", options.log))
        for part in (killed, full_disk, two_at_once):
            problems += [f"{part.__name__}: {problem}" for problem in part(runs, folder, expected)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems or not expected else 0)


main()
