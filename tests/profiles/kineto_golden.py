#!/usr/bin/env python3
"""Figures of Kineto traces by other means than the reader's: Python's json, and integers only. Prints one line per file:
kernels, their total ns, distinct names, copies, copied bytes, memsets, API calls, first start and last end of GPU work in ns,
ranges.
Usage: kineto_golden.py TRACE.json[.gz]...   (the constants in kineto_samples.cpp come from here)"""
import gzip
import json
import sys
from decimal import Decimal


def nanoseconds(number):
    return int((Decimal(number) * 1000).to_integral_value(rounding="ROUND_HALF_UP"))


for path in sys.argv[1:]:
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        trace = json.load(file, parse_float=str, parse_int=str, strict=False)
    kernels, names, copies, copied, sets, calls, ranges = 0, {}, 0, 0, 0, 0, 0
    first, last = None, None
    for event in trace["traceEvents"]:
        category = event.get("cat")
        if event.get("ph") != "X":
            continue
        if category in ("kernel", "gpu_memcpy", "gpu_memset"):
            start, length = nanoseconds(event["ts"]), nanoseconds(event["dur"])
            first = start if first is None else min(first, start)
            last = start + length if last is None else max(last, start + length)
        if category == "kernel":
            kernels += 1
            names[event["name"]] = names.get(event["name"], 0) + length
        elif category == "gpu_memcpy":
            copies += 1
            copied += int(event["args"]["bytes"])
        elif category == "gpu_memset":
            sets += 1
        elif category in ("cuda_runtime", "cuda_driver"):
            calls += 1
        elif category in ("cpu_op", "user_annotation"):
            ranges += 1
    print(path.split("/")[-1], kernels, sum(names.values()), len(names), copies, copied, sets, calls, first, last, ranges)
