#!/usr/bin/env python3
"""Correctness before speed: rates of failures and successes are gates in every format, shares of right answers are judged in points,
and a faster run does not make up for either. The same numbers as generic JSON, CSV and the files of tools."""
import random

from harness import Root, check, codes, equal, finish, rows


def judged(root, name, before, after, *more):
    return root.diff(root.write("before-" + name, before), root.write("after-" + name, after), *more)


def serving(completed, failed, latency):
    return {"backend": "vllm", "model_id": "m", "num_prompts": 1000, "request_rate": "inf", "duration": 10.0, "completed": completed,
            "failed": failed, "total_input_tokens": 1000, "total_output_tokens": 1000, "request_throughput": 100.0,
            "output_throughput": 1000.0, "total_token_throughput": 2000.0, "median_ttft_ms": latency, "mean_ttft_ms": latency,
            "p99_ttft_ms": latency}


def k6(failed, requests, latency):
    trend = {"avg": latency, "min": latency, "med": latency, "max": latency, "p(90)": latency, "p(95)": latency}
    return {"root_group": {"name": "", "path": "", "checks": {}, "groups": {}},
            "metrics": {"iterations": {"count": requests, "rate": 100.0}, "vus": {"value": 8, "min": 8, "max": 8},
                        "iteration_duration": trend, "http_req_duration": trend, "http_reqs": {"count": requests, "rate": 100.0},
                        "http_req_failed": {"passes": failed, "fails": requests - failed, "value": failed / requests}}}


with Root() as root:
    # A gate is RED whatever the latency gained: trials, a bare number, percent, lines of CSV.
    lost = judged(root, "r5.json", {"error_rate": [0.0] * 5, "latency_ms": [100.0, 101, 99, 100, 100.5]},
                  {"error_rate": [1.0] * 5, "latency_ms": [60.0, 61, 59, 60, 60.5]})
    equal((lost["verdict"], codes(lost)[0]), ("RED", "gate_failed"), "error rate 0 -> 1")
    equal(rows(lost)["error_rate"]["gate"], True, "an error rate is a gate")
    for name, before, after in [("ok_rate", 1.0, 0.96), ("success_rate", 99.0, 97.5), ("pass_rate_pct", 100, 98),
                                ("requests.failure_rate", 0.01, 0.0201), ("availability", 0.999, 0.95)]:
        for kind, of in (("json", lambda n, v, ms: {n: v, "latency_ms": ms}), ("csv", lambda n, v, ms: f"{n},latency_ms\n{v},{ms}\n")):
            result = judged(root, f"{name}.{kind}", of(name, before, 100.0), of(name, after, 60.0))
            equal((result["verdict"], codes(result)[0]), ("RED", "gate_failed"), f"{name} {before} -> {after} as {kind}")
    first = judged(root, "first.json", {"error_rate": 0.0, "latency_ms": 100.0}, {"error_rate": 0.005, "latency_ms": 60.0})
    equal((first["verdict"], codes(first)), ("YELLOW", ["gate_doubtful"]), "the first failures, within a point")
    same = judged(root, "same.json", {"error_rate": 0.02, "latency_ms": 100.0}, {"error_rate": 0.025, "latency_ms": 100.0})
    equal(same["verdict"], "GREEN", "half a point more of failures that were there")

    # Known counts decide, and the row says how.
    few = judged(root, "few.json", {"num_requests": 1000, "error_rate": 0.003}, {"num_requests": 1000, "error_rate": 0.012})
    equal(few["verdict"], "GREEN", "12 of 1000 after 3")
    equal(rows(few)["error_rate"]["note"], "12 of 1000 failed, 3 of 1000 before, p = 0.0172 (exact)", "how it was judged")
    many = judged(root, "many.json", {"num_requests": 1000, "error_rate": 0.003}, {"num_requests": 1000, "error_rate": 0.014})
    equal((many["verdict"], codes(many)), ("RED", ["gate_failed"]), "14 of 1000 after 3")
    check("14 of 1000 failed" in many["reasons"][0]["message"], f"the reason says it: {many['reasons'][0]['message']}")
    own = judged(root, "own.json", {"num_requests": 1000, "error_rate": 0.003}, {"num_requests": 1000, "error_rate": 0.014},
                 "--tolerance", "error_rate=2pp")
    equal(own["verdict"], "GREEN", "a tolerance of its own stands")

    # The same counts of a serving benchmark and of k6.
    for failed, wanted in ((0, "GREEN"), (6, "YELLOW"), (20, "RED")):
        result = judged(root, "vllm.json", serving(1000, 0, 100.0), serving(1000 - failed, failed, 60.0))
        equal(result["verdict"], wanted, f"vllm: {failed} of 1000 requests failed")
        result = judged(root, "k6.json", k6(0, 1000, 100.0), k6(failed, 1000, 60.0))
        equal(result["verdict"], wanted, f"k6: {failed} of 1000 requests failed")

    # Shares of right answers: points, unless somebody says otherwise.
    for name, before, after in [("accuracy", 0.99, 0.9405), ("f1_score", 90.0, 88.5), ("pass@1", 0.5, 0.48), ("exact_match", 0.7, 0.68)]:
        result = judged(root, "quality.json", {name: before, "latency_ms": 100.0}, {name: after, "latency_ms": 60.0})
        check(result["verdict"] != "GREEN", f"{name} {before} -> {after} is {result['verdict']}")
        equal(rows(result)[name]["tolerance"]["kind"], "points", f"{name} is judged in points")
    loose = judged(root, "quality.json", {"accuracy": 0.99}, {"accuracy": 0.9405}, "--tolerance-percent", "6")
    equal(loose["verdict"], "GREEN", "a tolerance of the command line outranks the point")
    hits = judged(root, "hits.json", {"cache_hit_rate": 0.5, "prefix_hit_rate": 0.6}, {"cache_hit_rate": 0.49, "prefix_hit_rate": 0.59})
    equal([rows(hits)[k]["tolerance"]["kind"] for k in ("cache_hit_rate", "prefix_hit_rate")], ["percent"] * 2, "hit rates keep theirs")

    # Nothing changed: 2 in 100 may be RED by chance, and 100 draws of a quarter of that rate hardly show more.
    red = 0
    for seed in range(60):
        rng = random.Random(seed)
        draw = lambda: {"num_requests": 400, "error_rate": sum(rng.random() < 0.03 for _ in range(400)) / 400}
        red += judged(root, "aa.json", draw(), draw(), "--no-bundle")["verdict"] == "RED"
    check(red <= 3, f"{red} of 60 unchanged runs are RED")
finish()
