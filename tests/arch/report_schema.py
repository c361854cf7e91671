#!/usr/bin/python3
"""The JSON report keeps its contract: made-up reports (a full one, a clean one, one without MCP, an empty one, a hostile
one) are valid against docs/report.schema.json, are UTF-8, add up, and write long ids digit by digit.
usage: report_schema.py DEMO_REPORT_PROGRAM"""
import json
import subprocess
import sys

import jsonschema

from project import ROOT, finish

NAMES = ("demo", "clean", "foreign", "hostile", "empty")
COUNTS = ("requests", "replies", "notifications", "tools_calls", "server_requests")


def no_twins(pairs):
    """An object whose keys stand once each: a reader that keeps the first and one that keeps the last must agree."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError(f"a key stands twice among {[key for key, _ in pairs]}")
    return result


def sums(report):
    for count in COUNTS:
        rows = sum(session["counts"][count] for session in report["sessions"])
        if rows != report["totals"][count]:
            yield f"{count}: the sessions add up to {rows}, the total is {report['totals'][count]}"
    for item in report["inputs"]:
        records = item["records"]
        if records["total"] != records["used"] + sum(records["ignored"].values()) + sum(records["malformed"].values()):
            yield f"the books of {item['path']!r} do not add up: {records}"


def links(report):
    ids = {finding["id"] for finding in report["findings"]}
    for incident in report["incidents"]:
        for missing in {incident["root"], *incident["findings"]} - ids:
            yield f"incident {incident['id']} names a finding that is not there: {missing}"


def problems_of(program, name, validator):
    done = subprocess.run([program, name, "json"], capture_output=True, check=True)
    report = json.loads(done.stdout.decode("utf-8"), object_pairs_hook=no_twins)
    for error in sorted(validator.iter_errors(report), key=lambda e: list(map(str, e.absolute_path))):
        yield f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
    yield from sums(report)
    yield from links(report)
    if name == "demo" and not any(call["rpc_id"] == 123456789012345678901234 for f in report["findings"] for call in f["calls"]):
        yield "the id of 24 digits did not come back digit by digit"


def main():
    schema = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    problems = [f"{name}: {problem}" for name in NAMES for problem in problems_of(sys.argv[1], name, validator)]
    finish(problems, len(NAMES), "reports")


main()
