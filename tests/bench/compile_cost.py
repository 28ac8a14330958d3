#!/usr/bin/env python3
"""What compiling costs: every Nth file of each build folder given, compiled alone and in turn (no ccache), in processor time. Files are
taken in turn from all folders, so that other work on the machine falls on all alike.
Usage: compile_cost.py [--every N] [--match REGEX] BUILD [BUILD…]     folders that CMake configured, e.g. with PLUMBLINE_PRECOMPILE=OFF and ON
(and whose precompiled headers are built: cmake --build BUILD --target precompiled_standard precompiled_tests)"""
import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import tempfile


def commands_of(build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        return {entry["file"]: entry for entry in json.load(file)}


def processor_time(entry, output):
    words = shlex.split(entry["command"])
    words[words.index("-o") + 1] = output
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=entry["directory"], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--every", type=int, default=12)
    arguments.add_argument("--match", default="")
    arguments.add_argument("builds", nargs="+")
    given = arguments.parse_args()
    builds = [commands_of(build) for build in given.builds]
    source = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    shared = sorted(file for file in set.intersection(*map(set, builds)) if re.search(given.match, os.path.relpath(file, source)))
    sample = [file for file in shared if "/build/" not in os.path.relpath(file, source)][:: given.every]
    totals = [0.0] * len(builds)
    with tempfile.TemporaryDirectory() as folder:
        for file in sample:
            costs = [processor_time(build[file], os.path.join(folder, "out.o")) for build in builds]
            totals = [total + cost for total, cost in zip(totals, costs)]
            print(" ".join(f"{cost:7.2f}" for cost in costs), os.path.relpath(file, source), flush=True)
    print(" ".join(f"{total:7.2f}" for total in totals), f"s for {len(sample)} of {len(shared)} files")


if __name__ == "__main__":
    main()
