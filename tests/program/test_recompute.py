#!/usr/bin/env python3
"""A bundle's verdict comes out again from the bundle alone: moved away, without its registry and its sources, whatever was asked.
What does not come out is named."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish

DATA = SOURCE / "scripts" / "demo-data"
STATED = """formats:
  - name: nimbus
    recognise: "Nimbus bench {}"
    lines:
      - "Nimbus bench {version}"
      - {line: "case {case}: {rate} tok/s", point: "{case}"}
    values:
      version: context stack.nimbus
      rate: {is: higher, unit: tok/s}
"""
RULES = """rules:
  - {match: {key: "*latency*"}, set: {tolerance: 20%}}
  - {match: {measurement: ar}, set: {headline: true}}
"""


def again(bundle, *more):
    """verify --recompute, far from everything that the diff had"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
    with tempfile.TemporaryDirectory(prefix="plumbline-test-") as away:
        done = subprocess.run([PLUMBLINE, "verify", str(bundle), "--recompute", "--json", *more], capture_output=True, text=True, cwd=away,
                              env=environment)
        left = os.listdir(away)
    check(left == [], f"nothing is left behind: {left}")
    return done.returncode, (json.loads(done.stdout) if done.stdout else done.stderr)


def diffed(root, *words, verb="diff"):
    done = root.run(verb, *words, "--json")
    check(done.returncode in (0, 1), f"{verb} {words}: {done.stderr}")
    return json.loads(done.stdout)


def holds(root, what, *words, verb="diff", gone=()):
    """the diff's verdict, made again after the registry and these paths are gone"""
    told = diffed(root, *words, verb=verb)
    with tempfile.TemporaryDirectory(prefix="plumbline-test-") as elsewhere:
        moved = pathlib.Path(elsewhere) / "bundle"
        shutil.copytree(told["diff_dir"], moved)
        hidden = [(pathlib.Path(path), pathlib.Path(elsewhere) / str(i)) for i, path in enumerate((root.path / "experiments", *gone))]
        for path, place in hidden:
            shutil.move(path, place)
        status, result = again(moved)
        for path, place in hidden:
            shutil.move(place, path)
    equal(status, 0, f"{what}: {result}")
    if status == 0:
        made = result["recomputed"]
        equal((made["made_again"], made["verdict"], made["tier"]), (True, told["verdict"], told["tier"]), what)
    return told


def numbers(n, factor):
    return {f"case{i}": {"time_ms": [10.0 * factor + i + k / 8 for k in range(5)]} for i in range(n)}


with Root() as root:
    base, worse = root.write("in/base.json", numbers(4, 1)), root.write("in/worse.json", numbers(4, 1.4))
    scalar, more = root.write("in/a.txt", "311\n"), root.write("in/b.txt", "300\n")
    sides = (root.path / "in",)

    # Files: structured, scalar, several files as trials, options of the verdict, names of formats, an older reference.
    equal(holds(root, "files", base, worse, gone=sides)["verdict"], "RED", "the verdict itself")
    holds(root, "a tolerance", base, worse, "--tolerance", "*time_ms=60%", "--headline", "case1*", gone=sides)
    holds(root, "scalars", scalar, more, "--direction", "higher-is-better", gone=sides)
    holds(root, "trials", "--baseline", base, "--baseline", worse, "--current", worse, "--current", base, gone=sides)
    holds(root, "a name for the format", base, worse, "--format", "generic-json", "--fail-on", "red", gone=sides)
    holds(root, "an older one", base, worse, "--initial", worse, "--initial-tolerance", "1%", gone=sides)
    holds(root, "relative paths", "in/base.json", "in/worse.json", gone=sides)
    holds(root, "the older tool's rules", scalar, more, "--policy", "reference", gone=sides)
    holds(root, "context", base, worse, "--context", "hardware.gpu=H100", "--varying", "hardware.driver", gone=sides)

    # Folders: a suite, and trials.
    for i in range(3):
        root.write(f"in/old/case{i}.json", numbers(2, 1 + i / 100))
        root.write(f"in/new/case{i}.json", numbers(2, 1 + i / 3))
    root.write("in/old/gone.json", numbers(2, 1))
    holds(root, "a suite of files", root.path / "in/old", root.path / "in/new", gone=sides)
    holds(root, "folders of trials", root.path / "in/old", root.path / "in/new", "--as", "trials", gone=sides)

    # Entries, their history, the accepted one, rules and ceilings of the project.
    root.write("plumbline.yaml", RULES)
    for i in range(7):
        source = root.write("in/now.json", numbers(4, 1 + i / 200))
        root.run("record", "--family", "nccl", "--measurement", "ar", "--source", source, "--ceiling", "none")
    rules = (*sides, root.path / "plumbline.yaml")
    told = holds(root, "the newest entry", "nccl/ar", worse, gone=rules)
    check((pathlib.Path(told["diff_dir"]) / "rules/1-plumbline.yaml").read_text() == RULES, "the rules are in the bundle")
    history = json.loads((pathlib.Path(told["diff_dir"]) / "request.json").read_text())["history"]
    equal([len(each["keys"]) for each in history], [4], "what the history says of noise is in the bundle")
    root.run("accept", "nccl/ar", "--reason", "for a test")
    holds(root, "the accepted entry", "nccl/ar@accepted", worse, gone=rules)
    entry = next(iter(sorted((root.path / "experiments/artifacts/perf-baselines/nccl/ar").glob("2*"))))
    holds(root, "an entry by its folder", entry, worse, gone=rules)
    root.run("record", "--family", "nccl", "--measurement", "case0", "--source", root.path / "in/old/case0.json")
    root.run("record", "--family", "nccl", "--measurement", "case1", "--source", root.path / "in/old/case1.json")
    holds(root, "a family as a suite", "nccl", root.path / "in/new", gone=rules)
    root.write("plumbline.yaml", STATED)
    first = root.write("in/n1.log", "Nimbus bench 4.1\ncase a: 100 tok/s\ncase b: 50 tok/s\n")
    second = root.write("in/n2.log", "Nimbus bench 4.1\ncase a: 60 tok/s\ncase b: 50 tok/s\n")
    check("nimbus" in json.dumps(holds(root, "an own format", first, second, gone=rules)["format"]), "read by it")

    # Captures: of both the digests are there.
    holds(root, "captures", DATA / "profile-before", DATA / "profile-after", verb="profile-diff")
    holds(root, "captures as a diff", DATA / "profile-before", DATA / "profile-after", "--tolerance-percent", "30")
    root.run("record", "--family", "nccl", "--measurement", "step", "--source", DATA / "profile-before")
    holds(root, "a capture's entry", "nccl/step", DATA / "profile-after")

# What the bundle does not hold, and what was changed.
with Root() as root:
    base, worse = root.write("base.json", numbers(4, 1)), root.write("worse.json", numbers(4, 1.4))
    bundle = pathlib.Path(diffed(root, base, worse, "--snapshot", "reference")["diff_dir"])
    status, result = again(bundle)
    equal((status, result["recomputed"], [(p["code"], p["path"]) for p in result["problems"]]),
          (1, {"made_again": False}, [("not_recomputable", "the current side"), ("not_recomputable", "the baseline side")]), "by reference")

    def edited(change):
        """a copy of a bundle with its sums made right after a change"""
        bundle = pathlib.Path(diffed(root, base, worse)["diff_dir"])
        copy = root.path / "edited"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(bundle, copy)
        subprocess.run(["chmod", "-R", "u+w", str(copy)], check=True)
        change(copy)
        names = sorted(str(p.relative_to(copy)) for p in copy.rglob("*") if p.is_file() and p.name != "SHA256SUMS")
        sums = "".join(f"{hashlib.sha256((copy / n).read_bytes()).hexdigest()}  {n}\n" for n in names)
        (copy / "SHA256SUMS").write_text(sums)
        status, result = again(copy)
        return status, [p["code"] for p in result["problems"]] if isinstance(result, dict) else result

    def replaced(name, before, after):
        def change(copy):
            text = (copy / name).read_text()
            check(before in text, f"{before} is in {name}")
            (copy / name).write_text(text.replace(before, after))
        return change

    equal(edited(lambda copy: None), (0, []), "nothing was changed")
    equal(edited(replaced("diff.json", '"verdict": "RED"', '"verdict": "GREEN"')), (1, ["verdict_differs"]), "another verdict")
    equal(edited(replaced("deltas.jsonl", '"state":"regressed"', '"state":"unchanged"')), (1, ["rows_differ"]), "another state of a row")
    equal(edited(replaced("baseline-snapshot.json", "10.0,", "14.0,"))[0], 1, "another baseline")
    equal(edited(replaced("request.json", '"version": "', '"version": "9')), (0, []), "another version with the same answer")
    status, problem = edited(replaced("request.json", "baseline-snapshot.json", "../../etc/passwd"))
    check(status == 2 and "request.json is not readable" in problem, f"a path that leads out: {status} {problem}")
    status, problem = edited(lambda copy: (copy / "request.json").write_text("[" * 2000))
    check(status == 2 and "nested deeper" in problem, f"nested: {status} {problem}")
    status, problem = edited(replaced("request.json", str(root.path / "base.json"), "/tmp/../etc/x"))
    check(status == 2 and "is not absolute" in problem, f"a path with dots: {status} {problem}")
    equal(edited(lambda copy: (copy / "request.json").unlink()), (1, ["not_recomputable"]), "no request")
    bundle = pathlib.Path(diffed(root, base, worse)["diff_dir"])
    entry = root.json("record", "--family", "f", "--measurement", "m", "--source", base)["entry_dir"]
    done = root.run("verify", entry, "--recompute")
    check(done.returncode == 2 and "--recompute is for one bundle" in done.stderr, f"an entry: {done.stderr}")

finish()
