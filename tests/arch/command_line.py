#!/usr/bin/python3
"""What a person at a shell gets: every command's help fits 80 columns and one screen and ends with an example; the manual page has every
option and roff has nothing to say about it; completions are sound shell and offer what the help lists; -o writes whole reports, several at once, or tells why not.
usage: command_line.py MCPSCAN_PROGRAM"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from project import ROOT, finish

COLUMNS, LINES = 80, 56
SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


def output(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout, done.stderr


def commands_below(program, path=()):
    """(path, help) of every command, the program first."""
    text, _ = output(program, *path, "--help")
    yield path, text
    listed = re.search(r"^Commands\n((?:  .*\n)+)", text, re.M)
    for name in re.findall(r"^  (\S+)", listed.group(1), re.M) if listed else []:
        yield from commands_below(program, (*path, name))


def help_problems(path, text):
    lines = text.rstrip("\n").split("\n")
    if len(lines) > LINES:
        yield f"its help has {len(lines)} lines, a screen has {LINES}"
    yield from (f"its help is wider than {COLUMNS} columns: {line}" for line in lines if len(line) > COLUMNS)
    if f"Example:  mcpscan {' '.join(path)}".rstrip() not in text and "Example:  mcpscan" not in text:
        yield "its help has no example"
    if not path and "Not a vulnerability scanner" not in lines[0]:
        yield "the first line does not say that this is no vulnerability scanner"


def options_of(text):
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.M)


def manual_problems(program, helps):
    page, _ = output(program, "man")
    plain = page.replace("\\-", "-")
    for path, text in helps.items():
        yield from (f"the manual page lacks {option} of {' '.join(path)}" for option in options_of(text) if option != "--help" and path and option not in plain)
    if shutil.which("groff"):
        yield from (f"groff: {line}" for line in output("groff", "-man", "-ww", "-z", "-Tutf8", text=page)[1].splitlines()[:5])


def bash_offers(script, line):
    words = line.split(" ")
    probe = f"{script}\nCOMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; _mcpscan; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return set(output("bash", "--norc", text=probe)[0].split("\n"))


def completion_problems(program, helps):
    for shell, check in SHELLS.items():
        script, _ = output(program, "completions", shell)
        options = {option for text in helps.values() for option in options_of(text)}
        yield from (f"{shell} completions lack {option}" for option in sorted(options) if option not in script and f"-l {option[2:]} " not in script and option != "--version")
        if shutil.which(check[0]):
            yield from (f"{shell}: {line}" for line in output(*check, "/dev/stdin", text=script)[1].splitlines()[:5])
    script, _ = output(program, "completions", "bash")
    for line, wanted in (("mcpscan ti", {"timeline"}), ("mcpscan rules ", {"list", "show", "check"}), ("mcpscan scan --min-level h", {"high"}),
                         ("mcpscan gateway.log --format sar", {"sarif"}), ("mcpscan timeline --format perf", {"perfetto"})):
        if not wanted <= bash_offers(script, line):
            yield f"bash offers {sorted(bash_offers(script, line))[:5]} for {line!r}, not {sorted(wanted)}"


def output_problems(program):
    """Several reports at once; nothing half written; what cannot be written is told, and nothing is left behind."""
    log = str(ROOT / "samples/gateway.log")
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("a.html", "b.json", "c.sarif", "d.csv", "e.xml", "f.md", "g.txt", "h.jsonl")]
        done = subprocess.run([program, log, *(word for file in files for word in ("-o", str(file)))], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 1 or done.stdout or done.stderr:
            yield f"several -o: exit {done.returncode}, {done.stdout[:80]!r}, {done.stderr[:80]!r}"
        for file, head in zip(files, ("<!DOCTYPE html>", "{", "{", "record,", "<?xml", "# mcpscan", log[:20], '{"type"')):
            if not file.is_file() or not file.read_text(encoding="utf-8").startswith(head):
                yield f"-o {file.name} does not hold what its ending says"
        for wrong in (["-o", f"{folder}/none/a.json"], ["-o", "/dev/full"], ["-o", f"{folder}/x.json", "-o", f"{folder}/./x.json"], ["-o", f"{folder}/x.json", "-o", f"{folder}/none/y.json"],
                      ["-o", f"{folder}/x.json", "-o", f"{folder}/y.md", "--format", "json"], ["--raw", "--share"]):
            done = subprocess.run([program, log, *wrong], capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 2 or len(done.stderr.strip().split("\n")) > 3 or not done.stderr.startswith("mcpscan: "):
                yield f"{wrong}: exit {done.returncode}, {done.stderr[:200]!r}"
        swallowed = subprocess.run([program, "--rule", "null-id", "-o", f"{folder}/a.html", log], capture_output=True, text=True, timeout=60, check=False)
        if swallowed.returncode != 0:
            yield f"an input behind -o FILE is not taken as the input: {swallowed.stderr[:200]!r}"
        left = {path.name for path in pathlib.Path(folder).iterdir()} - {file.name for file in files}
        if left:
            yield f"left behind: {sorted(left)}"


def main():
    program = sys.argv[1]
    helps = dict(commands_below(program))
    problems = [f"{' '.join(('mcpscan', *path))}: {problem}" for path, text in helps.items() for problem in help_problems(path, text)]
    problems += [*manual_problems(program, helps), *completion_problems(program, helps), *output_problems(program)]
    finish(problems, len(helps), "commands")


main()
