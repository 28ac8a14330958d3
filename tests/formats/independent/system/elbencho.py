#!/usr/bin/env python3
"""elbencho: what --resfile holds, and the lines of --csvfile. "First done" is when the fastest worker was ready."""
import csv
import re

from rows import emit, lines, number, point, section

NAMES = {"IOPS": ("iops", "1/s"), "Throughput MiB/s": ("throughput", "MiB/s"),
         "Dirs/s": ("dirs_per_second", "1/s"), "Files/s": ("files_per_second", "1/s")}
COLUMNS = {"time ms": ("time", "ms"), "entries/s": ("entries_per_second", "1/s"), "IOPS": ("iops", "1/s"), "MiB/s": ("throughput", "MiB/s")}

content = lines()
if content[0].startswith("ISO date,"):
    for row in csv.DictReader(content):
        for column, (metric, unit) in COLUMNS.items():
            settings = {name.lower().replace(" ", "_"): row[name] for name in ("hosts", "threads", "file size", "block size", "IO depth")}
            key = point(row["operation"], **settings)
            emit(key, metric, unit, number(row[column + " [last]"]))
            emit(key, "first_done." + metric, unit, number(row[column + " [first]"]))
else:
    operation, runs = "", 0
    for line in content:
        runs += line.startswith("OPERATION ")
        found = re.fullmatch(r"(\S*)\s+(\S.*?)\s*:\s+(\S+)\s+(\S+)", line.rstrip())
        operation = found.group(1) or operation if found else operation
        if found and found.group(2) in NAMES:
            key = point(operation, section=section(runs))
            metric, unit = NAMES[found.group(2)]
            emit(key, metric, unit, float(found.group(4)))
            emit(key, "first_done." + metric, unit, float(found.group(3)))
