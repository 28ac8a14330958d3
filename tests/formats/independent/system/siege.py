#!/usr/bin/env python3
"""siege: the figures it prints at its end."""
import re

from rows import NUMBER, emit, lines

NAMES = {"Transactions": ("transactions", ""), "Availability": ("availability", "%"), "Elapsed time": ("elapsed_time", "s"),
         "Data transferred": ("data_transferred", "MB"), "Response time": ("response_time", "s"),
         "Transaction rate": ("transaction_rate", "1/s"), "Throughput": ("throughput", "MB/s"),
         "Concurrency": ("concurrency", ""), "Successful transactions": ("successful_transactions", ""),
         "Failed transactions": ("failed_transactions", ""), "Longest transaction": ("longest_transaction", "s"),
         "Shortest transaction": ("shortest_transaction", "s")}
for line in lines():
    found = re.match(rf"(\w[\w ]*):\s+({NUMBER})(?:\s|$)", line)
    if found and found.group(1) in NAMES:
        emit("", *NAMES[found.group(1)], float(found.group(2)))
