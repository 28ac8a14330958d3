#!/usr/bin/env python3
"""IO500's result_summary.txt."""
import re

from rows import NUMBER, emit, lines

for line in lines():
    if found := re.match(rf"\[(\w+)\s*\]\s+(\S+)\s+({NUMBER}) (GiB/s|kIOPS) : time ({NUMBER}) seconds", line):
        emit(found.group(2), "bandwidth" if found.group(4) == "GiB/s" else "rate", found.group(4), float(found.group(3)))
        emit(found.group(2), "time", "s", float(found.group(5)))
    elif found := re.match(rf"\[SCORE \] Bandwidth ({NUMBER}) GiB/s : IOPS ({NUMBER}) kiops : TOTAL ({NUMBER})", line):
        emit("SCORE", "bandwidth", "GiB/s", float(found.group(1)))
        emit("SCORE", "rate", "kIOPS", float(found.group(2)))
        emit("SCORE", "score", "", float(found.group(3)))
