#!/usr/bin/env python3
"""7z b: rows of a dictionary size, their average and the total."""
import re

from rows import emit, lines, point

for line in lines():
    if found := re.match(r"(\d+):((?:\s+\d+){4})\s+\|((?:\s+\d+){4})\s*$", line):
        for way, part in (("compressing", found.group(2)), ("decompressing", found.group(3))):
            for metric, unit, value in zip(("speed", "usage", "rating_per_usage", "rating"), ("KiB/s", "%", "MIPS", "MIPS"), part.split()):
                emit(point(way, dict=found.group(1)), metric, unit, float(value))
    elif found := re.match(r"Avr:((?:\s+\d+)+)\s+\|((?:\s+\d+)+)\s*$", line):
        for way, part in (("compressing", found.group(1)), ("decompressing", found.group(2))):
            for metric, unit, value in zip(("usage", "rating_per_usage", "rating"), ("%", "MIPS", "MIPS"), part.split()[-3:]):
                emit(way, metric, unit, float(value))
    elif found := re.match(r"Tot:\s+(\d+)\s+(\d+)\s+(\d+)\s*$", line):
        for metric, unit, value in zip(("usage", "rating_per_usage", "rating"), ("%", "MIPS", "MIPS"), found.groups()):
            emit("", metric, unit, float(value))
