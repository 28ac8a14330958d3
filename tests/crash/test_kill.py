#!/usr/bin/env python3
"""kill -9 at random moments of record and diff: what is visible afterwards is whole, what was acknowledged is there.

Only the process dies here, not the machine; power failures are the business of the fsyncs, which the registry's tests count."""
import concurrent.futures
import json
import os
import random
import shutil
import statistics
import subprocess
import threading
import time

from registry_checks import check, check_whole, index_slugs, litter, published
from harness import PLUMBLINE, Root, equal, finish

KILLS = 170    # of each verb, anywhere in its life
AIMED = 30     # more, within the few milliseconds after the new name is visible
WORKERS = 4    # at once: more ways to meet, and the disk waits of one are the work of another
BATCH = 50     # after as many the published ones are looked at and removed, to bound the disk space
SEED = 20261120


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}


def command(root, words):
    return [PLUMBLINE, *map(str, words), "--repo-root", str(root.path), "--json"]


class Victims:
    """One verb on several payloads; each is measured once at the working load, then killed somewhere within that time."""

    def __init__(self, root, name, payloads, home, result_key, indexed):
        self.root, self.name, self.payloads, self.home = root, name, payloads, home
        self.result_key, self.indexed = result_key, indexed
        self.acknowledged, self.killed, self.visible = set(), 0, 0
        self.lock = threading.Lock()
        self.typical = []

    def run(self, words):
        start = time.monotonic()
        done = subprocess.run(command(self.root, words), capture_output=True, text=True, env=environment())
        took = time.monotonic() - start
        check(done.returncode == 0, f"{self.name}: an undisturbed run fails: {done.stderr}")
        with self.lock:
            self.acknowledged.add(os.path.basename(json.loads(done.stdout)[self.result_key]))
        return took

    def start(self, payload):
        return subprocess.Popen(command(self.root, self.payloads[payload]), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=environment())

    def kill_one(self, payload, fraction):
        process = self.start(payload)
        try:
            out, _ = process.communicate(timeout=fraction * self.typical[payload])
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
        self.account(process, out)

    def kill_after_publication(self, payload, turns):
        known = set(published(self.home))
        process = self.start(payload)
        while process.poll() is None and set(published(self.home)) == known:
            pass
        for _ in range(turns):  # a little later each time, counted in work of the parent: too short for a clock
            litter(self.home)
        process.kill()
        out, _ = process.communicate()
        self.account(process, out)

    def account(self, process, out):
        with self.lock:
            if process.returncode == 0:
                self.acknowledged.add(os.path.basename(json.loads(out)[self.result_key]))
            else:
                check(process.returncode == -9, f"{self.name}: ended by itself with {process.returncode}")
                self.killed += 1
        if self.indexed:
            index_slugs(self.home, f"{self.name}: after a kill")

    def look_and_clear(self, keep):
        seen = set(published(self.home))
        with self.lock:
            lost = self.acknowledged - seen
            self.acknowledged.clear()
        check(not lost, f"{self.name}: acknowledged and not there: {sorted(lost)}")
        for slug in sorted(seen - keep):
            check_whole(self.home / slug, self.name)
            done = subprocess.run([PLUMBLINE, "verify", str(self.home / slug), "--json"], capture_output=True, text=True,
                                  env=environment())
            check(done.returncode == 0 and json.loads(done.stdout)["ok"] is True, f"{self.name}: verify {slug}: {done.stdout}{done.stderr}")
        self.visible += len(seen - keep)
        return sorted(seen - keep)

    def murder(self, dice, pool, keep):
        self.typical = [statistics.median(pool.map(self.run, [words] * WORKERS)) for words in self.payloads]
        finished = 0
        staged = 0
        undisturbed = len(self.payloads) * WORKERS
        while self.killed < KILLS + AIMED:
            if self.killed < KILLS:
                jobs = [(0 if dice.random() < 0.3 else 1, dice.uniform(0.0, 1.1)) for _ in range(min(BATCH, KILLS - self.killed))]
                list(pool.map(lambda job: self.kill_one(*job), jobs))
            else:
                for _ in range(KILLS + AIMED - self.killed):
                    self.kill_after_publication(len(self.payloads) - 1, dice.randrange(40))
            finished += len(self.acknowledged)
            whole = self.look_and_clear(keep)
            for slug in whole[:-2]:  # two stay: INDEX.md has something to list at the end
                shutil.rmtree(self.home / slug)
            keep |= set(whole[-2:])
            left = litter(self.home)
            staged += len(left)
            for name in left[:-1]:  # one stays for the sweep
                shutil.rmtree(self.home / name, ignore_errors=True)
                if (self.home / name).is_file():
                    (self.home / name).unlink()
            staged -= len(left[-1:])
        after = self.visible - finished
        print(f"{self.name}: {self.killed} killed, {self.killed - after} before publication ({staged + 1} of them left litter), "
              f"{after} after it; {finished - undisturbed} were faster than the signal")
        check(self.killed - after > 0, f"{self.name}: no kill hit before publication")
        check(staged > 0, f"{self.name}: no kill hit the staging")
        check(after > 0, f"{self.name}: no kill hit after publication")


started = time.monotonic()
dice = random.Random(SEED)
with Root() as root, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
    def numbers(scale):
        return {f"case{i:05}": {"latency_ms": round(dice.uniform(1, 100) * scale, 6), "throughput": round(dice.uniform(1, 1000), 6)}
                for i in range(40000)}

    big = root.write("big.json", numbers(1.0))
    check(big.stat().st_size > 2_500_000, "the big payload is big")
    worse = root.write("worse.json", numbers(1.2))
    for i in range(12):
        root.write(f"suite/{i:02}.json", {"latency_ms": i + 1.0, "throughput": 100.0 + i})
        root.write(f"suite2/{i:02}.json", {"latency_ms": i + 1.5, "throughput": 100.0 + i})

    artifacts = root.path / "experiments/artifacts"
    record = ["record", "--family", "f", "--measurement", "m", "--source"]
    entries = Victims(root, "record", [[*record, big], [*record, root.path / "suite"]], artifacts / "perf-baselines/f/m",
                      "entry_dir", True)
    entries.murder(dice, pool, set())

    base = root.record(big, family="d")["entry_dir"]
    suite = root.record(root.path / "suite", family="d")["entry_dir"]
    diffs = Victims(root, "diff", [["diff", base, worse], ["diff", suite, root.path / "suite2"]],
                    artifacts / "perf-baseline-diffs/d/m", "diff_dir", False)
    diffs.murder(dice, pool, set())

    # One more record: INDEX.md lists all that are there. Litter is swept by its age and not before.
    home = entries.home
    young, old = home / ".tmp-elsewhere-1-young", home / ".tmp-elsewhere-1-old"
    for folder in (young, old):
        folder.mkdir()
        (folder / "baseline.json").write_text("{")
    before = set(litter(home))
    for name in before - {young.name}:
        two_days_ago = time.time() - 2 * 24 * 3600
        os.utime(home / name, (two_days_ago, two_days_ago), follow_symlinks=False)
    root.record(root.write("one.json", {"latency_ms": 1.0}))
    equal(index_slugs(home, "the last record"), published(home)[-200:], "INDEX.md after one more record")
    equal(litter(home), [young.name], "litter: the old is swept, the young may be another's work")

    equal([p.name for p in (artifacts / "perf-baselines").iterdir() if p.name != "f" and p.name != "d"], [], "families")
    for family in ("f", "d"):
        for slug in published(artifacts / f"perf-baselines/{family}/m"):
            check_whole(artifacts / f"perf-baselines/{family}/m" / slug, "at the end")
print(f"{time.monotonic() - started:.0f} s")
finish()
