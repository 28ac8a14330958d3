#!/usr/bin/env python3
"""Numbers at the ends of what a double holds, as programs print that never measured anything: whatever is compared, there is an answer, and
what did not change is GREEN."""
import json
import random
import re

from harness import Root, check, equal, finish

ENDS = [5e-324, 1e-320, 6.95e-310, 2.3e-308, 1e-300, 1e-200, 1e-10, 0.0, -0.0, 1, 1.0000001, 100, 1e10, 1e200, 1e300, 1.7e308, -5e-324, -1,
        -1e10, -1e300, -1.7e308, 9007199254740993, 2**63, -2**63]
NAMES = ["latency_ms", "throughput", "tok/s", "busbw", "errors", "error_rate", "pass_rate", "util_pct", "x", "bytes"]
CASES = 200
CHANCE = random.Random(11)


def value(trials, around):
    values = []
    for _ in range(trials):
        near = around is not None and CHANCE.random() < .6
        one = around * (1 + CHANCE.gauss(0, .01)) if near else CHANCE.choice(ENDS)
        values.append(one if abs(one) < 1.7e308 else 1.0)
    return values if trials > 1 else values[0]


def no_number(word):
    raise ValueError(f"{word} is no JSON")


with Root() as root:
    before, after = root.path / "before.json", root.path / "after.json"
    said = {}
    for case in range(CASES):
        rows, trials, same = CHANCE.choice([1, 2, 5, 8, 30, 200]), CHANCE.choice([1, 1, 2, 3, 5, 8]), case % 5 < 2
        sides = {}, {}
        for i in range(rows):
            name, around = f"case{i}.{CHANCE.choice(NAMES)}", CHANCE.choice(ENDS) if CHANCE.random() < .7 else None
            sides[0][name] = value(trials, around)
            sides[1][name] = sides[0][name] if same else value(trials, around)
        before.write_text(json.dumps(sides[0]))
        after.write_text(json.dumps(sides[1], indent=1))
        done = root.run("diff", before, after, "--json", "--no-bundle")
        kept = f"case {case}, {rows} rows of {trials}: {json.dumps(sides)[:3000] if rows < 9 else '…'}"
        check(done.returncode in (0, 2), f"{kept}: {done.stderr}")
        if done.returncode != 0:
            continue
        answer = json.loads(done.stdout, parse_constant=no_number)
        check(not re.search(r"\bnan\b", done.stdout, re.I), f"{kept}: a NaN in a text")
        if same:
            equal(answer["verdict"], "GREEN", f"{kept}: {answer['reasons']}")
        said[answer["verdict"]] = said.get(answer["verdict"], 0) + 1
    check(min(said.get(verdict, 0) for verdict in ("GREEN", "YELLOW", "RED")) > 5, f"each verdict was there: {said}")

finish()
