"""A Ceph cluster of one monitor, one disk (bluestore on a sparse file) and one gateway, on loopback and in a folder of its own. It needs
root and Debian's radosgw, ceph-mon, ceph-osd and ceph-common; nothing outside the folder is touched."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
import uuid

KEY, SECRET = "FLEETKEY", "fleet-secret-of-the-tests"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Ceph:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-ceph-"))
        for inner in ("mon", "osd", "rgw", "run"):
            (self.folder / inner).mkdir()
        self.port, self.new_port, self.old_port = free_port(), free_port(), free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.environment = {**os.environ, "CEPH_CONF": str(self.folder / "ceph.conf"), "LC_ALL": "C"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def tool(self, *words, timeout=120):
        done = subprocess.run([str(w) for w in words], env=self.environment, capture_output=True, text=True, timeout=timeout)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        cluster, disk, at = uuid.uuid4(), uuid.uuid4(), self.folder
        addresses = f"[v2:127.0.0.1:{self.new_port},v1:127.0.0.1:{self.old_port}]"
        (at / "ceph.conf").write_text(f"""[global]
fsid = {cluster}
mon host = {addresses}
mon initial members = a
public addr = 127.0.0.1
keyring = {at}/keyring
admin socket = {at}/run/$name.asok
log file = {at}/$name.log
pid file = {at}/run/$name.pid
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
mon max pg per osd = 500
auth allow insecure global id reclaim = false
[mon.a]
mon data = {at}/mon
[osd]
osd data = {at}/osd
osd objectstore = bluestore
bluestore block size = 4294967296
bluestore block create = true
bluestore cache size = 268435456
osd memory target = 939524096
[client.rgw.a]
rgw data = {at}/rgw
rgw frontends = beast endpoint=127.0.0.1:{self.port}
rgw run sync thread = false
""")
        keyring = at / "keyring"
        self.tool("ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
        for name, *caps in (("client.admin", "mon", "allow *", "osd", "allow *", "mgr", "allow *"),
                            ("client.rgw.a", "mon", "allow *", "osd", "allow *"), ("osd.0", "mon", "allow profile osd", "osd", "allow *")):
            words = [word for kind, cap in zip(caps[::2], caps[1::2]) for word in ("--cap", kind, cap)]
            self.tool("ceph-authtool", keyring, "--gen-key", "-n", name, *words)
        self.tool("monmaptool", "--create", "--fsid", cluster, "--addv", "a", addresses, at / "monmap")
        self.tool("ceph-mon", "-i", "a", "--mkfs", "--monmap", at / "monmap", "--keyring", keyring, "--setuser", "root", "--setgroup", "root")
        self.run("mon.a")
        self.tool("ceph", "osd", "new", disk)
        self.tool("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", disk, "--setuser", "root", "--setgroup", "root")
        self.run("osd.0")
        self.tool("ceph", "osd", "crush", "add", "osd.0", "1.0", "root=default", "host=localhost")
        self.wait(lambda: "1 up" in self.tool("ceph", "osd", "stat"), "the disk is up")
        self.run("client.rgw.a")
        self.wait(self.answers, "the gateway answers")
        self.tool("radosgw-admin", "user", "create", "--uid=fleet", "--display-name=fleet", f"--access-key={KEY}", f"--secret-key={SECRET}")

    def run(self, name):
        """Starts a daemon, which goes to the background by itself."""
        program, given = {"mon.a": ("ceph-mon", ("-i", "a")), "osd.0": ("ceph-osd", ("-i", "0")),
                          "client.rgw.a": ("radosgw", ("-n", "client.rgw.a"))}[name]
        self.tool(program, *given, "--setuser", "root", "--setgroup", "root")

    def pid(self, name):
        return int((self.folder / "run" / f"{name}.pid").read_text())

    def kill(self, name):
        """And it is gone: one that is started while it still has its disk would give up."""
        pid = self.pid(name)
        os.kill(pid, signal.SIGKILL)
        self.wait(lambda: not self.is_alive(pid), f"{name} is dead")

    @staticmethod
    def is_alive(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def answers(self):
        try:
            with urllib.request.urlopen(self.endpoint, timeout=5):
                return True
        except OSError:
            return False

    @staticmethod
    def wait(truth, what, seconds=120):
        end = time.monotonic() + seconds
        while not truth():
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s in vain until {what}")
            time.sleep(0.1)

    def stop(self):
        for name in ("client.rgw.a", "osd.0", "mon.a"):
            try:
                self.kill(name)
            except (OSError, ValueError):
                pass
        shutil.rmtree(self.folder, ignore_errors=True)
