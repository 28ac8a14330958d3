#!/usr/bin/env python3
"""A thousand digests of ranks merged into one, and two such jobs compared, through the program: wall time and the most memory that
was resident. The ranks' digests are made of CAPTURE's: other rank, other lengths of steps and kernels. Nothing else is drawn, so the
sizes are those of real ranks. Usage: digest_merge.py PLUMBLINE CAPTURE [RANKS]"""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time


def measured(command):
    """Seconds, those of processors, and resident MiB of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tempfile.gettempdir())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[:4]} ended with {process.returncode}")
    return f"{time.perf_counter() - begin:.2f} s ({usage.ru_utime + usage.ru_stime:.2f} s of processors), {usage.ru_maxrss / 1024:.0f} MiB resident"


def other_rank(digest, rank, slower):
    """The digest of another rank: kernels and their buckets a little longer, steps too."""
    chance = random.Random(rank)
    digest = json.loads(digest)
    digest["rank"] = rank
    digest["context"]["environment.host"] = f"node{rank // 8}"
    steps = digest.get("steps", {}).get("steps", {})
    for i, wall in enumerate(steps.get("wall_ns", [])):
        more = int(wall * (slower + chance.uniform(0, 0.02)))
        for column in ("wall_ns", "span_ns", "idle_ns"):
            steps[column][i] += more
        if "idle_split" in steps:
            steps["idle_split"].setdefault("other_ns", [0] * len(steps["wall_ns"]))[i] += more
    skips, first = digest["kernels"].get("sketch", {}), 0
    for of in skips.get("of", []):
        if of:
            skips["skip"][first] += chance.randrange(3)
        first += of
    return json.dumps(digest, separators=(",", ":"))


def main():
    plumbline, capture, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    with tempfile.TemporaryDirectory() as folder:
        one = os.path.join(folder, "one.json.gz")
        subprocess.run([plumbline, "digest", capture, "--out", one], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        digest = gzip.open(one, "rt").read()
        for job, slower in (("before", 0), ("after", 0.1)):
            os.mkdir(os.path.join(folder, job))
            for rank in range(ranks):
                with gzip.open(os.path.join(folder, job, f"rank{rank}.json.gz"), "wt", 1) as file:
                    file.write(other_rank(digest, rank, slower))
        print(f"{ranks} digests of {os.path.getsize(one)} bytes each")
        for job in ("before", "after"):
            out = os.path.join(folder, f"{job}.json.gz")
            took = measured([plumbline, "digest", os.path.join(folder, job), "--out", out])
            print(f"merged: {took}; {os.path.getsize(out)} bytes")
        took = measured([plumbline, "profile-diff", os.path.join(folder, "before.json.gz"), os.path.join(folder, "after.json.gz")])
        print(f"two jobs compared: {took}")
        took = measured([plumbline, "profile-diff", os.path.join(folder, "before"), os.path.join(folder, "after")])
        print(f"two folders of {ranks} digests merged and compared: {took}")


if __name__ == "__main__":
    main()
