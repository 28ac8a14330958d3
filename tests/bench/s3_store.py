#!/usr/bin/env python3
"""Figures of the store in a bucket: entries a second, and how long the names of a long line take. Against the server that
PLUMBLINE_TEST_S3 names, and then what is asked of it is judged: 40 records a second, 20,000 keys walked in 2 seconds; exit status 1 where
it is not so. Else against the stand-in, whose times say little: they are printed, and judged with --judge alone."""
import argparse
import concurrent.futures
import datetime
import hashlib
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "program"), str(HERE.parent / "support")]
from harness import PLUMBLINE, check, finish  # noqa: E402
from s3_server import Machine, Server  # noqa: E402
from s3_standin import sign  # noqa: E402

RECORDS, WRITERS = 200, 8
RECORDS_A_SECOND, WALK_SECONDS = 40, 2.0  # that is asked for; the walk is of 20,000 keys
KEYS = int(os.environ.get("KEYS", 20_000))


def record(machine, env, i):
    source = machine.write(f"in{i}.txt", f"{i}\n")
    done = subprocess.run([PLUMBLINE, "record", "--family", "f", "--measurement", f"m{i % WRITERS}", "--source", source, "--unit", "ms",
                           "--direction", "lower-is-better", "--json"], cwd=machine.path, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def put_all(server, keys):
    """Small objects, on one connection."""
    host = server.endpoint.removeprefix("http://")
    connection = http.client.HTTPConnection(host)
    body = b"{}"
    payload = hashlib.sha256(body).hexdigest()
    for key in keys:
        path = "/perf/" + urllib.parse.quote(key, safe="-._~/")
        stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        scope = f"{stamp[:8]}/us-east-1/s3/aws4_request"
        headers = {"host": host, "x-amz-content-sha256": payload, "x-amz-date": stamp}
        canonical = "\n".join(["PUT", path, "", *[f"{name}:{headers[name]}" for name in sorted(headers)], "", ";".join(sorted(headers)), payload])
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signature = sign(server.keys["AWS_SECRET_ACCESS_KEY"], scope, text)
        headers["Authorization"] = (f"AWS4-HMAC-SHA256 Credential={server.keys['AWS_ACCESS_KEY_ID']}/{scope}, "
                                    f"SignedHeaders={';'.join(sorted(headers))}, Signature={signature}")
        connection.request("PUT", path, body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"PUT {path}: {answer.status}")


def history(machine, env, measurement):
    times = []
    for _ in range(3):
        began = time.monotonic()
        done = subprocess.run([PLUMBLINE, "history", f"f/{measurement}", "--json"], cwd=machine.path, env=env, capture_output=True, text=True)
        times.append(time.monotonic() - began)
        check(done.returncode == 0, done.stderr)
    return min(times), max(times), json.loads(done.stdout)["entries"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--judge", action="store_true", help="the stand-in's times, too")
    with Server() as server, Machine(server) as machine:
        judged = parser.parse_args().judge or bool(server.real)
        env = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")} | machine.env
        record(machine, env, 0)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(lambda i: record(machine, env, i), range(RECORDS)))
        a_second = RECORDS / (time.monotonic() - began)
        print(f"{a_second:.0f} records/s by {WRITERS} writers, a process each" + ("" if server.real else " (stand-in)"))
        check(not judged or a_second >= RECORDS_A_SECOND, f"{a_second:.0f} records/s, where {RECORDS_A_SECOND} are asked for")
        least, most, entries = history(machine, env, "m1")
        print(f"history of {len(entries)} entries {least:.2f} s, the first time {most:.2f} s")
        # Keys of uploads that never ended: their names are walked, and nothing of them is fetched.
        line = f"{machine.prefix}/experiments/artifacts/perf-baselines/f/m2/"
        keys = [f"{line}20250101T{i // 3600 % 24:02d}{i // 60 % 60:02d}{i % 60:02d}{i:06d}Z/baseline.json" for i in range(KEYS)]
        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(lambda i: put_all(server, keys[i::WRITERS]), range(WRITERS)))
        plain = history(machine, env, "m1")[0]
        walked, _, _ = history(machine, env, "m2")
        print(f"{KEYS} keys walked in {walked - plain:.2f} s (history of a line with them, less one without)" + ("" if server.real else " (stand-in)"))
        allowed = WALK_SECONDS * KEYS / 20_000
        check(not judged or walked - plain <= allowed, f"{KEYS} keys walked in {walked - plain:.2f} s, where {allowed:.1f} s are asked for")
    finish()


if __name__ == "__main__":
    main()
