#!/usr/bin/env python3
"""GROMACS' md.log: the figures at its end."""
from rows import emit, lines

for line in lines():
    words = line.split()
    if words[:1] == ["Time:"]:
        emit("", "core_time", "s", float(words[1]))
        emit("", "wall_time", "s", float(words[2]))
    elif words[:1] == ["Performance:"]:
        emit("", "performance", "ns/day", float(words[1]))
        emit("", "hours_per_ns", "h/ns", float(words[2]))
