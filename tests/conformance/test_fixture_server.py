#!/usr/bin/env python3
"""The fixture server as a process: every transport that it has, several at once, and what it says of arguments it does not know."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile

SERVER = os.environ["MCP_FIXTURE_SERVER"]
BOUND = 60  # seconds; only a failure takes that long
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}


def start(*arguments):
    return subprocess.Popen([SERVER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def addresses(server, count):
    found = []
    while len(found) < count:
        line = server.stderr.readline()
        assert line, "the server ended before it listened"
        match = re.search(r"listening on (\S+)", line)
        if match:
            found.append(match[1])
    return found


def end(server):
    server.send_signal(signal.SIGTERM)
    assert server.wait(BOUND) == 0, server.returncode


def over_lines(connection):
    connection.settimeout(BOUND)
    connection.sendall(json.dumps(DISCOVER).encode() + b"\n")
    return json.loads(connection.makefile().readline())


def over_http(url):
    host, port = re.fullmatch(r"http://([\d.]+):(\d+)/mcp", url).groups()
    connection = http.client.HTTPConnection(host, int(port), timeout=BOUND)
    connection.request("POST", "/mcp", json.dumps(DISCOVER), {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    return json.loads(answer.read())


def name_of(answer):
    return answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]


def serves_every_transport_at_once():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s")
        server = start("--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--unix", path)
        by_scheme = {address.split(":")[0]: address for address in addresses(server, 3)}
        assert sorted(by_scheme) == ["http", "tcp", "unix"], by_scheme
        assert name_of(over_http(by_scheme["http"])) == "mcp_fixture_server"
        host, port = by_scheme["tcp"].removeprefix("tcp://").rsplit(":", 1)
        with socket.create_connection((host, int(port))) as connection:
            assert name_of(over_lines(connection)) == "mcp_fixture_server"
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            assert name_of(over_lines(connection)) == "mcp_fixture_server"
        end(server)
        assert not os.path.exists(path)


def names_an_argument_that_it_does_not_know():
    for arguments, wrong in ((["--htp"], "unknown argument --htp"), (["--stdio", "x"], "unknown argument x"),
                             (["--http"], "a place is missing after --http")):
        server = start(*arguments)
        out, err = server.communicate(timeout=BOUND)
        assert (out, server.returncode) == ("", 2), (out, server.returncode)
        assert err == (f"mcp_fixture_server: error: {wrong}\n"
                       "hint: usage is mcp_fixture_server [--stdio] [--http HOST:PORT] [--tcp HOST:PORT] [--unix PATH]\n"), err


def says_why_it_cannot_listen():
    server = start("--http", "127.0.0.1:99999")
    out, err = server.communicate(timeout=BOUND)
    assert (out, server.returncode) == ("", 2), (out, err, server.returncode)
    assert err.startswith("mcp_fixture_server: error: ") and "99999" in err, err


serves_every_transport_at_once()
names_an_argument_that_it_does_not_know()
says_why_it_cannot_listen()
