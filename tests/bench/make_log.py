#!/usr/bin/python3
"""A gateway log of a wanted size out of the sample day: the day again and again, each with its own date, sessions and ids' suffixes.

    make_log.py MEGABYTES > FILE        (same bytes each time)
"""
import datetime
import pathlib
import re
import sys

DAY = "2026-11-28"
SESSION = re.compile(rb"\b[0-9a-f]{32}\b")


def main():
    wanted, written, number = int(sys.argv[1]) * 1_000_000, 0, 0
    day = (pathlib.Path(__file__).resolve().parents[2] / "samples/gateway.log").read_bytes()
    start = datetime.date.fromisoformat(DAY)
    while written < wanted:
        date = (start + datetime.timedelta(days=number)).isoformat().encode()
        mark = f"{number:06x}".encode()
        copy = SESSION.sub(lambda match: match.group()[:-6] + mark, day.replace(DAY.encode(), date))
        sys.stdout.buffer.write(copy)
        written += len(copy)
        number += 1


main()
