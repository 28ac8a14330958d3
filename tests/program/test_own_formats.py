#!/usr/bin/env python3
"""A team's own log, JSON and CSV: read by a statement of at most fifteen lines in plumbline.yaml, whose first draft the program writes."""
import json

from harness import Root, check, equal, finish, rows

LOG = """Nimbus bench 4.1 on node
2026-11-02 10:00:01 INFO warming up
case decode batch=8: 1,250.5 tok/s, p99 12.5 ms, errors 0
case decode batch=16: 2100.25 tok/s, p99 14 ms, errors 0
case prefill batch=8: 5200 tok/s, p99 31.5 ms, errors 0
peak memory 61.5 GiB
finished
"""
WORSE = LOG.replace("1,250.5", "833.7").replace("2100.25", "1400.2").replace("5200 ", "3466 ")
STATED = """formats:
  - name: nimbus
    recognise: "Nimbus bench {}"
    lines:
      - {line: "Nimbus bench {version} on {}", turn: begins}
      - {line: "case {case} batch={batch}: {rate} tok/s, p99 {p99} ms, errors {errors}", point: "{case}"}
      - "peak memory {memory}"
      - {line: finished, turn: ends}
    values:
      version: context stack.nimbus
      batch: dimension
      rate: {is: higher, unit: tok/s, as: tokens_per_second, headline: true}
      p99: {is: lower, unit: ms, as: latency_p99}
      memory: {is: lower, unit: GiB, as: peak_memory}
      errors: gate
"""
check(STATED.count("\n") - 1 <= 15, "at most fifteen lines")


def inspected(root, path, *more):
    done = root.run("inspect", str(path), *more, "--json")
    equal(done.returncode, 0, done.stderr)
    told = json.loads(done.stdout)
    for row in told["rows"]:
        row["value"] = row["values"][0] if row["values"] else None
    return told


# A log: rows, units, directions, roles and context as stated; the one that is worse is RED, and neither side is a swap of the other.
with Root() as root:
    before, after = root.write("before.log", LOG), root.write("after.log", WORSE)
    root.write("plumbline.yaml", STATED)
    told = inspected(root, before)
    equal(told["format"]["name"], "nimbus", "by its own name")
    equal([(r["key"], r["value"], r["unit"], r["direction"], r["role"]) for r in told["rows"]], [
        ("decode[batch=8].tokens_per_second", 1250.5, "tok/s", "higher-is-better", "judged"),
        ("decode[batch=8].latency_p99", 12.5, "ms", "lower-is-better", "judged"),
        ("decode[batch=8].errors", 0, None, "lower-is-better", "gate"),
        ("decode[batch=16].tokens_per_second", 2100.25, "tok/s", "higher-is-better", "judged"),
        ("decode[batch=16].latency_p99", 14, "ms", "lower-is-better", "judged"),
        ("decode[batch=16].errors", 0, None, "lower-is-better", "gate"),
        ("prefill[batch=8].tokens_per_second", 5200, "tok/s", "higher-is-better", "judged"),
        ("prefill[batch=8].latency_p99", 31.5, "ms", "lower-is-better", "judged"),
        ("prefill[batch=8].errors", 0, None, "lower-is-better", "gate"),
        ("peak_memory", 61.5, "GiB", "lower-is-better", "judged"),
    ], "every value")
    equal(told["context"], {"stack": {"nimbus": "4.1"}}, "context")
    equal(root.diff(before, after)["verdict"], "RED", "a third slower")
    equal(root.diff(after, before)["verdict"], "GREEN", "and the other way round")
    text = root.run("inspect", before, "--explain").stdout
    check("6 lines taken by the nimbus (+), 1 left" in text and "  +    3  case decode batch=8" in text, text)

    # An entry is read as it was stated when it was recorded, whatever the file says later.
    entry = root.record(before)["entry_dir"]
    recorded = json.load(open(entry + "/baseline.json"))
    check("Nimbus bench" in recorded["stated_format"], recorded.get("stated_format"))
    root.write("plumbline.yaml", STATED.replace("tokens_per_second", "throughput"))
    states = {key: row["state"] for key, row in rows(root.diff(entry, after)).items()}
    equal((states["decode[batch=8].tokens_per_second"], states["decode[batch=8].throughput"]), ("missing", "added"), "as it was then")

# The list of formats has a project's own, and tells one in full from its statement; elsewhere nobody sees it.
with Root() as root:
    root.write("plumbline.yaml", STATED + r"""  - name: nodes
    recognise: "node;what"
    table: {separator: ";"}
    values: {node: dimension, what: dimension, "took\e[2J": {is: lower, unit: s}}
""")
    told = root.json("formats")
    own = [one for one in told["formats"] if one["group"] == "project"]
    equal([(one["name"], one["what"], one["file"]) for one in own],
          [("nimbus", "tokens_per_second, latency_p99, peak_memory", "text"), ("nodes", "took\ufffd[2J", "CSV")], "each by what it judges")
    equal(told["groups"][-1], {"name": "project", "title": f"this project's own, stated in {root.path}/plumbline.yaml"}, "and where it is stated")
    one = root.json("formats", "nimbus")["formats"][0]
    equal((one["judged"], one["key"], one["context"], one["recognised"]),
          ("tokens_per_second in tok/s (higher), latency_p99 in ms (lower), peak_memory in GiB (lower); gates: errors",
           "`{case}`; dimensions: batch", "stack.nimbus", "`Nimbus bench {}`"), "what the statement says")
    equal((one["produce"], one["example"], one["stated"]["file"]), ([], None, f"{root.path}/plumbline.yaml"), "and no more")
    text = root.run("formats", "nimbus").stdout
    check("How it is stated, in " in text and "  - name: nimbus\n" in text and "How such a file is made" not in text, text)
    for words in ([], ["nodes"]):
        check("\x1b" not in root.run("formats", *words).stdout, "nothing of it reaches the terminal")
    done = root.run("formats", "nimbsu")
    check("did you mean `plumbline formats nimbus`?" in done.stderr, done.stderr)
    root.write("plumbline.yaml", "formats: {}\n")
    done = root.run("formats")
    check(done.returncode == 2 and "plumbline.yaml:1:10" in done.stderr, f"what is wrong with the file is said: {done.stderr}")
with Root() as root:
    check("nimbus" not in root.run("formats").stdout, "another project")

# Without a root the file beside the data counts.
with Root() as root:
    root.write("data/plumbline.yaml", STATED)
    equal(inspected(root, root.write("data/run.log", LOG))["format"]["name"], "nimbus", "beside the data")
    done = root.run("inspect", root.write("other/run.log", LOG), "--json")
    check(done.returncode != 0 or json.loads(done.stdout)["format"]["name"] != "nimbus", "and nowhere else")

# JSON and CSV.
with Root() as root:
    root.write("plumbline.yaml", """formats:
  - name: house-json
    recognise: [suite, cases/kernel]
    records: {at: cases, point: "{kernel}", columns: {kernel: kernel, shape: shape, runs/us: us, ok: ok, ../suite: suite}}
    values: {kernel: dimension, shape: dimension, us: lower us, ok: check, suite: context identity.suite}
  - name: house-csv
    recognise: "node;what;took (s)"
    table: {separator: ";"}
    values: {node: dimension, what: dimension, took (s): {is: lower, unit: s, as: took}}
""")
    suite = {"suite": "gemm", "cases": [{"kernel": "gemm", "shape": "4096", "runs": [{"us": 10.5}, {"us": 11}], "ok": True}]}
    told = inspected(root, root.write("suite.json", suite))
    equal([(r["key"], r["trials"], r["unit"]) for r in told["rows"]], [("gemm[shape=4096].us", 2, "us"), ("gemm[shape=4096].ok", 1, None)], "JSON")
    told = inspected(root, root.write("nodes.csv", "node;what;took (s)\nn1;boot;3.5\nn2;boot;4\n"))
    equal([(r["key"], r["value"], r["unit"]) for r in told["rows"]],
          [("house-csv[node=n1,what=boot].took", 3.5, "s"), ("house-csv[node=n2,what=boot].took", 4, "s")], "CSV")

# The draft: of a log, of JSON and of a table; put into plumbline.yaml as it is, it reads every number that it named.
with Root() as root:
    log = root.write("run.log", LOG)
    draft = inspected(root, log, "--explain")["explained"]
    check(draft["statement"] == "draft" and draft["lines_taken"] >= 4, draft)
    root.write("plumbline.yaml", "formats:\n" + draft["draft"])
    done = root.run("config", "check", "--json")
    equal((done.returncode, json.loads(done.stdout)["problems"]), (0, []), "a draft has no fault")
    told = inspected(root, log)
    equal(told["format"]["name"], "my-format", "it reads the file")
    values = sorted(r["value"] for r in told["rows"])
    check(set([12.5, 14, 31.5, 61.5, 1250.5, 2100.25, 5200]) <= set(values), values)
    equal({r["unit"] for r in told["rows"] if r["value"] in (12.5, 14)}, {"ms"}, "with its unit")
for name, content in (("r.json", {"meta": {"v": 1}, "results": [{"name": "a", "latency_ms": 3.5, "qps": 120}, {"name": "b", "latency_ms": 4.5, "qps": 90}]}),
                      ("t.csv", "name;latency (ms);qps\na;3.5;120\nb;4.5;90\n")):
    with Root() as root:
        path = root.write(name, content)
        draft = inspected(root, path, "--explain")["explained"]["draft"]
        root.write("plumbline.yaml", "formats:\n" + draft)
        told = inspected(root, path)
        equal(told["format"]["name"], "my-format", name)
        equal(sorted(r["value"] for r in told["rows"]), [3.5, 4.5, 90, 120], name)
        equal({(r["value"], r["direction"]) for r in told["rows"]},
              {(3.5, "lower-is-better"), (4.5, "lower-is-better"), (90, "higher-is-better"), (120, "higher-is-better")}, name)

# What is wrong is said with its place.
with Root() as root:
    root.write("plumbline.yaml", """formats:
  - {name: Big, recognise: x, lines: ["{a}"], values: {a: lower}}
  - {name: wrk, recognise: x, lines: ["{a}"], values: {a: lower}}
  - {name: a, lines: ["{a}"], values: {a: lowr ms}}
  - {name: b, recognise: "{x", lines: ["{a}"], values: {a: lower}}
  - {name: c, recognise: x, lines: ["{a}{b}"], values: {a: lower parsecs}}
  - {name: d, recognise: x, records: {at: r, columns: {p: q}}, values: {p: lower}}
  - {name: e, recognise: x, values: {p: context host}}
  - {name: f, recognise: x, line: [], values: {}}
""")
    done = root.run("config", "check", "--json")
    equal([(p["line"], p["message"]) for p in json.loads(done.stdout)["problems"]], [
        (2, 'the name "Big" is not a plain word'),
        (3, '"wrk" is a format of plumbline already'),
        (4, "nothing says how such a file is recognised"),
        (4, '"lowr" is not what a value can be'),
        (5, 'a hole has no end in the line "{x"'),
        (6, 'the unit "parsecs" is not known'),
        (7, 'no value is called "q"'),
        (8, "the format says nothing of what is in the file"),
        (8, "context needs a path, group.field"),
        (9, 'unknown word "line" in a format'),
    ], "all of it")

# A secret in a log is not repeated by --explain.
with Root() as root:
    done = root.run("inspect", root.write("s.log", LOG + "curl --token ghp_0123456789abcdefghij0123456789abcdef took 5 s\n"), "--explain")
    check("ghp_0123456789abcdefghij" not in done.stdout, "left out")

finish()
