#!/usr/bin/env python3
"""--allow-root: every path that an agent names, or that a file it names leads to, against every way out. Nothing of what lies
outside is read, named or told apart from what is not there, and nothing outside is made, changed or removed."""
import ctypes
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import threading

from harness import PLUMBLINE, Root, check, equal, finish

SECRET = "4f5SECRET2c9"  # in every file outside, and in the name of a neighbour that hints must not give
REFUSED = "path_not_allowed"
EXCHANGE = 2  # renameat2's RENAME_EXCHANGE
libc = ctypes.CDLL(None, use_errno=True)


class Server:
    """One confined server; every answer and every line of its log is kept."""

    def __init__(self, base, *more):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
        inside = base / "inside"
        self.process = subprocess.Popen([PLUMBLINE, "serve", "--stdio", "--allow-root", str(inside), "--repo-root",
                                         str(inside / "repo"), *more], cwd=inside, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)
        self.next_id, self.said = 0, []
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"})

    def ask(self, method, **params):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError("the server ended: " + self.process.stderr.read().decode())
            self.said.append(line.decode())
            answer = json.loads(line)
            if answer.get("id") == self.next_id:
                return answer

    def call(self, tool, **arguments):
        """The error code, or None for a result."""
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        if "error" in answer:
            return f"protocol error {answer['error']}"
        result = answer["result"]
        if not result["isError"]:
            return None
        return json.loads(result["content"][0]["text"])["code"]

    def end(self):
        out, err = self.process.communicate()
        equal(self.process.returncode, 0, "the server's end")
        check(SECRET not in "".join(self.said) + out.decode() + err.decode(), "an answer holds what lies outside: " +
              next((line[:400] for line in self.said if SECRET in line), err.decode()[:400]))


def tree(folder):
    """Names, kinds, modes and contents below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (info.st_mode, content)
    return found


def capture(path, kernel):
    """The least that is an Nsight Systems export."""
    with sqlite3.connect(path) as db:
        db.executescript("""
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, shortName INT, demangledName INT);
        """)
        db.execute("INSERT INTO StringIds VALUES (1, ?)", (kernel,))
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, 1, 1)", [(i * 100, i * 100 + 50) for i in range(9)])
    db.close()


def csv_folder(path, kernel):
    path.mkdir(parents=True)
    (path / "x_cuda_gpu_kern_sum.csv").write_text(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        f"100.0,450,9,50.0,50.0,50,50,0.0,{kernel}\n")


def lay_out(root):
    """The same files on both sides; those outside hold the secret."""
    base = root.path.resolve()
    for side, word in (("inside", "fine"), ("outside", SECRET)):
        root.write(f"{side}/m.json", {word: {"ttft_ms": 10.0}, "tokens_per_s": 100.0})
        root.write(f"{side}/schema.json", {"type": "object", "description": word})
        root.write(f"{side}/sub/n.json", {word: {"ttft_ms": 11.0}, "tokens_per_s": 99.0})
        capture(base / side / "c.sqlite", word)
        csv_folder(base / side / "csv", word)
    root.write(f"outside/m.jso{SECRET}", "a neighbour")
    (base / "inside/repo").mkdir()
    (base / "outside/repo").mkdir()
    shutil.copytree(root.record(base / "outside/m.json")["entry_dir"], base / "outside/entry")
    (base / "experiments").rename(base / "outside/repo/experiments")
    links = base / "inside/links"
    links.mkdir()
    (links / "up").symlink_to("../../outside")
    (links / "absolute").symlink_to(base / "outside")
    (links / "magic").symlink_to("/proc/self/root")
    (links / "twice").symlink_to("up")
    return base


def ways_out(base, name):
    """Texts that lead to outside/NAME, by the way they go."""
    outside, inside = base / "outside", base / "inside"
    ways = {
        "absolute": f"{outside}/{name}",
        "slash": f"{outside}/{name}/",
        "dots": f"{inside}/../outside/{name}",
        "relative dots": f"../outside/{name}",
        "dots after a folder": f"repo/../sub/../../outside/{name}",
        "dots after nothing": f"{inside}/absent/../../outside/{name}",
        "a link": f"links/up/{name}",
        "an absolute link": f"links/absolute/{name}",
        "a link to a link": f"{inside}/links/twice/{name}",
        "/proc": f"/proc/self/root{outside}/{name}",
        "a link to /proc": f"links/magic{outside}/{name}",
        "/proc/self/cwd": f"/proc/self/cwd/../outside/{name}",
        "not there": f"{outside}/absent",
        "not there, by a link": f"links/up/absent/{name}",
        "/dev/stdin": "/dev/stdin",
        "environ": "/proc/self/environ",
        "the root": "/",
    }
    return ways


# What is not a way out by name: an ordinary name that is not there, or no path at all.
ODD = {"percent": "%2e%2e/outside/m.json", "percent slash": "..%2Foutside%2Fm.json", "encoded link": "links%2Fup%2Fm.json",
       "NUL": "m.json\0/../../outside/m.json", "NUL outside": "../outside/m.json\0.json"}


# Every tool and every parameter that is a path: (tool, parameter, what stands outside, the other arguments).
PLACES = [
    ("perf_baseline_record", "source", "m.json", {"family": "f", "measurement": "m"}),
    ("perf_baseline_record", "source", "c.sqlite", {"family": "f", "measurement": "c"}),
    ("perf_baseline_record", "source", "sub", {"family": "f", "measurement": "s"}),
    ("perf_baseline_record", "source", "m.json", {"family": "f", "measurement": "m", "dry_run": True}),
    ("perf_baseline_record", "source", "m.json", {"family": "f", "measurement": "m", "snapshot": "reference", "value": 5}),
    ("perf_baseline_record", "source", "c.sqlite", {"family": "f", "measurement": "m", "redact": True}),
    ("perf_baseline_record", "trials", "m.json", {"family": "f", "measurement": "m", "source": "m.json"}),
    ("perf_baseline_record", "schema", "schema.json", {"family": "f", "measurement": "m", "source": "m.json"}),
    ("perf_baseline_record", "repo_root", "repo", {"family": "f", "measurement": "m", "source": "m.json"}),
    ("perf_baseline_diff", "baseline", "m.json", {"current": ["m.json"]}),
    ("perf_baseline_diff", "baseline", "entry", {"current": ["m.json"]}),
    ("perf_baseline_diff", "baseline", "entry/baseline.json", {"current": ["m.json"]}),
    ("perf_baseline_diff", "baseline", "c.sqlite", {"current": ["c.sqlite"]}),
    ("perf_baseline_diff", "current", "m.json", {"baseline": "m.json"}),
    ("perf_baseline_diff", "current", "sub", {"baseline": "m.json", "as": "trials"}),
    ("perf_baseline_diff", "current", "c.sqlite", {"baseline": "c.sqlite"}),
    ("perf_baseline_diff", "initial", "m.json", {"baseline": "m.json", "current": ["m.json"]}),
    ("perf_baseline_diff", "out", "made", {"baseline": "m.json", "current": ["m.json"]}),
    ("perf_baseline_diff", "repo_root", "repo", {"baseline": "m.json", "current": ["m.json"]}),
    ("profile_diff", "baseline", "c.sqlite", {"candidate": "c.sqlite"}),
    ("profile_diff", "candidate", "c.sqlite", {"baseline": "c.sqlite"}),
    ("profile_diff", "baseline_csv_dir", "csv", {"candidate": "c.sqlite"}),
    ("profile_diff", "candidate_csv_dir", "csv", {"baseline": "c.sqlite"}),
    ("profile_diff", "out", "made.md", {"baseline": "c.sqlite", "candidate": "c.sqlite"}),
    ("profile_diff", "json_out", "m.json", {"baseline": "c.sqlite", "candidate": "c.sqlite"}),
    ("profile_diff", "repo_root", "repo", {"baseline": "c.sqlite", "candidate": "c.sqlite"}),
    ("perf_baseline_accept", "baseline", "entry", {"reason": "r"}),
    ("perf_baseline_accept", "repo_root", "repo", {"baseline": "f/m", "reason": "r"}),
    ("perf_baseline_history", "repo_root", "repo", {"name": "f/m"}),
    ("measurement_inspect", "path", "m.json", {}),
    ("measurement_inspect", "path", "c.sqlite", {}),
    ("measurement_inspect", "path", "csv", {}),
    ("measurement_inspect", "path", "entry", {}),
    ("bundle_verify", "path", "entry", {}),
    ("search_evidence", "repo_root", "repo", {"query": "m"}),
]
LISTS = {"current", "trials"}


def arguments_of(parameter, path, others):
    more = {"confirm": "no"} if "reason" in others else {}
    return {**others, **more, parameter: [path] if parameter in LISTS else path}


# Every tool, every path parameter, every way out: one answer, whether or not anything is there.
with Root() as root:
    base = lay_out(root)
    outside = tree(base / "outside")
    server = Server(base)
    for tool, parameter, name, others in PLACES:
        for way, path in ways_out(base, name).items():
            code = server.call(tool, **arguments_of(parameter, path, others))
            equal(code, REFUSED, f"{tool} {parameter} by {way} ({path})")
        for way, path in ODD.items():
            if parameter in ("out", "json_out") and "\0" not in path:
                continue  # a name like any other, which is written inside
            code = server.call(tool, **arguments_of(parameter, path, others))
            check(code in (REFUSED, "not_found", "invalid_input", "usage"), f"{tool} {parameter} by {way}: {code}")
    server.end()
    equal(tree(base / "outside"), outside, "the tree outside")

# The same calls with paths inside work, links among them and the root named through a link.
with Root() as root:
    base = lay_out(root)
    inside = base / "inside"
    (inside / "links/near.json").symlink_to("../m.json")
    (inside / "links/near").symlink_to(inside)
    (base / "alias").symlink_to("inside")
    server = Server(base)
    for path in ("m.json", "links/near.json", "links/near/m.json", f"{base}/alias/m.json", "sub/../m.json", f"{inside}/../inside/m.json"):
        equal(server.call("measurement_inspect", path=path), None, f"inspect {path}")
        equal(server.call("perf_baseline_record", family="f", measurement="m", source=path), None, f"record {path}")
        equal(server.call("perf_baseline_diff", baseline="f/m", current=[path]), None, f"diff {path}")
    equal(server.call("perf_baseline_record", family="f", measurement="c", source="c.sqlite"), None, "record a capture")
    equal(server.call("perf_baseline_record", family="f", measurement="r", source="c.sqlite", redact=True), None, "redacted")
    equal(server.call("perf_baseline_record", family="f", measurement="s", source="csv"), None, "record a folder of CSVs")
    equal(server.call("perf_baseline_diff", baseline="f/c", current=["c.sqlite"]), None, "diff of captures")
    equal(server.call("perf_baseline_diff", baseline="m.json", current=["m.json"], out="links/near/copy"), None, "--out by a link")
    check((inside / "copy/SHA256SUMS").is_file(), "--out is there")
    equal(server.call("profile_diff", baseline_csv_dir="csv", candidate_csv_dir="csv", out="p.md", json_out="p.json"), None, "profiles")
    check((inside / "p.md").is_file() and (inside / "p.json").is_file(), "--out and --json-out are there")
    for name, code in {"m.json": "already_exists", "p.json": "already_exists", "repo/experiments/artifacts/x.md": REFUSED}.items():
        equal(server.call("profile_diff", baseline_csv_dir="csv", candidate_csv_dir="csv", json_out=name), code, f"--json-out {name}")
    check("fine" in json.loads((inside / "m.json").read_text()), "a report replaced a source")
    equal(server.call("perf_baseline_accept", baseline="f/m", reason="r", confirm="no"), None, "accept")
    equal(server.call("perf_baseline_history", name="f/m"), None, "history")
    equal(server.call("search_evidence", query="m"), None, "search")
    entry = next((inside / "repo/experiments/artifacts/perf-baselines/f/m").glob("2*"))
    equal(server.call("bundle_verify", path=str(entry)), None, "verify")
    equal(server.call("measurement_inspect", path=str(entry)), None, "inspect an entry")
    server.end()

# Paths that come out of files, and links in places that are looked at unasked.
with Root() as root:
    base = lay_out(root)
    inside, repo = base / "inside", base / "inside/repo"
    outside = tree(base / "outside")
    server = Server(base)
    for kind in ("reference", "copy"):
        equal(server.call("perf_baseline_record", family="f", measurement=kind, source="m.json", snapshot=kind), None, kind)
    registry = repo / "experiments/artifacts/perf-baselines/f"

    # An entry whose source was kept by reference, and now names a file outside (the digest is right).
    plain = {"family": "f", "measurement": "old", "value": None, "unit": None, "direction": None, "notes": "",
             "source_path": str(base / "outside/m.json"), "registered_at_utc": "2026-01-01T00:00:00Z"}
    entry = registry / "old/20260101T000000000000Z"
    root.write(entry.relative_to(base) / "baseline.json", plain)
    (entry / "SOURCE.md").write_text("by hand\n")
    equal(server.call("perf_baseline_diff", baseline="f/old", current=["m.json"]), REFUSED, "a recorded source outside")
    # A snapshot of the reference tool's kind that is a folder with a link out.
    (entry / "source-snapshot").mkdir()
    (entry / "source-snapshot/x.json").symlink_to(base / "outside/m.json")
    equal(server.call("perf_baseline_diff", baseline="f/old", current=["m.json"]), REFUSED, "a link in a snapshot")
    equal(server.call("measurement_inspect", path=str(entry)), REFUSED, "the same, inspected")
    (entry / "source-snapshot/x.json").unlink()
    (entry / "source-snapshot").rmdir()
    (entry / "source-snapshot.json").symlink_to(base / "outside/m.json")
    check(server.call("perf_baseline_diff", baseline="f/old", current=["m.json"]) is not None, "a snapshot that is a link")
    (entry / "baseline.json").unlink()
    (entry / "baseline.json").symlink_to(base / "outside/entry/baseline.json")
    check(server.call("perf_baseline_diff", baseline=str(entry), current=["m.json"]) is not None, "a baseline.json that is a link")

    # Folders as sources with a link out: the same answer whether or not it leads to something.
    for target in ("m.json", "sub", "absent", "csv/x_cuda_gpu_kern_sum.csv"):
        folder = inside / "folder"
        folder.mkdir()
        (folder / "a.json").write_text('{"ttft_ms": 1}')
        (folder / "x_cuda_gpu_kern_sum.csv").symlink_to(base / "outside" / target)
        for tool, arguments in (("measurement_inspect", {"path": "folder"}),
                                ("perf_baseline_record", {"family": "f", "measurement": "m", "source": "folder"}),
                                ("profile_diff", {"baseline_csv_dir": "folder", "candidate": "c.sqlite"})):
            equal(server.call(tool, **arguments), REFUSED, f"{tool} of a folder with a link to {target}")
        shutil.rmtree(folder)

    # A log beside a capture that is a link out is not looked at: the answers are the same.
    said = []
    for target in ("m.json", "absent"):
        (inside / "c.sqlite-wal").symlink_to(base / "outside" / target)
        equal(server.call("measurement_inspect", path="c.sqlite"), None, "a capture with a log that is a link")
        said.append(json.loads(server.said[-1])["result"])
        (inside / "c.sqlite-wal").unlink()
    equal(said[0], said[1], "what lies behind the log")

    # The registry's own files.
    for name in ("plumbline.yaml", "configs/metric-names.yaml", "configs/sol-ceilings.yaml"):
        (repo / name).parent.mkdir(exist_ok=True)
        for target in ("m.json", "absent"):
            (repo / name).symlink_to(base / "outside" / target)
            equal(server.call("perf_baseline_record", family="f", measurement="m", source="m.json", ceiling="auto"), REFUSED,
                  f"{name} is a link to {target}")
            (repo / name).unlink()
    for folder in ("f", "other"):
        place = repo / "experiments/artifacts/perf-baselines" / folder
        if place.exists():
            place.rename(repo / "aside")
        for target in ("repo/experiments/artifacts/perf-baselines/f", "absent"):
            place.symlink_to(base / "outside" / target)
            equal(server.call("perf_baseline_record", family=folder, measurement="m", source="m.json"), REFUSED, "a family that is a link")
            check(server.call("perf_baseline_history", name=f"{folder}/m") in (REFUSED, "not_found"), "its history")
            place.unlink()
    shutil.rmtree(repo / "experiments")
    (repo / "experiments").symlink_to(base / "outside/repo/experiments")
    for tool, arguments in (("perf_baseline_record", {"family": "f", "measurement": "m", "source": "m.json"}),
                            ("perf_baseline_diff", {"baseline": "m.json", "current": ["m.json"]}),
                            ("search_evidence", {"query": "m"})):
        equal(server.call(tool, **arguments), REFUSED, f"{tool} in a registry that is a link")
    server.end()
    equal(tree(base / "outside"), outside, "the tree outside")

# nsys opens by name: it is given a copy of what was opened.
with Root() as root:
    base = lay_out(root)
    root.write("nsys", "#!/bin/sh\nfor word; do last=$word; done\nprintf '%s\\n' \"$last\" >>" + str(base / "asked") +
               "\nwhile [ \"$1\" != -o ]; do shift; done\ncp " + str(base / "inside/c.sqlite") + " \"$2\"\n").chmod(0o755)
    os.environ["PATH"] = f"{base}:{os.environ['PATH']}"
    root.write("inside/r.nsys-rep", b"NVIDIA Tegra Profiler Report" + b"\0" * 100)
    root.write("outside/r.nsys-rep", b"NVIDIA Tegra Profiler Report" + SECRET.encode())
    server = Server(base)
    equal(server.call("measurement_inspect", path="r.nsys-rep"), None, "a report inside")
    equal(server.call("measurement_inspect", path="links/up/r.nsys-rep"), REFUSED, "a report outside")
    asked = (base / "asked").read_text().splitlines()
    check(len(asked) == 1 and asked[0].endswith("/report.nsys-rep") and not asked[0].startswith(str(base)), f"nsys was given {asked}")
    server.end()


def exchanged(one, other, work):
    """Exchanges two names in a loop while `work` runs."""
    done = threading.Event()

    def loop():
        while not done.is_set():
            libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        work()
    finally:
        done.set()
        thread.join()


RACE_CODES = (None, REFUSED, "not_found", "invalid_input", "environment")
ROUNDS = 12

# What is named is exchanged with a link out while it is being read: an answer is of what lies inside, or a refusal.
with Root() as root:
    base = lay_out(root)
    inside = base / "inside"
    shutil.copytree(inside / "sub", inside / "x/sub")
    for name in ("m.json", "c.sqlite", "schema.json"):
        shutil.copy(inside / name, inside / "x" / name)
    shutil.copytree(inside / "csv", inside / "x/csv")
    (inside / "y").symlink_to(base / "outside")
    outside = tree(base / "outside")
    server = Server(base)
    seen = set()

    def read_all():
        for tool, parameter, name, others in PLACES:
            if name.split("/")[0] in ("entry", "repo", "made", "made.md") or parameter == "json_out":
                continue
            for _ in range(ROUNDS):
                code = server.call(tool, **arguments_of(parameter, f"x/{name}", others))
                seen.add(code)
                check(code in RACE_CODES, f"{tool} {parameter} while x is exchanged: {code}")
        for _ in range(20000):  # so many rounds may all meet the same side
            if {REFUSED, None} <= seen:
                break
            seen.add(server.call("measurement_inspect", path="x/m.json"))

    exchanged(inside / "x", inside / "y", read_all)
    check(REFUSED in seen and None in seen, f"both sides of the exchange were met: {seen}")

    def write_all():
        for n in range(ROUNDS):
            for tool, arguments in (("perf_baseline_diff", {"baseline": "m.json", "current": ["m.json"], "out": f"x/made{n}"}),
                                    ("profile_diff", {"baseline": "c.sqlite", "candidate": "c.sqlite", "out": f"x/{n}.md"}),
                                    ("profile_diff", {"baseline": "c.sqlite", "candidate": "c.sqlite", "json_out": "x/m.json"})):
                code = server.call(tool, **arguments)
                check(code in (*RACE_CODES, "already_exists"), f"{tool} writes while x is exchanged: {code}")

    exchanged(inside / "x", inside / "y", write_all)
    server.end()
    equal(tree(base / "outside"), outside, "the tree outside")
    kept = [p for p in inside.rglob("*") if p.is_file() and not p.is_symlink() and "y" not in p.relative_to(inside).parts[:1]
            and "x" not in p.relative_to(inside).parts[:1] and SECRET.encode() in p.read_bytes()]
    equal(kept, [], "files inside that hold what lies outside")

# The registry is exchanged with a link out while it is written to and read.
with Root() as root:
    base = lay_out(root)
    repo = base / "inside/repo"
    server = Server(base)
    equal(server.call("perf_baseline_record", family="f", measurement="m", source="m.json"), None, "an entry")
    for folder in ("experiments", "experiments/artifacts/perf-baselines/f"):
        decoy = base / "outside/decoy" / str(folder.count("/"))
        shutil.copytree(base / "outside/repo" / folder, decoy)
        (decoy / "empty/empty").mkdir(parents=True)
        (repo / "link").symlink_to(decoy)
        outside = tree(base / "outside")

        def write():
            for _ in range(ROUNDS):
                for tool, arguments in (
                        ("perf_baseline_record", {"family": "f", "measurement": "m", "source": "m.json"}),
                        ("perf_baseline_diff", {"baseline": "f/m", "current": ["m.json"]}),
                        ("perf_baseline_accept", {"baseline": "f/m", "reason": "r", "confirm": "no"}),
                        ("perf_baseline_history", {"name": "f/m"}),
                        ("search_evidence", {"query": "m"}),
                        ("measurement_inspect", {"path": "f/m"})):
                    code = server.call(tool, **arguments)
                    check(code in (*RACE_CODES, "provenance_mismatch"), f"{tool} while {folder} is exchanged: {code}")

        exchanged(repo / folder, repo / "link", write)
        equal(tree(base / "outside"), outside, "the tree outside")
        for name in (repo / folder, repo / "link"):
            if name.is_symlink():
                name.unlink()
            else:
                name.rename(base / "inside/kept")
        (base / "inside/kept").rename(repo / folder)
    server.end()

finish()
