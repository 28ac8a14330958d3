#!/usr/bin/env python3
"""bombardier -o json: latencies in us."""
import json

from rows import emit, text

result = json.loads(text())["result"]
emit("", "requests_per_second", "req/s", result["rps"]["mean"])
emit("", "requests_per_second_sd", "req/s", result["rps"]["stddev"])
emit("", "requests_per_second_max", "req/s", result["rps"]["max"])
for statistic, name in (("mean", "mean"), ("sd", "stddev"), ("max", "max")):
    emit("", "latency." + statistic, "us", result["latency"][name])
for percent, value in result["latency"].get("percentiles", {}).items():
    emit("", "latency.p" + percent, "us", value)
for kind in ("4xx", "5xx"):
    emit("", "responses_" + kind, "", result["req" + kind])
