#!/usr/bin/env python3
"""Secrets in captures reach no output of profile-diff nor any file of its bundle; record says when a trace carries an
environment, and --redact records it without, packed or not, or says truly why it cannot."""
import gzip
import json
import pathlib

from harness import Root, check, equal, finish

SECRET = "LEAKME-9f8e7d6c5b4a"
NAMES = [f"run --api-key={SECRET}", f"curl https://u:{SECRET}@h/", f"hf_LEAKME{'Ej3kQ9' * 5}", "gemm"]


def kernel(name, start, length):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": length,
            "args": {"device": 0, "context": 1, "stream": 7, "correlation": start, "grid": [1, 1, 1], "block": [64, 1, 1]}}


def trace(times=1, **more):
    events = []
    for i, name in enumerate(NAMES):
        events.append({"ph": "X", "cat": "user_annotation", "name": f"step {name}", "pid": 1, "tid": 1, "ts": 100 * i + 1, "dur": 90})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 100 * i + 2, "dur": 2,
                       "args": {"correlation": 100 * i + 10}})
        events.append(kernel(name, 100 * i + 10, 20 * times))
    return {"metadata": {"system": {"env": {"HF_TOKEN": SECRET, "HOME": "/root"}, "os": "Linux"}}, "traceEvents": events, **more}


ROCPROF = {"rocprofiler-sdk-tool": [{
    "metadata": {"pid": 1, "environment": {"TOKEN": SECRET}},
    "agents": [{"id": {"handle": 12}, "type": 2, "name": "gfx942", "product_name": "MI300X"}],
    "kernel_symbols": [{"kernel_id": 5, "kernel_name": "add.kd", "formatted_kernel_name": "add(float*)"}],
    "strings": {"buffer_records": [], "marker_api": []},
    "buffer_records": {"kernel_dispatch": [{
        "correlation_id": {"internal": 3}, "start_timestamp": 1000, "end_timestamp": 1500,
        "dispatch_info": {"agent_id": {"handle": 12}, "queue_id": {"handle": 2}, "kernel_id": 5}}]}}]}


def silent(text, what):
    at = text.find("LEAKME")
    check(at < 0, f"{what}: {text[max(0, at - 80):at + 30]!r}")


def warned(result):
    return {one["code"]: one["message"] for one in result["warnings"]}


with Root() as root:
    before, after = root.write("before.json", trace()), root.write("after.json", trace(2))
    folded = [root.write(f"{side}.folded", "".join(f"main;{name.replace(' ', '_')};{name} {n}\n" for name in NAMES))
              for side, n in (("a", 50), ("b", 90))]
    ranks = []
    for times in (1, 2):
        for rank in (0, 1):
            root.write(f"ranks{times}/rank{rank}.json", trace(times, distributedInfo={"rank": rank, "world_size": 2}))
        ranks.append(root.path / f"ranks{times}")
    for sides in ((before, after), folded, ranks):
        for form in ("--json", None):
            done = root.run("profile-diff", *sides, *([form] if form else []))
            equal(done.returncode, 0, f"profile-diff {sides[0].name}: {done.stderr}")
            silent(done.stdout + done.stderr, f"profile-diff {sides[0].name} {form or ''}")
            if form:
                check("secret_in_source" in done.stdout, f"profile-diff {sides[0].name} says that secrets were left out")
        seen = root.run("inspect", sides[0])
        silent(seen.stdout + seen.stderr, f"inspect {sides[0].name}")
    bundles = [one for one in root.path.rglob("*") if one.is_file() and "perf-baseline-diffs" in str(one)]
    check(len(bundles) > 10, f"{len(bundles)} files of bundles")
    for one in bundles:
        silent(one.read_text(errors="replace"), f"{one.name} of {one.parent.name}")

    packed = root.write("packed.json.gz", gzip.compress(json.dumps(trace()).encode()))
    bare = root.write("packed.gz", gzip.compress(json.dumps(trace()).encode()))
    rocprof = root.write("results.json", ROCPROF)
    for number, (source, suffix) in enumerate(((before, ".json"), (packed, ".json"), (bare, ".json"), (rocprof, ".json"))):
        said = warned(root.record(source, family="plain", measurement=f"m{number}"))
        check("environment_in_source" in said, f"record {source.name} warns: {said}")
        clean = root.record(source, "--redact", family="redacted", measurement=f"m{number}")
        check("environment_in_source" not in warned(clean), "nothing to warn of once redacted")
        entry = pathlib.Path(clean["entry_dir"])
        check((entry / f"source-snapshot{suffix}").is_file(), f"{source.name}: {sorted(one.name for one in entry.iterdir())}")
        for one in entry.iterdir():
            silent(one.read_text(errors="replace"), f"{one.name} of {source.name}, redacted")
        equal(root.run("verify", entry).returncode, 0, "the entry verifies")
        again = root.record(entry / f"source-snapshot{suffix}", family="again", measurement=f"m{number}")
        check("environment_in_source" not in warned(again), "a redacted copy holds no environment")
        done = root.run("diff", entry, source, "--json")
        check(done.returncode in (0, 1), f"a redacted entry diffs: {done.stderr}")
        silent(done.stdout + done.stderr, f"diff against redacted {source.name}")

    for source in (folded[0], ranks[0]):
        done = root.run("record", "--family", "f", "--measurement", "m", "--source", source, "--redact")
        equal(done.returncode, 2, f"--redact of {source.name}")
        check("cannot be redacted" in done.stderr and "nsys" not in done.stderr, f"--redact of {source.name}: {done.stderr}")

finish()
