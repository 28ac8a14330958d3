#!/usr/bin/env python3
"""LLMPerf: NAME_summary.json."""
import json
import re

from rows import NUMBER, emit, text

for name, value in json.loads(text()).items():
    if not name.startswith("results_") or not re.fullmatch(NUMBER, str(value)):
        continue
    name = name.removeprefix("results_")
    found = None if name.endswith("_per_min") else re.fullmatch(r"(.*?)_(?:quantiles_)?(p\d+|mean|min|max|stddev)", name)
    metric, statistic = found.groups() if found else (name, "")
    unit = "tok/s" if metric.endswith("_token_per_s") else "s" if metric.endswith("_s") else "req/min" if metric.endswith("_per_min") else ""
    metric = re.sub(r"_(token_per_s|s)$", "", metric)
    if metric.endswith("_tokens") and statistic != "mean":
        continue
    emit(metric if statistic else "", statistic or metric, "tok" if metric.endswith("_tokens") else unit, float(value))
