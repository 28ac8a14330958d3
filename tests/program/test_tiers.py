#!/usr/bin/env python3
"""Tiers of plumbline.yaml: what is asked of a pull request is not what is asked of a night. Rules, waivers, cases and how often to
run, by --tier or PLUMBLINE_TIER; and the bundle that was judged under one is made again under it."""
import json
import os

from harness import Root, check, equal, finish, rows

FILE = """rules:
  - match: {key: "*p99*"}
    set: {tolerance: 10%}
tiers:
  smoke:
    set: {tolerance: 20%, fail_on: red}
    cases: ["decode*"]
    run: {n: 3, budget: 2min}
  nightly:
    rules:
      - match: {key: itl_ms}
        set: {tolerance: 1%}
    waivers:
      - match: {key: ttft_p99_ms}
        ceiling: 50%
        until: 2099-12-31
        reason: known at night
  weekly:
"""
BEFORE = {"ttft_p99_ms": 40.0, "itl_ms": 10.0}
AFTER = {"ttft_p99_ms": 46.0, "itl_ms": 10.3}


def tolerances(result):
    return {key: row["tolerance"]["value"] for key, row in rows(result).items()}


with Root() as root:
    root.write("plumbline.yaml", FILE)
    root.write("a.json", BEFORE)
    root.write("b.json", AFTER)
    plain = root.diff("a.json", "b.json")
    equal((tolerances(plain), "project_tier" in plain), ({"ttft_p99_ms": 10, "itl_ms": 5}, False), "no tier")
    smoke = root.diff("a.json", "b.json", "--tier", "smoke")
    equal((tolerances(smoke), smoke["project_tier"]), ({"ttft_p99_ms": 10, "itl_ms": 20}, "smoke"), "its default beside the more specific rule")
    equal((smoke["gate"]["tripped"], "gate" in plain), (False, False), "its fail_on")
    night = root.diff("a.json", "b.json", "--tier", "nightly")
    equal((tolerances(night), night["counts"]["waived"], rows(night)["itl_ms"]["state"]), ({"ttft_p99_ms": 10, "itl_ms": 1}, 1, "regressed"), "its rules and waivers")
    equal(rows(night)["ttft_p99_ms"]["waiver"]["source"], "plumbline.yaml:14", "with its line")
    equal(tolerances(root.diff("a.json", "b.json", "--tier", "weekly")), tolerances(plain), "a tier that asks for nothing more")

    # The surroundings may name it; a flag is stronger. A name that is not there is an error, also from the surroundings.
    equal(root.diff("a.json", "b.json", env={"PLUMBLINE_TIER": "nightly"})["project_tier"], "nightly", "PLUMBLINE_TIER")
    equal(root.diff("a.json", "b.json", "--tier", "smoke", env={"PLUMBLINE_TIER": "nightly"})["project_tier"], "smoke", "the flag is stronger")
    for done in (root.run("diff", "a.json", "b.json", "--tier", "nigthly"), root.run("diff", "a.json", "b.json", env={"PLUMBLINE_TIER": "nigthly"})):
        equal((done.returncode, done.stderr.splitlines()), (2, ['plumbline: error: there is no tier "nigthly" in plumbline.yaml', 'hint: did you mean "nightly"?']), "the nearest")
    check("hint: tiers are smoke, nightly and weekly" in root.run("diff", "a.json", "b.json", "--tier", "x").stderr, "all of them")

    # The text and the page say it; so does the bundle, which is made again under it whatever the surroundings say then.
    check("tier nightly" in root.run("diff", "a.json", "b.json", "--tier", "nightly", "--no-bundle").stdout, "on the terminal")
    check("Tier `nightly` of plumbline.yaml" in open(os.path.join(night["diff_dir"], "diff.md")).read(), "diff.md")
    made = root.diff("a.json", "b.json", env={"PLUMBLINE_TIER": "nightly"})
    for env in ({}, {"PLUMBLINE_TIER": "smoke"}, {"PLUMBLINE_TIER": "gone"}):
        told = json.loads(root.run("verify", made["diff_dir"], "--recompute", "--json", env=env).stdout)
        check(told["ok"], f"made again under {env}: {told['problems']}")

    # Suites: the cases that the tier asks for, and none else, neither compared nor missed.
    for case in ("decode-8", "decode-16", "prefill-8", "prefill-16"):
        root.write(f"base/{case}.json", BEFORE)
        if case != "prefill-16":
            root.write(f"new/{case}.json", BEFORE)
    told = root.diff("base", "new", "--no-bundle")
    equal((told["verdict"], told["suite"]["totals"]["cases"]), ("YELLOW", 4), "all cases: one is stale")
    told = root.diff("base", "new", "--no-bundle", "--tier", "smoke")
    equal((told["verdict"], told["suite"]["totals"]["cases"], told["suite"]["totals"]["left_out"]), ("GREEN", 2, 2), f"its cases: {told['reasons']}")
    check("2 of 2 cases passed; 2 left out by the tier" in root.run("diff", "base", "new", "--no-bundle", "--tier", "smoke").stdout, "said")
    root.write("plumbline.yaml", FILE.replace('"decode*"', "decod-8"))
    done = root.run("diff", "base", "new", "--no-bundle", "--tier", "smoke")
    equal((done.returncode, done.stderr.splitlines()[:2]),
          (2, ['plumbline: error: none of the 4 cases is one of the tier "smoke": "decod-8"', 'hint: did you mean "decode-8"?']), "none of its cases")

# run: how often, where no flag says it.
with Root() as root:
    root.write("plumbline.yaml", FILE)
    command = ("--", "sh", "-c", "echo '{\"itl_ms\": 10.0}'")

    def trials(*more, env=None):
        done = root.run("run", *more, "--repo-root", root.path, "--json", *command, env=env)
        check(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)["sides"][0]["trials"]

    def count(side):
        return side if isinstance(side, int) else len(side)

    equal(count(trials("--tier", "smoke")), 3, "n of the tier")
    equal(count(trials("--tier", "smoke", "-n", "2")), 2, "a flag is stronger")
    equal(count(trials(env={"PLUMBLINE_TIER": "smoke"})), 3, "by the surroundings")

# What is wrong in a tier is said with its place; config check shows them and tries one.
with Root() as root:
    root.write("a.json", BEFORE)
    root.write("plumbline.yaml", """tiers:
  Smoke: {}
  nightly: {rulez: [], run: {n: few, max_runs: x}, set: {tolerance: 5x}}
  weekly: 7
  monthly: {waivers: [{match: {key: a}, ceiling: 5%, until: 2020-01-01, reason: r}]}
""")
    done = root.run("config", "check", "--json")
    equal([(p["line"], p["message"]) for p in json.loads(done.stdout)["problems"]], [
        (2, "the name of a tier is a word of lower-case letters, digits, `-` and `_`"),
        (3, 'unknown word "rulez" in a tier'),
        (3, 'n is a number of trials or auto, not "few"'),
        (3, 'max_runs is a whole number, not "x"'),
        (3, 'tolerance "5x" is not a number with %, abs or pp'),
        (4, "a tier is a map"),
        (5, "this waiver ended on 2020-01-01, and every gate it speaks of fails until it is gone"),
    ], "places")
    root.write("plumbline.yaml", FILE)
    told = root.json("config", "check", "a.json")
    equal((told["tiers"], len(told["rules"])), (["smoke", "nightly", "weekly"], 1), "their names")
    told = root.json("config", "check", "a.json", "--tier", "nightly")
    equal([(rule["line"], rule["decides"]) for rule in told["rules"]], [(2, 1), (11, 1)], "and one of them")
    root.write("plumbline.yaml", "rules: []\n")
    done = root.run("diff", "a.json", "a.json", "--tier", "smoke")
    check(done.returncode == 2 and 'there is no tier "smoke": plumbline.yaml has none' in done.stderr, done.stderr)

finish()
