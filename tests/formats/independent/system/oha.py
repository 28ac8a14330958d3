#!/usr/bin/env python3
"""oha --output-format json: times in s. Its distribution of errors holds requests that were cut at the end of -z, which are none."""
import json

from rows import emit, text

document = json.loads(text())
summary = document["summary"]
emit("", "requests_per_second", "req/s", summary["requestsPerSec"])
emit("", "success_rate", "%", summary["successRate"] * 100)
for name in ("average", "fastest", "slowest"):
    emit("", "latency." + name, "s", summary[name])
for percentile, value in document["latencyPercentiles"].items():
    emit("", "latency." + percentile, "s", value)
