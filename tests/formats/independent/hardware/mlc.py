#!/usr/bin/env python3
"""Intel's Memory Latency Checker: matrices of NUMA nodes, peak bandwidths, loaded latencies and those between caches."""
import re

from rows import NUMBER, emit, lines, point

TABLES = (("idle lat", "idle_latency"), ("Peak", "peak"), ("Maximum", "peak"), ("Memory Band", "bandwidth"), ("Loaded", "loaded"),
          ("cache", "cache"))
table, nodes = "", []
for line in lines():
    words = line.split()
    if line.startswith("Measuring "):
        table = next((name for start, name in TABLES if line.startswith("Measuring " + start)), table)
    elif line.startswith("Numa node") and len(words) > 2:
        nodes = words[2:]
    elif table in ("idle_latency", "bandwidth") and nodes and re.fullmatch(rf"\s+\d+(\s+({NUMBER}|-))+\s*", line):
        for to, value in zip(nodes, words[1:]):
            if value != "-":
                name, *metric = ("idle", "latency", "ns") if table == "idle_latency" else ("between_nodes", "bandwidth", "MB/s")
                emit(point(name, **{"from": words[0], "to": to}), *metric, float(value))
    elif table == "peak" and (found := re.fullmatch(rf"(\S.*?)\s*:\s+({NUMBER})\s*", line)):
        ratio, _, name = found.group(1).rpartition("1 ")
        metric = "reads_writes" if ratio else name.lower().replace(" ", "_").replace("-", "_")
        emit(point("peak_bandwidth", ratio=ratio and ratio + "1"), metric, "MB/s", float(found.group(2)))
    elif table == "loaded" and re.fullmatch(rf"\s*\d+\s+{NUMBER}\s+{NUMBER}\s*", line):
        emit(point("loaded", delay=words[0]), "latency", "ns", float(words[1]))
        emit(point("loaded", delay=words[0]), "bandwidth", "MB/s", float(words[2]))
    elif table == "cache" and (found := re.fullmatch(rf"Local Socket L2->L2 (\S+)\s+latency\s+({NUMBER})\s*", line)):
        emit(point("cache_to_cache", kind=found.group(1)), "latency", "ns", float(found.group(2)))
