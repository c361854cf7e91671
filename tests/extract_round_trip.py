#!/usr/bin/python3
"""Each incident of labelled evidence, extracted and scanned again: the bundle shows the same incident, and holds nothing it should not.

    extract_round_trip.py --bin PROGRAM [--share] [--packets flows|calls] [--only NAME] FOLDER...

A FOLDER with truth.json files in its subfolders is a labelled set, and its runs are taken as they are; any other folder is one run over
all its files. For each incident: the bundle is whole and its hashes are true; a scan of it shows an incident with the same findings (rule,
detail, level, count, calls), and none that the sources do not show; a second extract is the same, byte for byte. With --share also: no
session id, address or bearer token of the sources is left in any byte, plain, URL-encoded or in base64.
Exit code 1 when one of it does not hold.
"""
import argparse
import base64
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

IPV4 = re.compile(rb"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")
TOKEN = re.compile(rb"[Bb]earer[ +]([A-Za-z0-9._~+/-]{8,}=*)")


def runs_of(folder):
    """(name, files, arguments) of each run."""
    for truth_file in sorted(folder.glob("*/truth.json")):
        truth, place = json.loads(truth_file.read_text()), truth_file.parent
        key_logs = [a for s in truth["sources"] if s.get("format") == "tls-keylog" for a in ("--keylog", str(place / s["file"]))]
        if not truth.get("runs"):
            yield place.name, [str(place / s["file"]) for s in truth["sources"] if s.get("format") != "tls-keylog"], key_logs
        for run in truth.get("runs") or []:
            files = [str(place / f) for f in run.get("inputs") or run.get("files")]
            yield f"{place.name}/{run.get('name', '+'.join(files))}", files, [a.replace("{dir}", str(place)) for a in run.get("args", [])]
    if not any(folder.glob("*/truth.json")):
        yield folder.name, [str(folder)], []


def scan(program, arguments):
    done = subprocess.run([program, "scan", "--format", "json", "--threads", "2", *arguments], capture_output=True, timeout=300)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"scan ended with {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return json.loads(done.stdout)


def told(report, incident, share):
    """What an incident says, without ids and places. Under --share texts differ where they name somebody."""
    findings = {f["id"]: f for f in report["findings"]}
    lines = []
    for finding in (findings[i] for i in incident["findings"] if i in findings):
        calls = sorted(json.dumps([c.get("rpc_id"), c.get("method"), c.get("tool"), c.get("requested_at"), c.get("replied_at")]) for c in finding["calls"])
        detail = finding["detail"] or ""
        detail = IPV4.sub(b"", detail.encode()).decode() if share else detail
        lines.append((finding["rule"], detail, finding["level"], finding["count"], finding["fault"]["party"], calls))
    root = findings[incident["root"]]["rule"] if incident["root"] in findings else ""
    return [root, *sorted(lines, key=str)]


def sums(report):
    """Counts of alarms by rule."""
    counts = collections.Counter()
    for finding in report["findings"]:
        if finding["level"] != "informational":
            counts[finding["rule"]] += finding["count"]
    return counts


def bytes_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def secrets_of(report, files):
    """What must not be left, as bytes: session ids, addresses, tokens."""
    secrets = {s["id"].encode() for s in report["sessions"] if s.get("id")}
    for name in files:
        for path in [pathlib.Path(name)] if pathlib.Path(name).is_file() else pathlib.Path(name).rglob("*"):
            if path.is_file():
                raw = path.read_bytes()
                secrets |= {a for a in IPV4.findall(raw) if all(int(o) < 256 for o in a.split(b"."))} | set(TOKEN.findall(raw))
    return {s for s in secrets if len(s) >= 7}


def forms_of(secret):
    yield secret
    yield urllib.parse.quote(secret, safe="").encode()
    for pad in range(3):  # as it stands in base64, whatever comes before it
        encoded = base64.b64encode(b"\0" * pad + secret)
        yield encoded[(pad * 8 + 5) // 6:(pad + len(secret)) * 8 // 6]


def leaks(secrets, files):
    for secret in sorted(secrets):
        for form in set(forms_of(secret)):
            for name, content in files.items():
                if form in content or form in name.encode():
                    yield f"{name} still holds {form.decode(errors='replace')}"


def check_incident(options, report, incident, files, arguments):
    with tempfile.TemporaryDirectory() as folder:
        bundles = [pathlib.Path(folder) / name for name in ("one", "two")]
        for bundle in bundles:
            done = subprocess.run([options.bin, "extract", incident["id"], *files, *arguments, "-o", str(bundle), "--packets", options.packets, *(["--share"] if options.share else [])],
                                  capture_output=True, timeout=300)
            if done.returncode != 0:
                return [f"extract ended with {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"], ""
        held = bytes_of(bundles[0])
        manifest = json.loads(held["MANIFEST.json"])
        problems = [f"{p['path']}: the hash is not true" for p in manifest["parts"] if hashlib.sha256(held[p["path"]]).hexdigest() != p["sha256"]]
        if held != bytes_of(bundles[1]):
            problems.append("a second extract differs")
        again = scan(options.bin, [str(bundles[0])])
        wanted = told(report, incident, options.share)
        if not any(told(again, other, options.share) == wanted for other in again["incidents"]):
            problems.append(f"the bundle does not show the incident\n      wanted {wanted}\n      shown  {[told(again, o, options.share) for o in again['incidents']]}")
        problems += [f"the bundle shows more {rule} than the sources" for rule, n in (sums(again) - sums(report)).items() if n > 0]
        if options.share:
            problems += list(leaks(secrets_of(report, files), held))[:5]
        size = sum(p["bytes"] for p in manifest["parts"])
        return problems, f"{manifest['kept']}, {size} of {sum(s['bytes'] for s in manifest['sources'])} bytes"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--packets", default="flows")
    parser.add_argument("--only")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.bin = str(pathlib.Path(options.bin).resolve())
    checked = failed = 0
    for folder in options.folders:
        for name, files, arguments in runs_of(folder):
            if options.only and options.only not in name:
                continue
            report = scan(options.bin, [*files, *arguments])
            for incident in report["incidents"]:
                checked += 1
                problems, summary = check_incident(options, report, incident, files, arguments)
                failed += bool(problems)
                print(f"{'FAIL' if problems else 'ok  '} {name:40} {incident['id']}  {summary}")
                for problem in problems:
                    print("    ", problem)
    print(f"{checked} incidents, {failed} wrong")
    sys.exit(1 if failed or not checked else 0)


main()
