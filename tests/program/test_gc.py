#!/usr/bin/env python3
"""gc: what a rule keeps, what is left of what goes, and that everything that named it still verifies. Killed anywhere, an entry is
complete or gone with its tombstone; who records or compares meanwhile notices nothing."""
import json
import os
import shutil
import signal
import subprocess
import time

from harness import PLUMBLINE, Root, check, equal, finish


def record(root, value, when=None, *more):
    path = root.write("in.txt", f"{value}\n")
    dated = ("--measured-at", when) if when else ()
    return root.json("record", "--family", "f", "--measurement", "m", "--source", path, "--unit", "ms", "--direction", "lower-is-better",
                     *dated, *more)


def line(root):
    return root.path / "experiments/artifacts/perf-baselines/f/m"


def slugs(root):
    return sorted(p.name for p in line(root).iterdir() if p.name[0] == "2")


def rules():
    with Root() as root:
        days = ["2024-01-10", "2024-01-20", "2024-06-05", "2025-02-01", "2025-02-02", "2026-11-01"]
        made = {day: record(root, 100, day)["slug"] for day in days}
        done = root.run("gc")
        check(done.returncode == 2 and "needs a rule" in done.stderr, done.stderr)
        done = root.run("gc", "--keep", "everything")
        check(done.returncode == 2 and "--keep is no rule" in done.stderr, done.stderr)

        def kept(*words):
            told = root.json("gc", *words)
            check(told["dry_run"], "nothing is removed without --yes")
            gone = {p["slug"] for p in told["publications"] if p["state"] == "would be removed"}
            return [day for day in days if made[day] not in gone]

        last = days[-1]  # registered last, too: always kept
        equal(kept("--keep-last", "2"), ["2025-02-02", last], "the newest by measurement")
        equal(kept("--keep", "newest 3"), ["2025-02-01", "2025-02-02", last], "--keep says the same")
        equal(kept("--keep-monthly", "3"), ["2024-06-05", "2025-02-02", last], "the newest of each month")
        equal(kept("--keep-yearly", "5"), ["2024-06-05", "2025-02-02", last], "of each year")
        equal(kept("--keep-daily", "4"), ["2024-06-05", "2025-02-01", "2025-02-02", last], "of each day")
        equal(kept("--keep-weekly", "3"), ["2024-06-05", "2025-02-02", last], "of each week")
        equal(kept("--keep-last", "1", "--keep-yearly", "1"), [last], "what any rule keeps stays")
        equal(len(slugs(root)), 6, "nothing was removed")
        root.run("accept", f"f/m@{made['2024-01-10']}", "--reason", "the reference")
        now = root.write("now.txt", "100\n")
        root.json("diff", f"f/m@{made['2024-01-20']}", now)
        equal(kept("--keep-last", "1"), ["2024-01-10", "2024-01-20", last], "accepted and referenced ones stay")


def tombstones():
    with Root() as root:
        equal(root.run("keygen", "--out", root.path / "k").returncode, 0, "a key")
        made = [record(root, 100 + i, None, "--sign", root.path / "k.key")["slug"] for i in range(6)]
        pinned = root.write("heads.txt", root.run("checkpoint", "--repo-root", root.path).stdout)
        done = root.json("gc", "--keep-last", "2", "--yes")
        equal((done["removed"], done["kept"], done["dry_run"]), (4, 2, False), "four of six go")
        equal(slugs(root), made[4:], "the newest stay")
        stone = json.loads((line(root) / "removed" / f"{made[1]}.json").read_text())
        check(stone["schema"] == "plumbline.tombstone.v1" and len(stone["sha256"]) == 64 and stone["envelope"], f"{stone}")
        equal(stone["rule"], "keep last 2", "by which rule")
        for words in (("f/m", "--line"), (), ("--checkpoint", pinned)):
            done = root.run("verify", *words, "--trust", root.path / "k.pub", "--repo-root", root.path)
            equal(done.returncode, 0, f"verify {words}: {done.stdout}{done.stderr}")
        check("removed     4 by gc" in root.run("verify", "f/m", "--line", "--repo-root", root.path).stdout, "verify counts them")
        done = root.run("verify", line(root) / made[0])
        check(done.returncode == 2 and "was removed by gc on 20" in done.stderr and "keep last 2" in done.stderr, done.stderr)
        done = root.run("diff", f"f/m@{made[0]}", root.write("now.txt", "1\n"))
        check(done.returncode == 2 and "was removed by gc on" in done.stderr, done.stderr)
        record(root, 200, None, "--sign", root.path / "k.key")
        done = root.run("verify", "f/m", "--line", "--trust", root.path / "k.pub", "--repo-root", root.path)
        equal(done.returncode, 0, "the chain goes on: " + done.stderr)
        index = (line(root) / "INDEX.md").read_text()
        check(made[0] not in index and made[5] in index, "INDEX.md lists what is there")
        equal(len(root.json("history", "f/m")["entries"]), 3, "and so does history")
        # A tombstone that is missing, or that is not what gc wrote.
        path = line(root) / "removed" / f"{made[1]}.json"
        good = path.read_bytes()
        path.unlink()
        done = root.run("verify", "f/m", "--line", "--repo-root", root.path)
        check(done.returncode == 1 and "in between were removed" in done.stdout + done.stderr, "a missing tombstone is a gap")
        for name, change in (("its slug", {"slug": made[2]}), ("its envelope", {"envelope": stone["envelope"].replace('"payload":"', '"payload":"A')}),
                             ("its digest", {"sha256": "0" * 64}), ("its family", {"family": "other"})):
            path.write_text(json.dumps({**stone, **change}))
            done = root.run("verify", "f/m", "--line", "--repo-root", root.path)
            equal(done.returncode, 1, f"a tombstone with {name} changed is named: {done.stdout}")
            path.unlink()
        path.write_bytes(good)
        equal(root.run("verify", "f/m", "--line", "--repo-root", root.path).returncode, 0, "put back, all is well")


def bundles():
    with Root() as root:
        record(root, 100)
        now = root.write("now.txt", "100\n")
        made = [root.json("diff", "f/m", now)["diff_dir"].rsplit("/", 1)[1] for _ in range(4)]
        record(root, 101)
        done = root.json("gc", "--keep-last", "1", "--diffs", "--yes")
        equal(sorted(p["slug"] for p in done["publications"] if p["state"] == "removed" and p["kind"] == "bundle"), made[:3],
              "diffs go by the same rules")
        equal(root.run("verify", root.path).returncode, 0, "and all verifies")


def kills():
    """Ended by SIGKILL at many moments; then verify, and gc again."""
    with Root() as root:
        first = [record(root, 100 + i)["slug"] for i in range(3)]
        template = line(root) / first[0]
        for i in range(200):
            shutil.copytree(template, line(root) / f"20250101T000000{i:06d}Z")
        for attempt in range(12):
            process = subprocess.Popen([PLUMBLINE, "gc", "--keep-last", "2", "--yes", "--repo-root", str(root.path)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.002 + 0.006 * attempt)
            process.send_signal(signal.SIGKILL)
            process.wait()
            done = root.run("verify", "f/m", "--line", "--repo-root", root.path)
            equal(done.returncode, 0, f"after kill {attempt}: {done.stdout}{done.stderr}")
            gone = {p.stem for p in (line(root) / "removed").glob("2*.json")} if (line(root) / "removed").exists() else set()
            equal(len(gone | set(slugs(root))), 203, "each is there, or its tombstone is")
        root.json("gc", "--keep-last", "2", "--yes")
        equal(slugs(root), first[1:], "the next gc finishes")
        check(not [p for p in os.listdir(line(root)) if p.startswith(".gc-")], "and leaves no litter")


def beside_others():
    """record and diff while gc removes: none of them fails."""
    with Root() as root:
        first = record(root, 100)["slug"]
        for i in range(300):
            shutil.copytree(line(root) / first, line(root) / f"20250101T000000{i:06d}Z")
        now = root.write("now.txt", "100\n")
        process = subprocess.Popen([PLUMBLINE, "gc", "--keep-last", "1", "--yes", "--json", "--repo-root", str(root.path)],
                                   stdout=subprocess.PIPE, text=True)
        while process.poll() is None:
            record(root, 101)
            seen = root.json("diff", "f/m", now, "--no-bundle")
            check(not any(w["code"] == "entry_unreadable" for w in seen["warnings"]), f"{seen['warnings']}")
        equal(process.returncode, 0, "gc")
        equal(root.run("verify", root.path).returncode, 0, "all verifies")


rules()
tombstones()
bundles()
kills()
beside_others()
finish()
