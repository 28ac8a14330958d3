#!/usr/bin/env python3
"""The calls that a model gets wrong most often, and what it is told: verbatim, and with the one next call in the hint, which is then
made as it stands. What means the same in another spelling is simply understood."""
import json
import pathlib
import re

from harness import Root, check, equal, finish
from serving import MODERN, Lines, Server

FAST, SLOW = {"ttft_ms": 10.0, "tokens_per_s": 100.0}, {"ttft_ms": 13.0, "tokens_per_s": 99.0}
DIFF, RECORD, INSPECT = "perf_baseline_diff", "perf_baseline_record", "measurement_inspect"
HISTORY, ACCEPT, VERIFY, PROFILE = "perf_baseline_history", "perf_baseline_accept", "bundle_verify", "profile_diff"

# tool, arguments, message, hint; a hint with a call in backticks is followed ("…" in the last place: it is no whole call).
WRONG = [
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
     "no such file: /home/me/project/results/after.json",
     'paths are those of the server\'s machine; there it is `perf_baseline_diff {"baseline": "inference/decode", "current": '
     '"{root}/results/after.json"}`'),
    # A family and a file that are not there.
    (DIFF, {"baseline": "inferense/decode@newest", "current": "after.json"}, 'no baseline named "inferense/decode"',
     'did you mean "inference/decode"? `perf_baseline_diff {"baseline": "inference/decode@newest", "current": "after.json"}`'),
    (DIFF, {"baseline": "training/step", "current": "after.json"}, 'no baseline named "training/step"',
     "the registry holds inference/decode, inference/prefill and nccl/all_reduce"),
    # A name for a capture, and for a source.
    (PROFILE, {"baseline": "inference/decode", "candidate": "after.json"}, None, None),
    (RECORD, {"family": "f", "measurement": "m", "source": "inference/decode"}, None, None),
    # Something that is missing.
    (DIFF, {"baseline": "inference/decode"}, "the following arguments are required: current",
     '`perf_baseline_diff {"baseline": "inference/decode", "current": "PATH"}`…'),
    (HISTORY, {}, None, None),
    # A value of another kind.
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "tolerance_percent": "five"},
     'tolerance_percent must be a number, not "five"', None),
    (RECORD, {"family": "inference/decode", "source": "after.json"}, None, None),
]

# What is understood as it stands, and what it comes to.
UNDERSTOOD = [
    (DIFF, {"baseline": ["inference/decode"], "current": "after.json", "tolerance_percent": "50%"}, "GREEN"),
    (DIFF, {"baseline": "inference/decode", "current": ["after.json"], "tolerance": {"ttft_ms": "50%"}}, "GREEN"),
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "tolerance": "*=50%", "context": {"hardware.gpu": "H200"}}, "GREEN"),
    (DIFF, {"baseline": "inference/decode", "current": "after.json", "policy": ["plumbline"], "no_bundle": "true"}, "RED"),
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
    wanted = (None if hint is None else hint.removesuffix("…").replace("{root}", str(root.path)))
    equal((problem["message"], problem["hint"]), (message, wanted), f"{tool} {arguments}")
    call = next_call(problem["hint"])
    if call and not (hint or "").endswith("…"):
        result = client.call(call[0], **call[1])
        equal(result["isError"], False, f"the next call of {tool} {arguments}: {call}: {result['content'][0]['text'][:300]}")


def over_stdio(root, *flags):
    import os
    import subprocess
    from harness import PLUMBLINE
    from serving import environment
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
    asked(client, root, RECORD, {"family": "f", "measurement": "m", "source": "results/a.json"}, None, None)
    client.end()
    process.wait()

# Over a socket, where paths are confined.
with filled() as root, Root() as other:
    with Server(root, "--http", "127.0.0.1:0", "--audit-log", "off") as server:
        from serving import Http
        client = Http(server.url, MODERN)
        (other.path / "results").mkdir()
        other.write("results/after.json", SLOW)
        asked(client, root, INSPECT, {"path": f"{other.path}/results/after.json"}, None, None)
        asked(client, root, INSPECT, {"path": f"{other.path}/elsewhere.json"}, None, None)

finish()
