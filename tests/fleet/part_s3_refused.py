#!/usr/bin/env python3
"""Servers that forget or refuse the condition are no store: each is named, within two seconds, and nothing is published. Swift comes from
Debian's packages (as root), s3rver from npm where that is there."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "program")]
from ceph import Ceph, free_port  # noqa: E402
from harness import PLUMBLINE, check, failures, finish  # noqa: E402
from s3_server import keys_in  # noqa: E402


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


class Servers:
    """Programs of one server, each in a group of its own; killed together at the end."""

    def __init__(self, name):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"plumbline-{name}-"))
        self.processes = []

    def __enter__(self):
        return self

    def run(self, *words, **more):
        log = open(self.folder / f"{len(self.processes)}.log", "w")
        self.processes.append(subprocess.Popen([str(w) for w in words], stdout=log, stderr=log, start_new_session=True, **more))

    def __exit__(self, *_):
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def refused(name, endpoint, key, secret, said, folder):
    """Of a bucket "perf" that is there."""
    source = folder / "in.txt"
    source.write_text("1\n")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "AWS"))}
    env |= {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_ENDPOINT_URL": endpoint, "PLUMBLINE_STORE": "s3://perf/p",
            "PLUMBLINE_CACHE_DIR": str(folder / "cache")}
    began = time.monotonic()
    done = subprocess.run([PLUMBLINE, "record", "--family", "f", "--measurement", "m", "--source", source, "--unit", "ms", "--direction",
                           "lower-is-better"], cwd=folder, env=env, capture_output=True, text=True)
    took = time.monotonic() - began
    good = done.returncode == 3 and "s3://perf/p cannot be a store" in done.stderr and said in done.stderr
    check(good, f"{name}: {done.stderr}")
    check(took < 2, f"{name} was refused after {took:.1f} s")
    history = subprocess.run([PLUMBLINE, "history", "f/m"], cwd=folder, env=env, capture_output=True, text=True)
    check(history.returncode == 2 and "no baseline named" in history.stderr, f"{name}: {history.stdout}{history.stderr}")
    # Not by the program's word alone: the bucket is listed. What the probe could not take back may be there.
    left = keys_in(endpoint, {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret})
    check(not [one for one in left if "experiments/" in one], f"{name} was refused, and this was published: {left}")
    print(f"  {name}: {done.stderr.strip()}")
    print(f"  {name}: in its bucket are {left or 'no objects'}")
    return took


def make_bucket(endpoint, key, secret):
    host = endpoint.removeprefix("http://")
    made = subprocess.run(["s3cmd", "--access_key", key, "--secret_key", secret, "--no-ssl", f"--host={host}", f"--host-bucket={host}",
                           "--region=us-east-1", "-c", "/dev/null", "mb", "s3://perf"], capture_output=True, text=True)
    check(made.returncode == 0, made.stderr)


def swift():
    if not shutil.which("swift-proxy-server") or os.geteuid() != 0:
        return "OpenStack Swift (s3api): skipped, it is not installed or this is not root"
    with Servers("swift") as servers:
        at = servers.folder
        (at / "devices/d1").mkdir(parents=True)
        proxy, cache = free_port(), free_port()
        (at / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = a\nswift_hash_path_prefix = b\n"
                                       "[storage-policy:0]\nname = p\ndefault = yes\n")
        common = f"bind_ip = 127.0.0.1\nworkers = 1\nuser = root\nswift_dir = {at}\nlog_address = /dev/null\n"
        # Swift looks for swift.conf where a variable says, and for rings in swift_dir.
        env = {**os.environ, "SWIFT_CONF_FILE": str(at / "swift.conf")}
        servers.run("memcached", "-u", "root", "-l", "127.0.0.1", "-p", cache)
        for kind in ("account", "container", "object"):
            port = free_port()
            for words in (("create", "4", "1", "1"), ("add", f"r1z1-127.0.0.1:{port}/d1", "1"), ("rebalance",)):
                done = subprocess.run(["swift-ring-builder", f"{kind}.builder", *words], cwd=at, env=env, capture_output=True, text=True)
                check(done.returncode in (0, 1), done.stdout + done.stderr)
            (at / f"{kind}.conf").write_text(f"[DEFAULT]\nbind_port = {port}\n{common}devices = {at}/devices\nmount_check = false\n"
                                             f"recon_cache_path = {at}\n"
                                             f"[pipeline:main]\npipeline = {kind}-server\n[app:{kind}-server]\nuse = egg:swift#{kind}\n")
            servers.run(f"swift-{kind}-server", at / f"{kind}.conf", env=env)
        (at / "proxy.conf").write_text(f"""[DEFAULT]
bind_port = {proxy}
{common}[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{cache}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = SKTEST .admin
""")
        servers.run("swift-proxy-server", at / "proxy.conf", env=env)
        endpoint = f"http://127.0.0.1:{proxy}"
        Ceph.wait(lambda: answers(endpoint), "Swift answers", 60)
        make_bucket(endpoint, "test:tester", "SKTEST")
        took = refused("OpenStack Swift", endpoint, "test:tester", "SKTEST", "as OpenStack Swift's S3 does", at)
    return f"OpenStack Swift (s3api): good, refused in {took:.1f} s"


def s3rver():
    if not shutil.which("npm"):
        return "s3rver: skipped, there is no npm"
    with Servers("s3rver") as servers:
        at = servers.folder
        made = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "s3rver@3.7.1"], cwd=at, capture_output=True, text=True)
        if made.returncode != 0:
            return "s3rver: skipped, npm does not install it here"
        port = free_port()
        (at / "data").mkdir()
        servers.run("node", at / "node_modules/.bin/s3rver", "-a", "127.0.0.1", "-p", port, "-d", at / "data", "--configure-bucket", "perf")
        endpoint = f"http://127.0.0.1:{port}"
        Ceph.wait(lambda: answers(endpoint), "s3rver answers", 60)
        took = refused("s3rver", endpoint, "S3RVER", "S3RVER", "16 were told that they made it", at)
    return f"s3rver: good, refused in {took:.1f} s"


def main():
    lines = []
    for server in (swift, s3rver):
        before = len(failures)
        try:
            line = server()
        except (RuntimeError, OSError) as error:
            check(False, f"{server.__name__}: {error}")
            line = f"{server.__name__}: FAILED"
        lines.append(line if len(failures) == before else f"{server.__name__}: FAILED")
    print("\n".join(lines))
    finish()


if __name__ == "__main__":
    main()
