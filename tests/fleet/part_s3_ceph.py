#!/usr/bin/env python3
"""The store in a bucket of a real server: Ceph's gateway on bluestore. Its last line is the server's."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "program")]
from ceph import KEY, SECRET, Ceph  # noqa: E402
from harness import PLUMBLINE, check, failures, finish  # noqa: E402
from s3_server import all_slugs, signed_headers  # noqa: E402

BUILD = pathlib.Path(PLUMBLINE).resolve().parent


def s3cmd(ceph, *words):
    host = ceph.endpoint.removeprefix("http://")
    return subprocess.run(["s3cmd", "--access_key", KEY, "--secret_key", SECRET, "--no-ssl", f"--host={host}",
                           f"--host-bucket={host}", "--region=us-east-1", "-c", "/dev/null", *map(str, words)], capture_output=True, text=True)


def settings(ceph, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "AWS"))}
    return env | {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": ceph.endpoint,
                  "PLUMBLINE": PLUMBLINE, "PLUMBLINE_SOURCE": str(HERE.parent.parent)} | more


class Machine:
    """Runs the program with a store and a cache."""

    def __init__(self, ceph, store, cache, folder):
        self.env = settings(ceph, PLUMBLINE_STORE=store, PLUMBLINE_CACHE_DIR=str(cache))
        self.folder, self.store = folder, store

    def run(self, *words):
        return subprocess.run([PLUMBLINE, *map(str, words), "--json"], cwd=self.folder, env=self.env, capture_output=True, text=True)

    def json(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: exit {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def record(self, source):
        return self.run("record", "--family", "f", "--measurement", "m", "--source", source, "--unit", "ms", "--direction", "lower-is-better")


def suites(ceph):
    tests = subprocess.run([BUILD / "test_registry", "--gtest_brief=1", "--gtest_filter=S3/StoreSuite.*:S3Store.CallsThings*:S3Store.ListsAndOpens*"
                            ":S3Store.SkipsTheNumber*:InParts.*"], env=settings(ceph, PLUMBLINE_TEST_S3=ceph.endpoint), capture_output=True, text=True)
    check(tests.returncode == 0, tests.stdout[-3000:])
    for name in ("test_s3_store.py", "test_direct_uploads.py"):
        program = subprocess.run([HERE.parent / "program" / name], env=settings(ceph, PLUMBLINE_TEST_S3=ceph.endpoint), capture_output=True, text=True)
        check(program.returncode == 0, program.stdout[-3000:] + program.stderr[-2000:])


def acceptances(ceph, machine, source):
    """200 by 8 writers: each number once, none left out, each after one that was there."""
    slugs = [json.loads(machine.record(source).stdout)["slug"] for _ in range(25)]
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda i: machine.json("accept", f"f/m@{slugs[i % 25]}", "--reason", f"the {i}th"), range(200)))
    took = time.monotonic() - began
    numbers = sorted(int(pathlib.PurePath(one["path"]).name.split("-")[0]) for one in made)
    check(numbers == list(range(1, 201)), f"numbers of 200 acceptances: {numbers}")
    # Whoever claims a number has seen the records that were there: with eight writers at most seven are still on their way.
    slug_of = {int(name.split("-")[0]): name.split("-", 1)[1].removesuffix(".json") for name in
               (pathlib.PurePath(one["path"]).name for one in made)}
    for one in made:
        number = int(pathlib.PurePath(one["path"]).name.split("-")[0])
        possible = {slug_of[n] for n in range(max(1, number - 8), number)} | ({None} if number <= 8 else set())
        check(one.get("previous") in possible, f"acceptance {number} comes after {one.get('previous')}, not one of {possible}")
    return f"200 acceptances of 8 writers 1 to 200 in {took:.0f} s"


def checked_by_others(ceph, machine, folder):
    entry = machine.json("history", "f/m")["entries"][0]["entry_dir"]
    got = s3cmd(ceph, "sync", entry + "/", f"{folder}/entry/")  # with its slash, which a path would lose
    if got.returncode != 0:
        return check(False, got.stdout + got.stderr)
    sums = subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=folder / "entry", capture_output=True, text=True)
    check(sums.returncode == 0, sums.stdout + sums.stderr)
    verified = subprocess.run([PLUMBLINE, "verify", folder / "entry"], capture_output=True, text=True)
    return check(verified.returncode == 0, verified.stderr)


def killed(ceph, machine, source, name):
    """kill -9 of a daemon while 8 writers record: what was acknowledged is there and whole."""
    acknowledged, failed, lock, stop = [], [], threading.Lock(), threading.Event()

    def write():
        while not stop.is_set():
            done = machine.record(source)
            with lock:
                (acknowledged.append(json.loads(done.stdout)["slug"]) if done.returncode == 0 else failed.append(done.stderr))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        Ceph.wait(lambda: len(acknowledged) >= 16, "sixteen entries are recorded")
        ceph.kill(name)
        before = len(acknowledged)
        ceph.run(name)
        began = time.monotonic()
        Ceph.wait(lambda: len(acknowledged) >= before + 24, f"recording goes on; failed: {failed[-1:]}")
        back = time.monotonic() - began
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    there = all_slugs(machine, "f/m")
    missing = set(acknowledged) - there
    check(not missing, f"kill -9 of {name}: acknowledged and gone: {missing}")
    verified = machine.json("verify", "f/m", "--line")
    check(verified["ok"], verified)
    return f"kill -9 of {name}: {len(acknowledged)} acknowledged, {len(missing)} lost, {len(failed)} said that they failed, on after {back:.1f} s"


def versioned(ceph, folder):
    check(s3cmd(ceph, "mb", "s3://versioned").returncode == 0, "the bucket versioned is made")
    wish = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    headers = signed_headers(ceph.endpoint, {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}, "PUT", "/versioned", "versioning=", wish)
    with urllib.request.urlopen(urllib.request.Request(f"{ceph.endpoint}/versioned?versioning=", wish, headers, method="PUT")) as answer:
        check(answer.status == 200, "versions are turned on")
    machine = Machine(ceph, "s3://versioned/p", folder / "versioned-cache", folder)
    source = folder / "v.txt"
    source.write_text("1\n")
    began = time.monotonic()
    done = machine.record(source)
    took = time.monotonic() - began
    check(done.returncode == 3 and "the bucket is versioned, and Ceph forgets the condition there" in done.stderr, done.stderr)
    listed = s3cmd(ceph, "ls", "-r", "s3://versioned/p/experiments/").stdout
    check(not listed, f"something was published: {listed}")
    check(took < 2, f"refused after {took:.1f} s")
    return f"a versioned bucket is refused in {took:.1f} s"


def main():
    lines = []
    with Ceph() as ceph, tempfile.TemporaryDirectory(prefix="plumbline-fleet-") as name:
        folder = pathlib.Path(name)
        made = s3cmd(ceph, "mb", "s3://perf")
        check(made.returncode == 0, made.stderr)
        suites(ceph)
        machine = Machine(ceph, "s3://perf/fleet", folder / "cache", folder)
        source = folder / "in.txt"
        source.write_text("12.5\n")
        lines.append(acceptances(ceph, machine, source))
        checked_by_others(ceph, machine, folder)
        lines.append(versioned(ceph, folder))
        for daemon in ("client.rgw.a", "osd.0"):
            lines.append(killed(ceph, Machine(ceph, f"s3://perf/killed-{daemon}", folder / "cache", folder), source, daemon))
        figures = subprocess.run([sys.executable, HERE.parent / "bench/s3_store.py"], env=settings(ceph, PLUMBLINE_TEST_S3=ceph.endpoint),
                                 capture_output=True, text=True)
        check(figures.returncode == 0, figures.stdout + figures.stderr)
        lines += figures.stdout.strip().splitlines()
        version = ceph.tool("radosgw", "--version").split()[2]
    for line in lines:
        print("  " + line)
    print(f"Ceph radosgw {version} (bluestore): {'good' if not failures else 'FAILED'}")
    finish()


if __name__ == "__main__":
    main()
