#!/usr/bin/env python3
"""The speed-of-light line of the published example: 310 to 295 GB/s of a 1.8 TB/s ceiling."""
import json
import pathlib

from harness import Root, check, codes, equal, finish, warned

TEXT = ("baseline: 310 GB/s (17.2% of nvlink5_tbps SoL)\n"
        "current: 295 GB/s (16.4% of nvlink5_tbps SoL)\n"
        "delta: -15 GB/s (-4.8% absolute, -0.8 pp SoL)")

with Root() as root:
    source = root.write("v.txt", "310\n")
    current = root.write("c.txt", "295\n")
    words = ["--value", "310", "--unit", "GB/s", "--direction", "higher-is-better"]
    with_sol = root.record(source, *words, "--ceiling", "b200_sm100.nvlink5_tbps", measurement="nccl_all_reduce_busbw")
    entry = json.loads(pathlib.Path(with_sol["baseline_json"]).read_text())
    equal((entry["sol_ceiling_key"], entry["sol_ceiling_value"], entry["sol_ceiling_unit"]), ("b200_sm100.nvlink5_tbps", 1.8, "TB/s"), "frozen ceiling")
    check(abs(entry["sol_pct"] - 17.2222) < 0.001, "frozen share")
    result = root.diff(with_sol["entry_dir"], current)
    equal(result["verdict"], "YELLOW", "with a ceiling")
    equal(codes(result), ["near_tolerance_away_from_peak"], "reason")
    equal(result["sol"][0]["text"], TEXT, "the line")
    check("duplex_mismatch" in warned(result), "duplex_mismatch is warned of")
    check("34.4% of 900 GB/s" in json.dumps(result["warnings"]), f"the other figure: {result['warnings']}")
    check(TEXT.splitlines()[0] in (pathlib.Path(result["diff_dir"]) / "diff.md").read_text(), "the line in diff.md")

    plain = root.record(source, *words, measurement="nccl_all_reduce_busbw")
    result = root.diff(plain["entry_dir"], current)
    equal((result["verdict"], result["sol"]), ("GREEN", []) if "sol" in result else ("GREEN", None), "without a ceiling") if "sol" in result else equal(result["verdict"], "GREEN", "without a ceiling")

    # An entry of the reference tool's making: value in the row's unit, no unit of its own.
    old = root.path / "old"
    old.mkdir()
    (old / "baseline.json").write_text(json.dumps({
        "family": "f", "measurement": "nccl_all_reduce_busbw", "value": 310.0, "unit": "GB/s", "direction": "higher-is-better",
        "sol_pct": 17.2, "sol_ceiling_key": "nvlink5_tbps", "sol_ceiling_value": 1800.0}))
    result = root.diff(old, current)
    equal((result["verdict"], result["sol"][0]["text"]), ("YELLOW", TEXT), "the reference tool's fields")

    # Freezing: a later edit of the ceilings does not move a published reference.
    root.write("configs/sol-ceilings.yaml", "b200_sm100:\n  nvlink5_tbps: {value: 3.6, units: TB/s, source: edited}\n")
    result = root.diff(with_sol["entry_dir"], current)
    equal(result["sol"][0]["text"], TEXT, "frozen at record")
    bad = root.run("record", "--family", "f", "--measurement", "m", "--source", source, *words, "--ceiling", "b200_sm100.nvlink6_tbps")
    equal(bad.returncode, 2, "an unknown ceiling")
    check("nvlink5_tbps" in bad.stderr, f"the nearest ceiling: {bad.stderr}")

finish()
