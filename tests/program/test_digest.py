#!/usr/bin/env python3
"""Digests through the program: made by hand and by record, merged, compared in a capture's place, kept when the capture is gone,
and refused where they are damaged."""
import gzip
import json
import pathlib

import jsonschema

from harness import SOURCE, Root, check, equal, finish, warned
from traces import trace

SCHEMA = json.loads((SOURCE / "schemas" / "plumbline.result.digest.v1.json").read_text())
PRIVATE = "sk-live-4242424242424242424242"


def whole(result):
    """profile-diff.json without what names files and times, and without the typical step operation by operation, which a digest
    does not hold."""
    diff = json.loads((pathlib.Path(result["diff_dir"]) / "profile-diff.json").read_text())
    for key in ("compared_at_utc", "command", "bundle_sha256", "diff_dir", "files", "warnings", "timeline"):
        diff.pop(key, None)
    for side in ("baseline", "candidate"):
        for key in ("path", "label", "sha256", "bytes"):
            diff[side].pop(key, None)
    return diff


def near(a, b, where=""):
    """Equal but for the last bits of standard deviations."""
    if isinstance(a, dict) and isinstance(b, dict):
        equal(sorted(a), sorted(b), f"fields of {where}")
        for key in a:
            near(a[key], b.get(key), f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        equal(len(a), len(b), f"length of {where}")
        for i, (x, y) in enumerate(zip(a, b)):
            near(x, y, f"{where}[{i}]")
    elif "std" in where and isinstance(a, (int, float)):
        check(abs(a - b) <= 1e-9 * abs(a), f"{where}: {a} and {b}")
    else:
        equal(b, a, where)


def digest(root, *arguments):
    result = root.json("digest", *arguments)
    jsonschema.Draft7Validator(SCHEMA).validate(result)
    return result


with Root() as root:
    before = root.write("before.json", trace(1000, seed="before"))
    after = root.write("after.json", trace(1150, seed="after"))

    # By hand: small, the same each time, and written only where it was asked for.
    told = digest(root, before)
    equal((told["path"], told["steps"], told["ranks"]), (None, 11, []), "nothing is written without --out")
    first = digest(root, before, "--out", "before.digest.json.gz")
    again = digest(root, before, "--out", "again.json.gz")
    equal((first["bytes"], first["sha256"]), (told["bytes"], told["sha256"]), "what was said is written")
    equal(first["sha256"], again["sha256"], "equal captures, equal bytes")
    check(first["bytes"] < 4096, f"a small capture has a small digest: {first['bytes']}")
    equal(pathlib.Path(first["path"]).stat().st_size, first["bytes"], "its size")
    text = gzip.decompress(pathlib.Path(first["path"]).read_bytes()).decode()
    equal(json.loads(text)["schema"], "plumbline.profile-digest.v1", "a stranger can read it")
    digest(root, after, "--out", "after.digest.json.gz")
    seen = root.json("inspect", "before.digest.json.gz")
    equal((seen["format"]["name"], seen["shape"]), ("kineto", "profile"), "inspect says what it is a digest of")
    check("digest" in seen["format"]["evidence"][0], "and that it is one")

    # In the place of the captures: the same comparison, on either side.
    captures = root.json("profile-diff", before, after)
    for sides in (("before.digest.json.gz", "after.digest.json.gz"), (before, "after.digest.json.gz"), ("before.digest.json.gz", after)):
        near(whole(captures), whole(root.json("profile-diff", *sides)), "diff")
    names = {f["name"] for f in captures["files"]}
    check({"baseline-digest.json.gz", "candidate-digest.json.gz"} <= names, f"the bundle holds both digests: {names}")
    bundle = pathlib.Path(captures["diff_dir"])
    equal((bundle / "baseline-digest.json.gz").read_bytes(), pathlib.Path(first["path"]).read_bytes(), "the same digest")
    equal(root.json("verify", bundle)["ok"], True, "the bundle verifies")

    # record keeps it, and it stays when the capture goes.
    entry = pathlib.Path(root.record(before, "--snapshot", "reference")["entry_dir"])
    equal((entry / "profile-digest.json.gz").read_bytes(), pathlib.Path(first["path"]).read_bytes(), "the entry holds the digest")
    equal(root.json("verify", entry)["ok"], True, "the entry verifies")
    present = root.diff("f/m", after)
    check("digest_compared" not in warned(present), "while the capture is there it is read")
    kept = before.read_text()
    before.unlink()
    gone = root.diff("f/m", after)
    check("digest_compared" in warned(gone), f"the digest speaks: {warned(gone)}")
    equal((gone["verdict"], gone["baseline_dir"] if "baseline_dir" in gone else None),
          (present["verdict"], present["baseline_dir"] if "baseline_dir" in present else None), "and says the same")
    near(whole(present), whole(gone), "diff without the capture")
    equal(root.json("inspect", entry)["format"]["name"], "kineto", "inspect looks at the digest")
    before.write_text(kept.replace("1000.0", "1000.1", 1))
    done = root.run("diff", "f/m", after)
    check("is not what was recorded" in done.stderr, "a capture that is there has to be the one")
    (entry / "profile-digest.json.gz").write_bytes(b"")
    check("is not what was recorded" in root.run("diff", "f/m", after).stderr, "a digest that was changed is not believed")

    # History has series of captures: the step, the wall, kernels by category.
    for number, step in enumerate((1000, 1003, 999, 1001, 1002, 1300, 1302)):
        root.record(root.write(f"run{number}.json", trace(step, seed=f"run{number}")), measurement="steps")
    history = root.json("history", "f/steps")
    keys = {key["key"]: key for key in history["keys"]}
    check("step_ms" in keys and "kernels.Attention.ms_per_step" in keys, f"series: {sorted(keys)}")
    equal(keys["step_ms"]["entries"], 7, "one value an entry")
    check(abs(keys["step_ms"]["newest"] - 1.302) < 0.02, f"in milliseconds: {keys['step_ms']['newest']}")

with Root() as root:
    # Ranks: whatever way they are put together, and once each.
    for rank in range(4):
        root.write(f"job/rank{rank}.json", trace(1000 + rank, seed=f"rank{rank}"))
        digest(root, root.path / f"job/rank{rank}.json", "--out", f"rank{rank}.json.gz")
    folder = digest(root, "job", "--out", "folder.json.gz")
    equal(folder["ranks"], [0, 1, 2, 3], "a folder of captures")
    files = [root.path / f"rank{rank}.json.gz" for rank in range(4)]
    equal(digest(root, *reversed(files))["sha256"], folder["sha256"], "digests in any order")
    pair = [digest(root, *files[:2], "--out", "low.json.gz")["path"], digest(root, *files[2:], "--out", "high.json.gz")["path"]]
    equal(digest(root, *pair)["sha256"], folder["sha256"], "with any brackets")
    root.write("mixed/rank0.json", (root.path / "job/rank0.json").read_text())
    for rank in (1, 2, 3):
        root.write(f"mixed/rank{rank}.json.gz", files[rank].read_bytes())
    equal(digest(root, "mixed")["sha256"], folder["sha256"], "captures and digests together")
    near(whole(root.json("profile-diff", "job", "mixed"))["candidate"], whole(root.json("profile-diff", "job", "folder.json.gz"))["candidate"], "ranks")
    done = root.run("digest", *files, pair[0])
    equal(done.returncode, 2, "a rank twice")
    check("rank 0 is in two digests: " in done.stderr, done.stderr)
    done = root.run("profile-diff", "folder.json.gz", "folder.json.gz", "--rank", "2")
    check("--rank 2: the digest holds 4 ranks together, and none can be taken out" in done.stderr, done.stderr)

    # Damage is refused with the file.
    bytes_ = files[0].read_bytes()
    for name, damaged in (("cut", bytes_[: len(bytes_) // 2]), ("flipped", bytes_[:200] + bytes([bytes_[200] ^ 4]) + bytes_[201:])):
        path = root.write(f"{name}.json.gz", damaged)
        done = root.run("profile-diff", path, files[1])
        equal(done.returncode, 2, f"{name}: exit status")
        check(name in done.stderr, f"{name}: the file is named: {done.stderr}")

    # What is nobody's business does not pass.
    events = json.loads(trace(1000))
    events["traceEvents"][1]["name"] = f"load --token={PRIVATE}"
    path = root.write("private.json", events)
    digest(root, path, "--out", "private.digest.json.gz")
    check(PRIVATE not in gzip.decompress((root.path / "private.digest.json.gz").read_bytes()).decode(), "no secret in a digest")

finish()
