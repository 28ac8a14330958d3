#!/usr/bin/env python3
"""hey: its summary. Answers with a status from 400 on have failed, and so have requests without an answer."""
import re

from rows import NUMBER, emit, lines

NAMES = {"Total": ("total", "s"), "Slowest": ("latency.max", "s"), "Fastest": ("latency.min", "s"), "Average": ("latency.avg", "s"),
         "Requests/sec": ("requests_per_second", "req/s")}
failed, answers = 0.0, False
for line in lines():
    if found := re.match(rf"\s+([A-Z][\w/]*):\s+({NUMBER})(?: secs)?\s*$", line):
        if found.group(1) in NAMES:
            emit("", *NAMES[found.group(1)], float(found.group(2)))
    elif found := re.match(rf"\s+(\d+)%+ in ({NUMBER}) secs", line):
        emit("", "latency.p" + found.group(1), "s", float(found.group(2)))
    elif found := re.match(r"\s+\[(\d+)\]\s+(?:(\d+) responses|(.*))$", line):
        answers = True
        if found.group(3) is not None:
            failed += float(found.group(1))
        elif int(found.group(1)) >= 400:
            failed += float(found.group(2))
if answers:
    emit("", "failed", "", failed)
