#!/usr/bin/env python3
"""`serve --allow-run FILE`: clients have listed commands run by name, and nothing else. The tool is there only with the flag; what the file
must be; what a client may choose; one at a time; cancelling leaves nothing running; over standard input and HTTP."""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

from harness import PLUMBLINE, Root, check, equal, finish
from serving import BOUND, LEGACY, MODERN, Http, Lines, Server, environment

TOY = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"
TOKENS = "alice alice-alice-alice-alice\nreader reader-reader-reader read\n"


def listing(root, text, mode=0o600):
    path = root.write("run.yaml", text)
    path.chmod(mode)
    return path


def toys(root):
    return listing(root, f"""commands:
  - name: decode
    command: [{TOY}, --mean, "100", --cv, "0.01", --counter, {root.path}/calls]
  - name: slower
    command: [{TOY}, --mean, "130", --cv, "0.01", --counter, {root.path}/calls]
  - {{name: hang, command: [sh, -c, 'echo $$ > pid; sleep 1000 & sleep 1000'], timeout: 1h}}
  - {{name: writes, command: [sh, -c, 'echo "{{\\"latency_ms\\": 4}}" > result.json'], result: result.json, folder: inner}}
  - {{name: leaves, command: [{TOY}, --misbehave, leave]}}
""")


def refused(root, *flags):
    done = subprocess.run([PLUMBLINE, "serve", *map(str, flags)], cwd=root.path, env=environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    lines = done.stderr.splitlines()
    return done.returncode, lines[0].removeprefix("plumbline: error: "), lines[1].removeprefix("hint: ") if len(lines) > 1 else ""


def stdio(root, *flags, era=MODERN):
    process = subprocess.Popen([PLUMBLINE, "serve", "--stdio", "--repo-root", str(root.path), *map(str, flags)], cwd=root.path, env=environment(),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return process, Lines.of(process, era)


def gone(pid):
    """The process has ended; only a failure takes long."""
    for _ in range(BOUND * 20):
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(.05)
    return False


def appears(path):
    for _ in range(BOUND * 20):
        if path.exists() and path.read_text().strip():
            return path.read_text().strip()
        time.sleep(.05)
    raise AssertionError(f"{path} never came")


def children_of(group):
    return subprocess.run(["pgrep", "-g", str(group)], capture_output=True, text=True, check=False).stdout.split()


def children_of_process(pid):
    return subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()


def hostile_files():
    with Root() as root:
        good = "commands: [{name: a, command: [sh, -c, 'true']}]\n"
        path = root.path / "run.yaml"
        at = ("--repo-root", root.path, "--allow-run", path)
        needs = "{name: decode, command: [./bench, --quick]}"
        cases = [
            ("", f"{path}:1:1: the file is a map with the list `commands`", "commands: [{name: …, command: [PROGRAM, …]}]"),
            ("commands: []\n", f"{path}:1:11: `commands` is no list of commands", "name one at least, or leave out --allow-run"),
            (good + "shell: true\n", f'{path}:2:1: unknown word "shell"', "the file has the list `commands` and nothing else"),
            ("commands: [sh]\n", f"{path}:1:12: a command is a map", needs),
            ("commands: [{name: a, comand: [sh]}]\n", f'{path}:1:22: unknown word "comand" in a command', 'did you mean "command"?'),
            ("commands: [{name: a, name: b, command: [sh]}]\n", f'{path}:1:22: "name" is twice in a command', "keep one of them"),
            ("commands: [{name: 'a b', command: [sh]}]\n", f"{path}:1:12: a command without a right name",
             "a name has letters, digits, '.', '_' and '-', at most 64"),
            ("commands: [{name: a, command: 'sh -c true'}]\n", f"{path}:1:31: command is the program and its arguments, as a list",
             "command: [./bench, --quick]; a line of shell is [sh, -c, '…']"),
            ("commands: [{name: a, command: [no-such-program]}]\n", f'{path}:1:31: "no-such-program" is no program that can be run',
             "name one on PATH, or by its path; a relative one is taken from `folder`"),
            ("commands: [{name: a, command: [sh], timeout: soon}]\n", f'{path}:1:46: timeout "soon" is no time', "write 90s, 10m or 1h"),
            ("commands: [{name: a, command: [sh]}, {name: a, command: [sh]}]\n", f'{path}:1:38: the name "a" is there twice', "rename one"),
            ("commands: [{name: a, command: [sh], folder: absent}]\n", f'{path}:1:45: there is no folder {root.path}/absent', ""),
        ]
        for text, message, hint in cases:
            listing(root, text)
            equal(refused(root, "--stdio", *at), (2, message, hint), f"a list that is none: {text!r}")
        listing(root, good, 0o666)
        equal(refused(root, "--stdio", *at), (2, f"{path} can be changed by other accounts (mode 0666)", f"chmod go-w {path}"), "anybody's file")
        equal(refused(root, "--stdio", "--repo-root", root.path, "--allow-run", root.path), (2, f"{root.path} is not a regular file", ""), "a folder")
        equal(refused(root, "--stdio", "--repo-root", root.path, "--allow-run", root.path / "none"),
              (2, f"cannot read {root.path}/none: No such file or directory", ""), "no file")
        listing(root, good)
        equal(refused(root, "--stdio", "--read-only", *at), (2, "--allow-run runs and writes, and --read-only does neither", "give one of them"), "read-only")
        if os.geteuid() == 0:
            os.chown(path, 12345, 12345)
            equal(refused(root, "--stdio", *at), (2, f"{path} belongs to another account (user 12345)", "make a copy of your own, after reading it"), "of another")


def what_a_client_may_choose():
    with Root() as root:
        (root.path / "inner").mkdir()
        process, client = stdio(root)
        check("perf_run" not in [tool["name"] for tool in client.get("tools/list")["tools"]], "without the flag it is not listed")
        check("error" in client.ask("tools/call", name="perf_run", arguments={"command": "decode"}), "nor can it be called")
        client.end()
        process.wait(BOUND)
        process, client = stdio(root, "--allow-run", toys(root))
        tool = next(tool for tool in client.get("tools/list")["tools"] if tool["name"] == "perf_run")
        schema = tool["inputSchema"]
        equal((sorted(schema["properties"]), schema["properties"]["command"]["enum"], schema["additionalProperties"]),
              (["baseline", "command", "record", "runs"], ["decode", "slower", "hang", "writes", "leaves"], False), "its input")
        check(len(json.dumps(schema)) + len(tool["description"]) < 2048, "what every session pays")
        recorded = client.value("perf_run", command="decode", runs=5, record="llm/decode")
        equal((recorded["schema"], recorded["trials"]["ran"], recorded["record"]["measurement"]), ("plumbline.result.run.v1", 5, "decode"), "recorded")
        compared = client.value("perf_run", command="slower", runs="6", baseline="llm/decode")
        equal(compared["comparisons"][0]["result"]["verdict"], "RED", "compared")
        equal(client.value("perf_run", command="writes", runs=3)["sides"][0]["trials"], 3, "its result is a file in its folder")
        client.value("perf_run", command="leaves", runs=2)
        equal(children_of_process(process.pid), [], "what left the family was found and ended")
        words = "command, runs, baseline and record: everything else of a command is what the operator listed"
        root.write("elsewhere/m", "4")
        cases = [
            ({}, "not_found", "command is missing", "listed are: decode, slower, hang, writes and leaves"),
            ({"command": "decod"}, "not_found", 'no command "decod" is listed', 'did you mean "decode"?'),
            ({"command": "decode --mean 5"}, "not_found", 'no command "decode --mean 5" is listed', None),
            ({"command": "decode; touch smuggled"}, "not_found", 'no command "decode; touch smuggled" is listed', None),
            ({"command": ["decode", "--mean", "5"]}, "usage", "command must be a text", None),
            ({"command": "decode", "args": ["--", "touch", "smuggled"]}, "usage", 'unknown parameter "args"', words),
            ({"args": ["--", "touch", "smuggled"]}, "usage", 'unknown parameter "args"', words),
            ({"params": {"args": ["--", "touch", "smuggled"]}}, "usage", 'unknown parameter "params"', words),
            ({"command": "decode", "prepare": "touch smuggled"}, "usage", 'unknown parameter "prepare"', words),
            ({"command": "decode", "keep": "kept"}, "usage", 'unknown parameter "keep"', words),
            ({"command": "decode", "runs": "3 --prepare x"}, "usage", None, None),
            ({"command": "decode", "runs": 0}, "usage", None, None),
            ({"command": "decode", "baseline": "/etc/passwd"}, "usage", 'baseline "/etc/passwd" is no name of a measurement',
             "write FAMILY/MEASUREMENT, perhaps with @SLUG, @accepted or @newest; a path is not taken here"),
            ({"command": "decode", "baseline": "elsewhere/m"}, "not_found", None, None),
            ({"command": "decode", "record": "../../x"}, "usage", None, None),
        ]
        for arguments, code, message, hint in cases:
            problem = client.problem("perf_run", **arguments)
            equal(problem["code"], code, f"{arguments}: {problem}")
            if message is not None:
                equal(problem["message"], message, f"{arguments}")
            if hint is not None:
                equal(problem.get("hint", ""), hint, f"{arguments}")
        check(not (root.path / "smuggled").exists() and not (root.path / "kept").exists(), "nothing was smuggled in")
        client.end()
        equal(process.wait(BOUND), 0, "it ends with its input")


def cancelling(era):
    with Root() as root:
        (root.path / "inner").mkdir()
        process, client = stdio(root, "--allow-run", toys(root), era=era)
        request = client.request("tools/call", {"name": "perf_run", "arguments": {"command": "hang", "record": "llm/hang"}, "_meta": {"progressToken": "p"}})
        client.send(request)
        pid = appears(root.path / "pid")
        problem = client.problem("perf_run", command="decode")
        equal((problem["code"], problem["message"], problem["hint"]),
              ("limit_exceeded", '"hang" is running: commands run one at a time', "wait until it has ended, and call again"), "one at a time")
        client.notify("notifications/cancelled", requestId=request["id"], reason="enough")
        check(gone(pid), f"{era}: the command ended when it was cancelled")
        equal(children_of(pid), [], "and what it had started")
        for _ in range(BOUND * 20):  # its turn is given back when its trials' files are gone
            result = client.call("perf_run", command="decode", runs=3)
            if not result["isError"]:
                break
            time.sleep(.05)
        equal(result["structuredContent"]["trials"]["ran"], 3, "another has its turn")
        check(not list(root.path.glob("experiments/**/hang")), "nothing was recorded")
        (root.path / "pid").unlink()
        client.send(client.request("tools/call", {"name": "perf_run", "arguments": {"command": "hang"}}))
        pid = appears(root.path / "pid")
        process.stdin.close()
        process.wait(BOUND)
        check(gone(pid) and not children_of(pid), "nothing outlives the server")


def abandoned(client, request):
    """A request whose answer never comes."""
    try:
        client.post(request).read()
    except (OSError, http.client.HTTPException):
        pass


def over_http():
    with Root() as root:
        (root.path / "inner").mkdir()
        tokens = root.write("tokens", TOKENS)
        tokens.chmod(0o600)
        with Server(root, "--http", "127.0.0.1:0", "--token-file", tokens, "--allow-run", toys(root), "--drain", "1", "--audit-log", "off") as server:
            client = Http(server.url, LEGACY, token="alice-alice-alice-alice")
            # Scratch folders lie outside of the root, to which paths are confined here.
            recorded = client.value("perf_run", command="decode", runs=4, record="llm/decode")
            equal(recorded["trials"]["ran"], 4, "recorded over HTTP")
            compared = client.value("perf_run", command="decode", runs="auto", baseline="llm/decode")["comparisons"][0]["result"]
            check(compared["verdict"] != "RED", f"{compared['verdict']}")
            reader = Http(server.url, LEGACY, token="reader-reader-reader")
            answered = reader.ask("tools/call", name="perf_run", arguments={"command": "decode"})
            check("error" in answered, f"who may only read may not: {answered}")
            progress = Http(server.url, MODERN, token="alice-alice-alice-alice")
            progress.exchange(progress.request("tools/call", {"name": "perf_run", "arguments": {"command": "decode", "runs": 8}, "_meta": {"progressToken": "p"}}))
            told = [m["params"]["message"] for m in progress.heard if m["method"] == "notifications/progress"]
            check(any(message.startswith("trial ") for message in told), f"progress: {told}")
            threading.Thread(target=abandoned, args=(client, client.request("tools/call", {"name": "perf_run", "arguments": {"command": "hang"}})), daemon=True).start()
            pid = appears(root.path / "pid")
            server.process.send_signal(signal.SIGTERM)
        check(gone(pid) and not children_of(pid), "nothing outlives the server")


for part in (hostile_files, what_a_client_may_choose, lambda: cancelling(MODERN), lambda: cancelling(LEGACY), over_http):
    part()
finish()
