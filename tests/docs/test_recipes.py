#!/usr/bin/env python3
"""The recipes of docs/tutorials/ci.md as they are written, with the harnesses themselves: its ```sh blocks are run in a small project of
each kind, whose branch does five times the work of its main line. The harness's file must be read as what it is, and the gate must trip.
A harness that is not installed is named, and the script then ends as skipped: that recipe has not passed. (Go, Rust and promtool are
large; scripts/deps test installs the others.)"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

path = pathlib.Path(__file__).resolve().parents[1] / "program"
sys.path.insert(0, str(path))
import harness  # noqa: E402
from harness import PLUMBLINE, SKIPPED, SOURCE, check, equal, finish  # noqa: E402

PAGE = (SOURCE / "docs/tutorials/ci.md").read_text()
COOKBOOK = (SOURCE / "docs/cookbook.md").read_text()
SECONDS = 300
absent = []

CPP = """#include <benchmark/benchmark.h>
static void BM_Sum(benchmark::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < WORK; ++i) benchmark::DoNotOptimize(i);
  }
}
BENCHMARK(BM_Sum)->MinTime(0.02);
BENCHMARK_MAIN();
"""
MAKEFILE = "bench: bench.cpp\n\tg++ -O1 -o bench bench.cpp -lbenchmark -lpthread\n"
PYTHON = """def test_sum(benchmark):
    benchmark.pedantic(lambda: sum(range(WORK)), rounds=30, iterations=5)
"""
GO = """package bench
import "testing"
var sink int
func BenchmarkSum(b *testing.B) {
	for n := 0; n < b.N; n++ {
		for i := 0; i < WORK; i++ { sink += i }
	}
}
"""
RUST = {"Cargo.toml": '[package]\nname = "toy"\nversion = "0.1.0"\nedition = "2021"\n[dev-dependencies]\ncriterion = "0.5"\n[[bench]]\nname = "sum"\nharness = false\n',
        "src/lib.rs": "", "benches/sum.rs": "use criterion::*;\nfn sum(c: &mut Criterion) { c.bench_function(\"sum\", |b| b.iter(|| (0..WORK).map(black_box).sum::<u64>())); }\n"
                                            "criterion_group!(benches, sum);\ncriterion_main!(benches);\n"}


def recipe(heading):
    """the sh block below a heading"""
    section = PAGE[PAGE.index(f"\n{heading}\n"):]
    return re.search(r"^```sh\n(.*?)^```$", section, re.M | re.S)[1]


def environment(folder):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PLUMBLINE", "PYTEST", "GIT_"))}
    named = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "you"), ("EMAIL", "you@example.org"))}
    # Debian's python, which has Debian's pytest.
    path = f"{pathlib.Path(PLUMBLINE).resolve().parent}:/usr/bin:/bin:{os.environ['PATH']}"
    return {**kept, **named, "PATH": path, "HOME": str(folder), "PLUMBLINE_ROOT": str(folder)}


def typed(command, cwd, folder):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=cwd, env=environment(folder), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=SECONDS, check=False)
    return done.returncode, done.stdout + done.stderr


def write(folder, files, work):
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.replace("WORK", str(work)))


def both_sides(kind, heading, files, build, work, format_name):
    """The recipe for the branch, the same for the main line, and the comparison of both files."""
    command = recipe(heading)
    made, = set(re.findall(r"[a-z]+-branch\.\w+", command))
    with tempfile.TemporaryDirectory(prefix="plumbline-recipe-") as folder:
        folder = pathlib.Path(folder)
        for side, much in (("main", work), ("branch", 5 * work)):
            write(folder / side, files, much)
            status, output = typed(f"{build}\n{command.replace('-branch.', f'-{side}.')}", folder / side, folder)
            equal(status, 0, f"{kind}, {side}: {command}{output[-2000:]}")
        main, branch = folder / "main" / made.replace("-branch", "-main"), folder / "branch" / made
        status, output = typed(f"plumbline inspect {branch} --json", folder, folder)
        check(f'"name": "{format_name}"' in output, f"{kind}: the file is read as {format_name}: {output[:500]}")
        status, output = typed(f"plumbline diff {main} {branch} --fail-on red --no-bundle", folder, folder)
        check(status == 1 and output.startswith("RED"), f"{kind}: the gate trips: {status} {output[:1500]}")
        status, output = typed(f"plumbline diff {branch} {main} --fail-on red --no-bundle", folder, folder)
        equal(status, 0, f"{kind}: what became faster passes: {output[:1500]}")


def there(tool, test):
    if subprocess.run(["bash", "-c", test], env=environment("/tmp"), capture_output=True, check=False).returncode == 0:
        return True
    absent.append(tool)
    return False


def two_commits():
    """The first recipe: both commits built and run in turn, against a remote's main line."""
    command = recipe("## 1. Measure both sides on one machine")
    with tempfile.TemporaryDirectory(prefix="plumbline-recipe-") as folder:
        folder = pathlib.Path(folder)
        (folder / "code").mkdir()
        status, output = typed("git init -q --bare origin.git && git init -q code && cd code && git checkout -q -b main && git remote add origin ../origin.git", folder, folder)
        equal(status, 0, output)
        write(folder / "code", {"bench.cpp": CPP, "Makefile": MAKEFILE, ".gitignore": "bench\n"}, 20000)
        status, output = typed("git add . && git commit -qm main && git push -q origin main && git checkout -q -b branch", folder / "code", folder)
        equal(status, 0, output)
        write(folder / "code", {"bench.cpp": CPP}, 100000)
        equal(typed("git commit -qam slower", folder / "code", folder)[0], 0, "the branch")
        status, output = typed(command, folder / "code", folder)
        check(status == 1 and "\nRED (" in output and "plumbline: gate: verdict RED" in output, f"{command}{status} {output[-2000:]}")


def prometheus():
    with tempfile.TemporaryDirectory(prefix="plumbline-recipe-") as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(SOURCE / "examples", folder / "examples")
        command = re.search(r"`(promtool tsdb create-blocks-from openmetrics \S+) DATA_FOLDER`", COOKBOOK)[1]
        status, output = typed("for night in 1 2 3; do plumbline record --family training --measurement nightly --source examples/training/night-$night.log; done; "
                               f"plumbline export training/nightly --as openmetrics --out nightly.openmetrics.txt; {command} data", folder, folder)
        equal(status, 0, output)
        check(any((folder / "data").iterdir()), "promtool made blocks of it")


if there("Google Benchmark", "test -e /usr/include/benchmark/benchmark.h && command -v make g++"):
    two_commits()
    both_sides("Google Benchmark", "### Google Benchmark", {"bench.cpp": CPP, "Makefile": MAKEFILE}, "make bench", 20000, "google-benchmark")
if there("pytest-benchmark", "pytest --help | grep -q -- --benchmark-json"):
    both_sides("pytest-benchmark", "### pytest-benchmark", {"bench/test_store.py": PYTHON}, "true", 20000, "pytest-benchmark")
if there("go", "command -v go"):
    both_sides("go", "### Go", {"go.mod": "module example.org/bench\n\ngo 1.19\n", "bench_test.go": GO}, "true", 20000, "go-bench")
if there("Criterion", "test -n \"${PLUMBLINE_RECIPE_CRITERION:-}\" && command -v cargo"):
    both_sides("Criterion", "### Criterion", RUST, "true", 20000, "rust-bench")
if there("promtool", "command -v promtool"):
    prometheus()
if absent and not harness.failures:
    print(f"skipped: no {', '.join(absent)} here; {harness.checks} checks of the other recipes passed")
    sys.exit(SKIPPED)
finish()
