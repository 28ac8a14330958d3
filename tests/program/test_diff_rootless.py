#!/usr/bin/env python3
"""diff and profile-diff where nothing names a root: files are compared, no bundle is kept, and that is said."""
import json
import os
import pathlib
import subprocess
import tempfile

import serving
from harness import PLUMBLINE, SOURCE, Root, check, equal, finish


def run(*words, cwd):
    """In a folder that no git work tree encloses, and without a root in the environment."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
    return subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, cwd=cwd, env=environment)


def flat(text):
    return " ".join(text.split())


def said(folder):
    return ("no bundle was written, for no git work tree encloses "
            f"{folder}: `--out DIR` writes it there, `--repo-root DIR` keeps it in a registry\n")


with Root() as root:
    here = root.path
    root.write("a.json", {"busbw_GBps": 300.0})
    root.write("b.json", {"busbw_GBps": 240.0})

    done = run("diff", "a.json", "b.json", cwd=here)
    equal((done.returncode, done.stderr), (0, ""), "two files need no root")
    check(flat(said(here)) in flat(done.stdout), "the table says that there is no bundle: " + done.stdout)
    check(done.stdout.startswith("RED (DRAFT) adhoc / generic-json: "), "the answer is whole: " + done.stdout)
    equal(sorted(p.name for p in here.iterdir()), ["a.json", "b.json"], "nothing was written")

    result = json.loads(run("diff", "a.json", "b.json", "--json", cwd=here).stdout)
    equal((result["verdict"], result["diff_dir"]), ("RED", None), "the result tells of no bundle")
    equal([w["code"] for w in result["warnings"]], ["no_bundle_written"], "and warns")
    equal(run("diff", "a.json", "b.json", "--no-bundle", cwd=here).stderr, "", "who wants no bundle is not told that there is none")
    equal(run("diff", "a.json", "b.json", "--strict", cwd=here).returncode, 1, "the gate is decided as ever")

    done = run("diff", "a.json", "b.json", "--out", "kept", "--json", cwd=here)
    result = json.loads(done.stdout)
    equal((done.returncode, done.stderr, result["diff_dir"]), (0, "", str(here / "kept")), "--out alone keeps the bundle")
    check("plumbline://" not in json.dumps(result), "a bundle outside of a registry is no resource")
    check({"diff.json", "diff.md", "deltas.jsonl", "SHA256SUMS"} <= {p.name for p in (here / "kept").iterdir()}, "it is whole")
    equal(run("verify", "kept", cwd=here).returncode, 0, "and verifies")
    check(not (here / "experiments").exists(), "no registry was made")

    done = run("diff", "a.json", "b.json", "--repo-root", here, "--json", cwd=here)
    check(json.loads(done.stdout)["diff_dir"].startswith(str(here / "experiments")), "--repo-root keeps it in a registry")

    for reference in ("demo/throughput", "demo/throughput@newest"):
        equal(run("diff", reference, "b.json", cwd=here).stderr,
              f"plumbline: error: cannot tell the repository root: no git work tree encloses {here}\n"
              "hint: --repo-root . keeps entries in this folder; in a git work tree they go to its root, and PLUMBLINE_ROOT or PROFILE_AND_OPTIMIZE_REPO_ROOT names another\n",
              "a registry is needed for what only a registry has")
    equal(run("diff", "a.json", "b.json", "--repo-root", "absent", cwd=here).returncode, 2, "a root that is named must be there")

    # Captures.
    before, after = (SOURCE / "scripts" / "demo-data" / name for name in ("profile-before", "profile-after"))
    done = run("profile-diff", before, after, cwd=here)
    equal((done.returncode, flat(said(here)) in flat(done.stdout)), (0, True), "captures need none either: " + done.stdout)
    equal(run("diff", before, after, cwd=here).returncode, 0, "nor as the sides of a diff")
    run("profile-diff", before, after, "--out", "report.md", cwd=here)
    check((here / "report.md").read_text().startswith("# "), "--out FILE is the report still")
    done = run("profile-diff", before, after, "--out", "captures/", "--json", cwd=here)
    equal((done.returncode, json.loads(done.stdout)["diff_dir"]), (0, str(here / "captures")), "--out DIR/ keeps the bundle")
    equal(run("verify", "captures", cwd=here).returncode, 0, "which verifies")

with Root() as root, tempfile.TemporaryDirectory() as nowhere:
    # An agent gets the same answer.
    for name, value in (("a.json", 300.0), ("b.json", 240.0), ("c.json", 300.1), ("d.json", 300.2), ("e.json", 240.1), ("f.json", 240.2)):
        (pathlib.Path(nowhere) / name).write_text(json.dumps({"busbw_GBps": value}))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
    server = subprocess.Popen([PLUMBLINE, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=nowhere, env=environment)
    with server:
        client = serving.Lines.of(server)
        result = client.value("perf_baseline_diff", baseline="a.json", current=["b.json"])
        equal((result["verdict"], [w["code"] for w in result["warnings"]]), ("RED", ["no_bundle_written"]), "over MCP, too")
        several = {"baseline": "a.json", "baseline_trials": ["c.json", "d.json"], "current": ["b.json", "e.json", "f.json"]}
        equal(client.value("perf_baseline_diff", **several)["counts"]["regressed"], 1, "three against three")
        for empty in ({"baseline": [], "current": ["b.json"]}, {"baseline": "a.json", "current": []}):
            name = next(key for key, value in empty.items() if not value)
            equal(client.problem("perf_baseline_diff", **empty)["message"], f"the following arguments are required: {name}", "nothing is no side")
        server.stdin.close()

finish()
