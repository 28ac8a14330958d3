#!/usr/bin/env python3
"""diff --shards: one suite that several jobs measured, each with a folder of its own."""
import json

from harness import Root, check, equal, finish, rows

BEFORE = {"ttft_ms": 40.0, "itl_ms": 10.0}
CASES = ("a", "b", "c", "d")

with Root() as root:
    for case in CASES:
        root.write(f"base/{case}.json", BEFORE)
    for shard, cases in (("one", "ab"), ("two", "cd")):
        for case in cases:
            root.write(f"{shard}/{case}.json", BEFORE if case != "d" else {**BEFORE, "ttft_ms": 60.0})
    whole = root.path / "whole"
    for case in CASES:
        root.write(f"whole/{case}.json", BEFORE if case != "d" else {**BEFORE, "ttft_ms": 60.0})

    def united(*more):
        return root.json("diff", "--baseline", "base", "--current", "one", "two", *more)

    told, at_once = united("--shards", "2"), root.diff("base", "whole")
    for name in ("verdict", "tier", "counts"):
        equal(told[name], at_once[name], f"{name} as of one folder")
    equal([reason["code"] for reason in told["reasons"]], [reason["code"] for reason in at_once["reasons"]], "the reasons, too")
    equal(rows(told), rows(at_once), "row by row")
    equal((told["family"], told["measurement"], told["suite"]["totals"]["cases"]), ("adhoc", "suite", 4), "one suite")
    side = json.load(open(told["diff_dir"] + "/diff.json"))["current"]
    equal(side["label"], "2 shards", "what it was united of")
    recomputed = json.loads(root.run("verify", told["diff_dir"], "--recompute", "--json").stdout)
    check(recomputed["ok"], f"the bundle holds it whole: {recomputed}")

    # A shard that is missing, one too many, none at all.
    done = root.run("diff", "--baseline", "base", "--current", "one", "--shards", "2")
    equal((done.returncode, done.stderr.splitlines()), (2, [
        "plumbline: error: 1 shard is missing: 1 of 2 were given",
        "hint: find out which job gave no folder; without --shards what is there is compared, and cases without a result are stale"]), "missing")
    done = root.run("diff", "--baseline", "base", "--current", "one", "two", "--shards", "1")
    check(done.returncode == 2 and "2 shards were given, and --shards says 1" in done.stderr, done.stderr)
    done = root.run("diff", "--baseline", "base", "--current", "one", "base/a.json", "--shards", "2")
    check(done.returncode == 2 and "a shard is a folder of results, and this is none: " in done.stderr, done.stderr)
    done = root.run("diff", "--baseline", "base/a.json", "--current", "one", "two", "--shards", "2")
    check(done.returncode == 2 and "shards are compared as a suite, and the baseline is none: base/a.json" in done.stderr, done.stderr)

    # The same case in two shards: equal bytes are one, others are an error that names both.
    root.write("two/a.json", BEFORE)
    equal(united("--shards", "2", "--no-bundle")["suite"]["totals"]["cases"], 4, "equal bytes")
    root.write("two/a.json", {**BEFORE, "ttft_ms": 41.0})
    done = root.run("diff", "--baseline", "base", "--current", "one", "two", "--shards", "2")
    equal(done.returncode, 2, "two answers to one question")
    check('"a.json" is in two shards, and they differ: ' in done.stderr and "one/a.json" in done.stderr and "two/a.json" in done.stderr, done.stderr)
    (root.path / "two/a.json").unlink()

    # Also where they are runs of one case: trials belong together.
    root.write("base/e.json", BEFORE)
    root.write("one/e-run1.json", BEFORE)
    root.write("two/e-run2.json", {**BEFORE, "ttft_ms": 41.0})
    done = root.run("diff", "--baseline", "base", "--current", "one", "two", "--shards", "2")
    check(done.returncode == 2 and "one/e-run1.json" in done.stderr and "two/e-run2.json" in done.stderr and "is in two shards" in done.stderr, done.stderr)
    root.write("one/e-run2.json", {**BEFORE, "ttft_ms": 41.0})
    (root.path / "two/e-run2.json").unlink()
    equal(united("--shards", "2", "--no-bundle")["suite"]["totals"]["cases"], 5, "in one shard they are trials")

finish()
