#!/usr/bin/env python3
"""The page of every kind of bundle, opened as its reader does: in a browser, on a telephone and on a wide screen, in light and dark,
with scripts and without, and on paper."""
import shutil
import tempfile
from pathlib import Path

import browser
import bundles
from harness import Root, check, equal, finish

# What must stand in the title of the window and in the answer.
SAYS = {"scalar": ("RED · serving / decode-throughput", "decode-throughput"), "trials": ("RED · serving / model-8b", "regressed"),
        "matrix": ("RED · node17 / nvbandwidth", "col=5"), "sweep": ("YELLOW · nccl / all_reduce", "64 MiB"),
        "suite": ("RED · adhoc / suite: base → new", "qwen-14b/h200"), "profile": ("RED · main.json → loader-change.json", "data loading"),
        "rows-1k": ("RED · adhoc / csv: ops.csv → ops-now.csv", "regressed"), "outliers": ("RED · adhoc / outliers: 12 nodes", "rack1-n07")}


def make(folder):
    """Name to page; those whose samples are absent are left out."""
    pages = {}
    for name, build in bundles.ALL.items():
        with Root() as root:
            result = build(root)
            if result is not None:
                pages[name] = Path(shutil.copy(bundles.page_of(result), folder / f"{name}.html"))
    return pages


def look_at_view(where, view):
    for state, seen in (("", view["measures"]), (", all unfolded", view["opened"])):
        check(seen["smallest"] is None or seen["smallest"] >= 9, f"{where}{state}: a text of a figure has {seen['smallest']} px")
        check(seen["sideways"] <= 0, f"{where}{state}: scrolls sideways by {seen['sideways']} px")
        equal(seen["wide"], [], f"{where}{state}: wider than the screen")
        equal(seen["covered"], [], f"{where}{state}: texts that cover each other")
        equal(seen["figures"], 0, f"{where}{state}: figures without words for those who cannot see them")
    check(view["measures"]["used"] >= 0.9 * view["width"], f"{where}: uses {view['measures']['used']} of {view['width']} px")


def look_at_page(name, seen):
    reader = seen["reader"]
    equal(reader["findings"], [], f"{name}, under its policy")
    if reader["said"] is not None:
        equal({what for what, works in reader["said"].items() if not works}, set(), f"{name}: tools of the rows that do not work")
    equal(seen["around"]["findings"], [], f"{name}, looked at by axe")
    for view in seen["around"]["views"]:
        look_at_view(f"{name} at {view['width']}", view)
    equal(seen["plain"]["findings"], [], f"{name}, without scripts")
    check(seen["plain"]["verdict"] is not None and seen["plain"]["words"] > 60 and seen["plain"]["pictures"] >= 1, f"{name}, without scripts: {seen['plain']}")
    measures = seen["around"]["views"][0]["measures"]
    title, answer = SAYS.get(name, ("", ""))
    check(measures["title"].startswith(title), f"{name}: titled {measures['title']!r}, wanted {title!r}")
    check(answer in measures["h1"], f"{name}: answers {measures['h1']!r}")
    if name in ("rows-1k", "rows-100k"):
        equal(measures["rows"], 1000, f"{name}: rows on the page")


modules = browser.packages()
with tempfile.TemporaryDirectory() as folder:
    pages = make(Path(folder))
    for name, seen in zip(pages, browser.look(modules, pages.values())):
        look_at_page(name, seen)

finish()
