#!/usr/bin/env python3
"""Streamable HTTP as clients meet it, in both eras: what a person is asked before something is written, long calls as tasks, being
told of what is new, and what strangers send."""
import json
import os
import re

from harness import SOURCE, Root, check, equal, finish
from serving import DECLINE, LEGACY, MODERN, NO, PREFIX, YES, Http, Lines, Server, Stream, published, raw

TASKS = PREFIX + "tasks"
QUIET = ("--audit-log", "off")
ALICE, BOB = "alice-alice-alice-alice", "bob-bob-bob-bob-bob"
TOKENS = f"alice {ALICE}\nbob {BOB}\n"


def confirmation(root, url):
    """The one pause: accepting a baseline asks a person, whoever carries the question."""
    root.write("a.json", {"latency_ms": 1})
    entry = root.record("a.json")
    accepted = root.path / "experiments/artifacts/perf-baselines/f/m/accepted"
    arguments = {"baseline": "f/m", "reason": "reviewed"}
    alice = Http(url, MODERN, YES, token=ALICE)
    bob = Http(url, MODERN, YES, token=BOB)

    def again(client, state, answers, **changed):
        return client.ask("tools/call", name="perf_baseline_accept", arguments=dict(arguments, **changed), requestState=state,
                          inputResponses=answers)

    question = alice.get("tools/call", name="perf_baseline_accept", arguments=arguments)
    equal((question["resultType"], len(question["inputRequests"])), ("input_required", 1), "a modern client is asked")
    [(key, asked)] = question["inputRequests"].items()
    equal(key.startswith("confirm-"), True, "each question has a key of its own")
    equal((asked["method"], asked["params"]["requestedSchema"]["required"]), ("elicitation/create", ["confirm"]), "by a form with one field")
    check(entry["slug"] in asked["params"]["message"] and "reviewed" in asked["params"]["message"], f"that says what it is about: {asked}")
    state = question["requestState"]
    middle = len(state) // 2
    edited = state[:middle] + ("A" if state[middle] != "A" else "B") + state[middle + 1:]
    for what, refused in {"edited": again(alice, edited, {key: YES}), "cut": again(alice, state[:-4], {key: YES}),
                          "no state of ours": again(alice, "yes", {key: YES}), "not even text": again(alice, 7, {key: YES}),
                          "for another reason": again(alice, state, {key: YES}, reason="not reviewed"),
                          "for another entry": again(alice, state, {key: YES}, baseline="f/m@newest"),
                          "by somebody else": again(bob, state, {key: YES})}.items():
        equal(refused.get("error", {}).get("code"), -32602, f"state {what}: {refused}")
        check("requestState" in refused["error"]["message"], f"state {what}: the error says so: {refused}")
    other_tool = alice.ask("tools/call", name="perf_baseline_record", arguments={"family": "f", "measurement": "m", "source": "a.json"},
                           requestState=state, inputResponses={key: YES})
    equal(other_tool.get("error", {}).get("code"), -32602, f"state of another tool: {other_tool}")
    for what, answers in {"none": {}, "of another question": {"other": YES}, "not an answer": {key: "yes"},
                          "without its field": {key: {"action": "accept", "content": {}}},
                          "of the wrong type": {key: {"action": "accept", "content": {"confirm": "yes"}}}}.items():
        equal(again(alice, state, answers)["result"]["resultType"], "input_required", f"an answer {what} is no answer: asked again")
    for what, answer in {"declined": DECLINE, "cancelled": {"action": "cancel"}, "no": NO}.items():
        said = again(alice, state, {key: answer})["result"]
        told = json.loads(said["content"][0]["text"])
        equal((said["isError"], told["code"], told["message"]), (True, "not_confirmed", "not confirmed: nothing was written"), what)
    equal(accepted.exists(), False, "nothing was accepted so far")
    done = again(alice, state, {key: YES, "ignored": YES})["result"]
    equal((done["isError"], done["structuredContent"]["seq"]), (False, 1), f"yes: {done}")
    repeated = again(alice, state, {key: YES})["result"]
    equal([w["code"] for w in repeated["structuredContent"]["warnings"]][:1], ["already_accepted"], "the same yes again writes nothing more")
    equal(len([p for p in accepted.iterdir() if p.suffix == ".json"]), 1, "one acceptance")

    # Legacy clients are asked in the middle of the call; those that cannot be asked are told what to do.
    for what, make in {"HTTP": lambda answer: Http(url, LEGACY, answer, token=BOB),
                       "HTTP, event streams only": lambda answer: Http(url, LEGACY, answer, token=BOB,
                                                                       headers={"Accept": "text/event-stream"})}.items():
        client = make(DECLINE)
        equal(client.problem("perf_baseline_accept", baseline="f/m", reason=what)["code"], "not_confirmed", f"declined over {what}")
        equal(len(client.asked), 1, f"asked once over {what}")
        client = make(YES)
        equal(client.value("perf_baseline_accept", baseline="f/m", reason=what)["reason"], what, f"accepted over {what}")
    before = published(root)
    for client in (Http(url, LEGACY, token=BOB), Http(url, MODERN, token=BOB)):
        problem = client.problem("perf_baseline_accept", baseline="f/m", reason="nobody asked")
        equal((problem["code"], problem["message"]),
              ("not_confirmed", "this wants a person's yes and the client cannot ask: nothing was written"), client.era)
        check(problem["hint"].startswith("ask the person who is responsible for these baselines") and
              'Only after their yes, repeat the call with confirm: "no"' in problem["hint"], f"the hint asks a person: {problem}")
        for tool, arguments in {"perf_baseline_record": {"family": "f", "measurement": "m", "source": "a.json"},
                                "perf_baseline_diff": {"baseline": "f/m", "current": ["a.json"]}}.items():
            equal(client.problem(tool, confirm="ask", **arguments)["code"], "not_confirmed", f"{tool} asks when it is told to")
    equal(published(root), before, "nothing was written")


def tasks(root, url):
    """A diff that takes long becomes a task, for clients that know tasks: it can be looked at, awaited and cancelled. Gives the
    directories of the bundles that were answered."""
    root.write("big.json", {f"case_{i}": {"latency_ms": i % 97 + 1} for i in range(50_000)})
    root.write("trial.json", {f"case_{i}": {"latency_ms": i % 89 + 1} for i in range(50_000)})
    client = Http(url, MODERN, capabilities={"extensions": {TASKS: {}}}, token=ALICE)
    trials, answered = [], []

    def more():
        for number in range(len(trials), max(40, 2 * len(trials))):
            trials.append(f"trial-{number}.json")
            os.link(root.path / "trial.json", root.path / trials[-1])

    def begin():
        """More trials until this machine takes long enough."""
        while True:
            result = client.get("tools/call", name="perf_baseline_diff", arguments={"baseline": "big.json", "current": trials})
            if result["resultType"] == "task":
                return result["taskId"], result["status"]
            equal(result["isError"], False, f"{len(trials)} trials: {result['content'][0]}")
            answered.append(result["structuredContent"]["diff_dir"])
            more()

    more()
    task, status = begin()
    equal(status, "working", "the task that a call became")
    stream = Stream(client, client.post(client.request("subscriptions/listen", {"notifications": {"taskIds": [task]}})))
    equal(stream.next()["params"]["notifications"], {"taskIds": [task]}, "its changes are told")
    seen = client.get("tasks/get", taskId=task)
    if seen["status"] == "working":
        seen = stream.next()["params"]
    equal((seen["taskId"], seen["status"]), (task, "completed"), "it ends")
    ended = client.get("tasks/get", taskId=task)
    equal((ended["status"], ended["result"]["isError"]), ("completed", False), "and keeps its result")
    answered.append(ended["result"]["structuredContent"]["diff_dir"])
    equal(client.get("tasks/cancel", taskId=task)["resultType"], "complete", "cancelling what has ended is no error")
    equal(client.get("tasks/get", taskId=task)["status"], "completed", "and changes nothing")

    while True:
        more()  # so that plenty is left to do when it is cancelled
        task, _ = begin()
        for other, code in ((Http(url, MODERN, capabilities={"extensions": {TASKS: {}}}, token=BOB), -32602),
                            (Http(url, MODERN, token=ALICE), -32021)):
            for method in ("tasks/get", "tasks/cancel"):
                equal(other.ask(method, taskId=task)["error"]["code"], code, f"{method} by somebody else, or without the extension")
        equal(client.get("tasks/cancel", taskId=task)["resultType"], "complete", "cancelled")
        ended = client.get("tasks/get", taskId=task)
        if ended["status"] != "completed":
            break
        answered.append(ended["result"]["structuredContent"]["diff_dir"])  # it was too late
    equal((ended["status"], "result" in ended), ("cancelled", False), "a cancelled task has no result")
    return answered


def subscriptions(root, server, flags):
    """Another process records: whoever listens for the newest entry hears of it."""
    uri = "plumbline://baselines/f/new/newest"
    updated = {"jsonrpc": "2.0", "method": "notifications/resources/updated"}
    listen = {"notifications": {"resourceSubscriptions": [uri, "plumbline://nothing"]}}
    root.write("n.json", {"latency_ms": 1})
    modern = Http(server.url, MODERN, **flags)
    stream = Stream(modern, modern.post(modern.request("subscriptions/listen", listen)))
    acknowledged = stream.next()
    equal((acknowledged["method"], acknowledged["params"]["notifications"]),
          ("notifications/subscriptions/acknowledged", {"resourceSubscriptions": [uri]}),
          "what can be watched is acknowledged, the rest left out")
    subscription = acknowledged["params"]["_meta"]
    legacy = Http(server.url, LEGACY, **flags)
    equal(legacy.get("resources/subscribe", uri=uri), {}, "subscribed")
    equal(legacy.ask("resources/subscribe", uri="plumbline://nothing")["error"]["code"], -32002, "what cannot be watched")
    listening = Stream(legacy, legacy.open("GET", headers={"Accept": "text/event-stream"}))
    lines = Lines.to(server.address("unix"))
    lines.get("resources/subscribe", uri=uri)
    modern_lines = Lines.to(server.address("unix"), MODERN)
    modern_lines.send(modern_lines.request("subscriptions/listen", listen))
    modern_lines.wait_heard("notifications/subscriptions/acknowledged")

    recorded = root.record("n.json", measurement="new")
    equal(stream.next(), dict(updated, params={"uri": uri, "_meta": subscription}), "a modern listener hears")
    equal(listening.next(), dict(updated, params={"uri": uri}), "a legacy session hears")
    equal(lines.wait_heard("notifications/resources/updated")["params"], {"uri": uri}, "a legacy socket hears")
    equal(modern_lines.wait_heard("notifications/resources/updated")["params"]["uri"], uri, "a modern socket hears")
    [entry] = modern.get("resources/read", uri=uri)["contents"]
    equal(entry["_meta"]["plumbline/resolved"], uri.replace("newest", recorded["slug"]), "and reads what is new")
    lines.get("resources/unsubscribe", uri=uri)
    heard = len(lines.heard)
    modern.value("perf_baseline_record", family="f", measurement="new", source="n.json")
    equal(stream.next()["method"], "notifications/resources/updated", "a record of this server's is told too")
    equal((lines.get("ping"), len(lines.heard)), ({}, heard), "not to those who no longer want to know")
    legacy.end()


# All of it with two people known by their tokens.
with Root() as root:
    token_file = root.write("tokens", TOKENS)
    token_file.chmod(0o600)
    with Server(root, "--http", "127.0.0.1:0", "--unix", root.path / "s.sock", "--token-file", token_file, *QUIET) as server:
        confirmation(root, server.url)
        subscriptions(root, server, {"token": ALICE})
        answered = tasks(root, server.url)
    bundles = [str(p.parent) for p in (root.path / "experiments/artifacts/perf-baseline-diffs/adhoc").rglob("SHA256SUMS")]
    equal(sorted(bundles), sorted(answered), "what was answered is published; the cancelled task published nothing")
    equal([p for p in published(root) if ".tmp" in p], [], "nothing half written is left")

# What is malformed is answered with what is wrong, once, and the connection ends with it.
with Root() as root, Root() as elsewhere:
    elsewhere.write("secret.json", {"latency_ms": 1})
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        url, host = server.url, f"Host: 127.0.0.1:{server.port}\r\n".encode()
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        head = b"POST /mcp HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        smuggled = b"POST /mcp HTTP/1.1\r\nHost: evil\r\n\r\n"
        for what, status, request in (
                ("Content-Length and Transfer-Encoding", 400,
                 head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled),
                ("two lengths", 400, head + b"Content-Length: 40\r\nContent-Length: 4\r\n\r\n" + ping),
                ("two lengths in one line", 400, head + b"Content-Length: 40, 4\r\n\r\n" + ping),
                ("a length with a sign", 400, head + b"Content-Length: +40\r\n\r\n" + ping),
                ("an unknown coding", 501, head + b"Transfer-Encoding: xchunked\r\n\r\n" + ping),
                ("chunked twice", 501, head + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
                ("a bare line feed", 400, head.replace(b"\r\n", b"\n") + b"Content-Length: 40\n\n" + ping),
                ("a bare carriage return", 400, head + b"X: a\rb\r\nContent-Length: 40\r\n\r\n" + ping),
                ("a folded header", 400, head + b"X: a\r\n b\r\nContent-Length: 40\r\n\r\n" + ping),
                ("white space before the colon", 400, head + b"Content-Length : 40\r\n\r\n" + ping),
                ("no Host", 400, b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
                ("two Hosts", 400, b"POST /mcp HTTP/1.1\r\n" + host + b"Host: evil\r\nContent-Length: 0\r\n\r\n"),
                ("a control character", 400, head + b"X: \x01\r\n\r\n"),
                ("an absolute target with a name before the host", 400, b"POST http://ada@127.0.0.1/mcp HTTP/1.1\r\n" + host + b"\r\n"),
                ("an absolute target of another host, whatever Host says", 403,
                 b"POST http://evil/mcp HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"),
                ("a head without end", 431, head + b"X: " + b"x" * (1 << 20)),
                ("too many headers", 431, head + b"X: x\r\n" * 100 + b"\r\n"),
                ("a target without end", 414, b"GET /" + b"x" * 10_000 + b" HTTP/1.1\r\n" + host + b"\r\n"),
                ("HTTP/1.0", 505, b"GET /mcp HTTP/1.0\r\n\r\n"), ("no HTTP at all", 400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
                ("a body beyond the bound", 413, head + b"Content-Length: 104857600\r\n\r\n"),
                ("chunks beyond the bound", 413,
                 head + b"Transfer-Encoding: chunked\r\n\r\n" + (b"100000\r\n" + b" " * (1 << 20) + b"\r\n") * 11),
                ("a malformed chunk", 400, head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n")):
            got = raw(url, request)
            equal(got.split(b"\r\n")[0].split(b" ")[1:2], [str(status).encode()], f"{what}: {got[:200]}")
            equal((b"\r\n" + got).count(b"\nHTTP/1.1 "), 1, f"{what}: one answer, the rest is not read as a request: {got[:400]}")
        for what, body, code in (("10,000 deep arrays", b"[" * 10_000 + b"]" * 10_000, -32600),
                                 ("10,000 deep objects", b'{"a":' * 10_000 + b"1" + b"}" * 10_000, -32600), ("no JSON", b"{", -32700),
                                 ("no UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700), ("no message", b"17", -32600)):
            got = raw(url, head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            equal((got.split(b" ")[1], json.loads(got.split(b"\r\n\r\n", 1)[1])["error"]["code"]), (b"400", code), what)
        # Byte by byte, and three requests in one piece: an answer each, in order.
        got = raw(url, *[bytes([b]) for b in b"GET /healthz HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"])
        check(got.endswith(b"\r\n\r\nok\n"), f"byte by byte: {got}")
        health = b"GET /healthz HTTP/1.1\r\n" + host
        got = raw(url, (health + b"\r\n") * 2 + health + b"Connection: close\r\n\r\n")
        equal(got.count(b"HTTP/1.1 200"), 3, f"three requests in one piece: {got}")

        # No name of a file leads out of the root, in a tool or in a URI.
        os.symlink(elsewhere.path, root.path / "link")
        os.symlink(elsewhere.path / "secret.json", root.path / "one.json")
        client = Http(url, MODERN)
        for path in (f"{elsewhere.path}/secret.json", f"../{elsewhere.path.name}/secret.json", "/etc/passwd",
                     "/proc/self/root/etc/passwd", "/proc/self/cwd/../secret.json", "./link/secret.json", "./one.json"):
            for tool, arguments in (("measurement_inspect", {"path": path}), ("bundle_verify", {"path": path}),
                                    ("perf_baseline_diff", {"baseline": path, "current": [path]}),
                                    ("perf_baseline_record", {"family": "f", "measurement": "m", "source": path}),
                                    ("profile_diff", {"baseline": path, "candidate": path})):
                equal(client.problem(tool, **arguments)["code"], "path_not_allowed", f"{tool} of {path}")
            envelope = client.call("perf_baseline_diff", args=["--baseline", path, "--current", path])
            check(envelope["isError"] and "is outside the allowed roots" in envelope["content"][0]["text"], f"the older form: {envelope}")
        root.write("a.json", {"latency_ms": 1})
        slug = root.record("a.json")["slug"]
        entry = root.path / "experiments/artifacts/perf-baselines/f/m" / slug
        (entry / "attest").mkdir()
        os.symlink(elsewhere.path / "secret.json", entry / "attest/escape.json")
        os.symlink(elsewhere.path, root.path / "experiments/artifacts/perf-baselines/escape")
        held = published(root)
        of_entry = f"plumbline://baselines/f/m/{slug}"
        for uri in (f"{of_entry}/../../../../../../one.json", f"{of_entry}/%2e%2e/{slug}/baseline.json", f"{of_entry}/%2e%2e%2f{slug}",
                    f"{of_entry}/%252e%252e/x", f"{of_entry}//etc/passwd", f"{of_entry}/%2fetc%2fpasswd", f"{of_entry}/baseline.json%00.md",
                    "plumbline://baselines/../../etc/passwd", f"plumbline://baselines/f/%2e%2e/{slug}", "plumbline://baselines/f/m/..",
                    "plumbline://baselines/escape/m/newest", "plumbline://schemas/../../etc/passwd", "plumbline://schemas/%2e%2e%2fx",
                    "plumbline:///etc/passwd", "file:///etc/passwd", f"file://{elsewhere.path}/secret.json", "plumbline://proc/self/environ"):
            refused = client.ask("resources/read", uri=uri)
            equal((refused.get("error", {}).get("code"), client.status), (-32602, 200), f"{uri}: {refused}")
            shown = json.dumps(refused)
            check("latency_ms" not in shown and "root:x:" not in shown, f"{uri}: nothing of it is shown: {refused}")
        damaged = client.ask("resources/read", uri=f"{of_entry}/attest/escape.json")["error"]
        equal((damaged["code"], damaged["data"]["code"]), (-32603, "provenance_mismatch"), "a link within an entry is damage")
        equal(json.loads(client.get("resources/read", uri=of_entry)["contents"][0]["text"])["family"], "f", "the entry itself can be read")
        equal(published(root), held, "nothing was written")
        equal(published(elsewhere), [], "there neither")
        for target in ("/mcp/", "/mcp/..", "/%2e%2e/etc/passwd", "/.well-known/oauth-protected-resource", "/healthz/"):
            equal(client.open("GET", path=target).status, 404, target)

        # For operators on this machine.
        counted, page = 'plumbline_tool_calls_total{tool="measurement_inspect",outcome="error"} 7', ""
        for _ in range(1000):  # a call is counted right after its answer went out
            page = client.open("GET", path="/metrics").read().decode()
            if counted in page:
                break
        for metric in (counted, "plumbline_sessions 0",
                       'plumbline_http_requests_total{method="POST",status="200"}'):
            check(metric in page, f"{metric} in\n{page}")
        documented = set(re.findall(r"plumbline_\w+", (SOURCE / "docs/server.md").read_text()))
        equal(sorted(re.findall(r"^# TYPE (\S+)", page, re.MULTILINE)), sorted(documented), "docs/server.md names the metrics there are")
        equal(client.open("GET", path="/metrics", headers={"X-Forwarded-For": "10.0.0.1"}).status, 404, "not through a proxy")

finish()
