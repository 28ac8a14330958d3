#!/usr/bin/env python3
"""trainer_state.json of Hugging Face's Trainer: speeds of the run and of its last evaluation."""
import json

from rows import emit, text

UNITS = (("runtime", "s"), ("samples_per_second", "samples/s"), ("steps_per_second", "steps/s"))
last = {}
for entry in json.loads(text())["log_history"]:
    for name, value in entry.items():
        if name.startswith(("train_", "eval_")) and isinstance(value, (int, float)):
            last[name] = value
for name, value in last.items():
    unit = next((unit for end, unit in UNITS if name.endswith(end)), "")
    emit("", name, unit, float(value))
