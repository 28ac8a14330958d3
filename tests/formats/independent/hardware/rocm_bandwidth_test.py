#!/usr/bin/env python3
"""rocm-bandwidth-test: its matrices of copy bandwidths between devices."""
import re

from rows import emit, lines, number, point

matrix, devices = "", []
for line in lines():
    words = line.split()
    if found := re.match(r"\s*(Unidirectional|Bidirectional) (?:copy|Peak)", line):
        matrix = found.group(1).lower()
    elif line.strip().startswith("Inter-Device"):
        matrix = ""
    elif words[:1] == ["D/D"]:
        devices = words[1:]
    elif matrix and devices and len(words) == len(devices) + 1 and words[0].isdigit():
        for to, value in zip(devices, words[1:]):
            emit(point(matrix, **{"src": words[0], "dst": to}), "bandwidth", "GB/s", number(value))
