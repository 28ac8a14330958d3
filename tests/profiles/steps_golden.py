#!/usr/bin/env python3
"""Steps of a Kineto trace, by json and integers: the figures in step_samples.cpp come from here.

A step lasts from the first GPU operation whose launching call began during its ProfilerStep range to the next step's; each
nanosecond of it is compute, else communication, else copy, else idle. Prints wall, compute, communication, copies, idle and
the number of kernels of every step but the first and the last; then the whole device's split of idle time.
"""
import bisect
import gzip
import json
import sys

WAITS = ("Synchronize",)


def nanoseconds(text):
    return round(float(text) * 1000) if isinstance(text, float) else int(text) * 1000


def cover(intervals, start, end):
    """Union of intervals inside [start, end), as a list of disjoint ones."""
    out = []
    for s, e in sorted(intervals):
        s, e = max(s, start), min(e, end)
        if s >= e:
            continue
        if out and s <= out[-1][1]:
            out[-1][1] = max(out[-1][1], e)
        else:
            out.append([s, e])
    return out


def length(intervals):
    return sum(e - s for s, e in intervals)


def main(path):
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    calls, ops, steps, waits = {}, [], [], {}
    for event in events:
        if event.get("ph") != "X":
            continue
        start, duration = nanoseconds(event["ts"]), nanoseconds(event.get("dur", 0))
        category = event.get("cat")
        args = event.get("args", {})
        if category in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(args.get("correlation"), (start, start + duration, event["tid"]))
            name = event["name"]
            if any(word in name for word in WAITS) or (name.startswith("cudaMemcpy") and "Async" not in name):
                waits.setdefault(event["tid"], []).append((start, start + duration))
        elif category in ("kernel", "gpu_memcpy", "gpu_memset"):
            kind = "copy" if category != "kernel" else "comm" if event["name"].startswith("nccl") else "compute"
            pageable = "Pageable" in event["name"]
            ops.append((start, start + duration, kind, args.get("correlation"), pageable))
        elif category == "user_annotation" and event["name"].startswith("ProfilerStep#"):
            steps.append((start, start + duration))
    for start, end, kind, correlation, pageable in ops:
        if kind == "copy" and pageable and correlation in calls:
            s, e, tid = calls[correlation]
            waits.setdefault(tid, []).append((s, e))
    ops.sort(key=lambda op: op[0])
    steps.sort()
    begins = []
    for s, e in steps:
        inside = [op[0] for op in ops if op[3] in calls and s <= calls[op[3]][0] < e]
        begins.append(min(inside))
    for begin, end in list(zip(begins, begins[1:]))[1:]:
        near = [op for op in ops if op[0] < end and op[1] > begin]
        compute = length(cover([op[:2] for op in near if op[2] == "compute"], begin, end))
        upper = length(cover([op[:2] for op in near if op[2] != "copy"], begin, end))
        busy = length(cover([op[:2] for op in near], begin, end))
        kernels = sum(1 for op in ops if begin <= op[0] < end and op[2] != "copy")
        print(f"{{{end - begin}, {compute}, {upper - compute}, {busy - upper}, {end - begin - busy}, {kernels}}},")
    first, last = ops[0][0], max(op[1] for op in ops)
    busy = cover([op[:2] for op in ops], first, last)
    unions = {tid: cover(list_, first, last) for tid, list_ in waits.items()}
    starts = [op[0] for op in ops]
    host = sync = launch = other = 0
    for (_, gap), (end, _) in zip(busy, busy[1:]):
        # The first operation that starts after the gap began; at its end.
        op = ops[bisect.bisect_left(starts, end)]
        if op[3] not in calls:
            other += end - gap
            continue
        called, _, tid = calls[op[3]]
        called = min(max(called, gap), end)
        waited = length([(max(s, gap), min(e, called)) for s, e in unions.get(tid, []) if min(e, called) > max(s, gap)])
        sync += waited
        host += called - gap - waited
        launch += end - called
    print(f"{{{host}, {sync}, {launch}, {other}}}")


if __name__ == "__main__":
    main(sys.argv[1])
