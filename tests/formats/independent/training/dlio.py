#!/usr/bin/env python3
"""summary.json of DLIO and MLPerf Storage: what was measured in each epoch. Its MB are 2^20 bytes."""
import json

from rows import emit, text

for name, value in json.loads(text())["metric"].items():
    phase = name.split("_")[0]
    if name.endswith("_au_percentage"):
        emit("", phase + "_au", "%", *(value if isinstance(value, list) else [value]))
    elif name.endswith("_throughput_samples_per_second"):
        emit("", phase + "_throughput", "samples/s", *(value if isinstance(value, list) else [value]))
    elif name.endswith("_io_mean_MB_per_second"):
        emit("", phase + "_io", "MiB/s", value)
    elif name.endswith("_au_meet_expectation"):
        emit("", phase + "_au_meet_expectation", "", float(value == "success"))
