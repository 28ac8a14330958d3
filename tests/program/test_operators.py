#!/usr/bin/env python3
"""What whoever runs the server asks it: /healthz, /readyz, and /metrics in both forms, read by a reader of the tests' own."""
import os

import openmetrics
from harness import Root, check, equal, finish
from serving import MODERN, Http, Server

OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PLAIN = "text/plain; version=0.0.4; charset=utf-8"
QUIET = ("--audit-log", "off")


def values(families, name):
    return {tuple(sorted(labels.items())): value for sample, labels, value in families[name].samples if sample.startswith(name)}


with Root() as root:
    root.write("a.json", {"latency_ms": 1.5})
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        client = Http(server.url, MODERN)
        for _ in range(3):
            client.value("measurement_inspect", path="a.json")
        client.problem("measurement_inspect", path="absent.json")
        # A call is counted when it has ended, which its client may learn a moment before.
        while 'tool="measurement_inspect",outcome="error"} 1' not in client.open("GET", path="/metrics").read().decode():
            pass

        def page(accept):
            response = client.open("GET", path="/metrics", headers={"Accept": accept})
            return response.getheader("Content-Type"), response.read().decode()

        prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
        for accept, wanted in {"*/*": PLAIN, "text/plain": PLAIN, "application/json": PLAIN, prometheus: OPEN,
                               "application/openmetrics-text": OPEN, "application/openmetrics-text; version=1.0.0": OPEN,
                               "application/openmetrics-text; version=0.0.1": PLAIN, "application/openmetrics-text;q=0": PLAIN,
                               "application/openmetrics-text;q=0.2,text/plain": PLAIN,
                               "application/openmetrics-text,*/*;q=0.9,text/plain;q=0": OPEN}.items():
            kind, text = page(accept)
            equal(kind, wanted, f"Accept: {accept}")
            try:
                families = openmetrics.read(text, wanted == OPEN)
            except openmetrics.Wrong as wrong:
                check(False, f"{accept}: {wrong}")
                continue
            total = "" if wanted == OPEN else "_total"
            equal(values(families, "plumbline_tool_calls" + total),
                  {(("outcome", "ok"), ("tool", "measurement_inspect")): 3.0, (("outcome", "error"), ("tool", "measurement_inspect")): 1.0},
                  f"{accept}: calls by outcome")
            histogram = families["plumbline_tool_call_duration_seconds"]
            counts = [value for sample, labels, value in histogram.samples if sample.endswith("_count")]
            equal(counts, [4.0], f"{accept}: each call is in the histogram of its tool")
            check(len(histogram.samples) >= 10, f"{accept}: with its buckets")
            if wanted == OPEN:
                equal({name: family.unit for name, family in families.items() if family.unit},
                      {"plumbline_uptime_seconds": "seconds", "plumbline_tool_call_duration_seconds": "seconds", "plumbline_uploaded_bytes": "bytes",
                       "plumbline_received_bytes": "bytes", "plumbline_sent_bytes": "bytes"}, "units")
        equal(client.open("GET", path="/healthz").read(), b"ok\n", "healthz")
        ready = client.open("GET", path="/readyz")
        equal((ready.status, ready.read()), (200, b"ready\n"), "readyz")
        equal(client.open("POST", path="/readyz", message=b"{}").status, 405, "readyz takes no body")
        proxied = client.open("GET", path="/readyz", headers={"X-Forwarded-For": "10.0.0.1"})
        equal(proxied.status, 200, "whoever watches over many servers asks from elsewhere")
        # A root that is taken away and comes back.
        away = root.path.with_name(root.path.name + "-away")
        os.rename(root.path, away)
        refused = client.open("GET", path="/readyz")
        equal((refused.status, refused.read()), (503, b"the root cannot be read: No such file or directory\n"), "without its root")
        equal(client.open("GET", path="/healthz").status, 200, "it lives all the same")
        os.rename(away, root.path)
        equal(client.open("GET", path="/readyz").status, 200, "and again")

finish()
