#!/usr/bin/env python3
"""nvidia-smi --query-gpu=… --format=csv: every figure of a card, in the order of time."""
import csv
import re

from rows import emit, lines, number, point

LEFT_OUT = ("timestamp", "name", "index", "gpu", "uuid", "pci.bus_id", "gpu_uuid", "gpu_name", "pstate", "driver_version", "serial")
header, *table = [[cell.strip() for cell in row] for row in csv.reader(lines()) if row]
values = {}
for row in table:
    if len(row) != len(header) or row == header:
        continue
    cells = dict(zip(header, row))
    key = point("gpu", index=cells.get("index"))
    for column, cell in cells.items():
        name, unit = re.fullmatch(r"([^\[]+?)(?: \[(.*)\])?", column).groups()
        if name in LEFT_OUT or number(cell) is None:
            continue
        values.setdefault((key, re.sub(r"\W", "_", name), unit or cell.partition(" ")[2]), []).append(number(cell))
for (key, metric, unit), trials in values.items():
    emit(key, metric, unit, *trials)
