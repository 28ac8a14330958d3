#!/usr/bin/env python3
"""dcgmi dmon and nvidia-smi dmon: a line a card and second under a header that comes again."""
from rows import emit, lines, number, point

columns, units, values = [], [], {}
for line in lines():
    words = line.lstrip("# ").split()
    if line.startswith(("#Entity", "# Entity", "# gpu", "#gpu")):
        columns, units = words[1:], []
    elif line.startswith("# Idx"):
        units = words[1:]
    elif columns and words and words[0] != "ID":
        if words[0] == "GPU":
            words = words[1:]
        for i, (column, value) in enumerate(zip(columns, words[1:])):
            if number(value) is not None:
                values.setdefault((words[0], column.lower(), units[i] if i < len(units) else ""), []).append(number(value))
for (card, metric, unit), trials in values.items():
    emit(point("gpu", index=card), metric, unit, *trials)
