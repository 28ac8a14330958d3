#!/usr/bin/env python3
"""Of large files the bundle of a diff is begun before its rows are judged: whole when the diff is, gone without a trace when the
diff fails. And the baseline is opened, and parsed where it is a flat object, while the current side is read: what it is, or what is
wrong with it, is told as if it were not."""
import hashlib
import json
import random

from harness import Root, check, equal, finish

KEYS = 450_000  # more than 16 MiB, where a bundle is begun early
CHANCE = random.Random(7)
LEVELS = [CHANCE.gauss(100, 1) for _ in range(KEYS)]


def text(worse=1.0, prefix="node"):
    return "{" + ", ".join(f'"{prefix}{i // 1000:04d}.pair{i % 1000:03d}.busbw": {level * worse * CHANCE.gauss(1, 0.001):.6f}'
                           for i, level in enumerate(LEVELS)) + "}"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def bundles(root):
    """Everything below the diffs' folder but the folders of families: bundles, and what a failed one would leave."""
    return sorted(str(p.relative_to(root.path)) for p in root.path.glob("experiments/artifacts/perf-baseline-diffs/*/*/*"))


with Root() as root:
    before, after = root.write("before.json", text()), root.write("after.json", text(0.9))
    other = root.write("other.json", text(prefix="rank"))
    check(before.stat().st_size > 16 << 20, "the files are large enough")

    result = root.json("diff", before, after)
    equal(result["verdict"], "RED", "large files are judged as any")
    bundle = root.path / result["diff_dir"]
    names = {p.name for p in bundle.iterdir()}
    check({"baseline-snapshot.json", "current-snapshot.json", "request.json", "diff.json", "diff.html", "deltas.jsonl"} <= names,
          f"the bundle is whole: {sorted(names)}")
    for name, source in (("baseline-snapshot.json", before), ("current-snapshot.json", after)):
        equal(digest(bundle / name), digest(source), f"{name} is what was compared")
    equal(root.run("verify", bundle).returncode, 0, "it verifies")
    equal(root.run("verify", bundle, "--recompute").returncode, 0, "its verdict can be made again")

    was = bundles(root)
    equal(root.run("diff", before, other).returncode, 2, "two files without a number in common cannot be judged")
    equal(bundles(root), was, "what was begun for them is gone")
    done = root.run("diff", before, after, "--fail-on", "nonsense")
    equal((done.returncode, bundles(root)), (2, was), "a call that is wrong writes nothing")
    root.run("diff", before, after, "--no-bundle")
    equal(bundles(root), was, "--no-bundle writes none")

    # Whatever the baseline turns out to be.
    flat = text()
    rows = root.json("diff", before, before, "--no-bundle")["counts"]
    for name, changed in (("nested", flat[:-1] + ', "more": {"seconds": 3, "list": [1, 2]}}'),
                          ("escaped", flat[:-1] + ', "caf\\u00e9_seconds": 3}')):
        side = root.write(f"{name}.json", changed)
        counts = root.json("diff", side, before, "--no-bundle")["counts"]
        check(counts["compared"] == rows["compared"] and counts["missing"] > 0, f"{name}: {counts}")
    cut = root.write("cut.json", flat[:-3])
    done = root.run("diff", cut, before)
    check(done.returncode == 2 and "cut.json:1:" in done.stderr, f"a baseline that is cut: {done.stderr}")
    gone = root.path / "gone.json"
    gone.symlink_to(root.path / "nowhere.json")
    done = root.run("diff", gone, before)
    check(done.returncode == 2 and "gone.json" in done.stderr, f"a baseline that is not there: {done.stderr}")
    secret = "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"
    done = root.run("diff", root.write("secret.json", flat[:-1] + f', "note.{secret}.seconds": 3}}'), before, "--no-bundle", "--json")
    check(secret not in done.stdout + done.stderr and "secret_in_source" in done.stdout, "a secret in the baseline alone")

    # An entry as the baseline: its folder is copied early as well.
    root.record(before, family="pairs", measurement="busbw")
    result = root.json("diff", "pairs/busbw", after)
    bundle = root.path / result["diff_dir"]
    kept = list(bundle.glob("baseline-snapshot/pairs/busbw/*/source-snapshot.json"))
    equal([digest(path) for path in kept], [digest(before)], "the entry's copy is in the bundle")
    listed = json.loads((bundle / "request.json").read_text())
    equal([entry["family"] for entry in listed["entries"]], ["pairs"], "and request.json says where")
    equal(root.run("verify", bundle, "--recompute").returncode, 0, "which can be made again, too")

    # By reference nothing is copied, early or late.
    result = root.json("diff", before, after, "--snapshot", "reference")
    names = {p.name for p in (root.path / result["diff_dir"]).iterdir()}
    check(not any(name.startswith(("baseline-snapshot", "current-snapshot")) for name in names), f"no copies by reference: {sorted(names)}")

finish()
