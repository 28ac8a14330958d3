#!/usr/bin/env python3
"""How long one request of a server behind S3 takes: a connection, a PUT under the condition, a GET, a page of a listing.

Usage: s3_latency.py [--requests N] [--connections N] [--out FILE]

Asks the server that PLUMBLINE_TEST_S3 names (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, a bucket "perf"), else the stand-in, whose times say
nothing of a server: they are marked, and scale_simulation.py refuses them. With several connections the figure is what one of them waits
while the others are served, so that connections divided by it is what the server does in a second. What was put stays there, below
latency-HEX/; the file of --out is what `scale_simulation.py --latencies FILE` reads."""
import argparse
import http.client
import json
import os
import pathlib
import statistics
import sys
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "program"), str(HERE.parent / "support")]
from s3_server import Server, signed_headers  # noqa: E402

OBJECT = b"x" * 2000  # a file of an entry
PAGE = 1000


def connected(endpoint):
    url = urllib.parse.urlsplit(endpoint)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.netloc, timeout=60)
    connection.connect()
    return connection


def asked(connection, server, method, path, query="", content=b"", more=()):
    headers = signed_headers(server.endpoint, server.keys, method, path, query, content, more)
    began = time.perf_counter()
    connection.request(method, path + ("?" + query if query else ""), content or None, headers)
    answer = connection.getresponse()
    body = answer.read()
    took = time.perf_counter() - began
    if answer.status != 200:
        raise SystemExit(f"{method} {path}: {answer.status} {body[:300]!r}")
    return took


def on_each(connections, requests, ask):
    """How long each of the requests took, shared out among connections that ask at the same time; and how long all of them took."""
    took, wrong = [], []

    def work(number):
        try:
            mine = [ask(connections[number], i) for i in range(number, requests, len(connections))]
            took.extend(mine)
        except (OSError, http.client.HTTPException, SystemExit) as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(connections))]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise SystemExit(f"{wrong[0]}")
    return took, time.perf_counter() - began


def measure(server, requests, count):
    out = {"server": server.endpoint if server.real else "stand-in", "stand_in": not server.real, "connections": count, "requests": requests}
    took = []
    for _ in range(min(requests, 100)):
        began = time.perf_counter()
        connected(server.endpoint).close()
        took.append(time.perf_counter() - began)
    out["connect"] = {"median_s": statistics.median(took), "mean_s": statistics.fmean(took), "most_s": max(took)}
    connections = [connected(server.endpoint) for _ in range(count)]
    prefix = "latency-" + os.urandom(6).hex() + "/"
    path = lambda i: f"/perf/{prefix}{i:06d}"  # noqa: E731
    page = f"list-type=2&max-keys={PAGE}&prefix={urllib.parse.quote(prefix, safe='')}"
    kinds = {"PUT": lambda c, i: asked(c, server, "PUT", path(i), content=OBJECT, more=[("if-none-match", "*")]),
             "GET": lambda c, i: asked(c, server, "GET", path(i)),
             "LIST": lambda c, _: asked(c, server, "GET", "/perf", page)}
    keys = max(requests, PAGE)
    for kind, ask in kinds.items():
        number = keys if kind == "PUT" else max(requests // 10, count) if kind == "LIST" else requests
        took, whole = on_each(connections, number, ask)
        out[kind] = {"median_s": statistics.median(took), "mean_s": statistics.fmean(took), "most_s": max(took), "a_second": number / whole}
    for connection in connections:
        connection.close()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    with Server() as server:
        out = measure(server, given.requests, given.connections)
    print(f"{out['server']}, {given.connections} connections" + (": a stand-in, no server" if out["stand_in"] else ""))
    for kind in ("connect", "PUT", "GET", "LIST"):
        one = out[kind]
        print(f"| {kind} | median {1000 * one['median_s']:.2f} ms | mean {1000 * one['mean_s']:.2f} ms | most {1000 * one['most_s']:.1f} ms |"
              + (f" {one['a_second']:.0f}/s |" if "a_second" in one else ""))
    if given.out:
        given.out.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
