#!/usr/bin/env python3
"""The fixture server as a process: how it starts, what it says, and every way in which it ends."""
import array
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios

SERVER = os.environ["MCP_FIXTURE_SERVER"]
BOUND = 60  # seconds; only a failure takes that long


def start(**more):
    return subprocess.Popen([SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def ask(server, message):
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def initialize(server):
    return ask(server, {"jsonrpc": "2.0", "id": 0, "method": "initialize",
                        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})


def threads(server):
    return len(os.listdir(f"/proc/{server.pid}/task"))


def speaks_only_protocol_and_ends_with_its_input():
    server = start()
    assert initialize(server)["result"]["serverInfo"]["name"] == "mcp_fixture_server"
    assert threads(server) == 1, "no thread before the first call"
    answer = ask(server, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "hi"}}})
    assert answer["result"]["content"][0]["text"] == "hi", answer
    out, err = server.communicate(timeout=BOUND)
    assert (out, err, server.returncode) == (b"", b"", 0), (out, err, server.returncode)


def ends_on_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        server = start()
        initialize(server)
        server.send_signal(number)
        assert server.wait(BOUND) == 0, (number, server.returncode)  # its input is still open
        assert server.stderr.read() == b""


def ends_when_nobody_reads():
    server = start()
    initialize(server)
    server.stdout.close()
    server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    server.stdin.flush()
    assert server.wait(BOUND) == 0, server.returncode


def waiting_in(pipe):
    return array.array("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4))[0]


def ends_when_its_output_is_full_and_a_signal_comes():
    server = start()
    initialize(server)
    os.set_blocking(server.stdin.fileno(), False)
    lines = (b'{"jsonrpc":"2.0","id":"' + b"x" * 200 + b'","method":"ping"}\n') * 10
    full = fcntl.fcntl(server.stdout.fileno(), fcntl.F_GETPIPE_SZ) * 3 // 4  # lines that do not fill their pages leave room
    blocked = False
    while not (blocked and waiting_in(server.stdout) >= full):  # until the server is stuck in its write
        try:
            os.write(server.stdin.fileno(), lines)
            blocked = False
        except BlockingIOError:
            blocked = True
    server.send_signal(signal.SIGTERM)
    assert server.wait(BOUND) == 0, server.returncode


def ends_with_its_parent():
    # The child keeps its input open through us; only the death of its own parent can end it.
    read_end, write_end = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c",
         "import subprocess, sys, os\n"
         "s = subprocess.Popen([sys.argv[1]], stdin=int(sys.argv[2]), stdout=subprocess.PIPE)\n"
         "os.write(int(sys.argv[3]), b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\\n')\n"
         "s.stdout.readline()\n"
         "print(s.pid, flush=True)\n"
         "os.kill(os.getpid(), 9)\n", SERVER, str(read_end), str(write_end)],
        pass_fds=(read_end, write_end), stdout=subprocess.PIPE)
    child = int(parent.stdout.readline())
    try:
        handle = os.pidfd_open(child)
    except ProcessLookupError:
        handle = None  # gone already
    parent.wait(BOUND)
    if handle is not None:
        assert select.select([handle], [], [], BOUND)[0], "the server outlived its parent"


def refuses_what_it_does_not_know():
    server = subprocess.run([SERVER, "--nope"], capture_output=True, timeout=BOUND)
    assert server.returncode == 2 and b"argument --nope" in server.stderr, server


for check in (speaks_only_protocol_and_ends_with_its_input, ends_on_signals, ends_when_nobody_reads,
              ends_when_its_output_is_full_and_a_signal_comes, ends_with_its_parent, refuses_what_it_does_not_know):
    check()
    print("ok", check.__name__.replace("_", " "))
