#!/usr/bin/env python3
"""How soon the program answers `initialize` over stdio, and the memory it then holds. Prints figures, judges nothing.

Usage: PLUMBLINE=B/bin/plumbline tests/bench/mcp_start.py [RUNS]     default: 20 runs
The time runs from before the process is made to the answer's last byte; memory is VmRSS and VmHWM of /proc.
"""
import json
import os
import statistics
import subprocess
import sys
import time

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def ask(server, message):
    server.stdin.write(json.dumps(message).encode() + b"\n")
    return server.stdout.readline()


def memory(pid):
    fields = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
    return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM", "RssAnon")}


def show(what, figures):
    print(f"{what:22}" + "  ".join(f"{name} {value:.2f} MB" for name, value in figures.items()))


def main(runs):
    answered, listed, tools = [], [], b""
    for _ in range(runs):
        began = time.perf_counter()
        server = subprocess.Popen([PLUMBLINE, "serve", "--stdio"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        server.stdout = os.fdopen(os.dup(server.stdout.fileno()), "rb")  # buffered: readline in one read
        ask(server, INITIALIZE)
        answered.append(time.perf_counter() - began)
        after_initialize = memory(server.pid)
        began = time.perf_counter()
        tools = ask(server, LIST)
        listed.append(time.perf_counter() - began)
        after_list = memory(server.pid)
        server.stdin.close()
        server.wait()
    for what, times in (("initialize answered", answered), ("tools/list answered", listed)):
        print(f"{what:22}median {statistics.median(times) * 1e3:.2f} ms  best {min(times) * 1e3:.2f} ms  of {runs} runs")
    show("after initialize", after_initialize)
    show("after one tools/list", after_list)
    print(f"{'tools/list':22}{len(tools)} bytes")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
