#!/usr/bin/python3
"""Sizes that keep code readable: source files up to 500 lines, headers 250, functions 60, and a median function under 10."""
import re
import statistics

from project import CODE_FOLDERS, files, finish, name, read, without_comments_and_literals

SOURCE_LINES, HEADER_LINES, FUNCTION_LINES, MEDIAN_LINES = 500, 250, 60, 10
CONTAINER = re.compile(r"\b(namespace|class|struct|enum|union)\b|\bextern\s*\"?\s*\"?\s*$")


def functions(text):
    """(first line, last line, head) of each outermost body that is no namespace, class or initialiser. Simple on purpose:
    braces are counted in text without comments and literals; a head with parentheses outside any body is a function."""
    text = "\n".join("" if line.lstrip().startswith("#") else line for line in without_comments_and_literals(text).split("\n"))
    stack, start = [], 0
    for at, char in enumerate(text):
        if char in ";":
            start = at + 1 if not any(kind == "function" for kind, *_ in stack) else start
        elif char == "{":
            head = text[start:at].strip()
            inside = any(kind == "function" for kind, *_ in stack)
            if inside:
                kind = "inner"
            elif CONTAINER.search(head.split("(")[0]) or not head:
                kind = "container"
            else:
                kind = "function" if "(" in head and not re.search(r"=\s*$", head) else "initialiser"
            stack.append((kind, head, text.count("\n", 0, start + len(text[start:at]) - len(text[start:at].lstrip())) + 1))
            start = at + 1 if not inside and kind != "function" else start
        elif char == "}" and stack:
            kind, head, first = stack.pop()
            if kind == "function":
                yield first, text.count("\n", 0, at) + 1, head
            if not any(k == "function" for k, *_ in stack):
                start = at + 1


def main():
    problems, lengths = [], []
    found = files(*CODE_FOLDERS, "tests", suffixes={".cc", ".h"})
    for path in found:
        text = read(path)
        lines, budget = text.count("\n"), HEADER_LINES if path.suffix == ".h" else SOURCE_LINES
        if lines > budget:
            problems.append(f"{name(path)}: {lines} lines, the budget is {budget}: is there a second idea that wants its own file?")
        for first, last, head in functions(text):
            if not name(path).startswith("tests/"):
                lengths.append(last - first + 1)
            if last - first + 1 > FUNCTION_LINES and not head.startswith(("TEST_CASE", "SCENARIO")):
                problems.append(f"{name(path)}:{first}: {last - first + 1} lines in one function, the budget is {FUNCTION_LINES}: {' '.join(head.split())[:80]}")
    median = statistics.median(lengths) if lengths else 0
    if median >= MEDIAN_LINES:
        problems.append(f"the median function has {median} lines, the budget is below {MEDIAN_LINES}")
    print(f"{len(lengths)} functions, median {median} lines, longest {max(lengths, default=0)}")
    finish(problems, len(found), "source files")


main()
