#!/usr/bin/env python3
"""msmodeling and TensorSharp through the program: what `native` says of generated files is what an implementation of their rules in
this file says; their reports and files byte for byte."""
import json
import random
import re

from harness import Root, check, equal, finish

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def run(root, *arguments, exit_status=0):
    done = root.run(*arguments)
    equal(done.returncode, exit_status, f"exit of {arguments}: {done.stderr.strip()}")
    return done.stdout


# --- msmodeling's rules, from their description


def table_text(total_ms, operators):
    width = max([len(name) for name, _, _ in operators] + [4])
    rule = "  ".join(["-" * width, "-" * 14, "-" * 12, "-" * 10])
    lines = [rule, "  ".join(["Name".center(width), "analytic total", "analytic avg", "# of Calls"]), rule]
    for name, ms, calls in operators:
        lines.append("  ".join([name.ljust(width), f"{ms:.3f}ms".rjust(14), f"{ms / calls:.3f}ms".rjust(12), str(calls).rjust(10)]))
    return "\n".join(lines + [rule, f"Total time for analytic: {total_ms:.3f}ms"]) + "\n"


def printed(text):
    value, unit = re.search(r"Total time for analytic:\s*([\d.]+)\s*(ns|us|ms|s)", text).groups()
    rows = re.findall(r"^(\S+) +([\d.]+)(ns|us|ms|s) +\S+ +(\d+)$", text, re.M)
    return float(value) * UNITS[unit], [(name, float(ms) * UNITS[u], int(calls)) for name, ms, u, calls in rows]


def expected_of(case, text):
    actual, operators = printed(text)
    failed = []
    for name, reference, default in (("INIT", case["initial_time_s"], 0.1), ("BASE", case["baseline_time_s"], 0.2)):
        tolerance = case.get({"INIT": "initial_tolerance", "BASE": "baseline_tolerance"}[name], default)
        if reference > 0 and not abs((actual - reference) / reference) <= tolerance:
            failed.append(name)
    if case["initial_time_s"] == 0 and case["baseline_time_s"] == 0:
        status = "NO_BASELINE"
    else:
        status = {0: "PASS", 1: f"FAIL({failed[0] if failed else ''})", 2: "FAIL(BOTH)"}[len(failed)]
    top = case.get("operator_top_n", 10)
    known = {one["name"]: one for one in case["operators"]}
    largest = dict(sorted(known.items(), key=lambda item: -item[1]["total_time_s"])[:top])
    found = []
    shown = operators[:top]
    for name in sorted(set(largest) - {name for name, _, _ in shown}):
        found.append((name, "missing", False))
    for name, seconds, calls in shown:
        if name not in largest:
            found.append((name, "new", False))
            continue
        before = largest[name]["total_time_s"]
        differ = largest[name]["num_calls"] > 0 and calls != largest[name]["num_calls"] and before != 0
        drift = before != 0 and abs((seconds - before) / before) > case.get("operator_tolerance", 0.1)
        if drift or differ:
            found.append((name, "drift", differ))
    return status, found


def findings_of(native):
    return [(o["name"], o["state"], o["calls_mismatch"]) for o in native["operators"] if o["state"] != "pass"]


def msmodeling(root):
    dice = random.Random(20261122)
    for number in range(40):
        names = [f"op.{i}.default" for i in range(dice.randint(1, 14))]
        operators = [{"name": n, "total_time_s": dice.choice([0.0, round(dice.uniform(1e-4, 0.05), 6)]), "num_calls": dice.choice([0, 3, 8])}
                     for n in names]
        case = {"type": "text", "name": "case", "description": "d", "initial_time_s": dice.choice([0, 0.1]),
                "baseline_time_s": dice.choice([0, 0.1, 0.12]), "operators": operators, "user_input": {"device": "NPU"}}
        if dice.random() < 0.5:
            case["operator_top_n"] = dice.randint(1, 12)
        now = [(o["name"], max(o["total_time_s"], 1e-4) * 1000 * dice.choice([1, 1, 1.05, 0.8, 1.3]), dice.choice([o["num_calls"] or 2, 3]))
               for o in operators if dice.random() < 0.9] + [("fresh.op", 5.0, 1)] * dice.randint(0, 1)
        text = table_text(dice.choice([100, 104, 115, 84, 130]), sorted(now, key=lambda o: -o[1]) or [("only", 1.0, 1)])
        path, table = root.write("case.json", case), root.write("case.table.txt", text)
        native = json.loads(run(root, "diff", path, table, "--policy", "msmodeling", "--no-bundle", "--report", "native", "--json"))
        status, found = expected_of(case, text)
        equal(native["status"], status, f"status of case {number}")
        equal(sorted(findings_of(native)), sorted(found), f"operators of case {number}")
        equal(native["exit_code"], 1 if status.startswith("FAIL") else 0, f"exit code of case {number}")
    report = run(root, "diff", path, table, "--policy", "msmodeling", "--no-bundle", "--report", "native")
    check(report.startswith("\n" + "=" * 120 + "\n  [Test 1] Total Time Regression Summary\n"), "the first table's head")
    two = json.loads(run(root, "diff", table, table, "--no-bundle", "--report", "native", "--json"))
    equal((two["rules"], two["status"]), ("auto_baseline", "PASS"), "two runs are its automatic baseline")

    # A refilled case is what json.dump writes; a run that fails its case needs a reason.
    case = {"type": "text", "name": "r", "description": "\u00e9 \"q\"", "initial_time_s": 0.1, "baseline_time_s": 0.1,
            "user_input": {"tp_size": 2, "rates": [0.9, 1e-05], "none": None, "flag": True, "empty": {}, "list": []}, "operators": []}
    path = root.write("r.json", json.dumps(case))
    run(root, "export", path, "--as", "msmodeling", "--out", root.path / "same.json")
    equal((root.path / "same.json").read_text(), json.dumps(case, indent=2, ensure_ascii=False), "a case as it was")
    table = root.write("r.txt", table_text(130, [("op.a", 20.123, 4), ("op.b", 10, 1)]))
    refused = root.run("export", table, "--as", "msmodeling", "--refresh", path)
    equal((refused.returncode, "FAIL(BOTH)" in refused.stderr), (2, True), "a failing run is refused")
    run(root, "export", table, "--as", "msmodeling", "--refresh", path, "--reason", "agreed", "--out", root.path / "new.json")
    case["baseline_time_s"] = 0.13
    case["operators"] = [{"name": "op.a", "total_time_s": 20.123 * 1e-3, "num_calls": 4}, {"name": "op.b", "total_time_s": 10.0 * 1e-3, "num_calls": 1}]
    equal((root.path / "new.json").read_text(), json.dumps(case, indent=2, ensure_ascii=False), "a refilled case")
    # A run that keeps the time and not the operators needs one, too.
    other = root.write("other.txt", table_text(130, [("op.a", 10, 8)]))
    root.write("new.json", json.dumps({**case, "initial_time_s": 0.13}))
    refused = root.run("export", other, "--as", "msmodeling", "--refresh", root.path / "new.json")
    equal((refused.returncode, "the run's operators differ from those of the case that it is to refill: " in refused.stderr), (2, True), "other operators are refused")
    run(root, "export", other, "--as", "msmodeling", "--refresh", root.path / "new.json", "--reason", "agreed")


# --- TensorSharp's rules, from their description

RANK = ["NewRuntimeFailure", "NewCorrectnessFailure", "ThroughputRegression", "NewImprovement", "UntrackedNewCase"]


def findings(entries, results, threshold=10.0):
    known = {entry["case_id"]: entry for entry in entries}
    found = []
    for r in results:
        if r["skipped"]:
            continue
        b = known.get(r["case_id"])
        if b is None:
            found.append((r["case_id"], "UntrackedNewCase", 0, r["decode_tps"], 0))
        elif b["ok"] and not r["ok"]:
            found.append((r["case_id"], "NewCorrectnessFailure" if r["correctness_ok"] is False else "NewRuntimeFailure", 1, 0, -100))
        elif r["ok"] and not b["ok"]:
            found.append((r["case_id"], "NewImprovement", 0, 1, 100))
        elif b["ok"]:
            metric = "decode_tps" if r["decode_tps"] > 0 or b["decode_tps"] > 0 else "prefill_tps"
            if b[metric] > 0 and (delta := (r[metric] - b[metric]) / b[metric] * 100) < -threshold:
                found.append((r["case_id"], "ThroughputRegression", b[metric], r[metric], delta))
    return sorted(found, key=lambda f: (RANK.index(f[1]), f[0]))


def seen_of(native):
    return [(f["case_id"], f["kind"], f["baseline_value"], f["current_value"], f["delta_pct"]) for f in native["findings"]]


def tensorsharp(root):
    dice = random.Random(4)
    entries, results = [], []
    for i in range(60):
        name = f"m__cuda__case{i}__baseline"
        decode, prefill = dice.choice([0, 50.0, 95.3]), dice.choice([0, 1000.5])
        entry = {"case_id": name, "ok": dice.random() < 0.85, "correctness_ok": dice.choice([None, True]), "prefill_tps": prefill,
                 "decode_tps": decode, "model_load_ms": 1850.0}
        ok = dice.random() < 0.8
        result = {"case_id": name, "model": "m", "backend": "cuda", "ok": ok, "skipped": dice.random() < 0.1, "error": None if ok else "exit 1",
                  "correctness_ok": None if ok else dice.choice([False, None]), "prefill_tps": prefill * dice.choice([1, 0.95, 0.8]),
                  "decode_tps": decode * dice.choice([1, 0.9, 0.89, 1.2]), "model_load_ms": 0.1 * i,
                  "started_at": f"2026-05-27T00:00:{i:02d}.5+00:00", "input": {"env": {"TOKEN": "do-not-take"}}}
        if dice.random() < 0.9:
            entries.append(entry)
        if dice.random() < 0.9:
            results.append(result)
            root.write(f"results/{name}.json", result)
    base = root.write("base/baseline-linux-cuda.json", {"host_label": "linux-cuda", "captured_at": "2026-05-26T00:00:00Z", "commit": "abc1234",
                                                        "notes": None, "entries": entries})
    for threshold in (10.0, 2.5):
        native = json.loads(run(root, "diff", base, root.path / "results", "--no-bundle", "--report", "native", "--json",
                                "--tolerance-percent", threshold))
        wanted = findings(entries, results, threshold)
        equal(seen_of(native), wanted, f"findings at {threshold}%")
        equal(native["exit_code"], 4 if any(f[1] in RANK[:3] for f in wanted) else 0, "its exit status")
    text = run(root, "diff", base, root.path / "results", "--no-bundle", "--report", "native")
    check("captured 2026-05-26T00:00:00.0000000+00:00, commit `abc1234`" in text, "the baseline of the report")
    for case_id, kind, before, now, delta in findings(entries, results):
        if kind == "ThroughputRegression":
            check(f"| `{case_id}` | throughput regression | {before:.1f} | {now:.1f} | {delta:+.1f}% |" in text, f"the row of {case_id}")
    check("do-not-take" not in text, "environments are not shown")

    # Its baseline from this run: cells that passed, and a regression only for a reason.
    refused = root.run("export", root.path / "results", "--as", "tensorsharp", "--refresh", base)
    equal((refused.returncode, "would make a regression the expectation" in refused.stderr), (2, True), "a regression is refused")
    out = root.path / "fresh.json"
    told = json.loads(run(root, "export", root.path / "results", "--as", "tensorsharp", "--refresh", base, "--reason", "agreed", "--out", out,
                          "--json"))
    passing = sorted((r for r in results if r["ok"] and not r["skipped"]), key=lambda r: r["case_id"])
    fresh = json.loads(out.read_text())
    equal([e["case_id"] for e in fresh["entries"]], [r["case_id"] for r in passing], "passing cells alone, sorted")
    ran = {r["case_id"] for r in results}
    lost = [e["case_id"] for e in entries if e["ok"] and e["case_id"] not in ran]
    equal((told["written"], told["left_out_count"]), (len(passing), len(results) - len(passing) + len(lost)), "what was left out is counted")
    equal(sorted(one["name"] for one in told["left_out"] if one["why"] == "expected until now, and not among the results"), sorted(lost), "and what is lost is named")
    equal((fresh["notes"], fresh["captured_at"]), ("agreed", max(r["started_at"] for r in passing)), "reason and time")
    check("\n      \"model_load_ms\": 0\n" in out.read_text() or all(r["model_load_ms"] for r in passing), "numbers as .NET writes them")
    again = root.path / "again.json"
    run(root, "export", out, "--as", "tensorsharp", "--out", again)
    equal(again.read_bytes(), out.read_bytes(), "exported again it is the same file")
    native = json.loads(run(root, "diff", out, root.path / "results", "--no-bundle", "--report", "native", "--json"))
    equal(native["blocking"], False, "the run passes its own baseline")


with Root() as root:
    msmodeling(root)
    tensorsharp(root)
# Lost, failing or leaking cells of TensorSharp.
with Root() as root:
    secret = "sk-ant-api03-" + "Ab1" * 12

    def cell(name, **more):
        return {"case_id": name, "backend": "cuda", "ok": True, "skipped": False, "correctness_ok": True, "prefill_tps": 0, "decode_tps": 100.0,
                "model_load_ms": 1, "started_at": "2026-05-27T00:00:00Z", **more}

    def entry(name):
        return {"case_id": name, "ok": True, "correctness_ok": None, "prefill_tps": 0, "decode_tps": 100.0, "model_load_ms": 1}

    base = root.write("base.json", json.dumps({"host_label": "linux-cuda", "captured_at": "2026-05-26T00:00:00Z", "commit": "abc", "notes": None, "entries": [entry("a"), entry("b"), entry("c")]}))
    root.write("results/a.json", json.dumps(cell("a")))
    root.write("results/b.json", json.dumps(cell("b", ok=False, error=f"401: --api-key {secret}")))
    refused = root.run("export", root.path / "results", "--as", "tensorsharp", "--refresh", base)
    equal((refused.returncode, refused.stderr.splitlines()[0]),
          (2, "plumbline: error: this would make a regression the expectation: b: failed: 401: --api-key [redacted], expected until now and c: not among the results"),
          "what is lost or fails now needs a reason")
    for words in (("export", root.path / "results", "--as", "tensorsharp", "--json"), ("diff", base, root.path / "results", "--no-bundle", "--report", "native"),
                  ("inspect", root.path / "results", "--json")):
        shown = root.run(*words)
        check(secret not in shown.stdout + shown.stderr, f"no secret in {words[0]}")
    root.write("one/a.json", json.dumps(cell("a", correctness_ok=False)))
    root.write("alone.json", json.dumps({"host_label": "linux-cuda", "captured_at": "2026-05-26T00:00:00Z", "commit": "abc", "notes": None, "entries": [entry("a")]}))
    equal(root.diff("alone.json", "one")["verdict"], "RED", "wrong output that the baseline does not know of")

finish()
