#!/usr/bin/env python3
"""Graph500's reference code: "bfs  harmonic_mean_TEPS:  !  4.2e+07"."""
import re

from rows import NUMBER, emit, lines

for line in lines():
    found = re.fullmatch(rf"(?:(bfs|sssp)\s+)?(\w+):\s+!?\s*({NUMBER})\s*", line)
    if found and found.group(1):
        name = found.group(2)
        emit(found.group(1), name.lower(), "TEPS" if name.endswith("TEPS") else "s" if name.endswith(("time", "validate")) else "", float(found.group(3)))
