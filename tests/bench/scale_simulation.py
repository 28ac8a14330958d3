#!/usr/bin/env python3
"""What 10,000 runners ask of one S3 gateway and one PostgreSQL in their nightly hour, simulated request by request.

Usage: scale_simulation.py [--runners N] [--seed N] [--latencies FILE] [--quick] [--json]

Every runner starts a job within the jitter of its cron line: it resolves a baseline, reads it, judges, publishes the bundle, records
an entry, and tells the index. A job's requests follow one another. A request waits for one of the gateway's workers, which serves it
for a time drawn around what was measured. Same seed, same answer. docs/scale.md quotes these numbers.

Measured: on two shared cores, radosgw 16.2 on bluestore and PostgreSQL 15, both on loopback (small on purpose: what breaks there
breaks elsewhere at a higher rate). What was not measured says so."""
import argparse
import heapq
import json
import math
import pathlib
import random

# Seconds of service, workers beside one another, and where it comes from. A PUT alone takes 8.1 ms (123/s), four connections make
# 302/s: four workers of 13.2 ms each.
GATEWAYS = {
    "one small radosgw": {"workers": 4, "PUT": 4 / 302, "GET": 0.004, "LIST": 0.050, "connect": 0.004, "spread": 0.35,
                          "said": "PUT and LIST measured; a GET and a connection are assumed to take 4 ms (s3_latency.py measures them)"},
    "eight radosgw, own disks": {"workers": 32, "PUT": 4 / 302, "GET": 0.004, "LIST": 0.050, "connect": 0.004, "spread": 0.35,
                                 "said": "the same, eight times"},
    "a cloud's S3": {"workers": 100_000, "PUT": 0.060, "GET": 0.030, "LIST": 0.080, "connect": 0.060, "spread": 0.5,
                     "said": "not measured: usual first-byte times; per prefix 3,500 writes and 5,500 reads a second"},
}
# Sixteen connections 331 records/s, as the program puts them on two cores that had other work; a resolve 0.7 ms in three statements; a connection is a process and a handshake.
POSTGRES = {"workers": 16, "record": 16 / 331, "resolve": 0.0007, "connect": 0.004, "spread": 0.35}

# What a job asks of the store, as tests/program/test_scale_jobs.py counts it at the program (and fails where this is not what it asks).
# A measurement with 40 entries, one of them accepted, 20 rows each; a job is a `diff` with its bundle, then a `record`. An ephemeral
# runner has no copy of anything: it asks the server whether it keeps the condition (the probe), and reads 31 entries for noise floors.
JOBS = {
    "cold": {"LIST": 4, "GET": 128, "PUT": 34, "DELETE": 1, "HEAD": 0},
    "warm": {"LIST": 4, "GET": 1, "PUT": 18, "DELETE": 0, "HEAD": 0},
    "record only": {"LIST": 1, "GET": 0, "PUT": 5, "DELETE": 0, "HEAD": 0},
}
PROCESSES = {"cold": 2, "warm": 2, "record only": 1}
PRICES = {"PUT": 0.005 / 1000, "LIST": 0.005 / 1000, "GET": 0.0004 / 1000, "GB month": 0.022}  # list prices, us-east-1
KILOBYTES = {"entry": 24, "bundle": 96}


def measured_gateway(latencies):
    """A gateway of what s3_latency.py measured: so many workers as it had connections, each busy for what the server did in a second."""
    if latencies["stand_in"]:
        raise SystemExit("these are the stand-in's latencies: they say nothing of a server. PLUMBLINE_TEST_S3 names one")
    workers = latencies["connections"]
    return {"workers": workers, **{kind: workers / latencies[kind]["a_second"] for kind in ("PUT", "GET", "LIST")}, "spread": 0.35,
            "connect": latencies["connect"]["mean_s"], "said": f"measured at {latencies['server']}"}


class Queue:
    """Workers that serve in the order of arrival."""

    def __init__(self, workers):
        self.free = [0.0] * min(workers, 200_000)
        self.busy = 0.0

    def serve(self, now, seconds):
        start = max(now, self.free[0])
        heapq.heapreplace(self.free, start + seconds)
        self.busy += seconds
        return start + seconds


def in_order(counts):
    """Listings first, then what is read, then what is written; it is the sum that makes the queue. Nothing is charged otherwise: a DELETE
    costs what a PUT does, a HEAD what a GET does."""
    return ["LIST"] * counts["LIST"] + ["GET"] * (counts["GET"] + counts["HEAD"]) + ["PUT"] * (counts["PUT"] + counts["DELETE"])


def night(gateway, job, runners, jitter, seed):
    """One job of every runner, started within `jitter` seconds; how long jobs took."""
    draw = random.Random(seed)
    spread = gateway["spread"]
    shift = -spread * spread / 2  # the mean stays what was measured

    def around(mean):
        return mean * math.exp(shift + spread * draw.gauss(0, 1))

    s3, database = Queue(gateway["workers"]), Queue(POSTGRES["workers"])
    requests = ["connect", "resolve", *in_order(JOBS[job]), "record"]
    began = sorted(draw.random() * jitter for _ in range(runners))
    events = [(at, number, 0) for number, at in enumerate(began)]
    heapq.heapify(events)
    took, last = [0.0] * runners, 0.0
    per_second = {}
    while events:
        now, number, at = heapq.heappop(events)
        request = requests[at]
        if at == 0:
            now += gateway["connect"] * PROCESSES[job]  # to the store; later requests keep the connection
        if request in POSTGRES:
            done = database.serve(now, around(POSTGRES[request]))
        else:
            done = s3.serve(now, around(gateway[request]))
            per_second[int(now)] = per_second.get(int(now), 0) + 1
        if at + 1 < len(requests):
            heapq.heappush(events, (done, number, at + 1))
        else:
            took[number] = done - began[number]
            last = max(last, done)
    took.sort()
    return {"p50_s": took[len(took) // 2], "p99_s": took[int(len(took) * 0.99)], "all_done_s": last, "requests": sum(JOBS[job].values()) * runners,
            "busiest_second": max(per_second.values()), "database_busy": database.busy / POSTGRES["workers"] / last,
            "gateway_busy": s3.busy / gateway["workers"] / last}


def month(jobs_a_day):
    """Requests and their price, by kind of job."""
    out = {}
    for job, requests in JOBS.items():  # a DELETE costs nothing
        count = {kind: requests[kind] * jobs_a_day * 30.4 for kind in ("PUT", "GET", "LIST")}
        out[job] = {**{kind: round(number) for kind, number in count.items()}, "dollars": round(sum(PRICES[kind] * number for kind, number in count.items()))}
    return out


def size(entries, bytes_an_entry, points_an_entry, months):
    """The index and the store on disk."""
    return {"index_GB": round(entries * bytes_an_entry / 1e9), "points": entries * points_an_entry, "partitions": months,
            "points_a_partition": round(entries * points_an_entry / months), "objects": entries * (4 + 10),
            "store_TB": round(entries * sum(KILOBYTES.values()) / 1e9, 1), "store_dollars_a_month": round(entries * sum(KILOBYTES.values()) / 1e6 * PRICES["GB month"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runners", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--bytes-an-entry", type=int, default=5200, help="of the index, with 20 values (tests/bench/pg_index.py measures it)")
    parser.add_argument("--latencies", type=pathlib.Path, help="of a server, as s3_latency.py --out wrote them: a gateway besides")
    parser.add_argument("--quick", action="store_true", help="a tenth of the runners, one jitter")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    runners = given.runners // 10 if given.quick else given.runners
    if given.latencies:
        GATEWAYS["as measured"] = measured_gateway(json.loads(given.latencies.read_text()))
    nights = []
    for name, gateway in GATEWAYS.items():
        for job in JOBS:
            for jitter in (600,) if given.quick else (60, 600, 3600):
                nights.append({"gateway": name, "job": job, "jitter_s": jitter, **night(gateway, job, runners, jitter, given.seed)})
    out = {"runners": runners, "seed": given.seed, "nights": nights, "month": month(100_000), "size": size(100_000_000, given.bytes_an_entry, 20, 33)}
    if given.json:
        print(json.dumps(out, indent=1))
        return
    print(f"{runners} runners, one job each, seed {given.seed}")
    print("| gateway | job | starts within | requests | busiest second | p50 | p99 | all done | gateway busy | database busy |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for one in nights:
        print(f"| {one['gateway']} | {one['job']} | {one['jitter_s']} s | {one['requests']:,} | {one['busiest_second']:,} | {one['p50_s']:.1f} s | {one['p99_s']:.1f} s |"
              f" {one['all_done_s'] / 60:.1f} min | {one['gateway_busy']:.0%} | {one['database_busy']:.1%} |")
    print("a month of 100,000 jobs a day:", json.dumps(out["month"]))
    print("10^8 entries and as many bundles:", json.dumps(out["size"]))


if __name__ == "__main__":
    main()
