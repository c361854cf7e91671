#!/usr/bin/python3
"""The HTML report in a real browser, where there is one (chromium): at 360 and 1600 pixels, light and dark, all its parts are there and
visible, nothing is wider than the page, and no text of a drawing leaves the drawing.
usage: html_layout.py DEMO_REPORT_PROGRAM     skipped (exit code 77) without a browser that runs"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from project import finish

WIDTHS = (360, 1600)
NAMES = ("demo", "fixed", "clean")
PARTS = {"demo": ["h1", "nav", ".figure", ".day-row", ".lanes .lane", ".lanes .arrow", ".lanes .arrow.bad", ".lanes .hole", ".lanes .cross", ".steps li", "table", ".latency", "footer"],
         "fixed": ["h1", ".lanes .arrow.bad", ".day-row", "table"], "clean": ["h1", ".verdict", "table"]}
# The page is put into a frame of the wanted width, its policy taken away so that this may measure it.
PROBE = """
const problems = [], page = document.documentElement, wide = page.clientWidth;
if (page.scrollWidth > wide) problems.push(`the page is ${page.scrollWidth} wide`);
for (const part of PARTS) {
  const found = [...document.querySelectorAll(part)];
  if (!found.length) problems.push(`there is no ${part}`);
  for (const one of found.slice(0, 3)) {
    const box = one.getBoundingClientRect();
    if (box.width + box.height === 0) problems.push(`${part} is not to be seen`);
  }
}
for (const one of document.body.querySelectorAll('*')) {
  if (one.closest('.scroll, .skip, svg, .day-name')) continue;
  const box = one.getBoundingClientRect();
  if (box.right > wide + 1 || box.left < -1) problems.push(`<${one.tagName} class="${one.className}"> reaches from ${box.left} to ${box.right}`);
}
for (const drawing of document.querySelectorAll('.lanes')) {
  const frame = drawing.getBoundingClientRect();
  for (const text of drawing.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    if (box.right > frame.right + 4 || box.left < frame.left - 4) problems.push(`the text "${text.textContent}" leaves its drawing by ${Math.max(box.right - frame.right, frame.left - box.left)}`);
  }
}
parent.postMessage(JSON.stringify({[NUMBER]: problems}), '*');
"""


def browser():
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def frame(page, number, width, parts):
    page = re.sub(r'<meta http-equiv="Content-Security-Policy".*?>', "", page)
    page = page.replace("</body>", f"<script>const NUMBER = {number}, PARTS = {json.dumps(parts)};{PROBE}</script></body>")
    return f'<iframe style="width:{width}px;height:4000px;border:0" srcdoc="{html.escape(page)}"></iframe>'


def measured(browser_program, frames, dark):
    """What the browser tells of each frame, by its number."""
    page = ('<!DOCTYPE html><meta charset="utf-8"><pre id="told">{}</pre><script>const told = {}; addEventListener("message", event => {'
            'Object.assign(told, JSON.parse(event.data)); document.getElementById("told").textContent = JSON.stringify(told); });</script>' + "".join(frames))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(page, encoding="utf-8")
        arguments = [browser_program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     f"--user-data-dir={folder}/profile", "--window-size=1700,4200", "--virtual-time-budget=10000", *(["--blink-settings=preferredColorScheme=0"] if dark else []), "--dump-dom", path.as_uri()]
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False)
        except subprocess.TimeoutExpired:
            return {}
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.S)
    return json.loads(html.unescape(told.group(1))) if told else {}


def main():
    program = browser()
    if not program:
        print("no browser here")
        sys.exit(77)
    cases = [(name, width) for name in NAMES for width in WIDTHS]
    pages = {name: subprocess.run([sys.argv[1], name, "html"], capture_output=True, check=True).stdout.decode("utf-8") for name in NAMES}
    frames = [frame(pages[name], number, width, PARTS[name]) for number, (name, width) in enumerate(cases)]
    problems = []
    for dark in (False, True):
        told = measured(program, frames, dark)
        if not told:
            print("the browser does not run here")
            sys.exit(77)
        for number, (name, width) in enumerate(cases):
            looks = f"{name} at {width} pixels, {'dark' if dark else 'light'}"
            problems += [f"{looks}: {problem}" for problem in told.get(str(number), ["the browser told nothing"])]
    finish(problems, 2 * len(cases), "pages")


main()
