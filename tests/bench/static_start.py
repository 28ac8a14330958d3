#!/usr/bin/env python3
"""How long programs take to start, and how large they are: the static program of scripts/release beside the one that is linked with Debian's
libraries. They are started in turn, so that whatever else the machine does meets all of them, and the median of the runs is told.
Usage: static_start.py [--runs N] PROGRAM…     N runs of each, default 50. A program starts when `PROGRAM --version` has ended."""
import argparse
import os
import statistics
import subprocess
import time


def start(program):
    began = time.perf_counter_ns()
    done = subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, env={}, check=False)
    took = time.perf_counter_ns() - began
    assert done.returncode == 0, f"{program} --version ends with {done.returncode}"
    return took / 1e6


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=50)
    arguments.add_argument("programs", nargs="+", metavar="PROGRAM")
    given = arguments.parse_args()
    # What it costs to start any process from here: the smallest program there is.
    programs = ["/bin/true", *map(os.path.abspath, given.programs)]
    taken = {program: [] for program in programs}
    for program in programs:
        start(program)  # its pages are in memory from here on
    for _ in range(given.runs):
        for program in programs:
            taken[program].append(start(program))
    print(f"{'median ms':>10} {'fastest':>8} {'slowest':>8} {'MiB':>7}  program ({given.runs} runs each, in turn)")
    for program, times in taken.items():
        print(f"{statistics.median(times):10.2f} {min(times):8.2f} {max(times):8.2f} {os.path.getsize(program) / 2**20:7.1f}  {program}")


if __name__ == "__main__":
    main()
