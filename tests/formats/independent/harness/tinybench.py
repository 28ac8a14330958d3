#!/usr/bin/env python3
"""tinybench: console.table(bench.table()) of versions 2 and 3."""
import re

from rows import emit, lines, number

header = []
for line in lines():
    cells = [cell.strip().strip("'") for cell in line.strip().strip("│").split("│")]
    if "Task name" in cells or "Task Name" in cells:
        header = cells
    elif header and len(cells) == len(header):
        row = dict(zip(header, cells))
        name = row.get("Task name") or row.get("Task Name")
        for column, cell in row.items():
            if found := re.fullmatch(r"(Latency|Throughput) (avg|med|average|median) \((.+)\)", column):
                emit(name, f"{found.group(1).lower()}.{found.group(2)[:3]}", found.group(3), number(cell))
            elif column in ("ops/sec", "Average Time (ns)"):
                emit(name, *(("throughput.avg", "ops/s") if column == "ops/sec" else ("latency.avg", "ns")), number(cell))
