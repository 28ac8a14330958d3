#!/usr/bin/env python3
"""The page of every kind of bundle, opened as its reader does: in a browser, on a telephone and on a wide screen, in light and dark,
with scripts and without, and on paper."""
import base64
import hashlib
import re
import shutil
import tempfile
from pathlib import Path

import browser
import bundles
from harness import Root, check, equal, finish

# What a page may weigh; one of a thousand rows 300 KB.
LIMITS = {"rows-1k": 300_000, "rows-100k": 300_000, "two-gpus": 400_000}
# What must stand in the title of the window and in the answer.
SAYS = {"scalar": ("RED · serving / decode-throughput", "decode-throughput"), "trials": ("RED · serving / model-8b", "regressed"),
        "matrix": ("RED · node17 / nvbandwidth", "col=5"), "sweep": ("YELLOW · nccl / all_reduce", "64 MiB"),
        "suite": ("RED · adhoc / suite: base → new", "qwen-14b/h200"), "profile": ("RED · main.json → loader-change.json", "data loading"),
        "rows-1k": ("RED · adhoc / csv: ops.csv → ops-now.csv", "regressed"), "outliers": ("RED · adhoc / outliers: 12 nodes", "rack1-n07")}
# What a page draws: a piece of its markup, and how often at least.
DRAWS = {"scalar": (('class="dots"', 1), ('class="change"', 1), ('class="this"', 1), ('class="now ring"', 1)),
         "trials": (('class="plot"', 4), ('class="trial"', 50), ('trial-now', 50), ('class="whisker"', 3), ('class="band"', 3)),
         "matrix": (('class="heat"', 3), (' part"', 7), ('class="v5"', 40)),
         "sweep": (('class="ceiling"', 2), ('class="line-was"', 4), ('class="sol"', 8), ('class="change"', 0)),
         "suite": (('class="cases"', 2), ('class="num h-bad"', 6)), "profile": (('class="fall"', 1), ('class="steps"', 1)),
         "rows-1k": (('class="plot"', 6), ('class="dots"', 20)), "rows-100k": (('class="dots"', 20),), "outliers": (('d-bad3', 2),)}


def make(folder):
    """Name to page; those whose samples are absent are left out."""
    pages = {}
    for name, build in bundles.ALL.items():
        with Root() as root:
            result = build(root)
            if result is not None:
                pages[name] = Path(shutil.copy(bundles.page_of(result), folder / f"{name}.html"))
    return pages


def look_at_text(name, page):
    text = page.read_text()
    equal(text.count("<script"), 1, f"{name}: scripts")
    script = re.search(r"<script>(.*?)</script>", text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    check(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text, f"{name}: its policy names its script by its digest, {digest}")
    check(not re.search(r"(?:src|href)\s*=|url\((?!#)|@import|https?://", text), f"{name}: it asks for something")
    limit = LIMITS.get(name, 250_000)
    check(page.stat().st_size <= limit, f"{name}: {page.stat().st_size} bytes, may have {limit}")
    for piece, least in DRAWS.get(name, ()):
        check(text.count(piece) >= least, f"{name}: {piece} {text.count(piece)} times, wanted {least}")
    print(f"{name}: {page.stat().st_size} bytes")


def look_at_view(where, view):
    for state, seen in (("", view["measures"]), (", all unfolded", view["opened"])):
        check(seen["smallest"] is None or seen["smallest"] >= 9, f"{where}{state}: a text of a figure has {seen['smallest']} px")
        check(seen["sideways"] <= 0, f"{where}{state}: scrolls sideways by {seen['sideways']} px")
        equal(seen["wide"], [], f"{where}{state}: wider than the screen")
        equal(seen["covered"], [], f"{where}{state}: texts that cover each other")
        equal(seen["figures"], 0, f"{where}{state}: figures without words for those who cannot see them")
    check(view["measures"]["used"] >= 0.9 * view["width"], f"{where}: uses {view['measures']['used']} of {view['width']} px")
    equal(view["findings"], [], where)


def look_at_page(name, seen):
    reader = seen["reader"]
    equal(reader["findings"], [], f"{name}, under its policy")
    if reader["said"] is not None:
        equal({what for what, works in reader["said"].items() if not works}, set(), f"{name}: tools of the rows that do not work")
    for view in seen["views"]:
        look_at_view(f"{name} at {view['width']} {view['scheme']}", view)
    equal(seen["plain"]["findings"], [], f"{name}, without scripts")
    check(seen["plain"]["verdict"] is not None and seen["plain"]["words"] > 60 and seen["plain"]["pictures"] >= 1, f"{name}, without scripts: {seen['plain']}")
    measures = seen["views"][0]["measures"]
    title, answer = SAYS.get(name, ("", ""))
    check(measures["title"].startswith(title), f"{name}: titled {measures['title']!r}, wanted {title!r}")
    check(answer in measures["h1"], f"{name}: answers {measures['h1']!r}")
    if name in ("rows-1k", "rows-100k"):
        equal(measures["rows"], 1000, f"{name}: rows on the page")


modules = browser.packages()
with tempfile.TemporaryDirectory() as folder:
    pages = make(Path(folder))
    for name, page in pages.items():
        look_at_text(name, page)
    check("1,000 of 100,000 rows, worst first" in pages["rows-100k"].read_text(), "what is left out is counted")
    for name, seen in zip(pages, browser.look(modules, pages.values())):
        look_at_page(name, seen)

finish()
