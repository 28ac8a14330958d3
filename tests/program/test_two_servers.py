#!/usr/bin/env python3
"""Several servers behind one address: what one of them asked, another takes the answer to, also after a restart, when they share a
secret, and only then. Nothing is promised that only one of them could keep."""
import subprocess

from harness import PLUMBLINE, Root, check, equal, finish
from serving import MODERN, PREFIX, YES, Http, Server, environment

QUIET = ("--audit-log", "off")
ARGUMENTS = {"baseline": "f/m", "reason": "reviewed"}


def key_file(root, name, content="0123456789abcdef" * 4, mode=0o600):
    path = root.write(name, content)
    path.chmod(mode)
    return path


def serving(root, *flags):
    return Server(root, "--http", "127.0.0.1:0", *QUIET, *flags)


def answered(root, asking, answering):
    """What the second server says to the answer to the first one's question."""
    client = Http(asking.url, MODERN, YES)
    question = client.get("tools/call", name="perf_baseline_accept", arguments=ARGUMENTS)
    equal(question["resultType"], "input_required", "a person is asked")
    [key] = question["inputRequests"]
    return Http(answering.url, MODERN, YES).ask("tools/call", name="perf_baseline_accept", arguments=ARGUMENTS,
                                               requestState=question["requestState"], inputResponses={key: YES})


with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    root.record("a.json")
    key = key_file(root, "state.key")
    with serving(root, "--state-key", key) as one, serving(root, "--state-key", key) as two:
        done = answered(root, one, two)["result"]
        equal((done["isError"], done["structuredContent"]["seq"]), (False, 1), f"the other server takes the answer: {done}")
        root.write("b.json", {"latency_ms": 2})
        root.record("b.json")
        client = Http(one.url, MODERN, YES)
        question = client.get("tools/call", name="perf_baseline_accept", arguments=ARGUMENTS)
    [asked] = question["inputRequests"]
    with serving(root, "--state-key", key) as again:
        done = Http(again.url, MODERN, YES).ask("tools/call", name="perf_baseline_accept", arguments=ARGUMENTS,
                                               requestState=question["requestState"], inputResponses={asked: YES})
        equal(done["result"]["structuredContent"]["seq"], 2, "and so does one that was started later")

# Without a secret, or with another, the answer is of no use elsewhere.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    root.record("a.json")
    for first, second in (((), ()), (("--state-key", key_file(root, "one.key")), ("--state-key", key_file(root, "two.key", "x" * 32)))):
        with serving(root, *first) as one, serving(root, *second) as two:
            refused = answered(root, one, two)
            equal(refused["error"]["message"], "params.requestState was changed, or belongs to another call or caller; call again without it to begin anew",
                  "the other server does not know it")
    equal((root.path / "experiments/artifacts/perf-baselines/f/m/accepted").exists(), False, "nothing was accepted")

# A task would be known to the server alone that began it.
with Root() as root:
    root.write("big.json", {f"case{i}": {"latency_ms": i + 0.5} for i in range(200_000)})
    tasks = {"extensions": {PREFIX + "tasks": {}}}
    with serving(root, "--state-key", key_file(root, "state.key")) as server:
        client = Http(server.url, MODERN, capabilities=tasks)
        result = client.get("tools/call", name="measurement_inspect", arguments={"path": "big.json"})
        equal((result["resultType"], result["isError"]), ("complete", False), "the answer itself comes")

# A secret that anybody can read, that is too short or not there is none.
with Root() as root:
    for path, said in ((key_file(root, "open.key", mode=0o644), "open.key"), (key_file(root, "short.key", "x" * 31), "short.key"),
                       (root.path / "absent.key", "absent.key")):
        done = subprocess.run([PLUMBLINE, "serve", "--http", "127.0.0.1:0", "--repo-root", str(root.path), "--state-key", str(path)],
                              capture_output=True, text=True, env=environment(), stdin=subprocess.DEVNULL, timeout=60)
        check(done.returncode in (2, 3) and said in done.stderr.splitlines()[0], f"{path.name}: {done.returncode} {done.stderr}")
    done = subprocess.run([PLUMBLINE, "serve", "--http", "127.0.0.1:0", "--repo-root", str(root.path), "--state-key", str(root.path / "short.key")],
                          capture_output=True, text=True, env=environment(), stdin=subprocess.DEVNULL, timeout=60)
    equal(done.stderr, f'plumbline: error: "{root.path}/short.key" has 31 bytes, a key needs 32\nhint: `openssl rand -hex 32 > FILE` makes one\n',
          "what is wrong, and the way out")

finish()
