#!/usr/bin/env python3
"""The pages of bundles of every kind as files: what they weigh, what they draw, and that they ask for nothing. test_pages.py opens
the same in a browser."""
import base64
import hashlib
import re

import bundles
from harness import Root, check, equal, finish

# What a page may weigh; one of a thousand rows 300 KB.
LIMITS = {"rows-1k": 300_000, "rows-100k": 300_000, "two-gpus": 400_000}
# What a page draws: a piece of its markup, and how often at least.
DRAWS = {"scalar": (('class="dots"', 1), ('class="change"', 1), ('class="this bad"', 1), ('class="now ring"', 1)),
         "trials": (('class="plot"', 4), ('class="trial"', 50), ('trial-now', 50), ('class="whisker"', 3), ('class="band"', 3)),
         "matrix": (('class="heat"', 3), (' part"', 7), ('class="v5"', 40)),
         "sweep": (('class="ceiling"', 2), ('class="line-was"', 4), ('class="sol"', 8), ('class="change"', 0)),
         "suite": (('class="cases"', 2), ('class="num h-bad"', 6)), "profile": (('class="fall"', 1), ('class="steps"', 1)),
         "rows-1k": (('class="plot"', 6), ('class="dots"', 20)), "rows-100k": (('class="dots"', 20),), "outliers": (('d-bad3', 2),)}


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
    if name == "rows-100k":
        check("1,000 of 100,000 rows, worst first" in text, "what is left out is counted")
    print(f"{name}: {page.stat().st_size} bytes")


for name, build in bundles.ALL.items():
    with Root() as root:
        result = build(root)
        if result is not None:
            look_at_text(name, bundles.page_of(result))

finish()
