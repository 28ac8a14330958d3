#!/usr/bin/env python3
"""HPC Challenge: the rates of its summary section, "StarDGEMM_Gflops=3.1"."""
import re

from rows import NUMBER, emit, lines

UNITS = {"Tflops": ("tflops", "TFLOP/s"), "Gflops": ("gflops", "GFLOP/s"), "GUPs": ("gups", "GUP/s"), "GBs": ("bandwidth", "GB/s")}
inside = False
for line in lines():
    if "section." in line:
        inside = line.startswith("Begin of Summary")
    elif inside and (found := re.fullmatch(rf"(\w+)_(Tflops|Gflops|GUPs|GBs)=({NUMBER})\s*", line)):
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", found.group(1))
        emit("_".join(words).lower().replace("mpifft", "mpi_fft"), *UNITS[found.group(2)], float(found.group(3)))
