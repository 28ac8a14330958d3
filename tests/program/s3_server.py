"""The server behind tests of a registry in a bucket: the stand-in, or a real one that PLUMBLINE_TEST_S3 names (with AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY and a bucket "perf")."""
import json
import os
import subprocess
import sys
import tempfile
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
        self.endpoint = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
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
