#!/usr/bin/env python3
"""What was measured before it is recorded: record --measured-at and --commit, and import of dated files, of a file's git history,
and of what github-action-benchmark and Bencher keep. A backfilled entry never becomes the baseline in the place of a newer one."""
import json
import os
import subprocess

from harness import Root, check, equal, finish

OLD, MIDDLE = "2024-03-01T12:00:00Z", "2025-06-01"
SHA = "0123456789abcdef0123456789abcdef01234567"


def record(root, value, *more, status=0):
    path = root.write("in.txt", f"{value}\n")
    words = ["record", "--family", "f", "--measurement", "m", "--source", path, "--unit", "ms", "--direction", "lower-is-better", *more]
    return root.json(*words, status=status) if status == 0 else root.run(*words)


def newest(root, selector="@newest"):
    return root.json("verify", "f/m" + selector, "--repo-root", root.path)["path"].rsplit("/", 1)[1]


def recorded_entries():
    with Root() as root:
        today = record(root, 100)
        old = record(root, 90, "--measured-at", OLD, "--commit", SHA.upper())
        middle = record(root, 95, "--measured-at", MIDDLE)
        check(today["slug"] < old["slug"] < middle["slug"], "slugs are in the order of registration")
        entry = json.loads((root.path / old["baseline_json"]).read_text())
        equal(entry["measured_at_utc"], OLD, "baseline.json says when")
        equal((entry["git"]["commit"], entry["profile_and_optimize_sha"]), (SHA, SHA), "and of which commit")
        check("supersedes" not in entry or not entry["supersedes"], "what is backfilled supersedes nothing")
        seen = root.json("history", "f/m")
        equal([e["value"] for e in seen["entries"]], [90, 95, 100], "history is in the order of measurement")
        equal(seen["entries"][0]["measured_at_utc"], OLD, "and says when")
        check("measured (UTC)" in root.run("history", "f/m").stdout, "the table says which time it shows")
        equal(newest(root), today["slug"], "@newest is the newest measured")
        equal(newest(root, ""), today["slug"], "and so is the default")
        equal(newest(root, "@" + old["slug"]), old["slug"], "a slug is a slug")
        later = record(root, 101)
        equal(newest(root), later["slug"], "a newer one is newer")
        check(json.loads((root.path / later["baseline_json"]).read_text())["supersedes"] == today["slug"], "it supersedes the newest measured")
        equal(root.run("verify", root.path / old["entry_dir"]).returncode, 0, "a backfilled entry verifies")


def refusals():
    with Root() as root:
        for words, said in ((("--measured-at", "yesterday"), "--measured-at is no time"),
                            (("--measured-at", "2199-01-01"), "--measured-at is in the future"),
                            (("--commit", "HEAD"), "--commit is no commit")):
            done = record(root, 1, *words, status=2)
            check(done.returncode == 2 and said in done.stderr, f"{words}: {done.stderr}")
        check(not (root.path / "experiments").exists(), "a refusal creates nothing")


def dated_files():
    with Root() as root:
        for day, value in ((1, 100), (2, 101), (3, 99)):
            root.write(f"nightly/decode-2026-10-0{day}.json", {"decode_latency_ms": value})
        files = sorted((root.path / "nightly").iterdir())
        told = root.json("import", "--family", "f", "--measurement", "m", *files, "--dry-run")
        equal((told["found"], told["recorded"], told["dry_run"]), (3, 3, True), "a dry run tells")
        check(not (root.path / "experiments").exists(), "and writes nothing")
        done = root.json("import", "--family", "f", "--measurement", "m", *files)
        equal((done["from"], done["recorded"], done["already"]), ("files", 3, 0), "each file is an entry")
        equal([p["measured_at_utc"] for p in done["points"]], [f"2026-10-0{d}T00:00:00Z" for d in (1, 2, 3)], "oldest first")
        again = root.json("import", "--family", "f", "--measurement", "m", *files)
        equal((again["recorded"], again["already"]), (0, 3), "again adds nothing")
        equal(root.run("verify", root.path).returncode, 0, "all of it verifies")
        equal(len(root.json("history", "f/m")["entries"]), 3, "history has them")
        index = next((root.path / "experiments").rglob("INDEX.md")).read_text()
        equal(index.count("| [`"), 3, "INDEX.md lists them")
        # Dates elsewhere.
        odd = root.write("odd/run-17.json", {"decode_latency_ms": 5})
        done = root.run("import", "--family", "f", "--measurement", "n", odd)
        check(done.returncode == 2 and "no date in the name of" in done.stderr and "--date-from" in done.stderr, done.stderr)
        os.utime(odd, (1700000000, 1700000000))
        told = root.json("import", "--family", "f", "--measurement", "n", odd, "--date-from", "mtime")
        equal(told["points"][0]["measured_at_utc"], "2023-11-14T22:13:20Z", "the file's own time")
        deep = root.write("2024_12_24/a.json", {"decode_latency_ms": 5})
        equal(root.json("import", "--family", "f", "--measurement", "n", deep)["points"][0]["measured_at_utc"], "2024-12-24T00:00:00Z",
              "the folder's name")
        custom = root.write("x/31.12.2024-a.json", {"decode_latency_ms": 5})
        equal(root.json("import", "--family", "f", "--measurement", "n", custom, "--date-from", "%d.%m.%Y")["points"][0]["measured_at_utc"],
              "2024-12-31T00:00:00Z", "a pattern")
        bad = root.write("nightly/broken-2026-10-09.json", "{")
        mixed = root.json("import", "--family", "f", "--measurement", "m", *files, bad)
        equal((mixed["already"], mixed["left_out"]), (3, 1), "what cannot be read is left out")
        check(mixed["points"][0]["state"] == "left out" and mixed["points"][0]["problem"], f"and said first: {mixed['points'][0]}")


def git(root, *words, when=None):
    environment = dict(os.environ, GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b",
                       GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
    if when:
        environment.update(GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    return subprocess.run(["git", *words], cwd=root.path, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def git_history():
    with Root() as root:
        git(root, "init", "-q")
        commits = []
        for day, value in ((1, 100), (2, 105), (3, 98)):
            root.write("bench.json", {"decode_latency_ms": value})
            git(root, "add", "bench.json")
            git(root, "commit", "-q", "-m", "measured", when=f"2026-09-0{day}T10:00:00+02:00")
            commits.append(git(root, "rev-parse", "HEAD"))
        git(root, "mv", "bench.json", "decode bench.json")
        git(root, "commit", "-q", "-m", "renamed", when="2026-09-04T10:00:00+02:00")
        commits.append(git(root, "rev-parse", "HEAD"))
        root.write("decode bench.json", {"decode_latency_ms": 97})
        git(root, "commit", "-q", "-a", "-m", "measured", when="2026-09-05T10:00:00+02:00")
        commits.append(git(root, "rev-parse", "HEAD"))
        words = ("import", "--family", "f", "--measurement", "m", "--git-history", root.path / "decode bench.json")
        done = root.json(*words)
        equal((done["from"], done["recorded"]), ("git-history", 5), "each version, the rename followed")
        equal([p["commit"] for p in done["points"]], commits, "with its commit")
        equal(done["points"][0]["measured_at_utc"], "2026-09-01T08:00:00Z", "and the time of the commit, in UTC")
        equal(root.json(*words)["already"], 5, "again adds nothing")
        equal(root.json(*words[:4], "since", *words[5:], "--since", "2026-09-02T12:00:00Z", "--dry-run")["found"], 3, "--since")
        seen = root.json("history", "f/m", "--key", "*latency*")
        equal([e["value"] for e in seen["entries"]], [100, 105, 98, 98, 97], "history begins with what there was")
        outside = root.write("loose.json", {"decode_latency_ms": 97})
        done = root.run("import", "--family", "f", "--measurement", "m", "--git-history", outside)
        check(done.returncode == 2 and "git knows no history of" in done.stderr, done.stderr)


def run_of(date, commit, value, tool="customSmallerIsBetter"):
    return {"commit": {"author": {"email": "somebody@example.org", "name": "Somebody"}, "id": commit, "message": "m",
                       "timestamp": "2021-09-02T19:34:43+08:00", "url": "https://example.org/" + commit},
            "date": date, "tool": tool, "benches": [{"name": "fib 10", "value": value, "unit": "ns/iter", "range": "± 3"}]}


def github_action():
    with Root() as root:
        data = {"lastUpdate": 1630635691372, "repoUrl": "https://example.org",
                "entries": {"C++ Benchmark": [run_of(1630582580526 + i * 86400000, f"{i:040x}", 198 + i) for i in range(5)]}}
        path = root.write("data.js", "window.BENCHMARK_DATA = " + json.dumps(data, indent=2) + ";\n")
        done = root.json("import", "--family", "ci", "--measurement", "cpp", path)
        equal((done["from"], done["recorded"]), ("github-action-benchmark", 5), "each run")
        equal(done["points"][0]["measured_at_utc"], "2021-09-02T11:36:20.526000Z", "its date, to the millisecond")
        equal(done["points"][1]["commit"], f"{1:040x}", "its commit")
        seen = root.json("history", "ci/cpp", "--key", "*fib*")
        equal([e["value"] for e in seen["entries"]], [198, 199, 200, 201, 202], "values in order")
        kept = next((root.path / "experiments").rglob("source-snapshot.json")).read_text()
        check("somebody" not in kept.lower(), "people's names and addresses are not copied")
        data["entries"]["Rust"] = [run_of(1630582580526, "a" * 40, 7)]
        path = root.write("two.json", data)
        done = root.run("import", "--family", "ci", "--measurement", "cpp", path)
        check(done.returncode == 2 and "several suites" in done.stderr and "--suite" in done.stderr, done.stderr)
        done = root.json("import", "--family", "two", path)
        equal(sorted({p["measurement"] for p in done["points"]}), ["C-Benchmark", "Rust"], "each suite is a measurement")
        equal(root.json("import", "--family", "one", "--measurement", "cpp", "--suite", "C++ Benchmark", path)["recorded"], 5, "or one of them")
        lone = root.write("same.js", "window.BENCHMARK_DATA = " + json.dumps({**data, "entries": {"Rust": [{"tool": "cargo"}]}}))
        done = root.run("import", "--family", "ci", "--measurement", "x", lone)
        check(done.returncode == 2 and "has no date" in done.stderr, done.stderr)


def bencher():
    def metric(report, day, value, commit):
        return {"report": report, "iteration": 0, "start_time": f"2024-05-0{day}T10:00:00Z", "end_time": f"2024-05-0{day}T10:01:00Z",
                "version": {"number": day, "hash": commit}, "threshold": None, "boundary": None, "alert": None,
                "metric": {"uuid": "u", "value": value, "lower_value": value - 1, "upper_value": value + 1}}

    def result(benchmark, shift, branch="main"):
        return {"branch": {"name": branch, "slug": branch}, "testbed": {"name": "ci", "slug": "ci"},
                "benchmark": {"name": benchmark, "slug": benchmark}, "measure": {"name": "Latency", "slug": "latency", "units": "ns"},
                "metrics": [metric(f"report-{d}", d, 100.5 * d + shift, f"{d:040x}") for d in (1, 2, 3)]}

    with Root() as root:
        answer = {"project": {"name": "p"}, "start_time": None, "end_time": None, "results": [result("a", 0), result("b", 7)]}
        path = root.write("perf.json", answer)
        done = root.json("import", "--family", "ci", "--measurement", "rust", path)
        equal((done["from"], done["recorded"]), ("bencher", 3), "one entry a report")
        equal(done["points"][0]["commit"], f"{1:040x}", "with its commit")
        seen = root.json("history", "ci/rust", "--key", "b*")
        equal([e["value"] for e in seen["entries"]], [107.5, 208, 308.5], "all benchmarks of a report are one entry")
        answer["results"].append(result("a", 0, branch="dev"))
        done = root.run("import", "--family", "ci", "--measurement", "rust", root.write("branches.json", answer))
        check(done.returncode == 2 and "several branches" in done.stderr, done.stderr)


def many():
    with Root() as root:
        data = {"lastUpdate": 1, "repoUrl": "", "entries": {"s": [run_of(1500000000000 + i * 3600000, f"{i:040x}", 100 + i % 7)
                                                                    for i in range(600)]}}
        path = root.write("data.json", data)
        done = root.json("import", "--family", "f", "--measurement", "m", path)
        equal(done["recorded"], 600, "more than one batch")
        slugs = [p.name for p in (root.path / "experiments/artifacts/perf-baselines/f/m").iterdir() if p.name[0] == "2"]
        equal(len(slugs), 600, "each is there")
        equal(root.run("verify", root.path).returncode, 0, "and verifies")
        equal(root.json("import", "--family", "f", "--measurement", "m", path)["already"], 600, "and none twice")


def signed():
    with Root() as root:
        equal(root.run("keygen", "--out", root.path / "k").returncode, 0, "a key")
        for day in (1, 2):
            root.write(f"a-2026-10-0{day}.json", {"decode_latency_ms": day})
        files = sorted(root.path.glob("a-*.json"))
        equal(root.json("import", "--family", "f", "--measurement", "m", *files, "--sign", root.path / "k.key")["recorded"], 2, "signed ones")
        done = root.run("verify", "f/m", "--line", "--trust", root.path / "k.pub", "--repo-root", root.path)
        equal(done.returncode, 0, "are a chain: " + done.stdout + done.stderr)


recorded_entries()
refusals()
dated_files()
git_history()
github_action()
bencher()
many()
signed()
finish()
