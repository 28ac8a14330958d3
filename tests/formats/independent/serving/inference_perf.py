#!/usr/bin/env python3
"""inference-perf of kubernetes-sigs: summary_lifecycle_metrics.json and stage_N_lifecycle_metrics.json."""
import json

from rows import emit, text

document = json.loads(text())
good = document["successes"]  # summary_prometheus_metrics.json has none
emit("", "successes", "", good["count"])
emit("", "failures", "", document["failures"]["count"])
for name, statistics in good["latency"].items():
    for statistic, value in (statistics or {}).items():
        if statistic in ("mean", "median", "p90", "p95", "p99", "p99.9", "min", "max"):
            emit(name, "p50" if statistic == "median" else statistic, "s", value)
for name, value in good["throughput"].items():
    emit("", name.replace("_per_sec", "_per_second"), "req/s" if name.startswith("requests") else "tok/s", value)
