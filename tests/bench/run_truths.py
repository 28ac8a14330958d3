#!/usr/bin/env python3
"""How often `plumbline run` tells the truth, drawn through the program: run_truths.py [REPETITIONS]. The benchmark is
tests/program/toy_benchmark.cpp, whose results are drawn from a seed; PLUMBLINE names the program. Prints a line a truth."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
TOY = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"


def judged(seed, slower, flags, cv=0.02, drift=0, noise="normal"):
    with tempfile.TemporaryDirectory() as folder:
        toy = lambda mean: f"{TOY} --mean {mean} --cv {cv} --seed {seed} --counter {folder}/calls --drift {drift} --noise {noise}"
        done = subprocess.run([PLUMBLINE, "run", "--ab", toy(100), toy(100 * (1 + slower)), "--no-bundle", "--json", "--warmup", "0", "--seed", str(seed), *flags],
                              capture_output=True, text=True, check=True, cwd=folder)
    result = json.loads(done.stdout)
    compared = result["comparisons"][0]["result"]
    return f"{compared['verdict']} {compared['tier']}", result["sides"][0]["trials"]


def study(name, repetitions, *args, **more):
    results = [judged(seed, *args, **more) for seed in range(1001, 1001 + repetitions)]
    verdicts = collections.Counter(verdict for verdict, _ in results)
    trials = sorted(count for _, count in results)
    print(f"{name:52} {', '.join(f'{v} {n}' for v, n in verdicts.most_common())}; trials a side: median {trials[len(trials) // 2]}, "
          f"mean {sum(trials) / len(trials):.1f}, most {trials[-1]}", flush=True)


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    auto24 = ["-n", "auto", "--max-runs", "24"]
    study("equal, CV 2 %, -n auto", repetitions, 0, ["-n", "auto"])
    study("equal, CV 5 %, -n auto", repetitions, 0, ["-n", "auto"], cv=0.05)
    study("equal, CV 2 %, t3, -n auto", repetitions, 0, ["-n", "auto"], noise="t3")
    study("equal, CV 2 %, lognormal, -n auto", repetitions, 0, ["-n", "auto"], noise="lognormal")
    study("equal, CV 2 %, slowing 10 % in 30 trials, -n auto", repetitions, 0, ["-n", "auto"], drift=0.33)
    study("8 % slower, CV 2 %, -n auto --max-runs 24", repetitions, 0.08, auto24)
    study("8 % slower, CV 2 %, -n 12", repetitions, 0.08, ["-n", "12"])
    study("15 % slower, CV 2 %, -n auto", repetitions, 0.15, ["-n", "auto"])
    study("equal, CV 2 %, -n 12", repetitions, 0, ["-n", "12"])
    study("5 % slower (the tolerance), CV 2 %, -n auto", repetitions, 0.05, ["-n", "auto"])


main()
