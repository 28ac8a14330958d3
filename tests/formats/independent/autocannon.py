#!/usr/bin/env python3
"""autocannon -j: latencies in ms, requests of each second, bytes of each second."""
import json
import re

from rows import emit, text

document = json.loads(text())
for field, metric, unit in (("requests", "requests_per_second", "req/s"), ("latency", "latency", "ms"), ("throughput", "throughput", "B/s")):
    for name, value in document[field].items():
        percentile = re.fullmatch(r"p(\d+)(?:_(\d+))?", name)
        if name in ("mean", "stddev", "min", "max"):
            emit("", f"{metric}.{name}", unit, value)
        elif percentile:
            whole, part = percentile.groups()
            if not part and len(whole) > 2:  # p999 of old versions
                whole, part = whole[:2], whole[2:]
            emit("", f"{metric}.p{whole}" + (f".{part}" if part else ""), unit, value)
for name in ("errors", "timeouts", "non2xx"):
    emit("", name, "", document.get(name))
