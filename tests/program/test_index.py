#!/usr/bin/env python3
"""A large measurement through the program: the same answers with the index cold, warm, off, damaged, full, stale or in use, and no
listing where it is warm."""
import json
import os
import pathlib
import shutil
import subprocess

from harness import PLUMBLINE, Root, check, equal, finish

MANY = 1500


def large(root):
    """One real entry, and as many folders that hold the same files."""
    root.write("v.txt", "100\n")
    first = root.json("record", "--family", "f", "--measurement", "m", "--source", root.path / "v.txt", "--unit", "ms", "--direction",
                      "lower-is-better")
    line = pathlib.Path(first["entry_dir"]).parent
    for i in range(MANY):
        copy = line / f"20250101T000000{i:06d}Z"
        copy.mkdir()
        for name in os.listdir(first["entry_dir"]):
            os.link(os.path.join(first["entry_dir"], name), copy / name)
    return line


def answers(root, **env):
    """What three verbs say, less what differs from call to call."""
    out = []
    for words in (("verify", "f/m@newest", "--repo-root", root.path), ("diff", "f/m@newest", root.path / "v.txt", "--no-bundle"), ("diff", "f/m", root.path / "v.txt", "--no-bundle"),
                  ("search", "--family", "f", "--limit", "5"), ("history", "f/m")):
        done = root.run(*words, "--json", env=env)
        equal(done.returncode, 0, f"{words[0]} with {env}: {done.stderr}")
        told = json.loads(done.stdout)
        told.pop("warnings", None)
        out.append(told)
    return out


def listings(root, *words, **env):
    """How often the folder of the measurement was listed."""
    if shutil.which("strace") is None:
        return None
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")} | env
    log = root.path / "strace.txt"
    subprocess.run(["strace", "-f", "-e", "trace=getdents64", "-o", str(log), PLUMBLINE, *map(str, words), "--repo-root", str(root.path)],
                   env=environment, capture_output=True, check=True)
    # One listing of so many names takes several calls that fill their buffer.
    return sum(int(text.rsplit("=", 1)[1]) > 30000 for text in log.read_text().splitlines() if "getdents64" in text and "= " in text)


def same_answers():
    with Root() as root, Root() as elsewhere:
        line = large(root)
        cache = str(elsewhere.path / "cache")
        truth = answers(root, PLUMBLINE_CACHE_DIR="off")
        check(not os.path.exists(cache), "off is off")
        equal(answers(root, PLUMBLINE_CACHE_DIR=cache), truth, "cold")
        made = list(pathlib.Path(cache).glob("index-*.sqlite"))
        equal(len(made), 1, "there is one index now")
        equal(answers(root, PLUMBLINE_CACHE_DIR=cache), truth, "warm")
        equal(answers(root, XDG_CACHE_HOME=str(elsewhere.path / "xdg")), truth, "elsewhere")
        check(list((elsewhere.path / "xdg/plumbline").glob("index-*")), "XDG_CACHE_HOME is heard")
        damaged = bytearray(made[0].read_bytes())
        for at in range(100, len(damaged), 97):
            damaged[at] ^= 0xFF
        made[0].write_bytes(damaged)
        equal(answers(root, PLUMBLINE_CACHE_DIR=cache), truth, "damaged")
        made[0].write_bytes(b"not a database at all")
        equal(answers(root, PLUMBLINE_CACHE_DIR=cache), truth, "no database")
        if os.path.exists("/dev/full"):
            equal(answers(root, PLUMBLINE_CACHE_DIR="/dev/full/x"), truth, "where nothing can be written")
        for path in pathlib.Path(cache).iterdir():
            path.unlink()
        answers(root, PLUMBLINE_CACHE_DIR=cache)
        # Stale: an entry goes, and another program writes one.
        newest = sorted(p.name for p in line.iterdir() if p.name[0] == "2")[-1]
        shutil.copytree(line / newest, line / "20990101T000000000000Z")
        after = answers(root, PLUMBLINE_CACHE_DIR=cache)
        check(after[0]["path"].endswith("20990101T000000000000Z"), "what another program published is the newest")
        equal(after, answers(root, PLUMBLINE_CACHE_DIR="off"), "after another program published")
        shutil.rmtree(line / "20990101T000000000000Z")
        equal(answers(root, PLUMBLINE_CACHE_DIR=cache), truth, "after rm")
        # A record that was changed in its place, which no folder's time shows.
        path = line / "20250101T000000000007Z/baseline.json"
        text = path.read_text()
        path.unlink()
        path.write_text(text.replace('"notes": ""', '"notes": "xyzzy"'))
        for env in ({"PLUMBLINE_CACHE_DIR": "off"}, {"PLUMBLINE_CACHE_DIR": cache}):
            equal(root.json("search", "xyzzy", env=env)["total"], 1, f"what is in the file counts, {env}")
        path.unlink()
        path.write_text(text)
        # A copy of the tree has an index of its own; put in the first one's place it is not taken for it.
        copy = elsewhere.path / "copy"
        shutil.copytree(root.path / "experiments", copy / "experiments")
        moved = copy / "experiments/artifacts/perf-baselines/f/m"
        shutil.rmtree(moved / newest)
        shutil.move(root.path / "experiments", elsewhere.path / "old")
        shutil.move(copy / "experiments", root.path / "experiments")
        seen = answers(root, PLUMBLINE_CACHE_DIR=cache)
        check(not seen[0]["path"].endswith(newest), "a copy in the place of the tree is looked at anew")


def few_listings():
    with Root() as root, Root() as elsewhere:
        large(root)
        env = {"PLUMBLINE_CACHE_DIR": str(elsewhere.path / "cache")}
        record = ("record", "--family", "f", "--measurement", "m", "--source", root.path / "v.txt", "--unit", "ms")
        compare = ("diff", "f/m@newest", root.path / "v.txt", "--no-bundle")
        cold = listings(root, *compare, **env)
        if cold is None:
            print("no strace: listings are not counted")
            return
        check(cold > 0, "without an index the folder is listed")
        equal(listings(root, *compare, **env), 0, "with one it is not")
        for attempt in range(3):
            equal(listings(root, *record, **env), 0, f"nor to publish, {attempt}")
            equal(listings(root, *compare, **env), 0, f"nor to find what was published, {attempt}")
        check(listings(root, *record, PLUMBLINE_CACHE_DIR="off") > 0, "off, it is")


def writers():
    """Many at once, with one index: nothing is lost, INDEX.md is whole."""
    with Root() as root, Root() as elsewhere:
        line = large(root)
        env = dict(os.environ, PLUMBLINE_CACHE_DIR=str(elsewhere.path / "cache"))
        words = [PLUMBLINE, "record", "--family", "f", "--measurement", "m", "--source", str(root.path / "v.txt"), "--unit", "ms",
                 "--direction", "lower-is-better", "--repo-root", str(root.path), "--json"]
        made = []
        for _ in range(4):
            running = [subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
            for process in running:
                out, err = process.communicate()
                equal(process.returncode, 0, err)
                made.append(json.loads(out)["slug"])
        equal(len(set(made)), 32, "each has a slug of its own")
        index = (line / "INDEX.md").read_text()
        check(f"The newest 200 of {MANY + 33} entries" in index, index[:300])
        equal([s for s in made if s not in index], [], "INDEX.md has all of them")
        newest = root.json("verify", "f/m@newest", "--repo-root", root.path, env={"PLUMBLINE_CACHE_DIR": env["PLUMBLINE_CACHE_DIR"]})
        check(newest["path"].endswith(max(made)), "and the newest is the newest")


same_answers()
few_listings()
writers()
finish()
