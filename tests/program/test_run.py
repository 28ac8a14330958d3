#!/usr/bin/env python3
"""`plumbline run`, as a user calls it: trials, interleaving, stopping, what goes wrong in a trial, and the journal. The benchmark is
tests/program/toy_benchmark.cpp, whose results are drawn, so that the truth is known."""
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import harness
from harness import PLUMBLINE, Root, check, equal

TOY = str(pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark")
STANDIN = str(pathlib.Path(PLUMBLINE).resolve().parent / "libnvml_standin.so")


def run(root, *args, env=None, cwd=None):
    return subprocess.run([PLUMBLINE, "run", *args], cwd=cwd or root.path, capture_output=True, text=True, errors="replace",
                          env=dict(os.environ, **(env or {})), timeout=300)


def answer(done, what):
    check(done.returncode == 0, f"{what}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}


def toy(root, mean=100, cv=0.02, seed=1, **more):
    flags = {"mean": mean, "cv": cv, "seed": seed, "counter": root.path / "calls", **more}
    return " ".join([TOY, *(f"--{name} {value}" for name, value in flags.items())])


def judged(root, mean_b, seed, *args, **more):
    (root.path / "calls").unlink(missing_ok=True)
    done = run(root, "--ab", toy(root, 100, seed=seed, **more), toy(root, mean_b, seed=seed, **more), "--no-bundle", "--json",
               "--warmup", "0", "--seed", str(seed), *args)
    result = answer(done, f"--ab 100 {mean_b}")
    compared = result["comparisons"][0]["result"]
    return compared["verdict"], compared["tier"], result


def verdicts():
    """A few draws of each truth; tests/bench/run_truths.py draws hundreds."""
    with Root() as root:
        for seed in range(1, 9):
            verdict, tier, result = judged(root, 100, seed)
            equal((verdict, tier, result["stop"]), ("GREEN", "VERDICT", "decided"), f"equal commands, seed {seed}")
            check(result["sides"][0]["trials"] <= 12, f"equal commands took {result['sides'][0]['trials']} trials a side")
        red = sum(judged(root, 108, seed, "--max-runs", "24")[:2] == ("RED", "VERDICT") for seed in range(1, 9))
        check(red >= 7, f"8 % slower at CV 2 %: RED VERDICT in {red} of 8")
        # The machine slows by 10 % from the first trial to the thirtieth: both of a pair alike.
        for seed in range(1, 5):
            equal(judged(root, 100, seed, drift=0.33)[:2], ("GREEN", "VERDICT"), f"equal commands on a machine that slows, seed {seed}")
        in_sequence(root)


def in_sequence(root):
    """The same drift, one side after the other: what interleaving is for."""
    (root.path / "calls").unlink(missing_ok=True)
    for name in ("first", "second"):
        done = run(root, "-n", "15", "--warmup", "0", "--keep", str(root.path / name), "--", *toy(root, cv=0.005, drift=0.8).split())
        check(done.returncode == 0, done.stderr)
    files = {name: sorted(str(p) for p in (root.path / name / "trials").iterdir()) for name in ("first", "second")}
    equal({name: len(found) for name, found in files.items()}, {"first": 15, "second": 15}, "kept trials")
    done = subprocess.run([PLUMBLINE, "diff", "--baseline", *files["first"], "--current", *files["second"], "--no-bundle", "--json"],
                          capture_output=True, text=True, cwd=root.path, check=False)
    # RED, or YELLOW with the drift named: never GREEN.
    check(json.loads(done.stdout)["verdict"] != "GREEN", f"two blocks in sequence on a machine that slows: {done.stdout[:300]}")


def journal():
    with Root() as root:
        keep = root.path / "kept"
        done = run(root, "-n", "8", "--ab", toy(root, seed=3), toy(root, 120, seed=3), "--keep", str(keep), "--out", str(root.path / "bundle"), "--seed", "5")
        check(done.returncode == 0, done.stderr)
        told = json.loads((keep / "run.json").read_text())
        equal((told["schema"], told["interleaved"], told["stopping"], told["stop"], told["seed"]),
              ("plumbline.run.v1", True, "fixed", "planned", 5), "journal")
        counted = [t for t in told["trials"] if t["block"] > 0]
        equal(len(counted), 16, "trials in the journal")
        equal(sum(t["block"] == 0 for t in told["trials"]), 2, "warm-ups in the journal")
        for block in range(1, 9):
            equal(sorted(t["side"] for t in counted if t["block"] == block), [0, 1], f"sides of block {block}")
        first = [next(t["side"] for t in counted if t["block"] == block) for block in range(1, 9)]
        equal(sum(first), 4, "each side comes first in half of the blocks")
        for side in (0, 1):
            files = sorted((keep / f"side-{side + 1}").glob("[0-9]*"))
            equal([t["sha256"] for t in counted if t["side"] == side], [hashlib.sha256(f.read_bytes()).hexdigest() for f in files], "digests")
        equal((root.path / "bundle" / "run.json").read_text(), (keep / "run.json").read_text(), "the bundle holds the journal")
        again = subprocess.run([PLUMBLINE, "verify", "--recompute", str(root.path / "bundle"), "--json"], capture_output=True, text=True, check=False)
        equal(json.loads(again.stdout)["ok"], True, f"recompute: {again.stdout[:300]}")
        # The journal is believed of exactly its trials.
        one, two = ([str(f) for f in sorted((keep / f"side-{side}").glob("[0-9]*"))] for side in (1, 2))
        diff = [PLUMBLINE, "diff", "--journal", str(keep / "run.json"), "--no-bundle", "--baseline"]
        whole = subprocess.run([*diff, *one, "--current", *two, "--json"], capture_output=True, text=True, cwd=root.path, check=False)
        equal((json.loads(whole.stdout)["verdict"], json.loads(whole.stdout)["tier"]), ("RED", "VERDICT"), "diff with the journal")
        for left_out, current in (("one trial left out", two[1:]), ("another order", two[::-1])):
            less = subprocess.run([*diff, *one, "--current", *current], capture_output=True, text=True, cwd=root.path, check=False)
            equal(less.returncode, 2, left_out)
            equal(less.stderr, f"plumbline: error: the current files are not the trials that {keep}/run.json tells of\n"
                  "hint: give all trials of a side in the order of their numbers, or leave out --journal\n", left_out)


def records():
    with Root() as root:
        subprocess.run(["git", "init", "-q", str(root.path)], check=True)
        # Nothing there: it records. Something there: it compares.
        first = answer(run(root, "--auto-baseline", "toy/latency", "--json", "-n", "6", "--", *toy(root).split()), "first round")
        equal((first["record"] is not None, first["comparisons"]), (True, []), "the first round records")
        entry = json.loads(pathlib.Path(first["record"]["entry_dir"], "baseline.json").read_text())
        equal(entry["trials"], 6, "trials of the entry")
        check("hardware.cpu_count" in {f"{g}.{k}" for g, keys in entry["context"].items() for k in keys} or "hardware.cpu_count" in entry["context"],
              f"the entry knows its machine: {entry['context']}")
        second = answer(run(root, "--auto-baseline", "toy/latency", "--json", "--", *toy(root, 125).split()), "second round")
        equal(second["record"], None, "the second round records nothing")
        compared = second["comparisons"][0]["result"]
        equal((compared["verdict"], compared["tier"], second["stop"]), ("RED", "VERDICT", "decided"), "second round, 25 % slower")
        gated = run(root, "--against", "toy/latency", "--fail-on", "red", "--no-bundle", "--", *toy(root, 125).split())
        equal(gated.returncode, 1, "the gate of --fail-on")
        same = answer(run(root, "--against", "toy/latency", "--json", "--no-bundle", "--max-runs", "12", "--", *toy(root, seed=77).split()), "the same")
        check(same["comparisons"][0]["result"]["verdict"] != "RED", "the same again is not RED")


def times():
    with Root() as root:
        result = answer(run(root, "-n", "3", "--json", "--keep", str(root.path / "k"), "--", "sleep", "0.05"), "sleep")
        equal(result["measured"], "time", "a command that prints nothing is timed")
        told = json.loads(sorted((root.path / "k" / "trials").glob("[0-9]*"))[0].read_text())
        check(0.05 <= told["run"]["wall_time"]["value"] < 1, f"wall time of sleep 0.05: {told}")
        check(told["run"]["cpu_time"]["value"] < 0.05, f"processor time of sleep: {told}")
        check("peak_memory" not in told["run"], "a peak no larger than our own is not told")
        seen = subprocess.run([PLUMBLINE, "inspect", str(root.path / "k" / "trials" / "001.json"), "--json"], capture_output=True, text=True, check=True).stdout
        equal(json.loads(seen)["format"]["name"], "command-times", "inspect says what it is")
        timed = answer(run(root, "--ab", "true", "true", "-n", "3", "--json", "--no-bundle"), "two commands without output")
        equal(timed["comparisons"][0]["result"]["format"]["current"]["name"], "command-times", "the result says what it is")
        big = answer(run(root, "-n", "2", "--json", "--warmup", "0", "--keep", str(root.path / "b"), "--", "sh", "-c",
                         "head -c 80000000 /dev/zero | tail -c 80000000 > /dev/null"), "80 MB")
        told = json.loads(sorted((root.path / "b" / "trials").glob("[0-9]*"))[0].read_text())
        check(76 < told["run"]["peak_memory"]["value"] < 110, f"peak memory of a process of 80 MB: {told}")
        equal(big["stopping"], "fixed", "one side, nothing to compare")
        # A result that is written to a file, by a glob; an old file is not taken for a new one.
        (root.path / "out-old.json").write_text('{"latency_ms": 1}')
        os.utime(root.path / "out-old.json", (1, 1))
        wrote = answer(run(root, "-n", "2", "--result", "out-*.json", "--json", "--", "sh", "-c", "echo '{\"latency_ms\": 7}' > out-new.json; echo noise"), "--result")
        equal((wrote["measured"], wrote["trials"]["failed"]), ("generic-json", 0), "--result")
        none = run(root, "-n", "2", "--result", "absent-*.json", "--", "true")
        equal(none.returncode, 2, "--result that nothing writes")
        check('failed 3 times in a row: "true" it wrote no "absent-*.json"' in none.stderr or "it wrote no" in none.stderr, none.stderr)


def auto_baselines():
    """A name that is known and has no entry that fits is recorded under, and `auto` without a comparison has nothing to stop at."""
    with Root() as root:
        subprocess.run(["git", "init", "-q", str(root.path)], check=True)
        one = ["--auto-baseline", "toy/fits", "--json", "--warmup", "0"]
        answer(run(root, *one, "--context", "workload.dtype=fp16", "--", *toy(root).split()), "first")
        done = run(root, *one, "--context", "workload.dtype=fp8", "--", *toy(root).split())
        other = answer(done, "a name that is known, and nothing fits")
        equal((other["record"] is not None, other["comparisons"], other["stop"], other["stopping"], other["sides"][0]["trials"]),
              (True, [], "planned", "fixed", 10), "it records")
        check("no_matching_baseline: " in done.stderr and "; these trials are recorded as one" in done.stderr, done.stderr)
        done = run(root, "-n", "auto", "--record", "toy/auto", "--json", "--warmup", "0", "--", *toy(root).split())
        recorded = answer(done, "-n auto --record")
        equal((recorded["sides"][0]["trials"], recorded["stop"]), (10, "planned"), "-n auto --record")
        check("-n auto stops when the verdict is decided, and nothing is compared here: the baseline got 10 trials, the default; -n N "
              "asks for another number" in done.stderr, done.stderr)
        # One trial is no baseline for a VERDICT, however many are held against it.
        answer(run(root, "-n", "1", "--record", "toy/one", "--json", "--", *toy(root).split()), "one trial")
        hopeless = answer(run(root, "--against", "toy/one", "--json", "--warmup", "0", "--no-bundle", "--", *toy(root).split()), "against one trial")
        equal((hopeless["stop"], hopeless["sides"][0]["trials"], hopeless["comparisons"][0]["result"]["tier"]), ("undecidable", 4, "DRAFT"), "it stops early")
        equal(hopeless["stop_reason"], "the baseline has 1 trial, and a VERDICT needs 3 or more of each side; record it again with -n 10", "and says why")
        few = answer(run(root, "--auto-baseline", "toy/three", "-n", "3", "--json", "--", *toy(root).split()), "three trials")
        # Six are enough where it is said beforehand that there will be no more: the last look spends what is left of alpha.
        few = answer(run(root, "--against", "toy/three", "--max-runs", "6", "--json", "--no-bundle", "--", *toy(root, 200).split()), "against three")
        compared = few["comparisons"][0]["result"]
        equal((few["stop"], few["max_runs"], few["sides"][0]["trials"], compared["verdict"], compared["tier"]), ("decided", 6, 6, "RED", "VERDICT"), "three trials")
        few = answer(run(root, "--against", "toy/three", "--max-runs", "6", "--alpha", "0.01", "--json", "--no-bundle", "--", *toy(root, 200).split()), "at 1 %")
        equal((few["stop"], few.get("stop_reason")), ("undecidable", "against the 3 trials of the baseline nothing can be decided in 6; it takes --max-runs 8 or more"), "three trials, at 1 %")


def several_bundles():
    with Root() as root:
        three = ["--ab", toy(root), toy(root), toy(root, 120), "-n", "5", "--warmup", "0"]
        result = answer(run(root, *three, "--out", "out", "--json"), "--out of two comparisons")
        equal([c["result"]["diff_dir"] for c in result["comparisons"]], [str(root.path / "out" / label) for label in "BC"], "a folder each")
        for label in "BC":
            check((root.path / "out" / label / "diff.json").exists(), f"the bundle of {label}")
        (root.path / "calls").unlink()
        again = run(root, *three, "--out", "out")
        equal((again.returncode, again.stderr.splitlines()[0]), (2, f"plumbline: error: --out {root.path}/out is not empty"), "--out that is not empty")
        check(not (root.path / "calls").exists(), "nothing was run for it")


def reports():
    """A comparison in the forms of diff; of one comparison alone."""
    with Root() as root:
        done = run(root, "--ab", toy(root, cv=0.005), toy(root, 130, cv=0.005), "-n", "5", "--warmup", "0", "--no-bundle", "--fail-on", "red",
                   "--report", "junit=junit.xml", "--report", "md=diff.md", "--report", "github")
        equal(done.returncode, 1, f"the gate: {done.stderr}")
        check(done.stdout.startswith("::error"), f"one form takes the table's place: {done.stdout[:200]}")
        check("<failure" in (root.path / "junit.xml").read_text() and (root.path / "diff.md").read_text().startswith("# RED"), "the files")
        for args, message, hint in (
                (["--report", "md=x.md", "--", "true"], "--report is of a comparison, and nothing is compared here", "say what to compare with by --against, --ab or --auto-baseline"),
                (["--report", "md=x.md", "--ab", "true", "true", "true"], "--report is of one comparison, and there are 2", "compare two commands, or take the bundles of --out DIR"),
                (["--report", "pdf=x", "--ab", "true", "true"], None, None)):
            wrong = run(root, *args)
            equal(wrong.returncode, 2, " ".join(args))
            if message:
                equal(wrong.stderr, f"plumbline: error: {message}\nhint: {hint}\n", " ".join(args))


def last_look():
    """What is spent at the end is kept with the trials: they are judged the same again, and a journal that says otherwise is none."""
    with Root() as root:
        result = answer(run(root, "--ab", toy(root, cv=0.001), toy(root, 130, cv=0.001), "--max-runs", "5", "--warmup", "0", "--keep", "kept", "--out", "bundle", "--json"), "at most five")
        compared = result["comparisons"][0]["result"]
        equal((result["stop"], result["max_runs"], compared["verdict"], compared["tier"]), ("decided", 5, "RED", "VERDICT"), "five pairs decide where there are no more")
        again = subprocess.run([PLUMBLINE, "verify", "--recompute", str(root.path / "bundle"), "--json"], capture_output=True, text=True, check=False)
        equal(json.loads(again.stdout)["ok"], True, f"recompute: {again.stdout[:400]}")
        sides = [[str(file) for file in sorted((root.path / "kept" / f"side-{side}").iterdir())] for side in (1, 2)]
        journal = json.loads((root.path / "kept" / "run.json").read_text())
        for change, wanted in (({}, ("RED", "VERDICT")), ({"max_runs": 30}, ("RED", "DRAFT")), ({"max_runs": None}, ("RED", "DRAFT")), ({"max_runs": 0}, None)):
            changed = {key: value for key, value in {**journal, **change}.items() if value is not None}
            (root.path / "kept" / "changed.json").write_text(json.dumps(changed))
            done = subprocess.run([PLUMBLINE, "diff", "--journal", "kept/changed.json", "--baseline", *sides[0], "--current", *sides[1], "--no-bundle", "--json"],
                                  cwd=root.path, capture_output=True, text=True, check=False)
            if wanted:
                told = json.loads(done.stdout)
                equal((told["verdict"] if told["tier"] == "VERDICT" else "RED", told["tier"]), wanted, f"judged again, {change}")
            else:
                equal(done.stderr, f"plumbline: error: {root.path}/kept/changed.json is no journal of a run: `max_runs` is no number of trials\n", "no number")


def order():
    """Whoever runs second is 15 % slower: told, in the answer and in the journal. Drawn without that, nothing is told."""
    with Root() as root:
        slow = toy(root, seed=3, second=1.15)
        done = run(root, "--ab", slow, slow, "-n", "12", "--warmup", "0", "--json", "--no-bundle", "--keep", "kept")
        result = answer(done, "an order effect")
        equal([w["code"] for w in result["warnings"]], ["order_effect"], "it is told")
        said = result["warnings"][0]["message"]
        found = re.fullmatch(r"of A and B, whichever ran second in its block was ([\d.]+) % worse \(12 blocks, p 0\.0022\): a run leaves "
                             r"something behind for the next, such as heat, full caches or busy workers\. The pairs stay fair, but scatter by it; "
                             r"clear it by --prepare", said)
        check(found and 12 < float(found.group(1)) < 18, said)
        equal(json.loads((root.path / "kept" / "run.json").read_text())["warnings"], result["warnings"], "the journal tells it, too")
        check("order_effect: of " in done.stderr, done.stderr)
        for seed in range(1, 6):
            (root.path / "calls").unlink(missing_ok=True)
            quiet = answer(run(root, "--ab", toy(root, seed=seed), toy(root, 110, seed=seed), "-n", "12", "--warmup", "0", "--json", "--no-bundle"), "no order effect")
            equal(quiet["warnings"], [], f"sides that differ are no effect of order, seed {seed}")


def left_over(name):
    return subprocess.run(["pgrep", "-f", name], capture_output=True, text=True, check=False).stdout.split()


def trouble():
    with Root() as root:
        cases = {
            "fail": "exited with 3; it said: \"out of memory on device 3\"",
            "crash": "was ended by SIGSEGV",
            "hang": "ran longer than 0.3 s and was ended",
            "garbage": "its result cannot be read",
        }
        for how, words in cases.items():
            done = run(root, "-n", "4", "--warmup", "0", "--timeout", "0.3s", "--measure", "output", "--", TOY, "--misbehave", how)
            equal(done.returncode, 2, how)
            check(words in done.stderr and "failed 3 times in a row" in done.stderr, f"{how}: {done.stderr}")
        flood = run(root, "-n", "4", "--warmup", "0", "--", TOY, "--misbehave", "flood")
        check("printed more than 64 MiB and was ended" in flood.stderr, flood.stderr[:500])
        # Grandchildren in sessions of their own are ended and named; the trial counts.
        left = run(root, "-n", "2", "--warmup", "0", "--no-bundle", "--", TOY, "--misbehave", "leave")
        equal(left.returncode, 0, f"leave: {left.stderr}")
        check("left running and ended: sleep" in left.stdout, left.stdout)
        equal(left_over("^sleep 1000$"), [], "nothing is left running")
        # One of three runs fails: those are named, counted and compared with nothing, and the side that fails is judged for it.
        done = run(root, "-n", "8", "--warmup", "0", "--json", "--no-bundle", "--ab", toy(root, seed=9), f"{TOY} --misbehave fail --every 2 --counter {root.path}/other --mean 100")
        result = answer(done, "half fail")
        compared = result["comparisons"][0]["result"]
        check(result["trials"]["failed"] >= 7 and compared["verdict"] == "RED", f"{result['trials']} {compared['verdict']}")
        check(any(r["code"] == "gate_failed" and "runs fail more often" in r["message"] for r in compared["reasons"]), f"{compared['reasons']}")
        equal(result["sides"][0]["trials"], result["sides"][1]["trials"], "pairs stay pairs")


def stopping():
    with Root() as root:
        for sent, how in ((signal.SIGINT, "asked"), (signal.SIGHUP, "asked")):
            child = subprocess.Popen([PLUMBLINE, "run", "--ab", f"sh -c 'sleep 0.05; {toy(root, seed=4)}'", f"sh -c 'sleep 0.05; {toy(root, 130, seed=4)}'",
                                      "-n", "200", "--no-bundle", "--json"], cwd=root.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(2.5)
            child.send_signal(sent)
            out, err = child.communicate(timeout=30)
            equal(child.returncode, 0, f"a partial result is a result: {err}")
            result = json.loads(out)
            equal(result["stop"], how, "Ctrl-C")
            check(result["sides"][0]["trials"] >= 3 and result["comparisons"][0]["result"]["verdict"] in ("RED", "YELLOW"), f"{out[:400]}")
        early = subprocess.Popen([PLUMBLINE, "run", "--", "sleep", "60"], cwd=root.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        early.send_signal(signal.SIGINT)
        early.communicate(timeout=20)
        equal(early.returncode, 130, "Ctrl-C before the first trial ended")
        budget = answer(run(root, "-n", "1000", "--budget", "600ms", "--warmup", "0", "--json", "--", "sleep", "0.1"), "--budget")
        equal(budget["stop"], "budget", "--budget")
        check(2 <= budget["sides"][0]["trials"] <= 6, f"--budget 600ms of 100 ms each: {budget['sides']}")


def killed():
    """Nothing is left of a run that was killed: its trial ends with it, and its folder goes when the next one looks."""
    with Root() as root:
        scratch = root.path / "scratch"
        scratch.mkdir()
        env = {"TMPDIR": str(scratch)}

        def started(seconds):
            child = subprocess.Popen([PLUMBLINE, "run", "--warmup", "0", "--", "sleep", seconds], cwd=root.path, env=dict(os.environ, **env))
            until(lambda: left_over(rf"^\S*sleep {seconds}$"), f"sleep {seconds} runs")
            return child

        dead = started("1000.25")
        dead.kill()
        dead.wait()
        until(lambda: not left_over(r"^\S*sleep 1000.25$"), "the trial of a run that was killed has ended")
        living = started("1000.75")
        equal(len(list(scratch.iterdir())), 2, "folders of one that was killed and of one that runs")
        for folder in scratch.iterdir():
            os.utime(folder, (1, 1))
        answer(run(root, "-n", "1", "--json", "--", "true", env=env), "the next run")
        left = list(scratch.iterdir())
        equal(len(left), 1, f"the folder of the killed one is gone, not that of the living one: {left}")
        living.send_signal(signal.SIGHUP)
        living.wait(timeout=20)
        equal((living.returncode, list(scratch.iterdir()), left_over(r"^\S*sleep 1000.75$")), (129, [], []), "a closed terminal leaves nothing")


def until(true, what):
    deadline = time.monotonic() + 20
    while not true() and time.monotonic() < deadline:
        time.sleep(0.01)
    check(true(), f"in time: {what}")


def limits():
    """--prepare, --cleanup and --build end, too."""
    with Root() as root:
        for flag in ("--prepare", "--cleanup"):
            done = run(root, "-n", "2", "--warmup", "0", flag, "sleep 60", "--timeout", "300ms", "--", "true")
            equal((done.returncode, done.stderr), (2, f"plumbline: error: \"sleep 60\": {flag} ran longer than 0.3 s and was ended\nhint: run it by hand until it ends with 0\n"), flag)
        spent = run(root, "-n", "2", "--warmup", "0", "--prepare", "sleep 60", "--budget", "300ms", "--", "true")
        equal((spent.returncode, spent.stderr.splitlines()[0]), (2, "plumbline: error: no trial counts: the time was over before the first one ended"), "--budget ends --prepare")
        git = lambda *args: subprocess.run(["git", "-C", str(root.path), "-c", "user.name=t", "-c", "user.email=t@example.com", *args], check=True, capture_output=True)
        git("init", "-q")
        for message in ("one", "two"):
            git("commit", "-q", "--allow-empty", "-m", message)
        build = run(root, "--ab-rev", "HEAD~1..HEAD", "--build", "sleep 60", "--budget", "300ms", "--", "true")
        equal(build.returncode, 2, "--budget ends --build")
        check(re.match(r'plumbline: error: --build of "HEAD~1" took what is left of --budget, [\d.]+ s, and was ended\nhint: give more by --budget\n', build.stderr), build.stderr)


def disturbed_baselines():
    """What was recorded while something else disturbed it is no baseline for a VERDICT, and says why."""
    with Root() as root:
        subprocess.run(["git", "init", "-q", str(root.path)], check=True)
        env = {"PLUMBLINE_NVML": STANDIN}
        done = run(root, "--record", "toy/hot", "-n", "6", "--warmup", "0", "--json", "--", *toy(root).split(), env=dict(env, NVML_STANDIN_REASONS="0x44"))
        entry = pathlib.Path(answer(done, "recorded while throttled")["record"]["entry_dir"])
        told = json.loads((entry / "baseline.json").read_text())
        equal((told["tier"], told["trials"], told["source_path"]), ("DRAFT", 6, "source-snapshot.json"), "the entry")
        check(told["notes"].startswith('6 of 6 trials were disturbed ("throttled: GPU 0 (p…t 61 °C and 350 W")'), told["notes"])
        check("disturbed_trials: 6 of 6 trials were disturbed" in done.stderr, done.stderr)
        equal(len(json.loads((entry / "run.json").read_text())["trials"]), 6, "the entry holds the journal")
        equal(subprocess.run([PLUMBLINE, "verify", str(entry)], capture_output=True, check=False).returncode, 0, "and is whole")
        against = answer(run(root, "--against", "toy/hot", "--json", "--no-bundle", "--warmup", "0", "--", *toy(root, 130).split(), env=env), "against it")
        compared = against["comparisons"][0]["result"]
        equal((compared["verdict"], compared["tier"], against["stop"], against["sides"][0]["trials"] <= 12), ("RED", "DRAFT", "undecidable", True), "against it")
        check(any("the baseline was recorded as a DRAFT" in line for line in compared["promote"]), f"{compared['promote']}")
        quiet = answer(run(root, "--record", "toy/cool", "-n", "6", "--json", "--keep", "kept", "--", "sleep", "0.01", env=env), "kept")
        told = json.loads((pathlib.Path(quiet["record"]["entry_dir"]) / "baseline.json").read_text())
        equal(told["source_path"], str(root.path / "kept" / "trials" / "001.json"), "a source that stays is named")


def machine():
    with Root() as root:
        env = {"PLUMBLINE_NVML": STANDIN}
        result = answer(run(root, "-n", "3", "--json", "--", *toy(root).split(), env=env), "with a stand-in for NVML")
        facts = result["machine"]
        equal({k: facts.get(k) for k in ("hardware.gpu", "hardware.gpu_count", "hardware.driver", "hardware.gpu_memory_gib", "environment.gpu_ecc")},
              {"hardware.gpu": "Stand-in H100", "hardware.gpu_count": "2", "hardware.driver": "570.00.01", "hardware.gpu_memory_gib": "80", "environment.gpu_ecc": "on"},
              "facts of GPUs")
        check(facts["environment.host_class"].endswith("-2x-stand-in-h100-700w"), facts["environment.host_class"])
        check(re.fullmatch("[0-9a-f]{16}", facts["environment.host_fingerprint"]), facts["environment.host_fingerprint"])
        quiet = answer(run(root, "-n", "7", "--json", "--no-bundle", "--ab", toy(root, seed=5), toy(root, 130, seed=5), env=env), "quiet GPUs")
        hot = answer(run(root, "-n", "7", "--json", "--no-bundle", "--ab", toy(root, seed=5), toy(root, 130, seed=5),
                         env=dict(env, NVML_STANDIN_REASONS="0x44", NVML_STANDIN_PROCESSES="1")), "throttled GPUs")
        equal(hot["trials"]["disturbed"], 14, "every trial is marked")
        compared = hot["comparisons"][0]["result"]
        equal((compared["verdict"], compared["tier"]), ("RED", "DRAFT"), "throttled trials weaken the tier")
        shown = run(root, "-n", "7", "--no-bundle", "--ab", toy(root, seed=5), toy(root, 130, seed=5), env=dict(env, NVML_STANDIN_REASONS="0x44"))
        check("7 trials disturbed, the first throttled: GPU 0 (power_cap and hardware_thermal)" in " ".join(shown.stdout.split()), shown.stdout)
        equal(quiet["trials"]["disturbed"] == 14, False, "quiet GPUs disturb nothing")
        broken = answer(run(root, "-n", "2", "--json", "--", *toy(root).split(), env=dict(env, NVML_STANDIN_BROKEN="1")), "a library that does not start")
        check("hardware.gpu" not in broken["machine"], "no GPU without its library")


def changed_gpus():
    """A GPU whose clock of memory, power cap or temperature is another one marks the trial. One at rest clocks down, and marks none."""
    states = {1: {}, 2: {"BUSY": 0, "MHZ": 210, "MEMORY_MHZ": 405}, 3: {"MEMORY_MHZ": 1593}, 4: {"CAP_W": 500}, 5: {"MHZ": 1200}, 6: {"TEMPERATURE": 104}, 7: {}}
    wanted = {1: [], 2: [], 3: ["clock changed: GPU 0 memory at 1593 MHz, at {memory} MHz before"], 4: ["power cap changed: GPU 0 at 500 W, at {cap} W before"],
              5: ["clock changed: GPU 0 at 1200 MHz, at {sm} MHz before"], 6: ["hot: GPU 0 at 104 °C, and it slows down from {hot} °C"], 7: []}
    vendors = [("NVML", STANDIN, {}, {"memory": 2619, "cap": 700, "sm": 1755, "hot": 92}, "Stand-in H100")]
    vendors += [("ROCM_SMI", str(pathlib.Path(STANDIN).with_name("librocm_smi_standin.so")), {"ROCM_SMI_STANDIN_MAJOR": major},
                 {"memory": 1300, "cap": 750, "sm": 2000, "hot": 100}, "Stand-in MI300X") for major in ("5", "7")]
    for vendor, library, more, usual, name in vendors:
        with Root() as root:
            for number, state in states.items():
                (root.path / f"state{number}").write_text("".join(f"{vendor}_STANDIN_{key} {value}\n" for key, value in state.items()))
            (root.path / "next.sh").write_text("n=$(($(cat trial) + 1))\necho $n > trial\ncp state$n state\n")
            (root.path / "trial").write_text("0")
            env = {f"PLUMBLINE_{vendor}": library, f"{vendor}_STANDIN_STATE": str(root.path / "state"), **more}
            result = answer(run(root, "-n", str(len(states)), "--warmup", "0", "--keep", "kept", "--json", "--measure", "time", "--prepare", "sh next.sh", "--", "true", env=env), vendor)
            equal((result["machine"]["hardware.gpu"], result["machine"]["hardware.power_cap_w"]), (name, str(usual["cap"])), f"{vendor}: the GPU")
            trials = json.loads((root.path / "kept" / "run.json").read_text())["trials"]
            for number, trial in enumerate(trials, 1):
                told = [text for text in trial.get("disturbed", []) if "GPU 0" in text]
                equal(told, [text.format(**usual) for text in wanted[number]], f"{vendor} {more}: trial {number}")


def revisions():
    with Root() as root:
        git = lambda *args: subprocess.run(["git", "-C", str(root.path), "-c", "user.name=t", "-c", "user.email=t@example.com", *args], check=True, capture_output=True)
        git("init", "-q", "-b", "main")
        bench = root.path / "bench.sh"
        for mean, message in ((100, "fast"), (130, "slow")):
            bench.write_text(f"#!/bin/sh\nexec {TOY} --mean $(cat built) --cv 0.01 --seed 3 --counter {root.path}/calls\n")
            bench.chmod(0o755)
            (root.path / "mean").write_text(str(mean))
            git("add", "bench.sh", "mean")
            git("commit", "-q", "-m", message)
        done = run(root, "--ab-rev", "HEAD~1..HEAD", "--build", "cp mean built", "--no-bundle", "--json", "--", "./bench.sh")
        result = answer(done, "--ab-rev")
        equal((result["comparisons"][0]["label"], result["comparisons"][0]["result"]["verdict"]), ("HEAD", "RED"), "the second revision is slower")
        trees = subprocess.run(["git", "-C", str(root.path), "worktree", "list"], capture_output=True, text=True, check=True).stdout
        equal(len(trees.splitlines()), 1, "no work tree is left")
        check(not (root.path / "built").exists(), "the repository's own tree is not built in")
        unknown = run(root, "--ab-rev", "HEAD~1..nowhere", "--", "./bench.sh")
        equal(unknown.returncode, 2, "an unknown revision")
        check(unknown.stderr.startswith('plumbline: error: git cannot check out "nowhere"'), unknown.stderr)
        failing = run(root, "--ab-rev", "HEAD~1..HEAD", "--build", "echo no compiler >&2; exit 4", "--", "./bench.sh")
        check('--build of "HEAD~1" exited with 4; it said: "no compiler"' in failing.stderr, failing.stderr)


def mistakes():
    with Root() as root:
        cases = [
            ([], "there is no command to run", "`plumbline run -- CMD ARG…`, or `plumbline run --ab 'CMD A' 'CMD B'`"),
            (["--ab", "true"], "--ab compares two or more commands, and there is one", "write each as one word: --ab 'CMD A' 'CMD B'"),
            (["-n", "auto", "--", "true"], "-n auto stops when the verdict is decided, and nothing is compared here",
             "say what to compare with by --against, --ab or --auto-baseline, or give a number: -n 10"),
            (["-n", "many", "--", "true"], '-n "many" is no number of trials', "write a number from 1 to 1000, or auto"),
            (["--budget", "soon", "--", "true"], '--budget "soon" is no time', "write 90s, 10m, 1.5h or 250ms"),
            (["--", "no-such-program-here"], '"no-such-program-here" is not on PATH', "check the name, or give the program's path; a line of shell is run by `sh -c '…'`"),
            (["--ab-rev", "main", "--", "true"], '--ab-rev "main" is not two revisions', "write BASELINE..CANDIDATE, for instance main..HEAD"),
            (["--record", "nothing", "--", "true"], '--record "nothing" is no name of a measurement', "write FAMILY/MEASUREMENT, for instance llm/decode"),
            (["--against", "a/b", "--ab", "true", "true"], "--against, --auto-baseline and --ab (or --ab-rev) each say what to compare with", "give one of them"),
        ]
        for args, message, hint in cases:
            done = run(root, *args)
            equal(done.stderr, f"plumbline: error: {message}\nhint: {hint}\n", " ".join(args))
            equal(done.returncode, 3 if "PATH" in message else 2, " ".join(args))
        secret = run(root, "-n", "2", "--json", "--warmup", "0", "--", "true", "--token", "hf_abcdefghijklmnopqrstuvwxyz0123456789")
        check("hf_abcdef" not in secret.stdout + secret.stderr and "[redacted]" in secret.stdout, secret.stdout[:600])


if __name__ == "__main__":
    gpus = (disturbed_baselines, machine, changed_gpus) if harness.opens_libraries() else ()
    for part in (verdicts, journal, records, auto_baselines, several_bundles, reports, last_look, order, times, trouble, stopping, killed, limits,
                 *gpus, revisions, mistakes):
        part()
    harness.finish()
