#!/usr/bin/env python3
"""elbencho: what --resfile holds, and the lines of --csvfile. "First done" is when the fastest worker was ready."""
import csv
import re

from rows import NUMBER, emit, lines, number

NAMES = {"IOPS": ("iops", "1/s"), "Throughput MiB/s": ("throughput", "MiB/s"),
         "Dirs/s": ("dirs_per_second", "1/s"), "Files/s": ("files_per_second", "1/s")}
COLUMNS = {"time ms": ("time", "ms"), "entries/s": ("entries_per_second", "1/s"), "IOPS": ("iops", "1/s"), "MiB/s": ("throughput", "MiB/s")}

content = lines()
if content[0].startswith("ISO date,"):
    for row in csv.DictReader(content):
        for column, (metric, unit) in COLUMNS.items():
            emit(row["operation"], metric, unit, number(row[column + " [last]"]))
            emit(row["operation"], "first_done." + metric, unit, number(row[column + " [first]"]))
else:
    operation = ""
    for line in content:
        found = re.fullmatch(rf"(\S*)\s+(\S.*?)\s*:\s+({NUMBER})\s+({NUMBER})", line.rstrip())
        if found and found.group(2) in NAMES:
            operation = found.group(1) or operation
            metric, unit = NAMES[found.group(2)]
            emit(operation, metric, unit, float(found.group(4)))
            emit(operation, "first_done." + metric, unit, float(found.group(3)))
