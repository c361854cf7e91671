#!/usr/bin/python3
"""Every report format over made-up reports, a hostile one among them, read back as its readers would.

All: UTF-8, no control or invisible character, no secret, the same bytes again; the report `fixed` is kept in tests/golden/report.
csv: parses strictly, every row has every column, no cell is a formula, its findings are those of the JSON report.
junit: well-formed, its sums are those of its cases. sarif: what the standard says of its objects, indexes point where they should.
html: elements nest, no script, handler, inline style or outside reference, the policy allows its own style only, links and labels
have their targets; where `tidy` is installed, it has nothing to say.
usage: report_formats.py DEMO_REPORT_PROGRAM"""
import base64
import csv
import difflib
import hashlib
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree

import jsonschema

from project import ROOT, finish

NAMES = ("demo", "clean", "foreign", "hostile", "empty", "fixed")
FORMATS = {"csv": "csv", "html": "html", "json": "json", "jsonl": "jsonl", "junit": "xml", "md": "md", "sarif": "sarif", "text": "txt"}
SECRETS = ("s3cr3t", "hunter2")
VOID = {"meta", "br", "hr", "img", "input", "link"}


def written(program, name, form):
    return subprocess.run([program, name, form], capture_output=True, check=True).stdout


def visible(data):
    text = data.decode("utf-8")
    odd = {f"U+{ord(c):04X}" for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    if odd:
        yield f"holds invisible characters: {', '.join(sorted(odd))}"
    for secret in SECRETS:
        if secret in text:
            yield f"shows the secret {secret}"


def golden(name, form, data):
    if name != "fixed":
        return
    path = ROOT / "tests/golden/report" / f"hostile.{FORMATS[form]}"
    if os.environ.get("MCPSCAN_UPDATE_GOLDEN") == "1":
        path.write_bytes(data)
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in list(difflib.unified_diff(kept.splitlines(), data.decode("utf-8").splitlines(), f"kept {path.name}", "written now", lineterm="", n=0))[:12]:
        yield line[:300]


# --- csv ---

def check_csv(data, report):
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    if any(len(row) != len(rows[0]) for row in rows):
        yield "a row has more or fewer cells than the header"
    if any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row):
        yield "a cell would be taken for a formula"
    again = io.StringIO(newline="")
    csv.writer(again, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    if list(csv.reader(io.StringIO(again.getvalue(), newline=""))) != rows:
        yield "does not survive being written again"
    table = [dict(zip(rows[0], row)) for row in rows[1:]]
    found = [(row["id"], row["level"], int(row["count"])) for row in table if row["record"] == "finding"]
    if found != [(finding["id"], finding["level"], finding["count"]) for finding in report["findings"]]:
        yield "its findings are not those of the JSON report"
    if [row["detail"] for row in table if row["record"] == "rule"] != [rule["state"] for rule in report["coverage"]["rules"]]:
        yield "its rules are not those of the JSON report"


# --- junit ---

def check_junit(data, report):
    root = xml.etree.ElementTree.fromstring(data)
    for suite in [root, *root.iter("testsuite")]:
        cases = list(suite.iter("testcase"))
        sums = {"tests": len(cases), "failures": sum(case.find("failure") is not None for case in cases), "errors": sum(case.find("error") is not None for case in cases),
                "skipped": sum(case.find("skipped") is not None for case in cases)}
        for name, count in sums.items():
            if suite.get(name) != str(count):
                yield f"<{suite.tag} {name}={suite.get(name)}>, there are {count}"
    failed = {finding["rule"] for finding in report["findings"] if finding["level"] != "informational"}
    if len(list(root.iter("failure"))) != len(failed):
        yield f"{len(list(root.iter('failure')))} failures for {len(failed)} rules that found something"


# --- sarif ---

def check_sarif(data, report):
    log = json.loads(data)
    schema = json.loads((ROOT / "tests/support/sarif_subset.schema.json").read_text(encoding="utf-8"))
    for error in sorted(jsonschema.Draft202012Validator(schema).iter_errors(log), key=lambda e: list(map(str, e.absolute_path))):
        yield f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
    run = log["runs"][0]
    rules, artifacts = run["tool"]["driver"]["rules"], run["artifacts"]
    for result in run["results"]:
        if "ruleIndex" in result and rules[result["ruleIndex"]]["id"] != result["ruleId"]:
            yield f"ruleIndex {result['ruleIndex']} is not {result['ruleId']}"
        for place in result["locations"] + result.get("relatedLocations", []):
            where = place["physicalLocation"]["artifactLocation"]
            if "index" in where and artifacts[where["index"]]["location"]["uri"] != where["uri"]:
                yield f"artifact {where['index']} is not {where['uri'][:80]}"
    if [result["partialFingerprints"]["mcpscanFinding/v1"] for result in run["results"]] != [finding["id"] for finding in report["findings"]]:
        yield "its results are not the findings of the JSON report"
    judged = {"partly", "not-evaluable"}
    if sum("associatedRule" in note for note in run["invocations"][0]["toolExecutionNotifications"]) != sum(rule["state"] in judged for rule in report["coverage"]["rules"]):
        yield "not every rule that could not be judged has a notification"


# --- html ---

class Page(html.parser.HTMLParser):
    """Elements that nest, and what they refer to."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.wanted, self.problems, self.tags = [], set(), set(), [], {}
        self.policy, self.style = "", ""

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if len(values) != len(attributes):
            self.problems.append(f"<{tag}> has an attribute twice")
        if tag in ("script", "iframe", "object", "embed", "link", "base", "form", "img", "foreignobject", "use", "image"):
            self.problems.append(f"<{tag}> has no place here")
        for name, value in attributes:
            self.look_at(tag, name, value or "")
        if tag == "meta" and values.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = values["content"]
        if tag not in VOID:
            self.open.append(tag)

    def look_at(self, tag, name, value):
        if name.startswith("on") or name in ("style", "src", "srcset", "action"):
            self.problems.append(f"<{tag} {name}> has no place here")
        if name in ("href", "xlink:href"):
            self.wanted.add(value[1:]) if value.startswith("#") else self.problems.append(f"<{tag} {name}={value[:60]}> leads outside")
        if name in ("aria-labelledby", "aria-describedby"):
            self.wanted.update(value.split())
        if name == "marker-end":
            self.wanted.update(re.findall(r"url\(#(.*?)\)", value))
        if name == "id":
            if value in self.ids:
                self.problems.append(f"the id {value} stands twice")
            self.ids.add(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data


def check_html(data, report):
    page = Page()
    page.feed(data.decode("utf-8"))
    page.close()
    yield from page.problems[:10]
    if page.open:
        yield f"never closed: {', '.join(page.open)}"
    for missing in sorted(page.wanted - page.ids):
        yield f"refers to #{missing}, which is not there"
    digest = "sha256-" + base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    if page.policy != f"default-src 'none'; style-src '{digest}'; base-uri 'none'; form-action 'none'":
        yield f"the content security policy is {page.policy!r}"
    if "@import" in page.style or "url(" in page.style:
        yield "its style loads something"
    drawn = sum(bool(incident["picture"]) for incident in report["incidents"])
    if data.count(b'<svg class="lanes"') != drawn:
        yield f"{data.count(b'<svg class=' + b'lanes')} drawings for {drawn} incidents with a picture"
    if shutil.which("tidy"):
        done = subprocess.run(["tidy", "-quiet", "-errors", "-utf8", "--mute", "ELEMENT_NOT_LOWERCASE"], input=data, capture_output=True, check=False)
        yield from (f"tidy: {line}" for line in done.stderr.decode("utf-8", "replace").splitlines()[:10])


CHECKS = {"csv": check_csv, "junit": check_junit, "sarif": check_sarif, "html": check_html}


def problems_of(program, name):
    report = json.loads(written(program, name, "json"))
    for form in FORMATS:
        data = written(program, name, form)
        found = [*visible(data), *golden(name, form, data)]
        if data != written(program, name, form):
            found.append("two runs differ")
        if form in CHECKS:
            found += CHECKS[form](data, report)
        yield from (f"{name} as {form}: {problem}" for problem in found)


def main():
    problems = [problem for name in NAMES for problem in problems_of(sys.argv[1], name)]
    finish(problems, len(NAMES) * len(FORMATS), "reports")


main()
