#!/usr/bin/env python3
"""profile-diff on a JSON trace against what a script would do (Python's json.load and a loop over the events), in one run on one
machine: wall time, throughput of text, and the most memory that was resident, of both. The files must agree on the kernels' time.
Usage: kineto_peer.py PLUMBLINE TRACE.json[.gz]...     (a trace of 200 MB is the yardstick of docs/performance.md)"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from decimal import Decimal

REPEATS = 5


def peer(path):
    """In a process of its own, for its memory: prints seconds, kernels and their nanoseconds."""
    begin = time.perf_counter()
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        trace = json.load(file, strict=False)
    total, count = Decimal(0), 0
    for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
        if event.get("cat") == "kernel" and event.get("ph") == "X":
            total += Decimal(str(event["dur"]))
            count += 1
    print(time.perf_counter() - begin, count, int(total * 1000))


def measured(command):
    """Seconds, of all processors too, resident MiB and output of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def text_size(path):
    if not path.endswith(".gz"):
        return os.path.getsize(path)
    size = 0
    with gzip.open(path) as file:
        while block := file.read(1 << 22):
            size += len(block)
    return size


def main():
    program, traces = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["git", "init", "-q", root], check=True)
        for path in traces:
            size = text_size(path)
            best, processors, memory = None, None, 0
            for _ in range(REPEATS):
                out = os.path.join(root, "out.json")
                seconds, busy, resident, _ = measured([program, "profile-diff", "--repo-root", root, "--baseline", path,
                                                       "--candidate", path, "--json-out", out])
                best, processors, memory = min(best or seconds, seconds), min(processors or busy, busy), max(memory, resident)
            with open(out) as file:
                result = json.load(file)
            ours = result["baseline"].get("kernel_ns")
            per_side = best / 2
            _, _, resident, output = measured([sys.executable, __file__, "--peer", path])
            inner, count, total = output.split()
            print(f"{os.path.basename(path)}: {size / 1e6:.0f} MB of text, {int(count)} kernels")
            speed = size / per_side / 1e9
            print(f"  plumbline  {per_side:.3f} s a side of a diff (best of {REPEATS}; {processors / 2:.3f} s of processors), "
                  f"{speed:.2f} GB/s, {memory:.0f} MiB")
            print(f"  json.load  {float(inner):.3f} s, {size / float(inner) / 1e9:.2f} GB/s, {resident:.0f} MiB")
            print(f"  ratio      {float(inner) / per_side:.1f} in time, {resident / memory:.1f} in memory")
            if ours != int(total):
                sys.exit(f"the kernels' time differs: {ours} ns here, {int(total)} ns there")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--peer":
        peer(sys.argv[2])
    elif len(sys.argv) < 3:
        sys.exit(__doc__)
    else:
        main()
