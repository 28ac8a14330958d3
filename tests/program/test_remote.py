#!/usr/bin/env python3
"""Clients on other machines: content in the call, uploads (their manners, bounds and ends), and `plumbline --server`. The client has
a root of its own, in which the server may read nothing, and its own network where this account may make one."""
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish
from serving import BOUND, LEGACY, MODERN, Http, Server, environment, raw

ALICE, BOB, READER = "alice-alice-alice-alice", "bob-bob-bob-bob-bob-bob", "reader-reader-reader"
TOKENS = f"alice {ALICE}\nbob {BOB}\nreader {READER} read\n"
QUIET = ("--audit-log", "off")
MIB = 1 << 20
BEFORE = {"decode": {"tokens_per_s": 1000.0, "latency_ms": 20.0}}
AFTER = {"decode": {"tokens_per_s": 800.0, "latency_ms": 25.0}}


def secret(root, content=TOKENS):
    path = root.write("tokens", content)
    path.chmod(0o600)
    return path


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Door:
    """Plain HTTP requests to the server's uploads."""

    def __init__(self, server, token=ALICE):
        self.port, self.token = server.port, token

    def ask(self, method, name, body=b"", headers=None, length=None):
        """Status, headers and the body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND)
        connection.putrequest(method, f"/blobs/sha256/{name}")
        if self.token:
            connection.putheader("Authorization", f"Bearer {self.token}")
        if method == "PUT":
            connection.putheader("Content-Length", str(len(body) if length is None else length))
        for key, value in (headers or {}).items():
            connection.putheader(key, value)
        connection.endheaders()
        try:
            connection.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has answered already
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, dict(response.getheaders()), json.loads(text) if text.startswith(b"{") else text.decode()

    def put(self, body, **more):
        return self.ask("PUT", digest(body), body, **more)

    def head(self, body):
        status, headers, _ = self.ask("HEAD", digest(body))
        return status, headers.get("Upload-Offset")


def until(holds, what):
    end = time.monotonic() + BOUND
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.02)


def peak(pid):
    """MiB that the process ever had."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


def files_below(folder):
    return sorted(str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob("*") if p.is_file())


# Content in the call: a measurement becomes an entry and is compared, and the server has read no file for it.
with Root() as root, Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
    for era in (LEGACY, MODERN):
        client = Http(server.url, era)
        made = client.value("perf_baseline_record", family="f", measurement="m" + era[:4], content=json.dumps(BEFORE), content_name="before.json")
        entry = pathlib.Path(made["entry_dir"])
        kept = (entry / "baseline.json").read_text()
        check("content:before.json" in kept, "where it came from")
        check("1000.0" not in kept, "the content is kept as the snapshot alone")
        equal(json.loads((entry / "source-snapshot.json").read_text()), BEFORE, "its snapshot")
        found = client.value("perf_baseline_diff", baseline=f"f/m{era[:4]}", content=json.dumps(AFTER), content_name="after.json")
        equal(found["verdict"], "RED", "a diff of content")
        link = client.call("perf_baseline_diff", baseline=f"f/m{era[:4]}", content=json.dumps(AFTER))["content"]
        pages = [one["uri"] for one in link if one["type"] == "resource_link" and one["uri"].startswith("http")]
        equal(len(pages), 1, "one link opens in a browser")
        site = http.client.HTTPConnection("127.0.0.1", server.port)
        site.request("GET", pages[0].removeprefix(f"http://127.0.0.1:{server.port}"))
        equal(site.getresponse().status, 200, f"the review page {pages[0]}")
    both = client.value("perf_baseline_diff", baseline="content:a.json", current="content:b.json", no_bundle=True,
                        content=[json.dumps(BEFORE), json.dumps(AFTER)], content_name=["a.json", "b.json"])
    equal(both["verdict"], "RED", "both sides as content")
    trials = client.value("perf_baseline_diff", baseline="f/m2026", content=[json.dumps(BEFORE)] * 3, no_bundle=True,
                          content_name=["1.json", "2.json", "3.json"])
    check(trials["verdict"] == "GREEN" and '"1.json"' not in json.dumps(trials), f"three contents are trials: {trials['verdict']}")
    shown = client.value("measurement_inspect", content="310.5\n")
    check("310.5" in json.dumps(shown), f"a text is inspected: {shown}")
    for arguments, message, hint in (
            ({"content": "1", "content_name": "../x"}, 'content_name "../x" is not a plain file name',
             'a base name such as "result.json": letters, digits, blanks and ._+=@,- without a leading dot, at most 128 bytes'),
            ({"content": "1", "content_name": "a/b"}, 'content_name "a/b" is not a plain file name', None),
            ({"content": "1", "content_name": ".hidden"}, 'content_name ".hidden" is not a plain file name', None),
            ({"content": "x" * 65537}, "content has 65537 bytes, and a call takes at most 65536",
             "upload it: PUT /blobs/sha256/HEX on this server, then give blob:sha256:HEX as the path"),
            ({"content_name": "x"}, "content_name is given without content", None),
            ({"content": ["1", "2"], "content_name": ["x", "x"]}, 'two contents are called "x"', None),
            ({"content": ["1", "2"]}, "path is one file, and there are 2 contents", None),
            ({"content": "1", "path": "tokens"}, "content takes the place of a path that is left out, and none is",
             'leave the path out, or give it as "content:content.txt"'),
            ({"path": "content:x.json"}, "--path does not exist: content:x.json", None),
            ({"path": "blob:sha256:" + "0" * 64}, f"--path does not exist: blob:sha256:{'0' * 64}", None),
            ({"path": "blob:sha256:short"}, None, None)):
        problem = client.problem("measurement_inspect", **arguments)
        if message is not None:
            equal(problem["message"].replace("path does not exist", "--path does not exist").replace("----", "--"), message, f"{str(arguments)[:60]}")
        if hint is not None:
            equal(problem["hint"], hint, f"the hint of {str(arguments)[:60]}")
    equal([n for n in os.listdir("/tmp") if n.startswith("plumbline-call-")], [], "no scratch folder is left")

# Without a server an upload is nobody's.
with Root() as root:
    done = root.run("inspect", "blob:sha256:" + "0" * 64)
    equal((done.returncode, done.stderr.splitlines()[0]),
          (2, f"plumbline: error: --path does not exist: blob:sha256:{'0' * 64}"), "an upload without a server")

# Uploads: their manners.
with Root() as root, Server(root, "--http", "127.0.0.1:0", "--token-file", secret(root), *QUIET) as server:
    store = root.path / ".plumbline-blobs"
    alice, bob, reader, nobody = Door(server), Door(server, BOB), Door(server, READER), Door(server, None)
    data = json.dumps(BEFORE).encode() + b" " * 300_000
    check(not store.exists(), "no folder before the first upload")
    equal(alice.head(data), (404, None), "nothing is there")
    equal(alice.put(data)[::2], (201, {"blob": "blob:sha256:" + digest(data), "bytes": len(data)}), "an upload")
    equal(store.stat().st_mode & 0o777, 0o700, "the folder is private")
    equal(alice.head(data), (200, str(len(data))), "it is there")
    equal(alice.put(data)[0], 200, "a second time")
    equal(bob.put(data)[0], 200, "by another client")
    equal(bob.head(data)[0], 200, "who knows the digest may use it")
    names = [n for n in files_below(store) if n != ".gitignore"]
    equal([n.split("/")[1] for n in names], [digest(data)], "stored once, under its digest alone")
    client = Http(server.url, MODERN, token=ALICE)
    blob = "blob:sha256:" + digest(data)
    made = client.value("perf_baseline_record", family="f", measurement="m", source=blob + "/before.json")
    check(blob + "/before.json" in (pathlib.Path(made["entry_dir"]) / "baseline.json").read_text(), "its name")
    equal(json.loads((pathlib.Path(made["entry_dir"]) / "source-snapshot.json").read_text()), BEFORE, "its snapshot")
    equal(client.value("perf_baseline_diff", baseline="f/m", current=blob, no_bundle=True)["verdict"], "GREEN", "a diff of it")
    words = client.value("perf_baseline_diff", args=["--baseline", "f/m", f"--current={blob}/x.json", "--no-bundle"])
    equal((words["returncode"], words["json"]["verdict"]), (0, "GREEN"), "as words")
    for name in ("../x", "a/b", ".x"):
        problem = client.problem("measurement_inspect", path=f"{blob}/{name}")
        check(problem["code"] in ("usage", "not_found"), f"{name} behind a digest: {problem}")
    for path in (".plumbline-blobs", f".plumbline-blobs/{names[0]}", ".plumbline-blobs/../.plumbline-blobs/calls"):
        equal(client.problem("measurement_inspect", path=path)["code"], "path_not_allowed", f"{path} is nobody's to name")
    # A read token sends nothing and learns nothing.
    equal((reader.put(b"x")[0], reader.head(data)[0], nobody.put(b"x")[0], nobody.head(data)[0]), (403, 403, 401, 401), "who may not write")
    # Something else than its name says is not kept.
    wrong = alice.ask("PUT", digest(b"right"), b"wrong")
    equal((wrong[0], wrong[2]["code"]), (422, "digest_mismatch"), "a wrong digest")
    equal(alice.head(b"right")[0], 404, "nothing of it is kept")
    # In parts.
    whole = os.urandom(700_000)
    part = {"Content-Range": f"bytes 0-299999/{len(whole)}"}
    first = alice.ask("PUT", digest(whole), whole[:300_000], part)
    equal((first[0], first[1]["Upload-Offset"], first[1]["Upload-Complete"]), (202, "300000", "?0"), "the first part")
    equal(alice.head(whole), (204, "300000"), "so much has come")
    equal(bob.head(whole), (404, None), "a part is its sender's")
    gap = alice.ask("PUT", digest(whole), whole[400_000:], {"Content-Range": f"bytes 400000-{len(whole) - 1}/{len(whole)}"})
    equal((gap[0], gap[1]["Upload-Offset"], gap[2]["code"]), (409, "300000", "offset"), "a gap")
    rest = alice.ask("PUT", digest(whole), whole[300_000:], {"Content-Range": f"bytes 300000-{len(whole) - 1}/{len(whole)}"})
    equal(rest[0], 201, "the rest")
    equal(alice.head(whole), (200, str(len(whole))), "all of it")
    # A connection that breaks: what has come stays, and is gone on with.
    broken = os.urandom(2 * MIB)
    head = f"PUT /blobs/sha256/{digest(broken)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ALICE}\r\nContent-Length: {len(broken)}\r\n\r\n"
    line = socket.create_connection(("127.0.0.1", server.port))
    line.sendall(head.encode() + broken[:MIB])
    until(lambda: int(alice.head(broken)[1] or 0) >= 768 << 10, "most of a MiB is written")
    again = alice.put(broken)
    equal((again[0], again[2]["code"]), (409, "under_way"), "from its beginning, while another connection sends it")
    at = int(alice.head(broken)[1])
    taken = alice.ask("PUT", digest(broken), broken[at:], {"Content-Range": f"bytes {at}-{len(broken) - 1}/{len(broken)}"})
    equal(taken[0], 201, "a second connection goes on where the first one is")
    line.close()
    # Heads that are no upload.
    good = digest(b"y")
    for request, statuses in (
            ((good.upper(), b"y", {}, None), (404,)), ((good[:-1], b"y", {}, None), (404,)), ((good + "0", b"y", {}, None), (404,)),
            ((good + "/x", b"y", {}, None), (404,)), (("../../" + good, b"y", {}, None), (404,)), ((good + "?x", b"y", {}, None), (404,)),
            (("%2e%2e/" + good, b"y", {}, None), (404,)),
            ((good, b"y", {"Content-Range": "bytes 0-0"}, None), (400,)), ((good, b"y", {"Content-Range": "bytes 0-1/2"}, None), (400,)),
            ((good, b"y", {"Content-Range": "bytes 1-0/2"}, None), (400,)), ((good, b"y", {"Content-Range": "bytes 0-0/*"}, None), (400,)),
            ((good, b"y", {"Content-Range": "bytes 5-5/5"}, None), (400,)), ((good, b"y", {"Content-Range": "items 0-0/1"}, None), (400,)),
            ((good, b"y", {"Content-Range": "bytes -1-0/1"}, None), (400,)),
            ((good, b"y", {"Content-Range": "bytes 0-0/18446744073709551616"}, None), (400,)),
            ((good, b"y", {"Content-Encoding": "gzip"}, None), (415,)), ((good, b"", {}, 1 << 41), (413,)),
            ((good, b"", {}, 5 << 30), (413,)), ((good, b"y", {"Host": "evil.example"}, None), (400, 403)),
            ((good, b"y", {"Transfer-Encoding": "chunked"}, None), (400,))):
        status, _, said = alice.ask("PUT", request[0], request[1], request[2], request[3])
        check(status in statuses, f"{request}: HTTP {status} {said}, wanted {statuses}")
    for method, status in (("GET", 405), ("DELETE", 405), ("POST", 404)):
        said = alice.ask(method, good)[0]
        check(said in (status, 405, 404), f"{method}: HTTP {said}")
    equal(alice.head(b"y")[0], 404, "none of them left anything")
    equal(alice.put(b"")[0], 201, "an empty upload")

# What an operator learns of uploads, and what one client may ask for.
with Root() as root, Server(root, "--http", "127.0.0.1:0", "--token-file", secret(root), "--rate", "2") as server:
    alice = Door(server)
    statuses = [alice.put(b"one")[0], alice.ask("PUT", digest(b"right"), b"wrong")[0], alice.head(b"one")[0], alice.head(b"none")[0]]
    equal(statuses, [201, 422, 200, 404], "four of them")
    line = socket.create_connection(("127.0.0.1", server.port))
    line.sendall((f"PUT /blobs/sha256/{digest(b'left')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {ALICE}\r\n"
                  f"Content-Length: {2 * MIB}\r\n\r\n").encode() + b"l" * MIB)
    line.shutdown(socket.SHUT_WR)
    until(lambda: sum(said.startswith("{") for said in server.lines) >= 5, "whoever leaves is told of as well")
    line.close()
    audited = server.audited(5)
    left = audited[-1]["bytes"]
    check(0 < left <= MIB, f"bytes that came before the client left: {left}")
    told = [(one["who"], one["how"], one["tool"], one["outcome"], one["code"], one["bytes"]) for one in audited]
    equal(told, [("alice", "token", "blobs/put", "ok", None, 3), ("alice", "token", "blobs/put", "error", "422", 5),
                 ("alice", "token", "blobs/head", "ok", None, 0), ("alice", "token", "blobs/head", "error", "404", 0),
                 ("alice", "token", "blobs/put", "cancelled", None, left)], "a line for each")
    many = [alice.ask("PUT", digest(b"one"), b"one") for _ in range(12)]
    refused = [answer for answer in many if answer[0] == 429]
    check(refused, f"more than --rate: {[answer[0] for answer in many]}")
    equal((refused[0][1]["Retry-After"], refused[0][2]["code"]), ("1", "too_many_requests"), "told when to come again")
    equal(Door(server, BOB).put(b"one")[0], 200, "another client is not held up")
    page = Http(server.url, MODERN, token=BOB).open("GET", path="/metrics").read().decode().splitlines()
    equal([row for row in page if row.startswith("plumbline_uploads_total") and "refused" not in row and '"ok"' not in row],
          ['plumbline_uploads_total{outcome="cancelled"} 1', 'plumbline_uploads_total{outcome="error"} 1'], "counted")
    check(any(row.startswith("plumbline_uploaded_bytes_total ") and int(row.split()[1]) >= left + 8 for row in page), "bytes")

# Quota, expiry, and what a new process finds.
with Root() as root:
    tokens = secret(root)
    flags = ("--http", "127.0.0.1:0", "--token-file", tokens, *QUIET, "--blob-dir", root.path / "kept", "--blob-quota", "3MiB,2MiB")
    with Server(root, *flags) as server:
        alice, bob = Door(server), Door(server, BOB)
        one, two, three, four = (bytes([n]) * (MIB - n) for n in range(4))
        equal((alice.put(one)[0], alice.put(two)[0]), (201, 201), "within the quota")
        full = alice.put(three)
        equal((full[0], full[2]["code"]), (507, "quota_exceeded"), "beyond that of a client")
        equal(bob.put(three)[0], 201, "another client has its own")
        equal(bob.put(four)[2]["code"], "quota_exceeded", "beyond that of all")
        equal(alice.put(bytes(2 * MIB + 1))[0], 413, "more than one may have")
        half = bytes(500_000)
        alice.ask("PUT", digest(bytes(600_000)), half, {"Content-Range": "bytes 0-499999/600000"})
    with Server(root, *flags) as server:
        equal(Door(server).head(one)[0], 200, "a new process knows them")
    with Server(root, *flags, "--blob-ttl", "1s") as server:
        alice = Door(server)
        until(lambda: not [n for n in files_below(root.path / "kept") if n != ".gitignore"], "everything expires")
        equal(alice.head(one)[0], 404, "it has expired")
        equal(alice.put(one)[0], 201, "and may come again")
        client = Http(server.url, MODERN, token=ALICE)
        until(lambda: alice.put(one)[0] == 201, "which expires as well")
    (root.path / "kept").chmod(0o755)
    done = root.run("serve", *flags, "--repo-root", root.path)
    equal((done.returncode, done.stderr.splitlines()[0]),
          (3, f"plumbline: error: {root.path / 'kept'} is open to others: uploads are kept in a folder of the server's own account"), "an open folder")
    for flag, value, message in (("--blob-quota", "lots", '--blob-quota "lots" is not a number of bytes'),
                                 ("--blob-quota", "1MiB,2MiB", '--blob-quota "1MiB,2MiB" is not a number of bytes'),
                                 ("--blob-ttl", "soon", '--blob-ttl "soon" is not a time'), ("--blob-ttl", "0s", '--blob-ttl "0s" is not a time')):
        done = root.run("serve", "--http", "127.0.0.1:0", flag, value, "--repo-root", root.path)
        equal((done.returncode, done.stderr.splitlines()[0]), (2, f"plumbline: error: {message}"), f"{flag} {value}")
    with Server(root, "--http", "127.0.0.1:0", *QUIET, "--blob-quota", "0") as server:
        check(Door(server, None).put(b"x")[0] in (404, 405), "no uploads are taken")

# A full disk: 507, and nothing half-written.
small = pathlib.Path("/tmp") / f"plumbline-test-small-{os.getpid()}"
small.mkdir(mode=0o700)
if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", small], capture_output=True).returncode == 0:
    try:
        with Root() as root, Server(root, "--http", "127.0.0.1:0", *QUIET, "--blob-dir", small) as server:
            door = Door(server, None)
            said = door.put(os.urandom(3 * MIB))
            equal((said[0], said[2]["code"]), (507, "disk_full"), "a full disk")
            equal([n for n in files_below(small) if n != ".gitignore"], [], "nothing half-written")
            equal(door.put(b"small")[0], 201, "what fits is taken")
    finally:
        subprocess.run(["umount", small], check=False)
else:
    print("skipped: a full disk needs a file system of its own")
small.rmdir()


# plumbline --server: as if it ran here.
def remote(root, server, *words, token=ALICE, env=None, prefix=(), **more):
    more_environment = dict(environment(), PLUMBLINE_TOKEN=token, **(env or {}))
    return subprocess.run([*prefix, PLUMBLINE, "--server", server.url, *[str(w) for w in words]], cwd=root.path, env=more_environment,
                          capture_output=True, text=True, **more)


def without_open(text):
    return [line for line in text.splitlines() if not line.startswith("open: ")]


with Root() as root, Root() as laptop, Server(root, "--http", "127.0.0.1:0", "--token-file", secret(root), *QUIET) as server:
    before, after = laptop.write("results/before.json", BEFORE), laptop.write("results/after.json", AFTER)
    done = remote(laptop, server, "record", "--family", "f", "--measurement", "m", "--source", "results/before.json")
    equal(done.returncode, 0, f"record: {done.stderr}")
    check(not laptop.has_experiments() and root.has_experiments(), "the entry is the server's")
    entry = json.loads(next(root.path.glob("experiments/artifacts/perf-baselines/f/m/*/baseline.json")).read_text())
    check(f"client:{before}" in json.dumps(entry), "the entry says that it came from a client")
    # The same words here and there: the same text, exit status and JSON, but for the place of the bundle.
    local = laptop.run("diff", "results/before.json", "results/after.json", "--no-bundle", "--strict")
    there = remote(laptop, server, "diff", "results/before.json", "results/after.json", "--no-bundle", "--strict")
    equal((there.returncode, there.stdout, without_open(there.stderr)), (local.returncode, local.stdout, local.stderr.splitlines()), "a diff of two files")
    equal(there.returncode, 1, "its gate")
    local = laptop.run("inspect", "results/before.json")
    there = remote(laptop, server, "inspect", "results/before.json")
    equal((there.returncode, there.stdout), (local.returncode, local.stdout), "inspect")
    local = json.loads(laptop.run("inspect", "results/before.json", "--json").stdout)
    equal(json.loads(remote(laptop, server, "inspect", "results/before.json", "--json").stdout), local, "as JSON")
    done = remote(laptop, server, "diff", "f/m", "results/after.json", "--report", "md=report.md", "--fail-on", "red")
    equal(done.returncode, 1, f"against the server's entry: {done.stderr}")
    check("RED" in (laptop.path / "report.md").read_text(), "the report is written here")
    pages = [line.removeprefix("open: ") for line in done.stderr.splitlines() if line.startswith("open: ")]
    equal(len(pages), 1, f"a page to open: {done.stderr}")
    site = http.client.HTTPConnection("127.0.0.1", server.port)
    site.request("GET", pages[0].removeprefix(f"http://127.0.0.1:{server.port}"), headers={"Authorization": f"Bearer {ALICE}"})
    equal(site.getresponse().status, 200, "which the review site has")
    # What is wrong with the words is said as it is here.
    for words in (["diff", "--no-such-flag"], ["diff"], ["diff", "f/m", "results/affter.json"]):
        local, there = laptop.run(*words), remote(laptop, server, *words)
        equal(there.returncode, 2, f"{words}")
    for words, message in (
            (["diff", "f/m", "results/after.json", "--out", "here"], "--out does not go with --server: the bundle is kept in the server's registry"),
            (["record", "--family", "f", "--measurement", "m", "--source", "results/before.json", "--sign", "key.pem"],
             "--sign does not go to a server: the key would leave this machine"),
            (["record", "--family", "f", "--measurement", "m", "--source", "results/before.json", "--snapshot", "reference"],
             "--snapshot reference does not go with --server: the server cannot read this machine's files"),
            (["diff", "f/m", "results/after.json", "--report", "md=none/x.md"], "--report: the folder of " + str(laptop.path / "none/x.md") + " does not exist"),
            (["formats"], "plumbline formats runs on this machine, not on a server"), (["doctor"], "plumbline doctor runs on this machine, not on a server")):
        done = remote(laptop, server, *words)
        equal((done.returncode, done.stderr.splitlines()[0]), (2, f"plumbline: error: {message}"), f"{words}")
    # A folder of runs, its files one by one.
    for case in ("a", "b"):
        laptop.write(f"old/{case}.json", BEFORE)
        laptop.write(f"new/{case}.json", AFTER)
    local = laptop.run("diff", "old", "new", "--no-bundle")
    there = remote(laptop, server, "diff", "old", "new", "--no-bundle")
    equal((there.returncode, there.stdout), (local.returncode, local.stdout), "a folder")
    # Standard input.
    local = laptop.run("inspect", "results/before.json", "--json")
    there = remote(laptop, server, "inspect", "-", "--json", input=json.dumps(BEFORE))
    equal(json.loads(there.stdout)["rows"], json.loads(local.stdout)["rows"], "standard input")
    # Credentials.
    for token, first in (("", "HTTP 401: the server wants a token"), ("wrong-wrong-wrong-wrong", "HTTP 401: the token is not accepted")):
        done = remote(laptop, server, "inspect", "results/before.json", token=token)
        equal((done.returncode, done.stderr.splitlines()[0]), (2, f"plumbline: error: {first}"), first)
    big = laptop.write("big.json", json.dumps(BEFORE).encode() + b" " * 100_000)
    done = remote(laptop, server, "inspect", "big.json", token=READER)
    equal((done.returncode, done.stderr.splitlines()[1]), (2, "hint: an upload needs a token that may write"), "a read token uploads nothing")
    done = subprocess.run([PLUMBLINE, "--server", "http://perf.example/mcp", "history", "f/m"], capture_output=True, text=True,
                          env=dict(environment(), PLUMBLINE_TOKEN=ALICE))
    equal(done.stderr.splitlines()[0], "plumbline: error: a token does not cross a network in the clear: http://perf.example/mcp is plain http", "plain http")
    done = subprocess.run([PLUMBLINE, "--server", server.url, "--bearer-env", "NOT_THERE", "history", "f/m"], capture_output=True, text=True, env=environment())
    equal(done.stderr.splitlines()[0], 'plumbline: error: --bearer-env: the variable "NOT_THERE" is not set', "no token")
    # By the environment alone; what only runs here runs here.
    env = dict(environment(), PLUMBLINE_SERVER=server.url, PLUMBLINE_TOKEN=ALICE)
    done = subprocess.run([PLUMBLINE, "history", "f/m", "--json"], cwd=laptop.path, capture_output=True, text=True, env=env)
    equal(len(json.loads(done.stdout)["entries"]), 1, "PLUMBLINE_SERVER")
    equal(subprocess.run([PLUMBLINE, "formats"], cwd=laptop.path, capture_output=True, text=True, env=env).returncode, 0, "formats runs here")

# TLS: the server's certificate is verified, by its name and its authority.
with Root() as root, Root() as laptop:
    for name, san in (("server", "IP:127.0.0.1"), ("other", "DNS:other.example")):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                        "-addext", f"subjectAltName={san}", "-keyout", root.path / f"{name}.key", "-out", root.path / f"{name}.pem"],
                       check=True, capture_output=True)
        (root.path / f"{name}.key").chmod(0o600)
    laptop.write("before.json", BEFORE)
    laptop.write("big.json", json.dumps(BEFORE).encode() + b" " * 3 * MIB)
    flags = ("--http", "127.0.0.1:0", "--token-file", secret(root), *QUIET)
    with Server(root, *flags, "--tls-cert", root.path / "server.pem", "--tls-key", root.path / "server.key") as server:
        env = dict(environment(), PLUMBLINE_TOKEN=ALICE)
        ask = [PLUMBLINE, "--server", server.url]
        for file in ("before.json", "big.json"):
            done = subprocess.run([*ask, "--ca", root.path / "server.pem", "inspect", file, "--json"], cwd=laptop.path, env=env, capture_output=True, text=True)
            equal((done.returncode, done.stdout[:1]), (0, "{"), f"{file} over TLS: {done.stderr}")
        done = subprocess.run([*ask, "inspect", "before.json"], cwd=laptop.path, env=env, capture_output=True, text=True)
        equal((done.returncode, done.stderr.splitlines()[0].split(" is not believed")[0]), (2, f"plumbline: error: the certificate of 127.0.0.1:{server.port}"),
              "an authority that this machine does not know")
    with Server(root, *flags, "--tls-cert", root.path / "other.pem", "--tls-key", root.path / "other.key") as server:
        done = subprocess.run([PLUMBLINE, "--server", server.url, "--ca", root.path / "other.pem", "inspect", "before.json"], cwd=laptop.path, env=env,
                              capture_output=True, text=True)
        check("is not believed" in done.stderr, f"another host's certificate: {done.stderr}")

# A large file: little memory on both ends; and an upload that is cut off goes on.
with Root() as root, Root() as laptop, Server(root, "--http", "127.0.0.1:0", "--token-file", secret(root), *QUIET) as server:
    size = 200 * MIB
    big = laptop.path / "big.log"
    with big.open("wb") as out:
        out.write(b"busbw_gbps 310.5\n")
        for _ in range(size // MIB):
            out.write(b"# " + os.urandom(1) .hex().encode() * (MIB // 2 - 2) + b"\n")
    env = dict(environment(), PLUMBLINE_TOKEN=ALICE)
    words = [PLUMBLINE, "--server", server.url, "record", "--family", "../x", "--measurement", "m", "--source", "big.log"]  # refused unread
    first = subprocess.Popen(words, cwd=laptop.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sha = hashlib.sha256(big.read_bytes()).hexdigest()
    door = Door(server)
    until(lambda: int(door.ask("HEAD", sha)[1].get("Upload-Offset", 0)) > 20 * MIB or first.poll() is not None, "some of it has come")
    first.kill()
    first.wait()
    cut = int(door.ask("HEAD", sha)[1].get("Upload-Offset", 0))
    second = subprocess.Popen(words, cwd=laptop.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    high = 0
    while second.poll() is None:
        high = max(high, peak(second.pid))
        time.sleep(0.01)
    equal(door.ask("HEAD", sha)[0], 200, f"it is whole ({second.stderr.read()})")
    print(f"200 MiB: client {high:.1f} MiB, server {peak(server.process.pid):.1f} MiB at most; cut at {cut} bytes")
    check(0 < high < 48, f"the client had {high} MiB")
    check(peak(server.process.pid) < 64, f"the server had {peak(server.process.pid)} MiB")

# Another network: the client reaches the server through a socket file alone.
if os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0 and shutil.which("ip"):
    BRIDGE = """
import os, socket, subprocess, sys, threading
path, port, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
listener = socket.create_server(("127.0.0.1", port))
def pump(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass
def serve():
    while True:
        near = listener.accept()[0]
        far = socket.socket(socket.AF_UNIX)
        far.connect(path)
        for pair in ((near, far), (far, near)):
            threading.Thread(target=pump, args=pair, daemon=True).start()
threading.Thread(target=serve, daemon=True).start()
sys.exit(subprocess.run(words).returncode)
"""
    import threading

    def pump(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    with Root() as root, Root() as laptop, Server(root, "--http", "127.0.0.1:0", "--token-file", secret(root), *QUIET) as server:
        place = str(laptop.path / "bridge")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
        listener.listen()

        def bridge():
            while True:
                try:
                    near = listener.accept()[0]
                except OSError:
                    return
                far = socket.create_connection(("127.0.0.1", server.port))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=pair, daemon=True).start()

        threading.Thread(target=bridge, daemon=True).start()
        script = laptop.write("bridge.py", BRIDGE)
        laptop.write("before.json", BEFORE)
        laptop.write("after.json", json.dumps(AFTER).encode() + b" " * MIB)
        prefix = ("unshare", "-n", "python3", str(script), place, str(server.port))
        done = remote(laptop, server, "record", "--family", "f", "--measurement", "m", "--source", "before.json", prefix=prefix)
        equal(done.returncode, 0, f"record from another network: {done.stderr}")
        done = remote(laptop, server, "diff", "f/m", "after.json", "--json", prefix=prefix)
        equal((done.returncode, json.loads(done.stdout or "{}").get("verdict")), (0, "RED"), f"diff from another network: {done.stderr}")
        listener.close()
else:
    print("skipped: a network of its own needs root, unshare and ip")

finish()
