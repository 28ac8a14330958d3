#!/usr/bin/env python3
"""Where the Python tool goes wrong (facts, section 10), one test each, numbered as there."""
import hashlib
import json
import os
import pathlib
import subprocess

from harness import Root, check, codes, equal, finish, rows, warned


def perfbench(throughput=1000.0, ttft=50.0, spin=10.0):
    point = {"throughput_toks_per_s": throughput, "ttft_p50_ms": ttft, "ttft_p95_ms": 2 * ttft, "ttft_p99_ms": 3 * ttft,
             "itl_p50_ms": 10.0, "tps_per_user": 60.0, "request_latency_p50_ms": 900.0, "errors": 0}
    return {"schema": "inference_perfbench_v1", "model": "m", "metrics": {"1": dict(point), "16": dict(point)},
            "server_metrics_delta": {"prefix_cache_hit_rate_post": 0.5, "gpu_cache_usage_perc_peak": 0.7},
            "kernel_class_gpu_pct": {"attention": 30.0}, "cpu_spinpoll_pct": spin}


# 1 Nested files are looked into: throughput -50 % and TTFT x10 is RED.
with Root() as root:
    base = root.record(root.write("b.json", perfbench()))["entry_dir"]
    result = root.diff(base, root.write("c.json", perfbench(500.0, 500.0)))
    equal(result["verdict"], "RED", "1: nested inference file")
    check("headline_regressed" in codes(result), f"1: {codes(result)}")
    equal(root.diff(base, root.write("c.json", perfbench()))["verdict"], "GREEN", "1: the same nested file")
    one = perfbench()
    one["metrics"]["1"]["throughput_toks_per_s"] = 960.0  # -4 %: beyond its own 3 %, not a headline
    equal(root.diff(base, root.write("c.json", one))["verdict"], "YELLOW", "1: per-metric tolerance of 3 %")
    one["metrics"]["1"]["throughput_toks_per_s"] = 1000.0
    one["metrics"]["16"]["errors"] = 1
    equal(root.diff(base, root.write("c.json", one))["verdict"], "RED", "1: an error is a failed gate")
    one["metrics"]["16"]["errors"] = 0
    for scale in (1, 100):  # a hit rate as a fraction and as a percentage: 2 points either way
        for lost, verdict in ((0.01, "GREEN"), (0.03, "YELLOW")):
            before, after = perfbench(), perfbench()
            before["server_metrics_delta"]["prefix_cache_hit_rate_post"] = 0.5 * scale
            after["server_metrics_delta"]["prefix_cache_hit_rate_post"] = (0.5 - lost) * scale
            rate = root.record(root.write("b3.json", before))["entry_dir"]
            equal(root.diff(rate, root.write("c.json", after))["verdict"], verdict, f"1: hit rate -{lost} on a scale of {scale}")
    null = perfbench(spin=None)
    legacy = root.record(root.write("b2.json", null))["entry_dir"]
    result = root.diff(legacy, root.write("c.json", perfbench(spin=None)))
    equal(rows(result)["cpu_spinpoll_pct"]["state"], "context", "1: null on both sides is context")
    equal(root.diff(legacy, root.write("c.json", perfbench(spin=90.0)))["verdict"], "GREEN", "1: null in the baseline is no regression")

# 2 What vanished is a row and never GREEN.
with Root() as root:
    base = root.record(root.write("b.json", {"ttft_ms": 10, "throughput": 100}))["entry_dir"]
    for name, text, state in (("dropped", '{"throughput": 100}', "missing"), ("null", '{"ttft_ms": null, "throughput": 100}', "invalid"),
                              ("NaN", '{"ttft_ms": NaN, "throughput": 100}', "invalid"),
                              ("Infinity", '{"ttft_ms": Infinity, "throughput": 100}', "invalid"),
                              ("1e999", '{"ttft_ms": 1e999, "throughput": 100}', "invalid")):
        result = root.diff(base, root.write("c.json", text))
        check(result["verdict"] != "GREEN", f"2: {name} is GREEN")
        equal(rows(result)["ttft_ms"]["state"], state, f"2: {name}")
        result = root.diff(base, root.path / "c.json", "--headline", "ttft_ms")
        equal(result["verdict"], "RED", f"2: {name} headline")

# 3 A capture can be a baseline, and has a verdict (the pair itself: test_profiles).
with Root() as root:
    header = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    root.write("b/x_cuda_gpu_kern_sum.csv", header + "100.0,1000000,10,100000.0,100000.0,100000,100000,0.0,gemm\n")
    root.write("c/x_cuda_gpu_kern_sum.csv", header + "100.0,1500000,10,150000.0,150000.0,150000,150000,0.0,gemm\n")
    base = root.record(root.path / "b")
    equal(base["shape"], "profile", "3: recorded as a capture")
    result = root.diff(base["entry_dir"], root.path / "c")
    equal((result["verdict"], result["shape"]), ("RED", "profile"), "3: a capture is diffed")
    check((pathlib.Path(result["diff_dir"]) / "profile-diff.json").is_file(), "3: profile-diff.json in the bundle")
    equal(root.json("profile-diff", root.path / "b", root.path / "b")["verdict"], "GREEN", "3: against itself")

# 4 Speed of light is stored and reported (the text itself: test_sol).
with Root() as root:
    base = root.record(root.write("v.txt", "310\n"), "--value", "310", "--unit", "GB/s", "--direction", "higher-is-better",
                       "--ceiling", "b200_sm100.nvlink5_tbps")
    result = root.diff(base["entry_dir"], root.write("c.txt", "300\n"))
    equal(len(result["sol"]), 1, "4: one SoL line")

# 5 Each key has its own direction.
with Root() as root:
    base = root.record(root.write("b.json", {"throughput": 100, "latency": 10}), "--direction", "higher-is-better")["entry_dir"]
    result = root.diff(base, root.write("c.json", {"throughput": 100, "latency": 50}))
    equal(rows(result)["latency"]["state"], "regressed", "5: latency 10 -> 50 under higher-is-better")
    check(result["verdict"] != "GREEN", "5: never GREEN")

# 6 Adverse rows come first, and every row is kept.
with Root() as root:
    before = {f"throughput_{i:02}": 100.0 for i in range(33)}
    after = {k: (90.0 if i < 3 else 150.0) for i, k in enumerate(before)}
    base = root.record(root.write("b.json", before))["entry_dir"]
    result = root.diff(base, root.write("c.json", after))
    equal(result["verdict"], "RED", "6: 30 improvements and 3 regressions")
    document = json.loads((pathlib.Path(result["diff_dir"]) / "diff.json").read_text())
    equal([d["delta_pct"] for d in document["deltas_top20"]][:3], [-10, -10, -10], "6: the regressions lead")
    equal(len(document["deltas_top20"]), 20, "6: twenty on top")
    equal(len(rows(result)), 33, "6: all rows in deltas.jsonl")
    markdown = (pathlib.Path(result["diff_dir"]) / "diff.md").read_text()
    check(markdown.index("throughput_00") < markdown.index("| throughput_10"), "6: also in diff.md")

# 7 Tampering, ambiguous snapshots, values that are no numbers, duplicates, large integers.
with Root() as root:
    done = root.record(root.write("b.json", {"x_ms": 1}))
    snapshot = pathlib.Path(done["entry_dir"]) / "source-snapshot.json"
    snapshot.chmod(0o644)
    snapshot.write_text('{"x_ms": 2}')
    bad = root.run("diff", "--baseline", done["entry_dir"], "--current", root.write("c.json", {"x_ms": 2}))
    equal(bad.returncode, 2, "7: a tampered snapshot is an error")
    check("source-snapshot.json" in bad.stderr, f"7: {bad.stderr}")
    verified = root.run("verify", done["entry_dir"])
    equal(verified.returncode, 1, "7: verify finds it")
with Root() as root:
    entry = root.path / "entry"
    entry.mkdir()
    (entry / "source-snapshot.json").write_text('{"x": 1}')
    (entry / "source-snapshot.txt").write_text("1")
    (entry / "baseline.json").write_text(json.dumps({"family": "f", "measurement": "m", "value": None}))
    bad = root.run("diff", "--baseline", entry, "--current", root.write("c.json", {"x": 1}))
    equal(bad.returncode, 2, "7: two snapshots")
    check("source-snapshot.json" in bad.stderr and "source-snapshot.txt" in bad.stderr, f"7: {bad.stderr}")
    (entry / "source-snapshot.txt").unlink()
    (entry / "baseline.json").write_text('{"family": "f", "measurement": "m", "value": true}')
    bad = root.run("diff", "--baseline", entry, "--current", root.path / "c.json")
    equal(bad.returncode, 2, "7: value true")
    check("invalid baseline metadata" in bad.stderr, f"7: {bad.stderr}")
with Root() as root:
    text = '{"a_ms": 1, "a_ms": 2, "flag": true, "text_number_ms": "5", "big_bytes": 9007199254740993, "none": null, "x_ms": 1}'
    base = root.record(root.write("b.json", text))
    for code in ("duplicate_key", "boolean_values", "numeric_strings", "big_integers", "null_values"):
        check(code in warned(base), f"7: record warns of {code}: {warned(base)}")
    result = root.diff(base["entry_dir"], root.write("c.json", text.replace("0993", "0994")), "--tolerance", "big_bytes=0abs")
    seen = rows(result)
    equal(seen["a_ms"]["state"], "invalid", "7: duplicate key")
    equal(seen["big_bytes"]["delta"], 1, "7: integers beyond 2^53 differ by one")
    equal(seen["flag"]["state"], "context", "7: a boolean is no measurement")

# 8 Noise is answered by suspects, trials and tier (test_noise has the draws): three of many are not RED by count alone.
with Root() as root:
    import random
    rng = random.Random(8)
    before = {f"latency_{i}_ms": 10 * (1 + 0.02 * rng.gauss(0, 1)) for i in range(400)}
    after = {k: 10 * (1 + 0.02 * rng.gauss(0, 1)) for k in before}
    base = root.record(root.write("b.json", before))["entry_dir"]
    result = root.diff(base, root.write("c.json", after))
    check(result["counts"]["regressed"] >= 3, "8: the draw has three or more beyond tolerance")
    check(result["verdict"] != "RED", "8: noise alone is not RED")
    equal(result["tier"], "DRAFT", "8: single trials stay DRAFT")
    check(any("trials" in p for p in json.loads((pathlib.Path(result["diff_dir"]) / "diff.json").read_text())["promote"]), "8: what promotes it")

# 9 A change from zero below any meaning is none.
with Root() as root:
    base = root.record(root.write("v.txt", "0\n"), "--value", "0", "--direction", "lower-is-better")["entry_dir"]
    equal(root.diff(base, root.write("c.txt", "1e-300\n"))["verdict"], "GREEN", "9: 0 -> 1e-300")

# 10 Gates by exit status, on request.
with Root() as root:
    base = root.record(root.write("v.txt", "100\n"), "--value", "100", "--direction", "two-sided")["entry_dir"]
    current = root.write("c.txt", "120\n")
    for words, status in (([], 0), (["--fail-on", "red"], 1), (["--fail-on", "yellow"], 1), (["--strict"], 1), (["--fail-on", "never"], 0),
                          (["--fail-on", "scalar_regressed"], 1), (["--fail-on", "missing"], 0), (["--fail-on", "draft"], 1)):
        equal(root.run("diff", "--baseline", base, "--current", current, *words).returncode, status, f"10: {words}")
    gate = root.json("diff", "--baseline", base, "--current", current, "--fail-on", "red", status=1)["gate"]
    equal(gate, {"tripped": True, "message": "verdict RED (--fail-on red)"}, "10: the result says what tripped")
    check("gate" not in root.diff(base, current), "10: no gate unless asked")
    bad = root.run("diff", "--baseline", base, "--current", current, "--fail-on", "rde")
    equal(bad.returncode, 2, "10: unknown word")
    check('did you mean "red"?' in bad.stderr, f"10: {bad.stderr}")

# 11 Hostile metadata and sources: an error with its place, never a fault.
with Root() as root:
    entry = root.path / "entry"
    entry.mkdir()
    current = root.write("c.json", {"x": 1})
    for content in ("", "[]", "not json", '{"family": 1}', '{"family": "f", "measurement": "m", "value": 1e999}', "\xff\xfe",
                    '{"family": "f", "measurement": "m", "value": ' + "1" * 400 + "}", "[" * 5000, '{"family": "\\ud800", "measurement": "m"}'):
        (entry / "baseline.json").write_bytes(content.encode("latin-1"))
        done = root.run("diff", "--baseline", entry, "--current", current)
        equal(done.returncode, 2, f"11: baseline.json {content[:30]!r} ({done.stderr.strip()[:100]})")
    for content in ("[" * 5000, '{"a": ' * 3000, "\xff\xfe\x00", "{", '{"a": 1', "", "\x00\x01\x02binary"):
        source = root.write("s.json", content.encode("latin-1"))
        done = root.run("record", "--family", "f", "--measurement", "m", "--source", source)
        equal(done.returncode, 2, f"11: source {content[:20]!r} ({done.stderr.strip()[:100]})")
        check(not root.has_experiments(), f"11: {content[:20]!r} created experiments/")
    os.mkfifo(root.path / "fifo")
    for source in (root.path / "fifo", "/dev/null", root.path / "missing.json", ""):
        done = root.run("record", "--family", "f", "--measurement", "m", "--source", source)
        equal(done.returncode, 2, f"11: source {source}")
    done = root.run("record", "--family", "f" * 300, "--measurement", "m", "--source", current)
    equal(done.returncode, 2, "11: long family")
    done = root.run("record", "--family", "f", "--measurement", "m", "--source", current, "--notes", "größer €", env={"LC_ALL": "C"})
    equal(done.returncode, 0, "11: notes in another locale")
    done = root.run("record", "--family", "f", "--measurement", "m", "--source", current, env={"PATH": "/nonexistent"})
    equal(done.returncode, 0, f"11: without git {done.stderr}")

# 12 Folders: loops, the registry inside the source, an empty path.
with Root() as root:
    root.write("src/a.json", {"x_ms": 1})
    (root.path / "src" / "loop").symlink_to(root.path / "src")
    done = root.record(root.path / "src")
    check(any("loop" in w["message"] for w in done["warnings"]), f"12: the link is named {done['warnings']}")
    bad = root.run("record", "--family", "f", "--measurement", "m", "--source", root.path)
    equal(bad.returncode, 2, "12: the registry inside the source")
    check("registry lies inside the source" in bad.stderr, f"12: {bad.stderr}")
    bad = root.run("record", "--family", "f", "--measurement", "m", "--source=")
    equal(bad.returncode, 2, "12: an empty source")

# 13 A failed record leaves nothing: a file where a folder must be made.
with Root() as root:
    root.write("experiments/artifacts/perf-baselines/f", "a file in the way")
    before = sorted(str(p) for p in root.path.rglob("*"))
    bad = root.run("record", "--family", "f", "--measurement", "m", "--source", root.write("v.txt", "1\n"), "--value", "1")
    check(bad.returncode in (2, 3), f"13: {bad.returncode}")
    after = sorted(str(p) for p in root.path.rglob("*") if p.name != "v.txt")
    equal(after, before, "13: nothing left behind")

# 15 What is hashed is what is kept: the digest of a folder equals that of its snapshot; links to folders stay outside.
with Root() as root, Root() as outside:
    outside.write("secret.json", {"y": 1})
    root.write("src/B", "3")
    root.write("src/a/x", "1")
    root.write("src/a-b", "2")
    root.write("src/a.txt", "4")
    (root.path / "src" / "link").symlink_to(outside.path)
    done = root.record(root.path / "src", "--value", "1")
    equal(done["source_sha256"], "1efc16f27dcf62934f267a218d2d39e2b2194cb5f8637c1e80be450cf455574a", "15: the reference tool's digest")
    snapshot = pathlib.Path(done["entry_dir"]) / "source-snapshot"
    digest = hashlib.sha256()
    for path in sorted(p for p in snapshot.rglob("*") if p.is_file()):
        digest.update(path.relative_to(snapshot).as_posix().encode() + b"\0" + path.read_bytes())
    equal(digest.hexdigest(), done["source_sha256"], "15: the snapshot has the recorded digest")
    check(not (snapshot / "link").exists(), "15: nothing from outside")
with Root() as root:
    root.write("src/a", "1")
    root.write("src/b", "2")
    done = root.record(root.path / "src", "--value", "1")
    equal(done["source_sha256"], "0e11826e1bf49d462533dc9d7ada03fd949f2170ac931f614dc414eba009ff1d", "15: second vector")
    equal(root.record(root.write("hello", "hello\n"), "--value", "1")["source_sha256"],
          "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03", "15: file vector")

# 16 Two folders with one reference digest have different entry digests.
with Root() as root, Root() as other:
    root.write("s/a", "1")
    root.write("s/b", "2")
    other.write("s/a", b"1b\x002")
    one = root.record(root.path / "s", "--value", "1")
    two = root.record(other.path / "s", "--value", "1")
    equal(one["source_sha256"], two["source_sha256"], "16: the reference digest collides")
    check(one["entry_sha256"] != two["entry_sha256"], "16: the entry digest does not")
    sums = [(pathlib.Path(d["entry_dir"]) / "SHA256SUMS").read_text() for d in (one, two)]
    check("source-snapshot/b" in sums[0] and "source-snapshot/b" not in sums[1], "16: the manifests tell them apart")

# 17 Results are valid JSON whatever the numbers, and Markdown cells hold their content.
with Root() as root:
    base = root.record(root.write("b.json", {"a|b\nc_ms": 1e308, "tiny_ms": 5e-324}), "--direction", "two-sided", "--notes", "x | y\nz")["entry_dir"]
    result = root.diff(base, root.write("c.json", {"a|b\nc_ms": -1e308, "tiny_ms": 1}))
    text = (pathlib.Path(result["diff_dir"]) / "diff.json").read_text()
    json.loads(text, parse_constant=lambda name: check(False, f"17: {name} in diff.json"))
    table = [line for line in (pathlib.Path(result["diff_dir"]) / "diff.md").read_text().splitlines() if line.startswith("| a")]
    check(table and all("a\\|b c_ms" in line for line in table), f"17: the key stays in its cell: {table}")
    index = (pathlib.Path(base).parent / "INDEX.md").read_text().splitlines()
    equal(index[-1].replace("\\|", "").count("|"), 6, f"17: INDEX.md row {index[-1]!r}")

# 18 A schema never fetches anything.
with Root() as root:
    secret = root.write("secret.json", {"type": "object"})
    source = root.write("s.json", {"x": 1})
    for target in (f"file://{secret}", "http://127.0.0.1:9/x.json", "secret.json"):
        schema = root.write("schema.json", {"$ref": target})
        bad = root.run("record", "--family", "f", "--measurement", "m", "--source", source, "--schema", schema)
        equal(bad.returncode, 2, f"18: {target}")
        check("remote $ref" in bad.stderr, f"18: {bad.stderr}")

# 19 profile-diff over CSVs: units, preambles, duplicates, new report names, empty files.
with Root() as root:
    header = "Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Name\n"
    root.write("b/x_cuda_gpu_kern_sum.csv", "Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\n\n" + header +
               "50.0,500,5,100,100,100,100,0,gemm\n50.0,400,4,100,100,100,100,0,gemm\n")
    root.write("c/x_cuda_gpu_kern_sum.csv", header + "100.0,\"1,800.000\",9,200,200,200,200,0,gemm\n")
    result = root.json("profile-diff", root.path / "b", root.path / "c")
    document = json.loads((pathlib.Path(result["diff_dir"]) / "profile-diff.json").read_text())
    row = document["kernels"][0]
    equal((row["baseline_ns"], row["candidate_ns"], row["delta_ns"]), (900_000, 1_800_000, 900_000), "19: microseconds, sums, commas")
    equal(row["count_effect_ns"] + row["duration_effect_ns"], row["delta_ns"], "19: no remainder")
    root.write("e/x_cuda_gpu_kern_sum.csv", "")
    bad = root.run("profile-diff", root.path / "b", root.path / "e")
    equal(bad.returncode, 2, "19: an empty CSV is refused")

finish()
