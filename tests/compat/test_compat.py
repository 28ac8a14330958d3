#!/usr/bin/env python3
"""What past releases published stays readable: a registry of each stands in tests/compat/VERSION, with a signed entry, its acceptance and a
signed diff, as that release wrote them, and since 0.2.0-20261124 more kinds of publications. README.md here says which program wrote which.
They are never written anew. scripts/tag says when one is to be added."""
import json
import pathlib
import shutil

from sys import path

path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from harness import SOURCE, Root, check, equal, finish  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(SOURCE) / "scripts/demo-data"


def readable(version):
    with Root() as root:
        shutil.copytree(HERE / version / "experiments", root.path / "experiments")
        key = HERE / version / "release.pub"
        verified = root.json("verify", "--trust", key, "--repo-root", root.path)
        equal((verified["ok"], verified["counts"]["trusted"]), (True, 2), f"{version}: the registry holds together: {verified['problems']}")
        entry = next((root.path / "experiments/artifacts/perf-baselines/nccl/all_reduce").glob("2*"))
        bundle = next((root.path / "experiments/artifacts/perf-baseline-diffs/nccl/all_reduce").glob("2*"))
        before = json.loads((bundle / "diff.json").read_text())

        history = root.json("history", "nccl/all_reduce")
        equal([one["slug"] for one in history["entries"]], [entry.name], f"{version}: history lists the entry")
        inspected = root.json("inspect", "nccl/all_reduce", "--repo-root", root.path)
        equal(inspected["row_count"], 17, f"{version}: its rows")
        again = root.json("diff", "nccl/all_reduce@accepted", DATA / "all_reduce-regressed.json", "--no-bundle")
        equal(again["verdict"], before["verdict"], f"{version}: the verdict of then")
        equal((again["counts"]["compared"], again["counts"]["regressed"]), (14, 8), f"{version}: on as many rows")
        for reference in (entry, "nccl/all_reduce@newest", "nccl/all_reduce@" + entry.name):
            equal(root.json("diff", reference, DATA / "all_reduce-unchanged.json", "--no-bundle")["verdict"], "GREEN", f"{version}: {reference}")
        recomputed = root.run("verify", bundle, "--recompute", "--trust", key, "--repo-root", root.path)
        equal(recomputed.returncode, 0, f"{version}: the bundle's verdict is made again: {recomputed.stdout}{recomputed.stderr}")
        found = root.json("search", "all_reduce")
        check(json.dumps(found).count(bundle.name) > 0, f"{version}: search finds the diff")

        # A file that changed since then is noticed.
        snapshot = entry / "source-snapshot.json"
        snapshot.chmod(0o644)
        snapshot.write_bytes(snapshot.read_bytes().replace(b"356.83", b"356.84"))
        equal(root.run("verify", entry, "--repo-root", root.path).returncode, 1, f"{version}: a changed byte is a mismatch")


def other_kinds(version):
    """Entries of a suite and of a capture, the diff of a suite, of two captures and of siblings, and a digest."""
    with Root() as root:
        shutil.copytree(HERE / version / "experiments", root.path / "experiments")
        digest = HERE / version / "before.digest.json.gz"
        verified = root.json("verify", "--repo-root", root.path)
        equal((verified["ok"], verified["problems"]), (True, []), f"{version}: the registry holds together")
        diffs = root.path / "experiments/artifacts/perf-baseline-diffs"
        for kind, document in (("nightly/suite", "diff.json"), ("adhoc/profile", "profile-diff.json"), ("adhoc/outliers", "outliers.json")):
            bundle, = (diffs / kind).glob("2*")
            told = json.loads((bundle / document).read_text())
            equal(told["verdict"], "RED", f"{version}: {kind} says what it said")
            check(json.dumps(root.json("search", kind.split("/")[0])).count(bundle.name) > 0, f"{version}: search finds {kind}")
            if (bundle / "request.json").exists():
                done = root.run("verify", bundle, "--recompute", "--repo-root", root.path)
                equal(done.returncode, 0, f"{version}: the verdict of {kind} is made again: {done.stdout}{done.stderr}")

        for case, rows in (("all_reduce", 17), ("serving", 9)):
            equal(root.json("inspect", f"nightly/{case}", "--repo-root", root.path)["row_count"], rows, f"{version}: rows of the suite's {case}")
        day = root.path / "day"
        day.mkdir()
        shutil.copy(DATA / "all_reduce-regressed.json", day / "all_reduce.json")
        shutil.copy(DATA / "serving-current.json", day / "serving.json")
        again = root.json("diff", "nightly", day, "--no-bundle")
        equal((again["verdict"], sorted(case["verdict"] for case in again["suite"]["cases"])), ("RED", ["GREEN", "RED"]), f"{version}: a suite is compared with its entries")

        equal(root.json("diff", "step/capture", DATA / "profile-before", "--no-bundle")["verdict"], "GREEN", f"{version}: a capture with its entry")
        equal(root.json("profile-diff", digest, DATA / "profile-after")["verdict"], "RED", f"{version}: a digest with a capture")


versions = sorted(path.name for path in HERE.iterdir() if path.is_dir() and path.name[0].isdigit())
check(versions, "there is a past release")
for each in versions:
    whole = (HERE / each / "experiments/artifacts/perf-baselines/nccl").is_dir()
    more = (HERE / each / "before.digest.json.gz").is_file()
    check(whole or more, f"{each} holds something that is looked at")
    if whole:
        readable(each)
    if more:
        other_kinds(each)
finish()
