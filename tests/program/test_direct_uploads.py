#!/usr/bin/env python3
"""Large uploads where the registry is in a bucket: clients put them there themselves, and every server of that bucket finds them. The
bucket is the labelled stand-in, or a real server that PLUMBLINE_TEST_S3 names."""
import hashlib
import http.client
import json
import shutil
import subprocess
import time
import urllib.parse

from harness import PLUMBLINE, Root, check, equal, finish
from s3_server import Machine, Server as Bucket, put
from serving import BOUND, MODERN, Http, Server, environment

ALICE, BOB = "alice-alice-alice-alice", "bob-bob-bob-bob-bob-bob"
MIB = 1 << 20
LARGE = 64 * MIB


def result(value, size):
    """A result of so many bytes."""
    text = json.dumps({"latency_ms": value, "note": ""})
    return text.replace('""', '"' + "x" * (size - len(text)) + '"').encode()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def serve(machine, *flags):
    tokens = machine.write("tokens", f"alice {ALICE}\nbob {BOB}\n")
    tokens.chmod(0o600)
    return Server(machine, "--http", "127.0.0.1:0", "--token-file", tokens, "--audit-log", "off", *flags, env=machine.env)


def ask(server, method, sum, body=b"", headers=None, token=ALICE):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=BOUND)
    connection.request(method, f"/blobs/sha256/{sum}", body, {"Authorization": f"Bearer {token}", **(headers or {})})
    answer = connection.getresponse()
    text = answer.read()
    return answer.status, dict(answer.getheaders()), json.loads(text) if text else None


def permit(server, sum, size, **more):
    return ask(server, "PUT", sum, headers={"Content-Range": f"bytes */{size}"}, **more)


def put_there(said, content, **changed):
    """What a client does with a permit."""
    url = urllib.parse.urlsplit(said["url"])
    connection = http.client.HTTPConnection(url.netloc, timeout=BOUND)
    connection.request("PUT", f"{url.path}?{url.query}", content, {**said["headers"], **changed})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def client(root, server, *words):
    done = subprocess.run([PLUMBLINE, "--server", server.url, *map(str, words)], cwd=root.path, capture_output=True, text=True,
                          env={**environment(), "PLUMBLINE_TOKEN": ALICE})
    equal(done.returncode, 0, f"{words}: {done.stderr}")
    return json.loads(done.stdout) if "--json" in words else done.stdout


def kept(machine, ending=""):
    folder = machine.path / ".plumbline-blobs"
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore" and path.name.endswith(ending))


def sent_there(bucket):
    return [line for line in bucket.ask("_log") if line.startswith("PUT ") and ".plumbline-blobs/" in line]


# plumbline --server: the file goes to the bucket, small ones and those that need not do not.
with Bucket() as bucket, Machine(bucket) as machine, Root() as laptop, serve(machine) as server:
    big = laptop.write("big.json", result(100, LARGE))
    small = laptop.write("small.json", result(150, LARGE - 1))
    entry = client(laptop, server, "record", "--family", "f", "--measurement", "m", "--source", big, "--json")
    check(entry["entry_dir"].startswith(machine.store), entry["entry_dir"])
    equal(kept(machine), sorted([digest(big.read_bytes()), digest(big.read_bytes()) + ".shared"]), "the mark, and what the call was given")
    if not bucket.real:
        equal([line.split("?")[0].rsplit("/", 1)[1] for line in sent_there(bucket)], [digest(big.read_bytes())], "the client sent it there, once")
    told = client(laptop, server, "diff", "f/m", small, "--json")
    equal(told["verdict"], "RED", "a diff of one that came through the server")
    if not bucket.real:
        equal(len(sent_there(bucket)), 1, "below 64 MiB nothing goes there")
    again = client(laptop, server, "diff", "f/m", big, "--json")
    equal(again["verdict"], "GREEN", "what is there is not sent again")
    if not bucket.real:
        equal(len(sent_there(bucket)), 1, "not even asked for")

    # Another server of the same bucket, which shares nothing else with this one.
    with Machine(bucket, machine.prefix) as other, serve(other) as second:
        equal(ask(second, "HEAD", digest(big.read_bytes()))[0], 200, "it is there, too")
        client(laptop, second, "inspect", big)
        equal(kept(other), [digest(big.read_bytes())], "from the bucket")

    # As the document says it, with any client.
    content = result(7, LARGE + 5)
    status, headers, said = permit(server, digest(content), len(content))
    equal((status, headers["Location"], headers["Cache-Control"]), (307, said["url"], "no-store"), "where to")
    equal(sorted(said["headers"]), ["content-length", "if-none-match", "x-amz-content-sha256"], "with which headers")
    check(said["valid_s"] == 3600 and "test/secret" not in json.dumps(said), "for an hour, without the secret")
    equal(put_there(said, content[:-1] + b"!"), 403 if not bucket.real else 400, "something else is not taken")
    check(put_there(said, content, **{"if-none-match": "x"}) != 200, "nor is another header")
    equal(ask(server, "HEAD", digest(content))[0], 404, "so that it is not there")
    equal(put_there(said, content), 200, "the file is")
    equal(put_there(said, content), 412, "once")
    equal(permit(server, digest(content), len(content))[0], 200, "nobody is sent there twice")
    equal(permit(server, digest(b"small"), 5)[0], 204, "a small one comes here")
    equal(ask(server, "PUT", digest(b"x"), headers={"Content-Range": "bytes */x"})[0], 400, "a size is a number")
    if shutil.which("curl"):
        content = result(8, LARGE)
        path = laptop.write("curl.json", content)
        sum = digest(content)
        done = subprocess.run(["curl", "-sS", "-L", "-o", "/dev/null", "-w", "%{http_code}", "-T", path, "-H", f"Authorization: Bearer {ALICE}", "-H",
                               "If-None-Match: *", "-H", f"x-amz-content-sha256: {sum}", f"http://127.0.0.1:{server.port}/blobs/sha256/{sum}"],
                              capture_output=True, text=True, timeout=BOUND)
        equal((done.returncode, done.stdout), (0, "200"), f"curl -L: {done.stderr}")
        equal(ask(server, "HEAD", sum)[0], 200, "and there it is")

    # What lies there under a name that it does not have is no upload.
    wrong = digest(b"what was meant")
    put(bucket, f"{machine.prefix}/.plumbline-blobs/{wrong}", b"something else")
    equal(ask(server, "HEAD", wrong)[0], 200, "nobody has looked at it yet")
    asked = Http(server.url, MODERN, token=ALICE)
    used = asked.call("measurement_inspect", path=f"blob:sha256:{wrong}/result.json")
    check(used["isError"] and "is something else: its SHA-256 is " + digest(b"something else") in used["content"][0]["text"], json.dumps(used))
    equal(ask(server, "HEAD", wrong)[0], 404, "it may be sent again")

# A bucket that takes nothing from clients: the server takes it after all.
with Bucket("--deny", ".plumbline-blobs") as bucket, Machine(bucket) as machine, Root() as laptop, serve(machine) as server:
    big = laptop.write("big.json", result(100, LARGE))
    client(laptop, server, "record", "--family", "f", "--measurement", "m", "--source", big, "--json")
    equal(len(sent_there(bucket)), 1, "it was tried")
    check(digest(big.read_bytes()) in kept(machine), "and then sent here")

# Asked not to, quota, expiry.
with Bucket() as bucket, Machine(bucket) as machine:
    content = result(1, LARGE)
    with serve(machine, "--no-blob-direct") as server:
        equal(permit(server, digest(content), len(content))[0], 204, "here")
        equal(ask(server, "PUT", digest(content), content)[0], 201, "and it is taken")
    with serve(machine, "--blob-dir", machine.path / "kept", "--blob-quota", "150MiB,100MiB", "--blob-ttl", "2s") as server:
        sum = digest(b"one")
        status, _, said = permit(server, sum, 90 * MIB)
        equal((status, said["valid_s"]), (307, 2), "a permit is no longer good than what it brings")
        equal(permit(server, digest(b"two"), 90 * MIB)[2]["code"], "quota_exceeded", "what is permitted counts")
        equal(permit(server, digest(b"three"), 70 * MIB, token=BOB)[2]["code"], "quota_exceeded", "for all together as well")
        equal(permit(server, digest(b"four"), 101 * MIB)[0], 413, "more than one may have")
        small = result(2, LARGE)
        put(bucket, f"{machine.prefix}/.plumbline-blobs/{digest(small)}", small)
        end = time.monotonic() + BOUND
        while permit(server, digest(small), len(small))[0] != 200 and time.monotonic() < end:
            time.sleep(0.1)
        while any(path.suffix == ".shared" for path in (machine.path / "kept").rglob("*")) and time.monotonic() < end:
            time.sleep(0.1)
        check(not any(path.suffix == ".shared" for path in (machine.path / "kept").rglob("*")), "marks expire")
        if not bucket.real:
            check(any(line.startswith("DELETE ") and sum in line for line in bucket.ask("_log")), "and what they stood for goes from the bucket")

finish()
