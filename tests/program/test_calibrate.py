#!/usr/bin/env python3
"""`plumbline calibrate` from entries whose noise is drawn, and `doctor --machine`: what they say, and that it holds."""
import json
import pathlib
import random
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
        check(10 <= rules["*.ttft_ms"]["tolerance_pct"] <= 20, f"{rules}")
        check(1 <= rules["*.tokens_per_second"]["tolerance_pct"] <= 2, f"{rules}")
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


def mistakes():
    with Root() as root:
        for _ in range(3):
            record(root, "few", {"latency_ms": 5})
        cases = [
            (["calibrate"], "there is no measurement to calibrate", "`plumbline calibrate FAMILY/MEASUREMENT`"),
            (["calibrate", "llm"], '"llm" is no name of a measurement', "`plumbline calibrate FAMILY/MEASUREMENT`"),
            (["calibrate", "llm/few", "--false-alarms", "60"], "--false-alarms must lie between 0 and 50 (percent)", "the default is 1"),
            (["calibrate", "llm/few"], 'the 3 entries of "llm/few" are too few to say what is normal: five values of a key are needed',
             "record more of them, for instance by `plumbline run -n 1 --record llm/few -- CMD` ten times, or `plumbline import` what you have"),
        ]
        for args, message, hint in cases:
            done = plumbline(root, *args)
            equal((done.returncode, done.stderr), (2, f"plumbline: error: {message}\nhint: {hint}\n"), " ".join(args))


def machine():
    done = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", "30s", "--json"], capture_output=True, text=True, check=False)
    equal(done.returncode, 0, done.stderr)
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    for name in ("machine", "host class", "processors in use by others", "noise", "smallest change"):
        check(name in checks, f"{name}: {sorted(checks)}")
    words = checks["smallest change"]["detail"]
    sizes = [float(part.split(" %")[0].split()[-1]) for part in words.split(" with ")[:-1]]
    check(len(sizes) == 5 and sizes == sorted(sizes, reverse=True) and sizes[-1] > 5, f"more trials see less: {words}")
    bad = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", "soon"], capture_output=True, text=True, check=False)
    equal((bad.returncode, bad.stderr), (2, 'plumbline: error: --budget "soon" is no time\nhint: write 90s, 2m or 10m\n'), "--budget soon")
    standin = pathlib.Path(PLUMBLINE).resolve().parent / "libnvml_standin.so"
    done = subprocess.run([PLUMBLINE, "doctor", "--machine", "--budget", "30s", "--json"], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "PLUMBLINE_NVML": str(standin), "NVML_STANDIN_PROCESSES": "2", "NVML_STANDIN_REASONS": "0x40"})
    checks = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    equal((checks["GPU 0, other processes"]["detail"], checks["GPU 1, throttled"]["detail"]), ("2", "hardware_thermal"), "GPUs of the stand-in")


if __name__ == "__main__":
    for part in (proposals, mistakes, machine):
        part()
    harness.finish()
