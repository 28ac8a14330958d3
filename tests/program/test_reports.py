#!/usr/bin/env python3
"""--report KIND[=FILE]: several forms of one answer in one run, each in its place. JUnit has failures, and GitHub errors, exactly
where the gate trips; JUnit is valid by Jenkins' own schema (junit-10.xsd, of its xunit plugin)."""
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree

from harness import Root, SOURCE, check, equal, finish

SCHEMA = pathlib.Path(__file__).with_name("junit-10.xsd")
HOSTILE = "a,b:c%d \"e\" <f> & 'g' \u202e ]]> ::error::h latency_us"


def valid(text, what):
    done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, "-"], input=text, capture_output=True, text=True)
    equal(done.returncode, 0, f"{what}: {done.stderr}")
    return xml.etree.ElementTree.fromstring(text)


def unescaped(text):
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, character)
    return text


def annotations(text, what):
    """(level, properties, message) of each line, by GitHub's own grammar of workflow commands."""
    out = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        check(match, f"{what}: {line!r} is a workflow command")
        if match:
            pairs = dict(pair.split("=", 1) for pair in match[2].split(","))
            out.append((match[1], {key: unescaped(value) for key, value in pairs.items()}, unescaped(match[3])))
    return out


with Root() as root:
    base = {"busbw_GBps": 300.0, "latency_us": 10.0, HOSTILE: 5.0, "gone": 1.0}
    before = root.write("before.json", base)
    worse = root.write("worse.json", {"busbw_GBps": 200.0, "latency_us": 20.0, HOSTILE: 9.0})
    root.record(before)
    suite_before, suite_worse = (root.write(f"{side}/{case}.json", {"latency_us": value * factor}).parent
                                 for side, factor in (("sb", 1), ("sw", 2)) for case, value in (("one", 10.0),))
    captures = [SOURCE / "scripts" / "demo-data" / name for name in ("profile-before", "profile-after")]
    kinds = {"rows": ("diff", "f/m", worse), "suite": ("diff", suite_before, suite_worse), "captures": ("diff", *captures),
             "profile-diff": ("profile-diff", *captures), "unchanged": ("diff", "f/m", before)}

    # Failures exactly when the gate trips, whatever trips it.
    for name, words in kinds.items():
        for gate in ("never", "red", "yellow", "draft"):
            done = root.run(*words, "--report", "junit", "--fail-on", gate)
            tripped = done.returncode == 1
            check(done.returncode in (0, 1), f"{name} {gate}: {done.stderr}")
            suites = valid(done.stdout, f"{name} {gate}")
            suite = suites.find("testsuite")
            failures = suites.findall(".//failure")
            equal((len(failures) > 0, len(suites.findall(".//error"))), (tripped, 0), f"{name} --fail-on {gate}: failures")
            equal(int(suite.get("failures")), len(failures), f"{name} {gate}: they are counted")
            equal(int(suite.get("tests")), len(suites.findall(".//testcase")), f"{name} {gate}: so are the cases")
            said = annotations(root.run(*words, "--report", "github", "--fail-on", gate).stdout, f"{name} {gate}")
            equal(any(level == "error" for level, _, _ in said), tripped, f"{name} --fail-on {gate}: errors")
            check(len(said) <= 10, f"{name} {gate}: {len(said)} annotations")
    quiet = valid(root.run(*kinds["rows"], "--report", "junit").stdout, "never")
    check("regressed: 300 GB/s -> 200 GB/s" in "".join(case.findtext("system-out", "") for case in quiet.iter("testcase")),
          "without a gate the adverse rows are told all the same")
    check(quiet.find(".//testcase[@name='verdict']") is not None, "and the verdict is a case")

    # Texts of files in annotations end where they end.
    said = annotations(root.run(*kinds["rows"], "--report", "github", "--strict").stdout, "hostile")
    check(any("a,b:c%d" in message for _, _, message in said), "a key is what it was once it is read back")
    equal({properties.get("file") for _, properties, _ in said}, {"worse.json"}, "they name the measured file")
    elsewhere = annotations(root.run(*kinds["rows"], "--report", "github", env={"GITHUB_WORKSPACE": "/nowhere"}).stdout, "elsewhere")
    equal({properties.get("file") for _, properties, _ in elsewhere}, {None}, "a file outside of the checkout is not named")
    many = {f"row_{i}_us": 1.0 for i in range(40)}
    twice = {key: 2.0 for key in many}
    said = annotations(root.run("diff", root.write("m1.json", many), root.write("m2.json", twice), "--report", "github").stdout, "many")
    equal(len(said), 10, "ten of forty")
    check("31 more findings in the bundle" in said[-1][2] or "more findings in the bundle" in said[-1][2], said[-1][2])

    # Several at once, one of them in the place of the table.
    done = root.run("diff", "f/m", worse, "--report", "junit=out.xml", "--report", "md=comment.md", "--report", "json=diff.json",
                    "--report", "csv=rows.csv", "--report", "table=table.txt", "--strict", env={"CLICOLOR_FORCE": "1"})
    equal(done.returncode, 1, "the gate is what it was")
    check(done.stdout.startswith("\x1b["), "the table is printed as ever: " + done.stdout[:80])
    valid((root.path / "out.xml").read_text(), "out.xml")
    check((root.path / "comment.md").read_text().startswith("# RED (DRAFT) f / m: "), "comment.md")
    equal(json.loads((root.path / "diff.json").read_text())["schema"], "plumbline.diff.v1", "diff.json")
    check((root.path / "rows.csv").read_text().startswith("key,metric,"), "rows.csv")
    table = (root.path / "table.txt").read_text()
    check(table.startswith("RED (DRAFT) ") and "\x1b" not in table, "a file has no colours")
    equal(sorted(p.name for p in root.path.iterdir() if "tmp" in p.name), [], "no file is left half written")
    done = root.run("diff", "f/m", worse, "--report", "md=-", "--report", "junit=out.xml", "--md-limit", "600")
    check(done.stdout.startswith("# RED") and len(done.stdout) <= 600, "- is standard output")
    done = root.run("diff", "f/m", worse, "--report", "md=comment.md", "--md-limit", "700", "--json")
    equal((json.loads(done.stdout)["verdict"], len((root.path / "comment.md").read_text()) <= 700), ("RED", True), "with --json")

    # What cannot be, and what to do instead.
    for words, message, hint in [
            (("table", "json"), "two reports cannot both go to standard output: table and json", "--report json=FILE"),
            (("md=x", "json=./x"), "two reports cannot both go to ", "a file of its own"),
            (("junt=x",), '--report must be one of table, json, md, csv, junit, github, native and png, not "junt"', 'did you mean "junit"?'),
            (("md=",), "--report md= names no file", "--report md=FILE"),
            (("md=no/such/folder/x.md",), "does not exist", "mkdir -p ")]:
        done = root.run("diff", "f/m", worse, *[part for word in words for part in ("--report", word)])
        check(done.returncode == 2 and message in done.stderr and hint in done.stderr, f"{words}: {done.stderr}")
    done = root.run("outliers", before, worse, "--report", "junit")
    check("--report must be one of table, json and md" in done.stderr, done.stderr)

    # The summary of the step: behind what is there, and only where annotations are asked for.
    summary = root.write("summary.md", "## build\n")
    for report, wanted in (("md", False), ("github", True)):
        root.run("diff", "f/m", worse, "--report", report, env={"GITHUB_STEP_SUMMARY": str(summary)})
        equal("\n# RED (DRAFT) f / m: " in summary.read_text(), wanted, f"summary of --report {report}")
    check(summary.read_text().startswith("## build\n"), "what other steps said is kept")

    # The other verbs that have reports.
    done = root.run("profile-diff", *captures, "--report", "md=p.md", "--report", "json", "--report", "junit=p.xml")
    equal(json.loads(done.stdout)["schema"], json.loads((pathlib.Path(root.json("profile-diff", *captures)["diff_dir"]) /
                                                         "profile-diff.json").read_text())["schema"], "profile-diff --report json")
    check((root.path / "p.md").read_text().startswith("# RED (DRAFT) "), "profile-diff --report md")
    nodes = root.path / "nodes"
    for i in range(6):
        root.write(f"nodes/n{i}.json", {"busbw_GBps": 300.0 + i, "latency_us": 10.0})
    done = root.run("outliers", nodes, "--report", "md=o.md", "--report", "json=o.json", "--no-bundle")
    check((root.path / "o.md").exists() and json.loads((root.path / "o.json").read_text()) and done.stdout.startswith("GREEN"),
          "outliers: " + done.stdout + done.stderr)
finish()
