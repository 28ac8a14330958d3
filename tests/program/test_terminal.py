#!/usr/bin/env python3
"""What a person sees: every kind of answer on terminals and pipes of 40 to 200 columns. At most 40 lines, none wider than the terminal
but for paths; colours, marks and progress only where they belong."""
import json
import os
import pathlib
import random
import re
import subprocess

import terminals
from harness import PLUMBLINE, Root, SOURCE, check, equal, finish

DEMO = SOURCE / "scripts" / "demo-data"
WIDTHS = (40, 80, 120, 200)
LINES = 40
PATH = re.compile(r"(?:^|[\s\"'`(])/\S")  # an absolute path: a line that has one may be as long as it is


def kinds_of(root):
    """One call of every kind of answer, by name."""
    rng = random.Random(7)
    trials = {f"row_{i}.{name}": [value * (1 + rng.uniform(-0.01, 0.01)) for _ in range(5)]
              for i in range(12) for name, value in (("busbw_GBps", 300.0), ("latency_us", 20.0))}
    worse = {key: [value * 1.3 for value in values] if key.endswith("latency_us") else values for key, values in trials.items()}
    nodes = [f"node{i}" for i in range(6)]
    pairs = [(a, b) for a in nodes for b in nodes if a != b]
    matrix = {side: root.write(f"{side}.csv", "\n".join(["src,dst,bandwidth_GBps"] + [
        f"{a},{b},{300 * (factor if 'node3' in (a, b) else 1) + rng.uniform(-1, 1):.2f}" for a, b in pairs]) + "\n")
        for side, factor in (("matrix-before", 1), ("matrix-after", 0.7))}
    many = {f"group_{i % 10}.point_{i}.latency_us": 10.0 + i % 7 for i in range(100_000)}
    for i, factor in enumerate((1, 1, 1, 1, 0.6, 1)):
        root.write(f"nodes/n{i}.json", {"all_reduce.busbw_GBps": 300.0 * factor + i / 10, "alltoall.busbw_GBps": 200.0 + i / 10})
    for side, factor in (("suite-before", 1), ("suite-after", 1.4)):
        for i in range(30):
            root.write(f"{side}/case_{i}_with_a_name_of_some_length.json", {"ttft_ms": 40.0 * (factor if i % 3 == 0 else 1)})
    wide = {"数据.延迟_us": 1.0, "e\u0301a\u0301.\U0001f600.latency_us": 2.0, "한국어.latency_us": 3.0, "new\nline\x1b[31m.latency_us": 4.0,
            "k" * 300 + ".latency_us": 5.0}
    root.record(DEMO / "serving-baseline.json", family="serving", measurement="decode")
    for value in (100, 101, 99, 100, 120, 121, 119, 120):
        root.record(root.write("value.txt", f"{value}\n"), "--unit", "ms", family="steps", measurement="time")
    return {
        "scalar": ("diff", "steps/time", root.write("now.txt", "140\n")),
        "trials": ("diff", root.write("t1.json", trials), root.write("t2.json", worse)),
        "sweep": ("diff", DEMO / "all_reduce-baseline.json", DEMO / "all_reduce-regressed.json"),
        "entry": ("diff", "serving/decode", DEMO / "serving-current.json"),
        "matrix": ("diff", matrix["matrix-before"], matrix["matrix-after"]),
        "suite": ("diff", root.path / "suite-before", root.path / "suite-after"),
        "captures": ("profile-diff", DEMO / "profile-before", DEMO / "profile-after"),
        "captures as a diff": ("diff", DEMO / "profile-before", DEMO / "profile-after"),
        "outliers": ("outliers", root.path / "nodes", "--repo-root", root.path),
        "100,000 rows": ("diff", root.write("m1.json", many), root.write("m2.json", {k: v * 1.2 for k, v in many.items()}), "--no-bundle"),
        "wide characters": ("diff", root.write("w1.json", wide), root.write("w2.json", {k: v * 2 for k, v in wide.items()})),
        "history": ("history", "steps/time"),
    }


def words_of(root, words):
    rooted = words[0] in ("diff", "profile-diff", "history")
    return [PLUMBLINE, *[str(word) for word in words], *(("--repo-root", str(root.path)) if rooted else ())]


def look(text, columns, what):
    lines = text.splitlines()
    check(0 < len(lines) <= LINES or what.startswith("history"), f"{what}: {len(lines)} lines")  # a history has a line an entry
    for line in lines:
        plain = terminals.COLOUR.sub("", line)
        check(terminals.columns_of(line) <= columns or PATH.search(plain), f"{what}: {terminals.columns_of(line)} columns: {plain!r}")
        check(all(c.isprintable() for c in plain), f"{what}: a control character: {plain!r}")
    check(not re.search(r"[\x00-\x08\x0b-\x1f]", terminals.COLOUR.sub("", text)), f"{what}: a control code")
    return lines


with Root() as root:
    for name, words in kinds_of(root).items():
        root.run(*words)  # so that each of those below is one of several
        for columns in WIDTHS:
            piped = root.run(*words, env={"COLUMNS": str(columns), "LC_ALL": "C.UTF-8"})
            lines = look(piped.stdout, columns, f"{name}, a pipe of {columns}")
            check("\x1b" not in piped.stdout, f"{name}: a pipe has no colours")
            status, seen = terminals.run_on_terminal(words_of(root, words), columns, cwd=root.path)
            equal(status, piped.returncode, f"{name}: the same status on a terminal")
            shown = seen[seen.rfind("\x1b[K") + 3:] if "\x1b[K" in seen else seen  # behind the line of progress
            look(shown, columns, f"{name}, a terminal of {columns}")
            # Each of the two is a diff of its own: another time, another digest, one RED diff more.
            times = re.compile(r"\d{8}T\d{12}Z|\b[0-9a-f]{64}\b|;\s+RED in\s+\d+\s+diffs,\s+since\s+today")
            equal(times.sub("…", terminals.COLOUR.sub("", shown)), times.sub("…", piped.stdout), f"{name}: the same words at {columns}")
            if words[0] != "history":
                check(re.match(r"(RED|YELLOW|GREEN) \((DRAFT|VERDICT)\) \S", lines[0]), f"{name}: {lines[0]}")
                check("--no-bundle" in words or any(line.startswith("bundle      /") for line in lines), f"{name}: where the bundle is")
                check(any(line.startswith("next ") for line in lines), f"{name}: what to do next")

    # The words themselves.
    told = root.run("diff", DEMO / "all_reduce-baseline.json", DEMO / "all_reduce-regressed.json", env={"LC_ALL": "C.UTF-8"})
    equal(told.stderr, "", "nothing is said twice")
    seen = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", re.sub(r"/\S*/experiments/\S*", "/BUNDLE", told.stdout))
    if os.environ.get("PLUMBLINE_UPDATE_GOLDENS") == "1":
        pathlib.Path(__file__).with_name("terminal_sweep.golden").write_text(seen)
    golden = pathlib.Path(__file__).with_name("terminal_sweep.golden").read_text()
    equal(seen, golden, "a sweep at 80 columns, as a pipe has them")

    # Colours.
    sweep = ("diff", DEMO / "all_reduce-baseline.json", DEMO / "all_reduce-regressed.json", "--no-bundle")
    for env, flags, wanted in [({}, (), True), ({"NO_COLOR": "1"}, (), False), ({"NO_COLOR": ""}, (), True), ({"TERM": "dumb"}, (), False),
                               ({"NO_COLOR": "1"}, ("--color", "always"), True), ({}, ("--color=never",), False),
                               ({"TERM": "dumb", "CLICOLOR_FORCE": "1"}, (), True), ({}, ("--color", "auto"), True)]:
        _, seen = terminals.run_on_terminal([*words_of(root, sweep), *flags], 80, env=env, cwd=root.path)
        equal("\x1b[1;31mRED" in seen, wanted, f"colours on a terminal with {env} {flags}")
    for env, flags, wanted in [({}, (), False), ({"CLICOLOR_FORCE": "1"}, (), True), ({}, ("--color=always",), True),
                               ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, (), False)]:
        equal("\x1b[" in root.run(*sweep, *flags, env=env).stdout, wanted, f"colours in a pipe with {env} {flags}")
    equal(root.run("--color", "always", *sweep).stdout[:2], "\x1b[", "--color before the command")
    json.loads(root.run(*sweep, "--json", "--color", "always").stdout)
    wrong = root.run(*sweep, "--color", "sometimes")
    check(wrong.returncode == 2 and "--color must be one of auto, always or never" in wrong.stderr, wrong.stderr)
    check("--color needs a value" in root.run("diff", "--color").stderr, "--color alone")

    # What the text says, standard error does not say again.
    nulls = root.write("nulls.json", {"latency_ms": 5, "other_ms": None})
    for words in (("inspect", nulls), ("record", "--family", "with", "--measurement", "nulls", "--source", nulls)):
        done = root.run(*words)
        equal((done.returncode, done.stderr, done.stdout.count("1 value is null")), (0, "", 1), f"{words[0]}: its warning once")
        check("plumbline: warning: null_values: 1 value is null" in root.run(*words, "--json").stderr, f"{words[0]} --json")

    # A locale without our marks: on a terminal in ASCII, in a pipe as ever.
    _, ascii_marks = terminals.run_on_terminal(words_of(root, ("history", "steps/time")), 80, env={"LC_ALL": "C"}, cwd=root.path)
    check(terminals.COLOUR.sub("", ascii_marks).isascii() and re.search(r"values +[_.,=+*#-]{8} ", ascii_marks), ascii_marks)
    check(re.search("values +[▁▂▃▄▅▆▇█]{8} ", root.run("history", "steps/time", env={"LC_ALL": "C"}).stdout), "a pipe is UTF-8")

    # Progress: from a second on, on a terminal only, taken away again.
    slow = lambda: subprocess.Popen(["sh", "-c", f"sleep 2.2; cat {DEMO / 'serving-baseline.json'}"], stdout=subprocess.PIPE).stdout
    status, seen = terminals.run_on_terminal([PLUMBLINE, "inspect", "-"], 40, stdin=slow(), only_stderr=True)
    lines = [line for line in seen.split("\r\x1b[K") if line]
    equal((status, lines[0]), (0, "inspect  1 s"), "what is done before anything was read")
    check(all(terminals.columns_of(line) < 40 for line in lines) and seen.endswith("\r\x1b[K"), repr(seen))
    status, seen = terminals.run_on_terminal([PLUMBLINE, "inspect", DEMO / "serving-baseline.json"], 40, only_stderr=True)
    equal((status, seen), (0, ""), "who is done within a second says nothing")
    done = subprocess.run([PLUMBLINE, "inspect", "-"], stdin=slow(), capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr), (0, ""), "nor in a pipe")
finish()
