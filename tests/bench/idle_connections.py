#!/usr/bin/env python3
"""How soon a new client is answered while many others are connected and idle. Ends with 1 when one of them waits for more than a second.

Usage: PLUMBLINE=B/bin/plumbline tests/bench/idle_connections.py [CONNECTIONS LIMIT]...    default: 1100 1024 4000 5376
LIMIT is the server's hard limit of open files. The time runs from before the connection is made to the answer's last byte, over
HTTP, TCP and a Unix socket; it is the longest of ten new clients, one after the other.
"""
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


def connect(address):
    if address.startswith("unix:"):
        opened = socket.socket(socket.AF_UNIX)
        opened.settimeout(120)
        opened.connect(address[5:])
        return opened
    host, port = re.search(r"://([^:/]+):(\d+)", address).groups()
    return socket.create_connection((host, int(port)), 120)


def ask(opened, over):
    opened.sendall(HEALTH if over == "http" else PING)
    got = b""
    while not got.endswith(b"\n"):
        piece = opened.recv(4096)
        if not piece:
            raise ConnectionError("closed")
        got += piece


def one(over, connections, limit):
    with tempfile.TemporaryDirectory() as folder:
        place = folder + "/s.sock" if over == "unix" else "127.0.0.1:0"
        server = subprocess.Popen([PLUMBLINE, "serve", "--" + over, place, "--repo-root", folder, "--audit-log", "off"],
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        address = None
        for line in server.stderr:
            if b"listening on " in line:
                address = line.decode().split("listening on ")[1].strip()
                break
        crowd = []
        for _ in range(connections):
            crowd.append(connect(address))
            ask(crowd[-1], over)
        times = []
        for _ in range(10):
            began = time.perf_counter()
            newcomer = connect(address)
            ask(newcomer, over)
            times.append(time.perf_counter() - began)
            crowd.append(newcomer)
        print(f"{over:5} {connections} idle at a limit of {limit}: a new client is answered within {max(times) * 1000:.1f} ms")
        sys.stdout.flush()
        server.terminate()
        server.stderr.read()
        server.wait()
        for opened in crowd:
            opened.close()
        return max(times)


def main(words):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    numbers = [int(word) for word in words] or [1100, 1024, 4000, 5376]
    longest = max(one(over, connections, limit)
                  for connections, limit in zip(numbers[::2], numbers[1::2]) for over in ("http", "tcp", "unix"))
    print(f"longest {longest * 1000:.1f} ms, at most 1000: {'met' if longest <= 1 else 'MISSED'}")
    return 0 if longest <= 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
