#!/usr/bin/env python3
"""How `plumbline serve` ends, and what it says meanwhile: calls under way are finished, listeners are told, nobody is left waiting,
nothing is left behind."""
import json
import os
import signal
import subprocess
import threading

from harness import PLUMBLINE, Root, check, equal, finish
from serving import BOUND, LEGACY, MODERN, Http, Lines, Server, Stream, connect, environment, published

QUIET = ("--audit-log", "off")
BASELINES, DIFFS = "experiments/artifacts/perf-baselines", "experiments/artifacts/perf-baseline-diffs"


def large_diff(root):
    """Arguments of a diff that reports progress long before its end."""
    root.write("big.json", {f"case_{i}": {"latency_ms": i % 97 + 1} for i in range(50_000)})
    root.write("trial.json", {f"case_{i}": {"latency_ms": i % 89 + 1} for i in range(50_000)})
    for number in range(10):
        os.link(root.path / "trial.json", root.path / f"trial-{number}.json")
    return {"name": "perf_baseline_diff", "arguments": {"baseline": "big.json", "current": [f"trial-{n}.json" for n in range(10)]},
            "_meta": {"progressToken": "p"}}


def bundles(root):
    return [p for p in published(root) if p.startswith(DIFFS) and p.endswith("/SHA256SUMS")]


def half_written(root):
    return [p for p in published(root) if ".tmp" in p]


# SIGTERM: calls under way are answered on every transport, listeners get their end, idle connections hold nothing up.
with Root() as root:
    call = large_diff(root)
    socket_path = root.path / "s.sock"
    with Server(root, "--http", "127.0.0.1:0", "--unix", socket_path, "--tcp", "127.0.0.1:0", "--drain", BOUND, *QUIET) as server:
        modern, lines = Http(server.url, MODERN), Lines.to(server.address("unix"))
        running = Stream(modern, modern.post(modern.request("tools/call", call)))
        lines.send(lines.request("tools/call", call))
        listen = {"notifications": {"resourceSubscriptions": ["plumbline://baselines/f/m/newest"]}}
        listener = Stream(modern, modern.post(modern.request("subscriptions/listen", listen)))
        listener.next()
        line_listener = Lines.to(server.address("tcp"), MODERN)
        line_listener.send(line_listener.request("subscriptions/listen", listen))
        line_listener.wait_heard("notifications/subscriptions/acknowledged")
        legacy = Http(server.url, LEGACY)
        listening = Stream(legacy, legacy.open("GET", headers={"Accept": "text/event-stream"}))
        idle = [connect(server.address(scheme)) for scheme in ("unix", "tcp", "http") for _ in range(8)]
        idle[-1].sendall(b"POST /mcp HTTP/1.1\r\nHost: loc")
        idle[-9].sendall(b'{"jsonrpc":"2.0","id":1,"meth')
        equal(running.next()["method"], "notifications/progress", "a call over HTTP is under way")
        lines.wait_heard("notifications/progress")
        server.process.send_signal(signal.SIGTERM)
        while "result" not in (said := running.next()):
            equal(said["method"], "notifications/progress", "until its end")
        equal(said["result"]["isError"], False, "the call over HTTP is finished")
        equal(lines.wait(lines.next_id)["result"]["isError"], False, "the call over a socket is finished")
        equal((lines.reader.read(), running.next()), (b"", None), "then the connections end")
        ended = listener.next()
        equal((ended["result"]["resultType"], listener.next()), ("complete", None), "a listener over HTTP gets its end")
        equal(line_listener.wait(line_listener.next_id)["result"]["resultType"], "complete", "a listener over a socket too")
        equal(listening.next(), None, "a session that listens is let go")
        equal(server.process.wait(BOUND), 0, "exit status")
        for opened in idle:
            opened.close()
    equal(len(bundles(root)), 2, "both bundles are published")
    check(not socket_path.exists(), "the socket's file is gone")
    check(f"plumbline: info: ending: calls under way have {BOUND} s" in server.lines, f"the log says what it waits for: {server.lines}")

# --drain 0: calls under way are told to stop; what was not answered is not published.
with Root() as root:
    call = large_diff(root)
    with Server(root, "--unix", root.path / "s.sock", "--drain", "0", *QUIET) as server:
        lines = Lines.to(server.address("unix"))
        lines.send(lines.request("tools/call", call))
        lines.wait_heard("notifications/progress")
        server.process.send_signal(signal.SIGINT)
        while lines.receive() is not None:
            pass
        equal(server.process.wait(BOUND), 0, "exit status")
    equal(half_written(root), [], "nothing half written is left")
    equal(len(bundles(root)), len([a for a in lines.answers.values() if "diff_dir" in json.dumps(a)]), "what was not answered was not published")

# Standard input ends: so does the process, sockets or not, and what was asked before is answered.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    for flags in ((), ("--unix", root.path / "s.sock", "--http", "127.0.0.1:0", *QUIET)):
        with Server(root, *flags, stdio=True) as server:
            client = Lines.of(server.process)
            call = client.request("tools/call", {"name": "measurement_inspect", "arguments": {"path": "a.json"}})
            client.send(call, client.request("ping", {}))
            said = [json.loads(line) for line in client.end().splitlines()]
            equal(sorted(m["id"] for m in said), [client.next_id - 1, client.next_id], f"answers to what was asked, and nothing else: {flags}")
            equal(server.process.wait(BOUND), 0, "exit status")
        check(not (root.path / "s.sock").exists(), "the socket's file is gone")
    done = subprocess.run([PLUMBLINE, "serve"], cwd=root.path, env=environment(), input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
                          capture_output=True, check=True)
    equal((done.stdout, done.stderr), (b'{"jsonrpc":"2.0","id":1,"result":{}}\n', b""), "standard input and output are the default")

# Signals end a server on standard input alone; with sockets SIGHUP means: read your files again.
with Root() as root:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with Server(root, stdio=True, end_signal=number) as server:
            Lines.of(server.process)
        equal(server.process.stdout.read(), b"", f"{number.name} is no message")
    audit = root.path / "audit.log"
    with Server(root, "--unix", root.path / "s.sock", "--audit-log", audit) as server:
        client = Lines.to(server.address("unix"))
        client.value("search_evidence")
        audit.rename(root.path / "audit.log.1")
        client.value("search_evidence")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda lines: any("audit log read again" in line for line in lines))
        client.value("search_evidence")
    # A line is written right after its answer went out: the first two may fall on either side, the third may not.
    old, new = [len((root.path / name).read_text().splitlines()) for name in ("audit.log.1", "audit.log")]
    check(old + new == 3 and new >= 1, f"the audit log can be rotated: {old} lines and {new}")


# Whoever started it dies without a word, and its standard input stays open: it ends all the same.
with Root() as root:
    read_end, write_end = os.pipe()
    parent = subprocess.Popen(["sh", "-c", f'"{PLUMBLINE}" serve --stdio <&{read_end} & echo $! >&2; wait'], cwd=root.path,
                              env=environment(), pass_fds=(read_end,), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    server_pid = int(parent.stderr.readline())
    client = Lines(parent.stdout, os.fdopen(write_end, "wb"))
    parent.kill()
    parent.wait(BOUND)
    ended = []
    reader = threading.Thread(target=lambda: ended.append(parent.stdout.read()), daemon=True)
    reader.start()
    reader.join(BOUND)
    equal(ended, [b""], f"the orphan {server_pid} ended, saying nothing")
    os.close(read_end)

# What the log says, by level: always to standard error.
with Root() as root:
    for level, wanted in (("info", 1), ("debug", 1), ("warning", 0), ("error", 0), ("off", 0)):
        path = root.path / f"{level}.sock"
        with Server(root, f"--unix={path}", "--log-level", level, *QUIET, stdio=True) as server:
            Lines.of(server.process)
            equal(Lines.to(f"unix:{path}").get("ping"), {}, "sockets listen before standard input is answered")
        equal(sum("listening on" in line for line in server.lines), wanted, f"--log-level {level}: {server.lines}")
        equal([line for line in server.lines if not line.startswith("plumbline: ")], [], "every line says who it is from")

# A place that is taken is the environment's fault: nothing is served, nothing stays behind.
with Root() as root:
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        place = f"127.0.0.1:{server.port}"
        done = root.run("serve", "--unix", root.path / "s.sock", "--http", place, "--repo-root", root.path)
        equal((done.returncode, done.stdout, done.stderr.splitlines()),
              (3, "", [f"plumbline: error: cannot listen on {place}: Address already in use",
                       "hint: another program listens there; port 0 has a free one chosen"]), "the port is taken")
        check(not (root.path / "s.sock").exists(), "the socket that was made first is gone")

finish()
