#!/usr/bin/env python3
"""likwid-bench: the rates and cycles of a kernel by threads and working set."""
import re

from rows import emit, point, text

for part in re.split(r"LIKWID MICRO BENCHMARK\n", text())[1:]:
    said = dict(re.findall(r"^([A-Z][^:\n]*):\s*(\S+)", part, re.M))
    key = point(said["Test"], threads=re.search(r"Using (\d+) threads", part).group(1), size=said["Size (Byte)"])
    for label, metric, unit in (("MByte/s", "bandwidth", "MB/s"), ("MFlops/s", "flops", "MFLOP/s"),
                                ("Cycles per update", "cycles_per_update", ""), ("Cycles per cacheline", "cycles_per_cacheline", "")):
        emit(key, metric, unit, float(said[label]))
