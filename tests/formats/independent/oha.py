#!/usr/bin/env python3
"""oha --output-format json: times in s."""
import json

from rows import emit, text

document = json.loads(text())
summary = document["summary"]
emit("", "requests_per_second", "req/s", summary["requestsPerSec"])
emit("", "success_rate", "%", None if summary["successRate"] is None else summary["successRate"] * 100)
for name, statistic in (("average", "avg"), ("fastest", "min"), ("slowest", "max")):
    emit("", "latency." + statistic, "s", summary[name])
for percentile, value in document["latencyPercentiles"].items():
    emit("", "latency." + percentile, "s", value)
emit("", "errors", "", sum(document["errorDistribution"].values()))
