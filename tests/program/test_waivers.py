#!/usr/bin/env python3
"""Waivers of plumbline.yaml through the program: what they excuse, what they do not, when they end, and that every report says so."""
import datetime
import json
import os
import re
import subprocess
import xml.etree.ElementTree

from harness import Root, check, codes, equal, finish, rows

TODAY = datetime.datetime.now(datetime.timezone.utc).date()
FAR = "2099-12-31"
BEFORE = {"ttft_p99_ms": [41.0, 42.5, 41.9, 41.5], "itl_ms": [10.0, 10.1, 9.9, 10.0], "tokens_per_second": [910, 905, 914, 911]}
AFTER = {"ttft_p99_ms": [45.0, 45.5, 44.9, 45.2], "itl_ms": [10.0, 10.1, 9.9, 10.0], "tokens_per_second": [908, 911, 912, 909]}


def waiver(key="ttft_p99*", ceiling="12%", until=FAR, reason="the new scheduler", more=""):
    return f'  - match: {{key: "{key}"}}\n    ceiling: {ceiling}\n    until: {until}\n    reason: {reason}\n{more}'


def asked(root, *words):
    done = root.run("diff", "before.json", "after.json", *words, "--json")
    return done, json.loads(done.stdout) if done.stdout else None


# Within its ceiling a row does not count, and nothing of it disappears.
with Root() as root:
    root.write("before.json", BEFORE)
    root.write("after.json", AFTER)
    done, plain = asked(root, "--strict")
    equal((done.returncode, plain["verdict"], plain["counts"]["regressed"], plain["counts"]["waived"]), (1, "YELLOW", 1, 0), "no waiver")
    root.write("plumbline.yaml", "waivers:\n" + waiver(more="    link: https://example.org/issues/123\n"))
    done, waived = asked(root, "--strict", "--fail-on", "yellow")
    equal((done.returncode, waived["verdict"], waived["tier"], codes(waived)), (0, "GREEN", "DRAFT", []), f"waived: {done.stderr}")
    equal((waived["counts"]["regressed"], waived["counts"]["waived"]), (1, 1), "it is regressed all the same")
    terms = {"source": "plumbline.yaml:2", "ceiling": "12%", "until": FAR, "reason": "the new scheduler", "link": "https://example.org/issues/123"}
    row = rows(waived)["ttft_p99_ms"]
    equal((row["state"], row["waiver"]), ("regressed", {"state": "holds", **terms}), "state and waiver")
    equal(waived["waivers"], [{**terms, "expired": False, "waived": 1, "exceeded": 0}], "the list")
    # No number of any row is another one.
    for key, was in rows(plain).items():
        now = dict(rows(waived)[key])
        now.pop("waiver", None)
        equal(now, was, f"{key} is as it was")
    check("1 row is worse and waived (plumbline.yaml:2 until 2099-12-31)" in waived["recommendation"]["message"], waived["recommendation"])
    check(any(text.startswith("waivers: 1 row is worse and excused") for text in waived["promote"]), waived["promote"])
    told = json.load(open(os.path.join(waived["diff_dir"], "diff.json")))
    equal((told["waivers"], told["counts"]["waived"], told["deltas_top20"][0]["waiver"]["state"]), (waived["waivers"], 1, "holds"), "diff.json")
    lines = [json.loads(line) for line in open(os.path.join(waived["diff_dir"], "deltas.jsonl"))]
    equal([line["key"] for line in lines if "waiver" in line], ["ttft_p99_ms"], "deltas.jsonl")

    # Every form says it.
    sentence = "1 row waived until 2099-12-31, up to 12% worse: the new scheduler (plumbline.yaml:2)"
    text = root.run("diff", "before.json", "after.json", "--no-bundle").stdout
    check("regressed (waived)" in text and "1 waived" in text, text)
    check(re.sub(r"\s+", " ", text).find(sentence + ", https://example.org/issues/123") >= 0, text)
    text = root.run("diff", "before.json", "after.json", "--no-bundle", "--report", "md").stdout
    check("**Waivers**" in text and "<https://example.org/issues/123>" in text and "regressed (waived)" in text, text)
    page = open(os.path.join(waived["diff_dir"], "diff.html")).read()
    check("regressed (waived)" in page and "waived until 2099-12-31: the new scheduler" in page and "https://example.org/issues/123" in page, "the page")
    text = root.run("diff", "before.json", "after.json", "--no-bundle", "--report", "github").stdout
    equal([line.split("::")[1].split(" ")[0] for line in text.splitlines()], ["notice", "notice"], f"no warning: {text}")
    check("title=plumbline waiver::1 row waived until" in text and "%0Ahttps://example.org/issues/123" in text, text)
    text = root.run("diff", "before.json", "after.json", "--no-bundle", "--report", "csv").stdout
    check("regressed" in text and "waived until 2099-12-31: the new scheduler" in text, text)
    text = root.run("diff", "before.json", "after.json", "--no-bundle", "--strict", "--report", "junit").stdout
    suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
    equal((suite.get("failures"), suite.get("skipped")), ("0", "1"), "a skipped case")
    case = next(case for case in suite.iter("testcase") if case.get("name") == "ttft_p99_ms")
    check("waived until 2099-12-31: the new scheduler (https://example.org/issues/123)" in case.find("skipped").get("message"), text)

# Beyond its ceiling it counts as if there were no waiver.
with Root() as root:
    root.write("before.json", BEFORE)
    root.write("after.json", {**AFTER, "ttft_p99_ms": [48.0, 48.5, 47.9, 48.2]})
    _, plain = asked(root)
    root.write("plumbline.yaml", "waivers:\n" + waiver())
    done, beyond = asked(root, "--strict")
    equal((done.returncode, beyond["verdict"], codes(beyond)), (1, plain["verdict"], codes(plain) + ["waiver_exceeded"]), "it counts")
    equal((rows(beyond)["ttft_p99_ms"]["waiver"]["state"], beyond["counts"]["waived"]), ("exceeded", 0), "and says so")
    check('the waiver of plumbline.yaml:2 ("the new scheduler") allows 12%, and "ttft_p99_ms" 41.7 -> 48.1 ms (+15.3 %, tolerance 5%)'
          in beyond["reasons"][-1]["message"], beyond["reasons"])
    check("regressed (beyond its waiver)" in root.run("diff", "before.json", "after.json", "--no-bundle").stdout, "the table")
    for ceiling, verdict in (("6.5abs", "GREEN"), ("6.3abs", "YELLOW")):
        root.write("plumbline.yaml", "waivers:\n" + waiver(ceiling=ceiling))
        equal(asked(root)[1]["verdict"], verdict, f"a ceiling of {ceiling}")
    root.write("plumbline.yaml", "waivers:\n" + waiver(ceiling="2pp"))
    equal(asked(root)[1]["verdict"], "YELLOW", "points say nothing of milliseconds")

# Its last day holds, the day after does not; one whose rows are fine must go, too. A gate that was asked for trips.
with Root() as root:
    root.write("before.json", BEFORE)
    root.write("after.json", AFTER)
    root.write("plumbline.yaml", "waivers:\n" + waiver(until=TODAY))
    if datetime.datetime.now(datetime.timezone.utc).date() == TODAY:
        equal(asked(root)[1]["verdict"], "GREEN", "its last day")
    past = TODAY - datetime.timedelta(days=1)
    root.write("plumbline.yaml", "waivers:\n" + waiver(until=past))
    done, over = asked(root, "--strict")
    equal((done.returncode, over["verdict"], codes(over)), (1, "YELLOW", ["few_regressed", "waiver_expired"]), "it counts again")
    equal((rows(over)["ttft_p99_ms"]["waiver"]["state"], over["waivers"][0]["expired"]), ("expired", True), "marked")
    check(f'the waiver of plumbline.yaml:2 ("the new scheduler") ended on {past}: 1 row counts again, so fix the regression or renew the waiver'
          == over["reasons"][-1]["message"], over["reasons"])
    root.write("after.json", BEFORE)
    done, fine = asked(root, "--fail-on", "red")
    equal((done.returncode, fine["verdict"], codes(fine)), (1, "YELLOW", ["waiver_expired"]), "fine, and stale")
    check("none of its rows is worse now, so take it out" in fine["reasons"][0]["message"], fine["reasons"])
    check("waiver_expired: the waiver of plumbline.yaml:2" in fine["gate"]["message"], fine["gate"])
    equal(asked(root)[0].returncode, 0, "without a gate nothing trips")
    equal(asked(root, "--fail-on", "never")[0].returncode, 0, "nor with never")
    done = root.run("config", "check")
    check(done.returncode == 1 and f"this waiver ended on {past}" in done.stdout, done.stdout)

# Gates only where the waiver says so; what vanished never.
with Root() as root:
    root.write("before.json", {"errors": 0, "itl_ms": 10.0, "ttft_ms": 30.0})
    root.write("after.json", {"errors": 3, "itl_ms": 10.0, "ttft_ms": 30.0})
    root.write("plumbline.yaml", "rules:\n  - match: {key: errors}\n    set: {gate: true}\nwaivers:\n" + waiver("errors", "5abs"))
    _, kept = asked(root)
    equal((kept["verdict"], codes(kept)), ("RED", ["gate_failed"]), "a gate is no row like others")
    equal([w["message"] for w in kept["warnings"] if w["code"] == "rule_matches_nothing"],
          ['the waiver of plumbline.yaml:5 ("the new scheduler") does not speak of gates, and 1 gate that it names is worse: only `gate: true` waives those'],
          "it is said")
    root.write("plumbline.yaml", "rules:\n  - match: {key: errors}\n    set: {gate: true}\nwaivers:\n" + waiver("errors", "5abs", more="    gate: true\n"))
    _, gate = asked(root)
    equal((gate["verdict"], codes(gate), rows(gate)["errors"]["waiver"]["state"]), ("GREEN", [], "holds"), "where it says so")
    root.write("after.json", {"itl_ms": 10.0, "ttft_ms": 30.0})
    equal((asked(root)[1]["verdict"], codes(asked(root)[1])), ("RED", ["gate_missing"]), "a gate that vanished")

# A class is judged without its waived rows, too: they neither make it worse nor make room.
with Root() as root:
    before = {f"copy_{i}": {"value": 100.0 + i, "unit": "us"} for i in range(12)}
    root.write("before.json", before)

    def slower(factors):
        root.write("after.json", {key: {"value": one["value"] * factors.get(key, 1.0), "unit": "us"} for key, one in before.items()})

    slower({f"copy_{i}": 1.4 for i in range(8)})
    equal(asked(root)[1]["verdict"], "RED", "most of a class")
    root.write("plumbline.yaml", "waivers:\n" + "".join(waiver(f"copy_{i}.*", "50%") for i in range(8)))
    _, told = asked(root)
    equal((told["verdict"], told["counts"]["waived"]), ("GREEN", 8), f"by waived rows alone: {told['reasons']}")
    slower({f"copy_{i}": 1.4 for i in range(12)})
    equal(asked(root)[1]["verdict"], "RED", "the others by themselves")

# Which waiver counts; those of other measurements; one that does nothing here.
with Root() as root:
    root.write("before.json", BEFORE)
    root.write("after.json", AFTER)
    root.write("plumbline.yaml", "waivers:\n" + waiver("*", "50%", reason="all") + waiver("ttft*", "3%", reason="some") + waiver("ttft*", "20%", reason="later"))
    equal(rows(asked(root)[1])["ttft_p99_ms"]["waiver"]["reason"], "later", "the more specific, of equals the later")
    root.write("plumbline.yaml", 'waivers:\n  - {match: {format: generic-json, key: nosuch}, ceiling: 12%, until: 2099-12-31, reason: a}\n'
               '  - {match: {key: nosuch}, ceiling: 12%, until: 2099-12-31, reason: b}\n  - {match: {family: other, key: "*"}, ceiling: 90%, until: 2099-12-31, reason: c}\n')
    _, idle = asked(root)
    equal(idle["verdict"], "YELLOW", "none is of this row")
    format_name = idle["format"]["baseline"]["name"]
    root.write("plumbline.yaml", (root.path / "plumbline.yaml").read_text().replace("generic-json", format_name))
    _, idle = asked(root)
    equal([w["message"] for w in idle["warnings"] if w["code"] == "rule_matches_nothing"], ['the waiver of plumbline.yaml:2 ("a") matches no row'], "the one that was meant for it")
    root.write("plumbline.yaml", "waivers:\n" + waiver())
    _, other = asked(root, "--policy", "reference")
    equal([w["message"] for w in other["warnings"] if w["code"] == "rule_matches_nothing"],
          ["1 waiver of plumbline.yaml would speak of this measurement, first plumbline.yaml:2, and the policy reference knows none: its rules decide alone"],
          "another rule set")

# A suite: each case by itself, one list for all.
with Root() as root:
    for case in ("a", "b", "c", "d"):
        root.write(f"base/{case}.json", BEFORE)
        root.write(f"new/{case}.json", AFTER if case != "d" else BEFORE)
    equal(json.loads(root.run("diff", "base", "new", "--json", "--no-bundle").stdout)["verdict"], "RED", "three cases")
    root.write("plumbline.yaml", "waivers:\n" + waiver())
    done = root.run("diff", "base", "new", "--json", "--strict")
    told = json.loads(done.stdout)
    equal((done.returncode, told["verdict"], told["counts"]["waived"], told["waivers"][0]["waived"]), (0, "GREEN", 3, 3), f"a suite: {told['reasons']}")
    check("1 row waived" in root.run("diff", "base", "new", "--no-bundle", "--report", "md").stdout, "its cases")

# A bundle is made again on the day of its comparison, whenever that is.
with Root() as root:
    root.record(root.write("before.json", BEFORE))
    root.write("after.json", AFTER)
    root.write("plumbline.yaml", "waivers:\n" + waiver())
    made = root.diff("f/m", root.write("after.json", AFTER))
    equal(made["verdict"], "GREEN", "waived")
    request = json.load(open(os.path.join(made["diff_dir"], "request.json")))
    equal(len(request["day"]), 10, "the day is kept")
    done = root.run("verify", made["diff_dir"], "--recompute", "--json")
    check(json.loads(done.stdout)["ok"], done.stdout)

    # The same bundle from a day on which the waiver held, and one from after it: both come out as they were.
    def turned(day, until, verdict, state):
        folder = os.path.join(os.path.dirname(made["diff_dir"]), f"turned-{day}")
        subprocess.run(["cp", "-r", made["diff_dir"], folder], check=True)

        def change(name, what):
            path = os.path.join(folder, name)
            text = open(path).read()
            open(path, "w").write(what(text))

        rules = next(name for name in os.listdir(os.path.join(folder, "rules")) if name.endswith("plumbline.yaml"))
        change(f"rules/{rules}", lambda text: text.replace(FAR, until))
        change("request.json", lambda text: re.sub(r'"day": "[^"]*"', f'"day": "{day}"', text))
        change("deltas.jsonl", lambda text: text.replace(FAR, until).replace('"state": "holds"', f'"state": "{state}"'))

        def as_diff(text):
            document = json.loads(text)
            document["verdict"] = verdict
            document["reasons"] = [] if verdict == "GREEN" else [{"code": code} for code in ("few_regressed", "waiver_expired")]
            return json.dumps(document)

        change("diff.json", as_diff)
        sums = os.path.join(folder, "SHA256SUMS")
        names = [line[66:].rstrip("\n") for line in open(sums)]
        digests = subprocess.run(["sha256sum", *names], cwd=folder, check=True, capture_output=True, text=True).stdout
        open(sums, "w").write(digests)
        return json.loads(root.run("verify", folder, "--recompute", "--json").stdout)

    told = turned("2020-05-01", "2020-05-01", "GREEN", "holds")
    check(told["ok"], f"the last day, years ago: {told}")
    told = turned("2020-05-02", "2020-05-01", "YELLOW", "expired")
    check(told["ok"], f"the day after: {told}")
    told = turned("2020-05-03", "2020-05-01", "GREEN", "holds")
    check(not told["ok"] and any(p["code"] == "verdict_differs" for p in told["problems"]), f"a verdict that is not that day's: {told}")

# What is wrong with a waiver is said with its place and the nearest right form.
with Root() as root:
    root.write("plumbline.yaml", """waivers:
  - match: {key: a}
    ceiling: 5x
    until: 31.12.2026
    reason: r
  - {match: {key: a}, ceiling: 5%, until: 2026-02-30, reason: r}
  - {match: {key: a}, ceiling: 5%, until: 2026-2-3, reason: r}
  - {match: {key: a}, ceiling: 5%, until: soon, reason: r}
  - {match: {key: a}, ceiling: 5%, until: 12/31/2026, reason: r}
  - {match: {key: a}, ceiling: 5%, until: 2026-12-31T12:00:00Z, reason: r}
  - {match: {family: a}, ceiling: 5%, until: 2026-12-31, reason: r}
  - {match: {key: a}, celing: 5%, until: 2026-12-31, reason: ''}
  - {match: {key: a}, ceiling: 5%, until: 2026-12-31, reason: r, link: javascript:alert(1), gate: maybe}
  - a
""")
    done = root.run("config", "check", "--json")
    equal([(p["line"], p["message"], p["hint"]) for p in json.loads(done.stdout)["problems"]], [
        (3, 'ceiling "5x" is not a number with %, abs or pp', "write 5% (of the baseline), 2abs (in the metric's unit) or 2pp (percentage points)"),
        (4, 'until "31.12.2026" is no day of the calendar', "write 2026-12-31"),
        (6, 'until "2026-02-30" is no day of the calendar', "February 2026 ends on 2026-02-28"),
        (7, 'until "2026-2-3" is no day of the calendar', "write 2026-02-03"),
        (8, 'until "soon" is no day of the calendar', "write year, month and day, for instance 2026-12-31"),
        (9, 'until "12/31/2026" is no day of the calendar', "write year, month and day, for instance 2026-12-31"),
        (10, 'until "2026-12-31T12:00:00Z" is no day of the calendar', "write 2026-12-31"),
        (11, "the match of a waiver needs `key`", '`key: "*"` waives every row, which is seldom meant'),
        (12, "a waiver needs `ceiling`", 'for instance {match: {key: "*p99*"}, ceiling: 12%, until: 2026-12-31, reason: known since the new scheduler}'),
        (12, 'unknown word "celing" in a waiver', 'did you mean "ceiling"?'),
        (12, "reason is a text", ""),
        (13, 'link "javascript:alert(1)" is no address of the web', "write it whole, for instance https://example.org/issues/123"),
        (13, 'gate is true or false, not "maybe"', ""),
        (14, "a waiver is a map", 'for instance {match: {key: "*p99*"}, ceiling: 12%, until: 2026-12-31, reason: known since the new scheduler}'),
    ], "verbatim")
    root.write("a.json", {"a": 1})
    bad = root.run("diff", "a.json", "a.json")
    check(bad.returncode == 2 and 'plumbline.yaml:3:14: ceiling "5x" is not a number' in bad.stderr, bad.stderr)

    # One that is right and does nothing.
    root.write("plumbline.yaml", "waivers:\n" + waiver("ttft") + waiver("ttft_ms", "5%") + "  - {match: {family: no, key: a}, ceiling: 9%, until: 2099-01-01, reason: r}\n")
    root.record(root.write("m.json", {"ttft_ms": [10.0, 10.1, 10.2]}))
    done = root.run("config", "check", "m.json", "--measurement", "f/m", "--json")
    told = json.loads(done.stdout)
    equal([(p["severity"], p["line"], p["message"]) for p in told["problems"]], [
        ("warning", 2, 'no row of the file matches the key "ttft"'),
        ("warning", 6, "its ceiling of 5% is no more than the tolerance of its rows: it waives nothing"),
        ("warning", 10, "no measurement of the registry has this family and measurement")], "findings")
    equal([(w["line"], w["rows"], w["measurements"], w["expired"]) for w in told["waivers"]], [(2, 0, 1, False), (6, 1, 1, False), (10, 0, 0, False)], "counted")
    check("the new scheduler" in root.run("config", "check").stdout, "the table")

finish()
