#!/usr/bin/python3
"""mcpscan against the pipeline it replaces (grep | grep -o | sort | uniq -c), on captures against tcpdump's copy, on HAR files against
simdjson's tree of the whole file: ratios on the same files, never absolute promises. Where tshark is installed, its reading of the HTTP
fields of a tenth of the capture is timed once, and said as a multiple.

    compare.py --bin PROGRAM --data FOLDER --mb SIZE

Inputs come from the generators beside the project (../shared/bench) where they exist, else from make_log.py. Timing by hyperfine, warm
cache; peak memory is the program's own (wait4), at a tenth of the size and at the whole: the two must agree. On a busy machine only the
ratio of processor times means something: wall times of a program with threads then do not.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GENERATORS = HERE.parents[2] / "shared/bench"


# name, generator, its options
LOGS = [("bodies logged", "gen_gateway_log", ["--bodies", "1"]), ("no bodies", "gen_gateway_log", ["--bodies", "0"])]
CAPTURES = [("capture", "gen_pcap", []), ("damaged capture", "gen_pcap", ["--reorder", "0.05", "--retransmit", "0.05", "--loss", "0.001"])]
HARS = [("HAR", "gen_har", [])]


def build(tool, folder):
    subprocess.run(["make", "-s", "-C", str(GENERATORS), f"BIN={folder}", str(folder / tool)], check=True, stdout=subprocess.DEVNULL)
    return folder / tool


def make(path, megabytes, generator, options):
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    if GENERATORS.is_dir():
        subprocess.run([build(generator, path.parent / "tools"), "--mb", str(megabytes), *options, "--out", part], check=True, stderr=subprocess.DEVNULL)
    else:
        with part.open("wb") as out:
            subprocess.run(["/usr/bin/python3", str(HERE / "make_log.py"), str(megabytes)], check=True, stdout=out)
    part.rename(path)


def pipeline(path):
    return f"grep 'Request stream.*not found' '{path}' | grep -o 'Request stream [^ ]*' | sort | uniq -c"


def copy(path):
    return f"tcpdump -r '{path}' -w /dev/null"


def tree(path):
    return f"'{path.parent / 'tools/micro_limits'}' '{path}' har 1 'simdjson DOM'"


def http_fields(path):
    return f"tshark -r '{path}' -Y http -T fields -e http.request.method -e http.file_data >/dev/null"


def timed(commands, runs=5):
    """Median wall and mean CPU seconds of each command."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(["hyperfine", "--warmup", "1" if runs > 1 else "0", "--runs", str(runs), "--ignore-failure", "--style", "none", "--export-json", out.name,
                        *[f"bash -c \"{c}\"" for c in commands]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [(r["median"], r["user"] + r["system"]) for r in json.load(open(out.name))["results"]]


def peak_megabytes(program, path):
    process = subprocess.Popen([program, "--format", "json", path], stdout=subprocess.DEVNULL)
    return os.wait4(process.pid, 0)[2].ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--mb", type=int, default=200)
    options = parser.parse_args()
    sets = [(kind, pipeline) for kind in (LOGS if GENERATORS.is_dir() else [("sample days", "", [])])]
    if GENERATORS.is_dir() and shutil.which("tcpdump"):
        sets += [(kind, copy) for kind in CAPTURES]
    if GENERATORS.is_dir():
        build("micro_limits", options.data / "tools")
        sets += [(kind, tree) for kind in HARS]
    print(f"{'input':16} {'MB':>6} {'wall s':>8} {'cpu s':>8} {'MB/s':>6} {'wall / yardstick':>17} {'cpu / yardstick':>16} {'peak MB, tenth':>15} {'peak MB':>8}")
    for (name, generator, arguments), yardstick in sets:
        whole, tenth = (options.data / f"{name.replace(' ', '-')}-{size}" for size in (options.mb, max(options.mb // 10, 1)))
        make(whole, options.mb, generator, arguments)
        make(tenth, max(options.mb // 10, 1), generator, arguments)
        (wall, cpu), (floor_wall, floor_cpu) = timed([f"{options.bin} --format json '{whole}' >/dev/null", yardstick(whole).replace('"', '\\"')])
        print(f"{name:16} {options.mb:6} {wall:8.2f} {cpu:8.2f} {options.mb / wall:6.0f} {wall / floor_wall:16.2f}x {cpu / floor_cpu:15.2f}x "
              f"{peak_megabytes(options.bin, tenth):15.0f} {peak_megabytes(options.bin, whole):8.0f}")
    tenth = options.data / f"capture-{max(options.mb // 10, 1)}"
    if tenth.exists() and shutil.which("tshark"):
        (wall, cpu), (slow_wall, slow_cpu) = timed([f"{options.bin} --format json '{tenth}' >/dev/null", http_fields(tenth)], 1)
        print(f"tshark's HTTP fields of {tenth.name} MB: {slow_wall / wall:.0f} times as long (wall), {slow_cpu / cpu:.0f} times the processor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
