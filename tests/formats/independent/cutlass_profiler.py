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
        sizes = {name: cells[name] for name in ("m", "n", "k", "h", "w", "c", "r", "s") if name in cells}
        layouts = {name: cells[name] for name in ("A", "B", "C", "D", "split_k_slices", "batch_count") if name in cells}
        for column, metric in MEASURED.items():
            emit(point(cells["Operation"], **sizes, **layouts), *metric, number(cells[column]))
