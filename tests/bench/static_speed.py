#!/usr/bin/env python3
"""What the static program of scripts/release costs beside the one that is linked with Debian's libraries: processor time of whole commands on
large files. They run in turn, and the least of the runs counts: a busy machine only adds.
Usage: static_speed.py [--runs N] [--rows N] [--captures BEFORE AFTER] PROGRAM OTHER     OTHER is what PROGRAM is held against"""
import argparse
import json
import os
import random
import resource
import subprocess
import tempfile


def taken(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, f"{command} ends with {done.returncode}: {done.stderr.decode()[-300:]}"
    return after.ru_utime - before.ru_utime, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def write_results(folder, rows):
    source = random.Random(1)
    values = [source.uniform(1, 1000) for _ in range(rows)]
    for name, factor in (("before", 1.0), ("after", 1.01)):
        with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8") as out:
            out.write("case,size,latency_ms,throughput_per_s\n")
            out.writelines(f"case-{at % 100},{at},{value * factor:.6f},{1000 / value:.6f}\n" for at, value in enumerate(values))
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as out:
            json.dump({f"metric_{at:07d}_ms": round(value * factor, 6) for at, value in enumerate(values)}, out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=7)
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--captures", nargs=2, metavar=("BEFORE", "AFTER"))
    arguments.add_argument("programs", nargs=2, metavar="PROGRAM")
    given = arguments.parse_args()
    programs = [os.path.abspath(program) for program in given.programs]
    with tempfile.TemporaryDirectory(prefix="plumbline-speed-") as folder:
        write_results(folder, given.rows)
        jobs = {
            "inspect CSV": ["inspect", "after.csv"],
            "diff CSV": ["diff", "before.csv", "after.csv", "--no-bundle"],
            "diff JSON": ["diff", "before.json", "after.json", "--no-bundle"],
            "diff JSON, bundle": ["diff", "before.json", "after.json", "--out"],
        }
        if given.captures:
            captures = [os.path.abspath(path) for path in given.captures]
            jobs["profile-diff"] = ["profile-diff", *captures, "--out"]
        print(f"{'user s':>8} {'other':>8} {'':>7} {'user+sys':>9} {'other':>8} {'':>7}  least of {given.runs} runs, in turn")
        for job, words in jobs.items():
            least = {}
            for number in range(given.runs):
                for program in programs:
                    out = [tempfile.mkdtemp(dir=folder)] if words[-1] == "--out" else []
                    times = taken([program, *words, *out], folder)
                    least[program] = tuple(map(min, times, least.get(program, times)))
            (user, both), (other_user, other_both) = (least[program] for program in programs)
            print(f"{user:8.3f} {other_user:8.3f} {user / other_user * 100 - 100:+6.1f}% {both:9.3f} {other_both:8.3f} "
                  f"{both / other_both * 100 - 100:+6.1f}%  {job}", flush=True)


if __name__ == "__main__":
    main()
