#!/usr/bin/env python3
"""netperf: classic tables by the unit in their last heading line, and the CSV of omni tests."""
import re

from rows import emit, lines, number, point

UNITS = {"10^6bits/sec": "Mbit/s", "10^9bits/sec": "Gbit/s", "10^3bits/sec": "kbit/s", "MBytes/sec": "MiB/s", "GBytes/sec": "GiB/s"}
CSV = {"Throughput": ("throughput", ""), "50th Percentile Latency Microseconds": ("latency.p50", "us"),
       "90th Percentile Latency Microseconds": ("latency.p90", "us"), "99th Percentile Latency Microseconds": ("latency.p99", "us"),
       "Stddev Latency Microseconds": ("latency.stddev", "us"), "Minimum Latency Microseconds": ("latency.min", "us"),
       "Maximum Latency Microseconds": ("latency.max", "us"), "Local Transport Retransmissions": ("local_retransmissions", ""),
       "Remote Transport Retransmissions": ("remote_retransmissions", "")}
test, unit, header = "", "", []
for line in lines():
    words = line.split()
    if found := re.match(r"(?:MIGRATED )?(.*) TEST from", line):
        test, unit, header = found.group(1), "", []
    elif words[-1:] and words[-1] in UNITS:
        unit = UNITS[words[-1]]
    elif words[-2:] == ["per", "sec"]:
        unit = "trans/s"
    elif line.startswith("Throughput,"):
        header = line.split(",")
    elif header and line.count(",") == len(header) - 1:
        for name, value in zip(header, line.split(",")):
            if name in CSV:
                emit(test, CSV[name][0], CSV[name][1], number(value))
    elif unit == "trans/s" and len(words) == 6:
        emit(point(test, request=words[2], response=words[3]), "transactions", unit, float(words[5]))
    elif unit and words and all(number(word) is not None for word in words):
        if len(words) == 6:
            emit(test, "sent_throughput", unit, float(words[5]))
        elif len(words) == 5 or (len(words) == 4 and "UDP" in test):
            emit(test, "throughput", unit, float(words[-1]))
