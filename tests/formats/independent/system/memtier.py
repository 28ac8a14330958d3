#!/usr/bin/env python3
"""memtier_benchmark: the table ALL STATS of the text, or the JSON file. KB are 1024 bytes.
A type without operations is left out, and the totals have no point."""
import json
import re

from rows import emit, number, text

RATES = {"Ops/sec": ("ops_per_second", "ops/s"), "Hits/sec": ("hits_per_second", "1/s"),
         "Misses/sec": ("misses_per_second", "1/s"), "KB/sec": ("throughput", "KiB/s"),
         "Avg. Latency": ("latency.avg", "ms"), "Average Latency": ("latency.avg", "ms"), "Latency": ("latency.avg", "ms"),
         "Min Latency": ("latency.min", "ms"), "Max Latency": ("latency.max", "ms")}


def stats(name, columns):
    name = "" if name == "Totals" else name
    if not number(columns.get("Ops/sec", "")):
        return
    for column, value in columns.items():
        metric = RATES.get(column)
        if metric and not (column == "Latency" and "Average Latency" in columns):
            emit(name, *metric, number(value))
        elif found := re.fullmatch(r"p([\d.]+)( Latency)?", column):
            emit(name, f"latency.p{float(found.group(1)):g}", "ms", number(value))


content = text()
if content.lstrip().startswith("{"):
    for name, record in json.loads(content)["ALL STATS"].items():
        if isinstance(record, dict) and "Ops/sec" in record:
            stats(name, {**record, **record.get("Percentile Latencies", {})})
else:
    table = content[content.index("ALL STATS"):].splitlines()[2:]
    header = re.split(r"\s{2,}", table[0].strip())
    for line in table[2:]:
        if not line.strip():
            break
        stats(line.split()[0], dict(zip(header[1:], line.split()[1:])))
