#!/usr/bin/env python3
"""Ceilings by the files that tools write: which one each measurement is held against, why, and what is said above 100 %."""
import json
import pathlib

from harness import Root, check, equal, finish, warned

NCCL = """# nThread 1 nGpus 8 minBytes 1073741824 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   1001 on      node1 device  0 [0000:1b:00] {gpu}
#  Rank  1 Group  0 Pid   1001 on      node1 device  1 [0000:43:00] {gpu}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
  1073741824     268435456     float     sum      -1   {time}  {alg}  {bus}      0   {time}  {alg}  {bus}      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : {bus}
#
"""

NVBANDWIDTH = """nvbandwidth Version: v0.6
Built from Git version: v0.6

CUDA Runtime Version: 12040
CUDA Driver Version: 12040
Driver Version: 550.54.15

Device 0: {gpu} (00000009:01:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0
 0     {value}

SUM host_to_device_memcpy_ce {value}
"""


def entry_of(result):
    return json.loads(pathlib.Path(result["baseline_json"]).read_text())


def evidence(result):
    return " ".join(w["message"] for w in result["warnings"] if w["code"] == "sol_evidence")


def message(result, code):
    return next((w["message"] for w in result["warnings"] if w["code"] == code), "")


with Root() as root:
    # NCCL's busbw is a rate of one direction: half of the headline, on every board.
    boards = [("NVIDIA H100 80GB HBM3", "h100_sxm.nvlink4_uni", 0.45, 367.0, 81.556),
              ("NVIDIA H200", "h200_sxm.nvlink4_uni", 0.45, 430.0, 95.556),
              ("NVIDIA B200", "b200_sm100.nvlink5_uni", 0.9, 672.0, 74.667),
              ("NVIDIA GB300", "gb300_nvl72.nvlink5_uni", 0.9, 690.0, 76.667)]
    for gpu, key, value, busbw, pct in boards:
        def log(bus):
            return NCCL.format(gpu=gpu, time="5000.0", alg=f"{bus / 1.75:.2f}", bus=f"{bus:.2f}")
        source = root.write("nccl.log", log(busbw))
        name = "ar-" + key.split(".")[0]
        result = root.record(source, "--ceiling", "auto", "--context", "workload.collective=all_reduce", measurement=name)
        frozen = [one for one in entry_of(result)["sol"] if one["key"].endswith("busbw")]
        check(frozen, f"{gpu}: busbw has a ceiling")
        for one in frozen:
            equal((one["sol_ceiling_key"], one["sol_ceiling_value"], one["sol_ceiling_unit"]), (key, value, "TB/s"), f"{gpu}: the ceiling")
            check(abs(one["sol_pct"] - pct) < 0.01, f"{gpu}: {one['sol_pct']} % is not {pct} %")
            equal(one["sol_rigor"], "L3", f"{gpu}: nccl-tests counts its bytes")
        check(f"hardware.gpu \"{gpu}\" is {key.split('.')[0]}" in evidence(result), f"{gpu}: the evidence: {evidence(result)}")
        check("duplex_mismatch" not in warned(result), f"{gpu}: one direction against one")
        slower = root.write("slower.log", log(busbw * 0.9))
        diff = root.diff(result["entry_dir"], slower)
        line = diff["sol"][0]
        equal(line["ceiling_key"], key, f"{gpu}: the line's ceiling")
        check(abs(line["delta_pp"] + pct * 0.1) < 0.02, f"{gpu}: {line['delta_pp']} points")
        check(abs(line["headroom_pp"] - (100 - line["current_pct"])) < 1e-9, f"{gpu}: headroom")
        name_of_ceiling = key.split(".")[1]
        check(f"of {name_of_ceiling} SoL)" in line["text"] and "pp SoL)" in line["text"], f"{gpu}: {line['text']}")
        near = "near the limit" if pct >= 80 else "at some distance from the limit"
        check(f"10.0 % lost {near}" in line["note"], f"{gpu}: {line['note']}")
        page = (pathlib.Path(diff["diff_dir"]) / "diff.md").read_text()
        check(near in page and f"of {name_of_ceiling} SoL" in page, f"{gpu}: diff.md says it too")
        # By the headline that counts both directions, the other figure is given.
        both = root.record(source, "--ceiling", key.replace("_uni", "_tbps"), measurement=name + "-both")
        check(f"is {pct:.1f}% of {value * 1000:g} GB/s" in message(both, "duplex_mismatch"), f"{gpu}: {message(both, 'duplex_mismatch')}")

    # More than a ring can do: reduction in the network. It is said, and is no error.
    h200 = root.write("h200.log", NCCL.format(gpu="NVIDIA H200", time="4000.0", alg="274.69", bus="480.70"))
    result = root.record(h200, "--ceiling", "auto", "--context", "workload.collective=all_reduce", measurement="h200")
    said = message(result, "above_ceiling")
    check("106.8 % of h200_sxm.nvlink4_uni (0.45 TB/s): exceeds the ring ceiling (in-network reduction)" in said, f"above the ring: {said}")
    diff = root.diff(result["entry_dir"], h200)
    equal(diff["verdict"], "GREEN", "above the ceiling is no fault")
    check("exceeds the ring ceiling (in-network reduction)" in diff["sol"][0]["note"], f"the diff's line: {diff['sol'][0]}")
    check(diff["sol"][0]["headroom_pp"] < 0, "negative headroom")
    text = root.run("diff", "--baseline", result["entry_dir"], "--current", h200).stdout
    check("106.8% of nvlink4_uni SoL" in text and "exceeds the ring ceiling" in " ".join(text.split()), f"the terminal: {text}")

    # nvbandwidth: PCIe on a PCIe board, NVLink-C2C on a Grace board.
    for gpu, value, key, pct in [("NVIDIA H100 80GB HBM3", "55.18", "h100_sxm.pcie_gen5_x16_uni", 87.587),
                                 ("NVIDIA GH200 480GB", "416.34", "gh200.nvlink_c2c_uni", 92.52)]:
        source = root.write("nvb.log", NVBANDWIDTH.format(gpu=gpu, value=value))
        result = root.record(source, "--ceiling", "auto", measurement="h2d")
        one = entry_of(result)["sol"][0]
        equal(one["sol_ceiling_key"], key, f"{gpu}: H2D")
        check(abs(one["sol_pct"] - pct) < 0.01, f"{gpu}: {one['sol_pct']}")
    source = root.write("nvb.log", NVBANDWIDTH.format(gpu="NVIDIA B200", value="55.18"))
    result = root.record(source, "--ceiling", "b200_sm100.pcie_gen5_x16_gbps", measurement="h2d-both")
    check("is 86.2% of 64 GB/s" in message(result, "duplex_mismatch"), f"PCIe's other figure: {message(result, 'duplex_mismatch')}")
    result = root.record(source, "--ceiling", "auto", "--context", "hardware.pcie_gen=4", "--context", "hardware.pcie_width=x16", measurement="h2d-gen4")
    equal(entry_of(result)["sol"][0]["sol_ceiling_key"], "host.pcie_gen4_x16_uni", "what was negotiated decides")
    check("above_ceiling" in warned(result), "55 GB/s do not fit a generation 4 link")

    # A copy in HBM, and a product of matrices.
    copy = root.write("stream.log", "STREAM_COPY_double_gpu_0_buffer_4294967296_block_128\t2890.5\t86.28\n" * 3)
    result = root.record(copy, "--ceiling", "auto", "--context", "hardware.gpu=NVIDIA H100 80GB HBM3", measurement="copy")
    one = entry_of(result)["sol"][0]
    equal((one["sol_ceiling_key"], one["sol_rigor"]), ("h100_sxm.hbm3_tbps", "L3"), "HBM copy")
    check(abs(one["sol_pct"] - 86.284) < 0.01, f"HBM copy: {one['sol_pct']}")
    result = root.record(copy, "--ceiling", "auto", "--context", "hardware.gpu=NVIDIA B200", "--context", "hardware.memory_bus_width=7680", measurement="copy-b200")
    equal(entry_of(result)["sol"][0]["sol_ceiling_key"], "b200_sm100.hbm3e_device_reported", "the bus that the device reports")
    gemm = root.write("gemm.json", {"gemm": [{"dtype": "bf16", "m": 8192, "n": 8192, "k": 8192, "tflops": 742.0},
                                             {"dtype": "fp8", "m": 8192, "n": 8192, "k": 8192, "tflops": 1290.0}]})
    result = root.record(gemm, "--ceiling", "auto", "--context", "hardware.gpu=NVIDIA H100 80GB HBM3", measurement="gemm")
    chosen = {one["key"]: (one["sol_ceiling_key"], round(one["sol_pct"], 2), one["sol_rigor"]) for one in entry_of(result)["sol"]}
    equal(sorted(chosen.values()), [("h100_sxm.bf16_dense_pflops", 74.95, "L1"), ("h100_sxm.fp8_dense_pflops", 65.15, "L1")], "GEMM by precision")
    check("bf16 arithmetic (the metric's name), dense" in evidence(result), f"GEMM's evidence: {evidence(result)}")

    # What an uncertain figure or an assumed board carries is said and rated no higher than a bare number.
    result = root.record(copy, "--ceiling", "auto", "--context", "hardware.gpu=Tesla V100-PCIE-32GB", measurement="v100")
    check("v100_pcie.hbm2 is marked uncertain" in message(result, "uncertain_ceiling"), "uncertain figures are never used silently")
    equal(entry_of(result)["sol"][0]["sol_rigor"], "L1", "an uncertain ceiling")

    # Serving has no ceiling of the board alone, and the message says why.
    serving = root.write("serving.json", {"output_throughput_tok_per_s": 1834.2})
    done = root.run("record", "--family", "f", "--measurement", "s", "--source", serving, "--unit", "tok/s", "--ceiling", "auto", "--context", "hardware.gpu=NVIDIA H200")
    equal(done.returncode, 2, "no ceiling for serving")
    check("work per second has no ceiling of the board alone" in done.stderr, done.stderr)
    done = root.run("record", "--family", "f", "--measurement", "s", "--source", copy, "--ceiling", "auto", "--context", "hardware.gpu=NVIDIA RTX 4000 Ada")
    check("no board is known for hardware.gpu \"NVIDIA RTX 4000 Ada\"" in done.stderr and "rtx_4090" in done.stderr, done.stderr)

    # A class noise file of the root's own replaces the embedded one; a wrong one is an error with its place.
    one = root.write("one.json", {"latency_ms": 100})
    two = root.write("two.json", {"latency_ms": 101})
    result = root.record(one, measurement="noise")
    root.write("configs/class-noise.yaml", "rules:\n  - {format: x, metric: y, cv_pct: -1}\n")
    done = root.run("diff", "--baseline", result["entry_dir"], "--current", two)
    equal(done.returncode, 2, "a wrong class noise file")
    check("the rule for x and y has no cv_pct between 0 and 1000" in done.stderr and "class-noise.yaml:2:5" in done.stderr, done.stderr)
    root.write("configs/class-noise.yaml", "rules: []\n")
    equal(root.diff(result["entry_dir"], two)["verdict"], "GREEN", "an empty one is read")

finish()
