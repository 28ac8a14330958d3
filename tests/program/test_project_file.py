#!/usr/bin/env python3
"""plumbline.yaml through the program: units said there, and `config check`, which says everything that is wrong at once."""
import json

from harness import Root, check, equal, finish, rows


def problems(root, *more):
    done = root.run("config", "check", *more, "--json")
    return done, json.loads(done.stdout)


# A unit that the file of results does not say gives its rows a direction; without it nobody knows which way is better.
with Root() as root:
    before = root.write("before.json", {"checkpoint": [3.1, 3.0, 3.2]})
    after = root.write("after.json", {"checkpoint": [4.1, 4.0, 4.2]})
    equal(root.diff(before, after)["verdict"], "YELLOW", "no unit, no direction")
    root.write("plumbline.yaml", "rules:\n  - match: {key: checkpoint}\n    set: {unit: s, tolerance: 0.5abs}\n")
    row = rows(root.diff(before, after))["checkpoint"]
    equal((row["state"], row["unit"], row["direction"], row["direction_source"]), ("regressed", "s", "lower-is-better", "unit"), "by its unit")
    equal(row["tolerance"]["value"], 0.5, "half a second")
    root.write("plumbline.yaml", "rules:\n  - match: {key: checkpoint}\n    set: {unit: s, tolerance: 2abs}\n")
    equal(rows(root.diff(before, after))["checkpoint"]["state"], "unchanged", "within two seconds")
    root.write("plumbline.yaml", "rules:\n  - match: {key: checkpoint}\n    set: {unit: GB/s}\n")
    row = rows(root.diff(before, after))["checkpoint"]
    equal((row["state"], row["direction"]), ("improved", "higher-is-better"), "the same numbers as a rate")

# A unit that the file does say is converted, on either side; one of something else is refused with both places.
with Root() as root:
    micro = root.write("us.json", {"wait": {"value": 100, "unit": "us"}})
    milli = root.write("ms.json", {"wait": {"value": 0.1, "unit": "ms"}})
    rate = root.write("rate.json", {"wait": {"value": 0.1, "unit": "GB/s"}})
    root.write("plumbline.yaml", "rules:\n  - match: {key: 'wait*'}\n    set: {unit: ms, tolerance: 0.05abs}\n")
    for baseline, current in ((micro, milli), (milli, micro)):
        row = rows(root.diff(baseline, current))["wait.value"]
        equal((row["baseline"], row["current"], row["unit"], row["state"]), (0.1, 0.1, "ms", "unchanged"), "100 us are 0.1 ms")
    entry = root.record(micro, measurement="wait")["entry_dir"]
    equal(rows(root.diff(entry, milli))["wait.value"]["state"], "unchanged", "an entry's, too")
    bad = root.run("diff", rate, milli)
    equal(bad.returncode, 2, "a rate is no time")
    equal(bad.stderr.splitlines()[:2],
          ['plumbline: error: plumbline.yaml:2 says that "wait.value" is in "ms", and the baseline says "GB/s", which measures something else',
           "hint: narrow the rule's key or its format, or leave its unit out"], "both are named")

# One number: its entry has the unit, and the value in it.
with Root() as root:
    root.write("plumbline.yaml", "rules:\n  - match: {family: f}\n    set: {unit: ms}\n")
    entry = root.record(root.write("v.txt", "100\n"), measurement="startup")["entry_dir"]
    recorded = json.load(open(entry + "/baseline.json"))
    equal((recorded["unit"], recorded["value"]), ("ms", 100), "stated at record")
    equal(root.diff(entry, root.write("w.txt", "120\n"))["verdict"], "RED", "a time that grew by 20 %")
    equal(root.diff(entry, root.write("x.txt", "80\n"))["verdict"], "GREEN", "and one that shrank")

# config check: every problem with its place, in one call; diff names the first and counts the others.
with Root() as root:
    root.write("plumbline.yaml", """rules:
  - match: {famly: f}
    set: {headline: maybe, tolerance: 5x, policy: plumbine, fail_on: [rde]}
  - set: {direction: up, unit: [ms]}
  - match: {key: a}
    set: {tolerance: 1%, tolerance: 2%}
  - match: {key: b}
  - set: {ceiling: nosuch}
""")
    done, told = problems(root)
    equal(done.returncode, 1, "errors end with 1")
    equal([(p["line"], p["column"], p["message"]) for p in told["problems"]], [
        (2, 13, 'unknown word "famly" in match'),
        (3, 21, 'headline is true or false, not "maybe"'),
        (3, 39, 'tolerance "5x" is not a number with %, abs or pp'),
        (3, 51, 'the policy "plumbine" does not exist'),
        (3, 70, 'fail_on does not know "rde"'),
        (4, 22, 'direction "up" is not one'),
        (4, 32, "unit is a text"),
        (6, 26, '"tolerance" is twice in set'),
        (7, 5, "a rule needs a map `set`"),
        (8, 0, 'no ceiling is called "nosuch"'),
    ], "all of them")
    bad = root.run("diff", root.write("a.json", {"a": 1}), root.write("b.json", {"a": 1}))
    check(bad.returncode == 2 and "plumbline.yaml:2:13: unknown word \"famly\" in match (and 8 problems more: `plumbline config check`)" in bad.stderr,
          bad.stderr)
    root.write("plumbline.yaml", "rules: [\n")
    equal(problems(root)[1]["problems"][0]["severity"], "error", "no YAML")
    root.write("plumbline.yaml", "rules: &a\n  - *a\n")
    check(problems(root)[0].returncode in (0, 1), "a list in itself")

# Rules that do nothing are said; what each rule decides of a file is counted.
with Root() as root:
    root.record(root.write("a.json", {"ttft_ms": 10.0, "e2e_ms": 30.0, "score": 5}))
    root.write("plumbline.yaml", """rules:
  - set: {tolerance: 7%}
  - set: {tolerance: 8%}
  - match: {key: '*_ms'}
    set: {tolerance: 9%}
  - match: {key: [ttft_ms, scor]}
    set: {headline: true}
  - match: {family: other}
    set: {fail_on: red}
""")
    done, told = problems(root, "a.json", "--measurement", "f/m")
    equal(done.returncode, 0, "warnings are no errors")
    equal([(r["line"], r["measurements"], r["rows"], r["decides"]) for r in told["rules"]],
          [(2, 1, 3, 0), (3, 1, 3, 1), (4, 1, 2, 2), (6, 1, 1, 1), (8, 0, 0, 0)], "who decides")
    equal([(p["severity"], p["line"], p["message"], p["hint"]) for p in told["problems"]], [
        ("warning", 2, "this rule never decides: line 3 sets the same of the same rows", "the later of two such rules holds; keep one"),
        ("warning", 6, 'no row of the file matches the key "scor"', 'did you mean "score"?'),
        ("warning", 8, "no measurement of the registry has this family and measurement", "`plumbline search` lists what is there"),
    ], "what does nothing")
    text = root.run("config", "check", "a.json", "--measurement", "f/m").stdout
    check("as f/m, 3 rows" in text and "key ttft_ms, key scor" in text, text)

# No file, no action, no such action.
with Root() as root:
    done = root.run("config", "check")
    check(done.returncode == 2 and "there is no plumbline.yaml" in done.stderr, done.stderr)
    done = root.run("config")
    check(done.returncode == 2 and "config needs to be told what to do" in done.stderr, done.stderr)
    done = root.run("config", "chek")
    check(done.returncode == 2 and 'did you mean "check"?' in done.stderr, done.stderr)

finish()
