#!/usr/bin/env python3
"""LAMMPS' log: one point a run, counted in the order of the log. Runs of no steps are left out."""
import re

from rows import NUMBER, emit, lines, point

index = 0
for line in lines():
    if found := re.match(rf"Loop time of ({NUMBER}) on (\d+) procs.* for (\d+) steps with (\d+) atoms", line):
        steps = int(found.group(3))
        if not steps:
            continue
        index += 1
        key = point("run", index=index)
        emit(key, "loop_time", "s", float(found.group(1)))
    elif index and line.startswith("Performance: "):
        for value, unit in re.findall(rf"({NUMBER}) ([\w-]+/\w+)", line):
            name = {"timesteps/s": "timesteps_per_second", "Matom-step/s": "matom_steps_per_second", "hours/ns": "hours_per_ns"}.get(
                unit, unit.replace("/", "_per_"))
            emit(key, name, unit, float(value))
