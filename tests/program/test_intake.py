#!/usr/bin/env python3
"""What a path is, is told once: a capture given as a file, as a folder that holds it, or as an entry is the same capture to every
verb, and a capture among the cases of a suite is never read as JSON rows."""
import json
import pathlib
import zipfile

from harness import Root, check, codes, equal, finish

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "corpus" / "capture_readers"


def trace(gemm_us):
    """Ten steps of two kernels on one stream."""
    events, at = [], 0.0
    for step in range(10):
        start = at
        for name, us in (("gemm", gemm_us), ("softmax", 40.0)):
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": us,
                           "args": {"device": 0, "stream": 7, "correlation": len(events) + 1}})
            at += us + 1
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": start, "dur": at - start})
    return json.dumps({"traceEvents": events})


def said(result):
    return {"verdict": result["verdict"], "shape": result["shape"], "codes": codes(result)}


with Root() as root:
    before, after = root.write("before.json", trace(100.0)), root.write("after.json", trace(150.0))
    root.write("A/trace.json", before.read_text())
    root.write("B/trace.json", after.read_text())
    root.record("before.json", measurement="file")
    recorded = root.record("A", measurement="folder")
    equal(recorded["shape"], "profile", "a folder of one capture is recorded as that capture")
    wanted = said(root.diff("before.json", "after.json"))
    equal((wanted["verdict"], wanted["shape"]), ("RED", "profile"), "two traces as files")
    for baseline in ("before.json", "A", "f/file", "f/folder"):
        for current in ("after.json", "B"):
            equal(said(root.diff(baseline, current)), wanted, f"diff {baseline} {current}")
    for baseline, candidate in (("before.json", "after.json"), ("A", "B")):
        result = root.json("profile-diff", baseline, candidate)
        equal(result["verdict"], "RED", f"profile-diff {baseline} {candidate}")
    equal({root.json("inspect", path)["shape"] for path in ("before.json", "A", root.path / "A/trace.json")}, {"profile"}, "inspect")

    # A capture among cases: said to be one, and not compared as rows of its JSON.
    for side, gemm in (("base", 100.0), ("new", 150.0)):
        root.write(f"{side}/run.json", {"latency_ms": 3.0})
        root.write(f"{side}/trace.json", trace(gemm))
    done = root.run("diff", "base", "new", "--json", "--no-bundle", "--all-rows")
    check("traceEvents" not in done.stdout, f"rows of a trace's JSON: {done.stdout[:300]}")
    suite = json.loads(done.stdout)["suite"]
    equal((suite["totals"]["cases"], suite["totals"]["passed"], suite["totals"]["error"]), (2, 1, 1), "the measurement passed, the capture is an error")
    check("a capture, not a measurement" in done.stdout, done.stdout[:600])
    for verb in (("inspect", "new"), ("record", "--family", "f", "--measurement", "mixed", "--source", "new")):
        done = root.run(*verb, "--json")
        equal(done.returncode, 0, done.stderr)
        check("traceEvents" not in done.stdout and "unread_file" in done.stdout, f"{verb}: {done.stdout[:300]}")
    # Packed, each form is told apart by the same table; what cannot be read where it lies is refused by its name.
    for name, form in (("kernels.sqlite", "sqlite"), ("kineto.json", "json-trace"), ("good", "pprof"), ("one_line", "perf-script"), ("plain", "folded"),
                       ("raw.csv", "ncu-csv"), ("trace.json", "nsys-stats-json")):
        with zipfile.ZipFile(root.path / "one.zip", "w") as packed:
            packed.write(CORPUS / form / name, "inside")
        done = root.run("inspect", "one.zip")
        check(done.returncode == 2 and f"a profiler capture ({form}) inside packed data" in done.stderr, f"{name}: {done.stderr}")
    with zipfile.ZipFile(root.path / "both.zip", "w") as packed:
        packed.writestr("s/run.json", '{"latency_ms": 3.0}')
        packed.writestr("s/trace.json", trace(100.0))
    done = root.run("inspect", "both.zip", "--json")
    check("traceEvents" not in done.stdout and "unread_file" in done.stdout, f"an archive of both: {done.stdout[:300]}{done.stderr}")
    root.write("captures/x.json", trace(100.0))
    root.write("captures/y.json", trace(150.0))
    done = root.run("inspect", "captures")
    check(done.returncode != 0 and "nothing says which rank the capture is of" in done.stderr, f"a folder of captures: {done.stderr}")
finish()
