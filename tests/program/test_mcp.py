#!/usr/bin/env python3
"""The server as an agent meets it: the real program over pipes, every era, every form of a call, progress and cancellation."""
import hashlib
import json
import os
import pathlib
import re
import subprocess

try:
    import yaml
except ImportError:  # the front matter is then compared by its names alone
    yaml = None

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
CLAIM = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "array": list, "object": dict, "null": type(None)}


class Client:
    """One connection; answers are waited for by id, notifications are kept in the order they came."""

    def __init__(self, root, *arguments):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
        self.process = subprocess.Popen([PLUMBLINE, "serve", "--stdio", "--repo-root", str(root.path), *arguments], cwd=root.path,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.answers, self.notifications, self.next_id = {}, [], 0

    def send(self, *messages):
        self.process.stdin.write(b"".join(json.dumps(m).encode() + b"\n" for m in messages))
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the server ended: " + self.process.stderr.read().decode())
        message = json.loads(line)
        if "id" in message:
            check(message["id"] not in self.answers, f"one answer for {message['id']}")
            self.answers[message["id"]] = message
        else:
            self.notifications.append(message)

    def wait(self, identifier):
        while identifier not in self.answers:
            self.receive()
        return self.answers[identifier]

    def request(self, method, **params):
        self.next_id += 1
        return {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}

    def ask(self, method, **params):
        request = self.request(method, **params)
        self.send(request)
        return self.wait(request["id"])

    def initialize(self, version=LEGACY[-1]):
        result = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t", "version": "1"})["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, name, arguments, **meta):
        more = {"_meta": meta} if meta else {}
        return self.ask("tools/call", name=name, arguments=arguments, **more)["result"]

    def end(self):
        out, err = self.process.communicate()
        equal((out, err, self.process.returncode), (b"", b"", 0), "ends with its input, saying nothing more")


def fits(value, schema, what):
    """The part of JSON Schema that our listed output schemas use."""
    equal(set(schema), {"type", "properties"}, f"{what}: keywords of the listed schema")
    for name, kind in schema["properties"].items():
        if name not in value:
            continue
        wanted = kind.get("type", [])
        wanted = [wanted] if isinstance(wanted, str) else wanted
        right = not wanted or any(isinstance(value[name], TYPES[w]) for w in wanted)
        right = right and value[name] in kind.get("enum", [value[name]])
        check(right, f"{what}: {name} is {value[name]!r}, the schema says {kind}")


def same_text(result, what):
    equal(json.loads(result["content"][0]["text"]), result["structuredContent"], f"{what}: the text is the structured content")


# Every revision is answered with itself; one that nobody knows with our newest; a modern request needs no handshake.
with Root() as root:
    for version in LEGACY:
        client = Client(root)
        result = client.initialize(version)
        equal((result["protocolVersion"], result["serverInfo"]["name"]), (version, "plumbline"), "initialize")
        equal(len(client.ask("tools/list")["result"]["tools"]), 9, f"tools of {version}")
        client.end()
    client = Client(root)
    equal(client.initialize("1999-01-01")["protocolVersion"], LEGACY[-1], "an unknown revision")
    client.end()
    client = Client(root)
    found = client.ask("server/discover", _meta=CLAIM)["result"]
    equal((found["supportedVersions"], found["resultType"]), ([MODERN], "complete"), "discover")
    listed = client.ask("tools/list", _meta=CLAIM)["result"]
    equal((len(listed["tools"]), listed["resultType"]), (9, "complete"), "tools of the modern era")
    inspected = client.ask("tools/call", name="measurement_inspect", _meta=CLAIM,
                           arguments={"path": str(root.write("a.json", {"ttft_ms": 10}))})["result"]
    equal((inspected["isError"], inspected["resultType"]), (False, "complete"), "a modern call")
    refused = client.ask("tools/list", _meta=dict(CLAIM, **{"io.modelcontextprotocol/protocolVersion": "2027-01-01"}))
    equal(refused["error"]["code"], -32022, "a version to come")
    client.end()

# What every session pays for the list stays small: 4,000 tokens for all tools, 2,500 for the common ones, at four bytes a token.
with Root() as root:
    for flags, most, count in (((), 16_000, 9), (("--tools", "common"), 10_000, 5), (("--tools", "diff,search_evidence", "--read-only"), 5_000, 2)):
        client = Client(root, *flags)
        client.initialize()
        tools = client.ask("tools/list")["result"]["tools"]
        equal(len(tools), count, f"tools of {flags}")
        size = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())
        check(size <= most, f"the tools of {flags or 'all'} are {size} bytes")
        print(f"tools/list {flags or 'all'}: {size} bytes")
        for tool in tools:
            for name, property in tool["inputSchema"]["properties"].items():
                check(len(property.get("description", "")) >= 8, f"{tool['name']}: {name} is not described")
        client.end()
    said = root.run("serve", "--tools", "perf_baseline_dif")
    equal((said.returncode, said.stderr), (2, 'plumbline: error: --tools: there is no tool "perf_baseline_dif"\n'
                                              'hint: did you mean "perf_baseline_diff"?\n'), "a tool that there is not")
    client = Client(root)
    client.initialize()
    tools = client.ask("tools/list")["result"]["tools"]
    for tool in tools:
        pays = len(tool["description"]) + len(json.dumps(tool["inputSchema"], separators=(",", ":")))
        check(pays <= 2400, f"{tool['name']}: description and input schema are {pays} bytes")
        output = len(json.dumps(tool["outputSchema"], separators=(",", ":")))
        check(output <= 2048, f"{tool['name']}: output schema of {output} bytes")
        equal(sorted(tool["annotations"]), ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"], tool["name"])
    client.end()

# Skills over MCP: every entry says what is read, byte for byte, and its front matter is the file's.
with Root() as root:
    client = Client(root)
    capabilities = client.ask("server/discover", _meta=CLAIM)["result"]["capabilities"]
    check("io.modelcontextprotocol/skills" in capabilities["extensions"], f"the extension is declared: {capabilities}")
    listed = client.ask("skills/list", _meta=CLAIM)["result"]
    equal((listed["resultType"], listed["ttlMs"] > 0, listed["cacheScope"]), ("complete", True, "public"), "skills/list")
    names = sorted(path.parent.name for path in (SOURCE / "skills").glob("*/SKILL.md"))
    equal(sorted(skill["frontmatter"]["name"] for skill in listed["skills"]), names, "the skills")
    for skill in listed["skills"]:
        name = skill["frontmatter"]["name"]
        equal(skill["uri"], f"skill://{name}/SKILL.md", "its URI")
        equal(client.ask("skills/get", uri=skill["uri"], _meta=CLAIM)["result"]["skill"], skill, "skills/get says the same")
        read = client.ask("resources/read", uri=skill["uri"], _meta=CLAIM)["result"]["contents"]
        equal([(c["uri"], c["mimeType"]) for c in read], [(skill["uri"], "text/markdown")], "what is read")
        text = read[0]["text"].encode()
        equal(text, (SOURCE / "skills" / name / "SKILL.md").read_bytes(), "is the file")
        equal(skill["resources"], [{"uri": skill["uri"], "digest": "sha256:" + hashlib.sha256(text).hexdigest(), "size": len(text)}],
              "with its digest and size")
        if yaml is not None:
            equal(skill["frontmatter"], yaml.safe_load(text.split(b"---\n")[1]), "and its front matter")
    for wrong in ("skill://nothing/SKILL.md", "skill://../SKILL.md", "skill:///SKILL.md", "skill://profile-diff/README.md"):
        equal(client.ask("skills/get", uri=wrong, _meta=CLAIM)["error"]["code"], -32602, wrong)
        equal(client.ask("resources/read", uri=wrong, _meta=CLAIM)["error"]["code"], -32602, wrong)
    client.end()

# A page beside the results of what compares, for clients that show pages.
with Root() as root:
    client = Client(root)
    shows = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
    for capabilities, wanted in ((shows, 3), ({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/x"]}}}, 0), ({}, 0)):
        claim = dict(CLAIM, **{"io.modelcontextprotocol/clientCapabilities": capabilities})
        tools = client.ask("tools/list", _meta=claim)["result"]["tools"]
        pages = {tool["_meta"]["ui"]["resourceUri"] for tool in tools if "_meta" in tool}
        equal((sum("_meta" in tool for tool in tools), pages <= {"ui://plumbline/comparison"}), (wanted, True), f"{capabilities}")
    page = client.ask("resources/read", uri="ui://plumbline/comparison", _meta=CLAIM)["result"]["contents"][0]
    equal((page["mimeType"], page["_meta"], page["text"][:15]), ("text/html;profile=mcp-app", {"ui": {"prefersBorder": True}}, "<!doctype html>"), "the page")
    check(not re.search(r"https?://|innerHTML|eval\(|src=", page["text"]), "it loads nothing, and takes nothing for markup")
    client.end()

# record and diff, typed.
with Root() as root:
    client = Client(root)
    client.initialize()
    schemas = {tool["name"]: tool["outputSchema"] for tool in client.ask("tools/list")["result"]["tools"]}
    before = root.write("before.json", {"ttft_ms": 10.0, "tokens_per_s": 100.0})
    recorded = client.call("perf_baseline_record", {"family": "f", "measurement": "m", "source": "before.json", "label": "first"})
    equal(recorded["isError"], False, f"record: {recorded}")
    entry = recorded["structuredContent"]
    fits(entry, schemas["perf_baseline_record"], "record")
    same_text(recorded, "record")
    check(pathlib.Path(entry["entry_dir"], "baseline.json").is_file(), "the entry is there")
    root.write("slow.json", {"ttft_ms": 20.0, "tokens_per_s": 100.0})
    compared = client.call("perf_baseline_diff", {"baseline": "f/m", "current": ["slow.json"], "headline": ["ttft_ms"],
                                                  "tolerance_percent": 5})
    equal(compared["isError"], False, f"diff: {compared}")
    result = compared["structuredContent"]
    fits(result, schemas["perf_baseline_diff"], "diff")
    same_text(compared, "diff")
    equal((result["verdict"], result["top"][0]["key"]), ("RED", "ttft_ms"), "a headline that doubled")
    check(pathlib.Path(result["diff_dir"], "diff.json").is_file(), "the bundle is there")
    links = [part for part in compared["content"] if part["type"] == "resource_link"]
    check({"diff.md", "deltas.jsonl"} <= {link["name"] for link in links}, f"links to the bundle: {links}")
    for link in links:
        place = "plumbline://diffs/f/m/" + pathlib.Path(result["diff_dir"]).name
        equal(link["uri"], f"{place}/{link['name']}", "files of the bundle are resources")
        path = pathlib.Path(result["diff_dir"], link["name"])
        equal(path.stat().st_size, link["size"], link["name"])
        read = client.ask("resources/read", uri=link["uri"])["result"]["contents"][0]
        equal(path.read_text().startswith(read["text"]), True, f"{link['name']} reads as it is")
    verified = client.call("bundle_verify", {"path": result["diff_dir"]})["structuredContent"]
    equal(verified["ok"], True, "the bundle verifies")
    fits(verified, schemas["bundle_verify"], "verify")
    history = client.call("perf_baseline_history", {"name": "f/m"})["structuredContent"]
    equal(len(history["entries"]), 1, "history")
    fits(history, schemas["perf_baseline_history"], "history")
    fits(client.call("search_evidence", {"query": "first"})["structuredContent"], schemas["search_evidence"], "search")
    fits(client.call("measurement_inspect", {"path": str(before)})["structuredContent"], schemas["measurement_inspect"], "inspect")

    # The reference tool's two forms give its envelope, which the same schema holds.
    words = ["--baseline", "f/m", "--current", "slow.json", "--headline", "ttft_ms"]
    for form in ({"args": words}, {"params": {"args": words}}):
        answered = client.call("perf_baseline_diff", form)
        equal(answered["isError"], False, f"{form}: {answered}")
        envelope = answered["structuredContent"]
        equal(sorted(envelope), ["ack_field", "ack_required", "args", "json", "library", "returncode", "safety", "stderr", "stdout",
                                 "tool", "verb"], "the envelope")
        equal((envelope["tool"], envelope["library"], envelope["verb"], envelope["args"]),
              ("perf_baseline_diff", "perf_baseline", "diff", words + ["--json"]), "who was called")
        equal((envelope["returncode"], envelope["json"]["verdict"]), (0, "RED"), "a verdict is no failure")
        equal(json.loads(envelope["stdout"]), envelope["json"], "stdout is the document")
        fits(envelope, schemas["perf_baseline_diff"], "envelope")
        same_text(answered, "envelope")
    gated = client.call("perf_baseline_diff", {"args": words + ["--fail-on", "red"]})
    equal(gated["isError"], True, "a gate that trips is an error")
    gated = client.call("perf_baseline_diff", {"params": {"args": words + ["--fail-on", "red"], "allow_nonzero": True}})
    equal((gated["isError"], gated["structuredContent"]["returncode"]), (False, 1), "unless it may fail")

    # What is wrong is said to the model; what breaks the protocol to the client.
    wrong = client.call("perf_baseline_diff", {"baseline": "f/m", "current": ["absent.json"]})
    equal((wrong["isError"], json.loads(wrong["content"][0]["text"])["code"]), (True, "not_found"), "an absent file")
    wrong = client.call("perf_baseline_diff", {"baseline": "f/m", "current": ["slow.json"], "tolerance_percnt": 5})
    check("tolerance_percent" in wrong["content"][0]["text"], f"the nearest parameter: {wrong}")
    check("perf_baseline_diff" in client.ask("tools/call", name="perf_baseline_dif", arguments={})["error"]["message"], "nearest tool")
    equal(client.ask("tools/nothing")["error"]["code"], -32601, "an unknown method")
    client.end()

# A server that only reads lists nothing that must write, and refuses it (test_readers.py has the rest); one confined to a folder refuses paths outside.
with Root() as root, Root() as other:
    client = Client(root, "--read-only", "--allow-root", str(root.path))
    client.initialize()
    check(all(t["annotations"]["readOnlyHint"] for t in client.ask("tools/list")["result"]["tools"]), "only readers are listed")
    check("--read-only" in client.call("perf_baseline_record", {"family": "f"})["content"][0]["text"], "a writer is refused")
    outside = client.call("measurement_inspect", {"path": str(other.write("a.json", {"ttft_ms": 1}))})
    equal(json.loads(outside["content"][0]["text"])["code"], "path_not_allowed", "a path outside")
    client.end()

# A large diff reports progress to who asked for it; a cancelled one is never answered and publishes nothing.
with Root() as root:
    def many(factor):
        return {f"case_{i}": {"latency_ms": (i % 97 + 1) * factor} for i in range(100_000)}

    root.write("a.json", many(1.0))
    root.write("b.json", many(1.01))
    client = Client(root)
    client.initialize()
    arguments = {"baseline": "a.json", "current": ["b.json"]}
    small = root.write("small.json", {"ttft_ms": 1.0})
    # A cancel can come too late on a busy machine, and then the answer stands: of several attempts one at least is in time,
    # and what was answered is what was published.
    cancelled = []
    for attempt in range(20):
        token = f"t{attempt}"
        request = client.request("tools/call", name="perf_baseline_diff", arguments=arguments, _meta={"progressToken": token})
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"], "reason": "enough"}}
        if attempt % 2 == 0:
            client.send(request, cancel)
        else:
            client.send(request)
            while request["id"] not in client.answers and not any(n["params"]["progressToken"] == token for n in client.notifications):
                client.receive()
            client.send(cancel)
        equal(client.ask("ping")["result"], {}, "a ping is answered meanwhile")
        heard = len(client.notifications)
        answered = client.call("measurement_inspect", {"path": str(small)}, progressToken=8)
        equal(answered["isError"], False, "the next call")
        if request["id"] in client.answers:
            continue
        late = [n for n in client.notifications[heard:] if n["params"]["progressToken"] == token]
        check(not late, f"no progress of what was cancelled: {late}")
        cancelled.append((request["id"], attempt % 2))
        if {kind for _, kind in cancelled} == {0, 1}:
            break
    client.end()
    check({kind for _, kind in cancelled} == {0, 1}, f"cancelled at once and under way: {cancelled}")
    check(all(number not in client.answers for number, _ in cancelled), "no answer for what was cancelled")
    published = [a for a in client.answers.values() if "structuredContent" in a.get("result", {}) and "diff_dir" in a["result"]["structuredContent"]]
    bundles = list((root.path / "experiments").glob("artifacts/perf-baseline-diffs/*/*/*/SHA256SUMS"))
    equal(len(bundles), len(published), "what was answered was published, and nothing else")
    left = [str(p.relative_to(root.path)) for p in (root.path / "experiments").rglob(".tmp-*")]
    equal(left, [], "nothing half written is left")

    client = Client(root)
    client.initialize()
    result = client.call("perf_baseline_diff", arguments, progressToken="whole")
    equal(result["structuredContent"]["counts"]["compared"], 100_000, "the whole diff")
    steps = [n["params"]["progress"] for n in client.notifications]
    check(steps and steps == sorted(set(steps)) and steps[-1] <= 1, f"progress only grows: {steps}")
    heard = len(client.notifications)
    client.call("perf_baseline_diff", arguments)
    equal(len(client.notifications), heard, "no progress for who gave no token")
    client.end()

finish()
