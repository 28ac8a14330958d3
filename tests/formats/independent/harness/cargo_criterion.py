#!/usr/bin/env python3
"""cargo-criterion: the samples and estimates of each message "benchmark-complete"."""
import json

from rows import emit, lines

for line in lines():
    message = json.loads(line) if line.strip() else {}
    if message.get("reason") != "benchmark-complete":
        continue
    samples = [time / count for time, count in zip(message.get("measured_values", []), message.get("iteration_count", []))]
    emit(message["id"], "time", message.get("unit", "ns"), *samples)
    for name in ("typical", "mean", "median", "slope", "median_abs_dev"):
        if message.get(name):
            emit(message["id"], name, message[name].get("unit", ""), message[name]["estimate"])
