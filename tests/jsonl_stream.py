#!/usr/bin/python3
"""`--format jsonl` tells what it reads while it reads: a log comes through a pipe in two parts, and the lines about the first part are read
before the second one is written. Nothing waits for a clock: each step waits for the one before. Also: an unfinished stream ends without
`totals`, a finished one with it, and the same lines come from a file.

    jsonl_stream.py --bin PROGRAM
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SESSION = "0f2c4e1ab7d84c0f8a6be3d2c1f05a77"
LOST = "2026-11-28 08:00:01,000 - mcp.server.streamable_http - DEBUG - Request stream 1 not found \n                             for message. Still processing message as the client might reconnect and replay.\n"


def calls(first, last):
    """Log lines of so many calls, each answered."""
    for number in range(first, last):
        at = f"2026-11-28 08:{number // 60 % 60:02}:{number % 60:02},000"
        call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x" * 400}}}
        reply = {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "x" * 400}]}}
        for message in (call, reply):
            yield f"{at} - proxy - DEBUG - session={SESSION} {json.dumps(message)}\n"


def part(first, last, more=""):
    return ("".join(calls(first, last)) + more).encode()


def types(lines):
    return [json.loads(line)["type"] for line in lines]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    command = [options.bin, "scan", "--format", "jsonl", "--threads", "1"]
    one, two = LOST.encode() + part(0, 4000), part(4000, 4100)  # the first part is more than a block of a log

    process = subprocess.Popen([*command, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(one)
    process.stdin.flush()
    early = [process.stdout.readline(), process.stdout.readline()]
    running = process.poll() is None
    process.stdin.write(two)
    process.stdin.close()
    rest = process.stdout.read().splitlines()
    process.stdout.close()
    ended = process.wait()

    problems = []
    if types(early) != ["report", "event"] or not running:
        problems.append(f"before the second part came {types(early)}")
    if json.loads(early[1])["what"].find("stream not found: 1") < 0:
        problems.append(f"the event does not tell the notice: {early[1]!r}")
    if types(rest)[0] != "read" or types(rest)[-1] != "totals" or types(rest).count("totals") != 1:
        problems.append(f"the rest is {types(rest)[:3]} ... {types(rest)[-1:]}")
    if ended not in (0, 1):
        problems.append(f"ended with {ended}")
    with tempfile.TemporaryDirectory() as folder:
        log, out = pathlib.Path(folder) / "gateway.log", pathlib.Path(folder) / "report.jsonl"
        log.write_bytes(one + two)
        subprocess.run([*command, str(log), "-o", str(out)], check=False)
        whole = out.read_bytes().splitlines()
        if types(whole) != types([*early, *rest]):
            problems.append("a file gives other lines than a pipe")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
