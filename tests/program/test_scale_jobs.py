#!/usr/bin/env python3
"""docs/scale.md counts with what the program asks of a store, and not with what somebody believes it asks: the jobs of
tests/bench/scale_simulation.py are run against the stand-in, and every request is counted."""
import collections
import datetime
import hashlib
import pathlib
import sys

from harness import SOURCE, check, equal, finish
from s3_server import Machine, Server, put

sys.path.append(str(SOURCE / "tests/bench"))
import scale_simulation  # noqa: E402

KINDS = ("LIST", "GET", "PUT", "DELETE", "HEAD")
WORDS = ("--family", "f", "--measurement", "rows", "--headline", "row1.latency_ms")


def rows(value):
    return {f"row{k}.latency_ms": [value + k, value + 0.1 + k, value + 0.2 + k] for k in range(20)}


def line_of_40(server, machine):
    """An entry's files under forty names, a quarter of an hour apart: nothing is asked of the program that could be counted."""
    entry = machine.json("record", *WORDS, "--source", machine.write("seed.json", rows(1.0)))
    there = pathlib.Path(entry["local_dir"])
    files = {path.name: path.read_bytes() for path in there.iterdir()}
    for line in files["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        equal(hashlib.sha256(files[name]).hexdigest(), digest, name)
    now = datetime.datetime.now(datetime.timezone.utc)
    for i in range(1, 40):
        slug = (now - i * datetime.timedelta(minutes=15)).strftime("%Y%m%dT%H%M%S") + f"{i:06d}Z"
        for name, content in files.items():
            put(server, f"{machine.prefix}/experiments/artifacts/perf-baselines/f/rows/{slug}/{name}", content)
    return entry["slug"]


def counted(server, *jobs):
    server.ask("_reset")
    for job in jobs:
        job()
    counts = collections.Counter("LIST" if "list-type" in request else request.split(" ", 1)[0] for request in server.ask("_log"))
    check(set(counts) <= set(KINDS), counts)
    return {kind: counts[kind] for kind in KINDS}


def main():
    with Server() as server, Machine(server) as first:
        slug = line_of_40(server, first)
        first.json("accept", f"f/rows@{slug}", "--reason", "the reference")
        first.json("diff", "f/rows", first.write("before.json", rows(1.01)))
        with Machine(server, first.prefix) as runner:
            now = runner.write("now.json", rows(1.02))
            diff = lambda: runner.json("diff", "f/rows", now)  # noqa: E731
            record = lambda: runner.json("record", *WORDS, "--source", now)  # noqa: E731
            found = {"cold": counted(server, diff, record), "warm": counted(server, diff, record), "record only": counted(server, record)}
    for job, counts in found.items():
        equal(scale_simulation.JOBS[job], counts, f"requests of a job, {job}")
    # And the page says the same.
    page = (SOURCE / "docs/scale.md").read_text()
    for job, counts in found.items():
        line = f"| **{'a ' + job + ' job' if job != 'record only' else 'recording alone'}** | " + " | ".join(f"**{counts[k]}**" for k in KINDS[:3]) + " |"
        check(line in page, f"docs/scale.md lacks: {line}")
    finish()


if __name__ == "__main__":
    main()
