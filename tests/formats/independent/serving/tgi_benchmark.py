#!/usr/bin/env python3
"""text-generation-benchmark of TGI: tables by step and batch size. A step is named in its first row only."""
from rows import emit, lines, number, point

header, step = [], ""
for line in lines():
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if cells[:2] == ["Step", "Batch Size"]:
        header = cells[2:]
    elif header and len(cells) == len(header) + 2 and cells[1].isdigit():
        step = cells[0] or step
        for column, cell in zip(header, cells[2:]):
            unit = cell.split()[-1]
            key = point(step, batch_size=cells[1])
            if not unit.startswith("tokens/"):
                emit(key, column.lower(), unit, number(cell))
            elif column == "Average":
                emit(key, "throughput", "tok/s", number(cell))
