#!/usr/bin/env python3
"""Values over time for other tools: export --as csv and --as openmetrics, read back by Python's csv and by the rules of OpenMetrics."""
import csv
import datetime
import io
import json
import re

import openmetrics
from harness import Root, check, equal, finish

NASTY = 'a "b", c\\d'


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def ok(root, *words):
    done = root.run(*words)
    check(done.returncode == 0, f"{words}: {done.returncode} {done.stderr}")
    return done


def families_of(text):
    """{family: [(labels, value, time)]} of gauges with timestamps: each metric's points together and in the order of time."""
    lines = text.split("\n")
    equal(lines[-2:], ["# EOF", ""], "its end")
    found, name, seen = {}, None, set()
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            name = re.fullmatch(r"# TYPE (\S+) gauge", line)[1]
            found[name], before = [], None
        elif not line.startswith(f"# HELP {name} "):
            parts = re.fullmatch(rf"{name}\{{(.*)\}} (\S+) (\d+\.\d{{3}})", line)
            labels = {key: re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value) for key, value in openmetrics.labels_of(parts[1]).items()}
            metric = (name, parts[1])
            check(metric == (before or metric) or metric not in seen, f"points of a metric are together: {line}")
            if metric == before:
                check(float(parts[3]) > found[name][-1][2], f"in the order of time: {line}")
            seen.add(metric)
            before = metric
            found[name].append((labels, float(parts[2]), float(parts[3])))
    return found


with Root() as root:
    (root.path / ".git").mkdir()
    measured = {}  # (measurement, key) -> {time: value}
    for day in range(1, 6):
        at = f"2026-11-{day:02}T12:00:00Z"
        (root.path / "run.json").write_text(json.dumps({"p50_ms": 10 + day, NASTY: {"tokens_per_s": 100.5 - day}}))
        ok(root, "record", "--family", "serve", "--measurement", "decode", "--source", "run.json", "--measured-at", at)
        measured.setdefault(("decode", "p50_ms"), {})[time_of(at)] = 10.0 + day
        ok(root, "record", "--family", "serve", "--measurement", "load", "--value", str(1.5 * day), "--unit", "s", "--direction", "lower-is-better",
                   "--source", "run.json", "--measured-at", at)
        measured.setdefault(("load", ""), {})[time_of(at)] = 1.5 * day
    ok(root, "accept", "serve/decode", "--reason", "reviewed")
    (root.path / "slow.json").write_text(json.dumps({"p50_ms": 40, NASTY: {"tokens_per_s": 50}}))
    ok(root, "diff", "serve/decode", "slow.json")

    rows = list(csv.DictReader(io.StringIO(ok(root, "export", "serve", "--as", "csv").stdout)))
    equal(list(rows[0]), ["family", "measurement", "key", "time", "entry", "value", "unit", "direction", "accepted"], "the columns")
    equal({row["family"] for row in rows}, {"serve"}, "a family")
    read = {}
    for row in rows:
        read.setdefault((row["measurement"], row["key"]), {})[time_of(row["time"])] = float(row["value"])
    for series, values in measured.items():
        equal(read.get(series), values, f"{series}")
    equal(len(read), 3, f"all keys: {list(read)}")
    nasty = [key for _, key in read if "b" in key and key != "p50_ms"]
    check(len(nasty) == 1 and '"b"' in nasty[0], f"a name with quotes, commas and a backslash: {nasty}")
    equal({row["unit"] for row in rows if row["key"] == "p50_ms"}, {"ms"}, "units")
    equal({row["direction"] for row in rows if row["measurement"] == "load"}, {"lower-is-better"}, "directions")
    equal([row["accepted"] for row in rows if row["key"] == "p50_ms"], ["false"] * 4 + ["true"], "the accepted entry")
    equal(rows, sorted(rows, key=lambda row: (row["measurement"], row["key"], row["time"])), "in order")

    done = ok(root, "export", "serve/decode", "--as", "openmetrics", "--out", "decode.txt", "--json")
    said = json.loads(done.stdout)
    text = (root.path / "decode.txt").read_text()
    equal((said["as"], said["written"], said["bytes"]), ("openmetrics", 10, len(text.encode())), "what was written")
    families = families_of(text)
    equal(list(families), ["plumbline_value", "plumbline_verdict"], "two families")
    equal({time: value for labels, value, time in families["plumbline_value"] if labels["key"] == "p50_ms"}, measured["decode", "p50_ms"], "the same values")
    equal({labels["key"] for labels, _, _ in families["plumbline_value"]}, {"p50_ms", nasty[0]}, "labels")
    equal([value for _, value, _ in families["plumbline_verdict"]], [2.0], "the RED diff")
    equal(text, ok(root, "export", "serve/decode", "--as", "openmetrics").stdout, "the same bytes")

    some = list(csv.DictReader(io.StringIO(ok(root, "export", "serve/decode", "--as", "csv", "--key", "p50*", "--since", "2026-11-04").stdout)))
    equal([(row["key"], row["value"]) for row in some], [("p50_ms", "14"), ("p50_ms", "15")], "--key and --since")

    for words, message, hint in (
            (("serv/decode", "--as", "csv"), 'no entries of "serv/decode"', 'did you mean "serve/decode"?'),
            (("sevre", "--as", "csv"), 'no entries of "sevre"', 'did you mean "serve"?'),
            (("serve/decode", "--as", "csv", "--refresh", "x"), "--refresh belongs to the file of another system, not to --as csv", "leave it out"),
            (("serve/decode", "--as", "tensorsharp", "--key", "x"), "--key belongs to --as csv and --as openmetrics", "leave it out"),
            (("serve/decode", "--as", "csv", "--key", "nothing"), 'no key matches --key "nothing"',
             "`plumbline history FAMILY/MEASUREMENT --key '*'` lists them"),
            (("serve/decode", "--as", "csv", "--since", "soon"), '--since is no time: "soon"', "write 2026-11-20 or 2026-11-20T15:00:00Z")):
        bad = root.run("export", *words)
        equal((bad.returncode, bad.stderr), (2, f"plumbline: error: {message}\nhint: {hint}\n"), f"{words}")

    # An entry whose snapshot was changed is not believed, and that is said.
    entry = sorted((root.path / "experiments/artifacts/perf-baselines/serve/decode").glob("2*"))[0]
    (entry / "source-snapshot.json").write_text("{}")
    done = root.run("export", "serve/decode", "--as", "csv", "--key", "p50_ms")
    equal((done.returncode, len(done.stdout.splitlines())), (0, 5), "four of five")
    check("entry_unreadable: 1 entry left out, first: " in done.stderr, done.stderr)

    # So is one whose number was changed: it is not believed because baseline.json can be read. What cannot be read counts once.
    first, second, *_ = sorted((root.path / "experiments/artifacts/perf-baselines/serve/load").glob("2*"))
    record = json.loads((first / "baseline.json").read_text())
    (first / "baseline.json").write_text(json.dumps(record | {"value": 1234.5}))
    (second / "baseline.json").write_text("{")
    done = root.run("export", "serve/load", "--as", "csv")
    equal((done.returncode, [row["value"] for row in csv.DictReader(io.StringIO(done.stdout))]), (0, ["4.5", "6", "7.5"]), "three of five")
    check("entry_unreadable: 2 entries left out, first: " in done.stderr and first.name in done.stderr, done.stderr)

with Root() as root:
    # A key that the last run lacks keeps its history, and one that changed its unit is a series in each.
    (root.path / ".git").mkdir()
    for day, content in enumerate(({"gone_ms": 7, "p99": {"value": 5, "unit": "ms"}}, {"gone_ms": 8, "p99": {"value": 5200, "unit": "us"}},
                                   {"p99": {"value": 5.1, "unit": "ms"}}), 1):
        (root.path / "run.json").write_text(json.dumps(content))
        ok(root, "record", "--family", "serve", "--measurement", "decode", "--source", "run.json", "--measured-at", f"2026-11-{day:02}")
    rows = list(csv.DictReader(io.StringIO(ok(root, "export", "serve/decode", "--as", "csv").stdout)))
    equal([(row["time"][8:10], row["value"], row["unit"]) for row in rows if row["key"].startswith("p99")],
          [("01", "5", "ms"), ("02", "5200", "us"), ("03", "5.1", "ms")], "every unit")
    done = ok(root, "export", "serve/decode", "--as", "csv", "--key", "gone_ms")
    equal(([row["value"] for row in csv.DictReader(io.StringIO(done.stdout))], done.stderr), (["7", "8"], ""), "a key of older entries")
    values = families_of(ok(root, "export", "serve/decode", "--as", "openmetrics").stdout)["plumbline_value"]
    equal([(labels["unit"], value) for labels, value, _ in values if labels["key"].startswith("p99")], [("ms", 5.0), ("ms", 5.1), ("us", 5200.0)],
          "a metric in each unit")
    seen = root.json("history", "serve/decode")
    codes = {warning["code"]: warning["message"] for warning in seen["warnings"]}
    equal(codes.get("units_differ"), "1 value in another unit than the newest entry has: not in trend, noise floor, change points and drift", "history")

    # Two entries of one moment are one value of OpenMetrics, and that is said.
    for value in (5.2, 5.3):
        (root.path / "run.json").write_text(json.dumps({"p99": {"value": value, "unit": "ms"}}))
        ok(root, "record", "--family", "serve", "--measurement", "twice", "--source", "run.json", "--measured-at", "2026-11-04")
    done = ok(root, "export", "serve/twice", "--as", "openmetrics")
    equal([value for _, value, _ in families_of(done.stdout)["plumbline_value"]], [5.3], "the last")
    check("entries_left_out: 1 value left out: OpenMetrics has one of a metric at a time" in done.stderr, done.stderr)
    equal(len(ok(root, "export", "serve/twice", "--as", "csv").stdout.splitlines()), 3, "CSV has both")

    # A diff that cannot be read is counted.
    bundle = root.path / "experiments/artifacts/perf-baseline-diffs/serve/decode/20261105T000000000000Z"
    bundle.mkdir(parents=True)
    (bundle / "diff.json").write_text("{")
    done = ok(root, "export", "serve/decode", "--as", "openmetrics")
    check("unreadable: 1 diff left out that cannot be read" in done.stderr, done.stderr)

finish()
