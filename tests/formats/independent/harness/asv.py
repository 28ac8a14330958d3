#!/usr/bin/env python3
"""airspeed velocity: the results of one commit and environment, .asv/results/MACHINE/COMMIT-ENV.json, versions 1 and 2."""
import itertools
import json

from rows import emit, point, text

KINDS = (("timeraw_", "time", "s"), ("time_", "time", "s"), ("peakmem_", "memory", "B"), ("mem_", "memory", "B"), ("track_", "value", ""))

document = json.loads(text())
for name, entry in document["results"].items():
    if isinstance(entry, list):
        entry = dict(zip(document["result_columns"], entry))
    elif not isinstance(entry, dict):
        entry = {"result": entry}
    results = entry["result"] if isinstance(entry["result"], list) else [entry["result"]]
    samples = entry.get("samples") or [None] * len(results)
    last = name.rsplit(".", 1)[-1]
    metric, unit = next(((m, u) for start, m, u in KINDS if last.startswith(start)), ("value", ""))
    for values, result, sample in zip(itertools.product(*(entry.get("params") or [])), results, samples):
        key = point(name, **{f"param{i}": value for i, value in enumerate(values)})
        if result is not None:
            emit(key, metric, unit, *(sample or [result]))
