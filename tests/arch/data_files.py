#!/usr/bin/python3
"""Each rule and dialect file says what it is for: names that fit the path, a title, prose, and samples or tests inside.

The program checks meaning when it loads them; this checks what a reader needs, also for keys the program does not use."""
import re

import yaml

from project import ROOT, files, finish, name, read

LEVELS = {"informational", "low", "medium", "high", "critical"}


def problems_of_rule(path, rule):
    for key in ("title", "id", "status", "level", "description", "falsepositives", "tests"):
        if not rule.get(key):
            yield f"{name(path)}: no {key}"
    if rule.get("id") != path.stem:
        yield f"{name(path)}: its id is {rule.get('id')}, the file name says {path.stem}"
    if rule.get("level") not in LEVELS:
        yield f"{name(path)}: level {rule.get('level')}"
    if len(str(rule.get("description", "")).split()) < 8:
        yield f"{name(path)}: the description does not explain the mechanism"


def problems_of_dialect(path, dialect):
    for key in ("name", "title", "reference", "samples", "not_samples"):
        if not dialect.get(key):
            yield f"{name(path)}: no {key}"
    if dialect.get("name") != path.stem:
        yield f"{name(path)}: its name is {dialect.get('name')}, the file name says {path.stem}"


def main():
    problems, checked = [], 0
    for folder, check in (("rules", problems_of_rule), ("parsers/dialects", problems_of_dialect)):
        for path in files(folder, suffixes={".yml"}):
            checked += 1
            content = yaml.safe_load(read(path))
            problems += check(path, content) if isinstance(content, dict) else [f"{name(path)}: is no mapping"]
    stray = [name(p) for p in files("rules", "parsers/dialects", suffixes={".yaml"})]
    problems += [f"{path}: data files end in .yml, this one is never read" for path in stray]
    for path in files("rules", suffixes={".yml"}):
        if not re.fullmatch(r"rules/[a-z0-9-]+/[a-z0-9-]+\.yml", name(path)):
            problems.append(f"{name(path)}: rules live in rules/CATEGORY/RULE-ID.yml")
    finish(problems, checked, "rule and dialect files")


main()
