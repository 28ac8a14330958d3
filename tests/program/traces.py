"""Small captures whose truth is known: traces in Chrome's JSON as PyTorch writes them, a step of three kernels after another."""
import json
import math
import random

KERNELS = (("ampere_sgemm_128x64_tn", 0.6), ("flash_fwd_kernel", 0.3), ("elementwise_kernel", 0.1))


def trace(step_us, steps=12, within=0.003, seed=0, gpu="NVIDIA H100 80GB HBM3", share=None, named=True, cuda=12040):
    """The text of a capture whose steps take `step_us`, each of them `within` (a coefficient of variation) away from it. `share`
    gives kernels another share of the step, and what they lack of it is idle; steps without a name are found by nobody."""
    chance = random.Random(seed)
    events = []
    at = 1000.0
    for step in range(steps + 1):
        length = step_us * math.exp(chance.gauss(0, within))
        if named:
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 100, "tid": 200, "ts": round(at, 3), "dur": round(length, 3)})
        start = at + 2
        for number, (kernel, part) in enumerate(KERNELS):
            busy = 0.9 * length * (share or {}).get(kernel, part)
            correlation = 10 * step + number + 1
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 200, "ts": round(start - 1, 3),
                           "dur": 0.5, "args": {"correlation": correlation}})
            events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": round(start, 3), "dur": round(busy, 3),
                           "args": {"device": 0, "context": 1, "stream": 7, "grid": [200, 2, 1], "block": [128, 1, 1], "correlation": correlation}})
            start += busy
        at += length
    head = {"schemaVersion": 1, "cuda_runtime_version": cuda, "deviceProperties": [{"id": 0, "name": gpu, "totalGlobalMem": 85 * 10**9}]}
    return json.dumps({**head, "traceEvents": events})


def captures(folder, name, walls, **how):
    """One file a wall in `folder`; their paths."""
    paths = []
    for number, wall in enumerate(walls):
        path = folder / f"{name}{number + 1}.json"
        path.write_text(trace(wall, seed=f"{name}{number}", **how))
        paths.append(str(path))
    return paths
