#!/usr/bin/env python3
"""UnixBench: results and index values, by the number of copies that ran at once."""
import re

from rows import NUMBER, emit, lines, point

copies = ""
for line in lines():
    if found := re.search(r"running (\d+) parallel cop", line):
        copies = found.group(1)
    elif found := re.fullmatch(rf"(\S.*?)\s{{2,}}({NUMBER}) (\w+)\s+\(({NUMBER}) s, (\d+) samples\)\s*", line):
        emit(point(found.group(1), copies=copies), "result", found.group(3), float(found.group(2)))
    # "1 x Execl Throughput  1 2 3" counts the passes of a test while it runs.
    elif found := re.fullmatch(rf"(?!\d+ x )(\S.*?)\s{{2,}}({NUMBER})\s+({NUMBER})\s+({NUMBER})\s*", line):
        emit(point(found.group(1), copies=copies), "index", "", float(found.group(4)))
    elif found := re.fullmatch(rf"System Benchmarks Index Score(?: \(.*\))?\s+({NUMBER})\s*", line):
        emit(point("System Benchmarks Index Score", copies=copies), "index", "", float(found.group(1)))
