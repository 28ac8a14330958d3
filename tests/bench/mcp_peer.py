#!/usr/bin/env python3
"""Our servers beside the smallest one that the TypeScript SDK makes, in one run: start to the first answer, memory, calls per second.

Usage: tests/bench/mcp_peer.py [RUNS] [--seq N] [--loaded]       default: 5 runs, 3000 calls one after the other in each
  --loaded               an endless loop for each core runs beside them
  MCP_FIXTURE_SERVER=PROGRAM, PLUMBLINE=PROGRAM       default build/release/bin/…
  MCP_BENCH=FOLDER       its bench-stdio.mjs and bench-http.mjs are the clients; without it
  MCP_LOAD=PROGRAM       our own bench_mcp_load is (default build/release/bin/bench_mcp_load)

The servers take turns within each run, since what else the machine does changes from minute to minute; figures are medians of
the runs, with the range. Their tool is an echo of "hello"; `plumbline` is asked for search_evidence in an empty registry and for
tools/list besides. The SDK comes from npm, pinned, into ${XDG_CACHE_HOME:-~/.cache}/plumbline-mcp-peer. Prints figures and whether
the bars are met; a figure depends on the machine, so it fails only when something cannot be measured.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILT = HERE.parent.parent / "build/release/bin"
PACKAGES = ["@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2", "zod@4.6.7"]
ECHO = ("echo", {"message": "hello"})
PEER = "typescript-sdk"
# What is compared, over which transport (None: any), whether less of it is better, and by how much we should be better at least.
BARS = [("start_ms", None, True, 10), ("rss_mib", None, True, 6), ("calls_per_s", "stdio", False, 3), ("calls_per_s", "http", False, 5),
        ("together_per_s", "stdio", False, 2)]
WORDS = {"start_ms": "start to the first answer", "rss_mib": "resident memory after it", "calls_per_s": "calls/s, one after the other",
         "together_per_s": "calls/s, several under way"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def sdk():
    """The folder that has the peer's packages."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "plumbline-mcp-peer" / "2.4.0"
    if not (cache / ".complete").exists():
        if not shutil.which("npm"):
            skip("npm is not there")
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        (cache / "package.json").write_text('{"private":true}')
        installed = subprocess.run(["npm", "i", "--no-audit", "--no-fund", "--save-exact", *PACKAGES], cwd=cache, capture_output=True,
                                   text=True)
        if installed.returncode != 0:
            skip("npm cannot install the SDK: " + installed.stderr.strip()[-300:])
        (cache / ".complete").touch()
    return cache


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def last_json(command, cwd):
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {ran.returncode}: {ran.stderr[-2000:]}")
    return json.loads(ran.stdout)


class NodeClient:
    """bench-stdio.mjs and bench-http.mjs."""

    def __init__(self, folder, calls):
        self.folder, self.calls = pathlib.Path(folder), calls
        self.name = "mcp-bench (Node)"

    def measure(self, server, transport, era, ask, cwd):
        method, (tool, arguments) = ask
        asked = (["--method", method, "--params", "{}"] if method else ["--tool", tool, "--args", json.dumps(arguments)])
        common = ["--n", str(self.calls), "--era", era, *asked]
        if transport == "stdio":
            found = last_json(["node", self.folder / "bench-stdio.mjs", *common, "--starts", "5", "--", *server.stdio()], cwd)
            start, together = found["startup_to_init_ms"]["p50"], found["pipelined"]
        else:
            port = free_port()
            found = last_json(["node", self.folder / "bench-http.mjs", *common, "--spawn", " ".join(map(str, server.http(port))),
                               f"http://127.0.0.1:{port}/mcp"], cwd)
            start, together = found["spawn_to_init_ms"], found["concurrent"]
        if together["errors"]:
            sys.exit(f"{server.name}: {together['errors']} answers are errors")
        return {"start_ms": start, "rss_mib": found["rss_after_init"]["rss_mib"], "rss_load_mib": found["rss_after_load"]["rss_mib"],
                "calls_per_s": found["sequential"]["calls_per_s"], "p50_us": found["sequential"]["latency_ms"]["p50"] * 1e3,
                "p99_us": found["sequential"]["latency_ms"]["p99"] * 1e3, "together_per_s": together["calls_per_s"]}


class OwnClient:
    """bench_mcp_load: answers one after the other, then many under way."""

    def __init__(self, program, calls):
        self.program, self.calls = program, calls
        self.name = "bench_mcp_load"

    def measure(self, server, transport, era, ask, cwd):
        method, (tool, arguments) = ask
        asked = ["--method", method] if method else ["--tool", tool, "--arguments", json.dumps(arguments)]
        common = [self.program, "--json", "--era", era, "--requests", str(self.calls), *asked]
        many = ["--pipeline", "64"] if transport == "stdio" else ["--connections", "16"]
        if transport == "stdio":
            place = lambda: ["--", *map(str, server.stdio())]
        else:
            place = lambda: ["http", "--", *map(str, server.http(0))]
        one = last_json([*common, "--starts", "5", *place()], cwd)
        together = last_json([*common, *many, *place()], cwd)
        return {"start_ms": statistics.median(one["start_to_first_answer_ms"]), "rss_mib": one["rss_mib"]["before"],
                "rss_load_mib": together["rss_mib"]["after"], "calls_per_s": one["calls_per_s"], "p50_us": one["latency_us"]["p50"],
                "p99_us": one["latency_us"]["p99"], "together_per_s": together["calls_per_s"]}


class Server:
    def __init__(self, name, stdio, http):
        self.name, self.stdio, self.http = name, stdio, http


def client_for(calls):
    if os.environ.get("MCP_BENCH"):
        return NodeClient(os.environ["MCP_BENCH"], calls)
    program = pathlib.Path(os.environ.get("MCP_LOAD", BUILT / "bench_mcp_load"))
    if not program.exists():
        skip("neither MCP_BENCH nor MCP_LOAD names a client, and bench_mcp_load is not built (-DPLUMBLINE_BENCHMARKS=ON)")
    return OwnClient(program.resolve(), calls)


def built(variable, name):
    program = pathlib.Path(os.environ.get(variable, BUILT / name)).resolve()
    if not program.exists():
        sys.exit(f"{program} is not built")
    return program


def show(rows):
    print(f"\n{'server':<24}{'over':<6}{'era':<8}{'start ms':>10}{'RSS MiB':>9}{'loaded':>8}{'calls/s':>9}  {'range':<17}"
          f"{'p50 us':>8}{'p99 us':>9}{'together/s':>12}")
    for (name, transport, era), runs in rows.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        calls = [run["calls_per_s"] for run in runs]
        print(f"{name:<24}{transport:<6}{era:<8}{middle['start_ms']:>10.1f}{middle['rss_mib']:>9.1f}{middle['rss_load_mib']:>8.1f}"
              f"{middle['calls_per_s']:>9.0f}  {f'{min(calls):.0f}-{max(calls):.0f}':<17}{middle['p50_us']:>8.1f}{middle['p99_us']:>9.1f}"
              f"{middle['together_per_s']:>12.0f}")


def show_bars(rows):
    print()
    for (name, transport, era), runs in rows.items():
        if name not in ("mcp_fixture_server", "plumbline search"):
            continue
        for what, of, less, least in BARS:
            if of not in (None, transport) or (what.endswith("per_s") and name != "mcp_fixture_server"):
                continue  # only the echo does what the peer does
            ratios = [theirs[what] / ours[what] if less else ours[what] / theirs[what]
                      for ours, theirs in zip(runs, rows[PEER, transport, era])]
            ratio = statistics.median(ratios)
            said, wanted = (f"1/{ratio:.1f}", f"at most 1/{least}") if less else (f"{ratio:.1f} x", f"at least {least} x")
            print(f"{name.split()[0]:<20}{transport:<6}{era:<8}{WORDS[what]:<30}{said:>8}  (of one run {min(ratios):.1f} to {max(ratios):.1f}; "
                  f"{wanted}): {'met' if ratio >= least else 'MISSED'}")


@contextlib.contextmanager
def endless_loops(count):
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=5)
    parser.add_argument("--seq", type=int, default=3000)
    parser.add_argument("--loaded", action="store_true")
    options = parser.parse_args()
    client, packages = client_for(options.seq), sdk()
    if not shutil.which("node"):
        skip("node is not there")
    fixture, plumbline = built("MCP_FIXTURE_SERVER", "mcp_fixture_server"), built("PLUMBLINE", "plumbline")
    peer = ["node", HERE / "mcp_peer_server.mjs"]
    with tempfile.TemporaryDirectory() as root, endless_loops(os.cpu_count() if options.loaded else 0):
        subprocess.run(["git", "init", "-q", root], check=True)
        ours = [plumbline, "serve", "--repo-root", root]
        at = lambda port: ["--http", f"127.0.0.1:{port}"]
        sdk_server = Server(PEER, lambda: peer, lambda port: [*peer, "--http", port])
        fixture_server = Server("mcp_fixture_server", lambda: [fixture, "--stdio"], lambda port: [fixture, *at(port)])
        verbs = {what: Server(f"plumbline {what}", lambda: [*ours, "--stdio"], lambda port: [*ours, "--audit-log", "off", *at(port)])
                 for what in ("search", "tools/list")}
        asked = [(sdk_server, ("", ECHO)), (fixture_server, ("", ECHO)), (verbs["search"], ("", ("search_evidence", {}))),
                 (verbs["tools/list"], ("tools/list", ECHO))]
        rows = {}
        for run in range(options.runs):
            print(f"run {run + 1} of {options.runs}, client {client.name}", file=sys.stderr)
            for transport in ("stdio", "http"):
                for era in ("legacy", "modern"):
                    for server, ask in asked:
                        rows.setdefault((server.name, transport, era), []).append(client.measure(server, transport, era, ask, packages))
    print(f"client: {client.name}; {options.runs} runs of {options.seq} calls; medians" + ("; an endless loop for each core beside them" if options.loaded else ""))
    show(rows)
    show_bars(rows)


main()
