#!/usr/bin/env python3
"""trtllm-bench: the sections behind "= PERFORMANCE OVERVIEW"."""
import re

from rows import NUMBER, emit, lines

UNITS = {"tokens/sec": "tok/s", "req/sec": "req/s", "ms": "ms", "tps/user": "tok/s/user", "tps/gpu": "tok/s/gpu"}
OLD_NAMES = {"token_throughput": "output_throughput", "total_output_throughput": "output_throughput"}
inside = False
for line in lines():
    if line.startswith("= "):
        inside = "PERFORMANCE" in line or "THROUGHPUT" in line
    elif inside and (found := re.match(rf"(\w[\w -]*?)(?: \[[^\]]*\])? \(([\w/]+)\):\s+({NUMBER})\s*$", line)):
        name = found.group(1).lower().replace(" ", "_").replace("-", "_")
        if found.group(2) in UNITS:
            emit("", OLD_NAMES.get(name, name), UNITS[found.group(2)], float(found.group(3)))
    elif inside and (found := re.match(r"Number of requests:\s+(\d+)", line)):
        emit("", "requests", "", float(found.group(1)))
