#!/usr/bin/env python3
"""What a reader of two captures gets: a page that opens with the answer, and diff.md on one screen. Built of small captures whose
truth is known, and of hostile names."""
import json
import re

from capture_page import look
from harness import Root, check, equal, finish

SCRIPT = "<script>alert(1)</script>"


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


with Root() as root:
    slow, quick = root.write("slow.json", loading(900)), root.write("quick.json", loading(100))
    diff, page, short = look(root, root.json("profile-diff", quick, slow), "a slow loader")
    headline = re.search(r"<h1>(.*?)</h1>", page)[1]
    check("data loading" in headline and "800 us more" in headline, f"the headline names the cause: {headline}")
    check("quick.json" in page and "slow.json" in page, "and the captures")
    equal(diff["timeline"]["parts"][0], {"kind": "idle", "name": "data_loading: enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                                         "baseline_ns": 100_000, "candidate_ns": 900_000, "delta_ns": 800_000}, "the part")
    check("data loading" in short and "+800 us" in short, "diff.md says so, too")
    table = root.run("profile-diff", quick, slow, env={"COLUMNS": "100"}).stdout
    check("waits for data loading (enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__)" in table, "so does the terminal, in whole words")

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

finish()
