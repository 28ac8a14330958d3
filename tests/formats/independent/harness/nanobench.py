#!/usr/bin/env python3
"""nanobench's table. A benchmark is named between the backticks; a name may carry a mark that it was unstable."""
import re

from rows import emit, lines, number

header = []
for line in lines():
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if any(cell.startswith("ns/") for cell in cells) and cells[-1] not in ("", "benchmark") or cells[-1] == "benchmark":
        header = cells
    elif header and len(cells) == len(header) and "`" in cells[-1]:
        name = re.search(r"`([^`]*)`", cells[-1]).group(1)
        for column, cell in zip(header, cells):
            value = number(cell)
            if re.match(r"[nuµm]?s/", column):
                emit(name, "time", column, value)
            elif column.endswith("/s"):
                emit(name, "rate", column, value)
            elif column == "err%":
                emit(name, "err", "%", value)
