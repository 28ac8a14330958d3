#!/usr/bin/python3
"""Every JSON the program writes is valid against the schemas it publishes, by a validator that is not ours."""
import json
import pathlib
import subprocess

import jsonschema

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish
from rank_traces import rank_traces

SCHEMAS = {path.stem: json.loads(path.read_text()) for path in sorted((SOURCE / "schemas").glob("*.json"))}
seen = {}


def valid(document, name, what):
    validator = jsonschema.Draft7Validator(SCHEMAS[name])
    errors = sorted(validator.iter_errors(document), key=lambda e: list(e.path))
    seen[name] = seen.get(name, 0) + 1
    for error in errors[:3]:
        check(False, f"{what} against {name}: {'/'.join(map(str, error.path))}: {error.message[:300]}")
    check(not errors, f"{what} against {name}")
    if name.startswith("plumbline.") and "schema" in SCHEMAS[name]["properties"]:
        equal(document.get("schema"), name, f"{what}: its own name")


def strict(text, what):
    """No NaN, no Infinity, no key twice."""
    def refuse(constant):
        check(False, f"{what}: {constant} was written")

    def once(pairs):
        check(len(dict(pairs)) == len(pairs), f"{what}: a key twice in {[k for k, _ in pairs]}")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


def answer(root, name, *arguments, status=0):
    done = root.run(*arguments, "--json")
    equal(done.returncode, status, f"{arguments[0]}: {done.stderr}")
    document = strict(done.stdout, arguments[0])
    valid(document, f"plumbline.result.{name}.v1", " ".join(map(str, arguments)))
    return document


def record(root, source, *more, measurement="m"):
    result = answer(root, "record", "record", "--family", "f", "--measurement", measurement, "--source", source, *more)
    if "--dry-run" not in more:
        valid(strict(pathlib.Path(result["baseline_json"]).read_text(), "baseline.json"), "plumbline.baseline.v1", f"{measurement} {more}")
    return result


def bundle(result, what):
    folder = pathlib.Path(result["diff_dir"])
    if (folder / "diff.json").exists():
        valid(strict((folder / "diff.json").read_text(), "diff.json"), "plumbline.diff.v1", what)
    if (folder / "profile-diff.json").exists():
        valid(strict((folder / "profile-diff.json").read_text(), "profile-diff.json"), "plumbline.profile-diff.v1", what)
    if (folder / "request.json").exists():
        valid(strict((folder / "request.json").read_text(), "request.json"), "plumbline.request.v1", what)
    if (folder / "deltas.jsonl").exists():
        for line in (folder / "deltas.jsonl").read_text().splitlines():
            valid(strict(line, "deltas.jsonl"), "plumbline.delta.v1", f"{what}: {line[:80]}")
    return result


def diff(root, *arguments, status=0):
    return bundle(answer(root, "diff", "diff", *arguments, status=status), " ".join(map(str, arguments)))


for name, schema in SCHEMAS.items():
    try:
        jsonschema.Draft7Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        check(False, f"{name} is no schema: {error.message}")

with Root() as root:
    # Scalars, with and without everything that is optional.
    plain = record(root, root.write("v.txt", "310\n"), measurement="plain")
    scalar = record(root, root.path / "v.txt", "--value", "310", "--unit", "GB/s", "--direction", "higher-is-better", "--ceiling",
                    "b200_sm100.nvlink5_tbps", "--notes", "größer | \"x\"", "--label", "l", "--reason", "r", "--context",
                    "hardware.gpu=H200", "--tolerance", "*=5%", measurement="busbw")
    trials = record(root, root.write("t1.txt", "100\n"), "--trials", root.write("t2.txt", "101\n"), root.write("t3.txt", "99\n"),
                    "--direction", "lower-is-better", measurement="trials")
    record(root, root.path / "v.txt", "--dry-run", measurement="dry")
    record(root, root.path / "v.txt", "--snapshot", "reference", measurement="referenced")
    for current in ("295\n", "310\n", "500\n"):
        diff(root, scalar["entry_dir"], root.write("c.txt", current))
    diff(root, plain["entry_dir"], root.path / "c.txt", "--fail-on", "red,yellow,draft", status=1)
    diff(root, scalar["entry_dir"], root.path / "c.txt", "--initial", scalar["entry_dir"], "--tolerance-absolute", "3")
    diff(root, "--baseline", trials["entry_dir"], "--current", root.write("u1.txt", "120\n"), root.write("u2.txt", "121\n"), root.write("u3.txt", "119\n"))
    answer(root, "diff", "diff", scalar["entry_dir"], root.path / "c.txt", "--no-bundle")
    diff(root, root.path / "v.txt", root.path / "c.txt")

    # Structured: all states, hostile names, samples inside, a declared schema.
    before = {"ttft_ms": 10, "throughput": 100, "gone_ms": 1, "flag": True, "null_ms": None, "big_bytes": 9007199254740993, "zero_ms": 0,
              "samples_ms": [1.0, 1.1, 0.9, 1.05], "nest": {"a|b\"c": {"latency_ms": 5}}, "mystery": 3, "model": "m"}
    after = {**before, "ttft_ms": 20, "throughput": 150, "new_ms": 2, "null_ms": 4, "zero_ms": 1, "samples_ms": [2.0, 2.1, 1.9, 2.05],
             "big_bytes": 9007199254740994, "mystery": 9}
    del after["gone_ms"]
    structured = record(root, root.write("b.json", before), "--headline", "ttft_ms", "--tolerance", "throughput=10%", "--tolerance",
                        "ttft_ms=2abs", "--direction", "mystery=two-sided", "--context", "hardware.gpu=H200", measurement="structured")
    diff(root, structured["entry_dir"], root.write("c.json", after))
    diff(root, structured["entry_dir"], root.path / "c.json", "--policy", "reference")
    diff(root, structured["entry_dir"], root.path / "c.json", "--initial", structured["entry_dir"], "--initial-tolerance", "1%")
    diff(root, structured["entry_dir"], root.write("nan.json", '{"ttft_ms": NaN, "throughput": 1e999}'))
    with_sol = record(root, root.write("s.json", {"bw_gb_per_s": 310.0, "other_gb_per_s": 100.0}), "--ceiling", "b200_sm100.nvlink5_tbps",
                      measurement="sol")
    diff(root, with_sol["entry_dir"], root.write("s2.json", {"bw_gb_per_s": 200.0, "other_gb_per_s": 100.0}))
    many = {f"case{i:03}": {"latency_ms": 1.0 + i % 7} for i in range(200)}
    worse = {key: {"latency_ms": value["latency_ms"] * (1.2 if i % 3 else 1.0)} for i, (key, value) in enumerate(many.items())}
    entry = record(root, root.write("many.json", many), measurement="many")
    diff(root, entry["entry_dir"], root.write("many2.json", worse), "--all-rows")

    # A suite.
    for i in range(3):
        root.write(f"suite/{i}.json", {"latency_ms": 10.0 + i})
        root.write(f"suite2/{i}.json", {"latency_ms": 13.0 + i})
    suite = record(root, root.path / "suite", measurement="suite")
    diff(root, suite["entry_dir"], root.path / "suite2")
    root.write("suite2/fresh.json", {"latency_ms": 1.0})
    diff(root, root.path / "suite", root.path / "suite2")
    refreshed = answer(root, "record", "record", "--as", "suite", "--family", "nightly", "--source", root.path / "suite", "--reason", "first")
    equal(len(refreshed["entries"]), 3, "an entry a case")
    diff(root, "nightly", root.path / "suite2")

    # Another system's baseline.
    cell = {"case_id": "m__cuda__tg128__baseline", "model": "m", "backend": "cuda", "feature": "tg128", "ok": True, "skipped": False, "error": None,
            "correctness_ok": True, "prefill_tps": 0, "decode_tps": 41.5, "model_load_ms": 10.0, "started_at": "2026-11-01T10:00:00+00:00"}
    root.write("cells/m__cuda__tg128__baseline.json", cell)
    answer(root, "export", "export", root.path / "cells", "--as", "tensorsharp", "--host-label", "linux-cuda", "--out", root.path / "host.json")

    # The project file, with everything that may be wrong with it.
    root.write("plumbline.yaml", "rules:\n  - match: {family: f, key: [a, b]}\n    set: {tolerance: 5%, headline: true}\n  - set: {gate: perhaps}\n")
    answer(root, "config", "config", "check", root.write("c.json", {"a": 1}), status=1)
    (root.path / "plumbline.yaml").unlink()

    # Captures.
    head = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    root.write("p/x_cuda_gpu_kern_sum.csv", head + "60.0,600000,6,100000.0,100000.0,100000,100000,0.0,gemm\n40.0,400000,4,100000.0,100000.0,100000,100000,0.0,\"a, b<int>\"\n")
    root.write("q/x_cuda_gpu_kern_sum.csv", head + "60.0,900000,6,150000.0,150000.0,150000,150000,0.0,gemm\n40.0,400000,4,100000.0,100000.0,100000,100000,0.0,fresh\n")
    capture = record(root, root.path / "p", measurement="capture")
    equal(capture["shape"], "profile", "the capture's shape")
    for out in ((), ("--out", root.path / "p.digest.json.gz")):
        answer(root, "digest", "digest", root.path / "p", *out)
    for rank, text in rank_traces(4, steps=3).items():
        root.write(f"traces/rank{rank}.json", text if rank != 2 else "")
    answer(root, "digest", "digest", "traces", "--shard", "0/1", "--out", "digests")
    valid(strict((root.path / "digests" / "rank2.failed.json").read_text(), "rank2.failed.json"), "plumbline.rank-failure.v1", "a broken rank")
    answer(root, "digest", "digest", "digests")
    bundle(root.json("profile-diff", "digests", "digests"), "ranks")
    for words in ((), ("csv",), ("nccl",), ("nsys-sqlite",)):
        answer(root, "formats", "formats", *words)
    diff(root, capture["entry_dir"], root.path / "q")
    bundle(answer(root, "profile-diff", "profile-diff", root.path / "p", root.path / "q", "--limit", "1"), "profile-diff")
    written = root.path / "out.json"
    answer(root, "profile-diff", "profile-diff", root.path / "p", root.path / "q", "--json-out", written)
    valid(strict(written.read_text(), "--json-out"), "plumbline.profile-diff.v1", "--json-out")

    # The small verbs.
    for reason in ("first", "second \"quoted\" | €"):
        accepted = answer(root, "accept", "accept", scalar["entry_dir"], "--reason", reason)
        valid(strict(pathlib.Path(accepted["path"]).read_text(), "acceptance"), "plumbline.acceptance.v1", "acceptance")
    record(root, root.path / "v.txt", "--value", "311", "--unit", "GB/s", "--context", "hardware.gpu=H200", measurement="busbw")
    diff(root, "f/busbw", root.path / "c.txt")
    diff(root, "f/busbw@newest", root.path / "c.txt")
    for name in ("plain", "busbw", "structured", "capture", "trials"):
        answer(root, "history", "history", f"f/{name}")
    for path in (root.path / "v.txt", root.path / "b.json", root.path / "suite", root.path / "p", scalar["entry_dir"], capture["entry_dir"]):
        answer(root, "inspect", "inspect", path)
    bad = root.run("inspect", root.write("binary", b"\0\1\2"), "--json")
    equal(bad.returncode, 2, "inspect of nothing known")
    answer(root, "verify", "verify", scalar["entry_dir"])
    snapshot = pathlib.Path(plain["entry_dir"]) / "source-snapshot.txt"
    snapshot.chmod(0o644)
    snapshot.write_text("311\n")
    answer(root, "verify", "verify", plain["entry_dir"], status=1)
    for words in ([], ["busbw"], ["--verdict", "RED"], ["nothing-has-this-word"]):
        answer(root, "search", "search", *words)
    for slow in (None, 3):  # siblings: a bundle, a heatmap with a gap, a node without a result, commands of a scheduler
        for i in range(6):
            values = {"busbw_GBps": 240.5 if i == slow else 300.25 + i / 100, "latency_us": 12.5 + i / 1000}
            if i == 5:
                del values["latency_us"]
            root.write(f"fleet/n{i}.json", values)
        root.write("fleet/n6.json", "died")
        for words in ([], ["--drain", "slurm", "--fail-on", "never"], ["--response-format", "detailed", "--no-bundle"]):
            siblings = answer(root, "outliers", "outliers", "fleet", "--repo-root", root.path, *words)
            if siblings["diff_dir"]:
                text = (pathlib.Path(siblings["diff_dir"]) / "outliers.json").read_text()
                valid(strict(text, "outliers.json"), "plumbline.result.outliers.v1", f"the bundle of {words}")

# What a harness may print, as the page for its authors has it.
page = (SOURCE / "docs" / "harness-output.md").read_text()
printed = [line.split("'")[1] for line in page.splitlines() if line.startswith("  '{")]
check(len(printed) == 4, f"lines of docs/harness-output.md: {printed}")
for line in printed:
    valid(strict(line, "harness-output.md"), "plumbline.lines.v1", line[:60])
with Root() as root:
    answer(root, "keygen", "keygen", "--out", root.path / "k")
    answer(root, "run", "run", "-n", "2", "--warmup", "0", "--keep", root.path / "kept", "--no-bundle", "--ab", "true", "sleep 0.01")
    # A second look: its journal, its answer and its bundle have members of their own.
    for name, value in (("old", 20), ("new", 23)):
        root.write(f"{name}.json", {"encode_ms": 10, "decode_ms": value, "copy_ms": 30})
    # Run in a folder without a registry: root.run names none for `run`.
    subprocess.run([PLUMBLINE, "diff", root.path / "old.json", root.path / "new.json", "--out", root.path / "first"], check=True, capture_output=True, cwd=root.path)
    second = answer(root, "run", "run", "--warmup", "0", "--keep", root.path / "kept2", "--out", root.path / "second", "--confirm", root.path / "first",
                    "--tolerance", "decode_ms=4%", "--ab", f"cat {root.path}/old.json", f"cat {root.path}/new.json")
    equal(second["comparisons"][0]["result"]["second_look"]["counts"]["confirmed"], 1, "the second look")
    valid(strict((root.path / "kept2" / "run.json").read_text(), "run.json"), "plumbline.run.v1", "run.json of --confirm")
    valid(strict((root.path / "second" / "diff.json").read_text(), "diff.json"), "plumbline.diff.v1", "diff.json of --confirm")
    for line in (["git", "init", "-q"], ["git", "add", "."], ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one"],
                 ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "two"]):
        subprocess.run(line, cwd=root.path, check=True)
    answer(root, "bisect", "bisect", "--good", "HEAD~1", "--warmup", "0", "true")
    valid(strict((root.path / "kept" / "run.json").read_text(), "run.json"), "plumbline.run.v1", "run.json")
    signed = record(root, root.write("v.txt", "310\n"), "--sign", root.path / "k.key")
    valid(strict((pathlib.Path(signed["entry_dir"]) / "attest/statement.json").read_text(), "statement.json"), "plumbline.attestation.v1", "a signed entry")
    for i in range(6):
        record(root, root.write("v.txt", f"{310 + i % 2}\n"), measurement="calibrated")
    answer(root, "calibrate", "calibrate", "f/calibrated")
    answer(root, "checkpoint", "checkpoint", "--repo-root", root.path)
    answer(root, "import", "import", "--family", "f", "--measurement", "imported",
           root.write("a-2026-10-01.txt", "309\n"), root.write("a-2026-10-02.txt", "308\n"))
    answer(root, "gc", "gc", "--keep-last", "1", "--yes")
    removed = next((root.path / "experiments").rglob("removed/*.json"))
    valid(strict(removed.read_text(), "tombstone"), "plumbline.tombstone.v1", "what gc leaves")
    answer(root, "index", "index", "--repo-root", root.path)
    answer(root, "verify", "verify", "--repo-root", root.path)

equal(sorted(set(SCHEMAS) - set(seen) - {"inference_perfbench_v1"}), [], "schemas that nothing was checked against")
print(", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
finish()
