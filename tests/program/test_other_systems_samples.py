#!/usr/bin/env python3
"""What other systems printed of their own published files, and what we say of the same files in their words. Skipped without the
sample folder; tests on files of our own making are test_native.py, test_other_baselines.py and test_suite_export.py."""
import json

from harness import SAMPLES, Root, check, equal, finish, need_samples

need_samples("bench-envelopes", "msmodeling", "tensorsharp")
ENVELOPES, MSMODELING, DERIVED = SAMPLES / "bench-envelopes", SAMPLES / "msmodeling", SAMPLES / "tensorsharp" / "derived"


def native(root, *words):
    done = root.run("diff", *words, "--no-bundle", "--report", "native")
    equal(done.returncode, 0, f"{words}: {done.stderr}")
    return done.stdout


def inferencebench(root):
    lines = (ENVELOPES / "outputs/strict-exit.tsv").read_text().splitlines()
    equal(len(lines), 12, "outputs of its diff")
    for line in lines:
        name, base, cand, tolerance, report, strict = line.split("\t")
        files = [ENVELOPES / path.split("/")[-1] for path in (base, cand)]
        percent = ("--tolerance-percent", float(tolerance) * 100)
        wanted = (ENVELOPES / f"outputs/{name}.tol{tolerance}.{report}.txt").read_text()
        seen = native(root, *files, *percent, *(["--json"] if report == "json" else []))
        if report == "json":
            wanted, seen = ([line for line in text.split("\n") if "_path\": " not in line] for text in (wanted, seen))
        equal(seen, wanted, f"{name} as {report}")
        done = root.run("diff", *files, "--no-bundle", "--strict", "--json", *percent)
        equal(f"strict={json.loads(done.stdout)['native']['exit_code']}", strict, f"{name}: strict exit")
    envelopes = [path for path in sorted(ENVELOPES.glob("*[0-9a-f]*.json")) if "schema" not in path.name]
    check(len(envelopes) >= 8, f"{len(envelopes)} envelopes")
    for path in envelopes:
        result, said = root.json("verify", path), path.stem.split("-")[-1]
        check(result["ok"] and (said == "baseline" or result["bundle_sha256"].startswith(said)), f"{path.name}: {result['bundle_sha256']}")
    equal(root.json("verify", ENVELOPES / "dot-bench-baseline.json", "--trust", ENVELOPES / "dot-bench-cosign.pub")["trusted"], True, "pinned")


def msmodeling(root):
    cases = sorted((MSMODELING / "cases").glob("*.json"))
    equal(len(cases), 4, "cases")
    for scenario in ("ops", "minus15"):
        summary = (MSMODELING / scenario / "summary-of-all-22-cases.txt").read_text()
        for case in cases:
            text = native(root, case, MSMODELING / scenario / f"{case.stem}.table.txt")
            rows = [line for line in summary.split("\n") if line.startswith(case.stem + " ")]
            equal([line for line in text.split("\n") if line.startswith(case.stem + " ")], rows, f"{scenario}: the rows of {case.stem}")

    # A folder of its tables refills a folder of its cases.
    (root.path / "out").mkdir()
    refused = root.run("export", MSMODELING / "minus15", "--as", "msmodeling", "--refresh", MSMODELING / "cases")
    check("4 cases of 4 cannot become a baseline" in refused.stderr, "15 % faster fails every case there")
    root.json("export", MSMODELING / "ops", "--as", "msmodeling", "--refresh", MSMODELING / "cases", "--reason", "agreed", "--out", "out")
    result = root.diff("out", MSMODELING / "ops", "--no-bundle")
    equal((result["verdict"], result["suite"]["totals"]["passed"], result["counts"]["compared"], result["counts"]["unchanged"]),
          ("GREEN", 4, 84, 84), "refilled cases")


def tensorsharp(root):
    seen = json.loads(native(root, DERIVED / "baseline-windows-vulkan.json", DERIVED / "current", "--json"))
    wanted = json.loads((DERIVED / "derived.findings.json").read_text())
    equal(seen["findings"], wanted["findings"], "the derived findings")
    equal((seen["counts"], seen["exit_code"]), (wanted["counts"], wanted["exit_with_fail_on_regression"]), "counts and exit status")


with Root() as root:
    inferencebench(root)
    msmodeling(root)
    tensorsharp(root)
finish()
