#!/usr/bin/python3
"""mcpscan against the truth that the benchmark's generators print of the faults they put in: every key of it, key by key.

    truth.py --bin PROGRAM --data FOLDER [--mb 100] [--seeds 1,2] [--only log,pcap] [--keep]

Generates a set of files beside each other (../shared/bench; a set is a kind of input with options of its generator), scans each, prints
what differs and exits with 1 if anything does. A file is removed when it was read.

Keys that the evidence cannot show as the truth counts them, and how they are compared then:
  duplicate-request-id   in captures and HAR files a call whose stream was taken over stays unanswered until its client gives up, though the
                         generator's server has done with it: an id used again in between is in flight for every witness. In a log the
                         server's record names no session: where collisions of one id overlap in two sessions, whose call is over is not
                         told. The sum must be equal; as many as that may have moved from sequential to concurrent.
  loss in a capture      what a missing segment took with it is not there to be counted: no count may be above the truth, nothing may be
                         told that the truth has not, and capture-gap must be told.
  --bodies 0             no ids, no replies: only what the server's own lines say.
  never_answered         a log that ends within the client's patience cannot tell; as many as the report says are open at its end may be missing.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
GENERATORS = HERE.parents[2] / "shared/bench"
SETS = {
    "log": ("gen_gateway_log", []),
    "log-json-lines": ("gen_gateway_log", ["--json-lines"]),
    "log-multiline": ("gen_gateway_log", ["--multiline", "1"]),
    "log-json-lines-multiline": ("gen_gateway_log", ["--json-lines", "--multiline", "1"]),
    "log-chunks": ("gen_gateway_log", ["--chunks", "1"]),
    "log-no-bodies": ("gen_gateway_log", ["--bodies", "0"]),
    "log-many-faults": ("gen_gateway_log", ["--dup", "0.02", "--swap", "0.01", "--lost", "0.01"]),
    "pcap": ("gen_pcap", []),
    "pcap-reorder": ("gen_pcap", ["--reorder", "0.05", "--retransmit", "0.05"]),
    "pcap-loss": ("gen_pcap", ["--loss", "0.001"]),
    "pcap-sse": ("gen_pcap", ["--sse", "1"]),
    "pcap-json": ("gen_pcap", ["--sse", "0"]),
    "har": ("gen_har", []),
    "har-sse": ("gen_har", ["--sse", "1"]),
    "har-json": ("gen_har", ["--sse", "0"]),
}


def build(tool, folder):
    subprocess.run(["make", "-s", "-C", str(GENERATORS), f"BIN={folder}", str(folder / tool)], check=True, stdout=subprocess.DEVNULL)
    return folder / tool


def generate(name, path, megabytes, seed, tools):
    generator, options = SETS[name]
    made = subprocess.run([build(generator, tools), "--mb", str(megabytes), "--seed", str(seed), *options, "--out", path], check=True,
                          stderr=subprocess.PIPE)
    return json.loads(made.stderr)


def scan(program, path):
    run = subprocess.run([program, "--format", "json", path], capture_output=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{program} ended with {run.returncode}: {run.stderr.decode(errors='replace')[:500]}")
    return json.loads(run.stdout)


def counted(report, rule, level=None):
    """What a rule counted, by detail."""
    counts = collections.Counter()
    for finding in report["findings"]:
        if finding["rule"] == rule and (level is None or finding["level"] == level):
            counts[finding["detail"] or ""] += finding["count"]
    return counts


def by_stream(report):
    counts = collections.Counter()
    for finding in report["findings"]:
        for row in finding.get("tally", []):
            counts[row["key"].removeprefix("stream ")] += row["count"]
    return dict(counts)


class Comparison:
    def __init__(self, truth, report, lossy):
        self.truth, self.report, self.lossy, self.notes = truth, report, lossy, []
        self.is_log = "lines" in truth
        self.moved = 0  # ids used again that the evidence shows in flight, and the truth does not

    def equal(self, key, want, have):
        fine = have <= want if self.lossy and isinstance(want, int) else have == want
        if not fine:
            self.notes.append(f"{key}: the truth is {want}, the report has {have}")

    def books(self):
        records = self.report["inputs"][0]["records"]
        self.equal("the sum of the records", records["total"], records["used"] + sum(records["ignored"].values()) + sum(records["malformed"].values()))
        self.equal("bytes", self.truth["bytes"], self.report["inputs"][0]["bytes"])
        for key in ("lines", "packets", "entries"):
            if key in self.truth:
                self.equal(key, self.truth[key], records["total"])
        if self.truth["kind"] == "har":
            self.equal("asset_entries", self.truth["asset_entries"], sum(records["ignored"].values()))
        if records["malformed"]:
            self.notes.append(f"malformed: {records['malformed']}")

    def calls(self):
        truth, totals, tools = self.truth, self.report["totals"], self.report["tools"]
        if not self.lossy:  # one whose initialize was lost in part is known by its connection, and once more by its id
            self.equal("sessions", truth["sessions"], totals["sessions"])
        self.equal("calls", truth["calls"], totals["tools_calls"])
        self.equal("replies", truth["replies"], totals["replies"] - (totals["requests"] - totals["tools_calls"]))
        self.equal("calls, by tool", truth["calls"], sum(row["calls"] for row in tools))
        self.equal("error_replies", truth["error_replies"], sum(row["errors"] for row in tools))

    def duplicates(self):
        want, have = self.truth["duplicate-request-id"], counted(self.report, "duplicate-request-id")
        self.equal("duplicate-request-id, all", want["concurrent"] + want["sequential"], have["concurrent"] + have["sequential"])
        if not self.lossy:
            most = self.records_without_session() if self.is_log else want["sequential"]
            self.equal("duplicate-request-id, moved to concurrent", True, 0 <= have["concurrent"] - want["concurrent"] <= most)
            self.moved = have["concurrent"] - want["concurrent"]

    def records_without_session(self):
        return sum(finding["count"] for finding in self.report["findings"] if finding["rule"] == "stream-not-found-burst" and not finding["session"])

    def losses(self):
        want, have = self.truth["lost-reply"], counted(self.report, "lost-reply", "high")
        self.equal("lost-reply, collision_victims", want["collision_victims"], have["overwritten"])
        rest = sum(have.values()) - have["overwritten"]
        slack = self.open_at_the_end() if self.is_log else 0
        if self.lossy or not want["never_answered"] - slack <= rest <= want["never_answered"]:
            self.equal("lost-reply, never_answered", want["never_answered"], rest)

    def open_at_the_end(self):
        paired = self.report["coverage"]["paired"]
        told = sum(counted(self.report, "lost-reply").values())
        return paired["requests"] - paired["with_reply"] - told

    def mismatches(self):
        want, have = self.truth["reply-mismatch"], counted(self.report, "reply-mismatch", "critical" if self.lossy else None)
        self.equal("reply-mismatch, swapped_pairs", 2 * want["swapped_pairs"], have["swap"])
        crossed = 0 if self.is_log else want["collision_crossed"]
        self.equal("reply-mismatch, collision_crossed", crossed, have["duplicate-id"])
        self.equal("reply-mismatch, others", 0, sum(have.values()) - have["swap"] - have["duplicate-id"])

    def others(self):
        """The generators make no other faults; and a capture that lost segments must say so."""
        expected = {"duplicate-request-id", "lost-reply", "reply-mismatch", "stream-not-found-burst"}
        for finding in self.report["findings"]:
            if finding["rule"] not in expected and finding["level"] != "informational" and not (self.lossy and finding["rule"] == "capture-gap"):
                self.notes.append(f"{finding['rule']} ({finding['level']}) {finding['detail']} x{finding['count']}: the truth has none")
        if self.lossy and not counted(self.report, "capture-gap"):
            self.notes.append("capture-gap: segments are missing, and it is not told")

    def notices(self):
        have = by_stream(self.report)
        if self.is_log:
            self.equal("not_found_by_stream", self.truth["not_found_by_stream"], have)
            self.equal("not_found_lines", self.truth["not_found_lines"], sum(have.values()))
        else:
            self.equal("not_found_by_stream", {}, have)

    def run(self):
        self.books()
        self.notices()
        if self.truth.get("bodies_logged", {}).get("requests", 1):
            self.calls()
            self.duplicates()
            self.losses()
            self.mismatches()
        self.others()
        return self.notes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--only", default="", help="sets, separated by commas: " + ", ".join(SETS))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if not GENERATORS.is_dir():
        print(f"no generators in {GENERATORS}", file=sys.stderr)
        return 2
    options.data.mkdir(parents=True, exist_ok=True)
    failed = 0
    for seed in options.seeds.split(","):
        for name in options.only.split(",") if options.only else SETS:
            path = options.data / f"{name}-{options.mb}-{seed}"
            truth = generate(name, path, options.mb, seed, options.data / "tools")
            comparison = Comparison(truth, scan(options.bin, path), name == "pcap-loss")
            notes = comparison.run()
            if not options.keep:
                path.unlink()
            failed += bool(notes)
            print(f"{name}, {options.mb} MB, seed {seed}: " + (f"{len(notes)} differ" if notes else f"all equal ({truth['calls']} calls" + (f", {comparison.moved} in flight for this witness only)" if comparison.moved else ")")), flush=True)
            for note in notes[:20]:
                print("   ", note)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
