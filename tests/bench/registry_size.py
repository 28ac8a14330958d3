#!/usr/bin/env python3
"""What a registry costs at size, beside what everybody has.

    registry_size.py PROGRAM FOLDER entries [40000] [400000]     record and diff among many entries, beside find
    registry_size.py PROGRAM FOLDER source [GIB]                 record of a large source, beside sha256sum and cp && sync

FOLDER is made and removed. Among entries: the first number is the entries of one measurement, the second those of the registry in
measurements of 2,000. Each figure is the median of several runs; `user+sys` is what a loaded machine tells best. "Cold" is without
an index; the page cache of the file system is dropped for it where that is allowed (root). The entries are hard links of one real
entry, so that 400,000 of them need no room."""
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

EACH = 2000  # entries of the registry's other measurements
LINKS = 50_000  # ext4 has 65,000 to a file


def timed(words, env=None, times=1):
    """Median of wall and of user+sys seconds, and the most memory, in MiB."""
    wall, cpu, memory = [], [], 0
    for _ in range(times):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        process = subprocess.Popen(words, env=env, shell=isinstance(words, str), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate()
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        memory = max(memory, after.ru_maxrss // 1024)
        if process.returncode != 0:
            sys.exit(f"{words}: {err or out}")
    return statistics.median(wall), statistics.median(cpu), memory


def show(what, figures):
    wall, cpu, memory = figures
    print(f"{what:58} {wall * 1000:9.1f} ms   user+sys {cpu * 1000:8.1f} ms   {memory:5} MiB", flush=True)


def drop_caches():
    subprocess.run(["sync"], check=False)
    try:
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
        return True
    except OSError:
        return False


class Registry:
    def __init__(self, program, folder):
        self.program, self.folder, self.root = program, folder, folder / "root"
        self.root.mkdir(parents=True)
        self.value = folder / "v.txt"
        self.value.write_text("311\n")
        self.links, self.master, self.masters = LINKS, None, 0

    def record_words(self, measurement="m", root=None):
        return [self.program, "record", "--family", "f", "--measurement", measurement, "--source", str(self.value), "--unit", "GB/s",
                "--direction", "higher-is-better", "--repo-root", str(root or self.root), "--json"]

    def diff_words(self, reference):
        return [self.program, "diff", reference, str(self.value), "--repo-root", str(self.root), "--no-bundle", "--json"]

    def line(self, measurement):
        return self.root / "experiments/artifacts/perf-baselines/f" / measurement

    def fill(self, measurement, count):
        line = self.line(measurement)
        line.mkdir(parents=True)
        for i in range(count):
            if self.links >= LINKS:
                self.masters += 1
                apart = self.folder / f"master-{self.masters}"
                apart.mkdir()
                made = subprocess.run(self.record_words(root=apart), check=True, capture_output=True, text=True)
                self.master, self.links = pathlib.Path(json.loads(made.stdout)["entry_dir"]), 0
            entry = line / f"202501{1 + i // 100000:02d}T{i // 3600 % 24:02d}{i // 60 % 60:02d}{i % 60:02d}{i:06d}Z"
            entry.mkdir()
            for name in os.listdir(self.master):
                os.link(self.master / name, entry / name)
            self.links += 1


def entries(program, folder, in_one, in_all):
    registry = Registry(program, folder)
    cache = folder / "cache"
    env, off = dict(os.environ, PLUMBLINE_CACHE_DIR=str(cache)), dict(os.environ, PLUMBLINE_CACHE_DIR="off")
    registry.fill("m", in_one)
    for number in range(max(0, in_all - in_one) // EACH):
        registry.fill(f"other{number}", EACH)
    subprocess.run(registry.record_words(), check=True, capture_output=True, env=off)
    print(f"{in_one} entries of one measurement, {in_all} in the registry")
    dropped = drop_caches()
    show(f"diff f/m@newest, no index{', nothing in the page cache' if dropped else ''}", timed(registry.diff_words("f/m@newest"), off))
    show("diff f/m@newest, no index", timed(registry.diff_words("f/m@newest"), off, 5))
    show("record, no index", timed(registry.record_words(), off, 5))
    show("diff f/m@newest, the first time with an index", timed(registry.diff_words("f/m@newest"), env))
    show("diff f/m@newest, index", timed(registry.diff_words("f/m@newest"), env, 9))
    show("diff f/m, index", timed(registry.diff_words("f/m"), env, 9))
    show("record, index", timed(registry.record_words(), env, 9))
    show("record of a measurement with one entry", timed(registry.record_words("alone"), env, 9))
    show("find of the measurement, names alone", timed(f"find {registry.line('m')} -maxdepth 1 | sort | tail -1", times=5))
    show("find of the registry's baseline.json", timed(["find", str(registry.root), "-name", "baseline.json"], times=1))
    print(f"index {sum(p.stat().st_size for p in cache.iterdir()) // 1024} KiB")


def source(program, folder, gibibytes):
    folder.mkdir(parents=True)
    large, target, root = folder / "large.bin", folder / "copy.bin", folder / "root"
    root.mkdir()
    block = os.urandom(1 << 20)
    with open(large, "wb") as out:
        for i in range(gibibytes << 10):
            out.write(i.to_bytes(8, "little") + block[8:])
    words = [program, "record", "--family", "f", "--measurement", "m", "--source", str(large), "--value", "1", "--unit", "s", "--snapshot", "copy",
             "--repo-root", str(root), "--json"]
    subprocess.run(["sync"], check=True)
    for attempt in range(3):
        show(f"sha256sum of {gibibytes} GiB", timed(["sha256sum", str(large)]))
        show("cp && sync", timed(f"cp {large} {target} && sync {target}"))
        target.unlink()
        subprocess.run(["sync"], check=True)
        show("record --snapshot copy", timed(words))
        shutil.rmtree(root / "experiments")
        subprocess.run(["sync"], check=True)


def main():
    if len(sys.argv) < 4 or sys.argv[3] not in ("entries", "source"):
        sys.exit(__doc__)
    program, folder, what = sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), sys.argv[3]
    if folder.exists():
        sys.exit(f"{folder} exists")
    numbers = [int(word) for word in sys.argv[4:]]
    try:
        if what == "entries":
            entries(program, folder, *(numbers + [40_000, 400_000][len(numbers):]))
        else:
            source(program, folder, *(numbers or [4]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
