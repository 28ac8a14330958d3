#!/usr/bin/env python3
"""`plumbline run --confirm` with harnesses themselves. The first look is made of what the harness wrote: one case is made a fifth slower
in its file, and all are quiet, whatever this machine does meanwhile. Then that case alone is run again, by a command in which it does
ten times the work, and by one in which nothing changed. A harness that is not installed is named, and the script then ends as skipped
(scripts/deps test installs both)."""
import json
import os
import subprocess
import sys

import harness
from harness import PLUMBLINE, SKIPPED, Root, check, equal, finish

CPP = """#include <benchmark/benchmark.h>
#include <cstdlib>
static void work(benchmark::State& state, long factor) {
  const long much = 2000 * factor;
  for (auto _ : state) {
    for (long i = 0; i < much; ++i) benchmark::DoNotOptimize(i);
  }
}
static long slow() { return std::getenv("SLOW") != nullptr ? 100 : 10; }
static void BM_Encode(benchmark::State& state) { work(state, 10); }
static void BM_Decode(benchmark::State& state) { work(state, slow()); }
static void BM_Copy(benchmark::State& state) { work(state, 10); }
static void BM_Sort(benchmark::State& state) { work(state, 10 * state.range(0)); }
BENCHMARK(BM_Encode)->MinTime(0.01);
BENCHMARK(BM_Decode)->MinTime(0.01);
BENCHMARK(BM_Copy)->MinTime(0.01);
BENCHMARK(BM_Sort)->Arg(1)->Arg(2)->MinTime(0.01);
BENCHMARK_MAIN();
"""
PYTHON = """import os
import pytest
def work(factor):
    return sum(range(3000 * factor))
@pytest.mark.parametrize("size", range(1, 12))
def test_sort(benchmark, size):
    benchmark.pedantic(work, args=(10 + size,), rounds=20, iterations=3)
def test_encode(benchmark):
    benchmark.pedantic(work, args=(10,), rounds=20, iterations=3)
def test_decode(benchmark):
    benchmark.pedantic(work, args=(100 if "SLOW" in os.environ else 10,), rounds=20, iterations=3)
def test_copy(benchmark):
    benchmark.pedantic(work, args=(10,), rounds=20, iterations=3)
"""
# Debian's python, which has Debian's pytest.
ENVIRONMENT = {**{key: value for key, value in os.environ.items() if not key.startswith(("PLUMBLINE", "PYTEST"))}, "PATH": f"/usr/bin:/bin:{os.environ['PATH']}"}
absent = []


def there(tool, test):
    if subprocess.run(["bash", "-c", test], env=ENVIRONMENT, capture_output=True, check=False).returncode == 0:
        return True
    absent.append(tool)
    return False


def ended(root, *words):
    done = subprocess.run([str(word) for word in words], cwd=root.path, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    check(done.returncode == 0, f"{' '.join(map(str, words))[:200]}: exit {done.returncode}: {done.stderr[-1000:]}{done.stdout[-1000:]}")
    return done.stdout


TIMES = ("real_time", "cpu_time", "min", "max", "mean", "median", "q1", "q3", "ld15iqr", "hd15iqr")


def quiet(document, slow, factor):
    """The same file as a quiet machine would have written it: one time for each case, and `factor` times that for one of them."""
    for one in document["benchmarks"]:
        stats = one.get("stats", one)
        time = stats.get("mean", stats.get("real_time")) * (factor if slow in one["name"] else 1)
        for key in TIMES:
            if key in stats:
                stats[key] = time
        if "data" in stats:
            stats["data"] = [time * (1 + 1e-4 * (i % 3)) for i in range(len(stats["data"]))]
    return document


def confirmed(root, name, command, slow, news, result=None):
    """`news`: the commands of the new side, and whether they are slower. `result`: the file that the harness writes instead of its output."""
    out = ended(root, "sh", "-c", command)
    written = (root.path / result).read_text() if result else out
    root.write("old.json", quiet(json.loads(written), slow, 1))
    root.write("new.json", quiet(json.loads(written), slow, 1.5))
    ended(root, PLUMBLINE, "diff", "old.json", "new.json", "--out", "first")
    before = json.loads((root.path / "first" / "diff.json").read_text())
    check(before["verdict"] != "GREEN", f"{name}: the first look doubts what is slower: {before['verdict']}")
    for new, slower in news:
        kept = "slower" if slower else "equal"
        more = ["--result", result] if result else []
        told = json.loads(ended(root, PLUMBLINE, "run", "--ab", command, new, "--confirm", "first", "--keep", kept, "--no-bundle", "--json", "--max-runs", "9", *more))
        confirm, compared = told["confirm"], told["comparisons"][0]["result"]
        equal((confirm["harness"], len(confirm["cases"])), (name, 1), f"{name}: one case is in doubt: {confirm}")
        answers = {row["key"]: row["now"] for row in compared["second_look"]["rows"]}
        check(answers and all(slow in key for key in answers) and "gone" not in answers.values(), f"{name}: the rows of that case, all measured again: {answers}")
        if slower:
            check("confirmed" in answers.values() and compared["verdict"] == "RED", f"{name}: ten times the work is confirmed: {answers}")
        else:
            # On a busy machine an equal pair may stay undecided, but it is not confirmed.
            check("confirmed" not in answers.values() and compared["verdict"] != "RED", f"{name}: an equal case is not confirmed: {answers}")
        seen = {one["name"] for trial in (root.path / kept).glob("side-*/0*") for one in json.loads(trial.read_text())["benchmarks"]}
        check(len(seen) == 1 and slow in min(seen), f"{name}: only what is in doubt ran again: {seen}")


if there("Google Benchmark", "test -e /usr/include/benchmark/benchmark.h && command -v g++"):
    with Root() as directory:
        directory.write("bench.cpp", CPP)
        ended(directory, "g++", "-O1", "-o", "bench", "bench.cpp", "-lbenchmark", "-lpthread")
        bench = f"{directory.path}/bench --benchmark_format=json"
        confirmed(directory, "Google Benchmark", bench, "Decode", [(f"env SLOW=1 {bench}", True), (bench, False)])
if there("pytest-benchmark", "pytest --help | grep -q -- --benchmark-json"):
    with Root() as directory:
        directory.write("bench/test_store.py", PYTHON)
        bench = "pytest -q -p no:cacheprovider bench --benchmark-only --benchmark-json=out.json"
        confirmed(directory, "pytest-benchmark", bench, "decode", [(f"env SLOW=1 {bench}", True)], "out.json")
if absent and not harness.failures:
    print(f"skipped: no {', '.join(absent)} here; {harness.checks} checks of the other harnesses passed")
    sys.exit(SKIPPED)
finish()
