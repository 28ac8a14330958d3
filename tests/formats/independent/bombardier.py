#!/usr/bin/env python3
"""bombardier -o json: latencies in us."""
import json

from rows import emit, text

result = json.loads(text())["result"]
for name, metric, unit in (("latency", "latency", "us"), ("rps", "requests_per_second", "req/s")):
    for statistic in ("mean", "stddev", "max"):
        emit("", f"{metric}.{statistic}", unit, result[name][statistic])
    for percent, value in result[name].get("percentiles", {}).items():
        emit("", f"{metric}.p{percent}", unit, value)
emit("", "failed", "", sum(result[kind] for kind in ("req4xx", "req5xx", "others")))
