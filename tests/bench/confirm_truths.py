#!/usr/bin/env python3
"""How often `plumbline run --confirm` tells the truth, drawn through the program: confirm_truths.py [REPETITIONS [STUDY…]]. A first look
of three trials a side at 60 cases, then the second look at what it left in doubt. The benchmark is tests/program/toy_suite.cpp, whose
results are drawn from a seed; PLUMBLINE names the program. Prints a line a truth."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
SUITE = pathlib.Path(PLUMBLINE).resolve().parent / "toy_suite"
CASES = 60
TOLERATED = 1.05


def draw(seed, slow, cv, noise, against, first_trials):
    """One repetition: verdict of the first look, verdict after the second, answers by truth, trials a side."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-truths-"))
    try:
        for number, side in enumerate("ab"):
            (folder / side).mkdir()
            (folder / side / "bench").symlink_to(SUITE)
            changes = [f"slow {factor}" + ("" if case is None else f" {case}") for case, factor in slow.items()] if side == "b" else []
            (folder / side / "toy.conf").write_text("\n".join([f"counter {folder}/{side}/calls", f"seed {2 * seed + number}", f"cv {cv}", f"noise {noise}",
                                                               f"cases {CASES}", *changes]) + "\n")
        command = {side: f"{folder}/{side}/bench --benchmark_format=json" for side in "ab"}
        files = {side: [] for side in "ab"}
        for trial in range(first_trials):
            for side in "ab":
                path = folder / f"{side}{trial}.json"
                path.write_bytes(subprocess.run(command[side].split(), capture_output=True, check=True).stdout)
                files[side].append(str(path))
        first = subprocess.run([PLUMBLINE, "diff", "--baseline", *files["a"], "--current", *files["b"], "--out", f"{folder}/first", "--json"],
                               capture_output=True, text=True, check=True, cwd=folder)
        sides = ["--", *command["b"].split()] if against else ["--ab", command["a"], command["b"]]
        done = subprocess.run([PLUMBLINE, "run", "--confirm", f"{folder}/first", "--warmup", "0", "--no-bundle", "--json", "--seed", str(seed), *sides],
                              capture_output=True, text=True, check=True, cwd=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    result = json.loads(done.stdout)
    before = json.loads(first.stdout)["verdict"]
    out = {"before": before, "after": before, "doubt": result["confirm"]["rows_in_doubt"], "trials": 0, "true": 0, "false": 0, "cleared": 0}
    if result["comparisons"]:
        compared = result["comparisons"][0]["result"]
        out["after"] = compared["verdict"]
        out["trials"] = result["sides"][-1]["trials"]
        counts = compared["second_look"]["counts"]
        slower = CASES if slow.get(None, 1) > TOLERATED else len([case for case in slow if case is not None])
        out["true" if slower else "false"] = counts["confirmed"]
        if 0 < slower < CASES:
            keys = {f"BM_case/{case}.real_time" for case in slow}
            named = [row for row in compared["second_look"]["rows"] if row["now"] == "confirmed"]  # confirmed ones come first
            out["false"] = sum(row["key"] not in keys for row in named)
            out["true"] = counts["confirmed"] - out["false"]
        out["cleared"] = counts["not_confirmed"]
    return out


def study(name, repetitions, slow=None, cv=0.02, noise="normal", against=False, first_trials=3):
    slow = slow or {}
    results = [draw(seed, slow, cv, noise, against, first_trials) for seed in range(1001, 1001 + repetitions)]
    verdicts = lambda which: ", ".join(f"{verdict} {count}" for verdict, count in sorted(collections.Counter(r[which] for r in results).items()))
    again = [r for r in results if r["trials"]]
    trials = sorted(r["trials"] for r in again) or [0]
    print(f"{name:58} before: {verdicts('before')}; after: {verdicts('after')}; rows in doubt: mean {sum(r['doubt'] for r in results) / repetitions:.1f}; "
          f"confirmed rightly {sum(r['true'] for r in results) / repetitions:.2f}, wrongly {sum(r['false'] for r in results) / repetitions:.3f} a look; "
          f"trials a side: median {trials[len(trials) // 2]}, most {trials[-1]}", flush=True)


STUDIES = {
    "equal2": ("equal, CV 2 %", {}),
    "equal6": ("equal, CV 6 %", {"cv": 0.06}),
    "equal15": ("equal, CV 15 %", {"cv": 0.15}),
    "t3": ("equal, CV 6 %, t3", {"cv": 0.06, "noise": "t3"}),
    "lognormal": ("equal, CV 6 %, lognormal", {"cv": 0.06, "noise": "lognormal"}),
    "one": ("one of 60 is 10 % slower, CV 2 %", {"slow": {9: 1.10}}),
    "two": ("two of 60 are 15 % slower, CV 2 %", {"slow": {9: 1.15, 33: 1.15}}),
    "all10": ("all are 10 % slower, CV 2 %", {"slow": {None: 1.10}}),
    "edge": ("all are 5 % slower, the tolerance itself, CV 2 %", {"slow": {None: TOLERATED}}),
    "all20": ("all are 20 % slower, CV 6 %", {"slow": {None: 1.20}, "cv": 0.06}),
    "against6": ("equal, CV 6 %, against the same baseline", {"cv": 0.06, "against": True}),
    "against1": ("one is 15 % slower, CV 2 %, the same baseline of ten", {"slow": {9: 1.15}, "against": True, "first_trials": 10}),
}


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name in sys.argv[2:] or STUDIES:
        title, more = STUDIES[name]
        study(title, repetitions, **more)


main()
