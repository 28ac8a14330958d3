#!/usr/bin/env python3
"""`plumbline calibrate` from entries whose noise is drawn, and `doctor --machine`: what they say, and that it holds."""
import json
import os
import pathlib
import random
import shutil
import subprocess

import harness
from harness import PLUMBLINE, Root, check, equal


def plumbline(root, *args):
    return subprocess.run([PLUMBLINE, *map(str, args), "--repo-root", str(root.path)], capture_output=True, text=True, cwd=root.path, check=False)


def record(root, measurement, document, *more):
    source = root.path / "source.json"
    source.write_text(json.dumps(document))
    done = plumbline(root, "record", "--family", "llm", "--measurement", measurement, "--source", source, *more)
    assert done.returncode == 0, done.stderr


def proposals():
    with Root() as root:
        draw = random.Random(3)
        for _ in range(24):
            rows = {f"batch{b}": {"ttft_ms": 40 * draw.gauss(1, .04), "tokens_per_second": 900 * draw.gauss(1, .004)} for b in (1, 8, 32)}
            record(root, "decode", rows, "--context", "hardware.gpu=H100")
        record(root, "decode", {"batch1": {"ttft_ms": 1, "tokens_per_second": 1}}, "--context", "hardware.gpu=other")
        for _ in range(2):
            record(root, "decode", {f"batch{b}": {"ttft_ms": 40, "tokens_per_second": 900} for b in (1, 8, 32)}, "--context", "hardware.gpu=H100")
        done = plumbline(root, "calibrate", "llm/decode", "--json")
        equal(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        equal(result["entries"], 26, "entries of the newest one's context")
        rules = {rule["key"]: rule for rule in result["rules"]}
        equal(sorted(rules), ["*.tokens_per_second", "*.ttft_ms"], "a rule a metric")
        check(15 <= rules["*.ttft_ms"]["tolerance_pct"] <= 30, f"{rules}")
        check(1.5 <= rules["*.tokens_per_second"]["tolerance_pct"] <= 3, f"{rules}")
        equal(rules["*.ttft_ms"]["keys"], 3, "keys of the rule")
        for key in result["keys"]:
            check(key["false_alarms_pct"] <= 1 and key["sees_pct"] > key["tolerance_pct"], f"{key}")
        # The lines are what plumbline.yaml takes, and a diff of the same noise is then quiet.
        (root.path / "plumbline.yaml").write_text(result["yaml"])
        equal(plumbline(root, "config", "check").returncode, 0, f"the lines are right: {plumbline(root, 'config', 'check').stdout}")
        red = 0
        for seed in range(10):
            again = random.Random(100 + seed)
            source = root.path / "new.json"
            source.write_text(json.dumps({f"batch{b}": {"ttft_ms": 40 * again.gauss(1, .04), "tokens_per_second": 900 * again.gauss(1, .004)} for b in (1, 8, 32)}))
            red += json.loads(plumbline(root, "diff", "llm/decode@newest", source, "--no-bundle", "--json").stdout)["verdict"] == "RED"
        check(red <= 1, f"RED of the same noise: {red} of 10")
        shown = plumbline(root, "calibrate", "llm/decode").stdout
        check("# for plumbline.yaml\nrules:\n" in shown and "26 entries of llm/decode" in shown, shown)


def noise_run():
    """Files of one build, their folder, and what `run --keep` kept say the same; the rules are few, and they are what plumbline.yaml takes."""
    with Root() as root:
        draw = random.Random(5)
        folder = root.path / "runs"
        for i in range(15):
            rows = {f"batch{b}": {"ttft_ms": 40 * draw.gauss(1, .02), "tokens_per_second": 900 * draw.gauss(1, .02 if b < 8 else .002)} for b in range(16)}
            rows["batch0"]["errors"] = 0
            root.write(f"runs/run{i:02}.json", rows)
        files = sorted(folder.iterdir())
        by_file = plumbline(root, "calibrate", *files, "--json")
        equal(by_file.returncode, 0, by_file.stderr)
        equal(plumbline(root, "calibrate", folder, "--json").stdout, by_file.stdout, "their folder")
        result = json.loads(by_file.stdout)
        equal((result["source"], result["runs"], result["undecided"]), ("runs", 15, ["batch0.errors"]), "what was read")
        rules = {rule["key"]: rule for rule in result["rules"]}
        equal(rules["*.ttft_ms"]["keys"], 16, "keys that are alike share a rule")
        check("*.tokens_per_second" not in rules and len(rules) == 17, f"no glob where tolerances differ: {sorted(rules)}")
        check('- match: {key: "*.ttft_ms"}' in result["yaml"], result["yaml"])
        (root.path / "plumbline.yaml").write_text(result["yaml"])
        equal(plumbline(root, "config", "check").returncode, 0, "the lines are right")
        named = json.loads(plumbline(root, "calibrate", folder, "--name", "llm/decode", "--false-alarms", "5", "--json").stdout)
        check('- match: {family: "llm", measurement: "decode", key: "*.ttft_ms"}' in named["yaml"], named["yaml"])
        check({r["key"]: r for r in named["rules"]}["*.ttft_ms"]["tolerance_pct"] < rules["*.ttft_ms"]["tolerance_pct"], "more alarms, less tolerance")
        shown = plumbline(root, "calibrate", folder).stdout
        check(shown.startswith("15 runs; one run against another, at most 1 % false alarms"), shown)

        toy = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"
        kept = root.path / "kept"
        ran = subprocess.run([PLUMBLINE, "run", "-n", "12", "--keep", str(kept), "--", str(toy), "--cv", "0.02", "--every", "5", "--misbehave", "fail", "--counter", str(root.path / "calls")],
                             capture_output=True, text=True, cwd=root.path, check=False)
        equal(ran.returncode, 0, ran.stderr)
        of_folder = plumbline(root, "calibrate", kept, "--json")
        equal(of_folder.returncode, 0, of_folder.stderr)
        equal((json.loads(of_folder.stdout)["runs"], len(json.loads(of_folder.stdout)["rules"])), (12, 1), "trials that count")
        equal(plumbline(root, "calibrate", kept / "run.json", "--json").stdout, of_folder.stdout, "its journal")
        trial = sorted((kept / "trials").iterdir())[-1]
        trial.write_text('{"latency_ms": 1}')
        changed = plumbline(root, "calibrate", kept)
        equal((changed.returncode, changed.stderr.splitlines()[0]),
              (2, f'plumbline: error: the files in {kept}/trials are not the trials that {kept}/run.json tells of'), "a trial was changed")
        sides = root.path / "sides"
        subprocess.run([PLUMBLINE, "run", "--ab", "true", "true", "-n", "3", "--no-bundle", "--keep", str(sides)], capture_output=True, cwd=root.path, check=True)
        two = plumbline(root, "calibrate", sides)
        equal((two.returncode, two.stderr), (2, f'plumbline: error: {sides}/run.json tells of 2 sides, and noise is of one\nhint: name the files of one side: {sides}/side-1/*\n'),
              "two sides")
        copies = [root.write(f"copy{i}.json", {"latency_ms": 5 + i % 3}) for i in range(9)]
        equal([w["code"] for w in json.loads(plumbline(root, "calibrate", *copies, "--json").stdout)["warnings"]], ["identical_trials"], "copies")


def mistakes():
    with Root() as root:
        root.write("llm/few", "5")
        one = root.write("one.json", {"latency_ms": 5})
        for _ in range(3):
            record(root, "few", {"latency_ms": 5})
            record(root, "less", {"latency_ms": 5})
        cases = [
            (["calibrate"], "there is nothing to calibrate from", "`plumbline calibrate FAMILY/MEASUREMENT`, or ten to twenty files of one build"),
            (["calibrate", one], f'{one} is one run, and noise shows between runs',
             "give ten to twenty files, or `plumbline run -n 15 --keep DIR -- CMD` and then `plumbline calibrate DIR`"),
            (["calibrate", one, one, one], "3 runs are too few to say what is normal: five values of a key are needed",
             "ten to twenty runs of one build tell: `plumbline run -n 15 --keep DIR -- CMD`"),
            (["calibrate", one, "--name", "llm"], '--name "llm" is no name of a measurement', "write FAMILY/MEASUREMENT, for instance llm/decode"),
            (["calibrate", "llm/few"], '"llm/few" names a registered measurement and a path here',
             'write ./llm/few for the path, or call it in another folder for the registry'),
            (["calibrate", "llm/few", "--false-alarms", "60"], "--false-alarms must lie between 0 and 50 (percent)", "the default is 1"),
            (["calibrate", "llm/less"], 'the 3 entries of "llm/less" are too few to say what is normal: five values of a key are needed',
             "measure the noise instead: `plumbline run -n 15 --keep DIR -- CMD` and `plumbline calibrate DIR`; or `plumbline import` what you have"),
            (["calibrate", "llm/less", "--name", "llm/less"], '--name names files, and "llm/less" has its name', "leave out --name"),
        ]
        for args, message, hint in cases:
            done = plumbline(root, *args)
            equal((done.returncode, done.stderr), (2, f"plumbline: error: {message}\nhint: {hint}\n"), " ".join(map(str, args)))


def core_short(value):
    return float(f"{value:.2g}")


def settings(checks):
    """What a command can have for itself is tried in turn with the loop as it is."""
    tried = {name: one for name, one in checks.items() if name.startswith("pinned to processor ") or name == "addresses not randomized"}
    pinned = len(os.sched_getaffinity(0)) > 1 and shutil.which("taskset")
    check(any(name.startswith("pinned") for name in tried) == bool(pinned), f"pinned where there are processors to choose from: {sorted(checks)}")
    for name, one in tried.items():
        figures = one["figures"]
        check(figures["pairs"] >= 5 and figures["pair_cv_pct"] > 0 and 0 < figures["quieter_p"] <= 1, f"{name}: {figures}")
        equal(one["level"], "warning" if figures["quieter_p"] <= 0.01 else "ok", f"{name}: advised where it is quieter beyond chance")
        check(one["detail"].startswith(f"{core_short(figures['pair_cv_pct']):g} % beside its neighbour, "), one["detail"])
        check(("no quieter that" in one["detail"]) == (one["level"] == "ok"), one["detail"])


def machine():
    done = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", "30s", "--json"], capture_output=True, text=True, check=False)
    equal(done.returncode, 0, done.stderr)
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    for name in ("machine", "host class", "processors in use by others", "noise", "smallest change"):
        check(name in checks, f"{name}: {sorted(checks)}")
    words = checks["smallest change"]["detail"]
    sizes = [float(part.split(" %")[0].split()[-1]) for part in words.split(" with ")[:-1]]
    figures = checks["smallest change"]["figures"]
    equal([core_short(one["change_pct"]) for one in figures["sees"]], sizes, "the same as numbers")
    check(len(sizes) == 5 and sizes == sorted(sizes, reverse=True) and sizes[-1] > 5, f"more trials see less: {words}")
    settings(checks)
    bad = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", "soon"], capture_output=True, text=True, check=False)
    equal((bad.returncode, bad.stderr), (2, 'plumbline: error: --budget "soon" is no time\nhint: write 90s, 2m or 10m\n'), "--budget soon")
    if not harness.opens_libraries():
        return
    standin = pathlib.Path(PLUMBLINE).resolve().parent / "libnvml_standin.so"
    done = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", "30s", "--json"], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "PLUMBLINE_NVML": str(standin), "NVML_STANDIN_PROCESSES": "2", "NVML_STANDIN_REASONS": "0x40"})
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    equal((checks["GPU 0, other processes"]["detail"], checks["GPU 1, throttled"]["detail"]), ("2", "hardware_thermal"), "GPUs of the stand-in")


if __name__ == "__main__":
    for part in (proposals, noise_run, mistakes, machine):
        part()
    harness.finish()
