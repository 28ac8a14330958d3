#!/usr/bin/env python3
"""Suites through the program: a folder of baselines against a folder of results, every report of it, its gates, and the refresh."""
import json
import pathlib
import xml.etree.ElementTree

from harness import Root, check, equal, finish


def rfc(expected, **more):
    metrics = {name: {"expected": value, "tolerance_pct": pct} for name, (value, pct) in expected.items()}
    return {"variant": "eagle3", "model": "acme/Tiny-1B", **more, "baselines": metrics}


def suite(root):
    root.write("base/good.json", rfc({"acceptance_rate": (0.73, 10), "ttft_p50_ms": (44.0, 15)}, last_updated="2026-01-05", baseline_commit="abc1234"))
    root.write("base/slow.json", rfc({"speedup": (2.1, 15), "acceptance_rate": (0.73, 10)}))
    root.write("base/fast.json", rfc({"ttft_p50_ms": (44.0, 15), "acceptance_rate": (0.73, 10)}))
    root.write("base/gone.json", rfc({"ttft_p50_ms": (44.0, 15)}))
    root.write("new/good.json", {"acceptance_rate": 0.741, "ttft_p50_ms": 44.8})
    root.write("new/slow.json", {"acceptance_rate": 0.635, "speedup": 1.62})
    root.write("new/fast.json", {"acceptance_rate": 0.73, "ttft_p50_ms": 20.0})
    root.write("new/extra.json", {"acceptance_rate": 0.7, "ttft_p50_ms": 50.0})


def cases(document):
    return {one["case"]: one for one in document["suite"]["cases"]}


with Root() as root:
    suite(root)
    result = root.diff("base", "new")
    equal(result["verdict"], "RED", "verdict")
    equal(result["suite"]["totals"], {"cases": 5, "passed": 2, "failed": 1, "error": 0, "stale": 1, "no_baseline": 0, "untracked": 1, "skipped": 0}, "totals")
    one = cases(json.loads((pathlib.Path(result["diff_dir"]) / "diff.json").read_text()))
    equal({name: case["state"] for name, case in one.items()},
          {"good": "passed", "slow": "failed", "fast": "passed", "gone": "stale", "extra": "untracked"}, "states")
    equal({name: case["native"]["verdict"] for name, case in one.items() if "native" in case},
          {"good": "PASSED", "slow": "FAILED", "fast": "FAILED"}, "the RFC's verdicts")
    equal(one["fast"]["verdict"], "GREEN", "faster than its band is no failure of ours")
    check("native_unjust_failure" in one["fast"]["codes"], "and the difference is named")
    keys = {json.loads(line)["key"]: json.loads(line)["state"] for line in (pathlib.Path(result["diff_dir"]) / "deltas.jsonl").read_text().splitlines()}
    equal(keys.get("slow:spec_decode_acceptance_rate"), "regressed", "a row's key has its case")
    equal(keys.get("gone:median_ttft_ms"), "missing", "rows of a stale case")
    equal(keys.get("extra:median_ttft_ms"), "added", "rows of an untracked case")
    snapshots = sorted(str(p.relative_to(result["diff_dir"])) for p in pathlib.Path(result["diff_dir"]).rglob("*") if "current-snapshot/" in str(p))
    equal(snapshots, [f"current-snapshot/{name}.json" for name in ("extra", "fast", "good", "slow")], "the results are in the bundle")
    equal(root.run("verify", result["diff_dir"]).returncode, 0, "the bundle verifies")
    for name in ("diff.md", "diff.html"):
        text = (pathlib.Path(result["diff_dir"]) / name).read_text()
        check("2 of 5 cases passed, 1 failed, 1 stale, 1 untracked" in text, f"{name} has the totals")
        check("slow" in text and "spec_decode: FAILED" in text, f"{name} has the cases")

    # One exit status, by verdict, by case and by row.
    for words, status in ((("--fail-on", "red"), 1), (("--fail-on", "case_stale"), 1), (("--fail-on", "case_untracked"), 1),
                          (("--fail-on", "case_skipped"), 0), (("--strict",), 1), ((), 0)):
        equal(root.run("diff", "base", "new", "--no-bundle", *words).returncode, status, f"exit with {words}")

    # The table, JUnit, and the RFC's own summary.
    table = root.run("diff", "base", "new", "--no-bundle").stdout
    for text in ("slow", "failed", "gone", "stale", "total  2 of 5 cases passed"):
        check(text in table, f"the table says {text!r}")
    for gate, failures in (((), "0"), (("--fail-on", "red"), "2")):
        junit = xml.etree.ElementTree.fromstring(root.run("diff", "base", "new", "--no-bundle", "--report", "junit", *gate).stdout)
        equal({k: junit.find("testsuite").attrib[k] for k in ("tests", "failures", "errors", "skipped")},
              {"tests": "6", "failures": failures, "errors": "0", "skipped": "2"}, f"JUnit's counts {gate}")
    equal(sorted(case.attrib["name"] for case in junit.iter("testcase")), ["extra", "fast", "gone", "good", "slow", "verdict"],
          "a testcase a case, and the verdict")
    equal(root.run("diff", "base", "new", "--no-bundle", "--report", "native").stdout, """Speculative Decoding Regression Test Summary
============================================
Date: 2026-01-05 | Commit: abc1234

Overall: ✗ FAILED (1/3 variants passing)

Eagle3 - Tiny-1B: ✗ FAIL
  ttft_p50_ms: 20.0 [37.4-50.6] ✗
  acceptance_rate: 0.730 [0.657-0.803] ✓

Eagle3 - Tiny-1B: ✓ PASS
  acceptance_rate: 0.741 [0.657-0.803] ✓
  ttft_p50_ms: 44.8 [37.4-50.6] ✓

Eagle3 - Tiny-1B: ✗ FAIL
  speedup: 1.62x [1.79-2.42] ✗
  acceptance_rate: 0.635 [0.657-0.803] ✗
""", "the RFC's summary")

# One case by itself: the RFC's report, both ways it ends, and its policy.
with Root() as root:
    root.write("eagle3_llama3.1_8b.json", {
        "variant": "eagle3", "model": "meta-llama/Llama-3.1-8B-Instruct", "gpu_type": "L4", "dataset": "ShareGPT", "last_updated": "2025-11-05",
        "baseline_commit": "3481e4074", "baselines": {name: {"expected": value, "tolerance_pct": pct} for name, value, pct in (
            ("match_rate", 0.75, 10), ("acceptance_rate", 0.73, 10), ("ttft_p50_ms", 44.0, 15), ("tpot_p50_ms", 12.3, 15), ("speedup", 2.1, 15))}})
    root.write("pass.json", {"match_rate": 0.765, "acceptance_rate": 0.741, "ttft_p50_ms": 44.8, "tpot_p50_ms": 12.9, "speedup": 2.08, "duration": 272, "num_prompts": 100})
    root.write("fail.json", {"match_rate": 0.765, "acceptance_rate": 0.635, "ttft_p50_ms": 44.8, "tpot_p50_ms": 12.9, "speedup": 1.62, "duration": 258})
    equal(root.run("diff", "eagle3_llama3.1_8b.json", "pass.json", "--no-bundle", "--report", "native").stdout,
          """===== Speculative Decoding Regression Test Results =====

Test: Eagle3 Regression - Llama-3.1-8B-Instruct
Status: ✓ PASSED
Duration: 4m 32s

Baseline: eagle3_llama3.1_8b.json

Metrics (all within tolerance):
  match_rate:       0.765 within [0.675, 0.825] (expected: 0.75 ±10%) ✓
  acceptance_rate:  0.741 within [0.657, 0.803] (expected: 0.73 ±10%) ✓
  ttft_p50_ms:      44.8  within [37.4, 50.6]   (expected: 44.0 ±15%) ✓
  tpot_p50_ms:      12.9  within [10.5, 14.1]   (expected: 12.3 ±15%) ✓
  speedup:          2.08  within [1.79, 2.42]   (expected: 2.10 ±15%) ✓

Details:
  Test Prompts: 100
  GPU: L4
  Dataset: ShareGPT
  Commit: 3481e4074

=======================================================
""", "a run that passes")
    equal(root.run("diff", "eagle3_llama3.1_8b.json", "fail.json", "--no-bundle", "--report", "native").stdout,
          """===== Speculative Decoding Regression Test Results =====

Test: Eagle3 Regression - Llama-3.1-8B-Instruct
Status: ✗ FAILED
Duration: 4m 18s

Regression detected:
  - acceptance_rate: 0.635 outside range [0.657, 0.803] (expected: 0.73 ±10%)
  - speedup: 1.62 outside range [1.79, 2.42] (expected: 2.10 ±15%)

Baseline: eagle3_llama3.1_8b.json
Last updated: 2025-11-05
Commit: 3481e4074

Action Required:
  1. Investigate recent changes to spec decode code
  2. Check if this is an intentional change requiring baseline update
  3. If regression is real, bisect to find problematic commit

=======================================================
""", "a run that fails")
    result = root.diff("eagle3_llama3.1_8b.json", "pass.json", "--policy", "spec_decode")
    equal((result["verdict"], result["native"]["verdict"], len(result["native"]["metrics"])), ("GREEN", "PASSED", 5), "its policy")
    result = root.diff("eagle3_llama3.1_8b.json", "fail.json")
    equal((result["verdict"], result["native"]["verdict"]), ("RED", "FAILED"), "ours beside it")
    low = next(m for m in result["native"]["metrics"] if m["name"] == "speedup")
    equal((low["actual"], low["passed"], low["key"], low["rule"]), (1.62, False, "speedup", "band"), "a metric of the native report")

# Refresh: results become entries of a family, RED ones only when that is said.
with Root() as root:
    suite(root)
    first = root.json("record", "--as", "suite", "--family", "spec", "--source", "new", "--against", "base", "--reason", "quarterly refresh")
    equal([e["case"] for e in first["entries"]], ["extra", "fast", "good"], "what passes is recorded")
    equal([(e["case"], e["state"]) for e in first["left_out"]], [("gone", "stale"), ("slow", "failed")], "what does not is named")
    entry = pathlib.Path(first["entries"][0]["entry_dir"])
    equal(json.loads((entry / "baseline.json").read_text())["reason"], "quarterly refresh", "the reason stands in the entry")
    equal(root.run("verify", entry).returncode, 0, "an entry verifies")
    dry = root.json("record", "--as", "suite", "--family", "spec", "--source", "new", "--reason", "again", "--dry-run")
    equal((dry["dry_run"], [e["case"] for e in dry["entries"]]), (True, ["slow"]), "against the family's own entries; a new case has none")
    equal([e["reason"].split(" as ")[0] for e in dry["left_out"]], ["already recorded"] * 3, "what stands there is not written twice")
    equal(len(list((root.path / "experiments/artifacts/perf-baselines/spec").glob("*/2*"))), 3, "a dry run writes nothing")
    after = root.diff("spec", "new")
    equal({name: case["state"] for name, case in cases(after).items()}, {"extra": "passed", "fast": "passed", "good": "passed", "slow": "untracked"}, "a family as the baselines")
    refused = root.run("record", "--as", "suite", "--family", "spec", "--source", "new")
    equal((refused.returncode, refused.stderr.splitlines()[0]), (2, "plumbline: error: --as suite needs --reason"), "no reason, no refresh")

# What is not the same case is not compared, and what is not compared is not GREEN.
with Root() as root:
    def number(value):
        return {"latency_ms": value, "throughput": 1000 / value}

    def said(base, new):
        for side, files in (("b", base), ("r", new)):
            for name, text in files.items():
                root.write(f"{side}/{name}", text)
        result = root.diff("b", "r")
        for side in "br":
            for path in sorted((root.path / side).rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
        return result["verdict"], {name: case["state"] for name, case in cases(result).items()}

    equal(said({"llama/r.json": number(10)}, {"qwen/r.json": number(10), "phi/r.json": number(10)}),
          ("YELLOW", {"llama/r": "stale", "phi/r": "untracked", "qwen/r": "untracked"}), "folders are part of the case")
    equal(said({"x.json": number(10)}, {"x-20260101.json": number(10), "x-20260102.json": number(10.1), "x-20260103.json": number(30)}),
          ("RED", {"x": "failed"}), "the newest of dated runs is compared: all its rows beyond tolerance")
    equal(said({"x-h100.json": {**number(10), "gpu": "H100"}, "x-a100.json": {**number(5), "gpu": "A100"}}, {"x.json": number(10)}),
          ("YELLOW", {"x": "untracked", "x-a100": "stale", "x-h100": "stale"}), "two hosts and no answer")
    equal(said({"a.json": number(10), "b.json": number(10)}, {"a.json": number(30), "b.json": number(30)}),
          ("RED", {"a": "failed", "b": "failed"}), "totals say what the verdict says")

# A rate in per cent against one as a fraction, and a run of a single metric.
with Root() as root:
    root.write("b.json", rfc({"acceptance_rate": (0.73, 10), "ttft_p50_ms": (44.0, 15)}))
    root.write("r.json", {"acceptance_rate": 73, "ttft_p50_ms": 44})
    result = root.diff("b.json", "r.json")
    equal((result["verdict"], [r["code"] for r in result["reasons"]][0]), ("YELLOW", "unit_mismatch"), "73 is no rate")
    check("native_unjust_failure" not in [r["code"] for r in result["reasons"]], "and nothing is better for it")
    root.write("one.json", rfc({"acceptance_rate": (0.73, 10)}))
    root.write("run.json", {"acceptance_rate": 0.72})
    equal(root.diff("one.json", "run.json")["native"]["verdict"], "PASSED", "one metric is a run")
    root.write("list.json", {"variant": "mtp", "model": "m", "metrics": {"acceptance_rates_per_position": {"expected": [0.8, 0.5], "tolerance_pct": 15}}})
    root.write("lists.json", {"acceptance_rates_per_position": [0.82, 0.2]})
    result = root.diff("list.json", "lists.json")
    equal((result["verdict"], result["native"]["verdict"]), ("RED", "FAILED"), "the list that export writes is read of a run")
    root.write("broken.json", {"backend": "vllm", "model_id": "m", "num_prompts": 100, "request_rate": "inf", "completed": 50, "failed": 50, "request_throughput": 1,
                               "output_throughput": 10, "total_token_throughput": 20, "median_ttft_ms": 44.0, "median_tpot_ms": 5, "p99_ttft_ms": 60, "spec_decode_acceptance_rate": 73.0})
    refused = root.run("export", "broken.json", "--as", "spec_decode", "--refresh", "b.json")
    equal((refused.returncode, refused.stderr.splitlines()[0]), (2, f"plumbline: error: {root.path}/broken.json: the run failed: failed is 50"), "a broken run is no expectation")

# A new baseline file of the RFC: metrics, tolerances and form stay; the same input gives the same bytes; worse needs a reason.
with Root() as root:
    old = {"variant": "mtp", "model": "acme/Tiny-1B", "hardware": "H100", "metrics": {
        "acceptance_rate": {"expected": 0.73, "tolerance_pct": 10}, "match_rate": {"expected": 0.75, "tolerance_pct": 10},
        "acceptance_rates_per_position": {"expected": [0.8, 0.5], "tolerance_pct": 15}}, "last_updated": "2026-01-05"}
    root.write("old.json", old)
    root.write("run.json", {"acceptance_rate": 0.7, "acceptance_length": 2.4, "acceptance_rate_at_position.0": 0.82, "acceptance_rate_at_position.1": 0.2})
    refused = root.run("export", "run.json", "--as", "spec_decode", "--refresh", "old.json")
    equal((refused.returncode, refused.stderr.splitlines()[0]),
          (2, "plumbline: error: this would make a regression the expectation: acceptance_rate_at_position.1 0.200 outside >= 0.425"), "worse without a reason")
    words = ("export", "run.json", "--as", "spec_decode", "--refresh", "old.json", "--reason", "new draft model", "--captured-at", "2026-02-01T10:00:00Z")
    text = root.run(*words).stdout
    equal(json.loads(text), {**old, "metrics": {
        "acceptance_rate": {"expected": 0.7, "tolerance_pct": 10}, "match_rate": {"expected": 0.75, "tolerance_pct": 10},
        "acceptance_rates_per_position": {"expected": [0.82, 0.2], "tolerance_pct": 15}}, "last_updated": "2026-02-01", "notes": "new draft model"}, "the file")
    equal(root.run(*words).stdout, text, "byte for byte")
    root.write("again.json", text)
    equal(root.run("export", "again.json", "--as", "spec_decode").stdout, text, "written again")

finish()
