#!/usr/bin/env python3
"""One process, every transport, both eras, at once: the same workflow gives the same answers. And what Unix sockets and TCP have
of their own: who may connect, stale files, lines that are too long, too deep or nonsense."""
import json
import os
import socket
import stat
import threading

from harness import Root, check, equal, finish
from serving import DECLINE, LEGACY, MODERN, NO, YES, Http, Lines, Server, alike, connect, published

ROWS = 3000


def by_size(n):
    return {f"size_{i:04}": {"latency_us": 10.0 + i * n} for i in range(ROWS)}


def without_era(result):
    """A result without what only one era's results carry."""
    return {k: v for k, v in result.items() if k not in ("resultType", "_meta", "ttlMs", "cacheScope")}


def peak(server):
    """The most memory it has ever had, in KiB."""
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def workflow(client, family):
    """What an agent does from the first look at a file to the search for evidence. Every answer, in order."""
    said = []

    def tool(called, /, **arguments):
        result = client.call(called, **arguments)
        equal(result["isError"], False, f"{family}: {called} {arguments}: {result['content'][0]}")
        equal(json.loads(result["content"][0]["text"]), result["structuredContent"], f"{family}: {called}: text and structure agree")
        said.append([called, result["structuredContent"], result["content"][1:]])
        return result["structuredContent"]

    def asked(method, /, **params):
        result = without_era(client.get(method, **params))
        said.append([method, result])
        return result

    name = family + "/decode"
    equal(tool("measurement_inspect", path="before.json")["row_count"], ROWS, f"{family}: inspected")
    entry = tool("perf_baseline_record", family=family, measurement="decode", source="before.json", label="first", headline=["size_0001.*"])
    result = tool("perf_baseline_diff", baseline=name, current=["after.json"])
    equal(result["verdict"], "RED", f"{family}: what got slower")
    accepted = tool("perf_baseline_accept", baseline=name, reason="the first run that was reviewed")
    question = client.asked[-1]["message"] if client.asked else None
    equal((len(client.asked), question), (1, f"Make {name}@{entry['slug']} (DRAFT) the accepted baseline, the first of its measurement, "
                                             'for this reason: "the first run that was reviewed"?'), f"{family}: what a person was asked")
    equal((accepted["seq"], accepted["slug"]), (1, entry["slug"]), f"{family}: accepted")
    again = tool("perf_baseline_accept", baseline=name, reason="without a question", confirm="no")
    equal((again["seq"], len(client.asked)), (2, 1), f"{family}: confirm no asks nobody")
    equal([e["accepted"] for e in tool("perf_baseline_history", name=name)["entries"]], [True], f"{family}: history")
    equal(tool("bundle_verify", path=result["diff_dir"])["ok"], True, f"{family}: the bundle verifies")
    equal(tool("search_evidence", family=family, verdict="RED")["total"], 1, f"{family}: found again")

    [baseline] = asked("resources/read", uri=f"plumbline://baselines/{name}/accepted")["contents"]
    equal(json.loads(baseline["text"])["label"], "first", f"{family}: the accepted entry")
    whole, uri = "", f"plumbline://diffs/{name}/newest/deltas.jsonl?length=100000"
    while uri:
        [part] = asked("resources/read", uri=uri)["contents"]
        check(part["text"].endswith("\n"), f"{family}: lines are not cut")
        whole, uri = whole + part["text"], part["_meta"]["plumbline/range"].get("next")
    with open(result["diff_dir"] + "/deltas.jsonl", encoding="utf-8") as file:
        equal(whole, file.read(), f"{family}: the parts are the file")
    asked("resources/templates/list")
    prompts = [p["name"] for p in asked("prompts/list")["prompts"]]
    check("perf-baseline-diff" in prompts, f"{family}: the skills are prompts: {prompts}")
    text = asked("prompts/get", name="perf-baseline-diff", arguments={"baseline": name, "current": "after.json"})["messages"][0]
    check(name in text["content"]["text"], f"{family}: the prompt speaks of the baseline")
    template = "plumbline://baselines/{family}/{measurement}/{slug}{?offset,length}"
    completed = asked("completion/complete", ref={"type": "ref/resource", "uri": template},
                      argument={"name": "measurement", "value": "dec"}, context={"arguments": {"family": family}})
    equal(completed["completion"]["values"], ["decode"], f"{family}: completed")
    return alike(said)


# Seven conversations at once with one process; every one of them sees what the one over standard input sees.
with Root() as root:
    root.write("before.json", by_size(1.0))
    root.write("after.json", by_size(1.2))
    socket_path = root.path / "s.sock"
    with Server(root, "--unix", socket_path, "--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--audit-log", "off", stdio=True) as server:
        unix, tcp, url = server.address("unix"), server.address("tcp"), server.url
        makers = {"pipes legacy": lambda: Lines.of(server.process, answer=YES),
                  "unix legacy": lambda: Lines.to(unix, answer=YES), "unix modern": lambda: Lines.to(unix, MODERN, answer=YES),
                  "tcp legacy": lambda: Lines.to(tcp, answer=YES), "tcp modern": lambda: Lines.to(tcp, MODERN, answer=YES),
                  "http legacy": lambda: Http(url, LEGACY, answer=YES), "http modern": lambda: Http(url, MODERN, answer=YES)}
        said, clients = {}, {}

        def run(name, family):
            clients[name] = makers[name]()
            said[name] = workflow(clients[name], family)

        threads = [threading.Thread(target=run, args=(name, f"wf-{letter}")) for name, letter in zip(makers, "abcdefg")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if sorted(said) != sorted(makers):
            raise AssertionError(f"only {sorted(said)} came to their end")
        for name in said:
            equal(len(said[name]), len(said["pipes legacy"]), f"{name}: answers")
            for ours, theirs in zip(said[name], said["pipes legacy"]):
                check(ours == theirs, f"{name}: {ours[0]} as over standard input:\n{ours}\n{theirs}")
        for name in ("unix legacy", "tcp modern"):
            equal(clients[name].end(), b"", f"{name} ends with its input, nothing more is said")
        clients["http legacy"].end()
        equal(clients["http legacy"].open("POST", clients["http legacy"].request("ping", {})).status, 404, "a session that was ended")
        equal(clients["pipes legacy"].get("ping"), {}, "the others go on")
    # Standard input is still open: the signal ended it. Nothing but protocol was on standard output.
    equal(server.process.stdout.read(), b"", "standard output holds answers and nothing else")
    check(not socket_path.exists(), "the socket's file is gone with the server")

# Over standard input a no is a no, and who cannot be asked is told what to do instead.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    root.record("a.json")
    for answer, asked, message in ((DECLINE, 1, "not confirmed: nothing was written"), (NO, 1, "not confirmed: nothing was written"),
                                   (None, 0, "this wants a person's yes and the client cannot ask: nothing was written")):
        for era in (LEGACY, MODERN):
            with Server(root, stdio=True) as server:
                client = Lines.of(server.process, era, answer=answer)
                problem = client.problem("perf_baseline_accept", baseline="f/m", reason="r")
                equal((problem["code"], problem["message"], len(client.asked)), ("not_confirmed", message, asked), f"{era} {answer}")
    equal([p for p in published(root) if "/accepted/" in p], [], "nothing was written")

# A Unix socket is for its owner alone; a file left by a server that died is replaced, one in use and one that is no socket are not.
with Root() as root:
    path = root.path / "s.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    with Server(root, "--unix", path) as server:
        equal(stat.S_IMODE(path.stat().st_mode), 0o600, "mode of the socket")
        Lines.to(f"unix:{path}").get("tools/list")
        second = root.run("serve", "--unix", path, "--repo-root", root.path)
        equal((second.returncode, second.stdout), (3, ""), "the place is taken")
        check(str(path) in second.stderr, f"and the error names it: {second.stderr}")
        Lines.to(f"unix:{path}").get("tools/list")
        Lines.to(f"unix:{path}").value("search_evidence")
        [listed] = server.audited(1)
        equal((listed["who"], listed["how"], listed["tool"]), (str(os.getuid()), "uid", "search_evidence"), "the account is who called")
    check(not path.exists(), "the socket's file is gone")
    path.write_text("a file of somebody's")
    refused = root.run("serve", "--unix", path, "--repo-root", root.path)
    equal((refused.returncode, path.read_text()), (2, "a file of somebody's"), f"what is no socket stays: {refused.stderr}")

# What strangers send: each gets the right code, and the connection, if it can go on, goes on.
with Root() as root, Root() as elsewhere:
    elsewhere.write("secret.json", {"latency_ms": 1})
    with Server(root, "--unix", root.path / "s.sock", "--tcp", "127.0.0.1:0", "--audit-log", "off") as server:
        for address in (server.address("unix"), server.address("tcp")):
            client = Lines.to(address)
            before = peak(server)
            megabyte = b"x" * (1 << 20)
            client.writer.write(b'{"jsonrpc":"2.0","id":7,"method":"')
            for _ in range(100):
                client.writer.write(megabyte)
            client.writer.write(b'"}\n')
            client.writer.flush()
            refused = client.wait(None)["error"]
            equal(refused["code"], -32600, f"a line of 100 MB: {refused}")
            check("10485760" in refused["message"], f"names the bound: {refused}")
            equal(client.get("ping"), {}, "the next line is understood")
            check(peak(server) - before < 50 << 10, f"it was not kept in memory: {before} and {peak(server)} KiB")
        for line, code in ((b"[" * 10_000 + b"]" * 10_000, -32600), (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, -32600),
                           (b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"17", -32600),
                           (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600)):
            client = Lines.to(server.address("tcp"))
            client.writer.write(line + b"\n")
            client.writer.flush()
            equal(client.wait(None)["error"]["code"], code, line[:60])
            equal(client.get("ping"), {}, f"the connection goes on after {line[:60]}")
        # One byte at a time, line ends of Windows, blank lines.
        with connect(server.address("tcp")) as opened:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in b'\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n':
                opened.sendall(bytes([byte]))
            equal(json.loads(opened.makefile("rb").readline()), {"jsonrpc": "2.0", "id": 1, "result": {}}, "byte by byte")
        # Whoever leaves in the middle takes nobody along.
        for left in (b'{"jsonrpc":"2.0","id":1,"me', b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 50):
            with connect(server.address("unix")) as opened:
                opened.sendall(left)
        # Sockets are confined to the root, whatever the path looks like.
        client = Lines.to(server.address("unix"), MODERN)
        os.symlink(elsewhere.path, root.path / "link")
        os.symlink(elsewhere.path / "secret.json", root.path / "one.json")
        for path in (f"{elsewhere.path}/secret.json", f"../{elsewhere.path.name}/secret.json",
                     f"{root.path}/../{elsewhere.path.name}/secret.json",
                     "/etc/passwd", "/proc/self/root/etc/passwd", "/proc/self/environ", "./link/secret.json", "./one.json"):
            for tool, arguments in (("measurement_inspect", {"path": path}), ("bundle_verify", {"path": path}),
                                    ("perf_baseline_record", {"family": "f", "measurement": "m", "source": path}),
                                    ("perf_baseline_diff", {"baseline": path, "current": [path]}),
                                    ("profile_diff", {"baseline": path, "candidate": path})):
                problem = client.problem(tool, **arguments)
                equal(problem["code"], "path_not_allowed", f"{tool} of {path}: {problem}")
        equal(client.problem("perf_baseline_history", name="f/m", repo_root=str(elsewhere.path))["code"], "path_not_allowed", "another root")
        equal(published(root), [], "nothing was written")
        equal(published(elsewhere), [], "there neither")

finish()
