#!/usr/bin/env python3
"""divan: a tree of benchmarks; times in ns. Lines of throughput stand under their benchmark and have no name."""
import re
import textwrap

from rows import emit, text

FACTORS = {"ps": 1e-3, "ns": 1, "µs": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9}
names = []
columns = ("fastest", "slowest", "median", "mean")
for line in textwrap.dedent(text()).splitlines():
    found = re.fullmatch(r"((?:│  |   )*)[├╰]─ (.*?)\s+((?:[\d.]+ \S+)?)\s*│(.*)", line)
    root = re.match(r"(\S+)\s+fastest\s+│ slowest", line)
    if root:
        names = [root.group(1)]
    elif found:
        depth = len(found.group(1)) // 3 + 1
        names = names[:depth] + [found.group(2)]
        cells = [found.group(3)] + [cell.strip() for cell in found.group(4).split("│")]
        for column, cell in zip(columns, cells):
            if value := re.fullmatch(r"([\d.]+) (\S+)", cell):
                emit("/".join(names), column, "ns", float(value.group(1)) * FACTORS[value.group(2)])
