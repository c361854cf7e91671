#!/usr/bin/python3
"""Each generator in samples writes the very bytes of the file beside it, and each sample has a row in samples/README.md."""
import subprocess

from project import ROOT, files, finish, name, read


def main():
    problems, checked = [], 0
    readme = read(ROOT / "samples/README.md")
    for path in files("samples"):
        if path.suffix == ".py":
            checked += 1
            done = subprocess.run(["/usr/bin/python3", path], capture_output=True, timeout=120)
            if done.returncode or done.stdout != path.with_suffix("").read_bytes():
                problems.append(f"{name(path)}: writes other bytes than {path.with_suffix('').name} holds")
        elif path.name != "README.md" and f"`{path.relative_to(ROOT / 'samples')}`" not in readme:
            problems.append(f"samples/README.md: no row for {name(path)}")
    finish(problems, checked, "generators")


main()
