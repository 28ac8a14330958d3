#!/usr/bin/env python3
"""profile-diff of real captures through the program: what each pair must show, and what must hold of every pair. The figures
were computed from the same files by other means (SQL, the Python scripts beside tests/profiles). Skipped without the
sample folder."""
import json
import pathlib

from harness import SAMPLES, Root, check, equal, finish, need_samples

need_samples("profiles")

CAPTURES = SAMPLES / "profiles"
MARKER = "do-not-print-me"
ROWS = ("kernels", "nvtx", "cuda_api", "nccl", "memory")
PARTS = ("compute_ns", "exposed_comm_ns", "exposed_copy_ns", "idle_ns")


def the(pattern):
    found = sorted(CAPTURES.glob(pattern))
    equal(len(found), 1, f"captures called {pattern}")
    return found[0]


PAIRS = {
    "mfu": (the("nsys/mfu_2gpu_before.sqlite"), the("nsys/mfu_2gpu_after.sqlite")),
    "kernel sums": (the("nsys-stats-csv/before_cuda_gpu_kern_sum.csv"), the("nsys-stats-csv/after_cuda_gpu_kern_sum.csv")),
    "a100 v100": (the("kineto/control.json.gz"), the("kineto/test.json.gz")),
    "h100 mi300": (the("tracelens/h100/*.gz"), the("tracelens/mi300/*.gz")),
    "summaries": (the("tracelens/compare_test/256thread*"), the("tracelens/compare_test/512thread*")),
}
ALONE = {"ncu": the("ncu/copy_blocked.ncu.csv"), "pprof": the("pprof/large.cpu"), "t4": the("nsys/power_iteration__baseline.sqlite")}


def compare(root, baseline, candidate):
    done = root.run("profile-diff", str(baseline), str(candidate), "--json")
    equal(done.returncode, 0, f"{baseline.name} {candidate.name}: {done.stderr}")
    result = json.loads(done.stdout)
    folder = pathlib.Path(result["diff_dir"])
    for file in folder.iterdir():
        check(MARKER not in file.read_text(errors="replace"), f"{file.name} of {baseline.name} holds the marker")
    check(MARKER not in done.stdout + done.stderr, f"{baseline.name}: the marker is printed")
    return json.loads((folder / "profile-diff.json").read_text())


def sums(diff, what):
    """Whatever the capture: rows add up to totals, buckets to spans, idle parts to idle, contributors to the wall's change."""
    for side in ("baseline", "candidate"):
        equal(sum(r[f"{side}_ns"] for r in diff["kernels"]), diff[side]["kernel_ns"], f"{what}: kernels of the {side}")
        equal(sum(c[f"{side}_ns"] for c in diff["categories"] if not c["name"].startswith("Mem")), diff[side]["kernel_ns"],
              f"{what}: categories of the {side}")
        for device in diff["buckets"]:
            if device[side] is None:
                continue
            equal(sum(device[side][part] for part in PARTS), device[side]["span_ns"], f"{what}: buckets of the {side}")
            split = device["idle_split"][side]
            if split is not None:
                equal(sum(split.values()), device[side]["idle_ns"], f"{what}: idle parts of the {side}")
    for table in ROWS:
        for r in diff[table]:
            equal(r["count_effect_ns"] + r["duration_effect_ns"], r["delta_ns"], f"{what}: effects of {r['name']}")
            if "same_shape_effect_ns" in r:
                equal(r["same_shape_effect_ns"] + r["shape_mix_effect_ns"], r["duration_effect_ns"], f"{what}: shapes of {r['name']}")
    wall = diff["wall"]
    if wall["delta_ns"] is not None:
        explained = sum(c["delta_ns"] for c in diff["contributors"])
        equal(explained + wall["residual_ns"], wall["delta_ns"], f"{what}: contributors and the rest")


def swapped(forth, back, what):
    """The other way round every difference is the same with the other sign."""
    for table in ROWS:
        key = lambda r, a, b: (r["match"][a], r["match"][b])
        there = {key(r, "candidate_name", "baseline_name"): r for r in back[table]}
        equal(len(back[table]), len(forth[table]), f"{what}: rows of {table}")
        for r in forth[table]:
            twin = there.get(key(r, "baseline_name", "candidate_name"))
            check(twin is not None, f"{what}: {r['name']} is missing when swapped")
            for field in ("delta_ns", "count_effect_ns", "duration_effect_ns", "same_shape_effect_ns", "shape_mix_effect_ns"):
                if twin is not None and field in r:
                    equal(twin.get(field), -r[field], f"{what}: {field} of {r['name']}")
    for one, other in zip(forth["buckets"], back["buckets"]):
        equal((one["baseline"], one["candidate"]), (other["candidate"], other["baseline"]), f"{what}: buckets")
    moved = {r["path"]: r["delta_gpu_ns"] for r in forth["ranges"]}
    equal({r["path"]: -r["delta_gpu_ns"] for r in back["ranges"]}, moved, f"{what}: ranges")
    equal(sorted(-c["delta_ns"] for c in back["collectives"]), sorted(c["delta_ns"] for c in forth["collectives"]), f"{what}: collectives")
    equal(sorted(-c["delta_ns"] for c in back["categories"]), sorted(c["delta_ns"] for c in forth["categories"]), f"{what}: categories")
    if forth["wall"]["work_ratio"] is not None:
        check(abs(forth["wall"]["work_ratio"] * back["wall"]["work_ratio"] - 1) < 1e-9, f"{what}: work ratio")


def itself(diff, what):
    equal(diff["verdict"], "GREEN", f"{what} against itself")
    check("identical_captures" in [w["code"] for w in diff["warnings"]], f"{what} against itself is not warned of")
    for table in ROWS:
        check(all(r["delta_ns"] == 0 and r["state"] == "matched" for r in diff[table]), f"{what} against itself: {table}")
    check(all(f["delta_self"] == 0 and f["delta_total"] == 0 for f in diff["frames"]), f"{what} against itself: frames")
    check(all(m["delta"] in (0, None) for m in diff["metrics"]), f"{what} against itself: metrics")
    equal(diff["contributors"], [], f"{what} against itself: contributors")


with Root() as root:
    made = {}
    for name, (before, after) in PAIRS.items():
        made[name] = compare(root, before, after)
        sums(made[name], name)
        swapped(made[name], compare(root, after, before), name)
        itself(compare(root, before, before), name)
    for name, path in ALONE.items():
        diff = compare(root, path, path)
        sums(diff, name)
        itself(diff, name)

    # The pair whose sums fell while every step got slower.
    mfu = made["mfu"]
    equal((mfu["baseline"]["kernel_ns"], mfu["candidate"]["kernel_ns"]), (535200650, 488835406), "mfu: kernel time")
    check("unequal_work" in [r["code"] for r in mfu["reasons"]], "mfu: unequal work is not a reason")
    work = next(r["message"] for r in mfu["reasons"] if r["code"] == "unequal_work")
    check("11.6 % less work" in work, f"mfu: {work}")
    equal(mfu["verdict"], "RED", "mfu: the verdict")
    check(mfu["wall"]["delta_pct"] > 5, "mfu: the wall for the same work")
    idle = [(round(d["baseline"]["idle_ns"] / 1e6, 3), round(d["candidate"]["idle_ns"] / 1e6, 3)) for d in mfu["buckets"]]
    equal(idle, [(26.031, 59.142), (31.386, 45.269)], "mfu: idle per device")

    # Another vendor's kernels are found by what they do.
    cross = made["h100 mi300"]
    print(f"H100 and MI300: {cross['matched_pct']:.1f} % of the kernel time is in kernels found on both")
    check(cross["matched_pct"] > 90, "H100 and MI300: share of kernel time matched")
    check(any(r["state"] == "switched" for r in cross["kernels"]), "H100 and MI300: switched kernels")
    check("gpu_differs" in [r["code"] for r in cross["reasons"]], "H100 and MI300: different GPUs are a reason")
    equal((cross["baseline"]["kernels"], cross["candidate"]["kernels"]), (1465, 1516), "H100 and MI300: kernels")

    generations = made["a100 v100"]
    print(f"A100 and V100: {generations['matched_pct']:.1f} % of the kernel time is in kernels found on both")
    equal(generations["steps"]["baseline"]["basis"], "marker", "A100 and V100: steps")
    equal(made["summaries"]["wall"]["basis"], "work_normalised_kernel_time", "summaries: basis")

    # A capture that saw no kernel is refused, and creates nothing.
    none = root.run("profile-diff", str(the("nsys/lighttransport_no_kernels.sqlite")), str(PAIRS["mfu"][0]), "--json")
    equal(none.returncode, 2, "no kernels: status")
    check("holds no GPU kernels: a capture bug until proven otherwise" in none.stderr, f"no kernels: {none.stderr}")

finish()
