#!/usr/bin/env python3
"""Kernel time by path of ranges in Kineto traces, by other means than the sweep: for every range instance the kernels whose launch
began inside it on its thread are summed by bisection over prefix sums, whatever lies between; its path is found by walking up from
the latest earlier range that is still open. Prints the paths with the most kernel time, and a check sum over all.
Usage: ranges_golden.py TRACE.json[.gz]...   (the constants in range_samples.cpp come from here)"""
import bisect
import gzip
import json
import re
import sys
from collections import defaultdict
from decimal import Decimal


def nanoseconds(number):
    return int((Decimal(number) * 1000).to_integral_value(rounding="ROUND_HALF_UP"))


def canonical(name):
    """Enough of the canonical names for these traces: running numbers behind ProfilerStep# and of modules."""
    name = re.sub(r"^nn\.Module: (\w+?_)\d+$", r"\1#", name)
    return re.sub(r"ProfilerStep#\d+", "ProfilerStep#", name)


for path in sys.argv[1:]:
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        trace = json.load(file, parse_float=str, parse_int=str, strict=False)
    launches, kernels, ranges = {}, [], defaultdict(list)
    for event in trace["traceEvents"]:
        if event.get("ph") != "X":
            continue
        category = event.get("cat")
        if category in ("cuda_runtime", "cuda_driver"):
            start = nanoseconds(event["ts"])
            key = event["args"].get("correlation")
            if key not in launches or start < launches[key][0]:
                launches[key] = (start, event["tid"])
        elif category == "kernel":
            kernels.append((event["args"].get("correlation"), nanoseconds(event["dur"])))
        elif category in ("cpu_op", "user_annotation") or (
            category == "python_function" and event["name"].startswith("nn.Module: ")
        ):
            ranges[event["tid"]].append((nanoseconds(event["ts"]), nanoseconds(event["dur"]), canonical(event["name"])))
    by_thread = defaultdict(list)
    outside, total = 0, 0
    for key, length in kernels:
        total += length
        if key in launches:
            by_thread[launches[key][1]].append((launches[key][0], length))
        else:
            outside += length
    paths = defaultdict(lambda: [0, 0, 0])  # count, kernels, ns
    for thread, list_ in ranges.items():
        list_.sort(key=lambda r: (r[0], -r[1]))
        calls = sorted(by_thread[thread])
        starts = [c[0] for c in calls]
        sums = [0]
        for call in calls:
            sums.append(sums[-1] + call[1])
        named = []
        for start, length, name in list_:
            above = next((n for n in reversed(named) if n[1] > start), None)
            named.append((start, start + length, (above[2] + " / " if above else "") + name))
            low, high = bisect.bisect_left(starts, start), bisect.bisect_left(starts, start + length)
            entry = paths[named[-1][2]]
            entry[0] += 1
            entry[1] += high - low
            entry[2] += sums[high] - sums[low]
            if len(named) > 400:
                named = [n for n in named if n[1] > start]
    print(path.rsplit("/", 1)[-1], len(kernels), total, "paths", len(paths), "sum", sum(p[2] for p in paths.values()))
    for name, (count, kernel_count, time) in sorted(paths.items(), key=lambda p: (-p[1][2], p[0]))[:9]:
        print(f"  {count} {kernel_count} {time} {name}")
