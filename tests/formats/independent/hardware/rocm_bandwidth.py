#!/usr/bin/env python3
"""The bandwidth test of ROCm's samples: a row a size, of which the median counts. Sizes too small to time print zeros."""
import re

from rows import NUMBER, emit, lines, point

for line in lines():
    found = re.fullmatch(rf"\s*(\S+)\s+(\S*(?:By|kB|MB))\s+(\S+)\s+((?:{NUMBER}\s*){{5}})", line)
    if not found:
        continue
    test, size, unit = found.group(1), found.group(2), found.group(3)
    for statistic, value in zip(("median", "mean", "sd", "min", "max"), found.group(4).split()):
        name, unit = ("time", "ms") if unit == "ms" else ("bandwidth", "GB/s")
        emit(point(test, size=size), name if statistic == "median" else f"{name}_{statistic}", unit, float(value))
