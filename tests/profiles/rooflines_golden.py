#!/usr/bin/env python3
"""Work of GEMMs and attention in Kineto traces by other means than the reader's: Python's json, every kernel looked up through
its launch, every operator tried. Prints op, shape, dtype, calls, total ns, TFLOP per call, TFLOP/s; most time first. The
constants in rooflines_samples.cpp come from here. Usage: rooflines_golden.py TRACE.json.gz..."""
import gzip
import json
import sys
from collections import defaultdict
from decimal import Decimal
from math import prod

NAMES = {"c10::BFloat16": "bf16", "c10::Half": "fp16", "float": "float", "double": "fp64"}


def ns(number):
    return int((Decimal(number) * 1000).to_integral_value(rounding="ROUND_HALF_UP"))


def gemm(a, b):
    return "x".join("[" + ",".join(map(str, m)) + "]" for m in (a, b)), 2 * prod(a) * b[-1]


def work(name, args):
    dims, values = args["Input Dims"], args.get("Concrete Inputs", [])
    if name in ("aten::mm", "aten::bmm"):
        return gemm(dims[0], dims[1])
    if name in ("aten::addmm", "aten::baddbmm"):
        return gemm(dims[1], dims[2])
    if name == "aten::linear":
        return gemm(dims[0], dims[1][::-1])
    if name == "aten::_flash_attention_forward" and not dims[3]:
        batch, length, heads, depth = dims[0]
        causal = values[8] == "True"
        return (f"B{batch} H{heads} S{length} D{depth}" + " causal" * causal,
                4 * batch * heads * length**2 * depth / (2 if causal else 1))
    return None


for path in sys.argv[1:]:
    with gzip.open(path, "rt") as file:
        events = json.load(file, parse_float=str, strict=False)["traceEvents"]
    launches, calls = {}, defaultdict(list)
    for event in events:
        args = event.get("args", {})
        if event.get("cat") in ("cuda_runtime", "cuda_driver"):
            launches.setdefault(args.get("correlation"), (event["tid"], ns(event["ts"])))
        if event.get("cat") == "cpu_op" and args.get("Input Dims") and work(event["name"], args):
            start = ns(event["ts"])
            calls[event["tid"]].append((start, start + ns(event["dur"]), event["name"], args))
    rows, seen = defaultdict(lambda: [0, 0, 0]), set()
    for event in events:
        if event.get("cat") != "kernel" or event["args"].get("correlation") not in launches:
            continue
        thread, at = launches[event["args"]["correlation"]]
        around = [call for call in calls[thread] if call[0] <= at <= call[1]]
        if not around:
            continue
        inner = max(around, key=lambda call: (call[0], -call[1]))
        shape, flops = work(inner[2], inner[3])
        first = 1 if inner[2] in ("aten::addmm", "aten::baddbmm") else 0
        row = rows[inner[2], shape, NAMES[inner[3]["Input type"][first]]]
        row[0] += (thread, inner[0]) not in seen
        seen.add((thread, inner[0]))
        row[1] += ns(event["dur"])
        row[2] = flops
    print(path.split("/")[-1], len(rows))
    for key, (count, total, flops) in sorted(rows.items(), key=lambda item: -item[1][1]):
        print("  ", *key, count, total, f"{flops:.0f}", f"{flops * count / total / 1e3:.3f}")
