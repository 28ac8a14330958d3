#!/usr/bin/env python3
"""How soon the program answers `initialize` over stdio, and the memory it then holds.

Usage: PLUMBLINE=B/bin/plumbline tests/bench/mcp_start.py [RUNS]     default: 20 runs
The time runs from before the process is made to the answer's last byte; memory is VmRSS and VmHWM of /proc. Ends with 1 when the
median start is above 6 ms or the median memory after one tools/list above 10 MB: figures of a quiet machine. 1 MB is 1,000,000 bytes.
"""
import json
import os
import statistics
import subprocess
import sys
import time

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
START_MS, IDLE_MB = 6, 10
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def ask(server, message):
    server.stdin.write(json.dumps(message).encode() + b"\n")
    return server.stdout.readline()


def memory(pid):
    fields = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
    return {name: int(fields[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM", "RssAnon")}


def show(what, runs):
    middle = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    print(f"{what:22}" + "  ".join(f"{name} {value:.2f} MB" for name, value in middle.items()))
    return middle


def main(runs):
    answered, listed, first, idle, tools = [], [], [], [], b""
    for _ in range(runs):
        began = time.perf_counter()
        server = subprocess.Popen([PLUMBLINE, "serve", "--stdio"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server.stdout = os.fdopen(os.dup(server.stdout.fileno()), "rb")  # buffered: readline in one read
        ask(server, INITIALIZE)
        answered.append(time.perf_counter() - began)
        first.append(memory(server.pid))
        began = time.perf_counter()
        tools = ask(server, LIST)
        listed.append(time.perf_counter() - began)
        idle.append(memory(server.pid))
        server.stdin.close()
        server.wait()
    for what, times in (("initialize answered", answered), ("tools/list answered", listed)):
        print(f"{what:22}median {statistics.median(times) * 1e3:.2f} ms  best {min(times) * 1e3:.2f} ms  of {runs} runs")
    show("after initialize", first)
    held = show("after one tools/list", idle)["VmRSS"]
    print(f"{'tools/list':22}{len(tools)} bytes")
    took = statistics.median(answered) * 1e3
    for what, got, bar, unit in (("start", took, START_MS, "ms"), ("idle memory", held, IDLE_MB, "MB")):
        print(f"{what:22}{got:.2f} {unit}, at most {bar}: {'met' if got <= bar else 'MISSED'}")
    return 0 if took <= START_MS and held <= IDLE_MB else 1


sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
