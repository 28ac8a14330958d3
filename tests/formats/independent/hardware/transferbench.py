#!/usr/bin/env python3
"""TransferBench: bandwidths and times of the executors and transfers of each test."""
import re

from rows import NUMBER, emit, lines, point

test = executor = ""
for line in lines():
    if found := re.match(r"Test (\d+):", line):
        test = found.group(1)
    elif found := re.match(rf"\s*(Executor: (\w+ \d+)|Transfer (\d+)|Aggregate \(CPU\))\s*\|\s*({NUMBER}) GB/s \|\s*({NUMBER}) ms \|", line):
        executor = found.group(2) or executor
        kind = "executor" if found.group(2) else "transfer" if found.group(3) else "aggregate"
        dims = {"test": test, "executor": executor if kind == "executor" else None, "transfer": found.group(3)}
        emit(point(kind, **dims), "bandwidth", "GB/s", float(found.group(4)))
        emit(point(kind, **dims), "time", "ms", float(found.group(5)))
