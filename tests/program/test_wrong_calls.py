#!/usr/bin/env python3
"""The calls that a model gets wrong most often, and what it is told: verbatim, and with the one next call in the hint, which is then
made as it stands. What means the same in another spelling is simply understood."""
import json
import re
import subprocess

from harness import PLUMBLINE, Root, equal, finish
from serving import MODERN, Http, Lines, Server, environment

FAST, SLOW = {"ttft_ms": 10.0, "tokens_per_s": 100.0}, {"ttft_ms": 13.0, "tokens_per_s": 99.0}
DIFF, RECORD, INSPECT = "perf_baseline_diff", "perf_baseline_record", "measurement_inspect"
HISTORY, ACCEPT, VERIFY, PROFILE = "perf_baseline_history", "perf_baseline_accept", "bundle_verify", "profile_diff"

# tool, arguments, message, hint; a hint with a call in backticks is followed ("…" in the last place: it is no whole call).
WRONG = [
    # A family that is not there: those that are, the nearest first.
    (DIFF, {"baseline": "training/step", "current": "after.json"}, 'no baseline named "training/step"',
     "the registry holds inference/decode, inference/prefill and nccl/all_reduce"),
    (HISTORY, {}, "history needs a measurement",
     '`perf_baseline_history {"name": "family/measurement"}`; the registry holds inference/decode, inference/prefill and nccl/all_reduce…'),
    # A parameter by a name that it could have.
    (DIFF, {"baseline": "inference/decode", "candidate": "after.json"}, 'unknown parameter "candidate"',
     '`perf_baseline_diff {"baseline": "inference/decode", "current": "after.json"}`'),
    (INSPECT, {"source": "after.json"}, 'unknown parameter "source"', '`measurement_inspect {"path": "after.json"}`'),
    (RECORD, {"family": "f", "measurement": "m", "path": "after.json"}, 'unknown parameter "path"',
     '`perf_baseline_record {"family": "f", "measurement": "m", "source": "after.json"}`'),
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "tolerancePercent": 50}, 'unknown parameter "tolerancePercent"',
     '`perf_baseline_diff {"baseline": "inference/decode", "current": "after.json", "tolerance_percent": 50}`'),
    # The name in two parts where it is one, and in one where it is two.
    (DIFF, {"family": "inference", "measurement": "decode", "current": "after.json"}, 'unknown parameter "family"',
     '`perf_baseline_diff {"baseline": "inference/decode", "current": "after.json"}`'),
    (ACCEPT, {"family": "inference", "measurement": "decode", "reason": "agreed", "confirm": "no"}, 'unknown parameter "family"',
     '`perf_baseline_accept {"baseline": "inference/decode", "reason": "agreed", "confirm": "no"}`'),
    (RECORD, {"name": "f/n", "source": "after.json"}, 'unknown parameter "name"',
     '`perf_baseline_record {"family": "f", "measurement": "n", "source": "after.json"}`'),
    # The sides swapped.
    (DIFF, {"baseline": "after.json", "current": "inference/decode"},
     'current is "inference/decode", a recorded baseline, and baseline is the file after.json: the sides are swapped',
     '`perf_baseline_diff {"baseline": "inference/decode", "current": "after.json"}`'),
    # A path of another machine, whose end lies below the server's root.
    (DIFF, {"baseline": "inference/decode", "current": "/home/me/project/results/after.json"},
     "current does not exist: /home/me/project/results/after.json",
     'paths are those of the server\'s machine; there it is `perf_baseline_diff {"baseline": "inference/decode", "current": '
     '"{root}/results/after.json"}`'),
    # A family and a file that are not there.
    (DIFF, {"baseline": "inferense/decode@newest", "current": "after.json"}, 'no baseline named "inferense/decode"',
     'did you mean "inference/decode"? `perf_baseline_diff {"baseline": "inference/decode@newest", "current": "after.json"}`'),
    # A name for a capture, and for a source.
    (PROFILE, {"baseline": "inference/decode", "candidate": "after.json"},
     '"inference/decode" is a recorded baseline, and a file belongs there',
     'a recorded baseline is compared by perf_baseline_diff: `perf_baseline_diff {"baseline": "inference/decode", "current": "after.json"}`'),
    (RECORD, {"family": "f", "measurement": "m", "source": "inference/decode"},
     '"inference/decode" is a recorded baseline, and a file belongs there',
     'it is recorded already: `perf_baseline_history {"name": "inference/decode"}`'),
    # Something that is missing.
    (DIFF, {"baseline": "inference/decode"}, "the following arguments are required: current",
     '`perf_baseline_diff {"baseline": "inference/decode", "current": "PATH"}`…'),
    # A value of another kind.
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "tolerance_percent": "five"},
     'tolerance_percent must be a number, not "five"',
     'for instance `perf_baseline_diff {"baseline": "inference/decode", "current": "after.json", "tolerance_percent": 5}`'),
    (RECORD, {"family": "inference/decode", "source": "after.json"}, "the following arguments are required: measurement",
     'a name with a slash is family and measurement: `perf_baseline_record {"family": "inference", "measurement": "decode", "source": '
     '"after.json"}`'),
]

# What is understood as it stands, and what it comes to.
UNDERSTOOD = [
    (DIFF, {"baseline": ["inference/decode"], "current": "after.json", "tolerance_percent": "50%"}, "GREEN"),
    (DIFF, {"baseline": "inference/decode", "current": ["after.json"], "tolerance": {"ttft_ms": "50%"}}, "GREEN"),
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "tolerance": "*=50%", "context": {"hardware.gpu": "H200"}}, "GREEN"),
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "policy": ["plumbline"], "no_bundle": "true"}, "YELLOW"),
]


def filled():
    root = Root()
    for name, value in (("before.json", FAST), ("after.json", SLOW), ("results/after.json", SLOW)):
        root.write(name, value)
    for family, measurement in (("inference", "decode"), ("inference", "prefill"), ("nccl", "all_reduce")):
        root.record("before.json", family=family, measurement=measurement)
    return root


def next_call(hint):
    found = re.findall(r"`(\w+) (\{.*?\})`", hint)
    return (found[0][0], json.loads(found[0][1])) if len(found) == 1 else None


def asked(client, root, tool, arguments, message, hint):
    problem = client.problem(tool, **arguments)
    wanted = hint.removesuffix("…").replace("{root}", str(root.path))
    equal((problem["message"], problem["hint"]), (message, wanted), f"{tool} {arguments}")
    call = next_call(problem["hint"])
    if call and not hint.endswith("…"):
        result = client.call(call[0], **call[1])
        equal(result["isError"], False, f"the next call of {tool} {arguments}: {call}: {result['content'][0]['text'][:300]}")


def over_stdio(root, *flags):
    process = subprocess.Popen([PLUMBLINE, "serve", "--stdio", *map(str, flags)], cwd=root.path, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env=environment())
    return process, Lines.of(process, MODERN)


with filled() as root:
    process, client = over_stdio(root, "--repo-root", root.path)
    for tool, arguments, message, hint in WRONG:
        asked(client, root, tool, arguments, message, hint)
    for tool, arguments, verdict in UNDERSTOOD:
        equal(client.value(tool, **arguments)["verdict"], verdict, f"{tool} {arguments}")
    entry = next((root.path / "experiments/artifacts/perf-baselines/inference/decode").glob("2*"))
    for path in (f"plumbline://baselines/inference/decode/{entry.name}", f"file://{entry}", [str(entry)]):
        equal(client.value(VERIFY, path=path)["ok"], True, f"{path} as a path")
        equal(client.value(DIFF, baseline=path, current="before.json")["verdict"], "GREEN", f"{path} as a baseline")
    said = client.ask("tools/call", name="diff", arguments={})["error"]["message"]
    equal(said, 'unknown tool "diff": did you mean "perf_baseline_diff"?', "the name of the command")
    client.end()
    process.wait()

# No root anywhere: the work tree of the file that was named, else its folder.
with Root() as root:
    source = root.write("results/a.json", FAST)
    process, client = over_stdio(root)
    asked(client, root, RECORD, {"family": "f", "measurement": "m", "source": "results/a.json"},
          f"cannot tell the repository root: no git work tree encloses {root.path}",
          'the registry goes into the folder that repo_root names: `perf_baseline_record {"family": "f", "measurement": "m", "source": '
          '"results/a.json", "repo_root": "{root}/results"}`')
    client.end()
    process.wait()

# Over a socket, where paths are confined.
with filled() as root, Root() as other:
    with Server(root, "--http", "127.0.0.1:0", "--audit-log", "off") as server:
        client = Http(server.url, MODERN)
        (other.path / "results").mkdir()
        other.write("results/after.json", SLOW)
        asked(client, root, INSPECT, {"path": f"{other.path}/results/after.json"}, f"{other.path}/results/after.json is outside the allowed roots",
              'paths are those of the server\'s machine; there it is `measurement_inspect {"path": "{root}/results/after.json"}`')
        # Where a tool takes a file's text that is what to give; else the roots are named.
        tools = {t["name"]: t["inputSchema"]["properties"] for t in client.get("tools/list")["tools"]}
        hint = client.problem(INSPECT, path=f"{other.path}/elsewhere.json")["hint"]
        wanted = f"allowed: {root.path}; --allow-root adds one"
        if "content" in tools[INSPECT]:
            wanted = ("paths are those of the server's machine; a file of another one goes as text: "
                      '`measurement_inspect {"content": "TEXT OF THE FILE", "content_name": "elsewhere.json"}`')
        equal(hint, wanted, "a file that is not here")

finish()
