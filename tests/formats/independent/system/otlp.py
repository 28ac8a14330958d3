#!/usr/bin/env python3
"""OTLP metrics in JSON: the last sum, the mean of gauges, count and mean of the last cumulative histogram; deltas are added."""
import json

from rows import emit, point, text

UNITS = {"1": "", "By": "B"}
seen = {}
decoder, told, at = json.JSONDecoder(), text().strip(), 0
while at < len(told):
    export, end = decoder.raw_decode(told, at)
    at = end + len(told[end:]) - len(told[end:].lstrip())
    for resource in export["resourceMetrics"]:
        service = [one["value"]["stringValue"] for one in resource["resource"].get("attributes", []) if one["key"] == "service.name"]
        for metric in (metric for scope in resource["scopeMetrics"] for metric in scope["metrics"]):
            for kind in ("gauge", "sum", "histogram"):
                delta = metric.get(kind, {}).get("aggregationTemporality") == 1
                for data in metric.get(kind, {}).get("dataPoints", []):
                    dims = {"service": service[0]} if service else {}
                    dims.update({one["key"]: list(one["value"].values())[0] for one in data.get("attributes", [])})
                    now = (float(data["count"]), float(data["sum"])) if kind == "histogram" else (1.0, float(data.get("asDouble", data.get("asInt"))))
                    before = seen.get((metric["name"], point("", **dims)), (None, None, (0.0, 0.0)))[2]
                    if kind == "gauge" or delta:
                        now = (now[0] + before[0] * (kind != "sum"), now[1] + before[1])
                    seen[metric["name"], point("", **dims)] = (kind, metric.get("unit", ""), now)
for (name, where), (kind, unit, (count, total)) in seen.items():
    unit = "" if unit.startswith("{") else UNITS.get(unit, unit)
    if kind == "histogram":
        emit(name + where, "count", "", count)
        emit(name + where, "mean", unit, total / count)
    else:
        emit(where, name, unit, total / count)
