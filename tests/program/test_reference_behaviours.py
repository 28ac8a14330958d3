#!/usr/bin/env python3
"""What the Python tool's own tests assert of its command line, through `plumbline record|diff`."""
import json
import math
import os
import pathlib

from harness import Root, check, codes, equal, finish

# A scalar is recorded: envelope, files, fields.
with Root() as root:
    source = root.write("value.txt", "100\n")
    done = root.record(source, "--value", "100", "--unit", "tokens/s", "--direction", "higher-is-better")
    equal(done["tool"], "perf_baseline_record", "tool")
    equal(done["library"], "perf_baseline", "library")
    entry = pathlib.Path(done["entry_dir"])
    check((entry / "baseline.json").is_file() and (entry / "SOURCE.md").is_file(), "baseline.json and SOURCE.md exist")
    baseline = json.loads((entry / "baseline.json").read_text())
    equal((baseline["value"], baseline["unit"]), (100, "tokens/s"), "value and unit")
    equal(len(done["slug"]), 22, "slug length")
    equal((entry / "source-snapshot.txt").read_bytes(), b"100\n", "snapshot")
    equal(baseline["profile_and_optimize_sha"], None, "no commit outside a work tree")

# Unsafe names.
for name in ("../outside", "/outside", "nested/x", "nested\\x", "", ".", "..", "-x", ".hidden", "_x", "x\n", "x" * 129):
    for word in ("family", "measurement"):
        with Root() as root:
            source = root.write("v.txt", "1\n")
            names = {"family": "f", "measurement": "m", word: name}
            done = root.run("record", f"--family={names['family']}", f"--measurement={names['measurement']}", "--source", source,
                            "--direction", "two-sided")
            equal(done.returncode, 2, f"exit for {word} {name!r}")
            check("safe path segment" in done.stderr, f"{word} {name!r}: {done.stderr}")
            check(not root.has_experiments(), f"{word} {name!r} created experiments/")

# A family that is a link out of the registry.
with Root() as root, Root() as outside:
    source = root.write("v.txt", "1\n")
    registry = root.path / "experiments" / "artifacts" / "perf-baselines"
    registry.mkdir(parents=True)
    (registry / "f").symlink_to(outside.path)
    done = root.run("record", "--family", "f", "--measurement", "m", "--source", source, "--direction", "two-sided")
    equal(done.returncode, 2, "exit for an escaping link")
    check("escapes its registry root" in done.stderr, done.stderr)
    equal(list(outside.path.iterdir()), [], "outside stays empty")

# Values that are no finite numbers.
for value in ("nan", "inf", "-inf"):
    with Root() as root:
        source = root.write("v.txt", "1\n")
        done = root.run("record", "--family", "f", "--measurement", "m", "--source", source, f"--value={value}", "--direction", "two-sided")
        equal(done.returncode, 2, f"exit for --value={value}")
        check("finite" in done.stderr, done.stderr)
        check(not root.has_experiments(), f"--value={value} created experiments/")
for words in (["--value", "-1e-3"], ["--value=-1e-3"], ["--value", "-5"]):
    with Root() as root:
        source = root.write("v.txt", "1\n")
        done = root.json("record", "--family", "f", "--measurement", "m", "--source", source, *words, "--direction", "two-sided")
        check(json.loads(pathlib.Path(done["baseline_json"]).read_text())["value"] < 0, f"negative value {words}")

# JSON Schema.
with Root() as root:
    schema = root.write("schema.json", {"type": "object", "required": ["x"], "properties": {"x": {"type": "number", "minimum": 0}}})
    bad = root.write("bad.json", {"x": -1})
    done = root.run("record", "--family", "f", "--measurement", "m", "--source", bad, "--schema", schema, "--direction", "two-sided")
    equal(done.returncode, 2, "exit for a schema mismatch")
    check("fails JSON Schema" in done.stderr and "at x:" in done.stderr, done.stderr)
    check(not root.has_experiments(), "a schema mismatch created experiments/")
    good = root.write("good.json", {"x": 1})
    root.record(good, "--schema", schema, "--direction", "two-sided")

for text in ('{"$ref": "#"}', '{"allOf": [{"$ref": "#"}]}', '{"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}, "$ref": "#/definitions/a"}',
             '{"properties": {"x": {"multipleOf": 0}}}', '{"$ref": "#/nowhere"}', '[]', '{"type": "nonsense"}'):
    with Root() as root:
        done = root.run("record", "--family", "f", "--measurement", "m", "--source", root.write("s.json", {"x": 1}), "--schema", root.write("h.json", text))
        equal(done.returncode, 2, f"a schema that never ends or means nothing: {text} {done.stderr}")
with Root() as root:
    tree = {"properties": {"child": {"$ref": "#"}, "x": {"type": "number"}}}
    root.record(root.write("s.json", {"x": 1, "child": {"x": 2}}), "--schema", root.write("h.json", tree))

# Scalar 100 against 106, 103, and the direction matrix.
with Root() as root:
    base = root.record(root.write("v.txt", "100\n"), "--value", "100", "--direction", "two-sided")["entry_dir"]
    result = root.diff(base, root.write("c.txt", "106\n"), "--tolerance-percent", "5")
    equal((result["verdict"], result["deltas_count"]), ("RED", 1), "100 -> 106 two-sided")
    bundle = pathlib.Path(result["diff_dir"])
    check((bundle / "diff.md").is_file(), "diff.md")
    equal((bundle / "current-snapshot.txt").read_bytes(), b"106\n", "current snapshot")
    document = json.loads((bundle / "diff.json").read_text())
    equal(document["direction"], "two-sided", "diff.json direction")
    equal(document["deltas_top20"][0]["key"], "m", "the scalar is called after its measurement")
    equal(document["deltas_top20"][0]["headline"], True, "the scalar is a headline")
    equal(root.diff(base, root.write("c.txt", "103\n"))["verdict"], "GREEN", "100 -> 103")
for direction, up, down in (("two-sided", "RED", "RED"), ("higher-is-better", "GREEN", "RED"), ("lower-is-better", "RED", "GREEN")):
    with Root() as root:
        base = root.record(root.write("v.txt", "100\n"), "--value", "100", "--direction", direction)["entry_dir"]
        equal(root.diff(base, root.write("c.txt", "110\n"))["verdict"], up, f"{direction} 110")
        equal(root.diff(base, root.write("c.json", '{"value": 90}'))["verdict"], down, f"{direction} 90")

# Percent of zero is undefined and counts.
with Root() as root:
    base = root.record(root.write("v.txt", "0\n"), "--value", "0", "--direction", "two-sided")["entry_dir"]
    result = root.diff(base, root.write("c.txt", "1\n"))
    equal(result["verdict"], "RED", "0 -> 1")
    top = json.loads((pathlib.Path(result["diff_dir"]) / "diff.json").read_text())["deltas_top20"][0]
    equal(top["delta_pct"], None, "0 -> 1 has no percent")

# An entry of the reference tool: no direction means two-sided, a digest that is none is a warning.
with Root() as root:
    entry = root.path / "experiments/artifacts/perf-baselines/f/m/20260101T000000000000Z"
    entry.mkdir(parents=True)
    (entry / "baseline.json").write_text(json.dumps({"family": "f", "measurement": "m", "value": 100, "source_sha256": "test"}))
    result = root.diff(entry, root.write("c.txt", "106\n"))
    equal((result["verdict"], result["direction"]), ("RED", "two-sided"), "legacy entry")
    check("provenance_unverified" in [w["code"] for w in result["warnings"]], "legacy entry warns")
    before = sorted(p.name for p in entry.rglob("*"))
    equal(before, ["baseline.json"], "diff never writes to a baseline")

# Structured.
with Root() as root:
    base = root.record(root.write("b.json", {"metric": 100, "label": "x"}), "--direction", "two-sided")["entry_dir"]
    current = root.write("c.json", {"metric": 110, "label": "x"})
    result = root.diff(base, current, "--policy", "reference")
    equal((result["verdict"], result["deltas_count"]), ("YELLOW", 1), "structured 100 -> 110")
    equal(root.diff(base, current)["verdict"], "RED", "the only judged row regressed: more than the reference tool says")
with Root() as root:
    base = root.record(root.write("b.json", {"metric": 1000}), "--direction", "two-sided")["entry_dir"]
    result = root.diff(base, root.write("c.json", {"metric": 1006}), "--tolerance-absolute", "5", "--policy", "reference")
    equal((result["verdict"], result["tolerance_absolute"]), ("YELLOW", 5), "--tolerance-absolute 5")

# Metadata that names no safe place.
with Root() as root:
    entry = root.path / "elsewhere"
    entry.mkdir()
    (entry / "baseline.json").write_text(json.dumps({"family": "../x", "measurement": "m", "value": 1}))
    done = root.run("diff", "--baseline", entry, "--current", root.write("c.txt", "1\n"))
    equal(done.returncode, 2, "exit for unsafe metadata")
    check("invalid baseline metadata" in done.stderr, done.stderr)
    check(not root.has_experiments(), "unsafe metadata created experiments/")

# Help, the MCP names and the old spellings.
with Root() as root:
    for words in (["record", "--help"], ["diff", "--help"], ["perf_baseline_record", "--help"], ["perf-baseline", "diff", "--help"],
                  ["profile", "profile-diff", "--help"]):
        done = root.run(*words)
        equal((done.returncode, bool(done.stdout)), (0, True), f"help {words}")
    equal(root.run("record").returncode, 2, "record without arguments")

# The reference policy decides as the tool: counts of rows, whatever they mean.
with Root() as root:
    many = {f"k{i}": 100.0 for i in range(50)}
    base = root.record(root.write("b.json", many), "--direction", "two-sided")["entry_dir"]
    for changed, wanted in ((0, "GREEN"), (1, "YELLOW"), (2, "YELLOW"), (3, "RED")):
        now = dict(many, **{f"k{i}": 110.0 for i in range(changed)})
        result = root.diff(base, root.write("c.json", now), "--policy", "reference")
        equal(result["verdict"], wanted, f"reference policy, {changed} rows over tolerance")
    nested = {"k0": 100.0, "deep": {"x": 1.0}, "flag": True, "text": "7"}
    base = root.record(root.write("b.json", nested), "--direction", "two-sided")["entry_dir"]
    result = root.diff(base, root.write("c.json", dict(nested, deep={"x": 9.0})), "--policy", "reference")
    equal((result["verdict"], result["deltas_count"]), ("GREEN", 3), "reference policy looks at top-level numbers only")
    result = root.diff(base, root.write("c.json", dict(nested, k0=105.0)), "--policy", "reference")
    equal(result["verdict"], "GREEN", "exactly at tolerance is within")

finish()
