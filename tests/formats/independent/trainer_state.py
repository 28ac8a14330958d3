#!/usr/bin/env python3
"""trainer_state.json of Hugging Face's Trainer: speeds of the run and of its last evaluation."""
import json

from rows import emit, text

last = {}
for entry in json.loads(text())["log_history"]:
    for name, value in entry.items():
        if name.startswith(("train_", "eval_")) and isinstance(value, (int, float)):
            last[name] = value
for name, value in last.items():
    unit = "s" if name.endswith("runtime") else "samples/s" if name.endswith("samples_per_second") else "steps/s" if name.endswith("steps_per_second") else ""
    emit("", name, unit, float(value))
