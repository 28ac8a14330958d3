#!/usr/bin/env python3
"""GROMACS' md.log: the figures at its end, and the wall time of each activity."""
import re

from rows import NUMBER, emit, lines, point

table = False
for line in lines():
    words = line.split()
    if "R E A L   C Y C L E" in line:
        table = True
    elif line.startswith(" Total  ") or line.startswith(" Breakdown"):
        table = False
    elif table and (found := re.fullmatch(rf" (\S.*?)\s{{2,}}(?:\d+\s+\d+\s+\d+\s+)?({NUMBER})\s+({NUMBER})\s+({NUMBER})\s*", line)):
        emit(point("activity", name=found.group(1)), "wall_time", "s", float(found.group(2)))
    elif words[:1] == ["Time:"]:
        emit("", "core_time", "s", float(words[1]))
        emit("", "wall_time", "s", float(words[2]))
    elif words[:1] == ["Performance:"]:
        emit("", "performance", "ns/day", float(words[1]))
        emit("", "hours_per_ns", "h/ns", float(words[2]))
