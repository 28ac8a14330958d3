"""Bundles of every kind whose page a reviewer opens, made by the built program of measurements whose truth is written here."""
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from harness import SAMPLES  # noqa: E402

MIB = 1 << 20


def noisy(rng, value, cv=0.01):
    return round(value * (1 + cv * rng.gauss(0, 1)), 4)


def scalar(root):
    """Decode throughput over eighteen entries with one change of level, then a run that is 7 % lower."""
    rng = random.Random(1)
    for i in range(18):
        level = 1840 if i < 9 else 1985
        source = root.write("decode.json", {"value": noisy(rng, level, 0.006), "unit": "tokens/s"})
        root.record(source, "--direction", "higher-is-better", family="serving", measurement="decode-throughput")
    return root.diff("serving/decode-throughput", root.write("now.json", {"value": 1846.2, "unit": "tokens/s"}))


def serving(rng, slower):
    """One run of a server at six concurrencies; `slower` at 64 and above."""
    metrics = {}
    for c in (1, 4, 16, 64, 128, 256):
        bad = slower if c >= 64 else 1
        ttft = 38 + 0.9 * c
        metrics[str(c)] = {"throughput_toks_per_s": noisy(rng, 118 * c / (1 + c / 220) / bad, 0.012),
                           "ttft_p50_ms": noisy(rng, ttft * bad, 0.02), "ttft_p95_ms": noisy(rng, ttft * 1.5 * bad, 0.035),
                           "itl_p50_ms": noisy(rng, 8.1 + c / 60, 0.012), "errors": 0}
    return {"model": {"name": "acme/model-8b"}, "metrics": metrics}


def trials(root):
    """Five runs a side of a server whose latency grew by 14 % from concurrency 64 on."""
    rng = random.Random(2)
    before = [root.write(f"before/run{i}.json", serving(rng, 1)) for i in range(5)]
    after = [root.write(f"after/run{i}.json", serving(rng, 1.14)) for i in range(5)]
    root.json("record", "--family", "serving", "--measurement", "model-8b", "--source", before[0], "--trials", *before[1:])
    return root.json("diff", "--baseline", "serving/model-8b", "--current", *after)


def matrix(root):
    """Copies between eight GPUs, of which those with GPU 5 as destination lost a fifth."""
    def table(slow):
        rng = random.Random(3)
        rows = [["N/A" if x == y else f"{noisy(rng, 391, 0.004) * (slow if x == 5 else 1):.2f}" for x in range(8)] for y in range(8)]
        return {"nvbandwidth": {"CUDA Runtime Version": 12080, "Driver Version": "570.10.01",
                                "GPU Device list": [f"{i}: NVIDIA H200 (00000000:{i}b:00)" for i in range(8)], "git_version": "v0.8",
                                "testcases": [{"name": "device_to_device_memcpy_read_ce", "status": "Passed", "bandwidth_matrix": rows,
                                               "bandwidth_description": "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)"}]}}
    root.record(root.write("p2p.json", table(1)), family="node17", measurement="nvbandwidth")
    return root.diff("node17/nvbandwidth", root.write("p2p-now.json", table(0.8)))


def collective(name, slow, seed):
    """A log of nccl-tests from 1 KiB to 8 GiB; the large sizes lost what `slow` says."""
    rng = random.Random(seed)
    lines = [f"# nThread 1 nGpus 8 minBytes 1024 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0",
             "#", "# Using devices",
             *(f"#  Rank  {i} Group  0 Pid   100{i} on      node1 device  {i} [0000:{i}b:00] NVIDIA H100 80GB HBM3" for i in range(8)), "#",
             f"# Collective test starting: {name}_perf",
             "#                                                              out-of-place                       in-place",
             "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong",
             "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"]
    for power in range(10, 34):
        size = 1 << power
        words = [str(size), str(size // 4), "float", "sum", "-1"]
        for _ in range(2):
            time = (14 + size / 272e3) * (1 + 0.01 * rng.gauss(0, 1)) * (slow if size >= 64 * MIB else 1)
            algorithm = size / time / 1e3
            words += [f"{time:.2f}", f"{algorithm:.2f}", f"{algorithm * 1.75:.2f}", "0"]
        lines.append("  ".join(["", *words]))
    return "\n".join([*lines, "# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 200.0", "#", ""])


def sweep(root):
    """all_reduce over 24 sizes, recorded six times, then 13 % slower from 64 MiB on; held against NVLink's ceiling."""
    for seed in range(6):
        source = root.write("all_reduce.log", collective("all_reduce", 1, seed))
        root.record(source, "--ceiling", "auto", family="nccl", measurement="all_reduce")
    return root.diff("nccl/all_reduce", root.write("now.log", collective("all_reduce", 1.13, 9)))


def suite(root):
    """Two models on two GPUs at three loads: one case regressed, one is gone, one is new."""
    rng = random.Random(4)
    for model in ("llama-8b", "qwen-14b"):
        for gpu in ("h100", "h200"):
            for load in (1, 16, 64):
                case = f"{model}/{gpu}-c{load}.json"
                base = {"ttft_ms": 40 + load, "tokens_per_s": 90 * load, "itl_ms": 8 + load / 50}
                slow = 1.25 if (model, gpu) == ("qwen-14b", "h200") and load >= 16 else 1
                if case != "llama-8b/h200-c64.json":
                    root.write("new/" + case, {name: noisy(rng, value / slow if "per_s" in name else value * slow) for name, value in base.items()})
                if case != "llama-8b/h100-c1.json":
                    root.write("base/" + case, {name: noisy(rng, value) for name, value in base.items()})
    return root.diff("base", "new")


def trace(load_us):
    """Steps of a training run whose GPU waits `load_us` for each batch."""
    events, at, correlation = [], 1000.0, 0

    def add(cat, name, ts, dur, tid=200, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 100 if tid == 200 else 0, "tid": tid, "ts": ts, "dur": dur, "args": args})

    for step in range(9):
        begin = at
        for kernel, length in (("gemm_bf16_128x128", 240), ("flash_fwd_kernel", 310), ("ncclDevKernel_AllReduce_Sum_bf16", 180), ("adamw_kernel", 95)) * 3:
            correlation += 1
            add("cuda_runtime", "cudaLaunchKernel", at, 2, correlation=correlation)
            add("kernel", kernel, at + 3, length + step, tid=7, device=0, context=1, stream=7, grid=[8, 1, 1], block=[128, 1, 1], correlation=correlation)
            at += length + step + 4
        add("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 1, load_us)
        at += load_us + 2
        add("user_annotation", f"ProfilerStep#{step}", begin, at - begin)
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}]}
    return json.dumps({**head, "traceEvents": events})


def profile(root):
    """A training step before and after its data loader grew slow."""
    return root.json("profile-diff", root.write("main.json", trace(250)), root.write("loader-change.json", trace(1450)))


def many(root, rows):
    """A table of operators by shape, of which a seventh of one operator's got slower."""
    rng = random.Random(5)
    def table(slow):
        lines = ["op,m,n,latency_us"]
        for i in range(rows):
            op = ("gemm", "softmax", "layernorm", "attention")[i % 4]
            base = 20 + 7 * math.log2(2 + i) + i % 13
            factor = slow if op == "attention" and i % 7 == 0 else 1
            lines.append(f"{op},{64 * (1 + i // 200)},{8 * (1 + i % 200)},{noisy(rng, base * factor, 0.004)}")
        return "\n".join(lines) + "\n"
    return root.json("diff", root.write("ops.csv", table(1)), root.write("ops-now.csv", table(1.3)))


def thousand(root):
    return many(root, 1000)


def hundred_thousand(root):
    return many(root, 100_000)


def nodes(root):
    """Twelve nodes, three tests each; one is 11 % slow, one stands at the edge."""
    rng = random.Random(6)
    for n in range(12):
        slow = {7: 0.89, 3: 0.965}.get(n, 1)
        root.write(f"fleet/rack{n // 4}-n{n:02}.json", {"stream_GBps": [noisy(rng, 3120 * slow, 0.004) for _ in range(3)],
                                                        "gemm_tflops": [noisy(rng, 742 * slow, 0.004) for _ in range(3)],
                                                        "all_reduce_busbw_GBps": [noisy(rng, 462, 0.004) for _ in range(3)]})
    return root.json("outliers", "fleet", "--repo-root", root.path)


def two_gpus(root):
    """A pair of the samples: two GPUs under Nsight Systems; None where the samples are not there."""
    before, after = (SAMPLES / "profiles/nsys" / f"mfu_2gpu_{side}.sqlite" for side in ("before", "after"))
    return root.json("profile-diff", before, after) if before.exists() and after.exists() else None


ALL = {"scalar": scalar, "trials": trials, "matrix": matrix, "sweep": sweep, "suite": suite, "profile": profile, "rows-1k": thousand,
       "rows-100k": hundred_thousand, "outliers": nodes, "two-gpus": two_gpus}


def page_of(result):
    folder = pathlib.Path(result["diff_dir"])
    return next(folder / name for name in ("diff.html", "outliers.html") if (folder / name).exists())
