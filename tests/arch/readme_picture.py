#!/usr/bin/python3
"""The pictures of output in README.md and docs are what the program prints now.

A picture is a fenced block behind the line `<!-- output: ARGS -->` (run from the project root, 100 columns). It must be the head of the
output; a last line `...` says that more follows. MCPSCAN_UPDATE_GOLDEN=1 puts today's output in, as many paragraphs as were there."""
import os
import re
import shlex
import subprocess
import sys

from project import ROOT, files, finish, name, read

PICTURE = re.compile(r"^<!-- output: (.*?) -->\n+```[a-z]*\n(.*?)^```", re.M | re.S)
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "COLUMNS": "100", "NO_COLOR": "1"}


def output_of(program, arguments):
    done = subprocess.run([program, *shlex.split(arguments)], cwd=ROOT, env=ENVIRONMENT, capture_output=True, timeout=60)
    return done.stdout.decode("utf-8", "replace")


def differences(picture, output):
    shown, real = picture.rstrip("\n").split("\n"), output.rstrip("\n").split("\n")
    if shown[-1] == "...":
        shown.pop()
        real = real[:len(shown)]
    for number, (mine, its) in enumerate(zip(shown, real), 1):
        if mine.rstrip() != its.rstrip():
            return f"line {number} shows {mine!r}, the program prints {its!r}"
    return None if len(shown) == len(real) else f"{len(shown)} lines are shown, the program prints {len(real)}"


def paragraphs(lines):
    return sum(1 for line in lines if not line.strip())


def updated(picture, output):
    shown, real = picture.rstrip("\n").split("\n"), output.rstrip("\n").split("\n")
    if shown[-1] != "...":
        return output
    wanted = paragraphs(shown[:-1])
    kept = [line for number, line in enumerate(real) if paragraphs(real[:number]) < wanted]
    return "\n".join(kept) + "\n...\n"


def rewrite(path, text):
    def replace(match):
        return match.group().replace(match.group(2), updated(match.group(2), output_of(sys.argv[1], match.group(1))))

    path.write_text(PICTURE.sub(replace, text), encoding="utf-8")


def main():
    problems, checked = [], 0
    for path in files("docs", suffixes={".md"}) + [ROOT / "README.md"]:
        if os.environ.get("MCPSCAN_UPDATE_GOLDEN") == "1" and PICTURE.search(read(path)):
            rewrite(path, read(path))
        for arguments, picture in PICTURE.findall(read(path)):
            checked += 1
            difference = differences(picture, output_of(sys.argv[1], arguments))
            if difference:
                problems.append(f"{name(path)}: mcpscan {arguments}: {difference}")
    finish(problems, checked, "pictures")


main()
