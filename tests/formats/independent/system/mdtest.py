#!/usr/bin/env python3
"""mdtest: the tables of rates; those of times say the same. Operations that did not run print zeros everywhere and are left out."""
import re

from rows import NUMBER, emit, lines

rates = False
for line in lines():
    if line.startswith("SUMMARY"):
        rates = "time" not in line.split("(")[0]
    elif rates and (found := re.fullmatch(rf"\s*(\S+ \S+)\s*:?\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s*", line)):
        figures = [float(value) for value in found.groups()[1:]]
        if any(figures):
            for name, value in zip(("rate_max", "rate_min", "rate", "rate_sd"), figures):
                emit(found.group(1), name, "ops/s", value)
