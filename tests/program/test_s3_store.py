#!/usr/bin/env python3
"""A registry in a bucket, through the program: every verb, from two machines, with servers that misbehave, killed at any moment."""
import collections
import concurrent.futures
import datetime
import hashlib
import http.client
import json
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import time
import urllib.parse

import serving
from harness import PLUMBLINE, SOURCE, check, equal, finish
from rank_traces import rank_traces
from s3_server import all_slugs, get, Machine, Server, keys_in, put

TREE = "experiments/artifacts"
DEMO = SOURCE / "scripts/demo-data"
KILLS = 24


def record(machine, value, *more, **kw):
    source = machine.write(f"in{value}.json", {"latency_ms": value, "tokens_per_s": 5000 / value})
    return machine.record(source, "--direction", "two-sided", *more, **kw)


def every_verb(server):
    with Machine(server) as here, Machine(server, here.prefix) as there:
        entry = record(here, 100, "--label", "the first")
        check(entry["entry_dir"].startswith(f"{here.store}/{TREE}/perf-baselines/f/m/"), entry["entry_dir"])
        local = pathlib.Path(entry["local_dir"])
        check(str(local).startswith(here.cache.name) and (local / "SHA256SUMS").is_file(), str(local))
        equal(entry["baseline_json"], entry["entry_dir"] + "/baseline.json", "what others find it by")
        check(not here.has_experiments(), "nothing is written in the root")
        again = record(there, 101)
        accepted = there.json("accept", f"f/m@{entry['slug']}", "--reason", "the reference")
        equal(accepted["path"], f"{here.store}/{TREE}/perf-baselines/f/m/accepted/000001-{entry['slug']}.json", "where it was accepted")
        equal(accepted["entry_dir"], entry["entry_dir"], "what was accepted")

        now = here.write("now.json", {"latency_ms": 150, "tokens_per_s": 40})
        result = here.diff("f/m", now)
        equal(result["verdict"], "RED", "the accepted one is what it is compared with")
        check(result["diff_dir"].startswith(f"{here.store}/{TREE}/perf-baseline-diffs/f/m/"), result["diff_dir"])
        document = json.loads((pathlib.Path(result["local_dir"]) / "diff.json").read_text())
        equal(document["baseline_dir"], entry["entry_dir"], "a bundle names what others can find")
        check(here.cache.name not in (pathlib.Path(result["local_dir"]) / "baseline-ref.txt").read_text(), "no path of this machine")
        equal(there.diff(entry["entry_dir"], now)["verdict"], "RED", "an address is a reference")
        out = there.path / "out"
        there.diff("f/m@newest", now, "--out", out)
        check((out / "SHA256SUMS").is_file(), "--out copies the bundle")

        history = there.json("history", "--family", "f", "--measurement", "m")
        equal([(e["slug"], e["accepted"], e["entry_dir"]) for e in history["entries"]],
              [(e["slug"], e is entry, e["entry_dir"]) for e in (entry, again)], "history")
        check(result["diff_dir"] in [d["diff_dir"] for d in history["diffs"]], "its diffs")
        hits = there.json("search", "--query", "first")
        equal([(h["slug"], h["path"]) for h in hits["hits"] if "/perf-baselines/" in h["path"]], [(entry["slug"], entry["entry_dir"])], "search")
        for asked in ("f/m@" + entry["slug"], entry["entry_dir"], result["diff_dir"]):
            verified = there.json("verify", asked)
            check(verified["ok"], verified)
            equal(verified["path"], entry["entry_dir"] if "diffs" not in asked else result["diff_dir"], "what was verified")
        for words in ((), ("f/m", "--line")):
            verified = there.json("verify", *words)
            check(verified["ok"] and verified["path"].startswith(here.store), verified)
        exported = there.run("export", "f/m", "--to", "github-action-benchmark", "--json")
        check(exported.returncode in (0, 2), exported.stderr)
        done = there.run("gc", "--keep-last", "1")
        check(done.returncode == 2 and f"gc takes nothing away from {here.store}" in done.stderr and "lifecycle" in done.stderr, done.stderr)
        done = there.run("diff", "f/none", now)
        check(done.returncode == 2 and "no baseline named" in done.stderr and "f/m" in done.stderr, done.stderr)
        done = there.run("verify", "s3://perf/elsewhere/x")
        check(done.returncode == 2 and "is not in the store that is in use" in done.stderr, done.stderr)


def suites_and_captures(server):
    with Machine(server) as here:
        for name, value in (("a", 1.0), ("b", 2.0)):
            here.write(f"suite/{name}.json", {"latency_ms": value})
        done = here.run("record", "--as", "suite", "--family", "s", "--source", here.path / "suite", "--reason", "first", "--json")
        check(done.returncode == 0, done.stderr)
        entries = json.loads(done.stdout).get("entries", [])
        check(entries and all(e["entry_dir"].startswith(here.store) for e in entries), done.stdout)
        capture = here.record(DEMO / "profile-before", measurement="capture")
        check(capture["entry_dir"].startswith(here.store), capture)
        with Machine(server, here.prefix) as there:
            result = there.diff("f/capture", DEMO / "profile-after")
            check(result["diff_dir"].startswith(there.store), result)
            check((pathlib.Path(result["local_dir"]) / "SHA256SUMS").is_file(), result["local_dir"])
            for reference in (capture["entry_dir"], result["diff_dir"]):
                verified = there.json("verify", reference)
                check(verified["ok"], verified)


def in_parts(server):
    """A file above the size of a part: objects that sha256sum and cat know what to do with, and one file for every verb."""
    with Machine(server) as here, Machine(server, here.prefix) as there:
        for machine in (here, there):
            machine.env["PLUMBLINE_S3_PART_SIZE"] = "5MiB"
        source = here.write("large.json", json.dumps({"latency_ms": 100, "of_the_machine": "é" * (6 << 20)}, ensure_ascii=False))
        entry = here.record(source, "--direction", "lower-is-better")
        prefix = entry["entry_dir"].removeprefix("s3://perf/") + "/"
        snapshot = "source-snapshot.json"
        names = [key.removeprefix(prefix) for key in keys_in(server.endpoint, server.keys, prefix=prefix)]
        equal([name for name in names if name.startswith(snapshot)], [f"{snapshot}.part-{start << 20:015}" for start in (0, 5, 10)], "its objects")
        fetched = here.path / "fetched"
        fetched.mkdir()
        for name in names:
            (fetched / name).write_bytes(get(server, prefix + name))
        done = subprocess.run(["sha256sum", "-c", "--quiet", "--strict", "SHA256SUMS"], cwd=fetched, capture_output=True, text=True)
        equal((done.returncode, done.stdout), (0, ""), f"sha256sum -c: {done.stderr}")
        now = there.write("now.json", {"latency_ms": 150})
        refused = there.run("diff", fetched, now)
        equal(refused.returncode, 2, refused.stdout)
        check(f"{fetched}/{snapshot} lies there in its parts" in refused.stderr, refused.stderr)
        check(f"`cat {snapshot}.part-* > {snapshot} && rm {snapshot}.part-*` joins them" in refused.stderr, refused.stderr)
        subprocess.run(f"cat {snapshot}.part-* > {snapshot} && rm {snapshot}.part-*", shell=True, cwd=fetched, check=True)
        equal((fetched / snapshot).read_bytes(), source.read_bytes(), "joined by cat")
        for baseline in (fetched, "f/m"):
            equal(there.diff(baseline, now)["verdict"], "RED", f"against {baseline}")
        check(there.json("verify", "f/m", "--line")["ok"], "verified on another machine")
        (copy,) = pathlib.Path(there.cache.name).glob(f"stores/*/{TREE}/perf-baselines/f/m/*/{snapshot}*")
        equal((copy.name, copy.read_bytes() == source.read_bytes()), (snapshot, True), "one file on another machine")
        with serving.Server(there, "--http", "127.0.0.1:0", "--audit-log", "off", env=there.env) as serve:
            status, text = page(serve, f"/entries/f/m/{entry['slug']}")
            check(status == 200 and f">{snapshot}<" in text and ".part-" not in text, f"{status} {text}")
            status, text = page(serve, f"/entries/f/m/{entry['slug']}/files/{snapshot}")
            equal((status, text == source.read_text()), (200, True), "the file")
            os.chmod(copy, 0o644)
            with open(copy, "r+b") as damaged:
                damaged.seek(7 << 20)
                damaged.write(b"x")
            status, text = page(serve, f"/entries/f/m/{entry['slug']}/files/{snapshot}")
            check(status != 200 and f"{snapshot}.part-{5 << 20:015} of SHA256SUMS has another sha256" in text, f"{status} {text[:2000]}")
        wrong = there.run("record", "--family", "f", "--measurement", "m", "--source", now, env={"PLUMBLINE_S3_PART_SIZE": "4MiB"})
        equal(wrong.returncode, 2, wrong.stdout)
        check('PLUMBLINE_S3_PART_SIZE is "4MiB"' in wrong.stderr and "from 5MiB to 5GiB" in wrong.stderr, wrong.stderr)


def named_by(server):
    """--store, PLUMBLINE_STORE, plumbline.yaml."""
    with Machine(server) as here:
        source = here.write("in.txt", "1\n")
        words = ("record", "--family", "f", "--measurement", "m", "--source", source, "--unit", "ms", "--direction", "lower-is-better", "--json")
        for flag in (("--store", here.store + "/flag"), ("--store=" + here.store + "/flag",)):
            done = here.run(*flag, *words)
            check(f'"{here.store}/flag/' in done.stdout, done.stderr + done.stdout)
        done = here.run(*words, "--store", here.store + "/behind")
        check(f'"{here.store}/behind/' in done.stdout, done.stderr)
        here.write("plumbline.yaml", f"store: {here.store}/file\n")
        check(f'"{here.store}/file/' in here.run(*words, env={"PLUMBLINE_STORE": ""}).stdout, "plumbline.yaml")
        check(f'"{here.store}/' in here.run(*words).stdout, "the environment is asked first")
        here.write("plumbline.yaml", "store: perf\n")
        done = here.run("config", "check", env={"PLUMBLINE_STORE": ""})
        check("store is s3://BUCKET/PREFIX or the absolute path of a folder" in done.stdout + done.stderr, done.stdout + done.stderr)
        here.write("plumbline.yaml", f"store: {here.store}/file\n")
        for address, said in (("s3://x", '"x" in "s3://x" is no name of a bucket'), ("perf", 'no store has an address such as "perf"'),
                              ("/nowhere/at/all", "the store /nowhere/at/all is not there")):
            done = here.run("history", "f/m", env={"PLUMBLINE_STORE": address})
            check(done.returncode == 2 and said in done.stderr, done.stderr)
        elsewhere = here.path / "elsewhere"
        elsewhere.mkdir()
        done = here.run(*words, "--store", elsewhere)
        check(f'"{elsewhere}/{TREE}' in done.stdout, done.stderr)
        done = here.run("history", "f/m", env={"AWS_SECRET_ACCESS_KEY": "wrong"})
        check(done.returncode == 3 and "SignatureDoesNotMatch (403)" in done.stderr and "wrong" not in done.stderr, done.stderr)
        here.write("f/m", "1\n")  # a file of that name is not taken for the baseline that cannot be asked for
        for reference in ("f/m", "f/m@newest"):
            done = here.run("diff", reference, source, "--no-bundle", env={"AWS_SECRET_ACCESS_KEY": "wrong"})
            check(done.returncode == 3 and "SignatureDoesNotMatch (403)" in done.stderr, done.stderr + done.stdout)
        check("write ./f/m for what is here" in here.run("diff", "f/m", source, "--no-bundle", env={"AWS_SECRET_ACCESS_KEY": "wrong"}).stderr,
              "what else it could be")
        (here.path / "f/m").unlink()
        done = here.run("history", "f/m", env={"PLUMBLINE_STORE": "s3://absent/p"})
        check(done.returncode == 3 and "NoSuchBucket (404)" in done.stderr, done.stderr)


def without_a_root(server):
    """A CI job outside of any work tree."""
    with Machine(server) as here:
        source = here.write("in.txt", "1\n")
        env = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")} | here.env
        done = subprocess.run([PLUMBLINE, "record", "--family", "f", "--measurement", "m", "--source", source, "--unit", "ms", "--direction",
                               "lower-is-better"], cwd=here.path, env=env, capture_output=True, text=True)
        check(done.returncode == 0 and here.store in done.stdout, done.stderr)


def signed(server):
    with Machine(server) as here, Machine(server, here.prefix) as there:
        check(here.run("keygen", "--out", here.path / "ci").returncode == 0, "keys")
        keys = {(path.suffix or path.name): path for path in here.path.glob("ci*")}
        private = next(path for path in here.path.glob("ci*") if "PRIVATE" in path.read_text())
        public = next(path for path in here.path.glob("ci*") if "PUBLIC" in path.read_text())
        check(len(keys) == 2, str(keys))
        entries = [record(machine, 100 + i, "--sign", private) for i, machine in enumerate((here, there, here, there))]
        verified = there.json("verify", "f/m", "--line", "--trust", public)
        check(verified["ok"] and verified["trusted"], verified)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            more = list(pool.map(lambda i: record((here, there)[i % 2], 200 + i, "--sign", private), range(4)))
        verified = here.json("verify", "f/m", "--line", "--trust", public)
        check(verified["ok"] and verified["trusted"], verified)
        here.json("accept", "f/m@" + entries[0]["slug"], "--reason", "r", "--sign", private)
        heads = there.run("checkpoint", "f/m", "--repo-root", there.path)
        equal((heads.returncode, heads.stdout.split()[1:]), (0, [str(len(entries + more)), "entry/f/m"]), "the line of all that was signed")


def kind_of(request):
    """What a request is about: "GET SHA256SUMS", "LIST line", "LIST accepted/", "LIST diffs", "LIST entry"."""
    method, path = request.split(" ", 1)
    address = urllib.parse.urlsplit(path)
    if "/.plumbline-journal/" in path:
        return method + " journal"
    if "list-type" not in address.query:
        return method + " " + address.path.rsplit("/", 1)[1]
    parts = urllib.parse.parse_qs(address.query)["prefix"][0].split("/")
    if "perf-baseline-diffs" in parts:
        return "LIST diffs"
    return "LIST " + ("accepted/" if parts[-2] == "accepted" else "line" if parts[-1] == "" and not parts[-2].endswith("Z") else "entry")


def asked(server, do):
    server.ask("_reset")
    do()
    return collections.Counter(kind_of(request) for request in server.ask("_log"))


def total(counts, method):
    return sum(number for kind, number in counts.items() if kind.startswith(method + " "))


def rows(value=1.0):
    return {f"row{k}.latency_ms": [value + k, value + 0.1 + k, value + 0.2 + k] for k in range(20)}


class Copies:
    """Many entries of one measurement, put as one entry's files under names of their own."""

    def __init__(self, server, machine):
        self.server, self.machine = server, machine
        entry = machine.json("record", "--family", "f", "--measurement", "seed", "--source", machine.write("seed.json", rows()),
                             "--headline", "row1.latency_ms")
        self.files = {}
        for path in pathlib.Path(entry["local_dir"]).iterdir():
            self.files[path.name] = path.read_bytes().replace(b'"seed"', b'"rows"')
        sums = [f"{hashlib.sha256(self.files[line.split('  ')[1]]).hexdigest()}  {line.split('  ')[1]}\n"
                for line in self.files["SHA256SUMS"].decode().splitlines()]
        self.files["SHA256SUMS"] = "".join(sums).encode()

    def put(self, ages):
        now = datetime.datetime.now(datetime.timezone.utc)
        for number, age in enumerate(ages):
            slug = (now - age).strftime("%Y%m%dT%H%M%S") + f"{number:06d}Z"
            for name, content in self.files.items():
                put(self.server, f"{self.machine.prefix}/{TREE}/perf-baselines/f/rows/{slug}/{name}", content)


def requests():
    """What things cost."""
    hours = lambda n: datetime.timedelta(hours=n)  # noqa: E731
    words = ("--family", "f", "--measurement", "rows", "--headline", "row1.latency_ms")
    with Server() as server, Machine(server) as here:
        source = here.write("in.txt", "1\n")
        scalar = ("--unit", "ms", "--direction", "lower-is-better")
        here.record(source, *scalar)  # and the probe
        equal(asked(server, lambda: here.record(source, *scalar)),
              {"LIST line": 1, "PUT baseline.json": 1, "PUT SOURCE.md": 1, "PUT source-snapshot.txt": 1, "PUT SHA256SUMS": 1, "PUT journal": 1},
              "an unsigned entry of one file: six")
        Copies(server, here).put([hours(1 + i / 60) for i in range(40)])
        now = here.write("now.json", rows(1.05))
        with Machine(server, here.prefix) as there:
            cold = asked(server, lambda: there.json("diff", "f/rows", now, "--no-bundle"))
            # That there were no diffs of it is known once the whole of the line was looked at.
            listed = {"LIST line": 1, "LIST accepted/": 1, "LIST diffs": 2}
            equal(cold, {**listed, "GET baseline.json": 32, "GET SHA256SUMS": 31, "GET SOURCE.md": 31, "GET source-snapshot.json": 31},
                  "diff on a line of 40, nothing cached")
            equal(asked(server, lambda: there.json("diff", "f/rows", now, "--no-bundle")), listed, "the same, all of it cached")
            there.json("diff", "f/rows", now)  # and the probe
            listed["LIST diffs"] = 1
            whole = asked(server, lambda: there.json("diff", "f/rows", now))
            equal((total(whole, "LIST"), total(whole, "GET"), total(whole, "PUT")), (3, 0, 13), "with its bundle")
            slug = there.json("history", "f/rows")["entries"][-1]["slug"]
            accept = asked(server, lambda: there.json("accept", f"f/rows@{slug}", "--reason", "r"))
            equal((accept["PUT .seq-000001"], accept["PUT journal"], total(accept, "PUT"), accept["LIST accepted/"], accept["LIST line"], total(accept, "GET")),
                  (1, 1, 3, 3, 1, 0), "accept: what holds, the next number, what holds once it is claimed")
            accepted = asked(server, lambda: there.json("diff", "f/rows", now, "--no-bundle"))
            equal(accepted, {**listed, f"GET 000001-{slug}.json": 1}, "diff with what was accepted")
            check(total(asked(server, lambda: there.json("verify", f"f/rows@{slug}")), "LIST") >= 1, "verify looks for files that nobody lists")
        # Without what the server calls objects by, each SHA256SUMS is asked for again.
    with Server("--no-etags") as server, Machine(server) as here:
        Copies(server, here).put([hours(1 + i / 60) for i in range(40)])
        now = here.write("now.json", rows(1.05))
        here.json("diff", "f/rows", now, "--no-bundle")
        equal(asked(server, lambda: here.json("diff", "f/rows", now, "--no-bundle")),
              {"LIST line": 1, "LIST accepted/": 1, "LIST diffs": 2, "GET SHA256SUMS": 31}, "no ETags")
    with Server() as server, Machine(server) as here:
        Copies(server, here).put([hours(1 + i) for i in range(200)])
        with Machine(server, here.prefix) as there:
            there.json("history", "f/rows")
            equal(asked(server, lambda: there.json("history", "f/rows")), {"LIST line": 2, "LIST accepted/": 1, "LIST diffs": 1},
                  "history of 200 entries, all of it cached")
    # A line of more pages than one that nobody used since.
    for age, cold in ((50, 1), (24 * 9, 3)):
        with Server("--page", "100") as server, Machine(server) as here:
            Copies(server, here).put([hours(age + 5 * i) for i in range(300)])
            source = here.write("in.json", rows())
            with Machine(server, here.prefix) as there:
                there.record(source, measurement="other")  # and the probe
                first = asked(server, lambda: there.json("record", *words, "--source", source))
                equal((first["LIST line"], total(first, "GET"), total(first, "PUT")), (cold, 1, 5), f"record on a line unused for {age} hours, empty cache")
                again = asked(server, lambda: there.json("record", *words, "--source", source))
                equal((again["LIST line"], total(again, "GET"), total(again, "PUT")), (1, 0, 5), "and from there on")


def refused():
    for switch, said in (("--ignore-condition", "of 16 writers of one object 16 were told that they made it"),
                         ("--versioned", "the bucket is versioned, and Ceph forgets the condition there"),
                         ("--no-condition", "as OpenStack Swift's S3 does")):
        with Server(switch) as server, Machine(server) as here:
            source = here.write("in.txt", "1\n")
            before = time.monotonic()
            done = here.run("record", "--family", "f", "--measurement", "m", "--source", source, "--unit", "ms", "--direction", "lower-is-better")
            print(f"{switch}: refused after {time.monotonic() - before:.2f} s")
            check(done.returncode == 3 and said in done.stderr and "cannot be a store" in done.stderr, done.stderr)
            check(not [line for line in server.ask("_log") if line.startswith("PUT") and "/experiments/" in line], "nothing was published")
            check(not [key for key in keys_in(server.endpoint, server.keys) if "/experiments/" in key], "nor is it there")


def killed():
    """kill -9 anywhere: what is listed is whole, what was acknowledged is there, numbers of acceptances are never given twice."""
    chance = random.Random(20261123)
    with Server("--slow", "3") as server, Machine(server) as here:
        source = here.write("in.json", {"latency_ms": 1.0})
        first = here.record(source)
        env = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")} | here.env
        known, accepted, done_ones = {first["slug"]}, [], 0
        before = time.monotonic()
        here.record(source)
        whole = time.monotonic() - before
        for i in range(KILLS):
            words = (["record", "--family", "f", "--measurement", "m", "--source", source] if i % 3 else
                     ["accept", f"f/m@{first['slug']}", "--reason", f"take {i}"])
            process = subprocess.Popen([PLUMBLINE, *map(str, words), "--json", "--repo-root", here.path], env=env,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                out, _ = process.communicate(timeout=chance.uniform(0, whole * 1.2))
                if process.returncode == 0 and i % 3:
                    known.add(json.loads(out)["slug"])
                elif process.returncode == 0:
                    accepted.append(pathlib.PurePath(json.loads(out)["path"]).name)
                done_ones += 1
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        print(f"{KILLS - done_ones} killed, {done_ones} came to their end")
        slugs = all_slugs(here, "f/m")
        check(known <= slugs, f"acknowledged and not there: {known - slugs}")
        verified = here.json("verify", "f/m", "--line")
        check(verified["ok"], verified)
        # verify has brought the records that are in the bucket.
        there = {path.name for path in pathlib.Path(here.cache.name).glob(f"stores/*/{TREE}/perf-baselines/f/m/accepted/*.json")}
        check(set(accepted) <= there, f"acknowledged and not there: {set(accepted) - there}")
        equal(len(accepted), len(set(accepted)), "each acknowledged acceptance has a number of its own")
        last = pathlib.PurePath(here.json("accept", f"f/m@{first['slug']}", "--reason", "after all")["path"]).name
        check(all(last > name for name in there), f"{last} is behind {sorted(there)}")
        paths = [line.split(" ", 1)[1] for line in server.ask("_log") if line.startswith("PUT") and "/accepted/0" in line]
        equal(len(paths), len(set(paths)), "each number was written once")


def server_of_mcp(server):
    with Machine(server) as here:
        entry = record(here, 100)
        now = here.write("now.json", {"latency_ms": 150, "tokens_per_s": 40})
        env = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")} | here.env
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                     "params": {"name": "perf_baseline_diff", "arguments": {"baseline": "f/m", "current": str(now), "confirm": "no"}}},
                    {"jsonrpc": "2.0", "id": 3, "method": "resources/read",
                     "params": {"uri": f"plumbline://baselines/f/m/{entry['slug']}"}}]
        done = subprocess.run([PLUMBLINE, "serve", "--stdio", "--repo-root", here.path, "--allow-root", here.path], env=env,
                              input="".join(json.dumps(m) + "\n" for m in messages), capture_output=True, text=True)
        answers = {m["id"]: m for m in map(json.loads, done.stdout.splitlines()) if "id" in m}
        result = answers.get(2, {}).get("result", {}).get("structuredContent", {})
        check(result.get("verdict") == "RED" and result.get("diff_dir", "").startswith(here.store), str(answers.get(2)) + done.stderr)
        text = str(answers.get(3))
        check("plumbline.baseline.v1" in text, text)


def prefixes(server):
    """profile-diff of what the ranks of two jobs left in a bucket, without a registry there."""
    with Machine(server) as here:
        env = {"PLUMBLINE_STORE": ""}
        jobs = {"monday": rank_traces(4), "tuesday": rank_traces(4, slow=2, slower=0.5)}
        digested = here.path / "digests"
        digested.mkdir()
        for job, traces in jobs.items():
            for rank, text in traces.items():
                here.write(f"{job}/rank{rank}.json", text)
            done = here.run("digest", here.path / job, "--shard", "0/1", "--out", digested / job, env=env)
            check(done.returncode == 0, done.stderr)
            for file in sorted((digested / job).iterdir()):
                put(server, f"{here.prefix}/{job}/{file.name}", file.read_bytes())
        put(server, f"{here.prefix}/monday-notes.txt", "a neighbour, whose name begins alike\n")
        put(server, f"{here.prefix}/one.json", jobs["monday"][0])
        addresses = [f"{here.store}/{job}" for job in jobs]

        def compared(*sides):
            done = here.run("profile-diff", *sides, "--json", "--repo-root", here.path, env=env)
            check(done.returncode == 0, done.stderr)
            return json.loads(done.stdout)
        near, far = compared(digested / "monday", digested / "tuesday"), compared(*addresses)
        equal(far["verdict"], near["verdict"], "the same verdict as of folders")
        equal([far["baseline"], far["candidate"]], addresses, "sides go by their address")
        for name in ("wall", "top", "reasons", "comparability"):
            check(far[name], f"there is {name}")
            equal(far[name], near[name], f"the same {name}")
        check(here.json("verify", far["diff_dir"], "--recompute", env=env)["ok"], "and the bundle recomputes without the bucket")
        equal(compared(addresses[0] + "/", addresses[0])["verdict"], "GREEN", "a slash at the end")
        equal(compared(f"{here.store}/one.json", f"{here.store}/one.json")["verdict"], "GREEN", "one object")
        done = here.run("profile-diff", f"{here.store}/sunday", addresses[0], env=env)
        equal((done.returncode, done.stderr.splitlines()[0]), (2, f'plumbline: error: nothing lies at "{here.store}/sunday"'), "nothing there")
        check(not any(here.path.glob("**/rank*.fetched")) and not list(here.path.glob("s3:*")), "nothing is left")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")} | here.env
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                     "params": {"name": "profile_diff", "arguments": {"baseline": [addresses[0]], "candidate": [addresses[1]]}}}]
        done = subprocess.run([PLUMBLINE, "serve", "--stdio", "--repo-root", here.path, "--allow-root", here.path], env=environment,
                              input="".join(json.dumps(m) + "\n" for m in messages), capture_output=True, text=True)
        check("this server reads its own folders, and no bucket" in done.stdout, done.stdout[-600:] + done.stderr)


def page(server, path):
    """A page of the review site: its status and its text."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=serving.BOUND)
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def published_elsewhere(store):
    """What another machine has published is read at once, though nothing of it is here."""
    with Machine(store) as here, Machine(store, here.prefix) as there:
        record(here, 100)
        with serving.Server(here, "--http", "127.0.0.1:0", "--audit-log", "off", env=here.env) as server:
            client = serving.Http(server.url, serving.MODERN)
            entry, other = record(there, 101), record(there, 102)
            result = there.diff(f"f/m@{entry['slug']}", there.write("now.json", {"latency_ms": 150, "tokens_per_s": 40}))
            diff = result["diff_dir"].rsplit("/", 1)[1]
            for uri, said in ((f"plumbline://baselines/f/m/{entry['slug']}", "plumbline.baseline.v1"),
                              (f"plumbline://diffs/f/m/{diff}/diff.json", "plumbline.diff.v1"),
                              (f"plumbline://diffs/f/m/{diff}", "SHA256SUMS")):
                text = str(client.ask("resources/read", uri=uri))
                check(said in text, text)
            text = str(client.ask("resources/read", uri="plumbline://baselines/f/m/20261120T150359221206Z"))
            check("has no entry 20261120T150359221206Z" in text, text)
            status, text = page(server, f"/entries/f/m/{other['slug']}/files/SHA256SUMS")
            check(status == 200 and "baseline.json" in text, f"{status} {text}")
            (snapshot,) = [line.split("  ")[1] for line in text.splitlines() if "snapshot" in line]
            status, text = page(server, f"/entries/f/m/{other['slug']}/files/{snapshot}")
            check(status == 200 and '"latency_ms": 102' in text, f"{status} {text}")


def until(holds, what):
    end = time.monotonic() + serving.BOUND
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.2)


def seen_and_told():
    """A server asks a bucket seldom, and yet shows and tells what another machine does there. It is seen to go by what it knows first."""
    with Server() as store, Machine(store) as here, Machine(store, here.prefix) as there:
        first = record(there, 100)
        there.json("accept", f"f/m@{first['slug']}", "--reason", "the first")
        with serving.Server(here, "--http", "127.0.0.1:0", "--unix", here.path / "s", "--audit-log", "off", env=here.env) as server:
            client = serving.Lines.to(server.address("unix"))
            newest, accepted = ("plumbline://baselines/f/m/" + which for which in ("newest", "accepted"))
            for uri in (newest, accepted):
                client.get("resources/subscribe", uri=uri)

            def asks_nothing(during):
                before = len(store.ask("_log"))
                during()
                return not [line for line in store.ask("_log")[before:] if "perf-baselines%2Ff%2Fm" in line or "perf-baselines/f/m" in line]

            def hear_of(uri):
                updated = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
                while updated not in client.heard:
                    if client.receive() is None:
                        raise AssertionError(f"the server hung up before it told of {uri}")

            until(lambda: asks_nothing(lambda: time.sleep(3)), "nothing is asked for the sake of those who listen")
            second = record(there, 101)
            hear_of(newest)
            until(lambda: asks_nothing(lambda: time.sleep(3)), "nothing is asked again")
            there.json("accept", f"f/m@{second['slug']}", "--reason", "the second")
            hear_of(accepted)
            equal(sum(m["method"] == "notifications/resources/updated" for m in client.heard), 2, "and of nothing else")
            for uri in (newest, accepted):
                client.get("resources/unsubscribe", uri=uri)

            def shown(path, text):
                status, found = page(server, path)
                equal(status, 200, path)
                return text in found

            for path in ("/families/f/m", "/families/f"):
                until(lambda path=path: asks_nothing(lambda: shown(path, "")), f"{path} is shown from what is known")
            third = record(there, 102)
            for path in ("/families/f/m", "/families/f"):
                until(lambda path=path: shown(path, f"/entries/f/m/{third['slug']}"), f"{path} shows what another machine recorded")


class Silent:
    """A server of a store that lets everybody in and answers nobody."""

    def __enter__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.settimeout(serving.BOUND)
        self.endpoint = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.keys, self.waiting = {"AWS_ACCESS_KEY_ID": "TESTKEY", "AWS_SECRET_ACCESS_KEY": "test/secret+key"}, []
        return self

    def __exit__(self, *_):
        for one in (*self.waiting, self.listening):
            one.close()

    def until_asked(self):
        self.waiting.append(self.listening.accept()[0])


def over_tls():
    """A server within a company: its certificate is signed by an authority that only AWS_CA_BUNDLE names."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)

        def openssl(*words):
            subprocess.run(["openssl", *map(str, words)], cwd=folder, check=True, capture_output=True)

        for name in ("ours", "another"):
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=s3.example.org", "-keyout", "server.key", "-out", "server.csr")
        (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ours.pem", "-CAkey", "ours.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.pem")
        with Server("--tls", folder / "server.pem", folder / "server.key") as server, Machine(server) as here:
            source = here.write("in.txt", "1\n")
            words = ("record", "--family", "f", "--measurement", "m", "--source", source, "--unit", "ms", "--direction", "lower-is-better")
            for bundle in (None, folder / "another.pem"):
                done = here.run(*words, env={"AWS_CA_BUNDLE": str(bundle)} if bundle else {})
                equal(done.returncode, 2, f"an authority that nobody named: {done.stderr}")
                check(f"{here.store} does not answer: the certificate of 127.0.0.1:" in done.stderr and "AWS_CA_BUNDLE names the authority that signed its certificate"
                      in done.stderr, done.stderr)
            here.env["AWS_CA_BUNDLE"] = str(folder / "ours.pem")
            done = here.run(*words)
            equal(done.returncode, 0, done.stderr)
            with Machine(server, here.prefix) as there:
                there.env["AWS_CA_BUNDLE"] = here.env["AWS_CA_BUNDLE"]
                check(there.json("verify", "f/m", "--line")["ok"], "and read over TLS")


def given_up():
    """Who gives up on a store that does not answer has the thread back: of two threads a client has one, and the overview the other."""
    slug, schema = "20261120T150359221206Z", "plumbline://schemas/plumbline.diff.v1"
    with Silent() as store, Machine(store) as here, serving.Server(here, "--http", "127.0.0.1:0", "--unix", here.path / "s", "--jobs", "2",
                                                                   "--audit-log", "off", env=here.env) as server:
        client = serving.Lines.to(server.address("unix"))
        asked = client.request("resources/read", {"uri": f"plumbline://baselines/f/m/{slug}"})
        client.send(asked)
        store.until_asked()
        client.notify("notifications/cancelled", requestId=asked["id"])
        check("contents" in client.get("resources/read", uri=schema), "a read that was cancelled is over")
        page = http.client.HTTPConnection("127.0.0.1", server.port)
        page.request("GET", f"/entries/f/m/{slug}")
        for _ in ("by the page", "by the overview"):
            store.until_asked()
        page.close()
        other = serving.Http(server.url, serving.MODERN)
        check("contents" in other.get("resources/read", uri=schema), "a page whose reader has left is over")


def main():
    with Server() as server:
        prefixes(server)
        every_verb(server)
        named_by(server)
        without_a_root(server)
        signed(server)
        suites_and_captures(server)
        in_parts(server)
        server_of_mcp(server)
        published_elsewhere(server)
    if not os.environ.get("PLUMBLINE_TEST_S3"):
        requests()
        refused()
        killed()
        given_up()
        over_tls()
        seen_and_told()
    finish()


if __name__ == "__main__":
    main()
