#!/usr/bin/env python3
"""rocblas-bench and hipblaslt-bench: a header of comma separated names, a line of values under it."""
import re

from rows import emit, lines, number, point

header = []
for line in lines():
    cells = [cell.strip() for cell in re.sub(r"^\[\d+\]:?", "", line.strip()).split(",")]
    if any(cell.endswith("-Gflops") for cell in cells):
        header = cells
    elif header and len(cells) == len(header):
        values = dict(zip(header, cells))
        rate = next(name for name in header if name.endswith("-Gflops"))
        stop = header.index(rate)
        tool = rate.split("-")[0]
        key = point(tool, **{name: value for name, value in list(values.items())[:stop]})
        emit(key, "gflops", "GFLOP/s", number(values[rate]))
        emit(key, "bandwidth", "GB/s", number(values.get(tool + "-GB/s", "")))
        emit(key, "time", "us", number(values["us"]))
        header = []
