#!/usr/bin/env python3
"""JMeter: statistics.json of the dashboard, and samples (JTL) as CSV or XML, summed up by label."""
import csv
import io
import json
import sys
import xml.etree.ElementTree as xml

from rows import emit, text

STATISTICS = {"sampleCount": ("requests", ""), "errorCount": ("errors", ""), "errorPct": ("error_rate", "%"),
              "meanResTime": ("response_time.mean", "ms"), "medianResTime": ("response_time.median", "ms"),
              "minResTime": ("response_time.min", "ms"), "maxResTime": ("response_time.max", "ms"),
              "pct1ResTime": ("response_time.pct1", "ms"), "pct2ResTime": ("response_time.pct2", "ms"),
              "pct3ResTime": ("response_time.pct3", "ms"), "throughput": ("requests_per_second", "req/s")}


def samples(content):
    """(label, start in ms, elapsed in ms, good, is a transaction)"""
    if content.lstrip().startswith("<"):
        for one in xml.fromstring(content.strip()):
            if one.tag in ("sample", "httpSample") and "t" in one.attrib:
                yield one.get("lb"), int(one.get("ts", 0)), int(one.get("t")), one.get("s") == "true", False
        return
    for one in csv.DictReader(io.StringIO(content)):
        whole = (one.get("responseMessage") or "").startswith("Number of samples in transaction")
        yield one["label"], int(one["timeStamp"]), int(one["elapsed"]), one["success"] == "true", whole


def summary(key, found):
    times = sorted(sample[2] for sample in found)
    emit(key, "requests", "", len(found))
    emit(key, "errors", "", sum(not sample[3] for sample in found))
    emit(key, "response_time.mean", "ms", sum(times) / len(times))
    emit(key, "response_time.min", "ms", times[0])
    emit(key, "response_time.max", "ms", times[-1])
    span = max(sample[1] + sample[2] for sample in found) - min(sample[1] for sample in found)
    emit(key, "requests_per_second", "req/s", len(found) / span * 1000 if span else None)


content = text()
if content.lstrip().startswith("{"):
    for name, record in json.loads(content).items():
        for field, (metric, unit) in STATISTICS.items():
            if field in record:
                emit("" if name == "Total" else name, metric, unit, record[field])
else:
    found = list(samples(content))
    if not found:
        sys.exit("no elapsed times were saved")
    summary("", [sample for sample in found if not sample[4]] or found)
    for label in dict.fromkeys(sample[0] for sample in found):
        summary(label, [sample for sample in found if sample[0] == label])
