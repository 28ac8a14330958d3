#!/usr/bin/env python3
"""The sample folder, through the program: real captures and the reference tool's own files. Skipped without it."""
import gzip
import json
import pathlib
import shutil

from harness import SAMPLES, Root, check, codes, equal, finish, need_samples, warned

need_samples("profiles", "reference-tool")

MARKER = "do-not-print-me"
NSYS = SAMPLES / "profiles/nsys"
STATS = SAMPLES / "profiles/nsys-stats-csv"
BEFORE, AFTER = NSYS / "mfu_2gpu_before.sqlite", NSYS / "mfu_2gpu_after.sqlite"


def call(root, *arguments, status=0):
    """The result; on the way: the marker is in neither stream, whatever happened."""
    done = root.run(*arguments, "--json")
    equal(done.returncode, status, f"{arguments[:2]}: {done.stderr}")
    check(MARKER not in done.stdout and MARKER not in done.stderr, f"{arguments[:2]} prints the marker")
    plain = root.run(*arguments) if arguments[0] in ("inspect", "verify") else None
    if plain:
        check(MARKER not in plain.stdout + plain.stderr, f"{arguments[:2]} prints the marker in its table")
    return json.loads(done.stdout) if status == 0 else done.stderr


def document(result, name="profile-diff.json"):
    return json.loads((pathlib.Path(result["diff_dir"]) / name).read_text())


def row(rows, part):
    found = [r for r in rows if part in r["name"]]
    equal(len(found), 1, f"rows with {part}")
    return found[0]


def total(rows, side):
    return sum(r[f"{side}_ns"] for r in rows)


def opposite(forth, back, what):
    """Every delta of the one direction is that of the other, negated."""
    for part in ("kernels", "nccl", "cuda_api", "nvtx", "memory"):
        there = {r["name"]: r for r in back[part]}
        equal(len(forth[part]), len(back[part]), f"{what}: rows of {part}")
        for r in forth[part]:
            twin = there.get(r["name"])
            check(twin is not None, f"{what}: {r['name']} is missing when swapped")
            if twin is not None:
                for field in ("delta_ns", "count_effect_ns", "duration_effect_ns"):
                    equal(twin[field], -r[field], f"{what}: {field} of {r['name']}")
                equal(r["count_effect_ns"] + r["duration_effect_ns"], r["delta_ns"], f"{what}: effects of {r['name']}")


with Root() as root:
    # The pair, as captures.
    result = call(root, "profile-diff", BEFORE, AFTER)
    check(result["verdict"] != "GREEN", "the pair is not GREEN")
    check("unequal_work" in codes(result), f"the pair: {codes(result)}")
    forth = document(result)
    equal((total(forth["kernels"], "baseline"), total(forth["kernels"], "candidate")), (535200650, 488835406), "kernel totals")
    flash = row(forth["kernels"], "flash_fwd_kernel")
    equal((flash["count_effect_ns"], flash["duration_effect_ns"]), (-32069047, 507336), "flash_fwd")
    equal(row(forth["nccl"], "SendRecv")["duration_effect_ns"], 10198554, "SendRecv")
    opposite(forth, document(call(root, "profile-diff", AFTER, BEFORE)), "the pair")
    same = call(root, "profile-diff", BEFORE, BEFORE)
    equal(same["verdict"], "GREEN", "a capture against itself")

    # The same pair as tables.
    folders = {}
    for side in ("before", "after"):
        folders[side] = root.path / side
        folders[side].mkdir()
        shutil.copy(STATS / f"{side}_cuda_gpu_kern_sum.csv", folders[side])
    tables = document(call(root, "profile-diff", folders["before"], folders["after"]))
    equal((total(tables["kernels"], "baseline"), total(tables["kernels"], "candidate")), (535200650, 488835406), "kernel totals by table")
    exact = {r["name"]: (r["delta_ns"], r["count_effect_ns"], r["duration_effect_ns"]) for r in forth["kernels"]}
    equal({r["name"]: (r["delta_ns"], r["count_effect_ns"], r["duration_effect_ns"]) for r in tables["kernels"]}, exact, "tables and captures agree")
    check(tables["verdict"] != "GREEN", "the tables are not GREEN")
    opposite(tables, document(call(root, "profile-diff", folders["after"], folders["before"])), "the tables")

    # Captures as baselines: the entry holds an exact copy, and record says what is in it.
    power = call(root, "record", "--family", "samples", "--measurement", "power", "--source", NSYS / "power_iteration__baseline.sqlite")
    equal((power["shape"], power["rows"] > 0), ("profile", True), "the single capture")
    copy = pathlib.Path(power["entry_dir"]) / "source-snapshot.sqlite"
    check(copy.read_bytes() == (NSYS / "power_iteration__baseline.sqlite").read_bytes(), "the snapshot is the capture")
    entry = call(root, "record", "--family", "samples", "--measurement", "mfu", "--source", BEFORE)
    for done in (power, entry):
        check("environment_in_source" in warned(done), f"record warns of the environment: {warned(done)}")
    refused = call(root, "record", "--family", "samples", "--measurement", "none", "--source", NSYS / "lighttransport_no_kernels.sqlite", status=2)
    check("the capture holds no GPU kernels: a capture bug until proven otherwise" in refused, f"lighttransport: {refused}")
    full = call(root, "diff", entry["entry_dir"], AFTER)
    check("environment_in_source" not in warned(full), "only record copies, only record warns")

    # Without the environment, the same comparison.
    redacted = call(root, "record", "--family", "samples", "--measurement", "mfu", "--source", BEFORE, "--redact")
    check("environment_in_source" not in warned(redacted), "nothing to warn of once redacted")
    snapshot = (pathlib.Path(redacted["entry_dir"]) / "source-snapshot.sqlite").read_bytes()
    check(MARKER.encode() not in snapshot, "the redacted snapshot holds the marker")
    clean = call(root, "diff", redacted["entry_dir"], AFTER)
    equal((clean["verdict"], codes(clean)), (full["verdict"], codes(full)), "the redacted baseline gives the same verdict")
    for part in ("kernels", "nccl", "cuda_api", "nvtx", "memory", "wall", "buckets"):
        equal(document(clean)[part], document(full)[part], f"the redacted baseline: {part}")
    for path in (BEFORE, NSYS / "power_iteration__baseline.sqlite", entry["entry_dir"]):
        call(root, "inspect", path)
    for done in (power, entry, redacted):
        check(call(root, "verify", done["entry_dir"])["ok"], "entries verify")
    call(root, "history", "samples/mfu")
    for report in ("table", "json", "md", "csv", "junit", "github"):
        done = root.run("diff", entry["entry_dir"], AFTER, "--report", report)
        equal(done.returncode, 0, f"--report {report}: {done.stderr}")
        check(MARKER not in done.stdout + done.stderr, f"--report {report} prints the marker")

    # A trace of the real PyTorch carries an environment too; what is recorded without it is the same trace.
    for sample in sorted((SAMPLES / "profiles/tracelens/mi300").glob("*.gz")):
        said = warned(root.record(sample, family="samples", measurement="plain"))
        check("environment_in_source" in said, f"a real trace's environment: {said}")
        check("secret_in_source" not in said, f"no name of a real trace is taken for a secret: {said}")
        clean = pathlib.Path(root.record(sample, "--redact", family="samples", measurement="clean")["entry_dir"])
        old, new = json.loads(gzip.decompress(sample.read_bytes())), json.loads((clean / "source-snapshot.json").read_text())
        check("metadata" not in new and "traceName" not in new, "what nobody reads is not in the copy")
        for before, after in zip(old["traceEvents"], new["traceEvents"], strict=True):
            plain = {key: value for key, value in before.items() if key != "args"}
            equal({key: value for key, value in after.items() if key != "args"}, plain, "events stay")
            kept = {key: before["args"][key] for key in after.get("args", {}) if key not in ("name", "kind")}
            equal({key: after["args"][key] for key in kept}, kept, "arguments that are kept stay")

    # The reference tool's entry is a baseline; its bundle is read as what it is.
    reference = SAMPLES / "reference-tool"
    result = call(root, "diff", reference / "entry", root.write("c.txt", "100\n"))
    equal((result["verdict"], result["family"], result["measurement"], result["direction"]), ("GREEN", "demo", "throughput", "higher-is-better"), "the reference tool's entry")
    equal(warned(result), [], "its digest is real and right")
    equal(call(root, "diff", reference / "entry", root.write("c.txt", "50\n"))["verdict"], "RED", "half the throughput")
    theirs = json.loads((reference / "diff-bundle/diff.json").read_text())
    ours = document(call(root, "diff", reference / "entry", reference / "diff-bundle/current-snapshot.txt", "--policy", "reference",
                         "--tolerance-percent", theirs["tolerance_percent"]), "diff.json")
    for field in ("verdict", "family", "measurement", "direction", "tolerance_percent", "deltas_count", "baseline_source_sha256",
                  "current_source_sha256"):
        equal(ours.get(field), theirs.get(field), f"their bundle and ours: {field}")
    for field in theirs:
        check(field in ours, f"diff.json lacks the reference tool's {field}")

    # The marker is in exact copies of the captures and nowhere else.
    copies = {(pathlib.Path(done["entry_dir"]) / "source-snapshot.sqlite") for done in (power, entry)}
    holding = {path for path in root.path.rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()}
    equal(sorted(map(str, holding - copies)), [], "files with the marker")
finish()
