#!/usr/bin/env python3
"""Costs of functions in speedscope's and V8's profiles by other means than the readers': every stack written out, Fractions
for times. Prints one line per function, "self total name", largest self first. The constants in host_json.cpp come from here.
Usage: host_json_golden.py PROFILE.json|PROFILE.cpuprofile..."""
import json
import re
import sys
from collections import Counter
from fractions import Fraction

SCALE = {"nanoseconds": 1, "microseconds": 10**3, "milliseconds": 10**6, "seconds": 10**9, "bytes": 1, "none": 1}


def place(name, path):
    name = re.sub(r" \[clone [^]]*\]$", "", name)
    if "://" in path:
        path = re.split("[?#]", path)[0]
    last = re.split(r"[/\\]", path)[-1]
    return f"{name} ({last})" if last else name


def costs(stacks):
    own, total = Counter(), Counter()
    for stack, cost in stacks:
        if not stack or not cost:
            continue
        own[stack[-1]] += cost
        for name in set(stack):
            total[name] += cost
    return own, total


def speedscope(text):
    names = [place(f["name"], f.get("file", "")) for f in text["shared"]["frames"]]
    for profile in text["profiles"]:
        if (SCALE[profile["unit"]], profile["unit"] == "bytes") != (
                SCALE[text["profiles"][0]["unit"]], text["profiles"][0]["unit"] == "bytes"):
            continue
        scale = SCALE[profile["unit"]]
        if profile["type"] == "sampled":
            for sample, weight in zip(profile["samples"], profile["weights"]):
                yield [names[f] for f in sample], int(Fraction(str(weight)) * scale)
            continue
        stack, last = [], None
        for event in profile["events"]:
            at = int(Fraction(str(event["at"])) * scale)
            yield list(stack), at - (at if last is None else last)
            last = at
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                stack.pop()


def v8(text):
    nodes = {node["id"]: node for node in text["nodes"]}
    parent = {child: node["id"] for node in text["nodes"] for child in node.get("children", [])}

    def name(node):
        frame = node["callFrame"]
        url = frame["url"]
        if frame["functionName"] or not url:
            return place(frame["functionName"] or "(anonymous)", url)
        return place("(anonymous)", f"{url}:{frame['lineNumber'] + 1}")

    def stack(node_id):
        path = []
        while node_id is not None:
            path.insert(0, name(nodes[node_id]))
            node_id = parent.get(node_id)
        return path[1:]

    now, times = text["startTime"], []
    for delta in text["timeDeltas"]:
        now += delta
        times.append(now)
    before, latest = [], None
    for i, sample in enumerate(text["samples"]):
        latest = times[i] if latest is None else max(latest, times[i])
        until = times[i + 1] if i + 1 < len(times) else text["endTime"]
        here = stack(sample)
        if here == ["(garbage collector)"]:
            here = before + here
        else:
            before = [] if here == ["(idle)"] else here
        if here != ["(idle)"]:
            yield here, max(0, until - latest) * 1000


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = json.load(file)
    own, total = costs(v8(text) if "nodes" in text else speedscope(text))
    print(path.split("/")[-1], sum(own.values()))
    for function, cost in sorted(total.items(), key=lambda item: (-own[item[0]], -item[1], item[0])):
        print(f"  {own[function]} {cost} {function}")
