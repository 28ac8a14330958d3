#!/usr/bin/env python3
"""sockperf: the average, percentiles and lost messages of a client, or the rates of a throughput test."""
import re

from rows import emit, text

told = text()
for pattern, unit, *names in (
        (r"====> avg-(?:latency|rtt)=([\d.]+) \(std-dev=([\d.]+)", "us", "latency.avg", "latency.stddev"),
        (r"<MAX> observation =\s*([\d.]+)", "us", "latency.max"), (r"<MIN> observation =\s*([\d.]+)", "us", "latency.min"),
        (r"# dropped messages = (\d+); # duplicated messages = (\d+); # out-of-order messages = (\d+)", "", "dropped_messages",
         "duplicated_messages", "out_of_order_messages"),
        (r"Message Rate is (\d+) \[msg/sec\]", "msg/s", "message_rate"), (r"BandWidth is ([\d.]+) MBps", "MiB/s", "bandwidth")):
    if found := re.search(pattern, told):
        for name, value in zip(names, found.groups()):
            emit("", name, unit, float(value))
for percent, value in re.findall(r"---> percentile ([\d.]+) =\s*([\d.]+)", told):
    emit("", "latency.p" + percent.rstrip("0").rstrip("."), "us", float(value))
