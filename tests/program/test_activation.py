#!/usr/bin/env python3
"""Sockets that listen already, as systemd hands them over, and what it is told: a restart answers whoever connects meanwhile."""
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection

from harness import PLUMBLINE, Root, check, equal, finish
from serving import BOUND, MODERN, Http, Lines, environment

# Puts the sockets where they are looked for and says so, for its own process, which then becomes the server.
LAUNCHER = """
import fcntl, os, sys
fds = [int(word) for word in sys.argv[1].split(",")]
kept = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64) for fd in fds]
for at, fd in enumerate(kept):
    os.dup2(fd, 3 + at, inheritable=True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds)), LISTEN_FDNAMES=sys.argv[2])
os.execv(sys.argv[3], sys.argv[3:])
"""


def listening(family=socket.AF_INET, place=("127.0.0.1", 0), kind=socket.SOCK_STREAM):
    opened = socket.socket(family, kind)
    opened.bind(place)
    if kind == socket.SOCK_STREAM:
        opened.listen(128)
    return opened


class Service:
    """The server as a service manager starts it."""

    def __init__(self, root, sockets, names, *flags):
        self.notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notified.settimeout(0.1)
        self.notified.bind("\0plumbline-test-" + os.urandom(8).hex())
        fds = [one.fileno() for one in sockets]
        words = [sys.executable, "-c", LAUNCHER, ",".join(map(str, fds)), names, PLUMBLINE, "serve", "--repo-root", str(root.path),
                 "--audit-log", "off", *flags]
        name = "@" + self.notified.getsockname()[1:].decode()
        self.process = subprocess.Popen(words, env=dict(environment(), NOTIFY_SOCKET=name), pass_fds=fds, cwd=root.path,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def told(self):
        until = time.monotonic() + BOUND
        while time.monotonic() < until:
            try:
                return self.notified.recv(4096).decode().split("\n")
            except TimeoutError:
                if self.process.poll() is not None:
                    sys.exit(f"the server ended with {self.process.returncode} before it said anything")
        sys.exit(f"the server said nothing in {BOUND} s")

    def ended(self):
        out, err = self.process.communicate(timeout=BOUND)
        return self.process.returncode, err


with Root() as root:
    tcp, http, local = listening(), listening(), listening(socket.AF_UNIX, str(root.path / "s.sock"))
    service = Service(root, [http, tcp, local], "http:lines:local")
    equal(service.told()[0], "READY=1", "it says when it is ready")
    port = http.getsockname()[1]
    equal(Http(f"http://127.0.0.1:{port}/mcp", MODERN).get("tools/list")["tools"] != [], True, "HTTP on a socket that was handed over")
    for address in (f"tcp://127.0.0.1:{tcp.getsockname()[1]}", f"unix:{root.path / 's.sock'}"):
        equal(Lines.to(address).ask("ping")["result"], {}, f"lines on {address}")
    service.process.send_signal(signal.SIGHUP)
    reloading = service.told()
    equal((reloading[0], reloading[1].startswith("MONOTONIC_USEC=")), ("RELOADING=1", True), "it says when it reads its files again")
    equal(service.told()[0], "READY=1", "and when it has")
    service.process.send_signal(signal.SIGTERM)
    equal(service.told()[0], "STOPPING=1", "and when it ends")
    status, said = service.ended()
    equal(status, 0, "exit status")
    for wanted in (f"listening on http://127.0.0.1:{port}/mcp", f"listening on tcp://127.0.0.1:{tcp.getsockname()[1]}",
                   f"listening on unix:{root.path / 's.sock'}"):
        check(wanted in said, f"{wanted}: {said}")
    check((root.path / "s.sock").exists(), "the socket's file is the service manager's, who goes on listening")

# Uploads need no --http: the socket speaks it.
with Root() as root:
    http, text = listening(), json.dumps({"decode": {"tokens_per_s": 1000.0}}).encode()
    tokens = root.write("tokens", "alice alice-alice-alice-alice\n")
    tokens.chmod(0o600)
    service = Service(root, [http], "http", "--token-file", str(tokens))
    service.told()
    name = hashlib.sha256(text).hexdigest()
    connection = HTTPConnection("127.0.0.1", http.getsockname()[1], timeout=BOUND)
    connection.request("PUT", f"/blobs/sha256/{name}", text, {"Authorization": "Bearer alice-alice-alice-alice"})
    equal(connection.getresponse().status, 201, "an upload is taken")
    client = Http(f"http://127.0.0.1:{http.getsockname()[1]}/mcp", MODERN, token="alice-alice-alice-alice")
    equal(client.value("measurement_inspect", path=f"blob:sha256:{name}")["row_count"], 1, "and is read")
    service.process.send_signal(signal.SIGTERM)
    equal(service.ended()[0], 0, "the end")

# Restarted again and again while clients connect: everybody is answered. What comes while nobody serves waits in the queue.
with Root() as root:
    http = listening()
    address, answered, wrong, over = http.getsockname(), [0], [], threading.Event()

    def client():
        while not over.is_set():
            try:
                with socket.create_connection(address, BOUND) as opened:
                    opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                    got = b""
                    while piece := opened.recv(4096):
                        got += piece
                if got.startswith(b"HTTP/1.1 200 ") and got.endswith(b"ok\n"):
                    answered[0] += 1
                else:
                    wrong.append(got[:100])
            except OSError as error:
                wrong.append(repr(error))

    service = Service(root, [http], "http")
    service.told()
    clients = [threading.Thread(target=client) for _ in range(8)]
    for each in clients:
        each.start()
    for _ in range(5):
        before = answered[0]
        while answered[0] < before + 50 and not wrong:
            over.wait(0.005)
        service.process.send_signal(signal.SIGTERM)
        status, said = service.ended()
        equal(status, 0, f"it ends as it should: {said}")
        service = Service(root, [http], "http")
        equal(service.told()[0], "READY=1", "the next one serves")
    over.set()
    for each in clients:
        each.join()
    equal(wrong[:3], [], f"nobody was turned away in five restarts, {answered[0]} were answered")
    service.process.send_signal(signal.SIGTERM)
    equal(service.ended()[0], 0, "the end")

# What is no socket that listens is said to be none; variables for another process say nothing.
with Root() as root:
    for made, why in ((listening(kind=socket.SOCK_DGRAM), "does not listen for streams"), (open(os.devnull), "is no socket")):
        service = Service(root, [made], "odd")
        status, said = service.ended()
        equal((status, said.splitlines()[0]), (2, f'plumbline: error: the socket "odd" that was handed over (descriptor 3) {why}'), why)
    done = subprocess.run([PLUMBLINE, "serve"], env=dict(environment(), LISTEN_PID="1", LISTEN_FDS="1"), capture_output=True, text=True,
                          input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n', cwd=root.path, timeout=BOUND)
    equal(done.stdout, '{"jsonrpc":"2.0","id":1,"result":{}}\n', "it serves standard input")
    done = subprocess.run([PLUMBLINE, "serve", "--repo-root", str(root.path)], env=dict(environment(), LISTEN_PID="1", LISTEN_FDS="1"),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=root.path, timeout=BOUND)
    equal(done.returncode, 0, "and ends with it")

# systemd's own activator, where it is installed: it listens, and starts the server with the first connection.
ACTIVATE = shutil.which("systemd-socket-activate")
if ACTIVATE:
    with Root() as root:
        free = listening()
        port = free.getsockname()[1]
        free.close()
        process = subprocess.Popen([ACTIVATE, "-l", f"127.0.0.1:{port}", "--fdname=http", PLUMBLINE, "serve", "--repo-root", str(root.path),
                                    "--audit-log", "off"], env=environment(), cwd=root.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + BOUND
        while True:
            try:
                connection = HTTPConnection("127.0.0.1", port, timeout=BOUND)
                connection.request("GET", "/healthz")
                break
            except ConnectionRefusedError:
                if time.monotonic() > until or process.poll() is not None:
                    sys.exit(f"systemd-socket-activate does not listen: {process.communicate(timeout=BOUND)}")
                time.sleep(0.02)
        equal(connection.getresponse().status, 200, "who connected first is answered by the server that this started")
        equal(Http(f"http://127.0.0.1:{port}/mcp", MODERN).get("tools/list")["tools"] != [], True, "and so are the next")
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=BOUND)[1]
        equal(process.returncode, 0, f"the end: {said}")
        check(f"listening on http://127.0.0.1:{port}/mcp" in said, said)

finish()
