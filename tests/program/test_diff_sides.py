#!/usr/bin/env python3
"""Which files are which side of a diff: several against several, folders of trials, and what may be a trial of what."""
import hashlib
import json
import pathlib

from harness import Root, check, equal, finish


def told(done):
    """The error and its hint, of a call that must have failed as a mistake of the caller."""
    equal(done.returncode, 2, "exit status")
    return done.stderr.rstrip("\n").removeprefix("plumbline: error: ").split("\nhint: ")


def runs(root, folder, value, count=3, names="run{}.json", **more):
    return [root.write(f"{folder}/{names.format(i)}", {"busbw_GBps": value + i / 10, **more}) for i in range(1, count + 1)]


with Root() as root:
    old, new = runs(root, "old", 300.0), runs(root, "new", 240.0)
    same = runs(root, "same", 300.05)

    # Several against several: trials on either side.
    result = root.json("diff", "--baseline", *old, "--current", *new, "--headline", "busbw_GBps")
    equal((result["verdict"], result["counts"]["regressed"]), ("RED", 1), "three against three decides")
    result = root.json("diff", "--baseline", *old, "--current", *same, "--no-bundle", "--headline", "busbw_GBps")
    check(result["verdict"] == "GREEN", "three like three: " + result["verdict"])

    # Without the flags nobody can tell old from new.
    equal(told(root.run("diff", *old, *new)),
          ["6 files without flags: which are the baseline's and which the new ones cannot be told",
           f"`--baseline {old[0]} {old[1]} {old[2]} --current {new[0]} {new[1]} {new[2]}`"], "six files")
    entry = root.record(old[0], "--trials", old[1], old[2], family="nccl", measurement="busbw")
    equal(root.json("diff", "nccl/busbw", *new, "--no-bundle")["verdict"], "RED", "what follows an entry is new")
    equal(root.json("diff", entry["entry_dir"], *new, "--no-bundle")["verdict"], "RED", "by its folder, too")

    # Folders of trials on either side.
    for words in (("old", "new"), (old[0], "new"), ("old", new[0]), ("nccl/busbw", "new")):
        equal(root.json("diff", *words, "--as", "trials", "--no-bundle")["shape"], "structured", f"--as trials {words}")
    equal(told(root.run("diff", "--baseline", "nccl/busbw", old[0], "--current", *new)),
          ['--baseline takes one entry, or several files that are trials of one measurement; an entry is "nccl/busbw"',
           "leave the others out: an entry has the trials it was recorded with"], "an entry among files")

    # Trials are runs of one measurement: the same keys, context and host.
    other = root.write("old/other.json", {"latency_ms": 1.0})
    equal(told(root.run("diff", "--baseline", old[0], other, "--current", *new)),
          ['trials must have the same keys: "busbw_GBps" is in run1.json but not in other.json',
           "trials are repeated runs of one measurement; compare different ones one by one"], "other keys")
    hosts = [root.write(f"h{i}.json", {"busbw_GBps": 300.0 + i, "hostname": f"node-{i}"}) for i in (1, 2, 3)]
    refused = ["trials of different hosts: h2.json (node-2) and h3.json (node-3)",
               "compare siblings by themselves, each with its own baseline: trials are repeated runs on one host"]
    equal(told(root.run("diff", "--baseline", hosts[0], "--current", hosts[1], hosts[2])), refused, "other hosts")
    equal(told(root.run("diff", "--baseline", hosts[1], hosts[2], "--current", hosts[0])), refused, "on the other side")
    equal(told(root.run("diff", *hosts))[0],
          "3 files without flags: which are the baseline's and which the new ones cannot be told, and trials are of one host: "
          f"{hosts[0]} (node-1), {hosts[1]} (node-2) and {hosts[2]} (node-3)", "hosts are named at once")
    twice = [root.write(f"{folder}/run.json", {"busbw_GBps": 300.0, "hostname": folder}) for folder in ("x", "y")]
    equal(told(root.run("diff", "--baseline", old[0], "--current", *twice))[0],
          f"trials of different hosts: {twice[0]} (x) and {twice[1]} (y)", "files of one name are told apart")

    # The text of a large file is not kept while its rows are judged: the bundle holds what was compared all the same.
    keys = [f"node{i // 1000}.pair{i % 1000}.busbw" for i in range(600_000)]
    before, after = (root.write(name, json.dumps(dict.fromkeys(keys, value))) for name, value in (("a.json", 100.25), ("b.json", 80.5)))
    check(after.stat().st_size > 16 << 20, "a large file")
    result = root.json("diff", before, after)
    equal((result["verdict"], result["counts"]["regressed"]), ("RED", len(keys)), "all rows regressed")
    copy = pathlib.Path(result["diff_dir"], "current-snapshot.json")
    check(copy.read_bytes() == after.read_bytes(), "the bundle's copy is the file")
    told_in_full = json.loads(pathlib.Path(result["diff_dir"], "diff.json").read_text())
    for side, path in (("baseline", before), ("current", after)):
        equal(told_in_full[f"{side}_sha256"], hashlib.sha256(path.read_bytes()).hexdigest(), f"digest of the {side}")

finish()
