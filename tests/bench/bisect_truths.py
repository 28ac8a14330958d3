#!/usr/bin/env python3
"""How often `plumbline bisect` names the right commit, drawn through the program: bisect_truths.py [SEEDS]. Repositories of 64 commits
whose benchmark is tests/program/toy_benchmark.cpp, so the culprit is known: one regression of 7 % at a CV of 2 %, or none. PLUMBLINE names
the program. Prints a line a case and ends with 1 where one misses its goal: at least 19 of 20 searches right, and on average at most a
third of the 320 runs that five of each commit take; without a regression no search at all in as many."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
TOY = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"
COMMITS, CULPRIT, SLOWER, CV = 64, 39, 1.07, 0.02
RIGHT = 0.95  # of the searches
MOST_RUNS = COMMITS * 5 / 3


def git(folder, *args):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"]
    return subprocess.run(["git", "-C", str(folder), *identity, *args], check=True, capture_output=True, text=True).stdout.strip()


def repository(folder, slower):
    """Commits 0 to 64; those from CULPRIT on are slower. The benchmark reads the mean that the commit says."""
    git(folder, "init", "-q", "-b", "main")
    bench = folder / "bench.sh"
    bench.write_text(f"#!/bin/sh\nexec {TOY} --mean $(cat mean) --cv {CV} --seed $SEED --counter $COUNTER\n")
    bench.chmod(0o755)
    shas = []
    for number in range(COMMITS + 1):
        (folder / "mean").write_text(f"{100 * (slower if number >= CULPRIT else 1)}\n")
        (folder / "number").write_text(f"{number}\n")
        git(folder, "add", "bench.sh", "mean", "number")
        git(folder, "commit", "-q", "-m", f"commit {number}")
        shas.append(git(folder, "rev-parse", "HEAD"))
    return shas


def search(folder, good, seed, flags):
    with tempfile.TemporaryDirectory() as scratch:
        clone = pathlib.Path(scratch) / "clone"  # of its own: git locks a repository while it makes a work tree
        git(folder, "clone", "-q", "--shared", str(folder), str(clone))
        done = subprocess.run([PLUMBLINE, "bisect", "--good", good, "--seed", str(seed), *flags, "--json", "--", "./bench.sh"], cwd=clone,
                              capture_output=True, text=True, check=False, env=dict(os.environ, SEED=str(seed), COUNTER=f"{scratch}/calls"))
    if done.returncode != 0:
        sys.exit(f"bisect ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def study(folder, shas, seeds, slower, flags):
    """One line: how many are right, and the runs they took."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda seed: search(folder, shas[0], seed, flags), range(1, seeds + 1)))
    runs = sorted(result["runs"] for result in results)
    if slower > 1:
        right = sum([c["sha"] for c in result["culprits"]] == [shas[CULPRIT]] for result in results)
    else:
        right = sum(not result["searched"] for result in results)
    mean = sum(runs) / len(runs)
    good = right >= RIGHT * seeds and (slower == 1 or mean <= MOST_RUNS)
    name = f"{'7 % slower' if slower > 1 else 'no regression'}, {' '.join(flags) or 'defaults'}"
    print(f"{name:60} right {right} of {seeds}; runs: mean {mean:.0f}, median {runs[len(runs) // 2]}, most {runs[-1]}{'' if good else '  BELOW THE GOAL'}", flush=True)
    for seed, result in enumerate(results, 1):
        if slower > 1 and [c["sha"] for c in result["culprits"]] != [shas[CULPRIT]]:
            print(f"    seed {seed}: {result['message']}")
    return good


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    good = True
    for slower in (SLOWER, 1):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shas = repository(folder, slower)
            for tolerance in ([], ["--tolerance-percent", "3"]):
                for warmup in ([], ["--warmup", "0"]):
                    good = study(folder, shas, seeds, slower, [*tolerance, *warmup]) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
