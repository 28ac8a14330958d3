"""Captures of the ranks of a job whose truth is known: each works by itself, then all meet in a collective that ends when the last
has come. Clocks of ranks are apart."""
import json
import math
import random


def rank_traces(ranks, seed=0, slow=None, slower=0.0, steps=6, a_step=2, noise=0.02, work_us=1000.0, seen=None):
    """The text of each rank's trace. `slow` works `slower` longer; `seen` gives only these ranks."""
    chance = random.Random(seed)
    now = [0.0] * ranks
    events = [[] for _ in range(ranks)]
    sequence = 0
    for step in range(steps + 1):
        begin = list(now)
        for _ in range(a_step):
            lengths = [work_us * (1 + (slower if rank == slow else 0)) * math.exp(noise * chance.gauss(0, 1)) for rank in range(ranks)]
            end = max(at + length for at, length in zip(now, lengths)) + 50
            for rank in range(ranks):
                events[rank].append(("sgemm_128", now[rank], lengths[rank], None))
                events[rank].append(("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", now[rank] + lengths[rank],
                                     end - now[rank] - lengths[rank], sequence))
                now[rank] = end
            sequence += 1
        for rank in range(ranks):
            events[rank].append((f"ProfilerStep#{step}", begin[rank], now[rank] - begin[rank], "step"))
    return {rank: text_of(rank, ranks, events[rank]) for rank in (range(ranks) if seen is None else seen)}


def text_of(rank, ranks, events):
    clock = 5_000_000 + 1234.5 * rank
    out = []
    for number, (name, start, length, what) in enumerate(events):
        one = {"ph": "X", "name": name, "ts": round(clock + start, 3), "dur": round(length, 3)}
        if what == "step":
            one.update(cat="user_annotation", pid=100, tid=200)
        else:
            launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 200, "ts": round(clock + start + 0.1, 3),
                      "dur": 0.5, "args": {"correlation": number + 1}}
            out.append(launch)
            arguments = {"device": 0, "context": 1, "stream": 7, "grid": [200, 2, 1], "block": [128, 1, 1], "correlation": number + 1}
            if what is not None:
                arguments.update({"Collective name": "allreduce", "In msg nelems": 1 << 18, "Out msg nelems": 1 << 18, "dtype": "Float",
                                  "Group size": ranks, "Process Group Name": "0", "Seq": what})
            one.update(cat="kernel", pid=0, tid=7, args=arguments)
        out.append(one)
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
                       "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}], "traceEvents": out})
