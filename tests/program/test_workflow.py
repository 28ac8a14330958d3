#!/usr/bin/env python3
"""The daily work through the program: accepted baselines, contexts, trials, project rules, drift, reports, refusals."""
import json
import pathlib
import subprocess
import xml.dom.minidom

from harness import Root, check, codes, equal, finish, rows, warned

# Accepted baselines: the newest with a warning, then the accepted one, by name.
with Root() as root:
    first = root.record(root.write("a.json", {"ttft_ms": 10.0}), "--label", "first")
    second = root.record(root.write("b.json", {"ttft_ms": 12.0}))
    current = root.write("c.json", {"ttft_ms": 12.1})
    result = root.diff("f/m", current)
    equal((result["verdict"], "baseline_not_accepted" in warned(result)), ("GREEN", True), "newest entry, said so")
    equal(root.json("accept", f"f/m@{first['slug']}", "--reason", "reviewed")["slug"], first["slug"], "accept")
    result = root.diff("f/m", current)
    equal((result["verdict"], "baseline_not_accepted" in warned(result)), ("RED", False), "the accepted entry holds")
    equal(root.diff("f/m@newest", current)["verdict"], "GREEN", "@newest")
    equal(root.diff(f"f/m@{second['slug']}", current)["verdict"], "GREEN", "@slug")
    history = root.json("history", "f/m")
    equal([e["accepted"] for e in history["entries"]], [True, False], "history shows the accepted entry")
    bad = root.run("diff", "f/n", current)
    equal(bad.returncode, 2, "an unknown measurement")
    check("f/m" in bad.stderr, f"nearest measurement: {bad.stderr}")
    bad = root.run("accept", "f/m")
    equal(bad.returncode, 2, "accept wants a reason")
    check(root.json("search", "first")["hits"], "search finds the label")

# A baseline of another GPU does not fit.
with Root() as root:
    root.record(root.write("a.json", {"ttft_ms": 10.0, "config": {"gpu": "H100"}}))
    bad = root.run("diff", "f/m", root.write("c.json", {"ttft_ms": 10.0, "config": {"gpu": "B200"}}), "--json")
    equal(bad.returncode, 2, "no baseline of that context")
    check("hardware.gpu" in bad.stderr and "H100" in bad.stderr, f"the difference is named: {bad.stderr}")
    check(not (root.path / "experiments/artifacts/perf-baseline-diffs").exists(), "no bundle")

# A declared change is no reason, the same undeclared is YELLOW.
with Root() as root:
    a = root.write("a.json", {"ttft_ms": 10.0, "config": {"driver": "570.1"}})
    b = root.write("b.json", {"ttft_ms": 10.0, "config": {"driver": "580.2"}})
    entry = root.record(a)["entry_dir"]
    result = root.diff(entry, b)
    equal((result["verdict"], codes(result)), ("YELLOW", ["context_differs"]), "undeclared driver")
    equal(root.diff(entry, b, "--varying", "hardware.driver")["verdict"], "GREEN", "declared driver")

# Several current files are trials of one measurement.
with Root() as root:
    base = [root.write(f"b{i}.json", {"step_ms": 100 + i, "config": {"hostname": "n1"}}) for i in range(3)]
    slow = [root.write(f"c{i}.json", {"step_ms": 112 + i, "config": {"hostname": "n1"}}) for i in range(3)]
    entry = root.record(base[0], "--trials", base[1], base[2])
    equal(entry["tier"] in ("DRAFT", "VERDICT"), True, "tier of an entry with trials")
    result = root.json("diff", "--baseline", entry["entry_dir"], "--current", *slow)
    row = rows(result)["step_ms"]
    equal((row["state"], row["n_baseline"], row["n_current"], row["p"]), ("regressed", 3, 3, 0.05), "three against three")
    equal(result["tier"], "VERDICT", f"trials on one node make a verdict: {result}")
    bundle = {p.name for p in pathlib.Path(result["diff_dir"]).iterdir()}
    check({"current-snapshot.json", "current-snapshot.2.json", "current-snapshot.3.json"} <= bundle, f"all trials are kept: {bundle}")
    other = root.write("other.json", {"step_ms": 112, "extra_ms": 1})
    bad = root.run("diff", entry["entry_dir"], slow[0], other)
    equal(bad.returncode, 2, "trials must have the same keys")
    check("extra_ms" in bad.stderr and "other.json" in bad.stderr, f"the key and the file: {bad.stderr}")
    folder = root.path / "trials"
    folder.mkdir()
    for path in slow:
        path.rename(folder / path.name)
    equal(root.diff(entry["entry_dir"], folder, "--as", "trials")["verdict"], result["verdict"], "--as trials")

# plumbline.yaml: rules with their place, flags win.
with Root() as root:
    root.write("plumbline.yaml", "rules:\n"
               "  - match: {family: f, key: '*_ms'}\n    set: {tolerance: 20%}\n"
               "  - match: {measurement: m, key: score}\n    set: {direction: higher-is-better, headline: true}\n"
               "  - match: {family: other}\n    set: {fail_on: red}\n")
    entry = root.record(root.write("a.json", {"ttft_ms": 10.0, "score": 5}))["entry_dir"]
    result = root.diff(entry, root.write("c.json", {"ttft_ms": 11.5, "score": 5}))
    row = rows(result)["ttft_ms"]
    equal((row["state"], row["tolerance"]["value"], row["tolerance"]["source"]), ("unchanged", 20, "project"), "project tolerance")
    check("plumbline.yaml:2" in json.dumps(row["tolerance"]), f"the rule's place: {row['tolerance']}")
    equal(root.diff(entry, root.path / "c.json", "--tolerance", "ttft_ms=5%")["verdict"], "YELLOW", "a flag wins")
    equal(root.diff(entry, root.write("d.json", {"ttft_ms": 10.0, "score": 4}))["verdict"], "RED", "project headline and direction")
    other = root.record(root.path / "a.json", "--headline", "ttft_ms", family="other")["entry_dir"]
    equal(root.run("diff", other, root.write("e.json", {"ttft_ms": 20.0, "score": 5})).returncode, 1, "project fail_on")
    root.write("plumbline.yaml", "rules:\n  - match: {famly: f}\n    set: {tolerance: 1%}\n")
    bad = root.run("diff", entry, root.path / "c.json")
    equal(bad.returncode, 2, "a mistyped word")
    check('plumbline.yaml:2:' in bad.stderr and 'did you mean "family"?' in bad.stderr, f"place and nearest word: {bad.stderr}")

# Drift that no step shows.
with Root() as root:
    oldest = root.record(root.write("v0.txt", "100\n"), "--value", "100", "--unit", "ms")["entry_dir"]
    newest = root.record(root.write("v1.txt", "108\n"), "--value", "108", "--unit", "ms")["entry_dir"]
    current = root.write("c.txt", "112\n")
    equal(root.diff(newest, current)["verdict"], "GREEN", "the last step alone")
    result = root.diff(newest, current, "--initial", oldest, "--initial-tolerance", "10%")
    equal((result["verdict"], codes(result)), ("RED", ["drift_from_initial"]), "12 % since the initial reference")
    equal(root.diff(newest, current, "--initial", oldest, "--initial-tolerance", "15%")["verdict"], "GREEN", "within its own tolerance")

# Shapes are never mixed silently.
with Root() as root:
    scalar = root.record(root.write("v.txt", "100\n"), "--value", "100", "--direction", "two-sided", measurement="s")["entry_dir"]
    table = root.record(root.write("t.json", {"x_ms": 1, "y_ms": 2}), measurement="t")["entry_dir"]
    bad = root.run("diff", scalar, root.path / "t.json")
    check(bad.returncode == 2 and "baseline is scalar but --current did not parse as a number" in bad.stderr, bad.stderr)
    bad = root.run("diff", table, root.path / "v.txt")
    check(bad.returncode == 2 and "baseline is structured but --current is scalar" in bad.stderr, bad.stderr)
    bad = root.run("diff", table, root.write("u.json", {"p_ms": 1, "q_ms": 2}))
    check(bad.returncode == 2 and "no number in common" in bad.stderr, bad.stderr)
    check(not (root.path / "experiments/artifacts/perf-baseline-diffs").exists(), "refusals leave no bundle")

# A tool that ran and measured nothing has lost its rows: a verdict, not a mistake of the call.
with Root() as root:
    def diagnostic(status):
        results = [{"gpu_ids": str(gpu), "status": status} for gpu in range(2)]
        return {"DCGM GPU Diagnostic": {"version": "3.3.5", "test_categories": [{"category": "Hardware", "tests": [{"name": "memory", "results": results}]}]}}

    def sweep(summaries):
        state = {"device": 0, "axis_values": [], "is_skipped": summaries is None, "skip_reason": "Out of memory.", "summaries": summaries}
        return {"meta": {"version": {"nvbench": {"string": "0.1.0"}}}, "devices": [{"id": 0, "name": "NVIDIA H200", "sm_version": 900}],
                "benchmarks": [{"name": "copy", "states": [state]}]}

    result = root.diff(root.write("d.json", diagnostic("Pass")), root.write("skip.json", diagnostic("Skip")))
    equal((result["verdict"], codes(result)), ("RED", ["gate_missing"]), "every test was skipped")
    equal((result["counts"]["missing"], result["counts"]["compared"]), (4, 0), "the gates that are gone")
    mean = [{"tag": "nv/cold/time/gpu/mean", "hint": "duration", "data": [{"name": "value", "value": "0.5"}]}]
    result = root.diff(root.write("n.json", sweep(mean)), root.write("oom.json", sweep(None)))
    equal((result["verdict"], codes(result)), ("RED", ["gate_failed", "headline_missing"]), "every state ran out of memory")
    bad = root.run("diff", root.write("t.json", {"x_ms": 1}), root.write("u.json", {"y": "nothing"}))
    check(bad.returncode == 2 and "no number in common" in bad.stderr, "any two JSON files are not one tool: " + bad.stderr)

# Reports, --out, --no-bundle, an ad hoc file as the baseline, verification wherever a bundle is copied.
with Root() as root:
    a = root.write("a.json", {"x_ms": 1.0, "note": "<b>&|"})
    b = root.write("b.json", {"x_ms": 2.0, "note": "<b>&|"})
    result = root.diff(a, b, "--out", root.path / "out")
    equal((result["family"], result["measurement"]), ("adhoc", "generic-json"), "a file as the baseline")
    done = subprocess.run(["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"], cwd=root.path / "out", capture_output=True, text=True)
    equal(done.returncode, 0, f"the copied bundle: {done.stdout}{done.stderr}")
    equal(root.run("verify", root.path / "out").returncode, 0, "verify the copy")
    (root.path / "out" / "extra").write_text("x")
    equal(root.run("verify", root.path / "out").returncode, 1, "an extra file is found")
    for report in ("table", "json", "md", "csv", "junit", "github"):
        done = root.run("diff", a, b, "--no-bundle", "--report", report)
        equal((done.returncode, bool(done.stdout)), (0, True), f"report {report}")
        if report == "junit":
            xml.dom.minidom.parseString(done.stdout)
        if report == "json":
            equal(json.loads(done.stdout)["verdict"], "RED", "report json")
    bundles = list((root.path / "experiments/artifacts/perf-baseline-diffs/adhoc/generic-json").iterdir())
    equal(len(bundles), 1, "--no-bundle writes nothing")

# Slips are refused before anything is written, with the nearest name.
with Root() as root:
    a = root.write("a.json", {"TTFT_ms": 10.0, "k_ms": 1})
    b = root.write("b.json", {"TTFT_ms": 100.0, "k_ms": 1})
    for words, near in ((["--headline", "ttft_ms"], "TTFT_ms"), (["--tolerance", "kms=5%"], "k_ms"), (["--direction", "k_m=two-sided"], "k_ms")):
        bad = root.run("diff", a, b, *words)
        equal(bad.returncode, 2, f"{words}")
        check(f'did you mean "{near}"?' in bad.stderr, f"{words}: {bad.stderr}")
    (root.path / "full").mkdir()
    (root.path / "full" / "x").write_text("x")
    for words in (["--out", root.path / "full"], ["--out", a], ["--out", root.path / "none" / "x"], ["--out", root.path / "o", "--no-bundle"],
                  ["--initial-tolerance", "5%"]):
        equal(root.run("diff", a, b, *words).returncode, 2, f"{words}")
    check(not root.has_experiments(), "refusals write nothing")
    equal(root.run("record", "--family", "f", "--measurement", "m", "--source", a, "--trials", a).returncode, 2, "one file is one trial")
    # The only metric died: a row with a state, not a mistake of the call.
    only = root.write("only.json", {"b_ms": 3})
    for text in ('{"b_ms": null}', '{"b_ms": "fast"}', '{"b_ms": []}'):
        result = root.diff(only, root.write("dead.json", text))
        equal((result["verdict"], rows(result)["b_ms"]["state"]), ("YELLOW", "invalid"), text)
        equal(root.diff(only, root.path / "dead.json", "--headline", "b_ms")["verdict"], "RED", f"headline {text}")
    # Recorded by reference: the source itself, while it still is what was recorded.
    entry = root.record(only, "--snapshot", "reference")["entry_dir"]
    equal(root.diff(entry, only)["verdict"], "GREEN", "the untouched source")
    only.write_text('{"b_ms": 4}')
    bad = root.run("diff", entry, a)
    check(bad.returncode == 2 and "is not what was recorded" in bad.stderr, bad.stderr)

# A capture by reference: believed while it is what was recorded.
with Root() as root:
    header = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    report = root.write("cap/x_cuda_gpu_kern_sum.csv", header + "100.0,1000,10,100.0,100.0,100,100,0.0,gemm\n")
    entry = root.record(root.path / "cap", "--snapshot", "reference")["entry_dir"]
    root.write("now/x_cuda_gpu_kern_sum.csv", report.read_text())
    equal(root.diff(entry, root.path / "now")["verdict"], "GREEN", "an untouched capture by reference")
    report.write_text(header + "100.0,9000,10,900.0,900.0,900,900,0.0,gemm\n")
    before = len(list((root.path / "experiments/artifacts/perf-baseline-diffs").rglob("SHA256SUMS")))
    bad = root.run("diff", entry, root.path / "now")
    check(bad.returncode == 2 and "is not what was recorded" in bad.stderr, f"a capture that changed: {bad.stderr}")
    equal(len(list((root.path / "experiments/artifacts/perf-baseline-diffs").rglob("SHA256SUMS"))), before, "and no bundle of it")

# --dry-run writes nothing and says the same.
with Root() as root:
    source = root.write("a.json", {"x_ms": 1.0})
    dry = root.record(source, "--dry-run")
    check(not root.has_experiments(), "--dry-run created experiments/")
    wet = root.record(source)
    equal((dry["source_sha256"], dry["rows"], dry["shape"]), (wet["source_sha256"], wet["rows"], wet["shape"]), "--dry-run tells the same")

# --redact: environments go before anything is hashed.
with Root() as root:
    secret = "s3cr3t-value"
    source = root.write("a.json", {"x_ms": 1.0, "env": {"WANDB_API_KEY": secret, "PATH": "/bin"}, "args": {"api_token": secret}})
    plain = root.record(source)
    check("environment_in_source" in warned(plain), f"record warns: {warned(plain)}")
    clean = root.record(source, "--redact")
    for path in pathlib.Path(clean["entry_dir"]).rglob("*"):
        if path.is_file():
            check(secret not in path.read_text(), f"{path.name} holds the secret")
    result = root.diff(clean["entry_dir"], source, "--snapshot", "reference")
    equal(result["verdict"], "GREEN", "a redacted entry still diffs")
    for path in pathlib.Path(result["diff_dir"]).rglob("*"):
        if path.is_file():
            check(secret not in path.read_text(), f"bundle file {path.name} holds the secret")

# The root: a work tree, an environment variable, or an error that names them all.
with Root() as root:
    bad = subprocess.run([root.run.__globals__["PLUMBLINE"], "history", "f/m"], cwd=root.path, capture_output=True, text=True,
                         env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
    equal(bad.returncode, 2, "no root")
    for word in ("--repo-root", "PLUMBLINE_ROOT", "PROFILE_AND_OPTIMIZE_REPO_ROOT"):
        check(word in bad.stderr, f"{word} is named: {bad.stderr}")

finish()
