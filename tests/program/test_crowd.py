#!/usr/bin/env python3
"""More connections than there is room for: a new client is answered all the same, and who has been idle for longest makes room."""
import re
import resource
import select
import time

from harness import Root, check, equal, finish
from serving import MODERN, Http, Lines, Server, Stream, connect

QUIET = ("--audit-log", "off")
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


def with_descriptors(most, soft=None):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft or most, most))


def is_closed(opened):
    """By the server, without a word."""
    ready, _, _ = select.select([opened], [], [], 0)
    try:
        return bool(ready) and opened.recv(1) == b""
    except ConnectionResetError:
        return True


def ask(opened, over):
    if over != "http":
        opened.sendall(PING)
    else:
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    got = b""
    while not got.endswith(b"\n"):
        piece = opened.recv(4096)
        if not piece:
            raise AssertionError(f"{over}: the server hung up after {got!r}")
        got += piece
    return got


def closed_of(crowd):
    return [number for number, opened in enumerate(crowd) if is_closed(opened)]


# 200 descriptors leave room for 100 connections. Those that came first were heard of last the longest time ago.
for over in ("http", "tcp", "unix"):
    with Root() as root:
        place = root.path / "s.sock" if over == "unix" else "127.0.0.1:0"
        with Server(root, "--" + over, place, *QUIET, preexec_fn=with_descriptors(200, 100)) as server:
            address = server.address(over)
            said = [line for line in server.lines if "limit of 200 open files" in line]
            equal(said, ["plumbline: warning: the limit of 200 open files leaves room for 100 connections of 5120: raise it "
                         "(ulimit -n, LimitNOFILE)"], f"{over}: what is too few is said at the start")
            crowd, began = [], time.monotonic()
            for _ in range(130):
                crowd.append(connect(address))
                ask(crowd[-1], over)
            gone = closed_of(crowd)
            equal(gone, list(range(30)), f"{over}: the idlest make room, in order")
            busy = crowd[30]
            ask(busy, over)
            newcomer = connect(address)
            check(b"result" in ask(newcomer, over) or over == "http", f"{over}: a new client is answered")
            equal(closed_of(crowd[30:]), [1], f"{over}: whoever has just asked is not the idlest")
            lines = [line for line in server.lines if "closed to let others in" in line]
            most = 2 + (time.monotonic() - began) / 10
            check(1 <= len(lines) <= most, f"{over}: the log is told at once, and then at most every ten seconds: {lines}")
            equal(re.sub(r"\d+\.\d s", "N s", lines[0]),
                  "plumbline: warning: 1 connection was closed to let others in, idle for N s (100 "
                  + ("on Unix sockets" if over == "unix" else "over TCP and HTTP") + " are open, as many as there may be)", f"{over}: the log")
            for opened in crowd + [newcomer]:
                opened.close()
        told = [int(found[1]) for line in server.lines if (found := re.search(r"(\d+) connections? (?:was|were) closed to let", line))]
        equal(sum(told), 31, f"{over}: at the end all are told: {told}")

# TCP and Unix sockets do not take each other's room, and a call that runs is never closed.
with Root() as root:
    with Server(root, "--http", "127.0.0.1:0", "--unix", root.path / "s.sock", *QUIET, preexec_fn=with_descriptors(200)) as server:
        lines = Lines.to(server.address("unix"))
        modern = Http(server.url, MODERN)
        listen = {"notifications": {"resourceSubscriptions": ["plumbline://baselines/f/m/newest"]}}
        listener = Stream(modern, modern.post(modern.request("subscriptions/listen", listen)))
        equal(listener.next()["method"], "notifications/subscriptions/acknowledged", "a stream that listens")
        crowd = [connect(server.address("http")) for _ in range(120)]
        for opened in crowd:
            try:
                ask(opened, "http")
            except (AssertionError, ConnectionError):
                pass  # closed before it asked: the ones behind it came meanwhile
        equal(lines.ask("ping")["result"], {}, "a flood over HTTP does not close a conversation on the Unix socket")
        check(not closed_of(crowd[-50:]), "those that came last are there")
        metrics = Http(server.url, MODERN).open("GET", path="/metrics").read().decode()
        evicted = int(re.search(r"^plumbline_connections_evicted_total (\d+)$", metrics, re.M)[1])
        check(evicted > 30, f"counted: {evicted}")
        check(listener.messages.empty(), "a stream that listens is not idle")
        for opened in crowd:
            opened.close()

finish()
