#!/usr/bin/env python3
"""mdtest: the tables of rates and times. Operations that did not run print zeros everywhere and are left out."""
import re

from rows import NUMBER, emit, lines

metric, unit = "", ""
for line in lines():
    if line.startswith("SUMMARY"):
        metric, unit = ("time", "s") if "time" in line.split("(")[0] else ("rate", "ops/s")
    elif metric and (found := re.fullmatch(rf"\s*(\S+ \S+)\s*:?\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s*", line)):
        figures = [float(value) for value in found.groups()[1:]]
        if any(figures):
            for name, value in zip((metric + "_max", metric + "_min", metric, metric + "_sd"), figures):
                if metric == "rate" or name == metric:  # of times the mean alone
                    emit(found.group(1), name, unit, value)
