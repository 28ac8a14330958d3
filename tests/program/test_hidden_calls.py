#!/usr/bin/env python3
"""Captures derived from real ones in which calls are hidden and no time changed: kernels put into CUDA graph replays, small
kernels fused. Neither may be RED, and the mode is named. usage: test_hidden_calls.py [SEEDS], 2 unless given."""
import contextlib
import gzip
import json
import pathlib
import random
import shutil
import sqlite3
import sys

from harness import SAMPLES, Root, check, codes, equal, finish, need_samples

need_samples("profiles")

BEFORE = SAMPLES / "profiles/nsys/mfu_2gpu_before.sqlite"
TRACES = sorted((SAMPLES / "profiles/kineto").glob("*.json.gz")) + sorted((SAMPLES / "profiles/tracelens").glob("*/*.json.gz"))


def judged(root, baseline, candidate):
    result = json.loads(root.run("profile-diff", "--baseline", baseline, "--candidate", candidate, "--json").stdout)
    document = json.loads((pathlib.Path(result["diff_dir"]) / "profile-diff.json").read_text())
    return result, {finding["code"] for finding in document["findings"]}


def replayed(source, target, rng):
    """Runs of kernels of one stream become replays from the first one's start to the last one's end. True if any did."""
    shutil.copy(source, target)
    with contextlib.closing(sqlite3.connect(target)) as db:
        db.execute("create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, graphId INTEGER,"
                   " graphExecId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER)")
        kernels = db.execute('select rowid, start, "end", deviceId, contextId, streamId, globalPid, shortName'
                             " from CUPTI_ACTIVITY_KIND_KERNEL order by deviceId, streamId, start").fetchall()
        share = rng.choice([0.1, 0.5, 0.9])
        chosen = {k[7]: rng.random() < share for k in kernels}
        by_name = rng.random() < 0.5
        groups = [[]]
        for kernel in kernels:
            picked = chosen[kernel[7]] if by_name else rng.random() < share
            if groups[-1] and (not picked or groups[-1][-1][3:6] != kernel[3:6]):
                groups.append([])
            if picked:
                groups[-1].append(kernel)
        groups = [group for group in groups if group]
        for group in groups:
            first, last = group[0], group[-1]
            db.execute("insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values (?,?,?,1,1,?,?,0,?)",
                       (first[1], last[2], first[3], first[4], first[5], first[6]))
            db.executemany("delete from CUPTI_ACTIVITY_KIND_KERNEL where rowid=?", [(k[0],) for k in group])
        db.commit()
    return bool(groups)


def fused(source, target, rng):
    """Runs of two to eight small kernels become one each, of as much time, for nine of ten sequences of names."""
    trace = json.loads(gzip.decompress(source.read_bytes()))
    kernels = [e for e in trace["traceEvents"] if e.get("ph") == "X" and e.get("cat", "").lower() == "kernel"]
    most = 4 * sorted(e["dur"] for e in kernels)[len(kernels) // 2]
    streams, names, gone = {}, {}, set()
    for event in sorted(kernels, key=lambda e: e["ts"]):
        streams.setdefault((event["pid"], event["tid"]), []).append(event)
    small = lambda e: e["dur"] <= most and not any(word in e["name"].lower() for word in ("gemm", "cijk", "attn", "flash", "nccl"))
    for events in streams.values():
        run = []
        for event in [*events, None]:
            if event is not None and small(event) and len(run) < 8:
                run.append(event)
                continue
            if len(run) > 1:
                name = names.setdefault(tuple(e["name"] for e in run),
                                        f"triton_poi_fused_{len(names)}" if rng.random() < 0.9 else None)
                if name:
                    run[0].update(name=name, dur=sum(e["dur"] for e in run))
                    gone.update(id(e) for e in run[1:])
            run = [event] if event is not None and small(event) else []
    trace["traceEvents"] = [e for e in trace["traceEvents"] if id(e) not in gone]
    target.write_text(json.dumps(trace))
    return len(gone) > len(kernels) / 20


def both_ways(root, original, derived, named):
    for baseline, candidate in ((original, derived), (derived, original)):
        result, findings = judged(root, baseline, candidate)
        what = f"{original.name}, {'derived is the candidate' if candidate == derived else 'derived is the baseline'}"
        check(result["verdict"] != "RED", f"{what}: RED by {codes(result)}")
        check(named(result, findings), f"{what}: the mode is not named by {codes(result)} and {findings}")


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    tried = 0
    for seed in range(seeds):
        with Root() as root:
            derived = pathlib.Path(root.path) / "replayed.sqlite"
            if replayed(BEFORE, derived, random.Random(seed)):
                both_ways(root, BEFORE, derived, lambda result, _: "graph_mode_differs" in codes(result))
                tried += 1
            for trace in TRACES:
                derived = pathlib.Path(root.path) / "fused.json"
                if fused(trace, derived, random.Random(seed)):
                    both_ways(root, trace, derived, lambda _, findings: findings & {"kernels_fused", "kernels_split"})
                    tried += 1
    equal(len(TRACES), 4, "traces")
    check(tried >= 4 * seeds, f"only {tried} captures had anything to hide")


main()
finish()
