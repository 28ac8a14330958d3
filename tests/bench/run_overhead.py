#!/usr/bin/env python3
"""What `plumbline run` adds to each trial, beside hyperfine in the same run: run_overhead.py [ROUNDS] [--install]. The command is /bin/true. Of
each program a long and a short run are timed; their difference, less what the commands themselves took, is the overhead of a trial: the
program's start is in neither. The rounds take turns, and the smallest figure of each counts, as for anything that others disturb. Without
hyperfine its column is left out with a word; --install gets it from Debian, where that may be done. The status is 1 above 3 ms."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
LONG, SHORT = 220, 20
BOUND_MS = 3.0


def timed(words, folder):
    """Wall and processor seconds of a program with its children."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def plumbline(folder, runs):
    # A new folder each time: ext4 looks long for an inode where many were just given back.
    kept = pathlib.Path(folder) / f"kept{len(list(pathlib.Path(folder).iterdir()))}"
    wall, cpu = timed([PLUMBLINE, "run", "-n", str(runs), "--warmup", "0", "--measure", "time", "--keep", str(kept), "--no-bundle", "--json", "--", "/bin/true"], folder)
    trials = json.loads((kept / "run.json").read_text())["trials"]
    assert len(trials) == runs
    return wall - sum(t["wall_s"] for t in trials), cpu - sum(t["user_s"] + t["system_s"] for t in trials)


def hyperfine(folder, runs):
    out = pathlib.Path(folder) / "hyperfine.json"
    wall, cpu = timed(["hyperfine", "-N", "--warmup", "0", "--runs", str(runs), "--style", "none", "--export-json", str(out), "/bin/true"], folder)
    result = json.loads(out.read_text())["results"][0]
    return wall - sum(result["times"]), cpu - runs * (result["user"] + result["system"])


def main():
    words = sys.argv[1:]
    if "--install" in words and shutil.which("hyperfine") is None:
        subprocess.run(["apt-get", "install", "-y", "-q", "hyperfine"], check=False, stdout=subprocess.DEVNULL)
    programs = {"plumbline run": plumbline}
    if shutil.which("hyperfine"):
        programs["hyperfine"] = hyperfine
    else:
        print("hyperfine is not here: only plumbline is timed (--install gets it)")
    rounds = next((int(word) for word in words if word.isdigit()), 7)
    best = {name: [9e9, 9e9] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, measure in programs.items():
                long, short = measure(folder, LONG), measure(folder, SHORT)
                for i in range(2):
                    best[name][i] = min(best[name][i], 1000 * (long[i] - short[i]) / (LONG - SHORT))
    for name, (wall, cpu) in best.items():
        print(f"{name:14} {wall:6.3f} ms of wall time and {cpu:6.3f} ms of processor time a trial, beside the command's own")
    if len(best) > 1:
        ours, theirs = best.values()
        print(f"ratio          {ours[0] / theirs[0]:6.2f} of wall time, {ours[1] / theirs[1]:6.2f} of processor time; "
              f"{ours[0] - theirs[0]:+.3f} ms and {ours[1] - theirs[1]:+.3f} ms a trial")
    wall = best["plumbline run"][0]
    print(f"bound          {BOUND_MS:g} ms a trial: {'kept' if wall <= BOUND_MS else 'MISSED'}")
    sys.exit(0 if wall <= BOUND_MS else 1)


main()
