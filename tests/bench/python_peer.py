#!/usr/bin/env python3
"""How `plumbline diff` of two flat JSON objects with a million keys each compares with a Python loop over the same files.

usage: python_peer.py PLUMBLINE [--keys N] [--like numbered|dotted|short] [--runs N]

The Python side is this script run again with --stand-in: our own few lines that do what a structured diff in Python has to do
(json.loads both, shared keys, float, delta, sort, write the top 20 as JSON). It stands in for the loop of the tool that we
replace, and does less than that tool as a whole. Ours runs with and without its bundle. The programs run in turn. Prints wall
and processor time, peak memory and the ratios; asserts nothing: a figure depends on the machine and on who else uses it.

Which way is better is known of dotted keys by their last part. So each row is judged, which takes longer and more memory.
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


KEYS = {
    "numbered": lambda i: f"metric_{i:07d}",
    "dotted": lambda i: f"node{i // 1000:04d}.pair{i % 1000:03d}.busbw",
    "short": lambda i: f"k{i}",
}


def stand_in(baseline_path, current_path, out_path):
    with open(baseline_path, encoding="utf-8") as file:
        baseline = json.loads(file.read())
    with open(current_path, encoding="utf-8") as file:
        current = json.loads(file.read())
    rows = []
    for key in sorted(set(baseline) | set(current)):
        if key not in baseline or key not in current:
            rows.append({"key": key, "missing": key not in current})
            continue
        before, after = float(baseline[key]), float(current[key])
        delta = after - before
        percent = 100.0 * delta / before if before else None
        rows.append({"key": key, "baseline": before, "current": after, "delta": delta, "delta_pct": percent})
    rows.sort(key=lambda row: abs(row.get("delta_pct") or 0.0), reverse=True)
    with open(out_path, "w", encoding="utf-8") as file:
        json.dump({"compared": len(rows), "top": rows[:20]}, file, indent=2)


def write_pair(folder, keys, like):
    chance = random.Random(20)
    values = [chance.gauss(100, 1) for _ in range(keys)]
    paths = []
    for name in ("baseline.json", "current.json"):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            rows = (f'"{KEYS[like](i)}": {v + chance.gauss(0, 1):.6f}' for i, v in enumerate(values))
            file.write("{" + ", ".join(rows) + "}")
        paths.append(path)
    return paths


def run(command):
    """Wall and processor seconds, and peak memory in MB."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {child.returncode}\n{message.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(commands, runs):
    """Of each command, run in turn: median wall and processor seconds, and the largest peak memory in MB."""
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, result in zip(commands, results):
            result.append(run(command))
    medians = []
    for result in results:
        walls, cpus, peaks = zip(*result)
        medians.append((statistics.median(walls), statistics.median(cpus), max(peaks)))
    return medians


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--stand-in":
        return stand_in(*sys.argv[2:])
    parser = argparse.ArgumentParser(description="plumbline diff beside a Python loop over the same two files")
    parser.add_argument("plumbline")
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--like", choices=KEYS, default="numbered")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        baseline, current = write_pair(folder, given.keys, given.like)
        root = os.path.join(folder, "root")
        os.mkdir(root)
        plain = [os.path.abspath(given.plumbline), "diff", "--no-bundle", "--repo-root", root, baseline, current]
        bundle = [word for word in plain if word != "--no-bundle"]
        script = [sys.executable, os.path.abspath(__file__), "--stand-in", baseline, current, os.path.join(folder, "top.json")]
        measured = measure([plain, bundle, script], given.runs)
        megabytes = os.path.getsize(baseline) / 1e6
    print(f"{given.keys} keys like {KEYS[given.like](1002)}, {megabytes:.0f} MB a file; medians of the runs, the largest peak")
    names = ("plumbline diff --no-bundle", "plumbline diff, with its bundle", "stand-in for the Python loop")
    for name, (wall, cpu, peak) in zip(names, measured):
        print(f"  {name:<32} {wall:6.2f} s wall  {cpu:6.2f} s processor  {peak:6.0f} MB")
    ours, python = measured[1], measured[2]
    ratios = [python[i] / ours[i] for i in range(3)]
    print(f"  {'ratio, bundle included':<32} {ratios[0]:6.1f}x        {ratios[1]:6.1f}x            {ratios[2]:6.1f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
