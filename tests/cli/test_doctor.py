#!/usr/bin/env python3
"""plumbline doctor as a process: against the program itself, and against stand-ins (small servers written here) that do one thing wrong."""
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

PLUMBLINE = os.environ["PLUMBLINE"]
PROGRAM = os.path.realpath(PLUMBLINE)
VERSION = subprocess.run([PLUMBLINE, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
checks = 0

# A stand-in on standard input and output: argv[1] names what it does wrong.
STAND_IN = r'''#!/usr/bin/env python3
import json, os, sys, time
fault, version = sys.argv[1], sys.argv[2]
if fault == "dies":
    print("no such library", file=sys.stderr); sys.exit(127)
if fault == "silent":
    sys.stdin.read(); sys.exit(0)
if fault == "chatty":
    print("Welcome!"); print("deprecated", file=sys.stderr)
if fault == "stays":
    open(os.environ["PIDS"], "a").write("%d\n" % os.getpid())
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    if "id" not in request: continue
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if method == "initialize":
        reply["result"] = {"protocolVersion": "2024-11-05" if fault == "old" else "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "other" if fault == "other" else "plumbline", "version": version}}
    elif method == "tools/list":
        page = request["params"].get("cursor")
        reply["result"] = {"tools": [] if fault == "empty" else [{"name": "b" if page else "a"}]}
        if fault == "endless" or (fault == "pages" and not page): reply["result"]["nextCursor"] = "next"
    else:
        reply["error"] = {"code": -32601, "message": "method not found"}
    print(json.dumps(reply), flush=True)
if fault == "stays":
    while True: time.sleep(60)
'''


def check(condition, text):
    global checks
    checks += 1
    assert condition, text


class House:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plumbline-doctor-")
        self.home = os.path.realpath(self.folder.name)
        self.project = os.path.join(self.home, "project")
        os.makedirs(os.path.join(self.project, ".git"))
        self.stand_in = os.path.join(self.home, "stand-in")
        with open(self.stand_in, "w", encoding="utf-8") as file:
            file.write(STAND_IN)
        os.chmod(self.stand_in, 0o755)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, *words, status=0, **variables):
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, **variables}
        done = subprocess.run([PLUMBLINE, "doctor", *words], cwd=self.project, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        check(done.returncode == status, f"doctor {words}: exit {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done

    def ask(self, *words, status=0, **variables):
        """The checks by name, of which the last with a name counts."""
        report = json.loads(self.run(*words, "--json", status=status, **variables).stdout)
        check(report["ok"] == (status == 0), report)
        return {one["name"]: one for one in report["checks"]}

    def configure(self, entry, name="plumbline"):
        with open(os.path.join(self.project, ".mcp.json"), "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {name: entry}}, file)

    def stand_in_does(self, fault, status=0, version=VERSION, words=(), **variables):
        self.configure({"type": "stdio", "command": self.stand_in, "args": [fault, version], "env": variables})
        return self.ask("--client", "claude", *words, status=status)


def is_at(level, one, *texts):
    check(one["level"] == level, one)
    for text in texts:
        check(text in one["detail"] + "\n" + (one["advice"] or ""), one)


def the_program_itself():
    with House() as house:
        said = house.run().stdout
        check(said.endswith("everything is right\n"), said)
        report = house.ask()
        is_at("ok", report["initialize"], "protocol 2025-11-25")
        is_at("ok", report["discover"], "2026-07-28")
        is_at("ok", report["tools"], "9 tools: perf_baseline_record")
        is_at("ok", report["modern tools"], "9 tools: perf_baseline_record")
        is_at("ok", report["version"], f"plumbline {VERSION}, as this program")
        is_at("ok", report["output"], "nothing but protocol")
        is_at("ok", report["end"], "exit status 0")
        is_at("ok", report["root"], house.project)
        subprocess.run([PLUMBLINE, "install", "--client", "codex"], env={"HOME": house.home}, check=True, capture_output=True)
        is_at("ok", house.ask("--client", "codex")["configuration"], '"plumbline" in', ".codex/config.toml (user)")


def what_a_program_can_do_wrong():
    with House() as house:
        report = house.stand_in_does("nothing")
        is_at("ok", report["program"], "(not this program)")
        is_at("warning", report["discover"], "server/discover is refused: method not found")
        is_at("ok", house.stand_in_does("pages")["tools"], "2 tools: a and b")
        is_at("warning", house.stand_in_does("nothing", version="0.0.9")["version"], "the server is plumbline 0.0.9, this program is " + VERSION)
        is_at("warning", house.stand_in_does("other")["version"], 'the server calls itself "other"')
        is_at("warning", house.stand_in_does("old")["initialize"], '"2024-11-05"')
        is_at("fault", house.stand_in_does("empty", status=2)["tools"], "no tools")
        is_at("fault", house.stand_in_does("endless", status=2)["tools"], "more than 50 pages")
        report = house.stand_in_does("chatty", status=2)
        is_at("fault", report["output"], '1 line on standard output that is not JSON-RPC, first: "Welcome!"')
        is_at("warning", report["log"], '1 line on standard error, first: "deprecated"')
        is_at("fault", house.stand_in_does("dies", status=2)["start"], "ended before it answered (exit status 127): no such library")
        is_at("fault", house.stand_in_does("silent", status=3, words=("--timeout", "0.3"))["start"], "no answer within 0.3 s")
        pids = os.path.join(house.home, "pids")
        is_at("fault", house.stand_in_does("stays", status=2, PIDS=pids)["end"], "was killed")
        with open(pids, encoding="utf-8") as file:
            for pid in file.read().split():
                check(not os.path.exists(f"/proc/{pid}"), f"process {pid} is left")


def what_a_configuration_can_have_wrong():
    with House() as house:
        is_at("fault", house.ask("--client", "claude", status=2)["configuration"], "no entry plumbline and profile_and_optimize in", "plumbline install --client claude")
        house.configure({"command": os.path.join(house.home, "gone"), "args": []})
        is_at("fault", house.ask("--client", "claude", status=2)["program"], "gone does not exist")
        os.chmod(house.stand_in, 0o644)
        house.configure({"command": house.stand_in, "args": []})
        is_at("fault", house.ask("--client", "claude", status=3)["program"], "cannot be executed", "chmod +x")
        house.configure({"command": "plumbline-that-nobody-has", "args": []})
        is_at("fault", house.ask("--client", "claude", status=2)["program"], "is not on PATH")
        house.configure({"command": "${WHERE:-/nowhere}/plumbline", "args": ["serve", "${MODE}"]}, name="profile_and_optimize")
        report = house.ask("--client", "claude", WHERE=os.path.dirname(PROGRAM), MODE="--stdio")
        is_at("ok", report["program"], PROGRAM if os.path.basename(PROGRAM) == "plumbline" else "")
        house.configure({"command": PROGRAM, "args": ["serve", "--stdio", "--nonsense"]})
        is_at("fault", house.ask("--client", "claude", status=2)["start"], 'unknown flag "--nonsense"')
        with open(os.path.join(house.project, ".mcp.json"), "w", encoding="utf-8") as file:
            file.write('{"mcpServers": {')
        is_at("fault", house.ask("--client", "claude", status=2)["configuration"], ".mcp.json: line 1:", "Claude Code cannot read it either")


def what_the_root_can_be():
    with House() as house:
        os.rmdir(os.path.join(house.project, ".git"))
        is_at("warning", house.ask(GIT_CEILING_DIRECTORIES=house.home)["root"], "cannot tell the repository root")
        report = house.ask("--repo-root", house.project)
        is_at("ok", report["root"], "can be written")
        is_at("warning", report["git"], "is in no git work tree")
        if os.geteuid() != 0:  # root may write everywhere
            os.chmod(house.project, 0o555)
            is_at("fault", house.ask("--repo-root", house.project, status=3)["root"], "cannot be written")
            os.chmod(house.project, 0o755)


class StandIn(http.server.BaseHTTPRequestHandler):
    """Streamable HTTP as far as doctor needs it. What it does wrong is an attribute of its server."""
    protocol_version = "HTTP/1.1"

    def do_DELETE(self):  # noqa: N802
        self.server.seen.append(("DELETE", None, dict(self.headers)))
        self.answer(200, b"")

    def do_POST(self):  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        self.server.seen.append(("POST", request, dict(self.headers)))
        fault = self.server.fault
        if fault == "token" and self.headers.get("Authorization") != "Bearer right":
            return self.answer(401, b"")
        if fault == "elsewhere":
            return self.answer(404, b"not here", "text/plain")
        if "id" not in request:
            return self.answer(202, b"")
        legacy = "_meta" not in request["params"]
        if request["method"] == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "plumbline", "version": VERSION}}
        elif legacy and self.headers.get("Mcp-Session-Id") != "s1":
            return self.answer(400, b"")
        elif request["method"] == "server/discover":
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
        else:
            result = {"tools": [{"name": "a"}]}
        reply = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
        if fault == "stream":
            event = b": hello\n\nevent: message\ndata: " + b'{"jsonrpc":"2.0","method":"notifications/message"}\n\ndata: ' + reply + b"\n\n"
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (event[:20], event[20:])) + b"0\r\n\r\n"
            return self.answer(200, chunks, "text/event-stream", chunked=True)
        return self.answer(200, reply)

    def answer(self, status, body, kind="application/json", chunked=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Mcp-Session-Id", "s1")
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class HttpStandIn:
    def __init__(self, fault):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
        self.server.fault, self.server.seen = fault, []
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/mcp"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def over_http():
    with House() as house:
        for kind in ("nothing", "stream"):
            with HttpStandIn(kind) as peer:
                report = house.ask("--http", peer.url)
                for name in ("start", "initialize", "tools", "discover", "modern tools"):
                    is_at("ok", report[name])
                seen = peer.server.seen
                check([request["method"] if request else verb for verb, request, _ in seen] ==
                      ["initialize", "notifications/initialized", "tools/list", "DELETE", "server/discover", "tools/list", "DELETE"], seen)
                check(seen[2][2]["MCP-Protocol-Version"] == "2025-11-25" and seen[2][2]["Mcp-Session-Id"] == "s1", seen[2])
                check(seen[4][2]["MCP-Protocol-Version"] == "2026-07-28" and seen[4][2]["Mcp-Method"] == "server/discover", seen[4])
        with HttpStandIn("token") as peer:
            is_at("fault", house.ask("--http", peer.url, status=2)["start"], "HTTP 401: the server wants a token")
            is_at("fault", house.ask("--http", peer.url, "--token-env", "T", status=2, T="wrong")["start"], "HTTP 401: the token is not accepted")
            is_at("fault", house.ask("--http", peer.url, "--token-env", "T", status=3)["token"], "${T} is not set")
            report = house.ask("--http", peer.url, "--token-env", "T", T="right")
            is_at("ok", report["token"], "from ${T}")
            is_at("ok", report["tools"], "1 tool: a")
            house.configure({"type": "http", "url": peer.url, "headers": {"Authorization": "Bearer ${T}"}})
            said = house.run("--client", "claude", T="right").stdout
            check("right\n" not in said.replace("everything is right\n", ""), "the token is not shown: " + said)
        with HttpStandIn("elsewhere") as peer:
            is_at("fault", house.ask("--http", peer.url, status=2)["start"], "HTTP 404: no MCP endpoint at /mcp")
        is_at("fault", house.ask("--http", peer.url, status=3)["start"], "cannot connect to 127.0.0.1", "plumbline serve --http")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"

            def no_http():
                peer, _ = listener.accept()
                with peer:
                    peer.recv(4096)
                    peer.sendall(b"SSH-2.0-hello\r\n")

            thread = threading.Thread(target=no_http)
            thread.start()
            is_at("fault", house.ask("--http", url, status=2)["start"], "what answers is not an HTTP server")
            thread.join()
        for url, text in [("https://127.0.0.1/mcp", "curl -sS -X POST"), ("http://192.0.2.1/mcp", "ssh -L"), ("ftp://x", "is not a URL"),
                          ("http://127.0.0.1:99999/mcp", "is not a URL"), ("http://u@127.0.0.1/mcp", "is not a URL")]:
            is_at("fault", house.ask("--http", url, status=2)["connection"], text)


def over_a_unix_socket():
    with House() as house:
        path = os.path.join(house.home, "s")
        is_at("fault", house.ask("--unix", path, status=3)["connection"], f"cannot connect to {path}", "plumbline serve --unix")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()

            def serve_two():  # the program's own stdio server behind a socket, once for each era
                for _ in range(2):
                    peer, _ = listener.accept()
                    with peer:
                        subprocess.run([PLUMBLINE, "serve", "--stdio"], stdin=peer, stdout=peer, check=False)

            thread = threading.Thread(target=serve_two)
            thread.start()
            report = house.ask("--unix", path)
            thread.join()
        is_at("ok", report["tools"], "9 tools")
        is_at("ok", report["discover"], "2026-07-28")


def words_that_are_refused():
    with House() as house:
        for words, message in [
                (["--client", "claude", "--http", "http://127.0.0.1/"], "exclude each other"),
                (["--name", "x"], "--name needs --client"),
                (["--token-env", "X"], "--token-env needs --http URL"),
                (["--timeout", "0"], "--timeout must be between 0.1 and 600 seconds, not 0"),
                (["--client", "cluade"], 'did you mean "claude"?'),
        ]:
            said = house.run(*words, status=2)
            check(message in said.stderr and said.stdout == "", f"{words}: {said.stderr}")


def an_interrupt_leaves_nothing_behind():
    with House() as house:
        house.configure({"command": house.stand_in, "args": ["silent", VERSION]})
        running = subprocess.Popen([PLUMBLINE, "doctor", "--client", "claude", "--timeout", "100"], cwd=house.project,
                                   env={"PATH": os.environ.get("PATH", ""), "HOME": house.home}, stdout=subprocess.PIPE, text=True)
        children = f"/proc/{running.pid}/task/{running.pid}/children"
        child = ""
        while not child and running.poll() is None:  # until the stand-in is there
            with open(children, encoding="utf-8") as file:
                child = file.read().strip()
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=60)
        check(running.returncode == 130 and "stopped" in said, said)
        check(child and not os.path.exists(f"/proc/{child}"), "the stand-in is ended too")


def main():
    the_program_itself()
    what_a_program_can_do_wrong()
    what_a_configuration_can_have_wrong()
    what_the_root_can_be()
    over_http()
    over_a_unix_socket()
    words_that_are_refused()
    an_interrupt_leaves_nothing_behind()
    print(f"{checks} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
