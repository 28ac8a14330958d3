#!/usr/bin/env python3
"""summary.json of DLIO and MLPerf Storage: what was measured in each epoch."""
import json

from rows import emit, text

for name, value in json.loads(text())["metric"].items():
    phase = name.split("_")[0]
    if name.endswith("_au_percentage"):
        emit("", phase + "_au", "%", *(value if isinstance(value, list) else [value]))
    elif name.endswith("_throughput_samples_per_second"):
        emit("", phase + "_throughput", "samples/s", *(value if isinstance(value, list) else [value]))
    elif name.endswith("_io_mean_MB_per_second"):
        emit("", phase + "_io", "MB/s", value)
    elif name.endswith("_au_meet_expectation"):
        emit("", phase + "_au_met", "", float(value == "success"))
