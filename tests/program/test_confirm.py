#!/usr/bin/env python3
"""`plumbline run --confirm`, as a user calls it: only what a diff left in doubt is run again, and judged from the new trials alone. The
harnesses are stand-ins (tests/program/toy_suite.cpp), which choose cases by the real ones' rules and draw their results, so that the
truth is known."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import harness
from harness import PLUMBLINE, Root, check, equal

SUITE = pathlib.Path(PLUMBLINE).resolve().parent / "toy_suite"
COMMANDS = {
    "bench": "{} --benchmark_format=json",
    "go": "{} test -run=^$ -bench=. -benchmem ./...",
    "pytest": "{} -q",
    "cargo": "{} bench -- --noplot",
    "all_reduce_perf": "{} -b 8 -e 128M -f 2 -g 8",
}


class Sides:
    """Two installations of a stand-in, each with its truth beside it."""

    def __init__(self, root, name="bench", cases=60, cv=0.02, seed=1):
        self.root, self.name, self.cases, self.cv, self.seed = root, name, cases, cv, seed
        for side in "ab":
            (root.path / side).mkdir(exist_ok=True)
            if not (root.path / side / name).exists():
                (root.path / side / name).symlink_to(SUITE)
            self.truth(side)

    def truth(self, side, *more):
        lines = [f"counter {self.root.path}/{side}/calls", f"seed {self.seed * 2 + (side == 'b')}", f"cv {self.cv}", f"cases {self.cases}", *more]
        (self.root.path / side / "toy.conf").write_text("\n".join(lines) + "\n")

    def command(self, side):
        return COMMANDS[self.name].format(self.root.path / side / self.name)

    def first_look(self, out="first", trials=3):
        """A diff of a few trials a side, as a CI job makes it: its bundle's folder."""
        files = {side: [] for side in "ab"}
        for side in "ab":
            for trial in range(trials):
                done = subprocess.run(self.command(side).split(), capture_output=True, text=True, check=True, cwd=self.root.path)
                path = self.root.path / f"{out}-{side}{trial}.txt"
                path.write_text(done.stdout)
                files[side].append(str(path))
        bundle = self.root.path / out
        shutil.rmtree(bundle, ignore_errors=True)
        done = subprocess.run([PLUMBLINE, "diff", "--baseline", *files["a"], "--current", *files["b"], "--out", str(bundle), "--json"],
                              capture_output=True, text=True, cwd=self.root.path, check=False)
        check(done.returncode == 0, f"the first look: {done.stderr}")
        return bundle, json.loads(done.stdout)

    def confirm(self, bundle, *args, text=False):
        return run(self.root, "--ab", self.command("a"), self.command("b"), "--confirm", str(bundle), "--warmup", "0", "--seed", "1",
                   *(() if text else ("--json",)), *args)


def run(root, *args):
    return subprocess.run([PLUMBLINE, "run", *args], cwd=root.path, capture_output=True, text=True, errors="replace", timeout=300, check=False)


def answer(done, what):
    check(done.returncode == 0, f"{what}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}


def answers(result):
    return {row["key"]: row["now"] for row in result["comparisons"][0]["result"]["second_look"]["rows"]}


def each_harness():
    """One case is 20 % slower: it alone is run again, told to each stand-in in its own words, and confirmed."""
    slow = {"bench": 7, "go": 7, "pytest": 7, "cargo": 7, "all_reduce_perf": 20}
    wanted = {
        "bench": "'--benchmark_filter=^(BM_case/7)$'",
        "go": "'-bench=^(BenchmarkCase)$/^(n=7(-8)?)$'",
        "pytest": "-k test_case_7_",
        "cargo": "'^(case 7)$'",
        "all_reduce_perf": "-b 1048576 -e 1048576",
    }
    for name, case in slow.items():
        with Root() as root:
            sides = Sides(root, name, cv=0.005)
            sides.truth("b", f"slow 1.2 {case}")
            bundle, first = sides.first_look()
            equal((first["verdict"], first["counts"]["regressed"]), ("YELLOW", 1), f"{name}: the first look")
            result = answer(sides.confirm(bundle, "--keep", str(root.path / "kept")), name)
            confirm, compared = result["confirm"], result["comparisons"][0]["result"]
            equal((confirm["filter"], confirm["cases_count"], confirm["rows_in_doubt"]), (wanted[name], 1, 1), f"{name}: what is run again")
            equal((compared["verdict"], compared["tier"], list(answers(result).values())), ("RED", "VERDICT", ["confirmed"]), f"{name}: the answer")
            equal(result["stop"], "decided", f"{name}: stops when every row is answered")
            trial = sorted((root.path / "kept" / "side-2").iterdir())[0].read_text()
            names = {"bench": "BM_case/", "go": "BenchmarkCase/", "pytest": "::test_case_", "cargo": "case ", "all_reduce_perf": " float "}
            lines = [line for line in trial.splitlines() if names[name] in line and not line.startswith("#")]
            equal(len(lines), 1, f"{name}: one case in a trial's output")


def odd_names():
    """Names that an unescaped pattern would not match, or match too much with."""
    names = ["BM_a.b", "BM_a+b", "BM_f(x)|g", "BM_[1]", "BM_x{2}", "BM_$y^", "BM_q*?", "BM_s p a c e", "BM_T<int, 4>/8", "BM_back\\slash", "BM_}]"]
    with Root() as root:
        sides = Sides(root, cases=160, cv=0.005)
        named = [f"name {i} {name}" for i, name in enumerate(names)]
        sides.truth("a", *named)
        sides.truth("b", *named, *(f"slow 1.3 {i}" for i in range(len(names))))
        bundle, _ = sides.first_look()
        result = answer(sides.confirm(bundle, "--out", str(root.path / "second")), "odd names")
        equal(result["confirm"]["cases_count"], len(names), "odd names: all are run again")
        told = json.loads((root.path / "second" / "diff.json").read_text())["second_look"]
        equal({row["key"]: row["now"] for row in told["rows"]}, {f"{name}.real_time": "confirmed" for name in names}, "odd names: the answers")


def verdicts():
    """Chance at the first look is not confirmed; what is slower is. tests/bench/confirm_truths.py draws hundreds."""
    with Root() as root:
        reds = 0
        for seed in range(1, 6):
            sides = Sides(root, cv=0.06, seed=seed)
            bundle, first = sides.first_look()
            check(first["verdict"] != "RED", f"equal sides, seed {seed}: {first['verdict']}")
            result = answer(sides.confirm(bundle), f"equal sides, seed {seed}")
            if result["stop"] == "no_doubt":
                equal(result["trials"]["ran"], 0, "GREEN: nothing is run again")
                continue
            reds += result["comparisons"][0]["result"]["verdict"] == "RED"
        equal(reds, 0, "equal sides at CV 6 %: RED after the second look")
        # One case 12 % slower among sixty: a suspect at three trials, confirmed by trials of its own.
        sides = Sides(root, cv=0.02, seed=31)
        sides.truth("b", "slow 1.15 9", "slow 1.15 33")
        bundle, first = sides.first_look("two")
        equal(first["verdict"], "YELLOW", "two slow cases: the first look")
        result = answer(sides.confirm(bundle), "two slow cases")
        now = answers(result)
        equal((now.get("BM_case/9.real_time"), now.get("BM_case/33.real_time")), ("confirmed", "confirmed"), "two slow cases")
        compared = result["comparisons"][0]["result"]
        equal(compared["verdict"], "RED", "two slow cases: the verdict")
        equal(compared["counts"]["compared"], result["confirm"]["rows_in_doubt"], "only rows in doubt are judged")


def bundle_and_journal():
    with Root() as root:
        sides = Sides(root, cv=0.005)
        sides.truth("b", "slow 1.2 4")
        bundle, _ = sides.first_look()
        done = sides.confirm(bundle, "--out", str(root.path / "second"), text=True)
        check(done.returncode == 0, done.stderr)
        shown = " ".join(done.stdout.split())
        for words in ("confirm: the first look, YELLOW (DRAFT), left 1 row of 60 in doubt; 1 case run again, told to Google Benchmark by '--benchmark_filter=^(BM_case/4)$'",
                      "judged from the new trials alone, at 2 %; a row can be confirmed from 9 trials a side on",
                      "stopped because every row in doubt is answered", "of 1 row in doubt 1 is confirmed"):
            check(words in shown, f"not shown: {words}\n{done.stdout}")
        second = json.loads((root.path / "second" / "diff.json").read_text())
        first_sha = subprocess.run(["sha256sum", str(bundle / "SHA256SUMS")], capture_output=True, text=True, check=True).stdout.split()[0]
        equal(second["second_look"]["first"]["bundle_sha256"], first_sha, "the bundle names the first look by digest")
        equal(second["second_look"]["rows"], [{"key": "BM_case/4.real_time", "was": second["second_look"]["rows"][0]["was"], "now": "confirmed"}], "the bundle has the answers")
        check("of 1 row in doubt 1 is confirmed" in (root.path / "second" / "diff.md").read_text(), "diff.md says it")
        journal = json.loads((root.path / "second" / "run.json").read_text())
        equal((journal["confirm"]["cases"], [row["key"] for row in journal["confirm"]["rows"]]), (["BM_case/4"], ["BM_case/4.real_time"]), "the journal says what ran again")
        again = subprocess.run([PLUMBLINE, "verify", "--recompute", str(root.path / "second"), "--json"], capture_output=True, text=True, check=False)
        equal(json.loads(again.stdout)["ok"], True, f"recompute: {again.stdout[:400]}")
        # The whole command: rows that nobody doubted stay out of the verdict, and are said to.
        whole = answer(sides.confirm(bundle, "--filter-flag", "none", "--out", str(root.path / "whole")), "--filter-flag none")
        equal((whole["confirm"]["filter"], whole["confirm"]["whole_command_because"]), ("", "--filter-flag none"), "the whole command")
        rows = [json.loads(line) for line in (root.path / "whole" / "deltas.jsonl").read_text().splitlines()]
        equal(len(rows), 60, "every row is in the bundle")
        equal({(row["state"], row.get("note")) for row in rows if row["key"] != "BM_case/4.real_time"},
              {("context", "not in doubt at the first look: not judged again")}, "rows that nobody doubted")
        equal(whole["comparisons"][0]["result"]["counts"]["compared"], 1, "one row is judged")
        # A line of shell that only splits its words is the command, with one side, too.
        line = answer(run(root, "--confirm", str(bundle), "--against", str(root.path / "first-a0.txt"), "-n", "3", "--warmup", "0", "--json", "--no-bundle",
                          "--", "sh", "-c", sides.command("b")), "sh -c")
        equal(line["confirm"]["filter"], "'--benchmark_filter=^(BM_case/4)$'", "a line of shell")
        # A flag of one's own.
        own = answer(sides.confirm(bundle, "--filter-flag=--benchmark_filter={}"), "--filter-flag TEMPLATE")
        equal(own["confirm"]["filter"], "'--benchmark_filter=^(BM_case/4)$'", "--filter-flag TEMPLATE")


def one_command():
    """Against the baseline that raised the suspicion: corrected for every row that the first look judged."""
    with Root() as root:
        sides = Sides(root, cv=0.005)
        sides.truth("b", "slow 1.2 4")
        bundle, _ = sides.first_look(trials=5)
        done = run(root, "--confirm", str(bundle), "--warmup", "0", "--json", "--", *sides.command("b").split())
        result = answer(done, "one command")
        equal((result["confirm"]["rows_in_doubt"], result["confirm"]["corrected_for"]), (1, 60), "one command: corrected for all rows")
        equal(answers(result), {"BM_case/4.real_time": "confirmed"}, "one command: the answer")
        check(all(file.stat().st_size for file in bundle.iterdir() if file.is_file()), "the first bundle is left as it was")
        equal(subprocess.run([PLUMBLINE, "verify", str(bundle)], capture_output=True, check=False).returncode, 0, "the first bundle still verifies")


def gone():
    """A case that the new trials do not hold is said, on one side or on both; where none is left, the error says what was run."""
    with Root() as root:
        sides = Sides(root, cv=0.005)
        sides.truth("b", "slow 1.2 4", "slow 1.2 5", "slow 1.2 6")
        bundle, _ = sides.first_look()
        sides.truth("a", "gone 5")
        sides.truth("b", "slow 1.2 4", "gone 5", "gone 6")
        result = answer(sides.confirm(bundle), "cases that are gone")
        equal(answers(result), {"BM_case/4.real_time": "confirmed", "BM_case/5.real_time": "gone", "BM_case/6.real_time": "gone"}, "cases that are gone")
        compared = result["comparisons"][0]["result"]
        reason = next(r for r in compared["reasons"] if r["code"] == "row_missing")
        equal(reason["message"], '2 rows in doubt are not in the new trials of both sides, first "BM_case/5.real_time"', "the reason")
        sides.truth("b", "gone 4", "gone 5", "gone 6")
        sides.truth("a", "gone 4", "gone 5", "gone 6")
        lost = sides.confirm(bundle, text=True)
        equal(lost.returncode, 2, "all are gone")
        check("failed 3 times in a row" in lost.stderr and "Failed to match any benchmarks" in lost.stderr, lost.stderr)
        check("the cases may be gone, or `--filter-flag none` runs all of them" in lost.stderr, lost.stderr)


def trouble():
    """Failing trials and Ctrl-C, as in any run."""
    with Root() as root:
        sides = Sides(root, cv=0.005)
        sides.truth("b", "slow 1.2 4")
        bundle, _ = sides.first_look()
        green, _ = Sides(root, cv=0.001, seed=5).first_look("green")
        same = answer(sides.confirm(green), "nothing in doubt")
        equal((same["stop"], same["trials"]["ran"], same["comparisons"]), ("no_doubt", 0, []), "GREEN is not run again")
        text = sides.confirm(green, text=True).stdout
        check("left no row in doubt: there is nothing to run again" in " ".join(text.split()), text)
        sides.truth("b", "exit 3")
        failing = sides.confirm(bundle, text=True)
        equal(failing.returncode, 2, "a side that fails")
        check('side "B" failed 3 times in a row' in failing.stderr, failing.stderr)
        sides.truth("b", "slow 1.05 4")
        child = subprocess.Popen([PLUMBLINE, "run", "--ab", f"{sides.command('a')}", f"{sides.command('b')}", "--confirm", str(bundle), "-n", "1000",
                                  "--keep", str(root.path / "kept"), "--no-bundle", "--json"], cwd=root.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(list((root.path / "kept").glob("side-2/[0-9]*"))) < 4:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        equal(child.returncode, 0, f"Ctrl-C: {err}")
        result = json.loads(out)
        equal((result["stop"], len(answers(result))), ("asked", 1), "Ctrl-C: what was measured by then is judged")


def mistakes():
    with Root() as root:
        sides = Sides(root, cv=0.005)
        sides.truth("b", "slow 1.2 4")
        bundle, _ = sides.first_look()
        give = "give the folder that a diff left behind (diff_dir), its diff.json or its deltas.jsonl"
        ab = ["--ab", sides.command("a"), sides.command("b")]
        folder = root.path
        (folder / "empty").mkdir()
        (folder / "text.json").write_text("not JSON at all")
        (folder / "schema.json").write_text('{"schema": "other.v1"}')
        (folder / "lines.jsonl").write_text('{"key": "a", "state": "regressed"}\n{"key": "a", "state": "regressed"}\n')
        (folder / "half.jsonl").write_text('{"key": "a", "state": "regressed"}\n{"key": "b"')
        (folder / "deep.jsonl").write_text('{"key": "a", "state": "regressed"}\n' + "[" * 5000 + "\n")
        shutil.copy(bundle / "diff.json", folder / "lone.json")
        answered = subprocess.run([PLUMBLINE, "diff", str(folder / "first-a0.txt"), str(folder / "first-b0.txt"), "--no-bundle", "--json"], capture_output=True, text=True, check=False)
        (folder / "answer.json").write_text(answered.stdout)
        shutil.copytree(bundle, folder / "edited")
        (folder / "edited" / "deltas.jsonl").chmod(0o644)
        (folder / "edited" / "deltas.jsonl").write_text((bundle / "deltas.jsonl").read_text().replace('"regressed"', '"unchanged"'))
        cases = [
            (["--confirm", "nowhere", *ab], f'--confirm nowhere names no diff: there is nothing at {folder}/nowhere', give),
            (["--confirm", "text.json", *ab], None, None),
            (["--confirm", "schema.json", *ab], '--confirm schema.json is no diff, but "other.v1"', give),
            (["--confirm", "lines.jsonl", *ab], '--confirm lines.jsonl line 2 has the key of an earlier row: "a"', give),
            (["--confirm", "half.jsonl", *ab], None, None),
            (["--confirm", "deep.jsonl", *ab], '--confirm deep.jsonl line 2 is no row: nested deeper than 256', give),
            (["--confirm", "lone.json", *ab], '--confirm lone.json alone has 20 of 60 rows: the others are in deltas.jsonl', "give the folder that it came from, or its deltas.jsonl"),
            (["--confirm", "answer.json", *ab], '--confirm answer.json is what a call answered, which leaves rows out', "give the folder that its diff_dir names"),
            (["--filter-flag", "none", *ab], "--filter-flag says how the cases of --confirm are named, and there is none", "give --confirm DIFF with it"),
            (["--confirm", "first", "--record", "a/b", "--", "true"], "--confirm judges the rows in doubt alone, which are no whole baseline", "record without --confirm"),
            (["--confirm", "first", "--ab", "true", "true", "true"], "--confirm compares two commands, and there are 3", "confirm one diff at a time: --ab 'CMD A' 'CMD B' --confirm DIFF"),
            (["--confirm", "first", "--alpha", "0.7", *ab], "--alpha must lie between 0 and 0.5", "default 0.02 with --confirm, for all rows in doubt together"),
            (["--confirm", "lines1.jsonl", "--", "true"], '--confirm lines1.jsonl holds no copy of its baseline',
             "measure both sides anew, which is the stronger test: `--ab 'CMD A' 'CMD B'`; or name the baseline: --against REF"),
            (["--confirm", "first", "--filter-flag=--only", *ab], '--filter-flag "--only" says nowhere which cases',
             "write --filter-flag='--only={}' for one regular expression, --filter-flag='--case={case}' for a flag a case, or --filter-flag none for the whole command"),
        ]
        (folder / "lines1.jsonl").write_text('{"key": "a", "state": "regressed"}\n')
        # YELLOW for its context alone: there is no row to measure again.
        for host in ("one", "two"):
            (folder / f"{host}.json").write_text(json.dumps({"context": {"hardware": {"gpu": host}}, "latency_ms": 5, "copy_ms": 7, "sort_ms": 9}))
        subprocess.run([PLUMBLINE, "diff", "one.json", "two.json", "--out", "contexts"], cwd=folder, capture_output=True, check=False)
        cases.append((["--confirm", "contexts", *ab], '--confirm contexts is YELLOW, and no row is in doubt: "context_differs"',
                      "measure both sides anew: `plumbline run --ab 'CMD A' 'CMD B'`"))
        for args, message, hint in cases:
            done = run(root, *args)
            equal(done.returncode, 2, " ".join(args[:2]))
            if message is not None:
                equal(done.stderr, f"plumbline: error: {message}\nhint: {hint}\n", " ".join(args[:2]))
        for name, words in (("text.json", '--confirm text.json is no diff: '), ("half.jsonl", '--confirm half.jsonl line 2 is no row: '),
                            ("edited", '--confirm edited is not what was published: deltas.jsonl has the sha256 '), ("empty", '--confirm empty is no')):
            done = run(root, "--confirm", name, *ab)
            check(done.returncode == 2 and words in done.stderr, f"{name}: {done.stderr}")
        # deltas.jsonl alone names rows, and no harness: the whole command runs.
        alone = shutil.copy(bundle / "deltas.jsonl", folder / "alone.jsonl")
        result = answer(run(root, "--confirm", str(alone), "--json", "--warmup", "0", "--no-bundle", *ab), "deltas.jsonl alone")
        equal(result["confirm"]["whole_command_because"], "nothing says which harness printed these rows", "deltas.jsonl alone")
        equal(answers(result), {"BM_case/4.real_time": "confirmed"}, "deltas.jsonl alone: the answer")
        # A journal whose correction was weakened by hand is refused.
        kept = answer(sides.confirm(bundle, "--keep", str(root.path / "kept"), "-n", "8"), "-n 8")
        equal(kept["confirm"]["least_trials"], 6, "-n 8: fixed trials need fewer")
        journal = json.loads((folder / "kept" / "run.json").read_text())
        journal["confirm"]["corrected_for"] = 0
        (folder / "kept" / "weak.json").write_text(json.dumps(journal))
        one, two = ([str(f) for f in sorted((folder / "kept" / f"side-{side}").iterdir())] for side in (1, 2))
        weak = subprocess.run([PLUMBLINE, "diff", "--journal", str(folder / "kept" / "weak.json"), "--baseline", *one, "--current", *two, "--no-bundle"],
                              capture_output=True, text=True, cwd=folder, check=False)
        equal(weak.stderr, f"plumbline: error: {folder}/kept/weak.json is no journal of a run: `confirm` corrects for fewer rows than it has\n", "a weakened journal")


if __name__ == "__main__":
    os.environ.pop("PLUMBLINE_REPO_ROOT", None)
    for part in (each_harness, odd_names, verdicts, bundle_and_journal, one_command, gone, trouble, mistakes):
        part()
    harness.finish()
