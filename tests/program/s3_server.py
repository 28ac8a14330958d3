"""The server behind tests of a registry in a bucket: the stand-in, or a real one that PLUMBLINE_TEST_S3 names (with AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY and a bucket "perf")."""
import datetime
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import uuid

from harness import SOURCE, Root

STANDIN = SOURCE / "tests/support/s3_standin.py"


class Server:
    def __init__(self, *switches):
        self.process, self.real = None, os.environ.get("PLUMBLINE_TEST_S3")
        if self.real and not switches:
            self.endpoint = self.real
            self.keys = {name: os.environ[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
            return
        self.process = subprocess.Popen([sys.executable, STANDIN, *map(str, switches)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.endpoint = f"http{'s' if '--tls' in switches else ''}://127.0.0.1:{int(self.process.stdout.readline())}"
        self.keys = {"AWS_ACCESS_KEY_ID": "TESTKEY", "AWS_SECRET_ACCESS_KEY": "test/secret+key"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()

    def ask(self, what):
        """Of the stand-in alone: _counts, _log, _reset."""
        with urllib.request.urlopen(f"{self.endpoint}/{what}") as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def counts(self):
        return self.ask("_counts")


def signed_headers(endpoint, keys, method, path, query="", content=b"", more=()):
    """Of a request that is signed with version 4 without the program, as other tools do. `query` is sorted and quoted."""
    time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope, digest = f"{time[:8]}/us-east-1/s3/aws4_request", hashlib.sha256(content).hexdigest()
    headers = {"host": urllib.parse.urlsplit(endpoint).netloc, "x-amz-content-sha256": digest, "x-amz-date": time, **dict(more)}
    names = ";".join(sorted(headers))
    request = "\n".join([method, path, query, *[f"{name}:{headers[name]}" for name in sorted(headers)], "", names, digest])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(request.encode()).hexdigest()])
    secret = ("AWS4" + keys["AWS_SECRET_ACCESS_KEY"]).encode()
    for part in scope.split("/"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(secret, to_sign.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={keys['AWS_ACCESS_KEY_ID']}/{scope}, SignedHeaders={names}, Signature={signature}"
    return headers


def put(server, key, content, bucket="perf"):
    """Makes an object without the program."""
    content = content.encode() if isinstance(content, str) else content
    path = f"/{bucket}/{urllib.parse.quote(key, safe='-._~/')}"
    headers = signed_headers(server.endpoint, server.keys, "PUT", path, content=content)
    with urllib.request.urlopen(urllib.request.Request(server.endpoint + path, content, headers, method="PUT")) as answer:
        assert answer.status == 200, answer.status


def get(server, key, bucket="perf"):
    """The bytes of an object, fetched without the program."""
    path = f"/{bucket}/{urllib.parse.quote(key, safe='-._~/')}"
    headers = signed_headers(server.endpoint, server.keys, "GET", path)
    with urllib.request.urlopen(urllib.request.Request(server.endpoint + path, headers=headers)) as answer:
        return answer.read()


def remove(server, key, bucket="perf"):
    """Takes an object away without the program."""
    path = f"/{bucket}/{urllib.parse.quote(key, safe='-._~/')}"
    headers = signed_headers(server.endpoint, server.keys, "DELETE", path)
    with urllib.request.urlopen(urllib.request.Request(server.endpoint + path, headers=headers, method="DELETE")) as answer:
        assert answer.status == 204, answer.status


def keys_in(endpoint, keys, bucket="perf", prefix=""):
    """What a bucket holds below a prefix, asked without the program. Of a small one: a page."""
    query = f"list-type=2&max-keys=1000&prefix={urllib.parse.quote(prefix, safe='')}"
    headers = signed_headers(endpoint, keys, "GET", f"/{bucket}", query)
    with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{bucket}?{query}", headers=headers)) as answer:
        text = answer.read().decode()
    assert "<IsTruncated>false" in text, text[:400]
    return re.findall(r"<Key>([^<]*)</Key>", text)


def all_slugs(machine, name):
    """Of a measurement's entries, though history answers with some at a time."""
    slugs, before = set(), ()
    while True:
        told = machine.json("history", name, *before)
        slugs |= {entry["slug"] for entry in told["entries"]}
        if not told.get("entries_omitted"):
            return slugs
        before = ("--before", min(entry["slug"] for entry in told["entries"]))


class Machine(Root):
    """A root and a cache of its own, and a store in the server's bucket."""

    def __init__(self, server, prefix=None):
        super().__init__()
        self.cache = tempfile.TemporaryDirectory(prefix="plumbline-cache-")
        self.store = f"s3://perf/{prefix or 'p' + uuid.uuid4().hex[:12]}"
        self.env = {"AWS_ENDPOINT_URL": server.endpoint, **server.keys, "PLUMBLINE_CACHE_DIR": self.cache.name, "PLUMBLINE_STORE": self.store}

    def __exit__(self, *_):
        super().__exit__(*_)
        self.cache.cleanup()

    @property
    def prefix(self):
        return self.store.removeprefix("s3://perf/")

    def run(self, *arguments, env=None, cwd=None):
        return super().run(*arguments, env={**self.env, **(env or {})}, cwd=cwd)
