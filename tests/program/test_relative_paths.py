#!/usr/bin/env python3
"""Relative paths of clients on sockets are taken from the root, wherever the server was started; errors say so and give the absolute
path that was tried."""
import json
import os

from harness import Root, check, equal, finish
from serving import MODERN, Http, Lines, Server

QUIET = ("--audit-log", "off")

with Root() as started:
    root = os.path.realpath(started.path / "served")
    started.write("a.json", {"not": "this one"})
    for number, value in enumerate((1.0, 1.01, 2.0)):
        started.write(f"served/results/{number}.json", {"latency_ms": value})
    os.symlink("results", started.path / "served/linked")
    with Server(started, "--http", "127.0.0.1:0", "--unix", started.path / "s.sock", "--repo-root", "served", *QUIET) as server:
        for client in (Http(server.url, MODERN), Lines.to(server.address("unix"))):
            over = type(client).__name__
            equal(client.value("measurement_inspect", path="results/0.json")["rows"][0]["values"], [1], f"{over}: inspect")
            recorded = client.value("perf_baseline_record", family="f", measurement=over.lower(), source="results/0.json")
            check(root in json.dumps(recorded), f"{over}: recorded below the root: {recorded}")
            equal(client.value("perf_baseline_diff", baseline=f"f/{over.lower()}", current=["results/1.json"])["verdict"], "GREEN", f"{over}: diff with an entry")
            equal(client.value("perf_baseline_diff", baseline="results/0.json", current=["linked/2.json"])["verdict"], "RED", f"{over}: diff of two files")
            siblings = client.value("measurement_outliers", paths=["results/0.json", "results/1.json", "results/2.json"])
            check(siblings, f"{over}: outliers")
            # what is not there
            error = client.problem("measurement_inspect", path="results/absent.json")
            equal((error["code"], error["message"]), ("not_found", f"path does not exist: {root}/results/absent.json"), f"{over}: the absolute path is tried")
            check(error["hint"].endswith(f"; the server takes relative paths from {root}: results/absent.json is {root}/results/absent.json"),
                  f"{over}: and why: {error['hint']}")
            error = client.problem("perf_baseline_diff", baseline="results/0.json", current=["results/2.jsn"])
            equal(error["hint"], f"did you mean {root}/results/2.json?; the server takes relative paths from {root}: results/2.jsn is "
                  f"{root}/results/2.jsn", f"{over}: behind the nearest name")
            error = client.problem("measurement_inspect", path=str(started.path / "a.json"))
            equal((error["code"], "relative" in error["hint"]), ("path_not_allowed", False), f"{over}: an absolute path needs no such words")
            error = client.problem("measurement_inspect", path="../a.json")
            equal((error["code"], error["message"]), ("path_not_allowed", f"{root}/../a.json is outside the allowed roots"), f"{over}: a way out")
            check(error["hint"].endswith(f"the server takes relative paths from {root}: ../a.json is {root}/../a.json"), f"{over}: {error['hint']}")
        check(not list(started.path.glob("experiments")), "nothing is written where the server was started")

# With folders of --allow-root alone the first of them is what relative paths are taken from.
with Root() as started:
    started.write("one/a.json", {"latency_ms": 1.0})
    started.write("two/b.json", {"latency_ms": 1.0})
    with Server(started, "--http", "127.0.0.1:0", "--allow-root", "one", "--allow-root", "two", "--repo-root", "one", *QUIET) as server:
        client = Http(server.url, MODERN)
        client.value("measurement_inspect", path="a.json")
        client.value("measurement_inspect", path="../two/b.json")
        equal(client.problem("measurement_inspect", path="b.json")["code"], "not_found", "not from the second")

finish()
