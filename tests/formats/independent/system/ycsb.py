#!/usr/bin/env python3
"""YCSB: lines of "[OPERATION], name, value". Old versions have percentiles in ms."""
import re

from rows import emit, lines

LATENCIES = {"AverageLatency": "avg", "MinLatency": "min", "MaxLatency": "max"}
failed = {}
for line in lines():
    found = re.fullmatch(r"\[([A-Za-z_-]+)\], ([^,]+), ([-+\d.eE]+)", line.strip())
    if not found or found.group(1).startswith(("TOTAL_GC", "GC", "CLEANUP")):
        continue
    operation, name, value = found.group(1), found.group(2), float(found.group(3))
    key = "" if operation == "OVERALL" else operation
    latency = re.fullmatch(r"(?:([\d.]+)(?:st|nd|rd|th)PercentileLatency|(\w+Latency))\((\w+)\)", name)
    if name == "RunTime(ms)":
        emit(key, "run_time", "ms", value)
    elif name == "Throughput(ops/sec)":
        emit(key, "throughput", "ops/s", value)
    elif name == "Operations":
        emit(key, "operations", "", value)
    elif latency:
        emit(key, "latency." + ("p" + latency.group(1) if latency.group(1) else LATENCIES[latency.group(2)]), "us",
             value * (1000 if latency.group(3) == "ms" else 1))
    elif name.startswith("Return=") and name not in ("Return=OK", "Return=0"):
        failed[key] = failed.get(key, 0) + value
for key, count in failed.items():
    emit(key, "returned_other", "", count)
