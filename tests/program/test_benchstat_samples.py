#!/usr/bin/env python3
"""Real files whose answer is known: what benchstat prints of its own test data, where its arithmetic is right, and sibling nodes
that agree. Skipped without the sample folder; test_operating_points.py draws its own numbers."""
import json
import pathlib
import re

from harness import SAMPLES, Root, check, equal, finish, need_samples

need_samples("formats/nccl-tests", "formats/go-bench")

# Sibling nodes: all-reduce and its kin on five nodes agree within 1 % from 2 GiB on.
logs = sorted((SAMPLES / "formats" / "nccl-tests").glob("xxrjun_*.log"))
equal(len(logs), 5, "logs of nodes")
with Root() as root:
    large = []
    for log in logs:
        keep = [line for line in log.read_text().splitlines()
                if not re.match(r"\s+\d+\s+\d+\s+\w+\s", line) or int(line.split()[0]) >= 2**31]
        large.append(root.write(log.name, "\n".join(keep) + "\n"))
    for a in large:
        for b in large:
            if a == b:
                continue
            result = root.diff(a, b, "--tolerance-percent", "1", "--no-bundle")
            equal(result["verdict"], "GREEN", f"{a.name} against {b.name}: {result['reasons'][:2]}")
            check(result["counts"]["compared"] >= 16, f"{a.name}: {result['counts']}")

# benchstat's printed medians, intervals, deltas and p, where its own are right.
go = SAMPLES / "formats" / "go-bench"
with Root() as root:
    def all_rows(a, b):
        result = root.diff(go / f"golangperf_cmd_benchstat_testdata_{a}.txt", go / f"golangperf_cmd_benchstat_testdata_{b}.txt",
                           "--all-rows", "--tolerance-percent", "0", "--direction", "two-sided")
        lines = (pathlib.Path(result["diff_dir"]) / "deltas.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def width(stats):  # as benchstat prints it: the farther end, in percent of the median
        low, high = stats["median_interval"]
        return round(100 * max(high - stats["median"], stats["median"] - low) / stats["median"])

    seen = [row for row in all_rows("old", "new") if row["unit"] == "ns"]
    printed = [line.split(",") for line in (go / "golangperf_cmd_benchstat_testdata_csvOldNew.stdout").read_text().splitlines()
               if line.startswith("Encode/")]
    equal(len(printed), 2, "rows that benchstat prints")
    for name, old, old_ci, new, new_ci, delta, p in printed:
        row = next(r for r in seen if r["key"].endswith(f".{name}.time"))
        check(abs(row["baseline"] * 1e-9 - float(old)) < 1e-15, f"{name}: {row['baseline']} and {old}")
        check(abs(row["current"] * 1e-9 - float(new)) < 1e-15, f"{name}: {row['current']} and {new}")
        equal((f"{width(row['baseline_stats'])}%", f"{width(row['current_stats'])}%"), (old_ci, new_ci), f"{name}: intervals")
        if delta != "~":
            equal(f"{row['delta_pct']:+.2f}%", delta, f"{name}: delta")
        equal(f"p={row['p']:.3f} n={row['n_baseline']}", p, f"{name}: p")

    factor = {"n": 1, "µ": 1e3, "m": 1e6}
    text = (go / "golangperf_cmd_benchstat_testdata_crcOldNew.stdout").read_text()
    times = re.findall(r"^(CRC32/\S+)\s+([\d.]+)([nµm]) ± +(\d+)%$", text, re.M)
    rows = [row for row in all_rows("crc-old", "crc-new") if row["unit"] == "ns"]
    check(len(times) >= 70, f"{len(times)} printed times")
    half = len(times) // 2
    compared = 0
    for index, (name, value, unit, ci) in enumerate(times):
        which = "baseline" if index < half else "current"
        found = [r for r in rows if r["key"].endswith(f".{name}.time") and r.get(f"{which}_stats")]
        if not found:
            continue
        row = found[0]
        digits = len(value.split(".")[1]) if "." in value else 0
        check(abs(row[f"{which}_stats"]["median"] / factor[unit] - float(value)) <= 0.5001 * 10**-digits,
              f"{name}: median {row[f'{which}_stats']['median']} and {value}{unit}")
        equal(width(row[f"{which}_stats"]), int(ci), f"{name}: interval, {which}")
        compared += 1
    check(compared == len(times), f"{compared} of {len(times)} of benchstat's lines compared")

finish()
