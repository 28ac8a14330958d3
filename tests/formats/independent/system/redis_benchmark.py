#!/usr/bin/env python3
"""redis-benchmark: --csv (with and without a header), -q, and the report of 6.2 and older."""
import csv
import re

from rows import NUMBER, emit, lines, number

test, statistics = "", []
given = [line.split("\r")[-1] for line in lines()]
if given and given[0].startswith('"'):
    rows = list(csv.reader(given))
    header = rows.pop(0) if rows[0][0] == "test" else ["test", "rps"]
    for row in rows:
        for column, value in zip(header[1:], row[1:]):
            emit(row[0], "requests_per_second" if column == "rps" else "latency." + column.removesuffix("_latency_ms"),
                 "req/s" if column == "rps" else "ms", number(value))
for line in given:
    if found := re.fullmatch(r"====== (.*) ======\s*", line):
        test = found.group(1)
    elif found := re.match(rf"(?:(\S.*): )?\s*(?:throughput summary: )?({NUMBER}) requests per second(?:, p50=({NUMBER}) msec)?", line):
        emit(found.group(1) or test, "requests_per_second", "req/s", float(found.group(2)))
        emit(found.group(1) or test, "latency.p50", "ms", number(found.group(3) or ""))
    elif line.split() == ["avg", "min", "p50", "p95", "p99", "max"]:
        statistics = line.split()
    elif statistics:
        for statistic, value in zip(statistics, line.split()):
            emit(test, f"latency.{statistic}", "ms", number(value))
        statistics = []
