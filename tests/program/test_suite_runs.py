#!/usr/bin/env python3
"""Runs in the folders of a suite: numbered runs of one case are its trials, on either side."""
from harness import Root, equal, finish


def runs(root, folder, value, count=3, names="run{}.json", **more):
    return [root.write(f"{folder}/{names.format(i)}", {"busbw_GBps": value + i / 10, **more}) for i in range(1, count + 1)]


with Root() as root:
    # Runs in a folder are trials of their case, on either side.
    for case, value in (("conc8", 100.0), ("conc32", 300.0)):
        for i in range(3):
            root.write(f"base/{case}-run{i}.json", {"busbw_GBps": value + i / 10})
            root.write(f"new/{case}-run{i}.json", {"busbw_GBps": value + (i + 1) / 10})
    document = root.json("diff", "base", "new", "--no-bundle")
    cases = {one["case"]: one for one in document["suite"]["cases"]}
    equal(sorted(cases), ["conc32", "conc8"], "two cases, not six")
    equal(cases["conc8"]["current"], [f"conc8-run{i}.json" for i in range(3)], "the runs in their order")
    equal((cases["conc8"]["note"], document["verdict"]), ("3 files as trials against 3", "GREEN"), "said, and compared")
    for names in ("run{}.json", "seed-{}.json", "iter_0{}.json", "trial{}.json"):
        left, right = f"l{names[:4]}", f"r{names[:4]}"
        runs(root, left, 300.0, names=names), runs(root, right, 300.05, names=names)
        document = root.json("diff", left, right, "--no-bundle", "--report", "json")
        equal([len(one["current"]) for one in document["suite"]["cases"]], [3], names)
    # What is only numbered is no run: a size, another kind of numbers, a case of its own.
    for i in (1, 2):
        for side in ("p", "q"):
            root.write(f"{side}/conc-{i}.json", {"busbw_GBps": 100.0 * i})
            root.write(f"{side}/run{i}.json", {f"metric{i}_ms": 5.0})
    document = root.json("diff", "p", "q", "--no-bundle", "--report", "json")
    equal(sorted(one["case"] for one in document["suite"]["cases"]), ["conc-1", "conc-2", "run1", "run2"], "cases of their own")

finish()
