#!/usr/bin/env python3
"""asv run: a line a benchmark, below its environment."""
import re

from rows import emit, lines, number, point

environment = ""
for line in lines():
    if found := re.search("·· Benchmarking (.*)$", line):
        environment = found.group(1)
    elif found := re.match(r"\[\s*[\d.]+%\] ·+ ([\w.]+\.(\w+))\s+([\d.]+)(?:±([\d.]+))?(\S*)$", line):
        name, last, value, spread, unit = found.groups()
        key = point(name, environment=environment)
        if last.startswith(("mem_", "peakmem_")):
            emit(key, "memory", "B", float(value) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit])
        else:
            emit(key, "time" if last.startswith("time") else "value", unit, float(value))
            emit(key, "spread", unit, number(spread))
