"""How the page of two captures and its diff.md are looked at: by an XML parser and, where there is one, by a browser."""
import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

import jsonschema

from harness import SOURCE, check, equal

SCHEMA = jsonschema.Draft7Validator(json.loads((SOURCE / "schemas" / "plumbline.profile-diff.v1.json").read_text()))
BROWSER = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def figures(page):
    """The figures of a page, each read by an XML parser."""
    found, depth, start = [], 0, 0
    for tag in re.finditer(r"<(/?)svg\b", page):
        if not tag[1]:
            start = tag.start() if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                found.append(xml.etree.ElementTree.fromstring(page[start:tag.end() + 1]))
    equal(depth, 0, "figures that end")
    return found


def browse(folder, page, where):
    """No console message, and on a telephone nothing wider than the screen."""
    quiet = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser"]
    path = folder / "page.html"
    path.write_text(page)
    done = subprocess.run([*quiet, "--enable-logging=stderr", "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120)
    check("CONSOLE" not in done.stderr, f"{where}: the page complains: {[l for l in done.stderr.splitlines() if 'CONSOLE' in l][:3]}")
    asking = page.replace("<meta http-equiv", "<meta x", 1).replace(
        "</body>", "<script>document.body.dataset.wide=[document.documentElement.scrollWidth,"
        "Math.max(...[...document.querySelectorAll('main *')].filter(e=>!e.closest('.scroll')&&!e.ownerSVGElement).map(e=>e.getBoundingClientRect().right))|0]"
        ".join(' ')</script></body>")
    path.write_text(asking.replace("<body>", '<body style="width:400px">'))
    done = subprocess.run([*quiet, "--window-size=400,900", "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120)
    seen = re.search(r'data-wide="(\d+) (\d+)"', done.stdout)
    check(seen is not None, f"{where}: the browser measured nothing")
    if seen:
        check(int(seen[2]) <= 400, f"{where}: wider than the screen: {seen[0]}")
        check(int(seen[1]) <= 500, f"{where}: the page scrolls sideways: {seen[0]}")  # a browser's window has at least 500


def look(root, result, where):
    bundle = pathlib.Path(result["diff_dir"])
    diff = json.loads((bundle / "profile-diff.json").read_text())
    SCHEMA.validate(diff)
    short = (bundle / "diff.md").read_text().splitlines()
    check(len(short) <= 60, f"{where}: diff.md has {len(short)} lines")
    check(max(map(len, short)) <= 200, f"{where}: diff.md has a line of {max(map(len, short))} characters")
    check(short[0].startswith(f"# {result['verdict']} ({result['tier']}) "), f"{where}: diff.md opens with the verdict: {short[0]}")
    check(short[-1].startswith("- Current: ") and "SHA-256" in short[-1], f"{where}: digests come last: {short[-1]}")

    page = (bundle / "diff.html").read_text()
    check(len(page) <= 1_500_000, f"{where}: the page has {len(page)} bytes")
    script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    check(f"script-src 'sha256-{digest}'" in page, f"{where}: the page's policy names its script's digest: {digest}")
    equal(page.count("<script"), 1, f"{where}: scripts")
    check(not re.search(r"(?:src|href)\s*=|url\((?!#)|@import", page), f"{where}: the page asks for something")
    drawn = figures(page)
    check(all(figure.get("aria-label") and figure.get("role") == "img" for figure in drawn), f"{where}: every figure says what it shows")
    order = [page.find(f"<svg class=\"{kind}\"") for kind in ("fall", "steps", "icicle")]
    there = [place for place in order if place >= 0]
    equal(there, sorted(there), f"{where}: waterfall, timeline, tree")
    tables = page.find('<table class="rows"')
    check(all(place < tables for place in there if tables >= 0), f"{where}: tables last")
    timeline = diff["timeline"]
    if timeline and timeline["parts"]:
        change = timeline["candidate"]["typical_ns"] - timeline["baseline"]["typical_ns"]
        equal(sum(part["delta_ns"] for part in timeline["parts"]), change, f"{where}: parts of the step")
    for side in (timeline or {}).get("baseline"), (timeline or {}).get("candidate"):
        if side:
            streams = [lane for lane in side["lanes"] if lane["kind"] == "stream"]
            equal(sum(block[4] for lane in streams for block in lane["blocks"]), side["operations"], f"{where}: every operation is in a block")
            check(sum(len(lane["blocks"]) for lane in side["lanes"]) <= 2000, f"{where}: blocks are bounded")
            equal(sum(gap["duration_ns"] for gap in side["gaps"]) + side["short_gaps_ns"], side["idle_ns"], f"{where}: gaps are the idle time")
    if BROWSER:
        browse(root.path, page, where)
    return diff, page, "\n".join(short)
