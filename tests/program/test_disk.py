#!/usr/bin/env python3
"""A disk that is full, a tree that may not be written, a run that is cancelled: exit 3 (or 2), a message that names it, a
hint, and nothing left behind. Mounts a small tmpfs where that is allowed; where not, a file-size limit stands for the full disk."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

from harness import PLUMBLINE, Root, check, equal, finish


def tree(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def run(root, folder, *words, before=None, user=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
    return subprocess.run([PLUMBLINE, *map(str, words), "--repo-root", str(folder)], capture_output=True, text=True, cwd="/",
                          env=environment, preexec_fn=before, **({"user": user, "group": user, "extra_groups": []} if user else {}))


def refused(done, phrase, what):
    equal(done.returncode, 3, f"{what}: exit status ({done.stderr.strip()})")
    lines = done.stderr.splitlines()
    errors = [line for line in lines if line.startswith("plumbline: error: ")]
    equal(len(errors), 1, f"{what}: one error line in {lines}")
    check(errors and phrase in errors[0], f"{what}: {phrase!r} is not in {errors}")
    check(any(line.startswith("hint: ") for line in lines), f"{what}: no hint in {lines}")
    equal(done.stdout, "", f"{what}: standard output")


def mount(folder, options):
    folder.mkdir(exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True).returncode == 0


def numbers(count, scale=1.0):
    return {f"case{i:06}": {"latency_ms": round((1 + i % 97) * scale, 6), "throughput": 100.0 + i} for i in range(count)}


with Root() as root:
    big = root.write("big.json", numbers(20000))
    worse = root.write("worse.json", numbers(20000, 1.5))
    small = root.write("small.json", {"latency_ms": 1.0})
    record = ["record", "--family", "f", "--measurement", "m", "--source"]

    # Full.
    disk = root.path / "disk"
    if mount(disk, "size=512k"):
        try:
            refused(run(root, disk, *record, big), "no space left on device while writing source-snapshot.json", "full, record")
            equal(tree(disk), [], "full, record: nothing is left")
            base = run(root, disk, *record, small, "--json")
            equal(base.returncode, 0, f"a small entry fits {base.stderr}")
            before = tree(disk)
            refused(run(root, disk, *record, big), "no space left on device", "full, second record")
            equal(tree(disk), before, "full, second record: as before")
            entry = root.record(big)["entry_dir"]
            refused(run(root, disk, "diff", entry, worse), "no space left on device while writing", "full, diff")
            equal(tree(disk), before, "full, diff: as before")
            # No room for a single block: accepting must not leave a claim behind either.
            filler = disk / "filler"
            with open(filler, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 4096)
                except OSError:
                    pass
            refused(run(root, disk, "accept", json.loads(base.stdout)["entry_dir"], "--reason", "r"), "no space left on device", "full, accept")
            filler.unlink()
            equal([name for name in tree(disk) if "accepted/" in name and not pathlib.Path(name).name.startswith(".")], [], "full, accept: none")
            equal(run(root, disk, "verify", json.loads(base.stdout)["entry_dir"]).returncode, 0, "full: the entry is whole")
        finally:
            subprocess.run(["umount", str(disk)], check=False)
    else:
        print("no tmpfs can be mounted here: only the file-size limit is tried")

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    place = root.path / "limited"
    place.mkdir()
    refused(run(root, place, *record, big, before=limited), "file too large while writing source-snapshot.json", "ulimit -f, record")
    equal(tree(place), [], "ulimit -f, record: nothing is left")
    entry = root.record(big)["entry_dir"]
    refused(run(root, place, "diff", entry, worse, before=limited), "file too large while writing", "ulimit -f, diff")
    equal(tree(place), [], "ulimit -f, diff: nothing is left")

    # Read-only.
    disk = root.path / "readonly"
    if mount(disk, "size=512k"):
        try:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            refused(run(root, disk, *record, small), "read-only file system", "read-only, record")
            refused(run(root, disk, "diff", entry, worse), "read-only file system", "read-only, diff")
            equal(tree(disk), [], "read-only: nothing")
        finally:
            subprocess.run(["umount", str(disk)], check=False)

    # Forbidden: as another account when we are root, who may write everywhere.
    user = 65534 if os.geteuid() == 0 else None
    place = root.path / "forbidden"
    place.mkdir()
    place.chmod(0o555)
    for folder in (root.path, *pathlib.Path(entry).parents):
        if root.path in (folder, *folder.parents):
            folder.chmod(0o755)
    refused(run(root, place, *record, small, user=user), "permission denied writing", "forbidden, record")
    refused(run(root, place, "diff", entry, worse, user=user), "permission denied writing", "forbidden, diff")
    equal(tree(place), [], "forbidden: nothing")

    # Cancelled, at several moments of a large diff: nothing is published, whatever the moment.
    large = root.write("large.json", numbers(120000))
    slower = root.write("slower.json", numbers(120000, 1.5))
    base = root.record(large, family="cancel")["entry_dir"]
    bundles = root.path / "experiments/artifacts/perf-baseline-diffs/cancel/m"
    start = time.monotonic()
    root.diff(base, slower)
    typical = time.monotonic() - start
    cancelled = 0
    for fraction in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        before = {e.name for e in os.scandir(bundles)}
        process = subprocess.Popen([PLUMBLINE, "diff", base, str(slower), "--repo-root", str(root.path)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=fraction * typical)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        made = {e.name for e in os.scandir(bundles)} - before
        if process.returncode == 0:  # published before the signal came
            equal(len(made), 1, f"finished at {fraction}")
            continue
        if process.returncode == -signal.SIGINT:  # before the program listens: it had done nothing
            equal(made, set(), f"interrupted at {fraction}")
            continue
        cancelled += 1
        equal(process.returncode, 130, f"cancelled at {fraction}: {err}")
        check("cancelled" in err, f"cancelled at {fraction}: {err}")
        equal(out, "", f"cancelled at {fraction}: standard output")
        equal(made, set(), f"cancelled at {fraction}: nothing published, nothing staged")
    check(cancelled > 0, "no signal hit the diff at work")
    print(f"{cancelled} of 8 diffs cancelled")
finish()
