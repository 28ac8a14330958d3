#!/usr/bin/env python3
"""Locust: PREFIX_stats.csv, and of PREFIX_stats_history.csv the last line of each name. Times are in ms."""
import csv
import io

from rows import emit, number, point, text

NAMES = {
    "Request Count": ("requests", ""), "Failure Count": ("failures", ""),
    "Median Response Time": ("response_time.median", "ms"), "Average Response Time": ("response_time.average", "ms"),
    "Min Response Time": ("response_time.min", "ms"), "Max Response Time": ("response_time.max", "ms"),
    "Average Content Size": ("average_content_size", "B"), "Requests/s": ("requests_per_second", "req/s"),
    "Failures/s": ("failures_per_second", "1/s")}

records = list(csv.DictReader(io.StringIO(text())))
history = bool(records) and "Timestamp" in records[0]
last = {}
for record in records:
    last[(record["Type"], record["Name"])] = record
for (kind, name), record in last.items():
    key = "" if name in ("Aggregated", "Total") else point(name, type=kind)
    for column, value in record.items():
        if history and not column.startswith("Total "):
            continue  # the rate and the percentiles of the last seconds, not of the run
        column = column.removeprefix("Total ")
        if column in NAMES:
            emit(key, *NAMES[column], number(value))
        elif column.endswith("%"):
            emit(key, "response_time.p" + column[:-1], "ms", number(value))
