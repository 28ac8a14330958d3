#!/usr/bin/env python3
"""autocannon -j: latencies in ms, requests of each second, bytes of each second. p999 (old) and p99_9 are the same percentile."""
import json

from rows import emit, text

document = json.loads(text())
latency, requests = document["latency"], document["requests"]
emit("", "requests_per_second", "req/s", requests["average"])
emit("", "requests_per_second_sd", "req/s", requests["stddev"])
emit("", "throughput", "B/s", document["throughput"]["average"])
emit("", "latency.average", "ms", latency["average"])
emit("", "latency.sd", "ms", latency["stddev"])
emit("", "latency.max", "ms", latency["max"])
for percentile, names in (("50", ("p50",)), ("97.5", ("p97_5",)), ("99", ("p99",)), ("99.9", ("p99_9", "p999"))):
    emit("", "latency.p" + percentile, "ms", next((latency[name] for name in names if name in latency), None))
for metric, name in (("errors", "errors"), ("timeouts", "timeouts"), ("non_2xx_responses", "non2xx")):
    emit("", metric, "", document.get(name))
