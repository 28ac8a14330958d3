#!/usr/bin/env python3
"""HPC Challenge: the rates and latencies of its summary section."""
import re

from rows import NUMBER, emit, lines

UNITS = (("_Tflops", "Tflop/s"), ("_Gflops", "Gflop/s"), ("_GUPs", "GUP/s"), ("_GBs", "GB/s"), ("GBytes", "GB/s"), ("_usec", "us"))
inside = False
for line in lines():
    if "section." in line:
        inside = line.startswith("Begin of Summary")
    elif inside and (found := re.fullmatch(rf"(\w+)=({NUMBER})\s*", line)):
        unit = next((unit for end, unit in UNITS if found.group(1).endswith(end)), "")
        if unit:
            emit("", found.group(1), unit, float(found.group(2)))
