"""What every architecture check needs: the project's files, and a way to fail that names each place."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("src", "parsers", "rules")
SKIPPED = {"build", ".git", "__pycache__", ".cache"}


def files(*folders, suffixes=None):
    """Files below the folders (the whole project without any), sorted, build output left out."""
    roots = [ROOT / folder for folder in folders] or [ROOT]
    found = [p for root in roots for p in root.rglob("*") if p.is_file() and not SKIPPED & set(p.relative_to(ROOT).parts)]
    return sorted(p for p in found if suffixes is None or p.suffix in suffixes)


def name(path):
    return str(path.relative_to(ROOT))


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def without_comments_and_literals(text):
    """C++ text of the same line structure with comments, strings and characters blanked out."""
    pattern = re.compile(r'R"([^\s()\\]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return pattern.sub(blank, text)


def finish(problems, checked, what):
    """Ends the check: each problem on a line of its own. A check that looked at nothing has failed too."""
    for problem in problems:
        print(problem)
    if not checked:
        print(f"nothing to check: no {what} found")
    print(f"{checked} {what} checked, {len(problems)} problems")
    sys.exit(1 if problems or not checked else 0)
