#!/usr/bin/env python3
"""cutlass_profiler: the CSV at its end or in its file. What the profiler calls GB/s is GiB/s."""
import csv

from rows import emit, lines, number, point

MEASURED = {"Runtime": ("runtime", "ms"), "GB/s": ("bandwidth", "GiB/s"), "GFLOPs": ("gflops", "GFLOP/s")}
header = []
for row in csv.reader(lines()):
    if row[:3] == ["Problem", "Provider", "OperationKind"]:
        header = row
    elif header and len(row) == len(header):
        cells = dict(zip(header, row))
        settings = {name: cells[name] for name in header[header.index("Status") + 1:header.index("op_class")]}
        for column, metric in MEASURED.items():
            emit(point(cells["Operation"], provider=cells["Provider"], **settings), *metric, number(cells[column]))
