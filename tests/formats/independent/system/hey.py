#!/usr/bin/env python3
"""hey: its summary. Answers with a status from 400 on are errors."""
import re

from rows import NUMBER, emit, lines

NAMES = {"Total": ("duration", "s"), "Slowest": ("latency.slowest", "s"), "Fastest": ("latency.fastest", "s"), "Average": ("latency.average", "s"),
         "Requests/sec": ("requests_per_second", "req/s")}
good = bad = 0.0
for line in lines():
    if found := re.match(rf"\s+([A-Z][\w/]*):\s+({NUMBER})(?: secs)?\s*$", line):
        if found.group(1) in NAMES:
            emit("", *NAMES[found.group(1)], float(found.group(2)))
    elif found := re.match(rf"\s+(\d+)%+ in ({NUMBER}) secs", line):
        emit("", "latency.p" + found.group(1), "s", float(found.group(2)))
    elif found := re.match(r"\s+\[(\d+)\]\s+(\d+) responses", line):
        good += float(found.group(2)) if int(found.group(1)) < 400 else 0
        bad += float(found.group(2)) if int(found.group(1)) >= 400 else 0
if good + bad:
    emit("", "ok_responses", "", good)
if bad:
    emit("", "error_responses", "", bad)
