#!/usr/bin/env python3
"""vegeta report: text, also several in one page, and -type=json (times in ns)."""
import json
import re

from rows import emit, number, point, section, text

UNITS = {"ns": 1e-6, "µs": 1e-3, "us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4, "h": 3.6e6}


def milliseconds(duration):
    """Go's durations: "1m30.5s", "860.098µs"."""
    return sum(float(value) * UNITS[unit] for value, unit in re.findall(r"([\d.]+)(ns|µs|us|ms|s|m|h)", duration))


content = text()
if content.lstrip().startswith("{"):
    document = json.loads(content)
    for name, value in document["latencies"].items():
        if name != "total":
            emit("", "latency." + re.sub(r"^(\d+)th$", r"p\1", name), "ms", value / 1e6)
    for name, unit in (("requests", ""), ("rate", "req/s"), ("throughput", "req/s")):
        emit("", name, unit, document[name])
    emit("", "success", "%", document["success"] * 100)
key, count = "", 0
for line in content.splitlines():
    found = re.fullmatch(r"(\w[\w ]*?)\s+\[([^\]]+)\]\s+(.*?)\s*", line)
    if found and found.group(1) == "Requests":
        count += 1
        key = point("", section=section(count))
        for name, value in zip(("requests", "rate", "throughput"), found.group(3).split(",")):
            emit(key, name, "" if name == "requests" else "req/s", number(value))
    elif found and found.group(1) == "Latencies":
        for name, value in zip(found.group(2).split(", "), found.group(3).split(", ")):
            emit(key, "latency." + ("p" + name if name.isdigit() else name), "ms", milliseconds(value))
    elif found and found.group(1) == "Success":
        emit(key, "success", "%", number(found.group(3)))
