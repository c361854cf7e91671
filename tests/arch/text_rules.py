#!/usr/bin/python3
"""Rules on text: every header opens with a comment, every test says what it shows, every folder has a short README, and no
line holds a path of somebody's machine, a package registry's host or a note to do something later."""
import json
import re

from project import CODE_FOLDERS, ROOT, files, finish, name, read

TOP_FOLDERS = ("src", "parsers", "rules", "tests", "samples", "docs", "cmake")
README_LINES = 40
TEXT = {".cc", ".h", ".md", ".py", ".yml", ".yaml", ".json", ".txt", ".cmake", ".sh", ""}
SLASH = "/"
FORBIDDEN = (
    (re.compile(r"(?<![\w.\-}])" + SLASH + r"(?:work|root|home" + SLASH + r"\w+|mnt|Users" + SLASH + r"\w+)" + SLASH + r"[\w.]"), "a path of one machine"),
    (re.compile(r"https?://(?:registry|deb|archive|index|proxy|crates|files)\.|\b(?:registry\.npmjs|pypi|pythonhosted|crates|deb\.debian)\.(?:org|io)\b"), "a package registry's host"),
    (re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b"), "a note to do something later: do it, or open an issue"),
)
# Evidence in tests and samples quotes other people's machines and code.
QUOTES_EVIDENCE = ("samples/", "tests/unit/", "tests/fuzz/regressions/", "tests/golden/", "parsers/dialects/")
CASE = re.compile(r'\b(?:TEST_CASE|SCENARIO|TEST_CASE_METHOD\s*\(\s*\w+\s*,)\s*\(?\s*"((?:\\.|[^"\\])*)"((?:\s*"(?:\\.|[^"\\])*")*)')


def headers():
    for path in files(*CODE_FOLDERS, suffixes={".h"}):
        first = read(path).split("\n", 1)[0]
        if not re.match(r"// \S.{20,}", first):
            yield f"{name(path)}:1: opens without a sentence on what it is"


def forbidden_words():
    for path in files():
        if path.suffix not in TEXT or path.stat().st_size > 1 << 20 or path.name == "LICENSE":
            continue
        quotes = name(path).startswith(QUOTES_EVIDENCE)
        for number, line in enumerate(read(path).split("\n"), 1):
            for pattern, what in FORBIDDEN[1 if quotes else 0:]:
                if pattern.search(line):
                    yield f"{name(path)}:{number}: holds {what}: {line.strip()[:100]}"


def tests_say_what_they_show():
    for path in files("tests/unit", suffixes={".cc"}):
        text = read(path)
        cases = list(CASE.finditer(text))
        if not cases:
            yield f"{name(path)}: holds no test case"
        if not re.search(r"\b(?:CHECK|REQUIRE)", text):
            yield f"{name(path)}: asserts nothing"
        for case in cases:
            title = case.group(1) + case.group(2)
            if len(title.split()) < 3:
                yield f'{name(path)}:{text.count(chr(10), 0, case.start()) + 1}: "{title}" does not say what the test shows'
    for path in files("tests/fuzz", suffixes={".cc"}):
        head = read(path).split("\n")[:3]
        if not head[0].startswith("// module: ") or not head[1].startswith("// "):
            yield f"{name(path)}: opens without `// module: NAME` and a line on what must hold"
    for path in files("tests/golden"):
        if path.name == "case.json" and len(json.loads(read(path)).get("shows", "").split()) < 3:
            yield f"{name(path)}: `shows` does not say what the case shows"


def readmes():
    for folder in TOP_FOLDERS:
        readme = ROOT / folder / "README.md"
        if not readme.is_file():
            yield f"{folder}/README.md: missing"
        elif read(readme).count("\n") > README_LINES:
            yield f"{folder}/README.md: over {README_LINES} lines"


def main():
    problems = [p for check in (headers, forbidden_words, tests_say_what_they_show, readmes) for p in check()]
    finish(problems, len(files()), "files")


main()
