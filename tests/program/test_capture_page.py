#!/usr/bin/env python3
"""What a reader of two captures gets: a page that opens with the answer, and diff.md on one screen. Built of small captures whose
truth is known, of hostile names, and of samples where they are; looked at by an XML parser and, where there is one, by a browser."""
import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

import jsonschema

from harness import SAMPLES, SOURCE, Root, check, equal, finish

SCHEMA = jsonschema.Draft7Validator(json.loads((SOURCE / "schemas" / "plumbline.profile-diff.v1.json").read_text()))
SCRIPT = "<script>alert(1)</script>"
BROWSER = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
PAIRS = (("nsys/mfu_2gpu_before.sqlite", "nsys/mfu_2gpu_after.sqlite"), ("kineto/control.json.gz", "kineto/test.json.gz"),
         ("tracelens/h100", "tracelens/mi300"), ("nsys-stats-csv/before_cuda_gpu_kern_sum.csv", "nsys-stats-csv/after_cuda_gpu_kern_sum.csv"))


def loading(load_us, kernels=("gemm", "flash_fwd_kernel"), loader="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", steps=6, many=1):
    """A capture of steps in which the GPU waits `load_us` for the next batch and then runs each kernel `many` times for 100 us."""
    events, at, correlation = [], 1000.0, 0

    def add(cat, name, ts, dur, tid=200, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 100 if tid == 200 else 0, "tid": tid, "ts": ts, "dur": dur, "args": args})

    for step in range(steps + 1):
        begin = at
        for kernel in kernels * many:
            correlation += 1
            add("cuda_runtime", "cudaLaunchKernel", at, 2, correlation=correlation)
            add("kernel", kernel, at + 3, 100, tid=7, device=0, context=1, stream=7, grid=[8, 1, 1], block=[128, 1, 1], correlation=correlation)
            at += 103
        add("user_annotation", loader, at + 1, load_us)
        at += load_us + 2
        add("user_annotation", f"ProfilerStep#{step}", begin, at - begin)
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}]}
    return json.dumps({**head, "traceEvents": events})


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
    check(short[0].startswith("# Performance baseline diff: ") and short[-1].startswith("GREEN means"), f"{where}: diff.md begins and ends as ever")
    check(f"- Verdict: **{result['verdict']}**" in short, f"{where}: diff.md has its verdict")

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
    check(all(place < page.find("<table") for place in there), f"{where}: tables last")
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


with Root() as root:
    slow, quick = root.write("slow.json", loading(900)), root.write("quick.json", loading(100))
    diff, page, short = look(root, root.json("profile-diff", quick, slow), "a slow loader")
    headline = re.search(r"<h1>(.*?)</h1>", page)[1]
    check("data loading" in headline and "800 us more" in headline, f"the headline names the cause: {headline}")
    check("quick.json" in page and "slow.json" in page, "and the captures")
    equal(diff["timeline"]["parts"][0], {"kind": "idle", "name": "data_loading: enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                         "baseline_ns": 100_000, "candidate_ns": 900_000, "delta_ns": 800_000}, "the part")
    check("data loading" in short and "+800 us" in short, "diff.md says so, too")
    table = root.run("profile-diff", quick, slow).stdout
    check("data_loading: enumerate(DataLoader)" in table, "so does the terminal, in whole words")

    # Hostile and long names, many of them, many findings.
    hostile = tuple(f"{SCRIPT}]]>&quot;\"'<svg onload=x> {'k' * 3000} {i}" for i in range(40))
    one = root.write("one.json", loading(300, hostile, loader=f"DataLoader {SCRIPT} --> ]]>", many=20))
    two = root.write("two.json", loading(3000, hostile[20:], loader=f"DataLoader {SCRIPT} --> ]]>", many=40))
    _, page, short = look(root, root.json("profile-diff", one, two), "hostile names")
    check("<script>alert" not in page and "<svg onload" not in page, "names are no markup")

    # Several captures a side, and a comparison through `diff`.
    for number, load in enumerate((100, 110, 120, 900, 910, 920)):
        root.write(f"trial{number}.json", loading(load))
    trials = [str(root.path / f"trial{number}.json") for number in range(6)]
    look(root, root.json("profile-diff", "--baseline", *trials[:3], "--candidate", *trials[3:]), "three a side")
    look(root, root.diff(trials[0], trials[3], "--out", root.path / "out"), "through diff")

    for left, right in PAIRS:
        pair = [SAMPLES / "profiles" / name for name in (left, right)]
        if all(path.exists() for path in pair):
            look(root, root.json("profile-diff", *pair), left)

finish()
