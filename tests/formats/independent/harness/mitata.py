#!/usr/bin/env python3
"""mitata: averages and the bounds beside or under them, in ns; both the table of 0.x (and Deno) and that of 1.x."""
import re

from rows import emit, lines

FACTORS = {"ps": 1e-3, "ns": 1, "µs": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9}
TIME = r"([\d.,]+) (ps|ns|µs|us|ms|s)"


def nanoseconds(value, unit):
    return float(value.replace(",", "")) * FACTORS[unit]


name, order = "", ("p75", "p99", "p99.5")
for line in lines():
    if line.startswith("benchmark "):
        order = [name.replace("p995", "p99.5") for name in line.split(")")[-1].split()]
    elif found := re.match(rf"(\S.*?)\s+{TIME}/iter(.*)", line):
        name = found.group(1)
        emit(name, "avg", "ns", nanoseconds(found.group(2), found.group(3)))
        bounds = re.match(rf"\s+\(\s*{TIME} … {TIME}\)\s+{TIME}\s+{TIME}\s+{TIME}", found.group(4))
        if bounds:
            values = bounds.groups()
            for i, statistic in enumerate(("min", "max", *order[:3])):
                emit(name, statistic, "ns", nanoseconds(values[2 * i], values[2 * i + 1]))
        elif found := re.match(rf"\s+{TIME}", found.group(4)):
            emit(name, "p75", "ns", nanoseconds(*found.groups()))
    elif name and (found := re.match(rf"\s+\(\s*{TIME} … +{TIME}\)\s+{TIME}", line)):
        values = found.groups()
        for i, statistic in enumerate(("min", "max", "p99")):
            emit(name, statistic, "ns", nanoseconds(values[2 * i], values[2 * i + 1]))
