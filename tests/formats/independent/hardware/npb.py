#!/usr/bin/env python3
"""NAS parallel benchmarks: a block behind "XX Benchmark Completed"."""
import re

from rows import emit, lines, number, point

name, block = "", {}


def finish():
    if not block:
        return
    key = point(name, **{"class": block.get("Class")})
    emit(key, "mops_total", "Mop/s", number(block.get("Mop/s total", "")))
    for part in ("process", "thread"):
        emit(key, "mops_per_" + part, "Mop/s/" + part, number(block.get("Mop/s/" + part, "")))
    emit(key, "time", "s", number(block.get("Time in seconds", "")))
    if "Verification" in block:
        emit(key, "verification", "", float(block["Verification"] == "SUCCESSFUL"))
    block.clear()


for line in lines():
    if found := re.match(r"\s*(\S+) Benchmark Completed", line):
        finish()
        name = found.group(1)
    elif name and (found := re.match(r"\s*(\S[^=]*?)\s*=\s+(\S.*?)\s*$", line)):
        block.setdefault(found.group(1), found.group(2))
finish()
