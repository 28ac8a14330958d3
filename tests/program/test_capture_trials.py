#!/usr/bin/env python3
"""Several captures a side through the program: the verdict that one pair cannot give, what is listed of every capture, entries of
several captures, and what is refused."""
import hashlib
import json
import os
import pathlib
import subprocess

import jsonschema

import serving
from harness import PLUMBLINE, SOURCE, Root, check, equal, finish
from traces import captures, trace

HOST = ("--context", "environment.hostname=node-1")
SCHEMAS = {name: json.loads((SOURCE / "schemas" / f"{name}.json").read_text()) for name in ("plumbline.profile-diff.v1", "plumbline.result.profile-diff.v1")}


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def whole(result):
    return json.loads((pathlib.Path(result["diff_dir"]) / "profile-diff.json").read_text())


def refused(root, message, hint, *words):
    done = root.run(*words)
    equal(done.returncode, 2, f"{message}: exit status")
    equal(done.stderr.splitlines()[:2], [f"plumbline: error: {message}", f"hint: {hint}"], "what is said")


with Root() as root:
    a = captures(root.path, "a", (1000, 1010, 990))
    b = captures(root.path, "b", (1100, 1090, 1110))
    same = captures(root.path, "same", (1003, 1008, 996))

    # Three against three: every capture is listed, the pair in the middle explained, and the test stands beside the wall.
    result = root.json("profile-diff", "--baseline", *a, "--candidate", *b)
    equal((result["verdict"], result["tier"]), ("RED", "DRAFT"), "files prove no provenance")
    equal(result["promote"], ["same node: record and compare with environment.hostname equal on both sides",
                              "provenance: the baseline is no verified registry entry; record it"], "what is lacking")
    jsonschema.Draft7Validator(SCHEMAS["plumbline.result.profile-diff.v1"]).validate(result)
    diff = whole(result)
    jsonschema.Draft7Validator(SCHEMAS["plumbline.profile-diff.v1"]).validate(diff)
    for side, files in (("baseline", a), ("candidate", b)):
        trials = diff[side]["trials"]
        equal([t["path"] for t in trials], files, f"{side}: in the order given")
        equal([t["sha256"] for t in trials], [sha256(f) for f in files], f"{side}: digests")
        equal([t["bytes"] for t in trials], [pathlib.Path(f).stat().st_size for f in files], f"{side}: sizes")
        equal([t["steps"] for t in trials], [11, 11, 11], f"{side}: steps")
        explained = [t for t in trials if t["explained"]]
        equal(len(explained), 1, f"{side}: one is explained")
        equal((diff[side]["path"], diff[side]["sha256"]), (explained[0]["path"], explained[0]["sha256"]), f"{side}: it is the side's")
        equal(sorted(t["wall_ns"] for t in trials)[1], explained[0]["wall_ns"], f"{side}: it is the median")
    wall = diff["wall"]["trials"]
    equal((wall["baseline"], wall["candidate"], wall["tested"], wall["state"], wall["p"]), (3, 3, True, "regressed", 0.05), "the test")
    check(wall["interval_pct"][0] > 5, f"the interval lies above the gate: {wall['interval_pct']}")
    gemm = next(c for c in diff["contributors"] if c["name"] == "ampere_sgemm_128x64_tn")
    equal(gemm["trials"]["apart"], True, "all captures of the candidate took longer for it")
    check(gemm["trials"]["candidate"]["min_ns"] > gemm["trials"]["baseline"]["max_ns"], "which the figures say")
    pair = sum(c["delta_ns"] for c in diff["contributors"]) + diff["wall"]["residual_ns"]
    equal(pair, diff["wall"]["delta_ns"], "the pair's contributors sum as ever")
    bundle = pathlib.Path(result["diff_dir"])
    equal((bundle / "baseline-ref.txt").read_text().splitlines(), a, "the bundle lists its baselines")
    for name in ("profile-diff.md", "diff.html"):
        text = (bundle / name).read_text()
        check(all(sha256(f)[:12] in text for f in a + b), f"{name} lists every capture")
    equal(json.loads(root.run("verify", str(bundle), "--json").stdout)["ok"], True, "the bundle verifies")

    # One of each: as ever.
    alone = whole(root.json("profile-diff", a[0], b[0]))
    check("trials" not in alone["baseline"] and "trials" not in alone["wall"], "a pair has no trials")
    check(all("trials" not in c for c in alone["contributors"]), "nor have its contributors")
    equal(alone["promote"], ["three or more captures of each side: one capture a side shows no spread"], "what would give a VERDICT")

    # An entry of three captures: recorded as trials, digests checked before they are believed, VERDICT both ways.
    entry = root.json("record", "--family", "train", "--measurement", "step", "--source", a[0], "--trials", *a[1:], *HOST)
    baseline = json.loads(pathlib.Path(entry["baseline_json"]).read_text())
    equal((baseline["trials"], baseline["tier"]), (3, "VERDICT"), "what the entry says of itself")
    equal(sorted(p.name for p in pathlib.Path(entry["entry_dir"]).glob("source-snapshot*")),
          ["source-snapshot.2.json", "source-snapshot.3.json", "source-snapshot.json"], "copies of all")
    for files, verdict, code in ((same, "GREEN", []), (b, "RED", ["wall_regressed"])):
        result = root.json("diff", "train/step", "--current", *files, *HOST)
        equal((result["verdict"], result["tier"], result["promote"], [r["code"] for r in result["reasons"]]), (verdict, "VERDICT", [], code), files[0])
    named = whole(result)["baseline"]["trials"]
    equal([t["sha256"] for t in named], [sha256(f) for f in a], "the entry's copies were read")
    unsaid = root.json("diff", "train/step", "--current", *b, "--no-bundle")
    equal((unsaid["verdict"], unsaid["tier"]), ("RED", "DRAFT"), "without the host")

    copy = pathlib.Path(entry["entry_dir"]) / "source-snapshot.2.json"
    os.chmod(copy, 0o644)
    os.chmod(copy.parent, 0o755)
    text = copy.read_text()
    copy.write_text(text.replace("1.0", "1.1", 1) + " ")
    done = root.run("diff", "train/step", "--current", *same, *HOST)
    check(done.returncode == 2 and "source-snapshot.2.json" in done.stderr, f"a changed trial is an error, not a verdict: {done.stderr}")

    # Folders, and several files of either side.
    for folder, files in (("old", a), ("new", b)):
        (root.path / folder).mkdir()
        for file in files:
            (root.path / folder / pathlib.Path(file).name).write_bytes(pathlib.Path(file).read_bytes())
    for words in ((str(root.path / "old"), str(root.path / "new"), "--as", "trials"), ("--baseline", *a, "--current", *b)):
        result = root.json("diff", *words)
        equal((result["verdict"], whole(result)["wall"]["trials"]["state"]), ("RED", "regressed"), words[0])
    # Folders of ranks are one trial each.
    for run in range(3):
        for rank in range(2):
            place = root.path / "ranked" / f"run{run}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"rank{rank}.json").write_text(trace(1000 + run, seed=f"{run}{rank}"))
    result = root.json("diff", "--baseline", *a, "--current", str(root.path / "ranked"), "--as", "trials")
    equal([t["path"] for t in whole(result)["candidate"]["trials"]], [str(root.path / "ranked" / f"run{run}") for run in range(3)], "three folders")

    # What is refused, and how.
    other = root.path / "b200.json"
    other.write_text(trace(1000, gpu="NVIDIA B200"))
    older = root.path / "older.json"
    older.write_text(trace(1000, cuda=12020))
    number = root.path / "number.json"
    number.write_text('{"busbw_GBps": 300}')
    again = root.path / "again.json"
    again.write_text('{"busbw_GBps": 301}')
    kept = "trials are repeated runs of one measurement; compare different ones one by one"
    refused(root, 'trials must have the same context: hardware.gpu is "NVIDIA H100 80GB HBM3" in a1.json and "NVIDIA B200" in b200.json', kept,
            "profile-diff", "--baseline", a[0], str(other), "--candidate", *b)
    refused(root, 'trials must have the same context: stack.cuda is "12.4" in a1.json and "12.2" in older.json',
            "trials are repeated captures of one program; compare different ones one by one",
            "record", "--family", "f", "--measurement", "m", "--source", a[0], "--trials", str(older))
    refused(root, f"{a[0]} is given twice: one capture is one trial", "capture another run for another trial",
            "profile-diff", "--baseline", a[0], a[0], "--candidate", *b)
    refused(root, "4 captures without flags: which are the baseline's and which the candidate's cannot be told",
            f"`--baseline {a[0]} {a[1]} --candidate {b[0]} {b[1]}`", "profile-diff", *a[:2], *b[:2])
    refused(root, "trials must be of one shape: b1.json is a capture, number.json is none", "give --current captures or measurements, not both",
            "diff", "--baseline", *a, "--current", b[0], str(number))
    refused(root, "--baseline is measurements but --current is a capture: number.json", "compare captures with captures",
            "diff", "--baseline", str(number), str(again), "--current", *b)
    refused(root, "trials must be of one shape: a1.json is a capture, number.json is none", "record captures with captures",
            "record", "--family", "f", "--measurement", "m", "--source", a[0], "--trials", str(number))
    refused(root, "an entry of several captures holds copies of all of them, and a1.json would be its digest only",
            "`--snapshot copy` keeps it whatever its size",
            "record", "--family", "f", "--measurement", "m", "--source", a[0], "--trials", a[1], "--snapshot", "reference")
    check(not (root.path / "experiments/artifacts/perf-baselines/f").exists(), "a refusal creates nothing")

    # A copy is no further run.
    twin = root.path / "twin.json"
    twin.write_bytes(pathlib.Path(a[0]).read_bytes())
    result = root.json("profile-diff", "--baseline", *a, str(twin), "--candidate", *b)
    check("identical_trials" in [w["code"] for w in result["warnings"]], "copies are said")
    equal(result["promote"][0], "captures of further runs: 1 capture is a copy of another of its side", "and make no VERDICT")

    # --redact keeps all of them, made of what is harmless.
    entry = root.json("record", "--family", "clean", "--measurement", "step", "--source", a[0], "--trials", *a[1:], *HOST, "--redact")
    result = root.json("diff", "clean/step", "--current", *same, *HOST)
    equal((result["verdict"], result["tier"]), ("GREEN", "VERDICT"), "redacted copies compare like the captures")

    # An agent gets the same answer.
    server = subprocess.Popen([PLUMBLINE, "serve", "--stdio", "--repo-root", str(root.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with server:
        client = serving.Lines.of(server)
        result = client.value("profile_diff", baseline=a[0], baseline_trials=a[1:], candidate=b[0], candidate_trials=b[1:])
        equal((result["verdict"], result["wall"]["trials"]["candidate"]), ("RED", 3), "over MCP")
        server.stdin.close()

finish()
