#!/usr/bin/env python3
"""How often `plumbline run` tells the truth, drawn through the program: run_truths.py [REPETITIONS]. The benchmark is
tests/program/toy_benchmark.cpp, whose results are drawn from a seed; PLUMBLINE names the program. Prints a line a truth, with a bound where
one is promised, and ends with 1 where one is missed. Bounds leave room for the draw: a share that is promised may fall short by two of its
standard errors. Runs are counted with warm-ups."""
import collections
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
TOY = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"
AUTO = ["-n", "auto"]
missed = []


def toy(folder, mean, seed, cv=0.02, drift=0, noise="normal", rows=1):
    return f"{TOY} --mean {mean} --cv {cv} --seed {seed} --counter {folder}/calls --drift {drift} --noise {noise} --rows {rows}"


def plumbline(folder, *args):
    done = subprocess.run([PLUMBLINE, args[0], "--json", *args[1:]], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        sys.exit(f"plumbline {' '.join(args)}: {done.stderr}")
    return json.loads(done.stdout)


def judged(seed, slower, flags, **more):
    """The verdict, trials a side, and runs of all sides, warm-ups among them."""
    with tempfile.TemporaryDirectory() as folder:
        result = plumbline(folder, "run", "--ab", toy(folder, 100, seed, **more), toy(folder, 100 * (1 + slower), seed, **more), "--no-bundle", "--seed", str(seed), *flags)
    compared = result["comparisons"][0]["result"]
    return f"{compared['verdict']} {compared['tier']}", result["sides"][0]["trials"], result["trials"]["ran"] + result["trials"]["warm_ups"]


def welch(first, second):
    """Welch's t of two samples: what most scripts look at."""
    scatter = statistics.variance(first) / len(first) + statistics.variance(second) / len(second)
    return (statistics.mean(second) - statistics.mean(first)) / math.sqrt(scatter)


def in_sequence(seed, slower, flags, **more):
    """The same trials of the same benchmark, one side after the other; what Welch's test says of them stands with the verdict."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, mean in (("first", 100), ("second", 100 * (1 + slower))):
            plumbline(folder, "run", "-n", "15", "--keep", name, "--", *toy(folder, mean, seed, **more).split())
            files.append(sorted(str(path) for path in (pathlib.Path(folder) / name / "trials").glob("[0-9]*")))
        values = [[json.loads(pathlib.Path(file).read_text())["latency_ms"] for file in side] for side in files]
        compared = plumbline(folder, "diff", "--no-bundle", *flags, "--baseline", *files[0], "--current", *files[1])
    certain = 3.67  # p < .001 of 28 degrees of freedom
    return f"{compared['verdict']} {compared['tier']}{', t test: slower' if welch(*values) > certain else ''}", 15, 32


def check(name, share, at_least, repetitions):
    if share >= at_least - 2 * math.sqrt(at_least * (1 - at_least) / repetitions):
        return ""
    missed.append(name)
    return f"  BELOW {100 * at_least:g} %"


def study(name, repetitions, *args, wanted=None, never=None, how=judged, **more):
    """`wanted`: a verdict and the share that it has at least; `never`: a verdict that must not be drawn. Gives the mean of runs."""
    results = [how(seed, *args, **more) for seed in range(1001, 1001 + repetitions)]
    verdicts = collections.Counter(result[0] for result in results)
    trials = sorted(result[1] for result in results)
    runs = sum(result[2] for result in results) / len(results)
    text = ""
    if wanted:
        text += check(name, sum(n for verdict, n in verdicts.items() if verdict.startswith(wanted[0])) / repetitions, wanted[1], repetitions)
    if never and any(verdict.startswith(never) for verdict in verdicts):
        missed.append(name)
        text += f"  {never} IS WRONG"
    print(f"{name:60} {', '.join(f'{v} {n}' for v, n in verdicts.most_common())}; trials a side: median {trials[len(trials) // 2]}, "
          f"mean {sum(trials) / len(trials):.1f}, most {trials[-1]}; runs {runs:.0f}{text}", flush=True)
    return runs


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    green, red = ("GREEN", 0.98), ("RED VERDICT", 0.95)
    equal = study("equal, CV 2 %, -n auto", repetitions, 0, AUTO, wanted=green, never="RED VERDICT")
    study("equal, CV 5 %, -n auto", repetitions, 0, AUTO, cv=0.05, wanted=("GREEN", 0.95))
    study("equal, CV 2 %, t3, -n auto", repetitions, 0, AUTO, noise="t3", wanted=green)
    study("equal, CV 2 %, lognormal, -n auto", repetitions, 0, AUTO, noise="lognormal", wanted=green)
    study("equal, CV 2 %, 20 rows, -n auto", repetitions, 0, AUTO, rows=20, wanted=green, never="RED VERDICT")
    study("8 % slower, CV 2 %, -n auto --max-runs 24", repetitions, 0.08, [*AUTO, "--max-runs", "24"], wanted=red)
    study("8 % slower, CV 2 %, 20 rows, -n auto --max-runs 24", repetitions, 0.08, [*AUTO, "--max-runs", "24"], rows=20, wanted=red)
    clear = study("15 % slower, CV 2 %, -n auto", repetitions, 0.15, AUTO, wanted=red)
    study("15 % slower, CV 2 %, 20 rows, -n auto", repetitions, 0.15, AUTO, rows=20, wanted=red)
    study("5 % slower (the tolerance), CV 2 %, -n auto", repetitions, 0.05, AUTO)
    study("8 % slower, CV 2 %, -n 12", repetitions, 0.08, ["-n", "12"], wanted=("RED VERDICT", 0.9))
    # What decides an 8 % change as often as -n auto does.
    fixed = study("8 % slower, CV 2 %, -n 15", repetitions, 0.08, ["-n", "15"], wanted=red)
    study("equal, CV 2 %, -n 12", repetitions, 0, ["-n", "12"], wanted=green)
    for name, runs in (("equal", equal), ("15 % slower", clear)):
        text = check(name, 0.6 / (runs / fixed), 1, repetitions)
        print(f"runs of -n auto, {name}: {100 * runs / fixed:.0f} % of -n 15{text.replace('BELOW 100 %', 'ABOVE 60 %')}")
    # Each run makes the next .33 % slower than the first was: 10 % in the thirty of both sides.
    slowing = {"drift": 0.33, "cv": 0.01}
    tolerance = ["--tolerance-percent", "3"]
    study("equal, slowing 10 % in 30 runs, --ab -n 15", repetitions, 0, ["-n", "15", *tolerance], wanted=green, **slowing)
    study("equal, slowing 10 % in 30 runs, one side after the other", repetitions, 0, tolerance, how=in_sequence, never="GREEN", **slowing)
    if missed:
        sys.exit(f"missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
