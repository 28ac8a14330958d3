#!/usr/bin/env python3
"""CoreMark's report."""
import re

from rows import NUMBER, emit, lines

NAMES = {"Iterations/Sec": ("iterations_per_second", "iterations/s"), "Total time (secs)": ("total_time", "s"),
         "Iterations": ("iterations", ""), "Total ticks": ("total_ticks", "")}
for line in lines():
    found = re.match(rf"\s*(\S[^:]*?)\s*:\s*({NUMBER})(?=\s|$)", line)
    if found and found.group(1) in NAMES:
        emit("", *NAMES[found.group(1)], float(found.group(2)))
