#!/usr/bin/env python3
"""`plumbline bisect` over made repositories: one regression among noise, none, commits that do not build, merges, and git bisect run.
The benchmark's results are drawn (toy_benchmark.cpp), so the culprit is known."""
import json
import os
import pathlib
import subprocess

import harness
from harness import PLUMBLINE, Root, check, equal

TOY = str(pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark")
IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]


def git(folder, *args):
    return subprocess.run(["git", "-C", str(folder), *IDENTITY, *args], check=True, capture_output=True, text=True).stdout.strip()


def repository(root, means, broken=()):
    """A commit a mean; commits by their number from 0. The benchmark reads what --build wrote."""
    git(root.path, "init", "-q", "-b", "main")
    bench = root.path / "bench.sh"
    bench.write_text(f"#!/bin/sh\nexec {TOY} --mean $(cat built) --cv 0.02 --seed ${{SEED:-1}} --counter {root.path}/.git/calls\n")
    bench.chmod(0o755)
    shas = []
    for number, mean in enumerate(means):
        (root.path / "mean").write_text(f"{mean}\n")
        (root.path / "build.sh").write_text("echo broken >&2; exit 1\n" if number in broken else "cp mean built\n")
        (root.path / "number").write_text(f"{number}\n")
        git(root.path, "add", "bench.sh", "mean", "build.sh", "number")
        git(root.path, "commit", "-q", "-m", f"commit {number}")
        shas.append(git(root.path, "rev-parse", "HEAD"))
    return shas


def bisect(root, *args, seed=1, status=0):
    done = subprocess.run([PLUMBLINE, "bisect", "--build", "sh build.sh", "--warmup", "0", "--seed", str(seed), *args, "--json", "--", "./bench.sh"],
                          cwd=root.path, capture_output=True, text=True, env=dict(os.environ, SEED=str(seed)), timeout=300)
    equal(done.returncode, status, f"bisect {args}: {done.stderr}")
    return json.loads(done.stdout) if status == 0 else done.stderr


def one_regression():
    with Root() as root:
        culprit = 39
        shas = repository(root, [100] * culprit + [107] * (65 - culprit))
        right = 0
        runs = []
        for seed in range(1, 4):
            report = root.path / f"report-{seed}.md"
            # With the default tolerance the verdict on the ends would take dozens of pairs: 7 % is near 5 %.
            tolerance = ["--tolerance-percent", "3"] if seed == 1 else []
            result = bisect(root, "--good", shas[0], *tolerance, "--out", str(report), seed=seed)
            right += [c["sha"] for c in result["culprits"]] == [shas[culprit]]
            runs.append(result["runs"])
            check(result["found"] and result["probability"] >= 0.98, f"seed {seed}: {result['message']}")
            check(shas[culprit][:12] in report.read_text() or right < seed, "the report names the commit")
        equal(right, 3, "searches that named the culprit")
        check(max(runs) <= 64 * 5 // 3, f"runs: {runs}, where five of each commit are 320")
        equal(len(git(root.path, "worktree", "list").splitlines()), 1, "no work tree is left")
        equal(git(root.path, "status", "--porcelain", "--untracked-files=no"), "", "the repository's own tree is as it was")


def nothing_to_find():
    with Root() as root:
        shas = repository(root, [100] * 6)
        result = bisect(root, "--good", shas[0])
        equal((result["searched"], result["culprits"]), (False, []), "no regression, no search")
        equal(result["message"], f"no regression between {shas[0]}..HEAD: GREEN (VERDICT)", "it says so")


def undecided_ends():
    """At an alpha that so few runs cannot reach nothing is decided: more are asked for, and no commit is guessed."""
    with Root() as root:
        shas = repository(root, [100] * 3 + [120] * 3)
        result = bisect(root, "--good", shas[0], "--max-runs", "20", "--alpha", "0.001")
        equal((result["searched"], result["culprits"]), (False, []), "not decided, not searched")
        equal(result["message"], f"it is not decided that HEAD is worse than {shas[0]}: YELLOW (DRAFT) after 20 runs; give more by --max-runs or "
              "--budget, make the benchmark steadier, or say by --tolerance-percent how small a change matters", "it says what helps")


def broken_commits():
    with Root() as root:
        shas = repository(root, [100] * 5 + [125] * 5, broken=(4, 5))
        result = bisect(root, "--good", shas[0], "--bad", "main")
        equal([c["sha"] for c in result["culprits"]], shas[4:7], "commits that nothing can tell apart")
        check("one of 3 commits that cannot be told apart" in result["message"], result["message"])
        check(any('exited with 1; it said: "broken"' in c.get("problem", "") for c in result["tried"]), f"{result['tried']}")


def merges():
    with Root() as root:
        shas = repository(root, [100] * 3)
        git(root.path, "checkout", "-q", "-b", "feature")
        (root.path / "mean").write_text("140\n")
        git(root.path, "commit", "-q", "-am", "slow feature")
        git(root.path, "checkout", "-q", "main")
        (root.path / "number").write_text("77\n")
        git(root.path, "commit", "-q", "-am", "beside")
        git(root.path, "merge", "-q", "--no-ff", "-m", "Merge feature", "feature")
        merge = git(root.path, "rev-parse", "HEAD")
        result = bisect(root, "--good", shas[0])
        equal([(c["sha"], c["merge"]) for c in result["culprits"]], [(merge, True)], "the merge brought it")
        shown = subprocess.run([PLUMBLINE, "bisect", "--good", shas[0], "--build", "sh build.sh", "--", "./bench.sh"], cwd=root.path, capture_output=True, text=True, check=True).stdout
        check(f"--good {merge[:12]}^1 --bad {merge[:12]}^2" in " ".join(shown.split()), shown)


def with_git():
    with Root() as root:
        shas = repository(root, [100] * 6 + [130] * 6, broken=(3,))
        git(root.path, "checkout", "-q", shas[0])
        subprocess.run(["sh", "build.sh"], cwd=root.path, check=True)
        subprocess.run([PLUMBLINE, "run", "--record", "toy/step", "-n", "10", "--", "./bench.sh"], cwd=root.path, check=True, capture_output=True)
        git(root.path, "checkout", "-q", "main")
        git(root.path, "bisect", "start", "main", shas[0])
        ran = subprocess.run(["git", "-C", str(root.path), "bisect", "run", PLUMBLINE, "bisect", "--step", "--against", "toy/step", "--build", "sh build.sh", "--", "./bench.sh"],
                             cwd=root.path, capture_output=True, text=True, timeout=200, check=False)
        check(f"{shas[6]} is the first bad commit" in ran.stdout, ran.stdout + ran.stderr)
        git(root.path, "bisect", "reset")
        step = [PLUMBLINE, "bisect", "--step", "--build", "sh build.sh"]
        done = subprocess.run([*step, "--", "./bench.sh"], cwd=root.path, capture_output=True, text=True, check=False)
        equal(done.returncode, 255, "an error of the call must not look bad")
        equal(done.stdout, "plumbline: error: --step needs --against REF: what the work tree is compared with\n"
              "hint: record the good revision: `plumbline run --record FAMILY/MEASUREMENT -n 10 -- CMD`\n", "and it says what is missing")
        done = subprocess.run([*step[:-1], "exit 3", "--against", "toy/step", "--", "./bench.sh"], cwd=root.path, capture_output=True, text=True, check=False)
        equal((done.returncode, done.stdout), (125, "cannot tell: --build exited with 3\n"), "what does not build is skipped")


def mistakes():
    with Root() as root:
        shas = repository(root, [100] * 3)
        cases = [
            (["--good", "nowhere"], '"nowhere" is no commit of this repository', "`git log --oneline` lists them"),
            (["--good", "HEAD", "--bad", shas[0]], f'"HEAD" is no ancestor of "{shas[0]}"', "give the older revision as --good, the newer one as --bad"),
            (["--good", "HEAD"], '"HEAD" and "HEAD" are the same commit', "give an older one as --good"),
            ([], "--good is missing", "`plumbline bisect --good REV [--bad REV] [--build CMD] -- CMD`; `--step` is for `git bisect run`"),
        ]
        for args, message, hint in cases:
            equal(bisect(root, *args, status=2), f"plumbline: error: {message}\nhint: {hint}\n", f"{args}")


if __name__ == "__main__":
    for part in (one_regression, nothing_to_find, undecided_ends, broken_commits, merges, with_git, mistakes):
        part()
    harness.finish()
