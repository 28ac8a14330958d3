#!/usr/bin/env python3
"""LAMMPS' log: a section a run."""
import re

from rows import NUMBER, emit, lines, point, section

count = 0
for line in lines():
    if found := re.match(rf"Loop time of ({NUMBER}) on (\d+) procs.* for (\d+) steps with (\d+) atoms", line):
        count += 1
        key = point("", section=section(count))
        emit(key, "steps", "", float(found.group(3)))
        emit(key, "atoms", "", float(found.group(4)))
        emit(key, "loop_time", "s", float(found.group(1)))
    elif count and line.startswith("Performance: "):
        for value, unit in re.findall(rf"({NUMBER}) ([\w-]+/\w+)", line):
            if unit.endswith("atom-step/s"):  # timesteps times atoms
                continue
            name = {"timesteps/s": "performance", "hours/ns": "hours_per_ns"}.get(
                unit, unit.replace("/", "_per_"))
            emit(key, name, unit, float(value))
