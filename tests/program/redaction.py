"""What the tests of `record --redact` share: what is planted, what must not come out again, and that a copy is read as its
original is."""
import json
import pathlib
import tempfile

from harness import check, equal

# Every entry is flushed to its disk, thousands of times: memory is a disk that flushes at once.
if pathlib.Path("/dev/shm").is_dir():
    tempfile.tempdir = "/dev/shm"

WORD = "plumb-marker-7391"
TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4"
PLANT = f"{WORD} {TOKEN}"
FORMS = [form.encode(code) for form in (WORD, TOKEN) for code in ("utf-8", "utf-16-le", "utf-16-be")]
ROWS = ("kernels", "nvtx", "cuda_api", "nccl", "memory", "frames", "steps", "ranges", "collectives", "buckets")


def holds(data, forms=None):
    return [form for form in (forms or FORMS) if form in data]


def record(root, source, measurement, what, word_may_stay):
    """Records with --redact; None when it was refused, with nothing written."""
    before = {one for one in root.path.rglob("*")}
    done = root.run("record", "--family", "redacted", "--measurement", measurement, "--source", source, "--redact", "--json")
    forms = [TOKEN.encode()] if word_may_stay else FORMS
    said = (done.stdout + done.stderr).replace(str(source), "")
    check(not holds(said.encode(), forms), f"{what}: printed by record: {said[:300]}")
    if done.returncode != 0:
        equal(done.returncode, 2, f"{what}: refused: {done.stderr[-300:]}")
        new = {one for one in root.path.rglob("*")} - before
        check(not [one for one in new if one.is_file()], f"{what}: refused, and wrote {new}")
        return None
    result = json.loads(done.stdout)
    check("redacted_copy" in {one["code"] for one in result["warnings"]}, f"{what}: says what was left out")
    entry = pathlib.Path(result["entry_dir"])
    for one in entry.rglob("*"):
        data = one.read_bytes() if one.is_file() else b""
        found = holds(data, forms)
        at = data.find(found[0]) if found else 0
        check(not found, f"{what}: {one.name} holds {found}: {data[max(0, at - 120):at + 60]!r}")
    return entry


def document(root, a, b):
    result = root.json("profile-diff", a, b)
    return json.loads((pathlib.Path(result["diff_dir"]) / "profile-diff.json").read_text())


def numbers(value):
    """Every difference of a comparison: whatever is called delta."""
    if isinstance(value, dict):
        for key, inside in value.items():
            if key.startswith("delta") and isinstance(inside, (int, float)):
                yield key, inside
            else:
                yield from numbers(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from numbers(inside)


def same_profile(root, source, measurement, what):
    entry = record(root, source, measurement, what, True)
    check(entry is not None, f"{what}: can be redacted")
    if entry is None:
        return
    snapshot = next(entry.glob("source-snapshot*"))
    for a, b in ((source, snapshot), (snapshot, source)):
        compared = document(root, a, b)
        compared.pop("rooflines", None)  # types and values of arguments are left out, so a copy has none
        moved = [pair for pair in numbers(compared) if pair[1] != 0]
        check(not moved, f"{what}: differs from its copy: {moved[:5]}")
        for table in ROWS:
            for row in compared.get(table) or []:
                match = row.get("match") if isinstance(row, dict) else None
                if match:
                    equal(match["baseline_name"], match["candidate_name"], f"{what}: a name in {table}")
        context = (compared["baseline"]["context"], compared["candidate"]["context"]) if "context" in compared["baseline"] else ({}, {})
        equal(context[0], context[1], f"{what}: context")
    return snapshot
