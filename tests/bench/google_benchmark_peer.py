#!/usr/bin/env python3
"""How long `plumbline diff` of two Google Benchmark files takes, beside that project's own tools/compare.py over the same files.

usage: google_benchmark_peer.py PLUMBLINE [--compare PATH/TO/compare.py] [--python PYTHON] [--names N] [--repetitions N] [--runs N]

Makes two files of N names with ten repetitions each (seeded: the same bytes each time; every fifth benchmark of the second is
5 % slower) and runs both programs on them in one go. Without --compare, PLUMBLINE alone is measured. compare.py needs numpy and
scipy for its Mann-Whitney test (Debian: python3-numpy python3-scipy, then --python /usr/bin/python3). Prints the best and the
median wall time, processor time, peak memory and the ratios; asserts nothing: a figure depends on the machine and on who else
uses it.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

CONTEXT = {
    "date": "2026-01-31T10:00:00+00:00",
    "host_name": "node-1",
    "executable": "./bench",
    "num_cpus": 64,
    "mhz_per_cpu": 2600,
    "cpu_scaling_enabled": False,
    "caches": [],
    "load_avg": [0.1, 0.1, 0.1],
    "library_build_type": "release",
}


def write(path, seed, names, repetitions, slower):
    chance = random.Random(seed)
    entries = []
    for family in range(names):
        name = f"BM_Case{family // 8}/size:{64 << (family % 8)}"
        centre = 100 + family * (1.05 if slower and family % 5 == 0 else 1.0)
        for repetition in range(repetitions):
            taken = centre * chance.gauss(1, 0.01)
            entries.append(
                {
                    "name": name,
                    "family_index": family,
                    "per_family_instance_index": 0,
                    "run_name": name,
                    "run_type": "iteration",
                    "repetitions": repetitions,
                    "repetition_index": repetition,
                    "threads": 1,
                    "iterations": 1000 + family,
                    "real_time": taken,
                    "cpu_time": taken * 0.998,
                    "time_unit": "ns",
                }
            )
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"context": CONTEXT, "benchmarks": entries}, file, indent=2)


def measure(command, runs, **more):
    """Wall seconds of every run, the least processor seconds, and the largest peak memory in MB."""
    walls, cpu, peak = [], float("inf"), 0
    for _ in range(runs):
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
        message = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        walls.append(time.monotonic() - start)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {child.returncode}\n{message.decode(errors='replace')}")
        cpu = min(cpu, usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss / 1024)
    return walls, cpu, peak


def main():
    parser = argparse.ArgumentParser(description="plumbline diff beside Google Benchmark's compare.py")
    parser.add_argument("plumbline")
    parser.add_argument("--compare", help="tools/compare.py of a checkout of google/benchmark")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has numpy and scipy")
    parser.add_argument("--names", type=int, default=10_000)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        baseline, current = os.path.join(folder, "baseline.json"), os.path.join(folder, "current.json")
        write(baseline, 1, given.names, given.repetitions, False)
        write(current, 2, given.names, given.repetitions, True)
        root = os.path.join(folder, "root")
        os.mkdir(root)
        plumbline = os.path.abspath(given.plumbline)
        ours = measure([plumbline, "diff", "--repo-root", root, "--no-bundle", baseline, current], given.runs)
        rows = [("plumbline diff --no-bundle", ours)]
        rows.append(("plumbline diff", measure([plumbline, "diff", "--repo-root", root, baseline, current], given.runs)))
        if given.compare:
            compare = os.path.abspath(given.compare)
            command = [given.python, compare, "benchmarks", baseline, current]
            rows.append(("compare.py benchmarks", measure(command, 1, cwd=os.path.dirname(compare))))
        megabytes = os.path.getsize(baseline) / 1e6
    print(f"{given.names} names, {given.repetitions} repetitions, two files of {megabytes:.0f} MB")
    print(f"  {'':<28} {'best':>8} {'median':>8} {'processor':>10} {'memory':>9}")
    for name, (walls, cpu, peak) in rows:
        print(f"  {name:<28} {min(walls):6.2f} s {statistics.median(walls):6.2f} s {cpu:8.2f} s {peak:6.0f} MB")
    if given.compare:
        theirs = rows[-1][1]
        print(f"  {'ratio to the first':<28} {min(theirs[0]) / min(ours[0]):7.0f}x {'':>8} {theirs[1] / ours[1]:9.0f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
