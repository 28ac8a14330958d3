#!/usr/bin/env python3
"""Does what `plumbline doctor --machine` promises hold? It says which change `run --ab` calls RED four times out of five with n trials
a side. Two questions:
  drawn: the benchmark's noise is drawn from a seed with a known spread (tests/program/toy_benchmark.cpp), so only the promise's
         arithmetic is asked. Holds on any machine, however loaded.
  real:  this machine is measured, then a loop that really spins is made slower by what was promised, and by half of it.
         Means something only on a quiet machine.
Usage: PLUMBLINE=build/release/bin/plumbline noise_promise.py [drawn|real] [REPETITIONS]. Status 1 where the promise is missed by more than two
Monte-Carlo errors."""
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
TOY = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"
TOLERANCE = 1.05
missed = False


def noise_of_machine(budget):
    done = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", budget, "--json"], capture_output=True, text=True, check=False)
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    if "smallest change" not in checks:
        sys.exit("no noise was measured: " + json.dumps(checks.get("noise")))
    return checks["smallest change"]["figures"], checks["noise"]["detail"]


def red(first, second, trials, seed):
    """Whether the second is called RED, and what was said of the machine meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PLUMBLINE, "run", "--ab", first.replace("FOLDER", folder), second.replace("FOLDER", folder), "-n", str(trials), "--warmup", "1",
                               "--seed", str(seed), "--no-bundle", "--json"], capture_output=True, text=True, check=True, cwd=folder)
    result = json.loads(done.stdout)
    return result["comparisons"][0]["result"]["verdict"] == "RED", result["trials"]["disturbed"]


def line(what, hits, repetitions, least=None, most=None, note=""):
    global missed
    share = hits / repetitions
    error = math.sqrt(max(share * (1 - share), .25 / repetitions) / repetitions)
    wrong = (least is not None and share < least - 2 * error) or (most is not None and share > most + 2 * error)
    missed = missed or wrong
    bound = f">= {100 * least:.0f} %" if least is not None else f"<= {100 * most:.0f} %"
    print(f"{what:64} RED {hits:3} of {repetitions:3} = {100 * share:5.1f} +- {100 * error:.1f} %  {bound}  {'MISSED' if wrong else ''}{note}", flush=True)


def drawn(repetitions):
    first = 1
    figures, _ = noise_of_machine("15s")
    # c(n) of the promise is the same whatever the spread: log(change / tolerance) = c(n) * spread.
    spread = figures["pair_cv_pct"] / 100
    for cv in (.01, .02, .05):
        for one in figures["sees"]:
            promised = math.expm1(math.log(TOLERANCE) + cv / spread * math.log((1 + one["change_pct"] / 100) / TOLERANCE))
            for share, bounds in ((1, {"least": .8}), (.5, {"most": .5})):
                slower = promised * share
                toy = lambda mean: f"{TOY} --mean {mean} --cv {cv} --seed SEED --counter FOLDER/calls"
                hits = sum(red(toy(100).replace("SEED", str(seed)), toy(100 * (1 + slower)).replace("SEED", str(seed)), one["trials"], seed)[0]
                           for seed in range(first, first + repetitions))
                first += repetitions
                line(f"drawn, CV {100 * cv:g} %, {one['trials']} trials a side, {100 * slower:.1f} % slower", hits, repetitions, **bounds)


def spin(iterations):
    return f"/bin/sh -c 'i=0; while [ $i -lt {iterations} ]; do i=$((i+1)); done'"


def seconds(iterations):
    """Processor time, which others disturb less than wall time."""
    best = 9.
    for _ in range(9):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["/bin/sh", "-c", f"i=0; while [ $i -lt {iterations} ]; do i=$((i+1)); done"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def real(repetitions):
    figures, noise = noise_of_machine("1m")
    print("this machine:", noise)
    disturbed = figures["disturbed"]
    base = 40000
    start = 2 * seconds(base) - seconds(2 * base)  # what is no loop: the shell's own start
    share_of_loop = min(1, max(.8, 1 - start / seconds(base)))
    for one in figures["sees"]:
        if one["trials"] > 21:
            continue
        for share, bounds in ((1, {"least": .8}), (.5, {"most": .5})):
            slower = one["change_pct"] / 100 * share
            hits = touched = 0
            for seed in range(1, repetitions + 1):
                hit, noisy = red(spin(base), spin(round(base * (1 + slower / share_of_loop))), one["trials"], seed)
                hits += hit
                touched += noisy
            line(f"spun, {one['trials']} trials a side, {100 * slower:.1f} % slower", hits, repetitions, **bounds,
                 note=f"  {touched} of {2 * repetitions * one['trials']} trials disturbed")
    if disturbed:
        print(f"{disturbed} runs of the self-test were disturbed: on a loaded machine these figures say little")


def main():
    words = sys.argv[1:]
    which = [word for word in words if not re.fullmatch(r"\d+", word)] or ["drawn", "real"]
    numbers = [int(word) for word in words if re.fullmatch(r"\d+", word)]
    for word in which:
        {"drawn": drawn, "real": real}[word](numbers[0] if numbers else {"drawn": 100, "real": 15}[word])
    sys.exit(1 if missed else 0)


main()
