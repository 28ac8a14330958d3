#!/usr/bin/env python3
"""ApacheBench's report."""
import re

from rows import NUMBER, emit, lines

FIGURES = {"Complete requests": ("complete_requests", ""), "Failed requests": ("failed_requests", ""), "Write errors": ("write_errors", ""),
           "Non-2xx responses": ("non_2xx_responses", ""), "Requests per second": ("requests_per_second", "req/s"),
           "Time taken for tests": ("duration", "s"), "Transfer rate": ("transfer_rate", "KiB/s")}

for line in lines():
    name, _, rest = line.partition(":")
    value = re.match(rf"\s*({NUMBER})", rest)
    if name in FIGURES and value:
        emit("", *FIGURES[name], float(value.group(1)))
    elif name == "Time per request" and value and "across" not in rest:
        emit("", "time_per_request", "ms", float(value.group(1)))
    elif name in ("Connect", "Processing", "Waiting", "Total") and len(rest.split()) == 5:
        for statistic, figure in zip(("min", "mean", "sd", "p50", "max"), rest.split()):
            emit("connection", f"{name.lower()}_{statistic}", "ms", float(figure))
    elif found := re.match(r"\s*(\d+)%\s+(\d+)", line):
        emit("", "latency.p" + found.group(1), "ms", float(found.group(2)))
