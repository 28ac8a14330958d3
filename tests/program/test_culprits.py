#!/usr/bin/env python3
"""The part that regressed, asked of the program: seeded tables whose truth is known, 2 % noise, 12 % slower in one part. Each is
named to the row in all but one of ten tables, and nothing is named where nothing changed. bench_culprit_points has more of them."""
import json
import os
import random
import re

from harness import Root, check, equal, finish

TABLES = 10


def collectives(rng):
    names, sizes = ["all_reduce", "all_gather", "alltoall", "sendrecv"], [1024 << i for i in range(16)]
    slow, least = rng.choice(names), sizes[rng.randrange(4, 12)]
    points = [{"collective": n, "size": s, "place": p} for n in names for s in sizes for p in ("in", "out")]
    return points, lambda p: p["collective"] == slow and p["size"] >= least


def sizes_from(rng):
    points, _ = collectives(rng)
    least = 1024 << rng.randrange(4, 12)
    return points, lambda p: p["size"] >= least


def gpus(rng):
    slow = rng.randrange(8)
    points = [{"row": r, "col": c} for r in range(8) for c in range(8) if r != c]
    return points, lambda p: slow in (p["row"], p["col"])


def node_pairs(rng):
    slow = f"c3-{rng.randrange(10):03}"
    points = [{"src": f"c3-{a:03}", "dst": f"c3-{b:03}"} for a in range(10) for b in range(a + 1, 10)]
    return points, lambda p: slow in p.values()


def a_switch(rng):
    slow = f"sw{rng.randrange(8)}-"
    points = [{"node": f"sw{n // 4}-n{n:02}", "gpu": f"g{g}"} for n in range(32) for g in range(8)]
    return points, lambda p: p["node"].startswith(slow)


def csv(points, values):
    names = list(points[0])
    lines = [",".join(names + ["busbw_GBps"])]
    lines += [",".join([str(p[n]) for n in names] + [f"{v:.6f}"]) for p, v in zip(points, values)]
    return "\n".join(lines) + "\n"


def rows_named(points, answer):
    """The points that the terms of the culprits hold for: what a program would make of the answer."""
    def holds(point, term):
        values = term["values"]
        if term["op"] == "either":
            return any(str(point[name]) in values for name in term["dimension"].split(" or "))
        value = str(point[term["dimension"]])
        if term["op"] == "=":
            return value in values
        if term["op"] == "prefix":
            return value.startswith(values[0])
        low = values[0] if term["op"] in (">=", "range") else 0
        high = values[-1] if term["op"] in ("<=", "range") else float("inf")
        return float(low) <= float(value) <= float(high)

    culprits = answer.get("culprits", [])
    return {i for i, p in enumerate(points) for c in culprits if all(holds(p, t) for t in c["terms"])}


with Root() as root:
    for shape in (collectives, sizes_from, gpus, node_pairs, a_switch):
        exact = quiet = 0
        for seed in range(TABLES):
            rng = random.Random(1000 + seed)
            points, slow = shape(rng)
            noisy = lambda: [300 * (1 + 0.02 * rng.gauss(0, 1)) for _ in points]
            before = root.write("before.csv", csv(points, noisy()))
            same = root.json("diff", before, root.write("same.csv", csv(points, noisy())), "--no-bundle")
            quiet += "culprits" not in same
            after = csv(points, [v * (0.88 if slow(p) else 1) for p, v in zip(points, noisy())])
            answer = root.json("diff", before, root.write("after.csv", after), "--no-bundle")
            named, truth = rows_named(points, answer), {i for i, p in enumerate(points) if slow(p)}
            hits = len(named & truth)
            exact += hits >= 0.95 * len(truth) and hits >= 0.95 * len(named)
        print(f"{shape.__name__}: named exactly in {exact} of {TABLES}, nothing where nothing changed in {quiet}")
        check(exact >= TABLES - 1, f"{shape.__name__}: {exact} of {TABLES} named exactly")
        equal(quiet, TABLES, f"{shape.__name__}: tables without a change in which nothing is named")

    # Every file of a bundle says it, and the table.
    points, slow = gpus(random.Random(1))
    before = root.write("before.csv", csv(points, [300 + i % 3 for i, _ in enumerate(points)]))
    after = root.write("after.csv", csv(points, [(300 + i % 3) * (0.72 if slow(p) else 1) for i, p in enumerate(points)]))
    answer = root.json("diff", before, after)
    part = answer["culprits"][0]["predicate"]
    check(part.startswith("GPU ") and part.endswith(", as source or as destination"), f"predicate {part!r}")
    check(part in answer["recommendation"]["message"], "the recommendation names it")
    equal(answer["recommendation"]["suspects"], [part], "suspects")
    bundle = {f["name"]: open(os.path.join(answer["diff_dir"], f["name"]), encoding="utf-8").read() for f in answer["files"] if "snapshot" not in f["name"]}
    for name in ("diff.json", "diff.md", "diff.html"):
        check(part in bundle[name], f"{name} names it")
    equal(len(re.findall(r'<rect [^>]*class="d-bad\d part"', bundle["diff.html"])), 14, "cells with a frame")
    whole = json.loads(bundle["diff.json"])["culprits"][0]
    equal(whole["coverage"], {"regressed_in": 14, "regressed_total": 14, "others_in": 0, "others_total": 42}, "coverage")
    equal(len(whole["keys"]), 14, "keys")
    check(part in root.run("diff", before, after, "--no-bundle").stdout, "the table names it")
finish()
