#!/usr/bin/env python3
"""Suites that become other systems' baselines, and baselines of other systems that results become entries against: what passes is
written, byte for byte the same each time, and read again as what was measured; what fails stops the whole with a reason."""
import hashlib
import json

from harness import Root, check, equal, finish, warned


def told(done):
    return done.returncode, done.stderr.splitlines()[0] if done.stderr else ""


def cases_of(result):
    return {one["case"]: one["state"] for one in result["suite"]["cases"]}


# --- msmodeling: a folder of tables refills a folder of cases.


def table(total_ms, operators):
    lines = ["-" * 60, "Name  analytic total  analytic avg  # of Calls", "-" * 60]
    lines += [f"{name}  {ms:.3f}ms  {ms / calls:.3f}ms  {calls}" for name, ms, calls in operators]
    return "\n".join(lines + ["-" * 60, f"Total time for analytic: {total_ms:.3f}ms"]) + "\n"


def case(name, total_s, operators):
    return json.dumps({"type": "text", "name": name, "description": "d", "initial_time_s": total_s, "baseline_time_s": total_s,
                       "operators": [{"name": n, "total_time_s": s, "num_calls": c} for n, s, c in operators], "user_input": {"device": "NPU"}})


with Root() as root:
    for name in ("decode", "prefill", "gone"):
        root.write(f"cases/{name}.json", case(name, 0.1, [("op.a", 0.02, 4), ("op.b", 0.01, 2)]))
    root.write("runs/decode.table.txt", table(101.5, [("op.a", 20.5, 4), ("op.b", 10.0, 2)]))
    root.write("runs/prefill.table.txt", table(99.0, [("op.a", 19.5, 4), ("op.b", 10.0, 2)]))
    root.write("runs/fresh.table.txt", table(10.0, [("op.a", 10.0, 4)]))
    words = ("export", "runs", "--as", "msmodeling", "--refresh", "cases")
    said = root.json(*words)
    equal((said["path"], [(f["case"], f["path"], f["file_name"], f["written"]) for f in said["files"]]),
          (None, [("decode", None, "decode.json", 2), ("prefill", None, "prefill.json", 2)]), "what would be written")
    equal({one["name"]: one["why"] for one in said["left_out"]},
          {"fresh": "nothing of --refresh answers to it", "gone": "no result answers to it: its file stays as it is"}, "what is left out, and why")
    equal(root.run(*words).stdout.splitlines()[0], "would write 2 files; --out FOLDER writes them", "without --out it is told")
    (root.path / "out").mkdir()
    written = root.json(*words, "--out", "out")
    equal(sorted(p.name for p in (root.path / "out").iterdir()), ["decode.json", "prefill.json"], "a file a case")
    for before, now in zip(said["files"], written["files"]):
        content = (root.path / "out" / now["file_name"]).read_bytes()
        equal((before["sha256"], len(content)), (hashlib.sha256(content).hexdigest(), now["bytes"]), f"{now['case']}: the same bytes")
    expected = json.loads(case("decode", 0.1, [("op.a", 20.5 * 1e-3, 4), ("op.b", 10.0 * 1e-3, 2)]))
    expected["baseline_time_s"] = 0.1015
    equal((root.path / "out/decode.json").read_text(), json.dumps(expected, indent=2, ensure_ascii=False), "as json.dump writes it")
    result = root.diff("out", "runs", "--no-bundle")
    equal((result["suite"]["totals"]["passed"], result["counts"]["regressed"], result["counts"]["improved"], result["counts"]["missing"]), (2, 0, 0, 0),
          "read again: no row differs from the run")
    equal(root.json("export", "out", "--as", "msmodeling")["files"][0]["sha256"], written["files"][0]["sha256"], "case files written again stay as they are")

    # One that fails stops them all; a reason lets it through, and never a table without operators.
    root.write("runs/prefill.table.txt", table(150.0, [("op.a", 19.5, 4), ("op.b", 10.0, 2)]))
    equal(told(root.run(*words, "--out", "out")),
          (2, f"plumbline: error: {root.path}/runs: 1 case of 2 cannot become a baseline, and nothing was written: prefill: the run fails the case "
           "that it is to refill: FAIL(BOTH) (150.000ms; initial 100.000ms, baseline 100.000ms)"), "a failing case is refused")
    equal((root.path / "out/prefill.json").stat().st_size, written["files"][1]["bytes"], "and the other one is not written either")
    equal(len(root.json(*words, "--reason", "slower on purpose")["files"]), 2, "with a reason")
    root.write("runs/prefill.table.txt", "Total time for analytic: 100.000ms\n")
    refused = root.run(*words, "--reason", "whatever")
    equal((refused.returncode, "prefill: " in refused.stderr), (2, True), "a table without operators is refused whatever the reason")
    equal(told(root.run(*words, "--out", "nowhere"))[0], 2, "no such folder")
    equal(told(root.run("export", "runs", "--as", "msmodeling")),
          (2, "plumbline: error: --refresh is missing: a run does not say what was simulated"), "tables alone say no case")
    equal(told(root.run("export", "runs", "--as", "msmodeling", "--refresh", "cases/decode.json")),
          (2, "plumbline: error: --refresh names no suite, and the source is one: cases/decode.json"), "one file for many")
    root.write("runs/prefill.table.txt", table(99.0, [("op.a", 19.5, 4), ("op.b", 10.0, 2)]))
    equal(told(root.run(*words, "--out", "cases/decode.json")),
          (2, f"plumbline: error: --out is no folder, and the suite is 2 files: {root.path}/cases/decode.json"), "a file for many")

    equal(told(root.run(*words, "--out", "runs")),
          (2, f"plumbline: error: --out is the folder of the results, which baselines would replace: {root.path}/runs"), "results are not overwritten")

    # Cases in folders of their own keep them; what a case calls itself leads nowhere else.
    for name in ("decode", "prefill"):
        (root.path / f"deep/{name}").mkdir(parents=True)
        (root.path / f"cases/{name}.json").rename(root.path / f"deep/{name}/c.json")
        (root.path / f"new/{name}").mkdir(parents=True)
        (root.path / f"runs/{name}.table.txt").rename(root.path / f"new/{name}/c.table.txt")
    (root.path / "flat").mkdir()
    equal(told(root.run("export", "new", "--as", "msmodeling", "--refresh", "deep", "--out", "flat")),
          (2, f"plumbline: error: --out has no folder for decode/c.json: {root.path}/flat/decode"), "folders are not made up")
    equal(list((root.path / "flat").iterdir()), [], "and nothing is written")
    equal([f["file_name"] for f in root.json("export", "new", "--as", "msmodeling", "--refresh", "deep", "--out", "deep")["files"]],
          ["decode/c.json", "prefill/c.json"], "in their places")
    root.write("odd.json", case("../../odd", 0.1, [("op.a", 0.02, 4)]))
    equal(root.json("export", "odd.json", "--as", "msmodeling", "--out", "flat")["path"], f"{root.path}/flat/-.-..-odd.json", "a name is no path")
    for name in ("decode", "prefill"):
        (root.path / f"new/{name}/c.table.txt").rename(root.path / f"runs/{name}.table.txt")
        root.write(f"cases/{name}.json", case(name, 0.1, [("op.a", 0.02, 4), ("op.b", 0.01, 2)]))

    # Entries of a family as well as files.
    root.json("record", "--as", "suite", "--family", "sim", "--source", "runs", "--against", "cases", "--reason", "nightly")
    said = root.json("export", "sim", "--as", "msmodeling", "--refresh", "cases", "--repo-root", root.path)
    equal([f["sha256"] for f in said["files"]], [f["sha256"] for f in written["files"]], "from entries the same bytes")

# --- The vLLM RFC.

with Root() as root:
    def rfc(metrics, **more):
        return {"variant": "eagle3", "model": "acme/Tiny-1B", **more, "baselines": {n: {"expected": v, "tolerance_pct": p} for n, (v, p) in metrics.items()}}

    root.write("base/good.json", rfc({"acceptance_rate": (0.73, 10), "ttft_p50_ms": (44.0, 15)}, notes="old"))
    root.write("base/slow.json", rfc({"speedup": (2.1, 15), "acceptance_rate": (0.73, 10)}))
    root.write("base/trials.json", rfc({"acceptance_rate": (0.73, 10)}))
    root.write("new/good.json", {"acceptance_rate": 0.741, "ttft_p50_ms": 44.8})
    root.write("new/slow.json", {"acceptance_rate": 0.635, "speedup": 1.62})
    for i, rate in enumerate((0.7, 0.72, 0.71)):
        root.write(f"new/trials-run{i}.json", {"acceptance_rate": rate})
    words = ("export", "new", "--as", "spec_decode", "--refresh", "base", "--captured-at", "2026-02-01")
    equal(told(root.run(*words)),
          (2, f"plumbline: error: {root.path}/new: 1 case of 3 cannot become a baseline, and nothing was written: slow: this would make a regression "
           "the expectation: speedup 1.62 outside [1.79, 2.42] and acceptance_rate 0.635 outside [0.657, 0.803]"), "a failing case is refused")
    (root.path / "out").mkdir()
    root.json(*words, "--reason", "new draft model", "--out", "out")
    equal(json.loads((root.path / "out/good.json").read_text()),
          {**rfc({"acceptance_rate": (0.741, 10), "ttft_p50_ms": (44.8, 15)}), "last_updated": "2026-02-01", "notes": "new draft model"}, "the file")
    equal(json.loads((root.path / "out/trials.json").read_text())["baselines"]["acceptance_rate"]["expected"], 0.71, "runs of a case: their median")
    before = {p.name: p.read_bytes() for p in (root.path / "out").iterdir()}
    root.json(*words, "--reason", "new draft model", "--out", "out")
    equal({p.name: p.read_bytes() for p in (root.path / "out").iterdir()}, before, "byte for byte")
    result = root.diff("out", "new", "--no-bundle")
    equal((result["suite"]["totals"]["passed"], result["counts"]["regressed"], result["counts"]["unchanged"]), (3, 0, 5), "read again: every metric as it was run")
    equal(told(root.run("export", "base", "--as", "spec_decode")),
          (2, f"plumbline: error: {root.path}/base: the cases \"good\" and \"slow\" would both be written as eagle3_tiny-1b.json"), "no two cases in one file")
    equal(told(root.run("export", "new", "--as", "msmodeling"))[0], 2, "not that system's files")

# --- TensorSharp: results recorded against its baseline file, and the family written as such a file again.

with Root() as root:
    def cell(name, **more):
        return {"case_id": name, "backend": "cuda", "ok": True, "skipped": False, "correctness_ok": True, "prefill_tps": 0, "decode_tps": 100.0,
                "model_load_ms": 1, "started_at": "2026-05-27T00:00:00Z", **more}

    def entry(name):
        return {"case_id": name, "ok": True, "correctness_ok": True, "prefill_tps": 0, "decode_tps": 100.0, "model_load_ms": 1}

    def baseline(host, *names):
        return {"host_label": host, "captured_at": "2026-05-26T00:00:00Z", "commit": "abc1234", "notes": None, "entries": [entry(n) for n in names]}

    names = ["m__cuda__a__baseline", "m__cuda__b__baseline", "m__cuda__c__baseline", "m__cuda__d__KV=q8", "m__cuda__e__baseline", "m__cuda__f__baseline"]
    a, b, c, d, e, f = names
    base = root.write("baselines/baseline-linux-cuda.json", baseline("linux-cuda", a, b, c, d, "m__cuda__gone__baseline"))
    root.write("baselines/baseline-windows-cuda.json", baseline("windows-cuda", a, b, c, d))
    cells = [cell(a, decode_tps=104.0), cell(b, decode_tps=80.0), cell(c, ok=False, error="exit 124"), cell(d), cell(e, skipped=True, ok=False),
             cell(f, correctness_ok=False)]
    for one in cells:
        root.write("results/" + one["case_id"].replace("=", "@") + ".json", one)
    words = ("record", "--as", "suite", "--family", "nightly", "--source", "results", "--against")
    equal(told(root.run(*words, base)), (2, "plumbline: error: --as suite needs --reason"), "no reason, no refresh")
    dry = root.json(*words, base, "--reason", "new driver", "--dry-run")
    equal((dry["dry_run"], root.has_experiments()), (True, False), "a dry run writes nothing")
    done = root.json(*words, base, "--reason", "new driver")
    equal([(one["case"], one["state"]) for one in done["entries"]], [(a, "passed"), (d, "passed")], "what passes is recorded")
    equal([(one["case"], one["state"], one["reason"]) for one in done["left_out"]],
          [(b, "failed", "ThroughputRegression: decode TPS dropped 20.0% (threshold 10.0%)"), (c, "failed", "its run failed: exit 124"),
           (e, "skipped", "the result says that it was skipped"), (f, "untracked", "its run failed: wrong output"),
           ("m__cuda__gone__baseline", "stale", "there is no result")], "what does not is named, with why")
    equal(done["against"], str(base), "against what")
    chosen = root.json(*words, "baselines", "--reason", "new driver", "--dry-run")
    equal((chosen["against"], "baseline_chosen" in warned(chosen)), (str(base), True), "of a folder of hosts the one that fits")
    forced = root.json(*words, base, "--reason", "agreed", "--allow-regressed", "--dry-run")
    equal([one["case"] for one in forced["entries"]], [b], "what is worse only when that is said; what broke never")
    other = root.json(*words, "baselines/baseline-windows-cuda.json", "--reason", "x", "--dry-run")
    check("against_another_context" in warned(other), "another host's baseline is said")
    root.write("alien.json", baseline("linux-cuda", "other__cuda__x__baseline"))
    refused = root.run(*words, "alien.json", "--reason", "x")
    equal((refused.returncode, refused.stderr.splitlines()[1]),
          (2, "hint: name the baseline of these cases' host, or leave --against out: then they are held against the family itself"), "nothing in common")
    root.write("plain.json", {"ttft_ms": 1})
    root.write("plain/x.json", {"ttft_ms": 1})
    equal(told(root.run("record", "--as", "suite", "--family", "g", "--source", "plain", "--against", "plain.json", "--reason", "x")),
          (2, "plumbline: error: --against is neither a family of the registry nor a folder of baselines: plain.json"), "a file that holds no cases")

    # The family as its file: the same bytes as from the results that passed.
    root.write("passed/a.json", cells[0])
    root.write("passed/d.json", cells[3])
    from_files = root.run("export", "passed", "--as", "tensorsharp", "--notes", "n").stdout
    wrong = root.write("passed/f.json", cell(f, correctness_ok=False, started_at="2026-06-01T00:00:00Z"))
    equal(root.run("export", "passed", "--as", "tensorsharp", "--notes", "n").stdout, from_files, "wrong output is left out, and dates nothing")
    wrong.unlink()
    root.run("export", "nightly", "--as", "tensorsharp", "--notes", "n", "--out", root.path / "fresh.json", "--repo-root", root.path)
    equal((root.path / "fresh.json").read_text() + "\n", from_files, "from entries as from files")
    result = root.diff("fresh.json", "passed", "--no-bundle")
    equal((result["verdict"], result["counts"]["unchanged"], result["native"]["verdict"]), ("GREEN", 8, "passing"), "read again: every row as it was run")
    equal(told(root.run("export", "nightly", "--as", "tensorsharp", "--refresh", base, "--repo-root", root.path)),
          (2, "plumbline: error: this would make a regression the expectation: m__cuda__b__baseline: not among the results, m__cuda__c__baseline: not among "
           "the results and m__cuda__gone__baseline: not among the results"), "what is lost needs a reason")

    # A family as the baselines: a new case that fails by itself makes no folder pass.
    after = root.diff("nightly", "results", "--no-bundle")
    equal((after["verdict"], after["reasons"][0]["code"], after["reasons"][0]["message"]),
          ("RED", "gate_failed", "m__cuda__c__baseline: 1 gate without a baseline failed, first \"m__cuda__c__baseline.ok\" (and in 1 more case)"), "a failed run")

# --- Keys that change nothing are told, as keys that name nothing are refused.

with Root() as root:
    root.write("b.json", {"total_tokens": 100, "completion_tokens": 50, "ttft_ms": 10})
    root.write("c.json", {"total_tokens": 120, "completion_tokens": 70, "ttft_ms": 10})
    for words, message in [
            (("--direction", "*tokens=higher-is-better"),
             "--direction: \"*tokens\" has no effect: all 2 rows that it matches are context by name or format and not judged, first \"total_tokens\"; "
             "`--direction total_tokens=DIR` makes that row judged"),
            (("--tolerance", "*tokens=1%"),
             "--tolerance: \"*tokens\" has no effect: all 2 rows that it matches are context by name or format and not judged, first \"total_tokens\"; "
             "`--direction total_tokens=DIR` makes that row judged"),
            (("--tolerance", "total_tokens=1%"),
             "--tolerance: \"total_tokens\" has no effect: its row is context by name or format and not judged; `--direction total_tokens=DIR` makes it judged"),
            (("--direction", "total*=higher-is-better"),
             "--direction: \"total*\" has no effect: 1 row that it matches is context by name or format and not judged: \"total_tokens\"; "
             "`--direction total_tokens=DIR` makes it judged"),
            (("--direction", "total_tokens=higher-is-better"), None), (("--headline", "*tokens"), None), (("--tolerance", "*=1%"), None)]:
        result = root.json("diff", "b.json", "c.json", "--no-bundle", *words)
        equal([w["message"] for w in result["warnings"] if w["code"] == "key_not_judged"], [message] if message else [], " ".join(words))
    equal(told(root.run("diff", "b.json", "c.json", "--no-bundle", "--direction", "*nix=higher-is-better")),
          (2, "plumbline: error: --direction: no key matches \"*nix\""), "a key that names nothing")
    root.write("rfc.json", {"variant": "eagle3", "model": "m", "baselines": {"acceptance_rate": {"expected": 0.7, "tolerance_pct": 10}}})
    root.write("run.json", {"acceptance_rate": 0.69})
    words = ("--tolerance", "*rate=50%", "--headline", "*rate")
    equal([w["message"] for w in root.json("diff", "rfc.json", "run.json", "--no-bundle", "--policy", "spec_decode", *words)["warnings"]],
          ["--tolerance \"*rate\" and --headline \"*rate\" have no effect: the policy spec_decode judges by that system's own rules"], "another system's rules")
    equal(warned(root.json("diff", "rfc.json", "run.json", "--no-bundle", *words)), ["tolerance_hides_halving"], "ours go by them")
    recorded = root.record("b.json", "--tolerance", "*tokens=1%")
    equal(warned(recorded), ["key_not_judged"], "an entry says so as well")

    # In a suite a key counts as used when a row of any case is judged by it.
    for side, add in (("s", 0), ("t", 20)):
        root.write(f"{side}/one.json", {"total_tokens": 100 + add, "ttft_ms": 10})
        root.write(f"{side}/two.json", {"ttft_ms": 10, "total_tokens": 5})
    equal([w["message"] for w in root.json("diff", "s", "t", "--no-bundle", "--direction", "one:total*=higher-is-better")["warnings"]],
          ["--direction: \"one:total*\" has no effect: 1 row that it matches is context by name or format and not judged: \"one:total_tokens\"; "
           "`--direction one:total_tokens=DIR` makes it judged"], "the case is named")
    equal(warned(root.json("diff", "s", "t", "--no-bundle", "--tolerance", "one:*=1%")), [], "a key of which one row is judged")

# --- Sides that are mixed up.

with Root() as root:
    base = root.write("base.json", {"variant": "eagle3", "model": "m", "baselines": {"acceptance_rate": {"expected": 0.7, "tolerance_pct": 10}}})
    run = root.write("run.json", {"acceptance_rate": 0.5})
    equal([w["message"] for w in root.diff(run, base, "--no-bundle")["warnings"] if w["code"] == "sides_swapped"],
          ["the current side is a baseline of spec_decode (spec_decode_baseline) and the baseline a run (spec_decode_run): if the sides are mixed up, better "
           "and worse are, too, and that system's rules were not asked"], "a baseline file as the current side")
    equal("sides_swapped" in warned(root.diff(base, run, "--no-bundle")), False, "the right way round")
    equal(root.run("diff", run, base, "--no-bundle", "--report", "native").stderr.splitlines()[1],
          "hint: swap the sides: the file of spec_decode that is the reference comes first", "asked for their report")

# --- A case that has nothing to compare stands in their tables all the same, in the order of their files.

with Root() as root:
    for name in ("a", "a-b"):
        root.write(f"cases/{name}.json", case(name, 0.1, [("op.a", 0.02, 4)]))
    root.write("cases/empty.json", {"type": "text", "name": "empty", "description": "d", "baseline_tolerance": 0.3, "user_input": {"device": "NPU"}})
    for name in ("a", "a-b", "empty"):
        root.write(f"runs/{name}.table.txt", table(100.0, [("op.a", 20.0, 4)]))
    lines = root.run("diff", "cases", "runs", "--no-bundle", "--report", "native").stdout.splitlines()
    equal([line.split()[0] + " " + line.split()[-1] for line in lines[6:9]], ["a-b PASS", "a PASS", "empty NO_BASELINE"], "every case, as its folder lists them")
    equal(lines[10], "Total: 3 | Passed: 3 | Failed: 0 | No Baseline: 0", "its total counts it as passed, as that program does")
    for name in ("a", "a-b"):
        root.write(f"runs/{name}.table.txt", table(100.0, [("op.new1", 20.0, 4), ("op.new2", 10.0, 4)]))
    result = root.diff("cases", "runs", "--no-bundle", "--policy", "msmodeling")
    equal((result["verdict"], cases_of(result)), ("YELLOW", {"a": "passed", "a-b": "passed", "empty": "no_baseline"}),
          "under its policy differing operators warn, however many cases have them")

finish()
