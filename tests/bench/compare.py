#!/usr/bin/python3
"""mcpscan against the pipeline it replaces (grep | grep -o | sort | uniq -c), and on captures against tcpdump's copy, on the same files:
ratios, never absolute promises.

    compare.py --bin PROGRAM --data FOLDER --mb SIZE

Inputs come from the generators beside the project (../shared/bench) where they exist, else from make_log.py. Timing by hyperfine, warm
cache; peak memory is the program's own (wait4), at a tenth of the size and at the whole: the two must agree.
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


# name, generator, its options, what it is compared with
LOGS = [("bodies logged", "gen_gateway_log", ["--bodies", "1"]), ("no bodies", "gen_gateway_log", ["--bodies", "0"])]
CAPTURES = [("capture", "gen_pcap", []), ("damaged capture", "gen_pcap", ["--reorder", "0.05", "--retransmit", "0.05", "--loss", "0.001"])]


def make(path, megabytes, generator, options):
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    if GENERATORS.is_dir():
        tools = path.parent / "tools"
        subprocess.run(["make", "-s", "-C", str(GENERATORS), f"BIN={tools}", str(tools / generator)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([tools / generator, "--mb", str(megabytes), *options, "--out", part], check=True, stderr=subprocess.DEVNULL)
    else:
        with part.open("wb") as out:
            subprocess.run(["/usr/bin/python3", str(HERE / "make_log.py"), str(megabytes)], check=True, stdout=out)
    part.rename(path)


def pipeline(path):
    return f"grep 'Request stream.*not found' '{path}' | grep -o 'Request stream [^ ]*' | sort | uniq -c"


def copy(path):
    return f"tcpdump -r '{path}' -w /dev/null"


def timed(commands):
    """Median wall and mean CPU seconds of each command."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(["hyperfine", "--warmup", "1", "--runs", "5", "--ignore-failure", "--style", "none", "--export-json", out.name,
                        *[f"bash -c \"{c}\"" for c in commands]], check=True, stdout=subprocess.DEVNULL)
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
    print(f"{'input':16} {'MB':>6} {'wall s':>8} {'cpu s':>8} {'MB/s':>6} {'wall / yardstick':>17} {'cpu / yardstick':>16} {'peak MB, tenth':>15} {'peak MB':>8}")
    for (name, generator, arguments), yardstick in sets:
        whole, tenth = (options.data / f"{name.replace(' ', '-')}-{size}" for size in (options.mb, max(options.mb // 10, 1)))
        make(whole, options.mb, generator, arguments)
        make(tenth, max(options.mb // 10, 1), generator, arguments)
        (wall, cpu), (floor_wall, floor_cpu) = timed([f"{options.bin} --format json '{whole}' >/dev/null", yardstick(whole).replace('"', '\\"')])
        print(f"{name:16} {options.mb:6} {wall:8.2f} {cpu:8.2f} {options.mb / wall:6.0f} {wall / floor_wall:16.2f}x {cpu / floor_cpu:15.2f}x "
              f"{peak_megabytes(options.bin, tenth):15.0f} {peak_megabytes(options.bin, whole):8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
