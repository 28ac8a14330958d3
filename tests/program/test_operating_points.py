#!/usr/bin/env python3
"""The verdict's error rates through the program, with few draws (tests/bench/operating_points.cpp has many): what is slower is RED,
what is the same is not, and what was declared does not count."""
import json
import pathlib
import random
import re

from harness import Root, check, codes, equal, finish


def trials(rng, level, cv, n):
    return [level * (1 + cv * rng.gauss(0, 1)) for _ in range(n)]


def side(rng, keys, n, cv, factor=None):
    return {f"latency_{i:03}_ms": trials(rng, (5 + i % 40) * (factor(i) if factor else 1), cv, n) for i in range(keys)}


# 39 of 40 latency keys 10 % slower, three trials a side.
with Root() as root:
    for seed in range(20):
        rng = random.Random(seed)
        before = root.write("b.json", side(rng, 40, 3, 0.01))
        after = root.write("c.json", side(rng, 40, 3, 0.01, lambda i: 1.1 if i else 1))
        result = root.diff(before, after, "--no-bundle")
        equal(result["verdict"], "RED", f"39 of 40 slower, draw {seed}")
        equal(codes(result)[:2], ["many_regressed", "class_shift"], f"its first reasons, draw {seed}")

# 40 unchanged keys, three trials a side: never RED.
with Root() as root:
    red = []
    for seed in range(200):
        rng = random.Random(1000 + seed)
        before = root.write("b.json", side(rng, 40, 3, 0.02))
        if root.diff(before, root.write("c.json", side(rng, 40, 3, 0.02)), "--no-bundle")["verdict"] == "RED":
            red.append(seed)
    equal(red, [], "draws of 40 unchanged keys that are RED")

# 1,000 keys, five trials a side, CV 2 %.
with Root() as root:
    most = 0
    for seed in range(50):
        rng = random.Random(2000 + seed)
        before = root.write("b.json", side(rng, 1000, 5, 0.02))
        result = root.diff(before, root.write("c.json", side(rng, 1000, 5, 0.02)), "--no-bundle")
        check(result["verdict"] != "RED", f"1,000 unchanged keys, draw {seed}: RED")
        most = max(most, result["counts"]["regressed"])
    check(most <= 5, f"{most} regressed rows of 1,000 unchanged ones")
    print(f"1,000 unchanged keys with five trials, 50 draws: at most {most} regressed rows")

# A change that was declared has no effect; the same undeclared is YELLOW.
with Root() as root:
    numbers = {"latency_ms": [10.0, 10.1, 9.9], "throughput": [100.0, 101.0, 99.0]}
    source = root.write("b.json", numbers)
    base = root.record(source, "--context", "hardware.driver=550.54.15")["entry_dir"]
    other = root.write("c.json", {**numbers, "context": {"hardware.driver": "580.65.06"}})
    undeclared = root.diff(base, other)
    equal((undeclared["verdict"], codes(undeclared)), ("YELLOW", ["context_differs"]), "another driver, undeclared")
    equal(root.diff(base, other, "--varying", "hardware.driver")["verdict"], "GREEN", "another driver, declared")

# Pairs: what moves both of a pair does not count. The same trials unpaired stay open.
with Root() as root:
    rng = random.Random(7)
    node = [1 + 0.15 * rng.gauss(0, 1) for _ in range(8)]
    before = root.write("b.json", {"latency_ms": [10 * f for f in node]})
    slower = root.write("c.json", {"latency_ms": [11 * f * (1 + 0.004 * rng.gauss(0, 1)) for f in node]})
    equal(root.diff(before, slower, "--headline", "latency_ms", "--no-bundle")["verdict"], "YELLOW", "unpaired: open")
    equal(root.diff(before, slower, "--headline", "latency_ms", "--paired", "--no-bundle")["verdict"], "RED", "paired: regressed")
    few = root.write("d.json", {"latency_ms": [11.0, 11.1, 10.9]})
    warned = [w["code"] for w in root.diff(before, few, "--paired", "--no-bundle")["warnings"]]
    check("pairs_not_used" in warned, f"unequal numbers of trials cannot be pairs: {warned}")

# What more trials would decide is a number, fixed beforehand.
with Root() as root:
    before = root.write("b.json", {"latency_ms": [10.0, 10.4, 9.6]})
    open_ = root.diff(before, root.write("c.json", {"latency_ms": [10.8, 11.2, 10.4]}), "--headline", "latency_ms", "--no-bundle")
    equal(codes(open_), ["headline_inconclusive"], "neither shown nor excluded")
    message = open_["recommendation"]["message"]
    check(re.search(r"\d+ more trials a side, \d+ in all, interleaved A B A B", message), message)
    check("--alpha 0.025" in message, message)

finish()
