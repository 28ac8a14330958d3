#!/usr/bin/env python3
"""Readers may judge: a server with --read-only and a token that may only read compare, find slow siblings and look things up, with the
verdict that everybody gets. They write nothing into the registry, and are told who could."""
import os
import pathlib

from harness import Root, equal, finish, warned
from serving import LEGACY, MODERN, YES, Http, Lines, Server

WRITER, READER = "writer-writer-writer", "reader-reader-reader"
QUIET = ("--audit-log", "off")
BEFORE, SLOW = {"ttft_ms": 10.0, "tokens_per_s": 100.0}, {"ttft_ms": 13.0, "tokens_per_s": 99.5}
KERNELS = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,{total},10,{each},gemm_kernel\n"


def tree(root):
    """Everything below the root with its kind, size and times: what a reader leaves as it was."""
    found = []
    for path in sorted(root.path.rglob("*")):
        seen = os.lstat(path)
        found.append((str(path.relative_to(root.path)), seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))
    return found


def filled():
    root = Root()
    root.write("before.json", BEFORE)
    root.write("slow.json", SLOW)
    for side, total in (("old", 1_000_000), ("new", 1_500_000)):
        root.write(f"{side}/cuda_gpu_kern_sum.csv", KERNELS.format(total=total, each=total // 10))
    for node in range(6):
        root.write(f"nodes/node-{node}.json", {"busbw_GBps": 100.0 + node * 0.1 if node else 60.0})
    root.record("before.json")
    return root


JUDGED = (
    ("perf_baseline_diff", {"baseline": "f/m", "current": "slow.json"}, "YELLOW"),
    ("perf_baseline_diff", {"baseline": "f/m", "current": "slow.json", "confirm": "ask"}, "YELLOW"),
    ("profile_diff", {"baseline_csv_dir": "old", "candidate_csv_dir": "new"}, None),
    ("measurement_outliers", {"paths": "nodes"}, "RED"),
)
# What asks for something to be written: never left undone in silence.
WRITES = (
    ("perf_baseline_diff", dict(JUDGED[0][1], out="copy"), "out"),
    ("perf_baseline_diff", dict(JUDGED[0][1], sign="key.pem"), "sign"),
    ("profile_diff", dict(JUDGED[2][1], out="report.md"), "out"),
    ("profile_diff", dict(JUDGED[2][1], json_out="report.json"), "json_out"),
    ("profile_diff", dict(JUDGED[2][1], scratch="scratch"), "scratch"),
    ("measurement_outliers", dict(JUDGED[3][1], out="copy"), "out"),
    ("perf_baseline_diff", {"args": ["f/m", "slow.json", "--report", "md=report.md"]}, "--report"),
)


def judge(root, client, reader, writer, what):
    before = tree(root)
    for tool, arguments, verdict in JUDGED:
        result = client.call(tool, **arguments)
        equal(result["isError"], False, f"{what}: {tool}: {result['content'][0]['text'][:300]}")
        value = result["structuredContent"]
        if verdict:
            equal(value["verdict"], verdict, f"{what}: {tool}")
        equal((value.get("diff_dir"), value.get("bundle_sha256")), (None, None), f"{what}: {tool} has no bundle")
        equal([c["type"] for c in result["content"]], ["text"], f"{what}: {tool} links to nothing")
        said = [w["message"] for w in value["warnings"] if w["code"] == "read_only"]
        equal(said, ["no bundle was written: this call only reads"], f"{what}: {tool} says so")
    value = client.value("perf_baseline_diff", **JUDGED[0][1], no_bundle=True)
    equal("read_only" in warned(value), False, f"{what}: who wants no bundle is not told about it")
    value = client.call("perf_baseline_diff", args=["f/m", "slow.json"])["structuredContent"]
    equal((value["returncode"], value["json"]["verdict"]), (0, "YELLOW"), f"{what}: in the older form")
    for tool, arguments, name in WRITES:
        if "args" in arguments:
            envelope = client.call(tool, params={"args": arguments["args"], "allow_nonzero": True})["structuredContent"]
            equal((envelope["returncode"], envelope["stderr"].splitlines()),
                  (2, [f"plumbline: error: {name} asks for something to be written, and this call only reads",
                       f"hint: leave {name} out: the answer comes without a bundle"]), f"{what}: {name}")
            continue
        problem = client.problem(tool, **arguments)
        equal((problem["code"], problem["message"], problem["hint"]),
              ("usage", f"{name} asks for something to be written, and {reader} only reads",
               f"leave {name} out: the answer comes without a bundle; what could write is {writer}"), f"{what}: {tool} with {name}")
    equal(len(client.value("perf_baseline_history", family="f", measurement="m")["entries"]), 1, f"{what}: history")
    equal(client.value("search_evidence", family="f")["total"], 1, f"{what}: search")
    entry = next((root.path / "experiments/artifacts/perf-baselines/f/m").glob("2*"))
    equal(client.value("bundle_verify", path=str(entry))["ok"], True, f"{what}: verify")
    equal(client.asked, [], f"{what}: nobody is asked about what is not written")
    equal(tree(root), before, f"{what}: nothing below the root was touched")


with filled() as root:
    with Server(root, "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--read-only", *QUIET) as server:
        what_writes = "a server started without --read-only"
        for era in (LEGACY, MODERN):
            client = Http(server.url, era, YES)
            listed = {t["name"]: t["annotations"] for t in client.get("tools/list")["tools"]}
            equal(sorted(listed), ["bundle_verify", "measurement_inspect", "measurement_outliers", "perf_baseline_diff",
                                   "perf_baseline_history", "profile_diff", "search_evidence"], f"what is listed ({era})")
            equal([n for n, a in listed.items() if not a["readOnlyHint"]], [], f"all of it only reads ({era})")
            judge(root, client, "this server", what_writes, f"--read-only over HTTP, {era}")
            problem = client.problem("perf_baseline_record", family="f", measurement="m", source="slow.json")
            equal((problem["message"], problem["hint"]), ("perf_baseline_record writes, and this server only reads",
                                                          f"what could write is {what_writes}"), "record is refused")
            problem = client.problem("perf_baseline_accept", baseline="f/m", reason="r")
            equal(problem["message"], "perf_baseline_accept writes, and this server only reads", "accept is refused")
        judge(root, Lines.to(server.address("tcp"), MODERN, answer=YES), "this server", what_writes, "--read-only over lines")

with filled() as root:
    tokens = root.write("tokens", f"ci {WRITER} write\ndash {READER} read\n")
    tokens.chmod(0o600)
    with Server(root, "--http", "127.0.0.1:0", "--token-file", tokens, *QUIET) as server:
        for era in (LEGACY, MODERN):
            client = Http(server.url, era, YES, token=READER)
            judge(root, client, 'the token "dash"', "a token with the permission write", f"a token that reads, {era}")
            for tool in ("perf_baseline_record", "perf_baseline_accept"):
                said = client.ask("tools/call", name=tool, arguments={})["error"]
                equal((client.status, said["message"]),
                      (403, f'the token "dash" only reads, and {tool} writes: a token with the permission write may call it'), tool)
        written = Http(server.url, MODERN, token=WRITER).value("perf_baseline_diff", **JUDGED[0][1])
        equal(pathlib.Path(written["diff_dir"]).is_dir(), True, "who may write still gets the bundle")

finish()
