#!/usr/bin/python3
"""Each bound of src/base/limits.h has a row in docs/limits.md with its true default, a reason, and a test that names it."""
import re

from project import ROOT, files, finish, read

MEMBER = re.compile(r"^\s*std::(?:size_t|u?int\d+_t)\s+(\w+)\s*=\s*([^;]+);", re.M)
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|([^|]*)\|([^|]*)\|([^|]*)\|\s*$", re.M)


def evaluated(expression):
    expression = re.sub(r"(?<=[0-9])(?:u|l|ll|ull|z)\b", "", expression.replace("'", ""), flags=re.I)
    if not re.fullmatch(r"[0-9a-fx<>*+\s()\-/]+", expression):
        raise ValueError(f"a bound's default must be arithmetic on numbers: {expression}")
    return int(eval(expression, {"__builtins__": {}}))  # noqa: S307: nothing but digits and operators gets here


def for_people(member, value):
    if member.endswith("_us"):
        for unit, size in (("h", 3600 * 10**6), ("min", 60 * 10**6), ("s", 10**6), ("ms", 10**3)):
            if value % size == 0:
                return f"{value // size} {unit}"
    if member.endswith("_bytes"):
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if value % size == 0:
                return f"{value // size} {unit}"
        return f"{value:,} bytes"
    return f"{value:,}"


def main():
    members = MEMBER.findall(read(ROOT / "src/base/limits.h"))
    rows = {row[0]: [cell.strip() for cell in row[1:]] for row in ROW.findall(read(ROOT / "docs/limits.md"))}
    tests = "\n".join(read(p) for p in files("tests/unit", "tests/golden", suffixes={".cc", ".h", ".json"}))
    problems = [f"docs/limits.md: `{name}` is no bound of src/base/limits.h" for name in rows if name not in dict(members)]
    for member, default in members:
        expected = for_people(member, evaluated(default))
        if member not in rows:
            problems.append(f"docs/limits.md: no row for `{member}` ({expected})")
            continue
        shown, reason, reached = rows[member]
        if shown != expected:
            problems.append(f"docs/limits.md: `{member}` is shown as {shown}, it is {expected}")
        if len(reason.split()) < 3 or len(reached.split()) < 2:
            problems.append(f"docs/limits.md: `{member}` gives no reason, or not what happens when it is reached")
        if not re.search(rf"[Ll]imits\w*\.{member}\b|[{{,]\s*\.{member}\s*=|TEST_CASE\(\"[^\"]*Limits::[^\"]*\b{member}\b", tests):
            problems.append(f"src/base/limits.h: no test names `{member}`")
    finish(problems, len(members), "bounds")


main()
