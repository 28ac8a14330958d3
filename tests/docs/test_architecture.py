#!/usr/bin/env python3
"""docs/architecture.md says what is there: each function of the way of a question stands in the file that the page names, every file and
folder that it names exists, and no room is entered twice on the way but core and the registry. Proves first that it can fail."""
import os
import re
import sys

SOURCE = os.environ.get("PLUMBLINE_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
STEP = re.compile(r"^\| (\d+) \| `(\w+)` \| `([\w/]+\.cpp)` \|$", re.M)
PATH = re.compile(r"`((?:core|configs|schemas|formats|systems|profiles|intake|registry|verdict|reports|verbs|server|cli|tests|docs)/[\w./-]*)`")
TWICE = {"core", "registry"}


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "verbs" and len(parts) > 2 else parts[0]


def problems_of(page, exists, text_of):
    found = []
    steps = STEP.findall(page)
    if len(steps) < 10 or [int(n) for n, _, _ in steps] != list(range(1, len(steps) + 1)):
        found.append(f"the way of a question has {len(steps)} numbered steps")
    seen = set()
    rooms = []
    for _, function, file in steps:
        if (function, file) in seen:
            found.append(f"{function} of {file} is passed twice")
        seen.add((function, file))
        if not exists(file):
            found.append(f"{file} does not exist")
        elif not re.search(rf"\b{function}\(", text_of(file)):
            found.append(f"{file} has no {function}")
        if not rooms or rooms[-1] != room_of(file):
            rooms.append(room_of(file))
    for room in sorted(set(rooms)):
        if rooms.count(room) > 1 and room not in TWICE and room != "verbs/diff":
            found.append(f"{room} is entered {rooms.count(room)} times")
    for path in sorted(set(PATH.findall(page))):
        if "<" not in path and "*" not in path and not exists(path.rstrip("/")) and not exists(path + ".cpp") and not exists(path + ".hpp"):
            found.append(f"{path} is named and does not exist")
    return found


def self_test():
    steps = "".join(f"| {n} | `f{n}` | `cli/a{n}.cpp` |\n" for n in range(1, 11))
    there = lambda path: path.startswith("cli/a")
    text = lambda path: "f" + re.search(r"\d+", path).group() + "(int)"
    assert problems_of(steps, there, text) == [], problems_of(steps, there, text)
    faults = [
        (steps.replace("`f3`", "`g3`"), "cli/a3.cpp has no g3"),
        (steps.replace("`cli/a4.cpp`", "`cli/b4.cpp`"), "cli/b4.cpp does not exist"),
        (steps.replace("| 5 |", "| 6 |"), "10 numbered steps"),
        (steps.replace("`cli/a5.cpp`", "`intake/a5.cpp`"), "cli is entered 2 times"),
        (steps.replace("`f2` | `cli/a2.cpp`", "`f1` | `cli/a1.cpp`"), "passed twice"),
        (steps + "see `docs/gone.md`", "docs/gone.md is named and does not exist"),
    ]
    for page, wanted in faults:
        assert any(wanted in one for one in problems_of(page, lambda path: there(path) or path == "intake/a5.cpp", text)), (wanted, page)


self_test()
page = open(os.path.join(SOURCE, "docs", "architecture.md"), encoding="utf-8").read()
found = problems_of(page, lambda path: os.path.exists(os.path.join(SOURCE, path)), lambda path: open(os.path.join(SOURCE, path), encoding="utf-8").read())
for problem in found:
    print(problem)
print(f"{len(STEP.findall(page))} steps, {len(set(PATH.findall(page)))} paths, {len(found)} problems")
sys.exit(1 if found else 0)
