#!/usr/bin/env python3
"""What past releases published stays readable: a registry of each stands in tests/compat/VERSION, with a signed entry, its acceptance and a
signed diff, as that release wrote them. They are never written anew. scripts/tag says when one is to be added."""
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


versions = sorted(path.name for path in HERE.iterdir() if path.is_dir() and path.name[0].isdigit())
check(versions, "there is a past release")
for each in versions:
    readable(each)
finish()
