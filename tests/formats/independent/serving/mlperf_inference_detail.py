#!/usr/bin/env python3
"""mlperf_log_detail.txt of MLPerf inference: its results, under the names of the summary, of its scenario."""
import json
import re

from rows import emit, lines

scenario = ""
for line in lines():
    if not line.startswith(":::MLLOG"):
        continue
    event = json.loads(line.split(" ", 1)[1])
    key, value = event["key"], event["value"]
    if key.endswith("_scenario"):
        scenario = f"[scenario={value}]"
    percentile = re.fullmatch(r"result_([\d.]+)_percentile_(\w*?latency|\w+)_ns", key)
    if key == "result_validity":
        emit(scenario, "valid", "", float(value == "VALID"))
    elif key == "result_samples_per_second":
        emit(scenario, "samples_per_second", "samples/s", value)
    elif percentile:
        emit(scenario, f"{percentile.group(2)}.p{float(percentile.group(1)):g}", "ns", value)
    elif found := re.fullmatch(r"result_(min|max|mean)_latency_ns", key):
        emit(scenario, "latency." + found.group(1), "ns", value)
