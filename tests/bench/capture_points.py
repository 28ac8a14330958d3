#!/usr/bin/env python3
"""The table of bench_capture_points from files through the program: traces are drawn, the baseline's recorded as one entry, the
candidate's compared with it. PLUMBLINE=build/release/bin/plumbline tests/bench/capture_points.py [DRAWS]: 30 a cell."""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from traces import captures  # noqa: E402

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
HOST = ("--context", "environment.hostname=node")


def asked(root, *words):
    done = subprocess.run([PLUMBLINE, *words, "--repo-root", root, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def drawn(chance, folder, name, count, level, cv):
    sigma = math.sqrt(math.log1p(cv * cv))
    walls = [1000 * level * math.exp(chance.gauss(0, sigma)) for _ in range(count)]
    folder.mkdir()
    return captures(folder, name + str(chance.random()), walls)


def share(chance, count, level, cv, draws):
    seen = {"RED": 0, "YELLOW": 0, "GREEN": 0, "GREEN VERDICT": 0}
    for _ in range(draws):
        with tempfile.TemporaryDirectory() as root:
            a = drawn(chance, pathlib.Path(root) / "a", "a", count, 1, cv)
            b = drawn(chance, pathlib.Path(root) / "b", "b", count, level, cv)
            more = ["--trials", *a[1:]] if len(a) > 1 else []
            asked(root, "record", "--family", "f", "--measurement", "m", "--source", a[0], *more, *HOST)
            result = asked(root, "diff", "f/m", "--current", *b, *HOST, "--no-bundle")
            seen[result["verdict"]] += 1
            seen["GREEN VERDICT"] += (result["verdict"], result["tier"]) == ("GREEN", "VERDICT")
    return {name: 100 * number / draws for name, number in seen.items()}


def main():
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    chance = random.Random(20261122)
    print("                      nothing changed                     +8 %")
    print("  CV  captures    RED %  YELLOW %  GREEN VERDICT %    RED %  YELLOW %")
    for cv in (0.01, 0.03, 0.05):
        for count in (1, 2, 3, 5, 10):
            same, slower = (share(chance, count, level, cv, draws) for level in (1, 1.08))
            print(f"{100 * cv:3.0f} %  {count:8d}  {same['RED']:7.1f}  {same['YELLOW']:8.1f}  {same['GREEN VERDICT']:15.1f}  "
                  f"{slower['RED']:7.1f}  {slower['YELLOW']:8.1f}", flush=True)


main()
