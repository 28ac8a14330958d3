#!/usr/bin/env python3
"""How often `digest` names a rank that nobody made late, and how often it finds the one that somebody did, through the program: jobs of
digests drawn from seeds, merged as any folder of digests is. Usage: straggler_points.py PLUMBLINE [JOBS] [RANKS]"""
import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

STEPS, A_STEP, WORK_NS, TRANSFER_NS = 10, 3, 1_000_000, 50_000


def digests(ranks, seed, noise, tail, slow=None, slower=0.0):
    """One digest a rank, as text. Noise is log-normal, or with `tail` exponential: now and then one is much later."""
    chance = random.Random(seed)
    now, last = [0] * ranks, [None] * ranks
    columns = [{"collective": [], "sequence": [], "duration_ns": [], "end_ns": [], "own_ns": []} for _ in range(ranks)]
    starts, walls = [[] for _ in range(ranks)], [[] for _ in range(ranks)]
    clocks = [10**15 + chance.randrange(10**9) for _ in range(ranks)]
    before = [0] * ranks
    for step in range(STEPS):
        begin = list(now)
        for i in range(A_STEP):
            for rank in range(ranks):
                late = noise * (chance.expovariate(1) if tail else abs(chance.gauss(0, 1)))
                now[rank] += int(WORK_NS * (1 + late) * (1 + (slower if rank == slow else 0)))
            end = max(now) + TRANSFER_NS
            for rank in range(ranks):
                one = columns[rank]
                one["collective"].append(0)
                one["sequence"].append(step * A_STEP + i)
                one["duration_ns"].append(end - now[rank])
                one["end_ns"].append(clocks[rank] + end - before[rank])
                one["own_ns"].append(-1 if last[rank] is None else now[rank] - last[rank])
                before[rank] = clocks[rank] + end
                now[rank] = last[rank] = end
        for rank in range(ranks):
            starts[rank].append(clocks[rank] + begin[rank])
            walls[rank].append(now[rank] - begin[rank])
    for rank in range(ranks):
        durations = columns[rank]["duration_ns"]
        yield json.dumps({
            "schema": "plumbline.profile-digest.v1", "format": "kineto", "rank": rank, "kernel_count": len(durations),
            "context": {"environment.world_size": str(ranks)},
            "steps": {"basis": "marker", "name": "ProfilerStep#", "steps": {"wall_ns": walls[rank], "start_ns": starts[rank], "device": [0] * STEPS,
                                                                            "span_ns": walls[rank], "compute_ns": walls[rank]}},
            "collectives": {"type": [0], "group": [1], "group_size": [ranks], "count": [len(durations)], "total_ns": [sum(durations)],
                            "min_ns": [min(durations)], "max_ns": [max(durations)]},
            "instances": columns[rank], "names": ["all_reduce", "0"]})


def named(plumbline, ranks, seed, *how):
    with tempfile.TemporaryDirectory() as folder:
        for rank, text in enumerate(digests(ranks, seed, *how)):
            with gzip.open(os.path.join(folder, f"rank{rank}.json.gz"), "wt", 1) as file:
                file.write(text)
        done = subprocess.run([plumbline, "digest", folder, "--json"], check=True, capture_output=True, cwd=tempfile.gettempdir())
    return [each["rank"] for each in json.loads(done.stdout)["job"]["stragglers"]]


def main():
    plumbline = str(pathlib.Path(sys.argv[1]).resolve())
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    ranks = int(sys.argv[3]) if len(sys.argv) > 3 else 128
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for noise in (0.02, 0.1):
            for tail in (False, True):
                alarms = sum(bool(each) for each in pool.map(named, [plumbline] * jobs, [ranks] * jobs, range(jobs), [noise] * jobs, [tail] * jobs))
                low = 1 - math.pow(0.05, 1 / jobs) if alarms == 0 else None
                bound = f", at most {100 * low:.1f} % with 95 %" if low else ""
                print(f"{ranks} ranks, noise {noise:.0%} {'exponential' if tail else 'normal'}: {alarms} of {jobs} jobs name a rank{bound}", flush=True)
                for slower in (0.02, 0.05, 0.1, 0.2):
                    few = max(1, jobs // 5)
                    slow = [seed * 7 % ranks for seed in range(few)]
                    seen = list(pool.map(named, [plumbline] * few, [ranks] * few, range(1000, 1000 + few), [noise] * few, [tail] * few, slow, [slower] * few))
                    found = sum(slow[i] in each for i, each in enumerate(seen))
                    others = sum(bool(set(each) - {slow[i]}) for i, each in enumerate(seen))
                    print(f"  one rank {slower:.0%} slower: found in {found} of {few}; another named in {others}", flush=True)


if __name__ == "__main__":
    main()
