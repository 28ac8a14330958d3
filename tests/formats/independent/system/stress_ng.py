#!/usr/bin/env python3
"""stress-ng: the metrics of --yaml, and those that --metrics prints."""
import re

from rows import NUMBER, emit, lines, number

UNITS = {"bogo-ops-per-second-usr-sys-time": "bogo-ops/s", "bogo-ops-per-second-real-time": "bogo-ops/s", "wall-clock-time": "s",
         "user-time": "s", "system-time": "s", "cpu-usage-per-instance": "%", "max-rss": "KB"}
COLUMNS = ("bogo-ops", "wall-clock-time", "user-time", "system-time", "bogo-ops-per-second-real-time",
           "bogo-ops-per-second-usr-sys-time", "cpu-usage-per-instance", "max-rss")
stressor, metrics = "", False
for line in lines():
    if found := re.match(r"stress-ng: (?:info|metrc):\s+\[\d+\]\s+(\S+)\s+((?:[\d.]+\s*){6,8})$", line.strip()):
        for name, value in zip(COLUMNS, found.group(2).split()):
            emit(found.group(1), name.replace("-", "_"), UNITS.get(name, ""), float(value))
    elif line.startswith("metrics:"):
        metrics = True
    elif metrics and (found := re.match(r"\s+(?:- )?([\w-]+): (.+)", line)):
        name, value = found.groups()
        if name == "stressor":
            stressor = value.strip()
        elif re.fullmatch(NUMBER, value.strip()):
            emit(stressor, name.replace("-", "_"), UNITS.get(name, ""), number(value))
