#!/usr/bin/env python3
"""Two servers on one registry, as behind a load balancer: a crowd that asks either of them, one request after the other.

Usage: PLUMBLINE=B/bin/plumbline tests/soak/pair.py SECONDS [--clients 1000] [--growth PERCENT] [--seed N]
Each client records measurements, compares them, reads their history, inspects files, and uploads what it then inspects. It takes any
of the servers for each request, so what one took is asked of the other.
It fails on: a request without its answer (or with another one's, or with two), an answer that is wrong, an entry that was answered
and is not there, one that is there twice, a registry that `verify` does not find whole, memory of a server that grows by more than
--growth percent after the first tenth of the time, and an end that is not clean.
"""
import argparse
import asyncio
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
BOUND = 120.0
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
REPORTS = ("ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "runtime error:", "terminate called")


class Wrong(Exception):
    pass


class Server:
    def __init__(self, root, number):
        self.log = open(root / f"server-{number}.log", "w+b")
        self.process = subprocess.Popen([PLUMBLINE, "serve", "--http", "127.0.0.1:0", "--repo-root", str(root), "--audit-log", "off"],
                                        stdin=subprocess.DEVNULL, stderr=self.log)
        self.memory = []
        until = time.monotonic() + BOUND
        while not (found := re.search(r"listening on http://127\.0\.0\.1:(\d+)/", self.said())):
            if time.monotonic() > until or self.process.poll() is not None:
                raise Wrong("a server does not start: " + self.said())
            time.sleep(0.05)
        self.port = int(found[1])

    def said(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def resident(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0


class Client:
    """Has a connection to each server, and at most one request under way."""

    def __init__(self, soak, number):
        self.soak, self.number, self.next_id = soak, number, 0
        self.connections = {}

    async def connection(self, port):
        # Whoever thinks for longer than a server keeps an idle connection finds it closed, and opens another, as any client does.
        if port not in self.connections or self.connections[port][0].at_eof():
            self.connections[port] = await asyncio.open_connection("127.0.0.1", port)
        return self.connections[port]

    async def call(self, tool, **arguments):
        port = random.choice(self.soak.servers).port
        self.next_id += 1
        identifier = f"{self.number}-{self.next_id}"
        body = json.dumps({"jsonrpc": "2.0", "id": identifier, "method": "tools/call",
                           "params": {"name": tool, "arguments": arguments, "_meta": META}}).encode()
        head = (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
                f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {len(body)}\r\n\r\n")
        reader, writer = await self.connection(port)
        writer.write(head.encode() + body)
        self.soak.did["asked"] += 1
        began = time.monotonic()
        try:
            message = await asyncio.wait_for(self.answer(reader), BOUND)
        except (asyncio.TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
            raise Wrong(f"{tool}: no answer to {identifier}: {error!r}") from None
        self.soak.took.append(time.monotonic() - began)
        if message.get("id") != identifier:
            raise Wrong(f"the answer to {identifier} is that to {message.get('id')}")
        self.soak.did["answered"] += 1
        result = message.get("result")
        if result is None or result["isError"]:
            raise Wrong(f"{tool} {arguments}: {json.dumps(message)[:400]}")
        return result["structuredContent"]

    async def upload(self, content):
        """The name under which every server of the registry has it from now on."""
        digest = hashlib.sha256(content).hexdigest()
        until = time.monotonic() + BOUND
        while True:
            reader, writer = await self.connection(random.choice(self.soak.servers).port)
            writer.write(f"PUT /blobs/sha256/{digest} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content)
            self.soak.did["asked"] += 1
            try:
                head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), BOUND)).decode()
                if found := re.search(r"(?i)content-length: (\d+)", head):
                    await reader.readexactly(int(found[1]))
            except (asyncio.TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
                raise Wrong(f"no answer to an upload: {error!r}") from None
            # So many at once are taken, and no more: whoever is told when to come again does.
            later = re.search(r"(?i)retry-after: (\d+)", head)
            if int(head.split()[1]) != 503 or not later or time.monotonic() > until:
                break
            self.soak.did["answered"] += 1
            self.soak.did["told to wait"] += 1
            await asyncio.sleep(int(later[1]) * random.uniform(1, 2))
        if int(head.split()[1]) not in (200, 201, 204):
            raise Wrong(f"an upload: {head[:300]}")
        self.soak.did["answered"] += 1
        self.soak.did["uploaded"] += 1
        return f"blob:sha256:{digest}"

    async def answer(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status = int(head.split()[1])
        if status != 200:
            raise Wrong(f"status {status}: {head[:300]}")
        if found := re.search(r"(?i)content-length: (\d+)", head):
            return json.loads(await reader.readexactly(int(found[1])))
        text, answers = b"", []
        while size := int(await reader.readline(), 16):
            text += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        for event in re.split(r"\r?\n\r?\n", text.decode()):
            data = "".join(line[5:].lstrip(" ") for line in event.splitlines() if line.startswith("data:"))
            if data and "method" not in (message := json.loads(data)):
                answers.append(message)
        if len(answers) != 1:
            raise Wrong(f"{len(answers)} answers to one request")
        return answers[0]

    async def live(self):
        while not self.soak.over:
            await asyncio.sleep(random.expovariate(1 / self.soak.think))
            try:
                await self.do_one()
            except Wrong as wrong:
                self.soak.wrong.append(str(wrong))
                return
        for reader, writer in self.connections.values():
            writer.close()
            if await asyncio.wait_for(reader.read(), BOUND):
                self.soak.wrong.append("bytes behind the last answer")

    async def do_one(self):
        family, measurement = f"f{self.number % 7}", f"m{self.number % 23}"
        what = random.random()
        if what < 0.15:
            done = await self.call("perf_baseline_record", family=family, measurement=measurement,
                                   source=f"runs/{random.randrange(200)}.json")
            self.soak.recorded[family, measurement].append(re.search(r"perf-baselines/[^/]+/[^/]+/([^/\"]+)", json.dumps(done))[1])
        elif what < 0.4 and self.soak.recorded[family, measurement]:
            done = await self.call("perf_baseline_diff", baseline=f"{family}/{measurement}", current=[f"runs/{random.randrange(200)}.json"],
                                   no_bundle=random.random() < 0.7)
            if done["verdict"] not in ("GREEN", "YELLOW", "RED"):
                raise Wrong(f"verdict {done['verdict']}")
        elif what < 0.5 and self.soak.recorded[family, measurement]:
            await self.call("perf_baseline_history", family=family, measurement=measurement)
        elif what < 0.55:
            cases = random.randrange(1, 40)
            content = json.dumps({f"case_{i}": {"latency_ms": 1 + i + random.random()} for i in range(cases)}).encode()
            inspected = await self.call("measurement_inspect", path=await self.upload(content))
            if inspected["row_count"] != cases:
                raise Wrong(f"{cases} rows were uploaded, {inspected['row_count']} are read")
        else:
            await self.call("measurement_inspect", path=f"runs/{random.randrange(200)}.json")


class Soak:
    def __init__(self, options):
        self.options, self.over, self.think = options, False, options.think
        self.took = []
        self.did, self.wrong, self.recorded = collections.Counter(), [], collections.defaultdict(list)

    async def watch(self):
        began, told = time.monotonic(), 0
        while (passed := time.monotonic() - began) < self.options.seconds and len(self.wrong) < 20:
            for server in self.servers:
                if server.process.poll() is not None:
                    self.wrong.append("a server ended")
                    passed = self.options.seconds
                else:
                    server.memory.append((passed, server.resident()))
            if passed - told >= 60:
                told = passed
                print(f"{passed:.0f} s: {self.did['answered']} answers, memory " + ", ".join(f"{s.memory[-1][1]:.1f} MiB" for s in self.servers), flush=True)
            await asyncio.sleep(1)
        self.over = True

    async def run(self, root):
        self.servers = [Server(root, number) for number in range(2)]
        await asyncio.gather(self.watch(), *(Client(self, number).live() for number in range(self.options.clients)))

    def judge(self, root):
        for server in self.servers:
            server.process.send_signal(signal.SIGTERM)
            if server.process.wait(BOUND) != 0:
                self.wrong.append(f"exit status {server.process.returncode}")
            self.wrong += [line for line in server.said().splitlines() if any(report in line for report in REPORTS)]
            seconds = self.options.seconds
            early = [size for at, size in server.memory if seconds * 0.1 <= at < seconds * 0.3]
            late = [size for at, size in server.memory if at >= seconds * 0.8]
            if early and late:
                before, after = statistics.median(early), statistics.median(late)
                print(f"memory {before:.1f} MiB after the first tenth, {after:.1f} MiB in the last fifth")
                if after > before * (1 + self.options.growth / 100) + 4:
                    self.wrong.append(f"memory grows from {before:.1f} to {after:.1f} MiB")
        if self.did["asked"] != self.did["answered"]:
            self.wrong.append(f"{self.did['asked']} asked and {self.did['answered']} answered")
        for (family, measurement), slugs in self.recorded.items():
            if not slugs:
                continue
            there = sorted(p.name for p in (root / "experiments/artifacts/perf-baselines" / family / measurement).iterdir() if p.is_dir() and not p.name.startswith("."))
            if sorted(slugs) != there:
                self.wrong.append(f"{family}/{measurement}: {len(slugs)} were answered, {len(there)} are there")
        verified = subprocess.run([PLUMBLINE, "verify", "--repo-root", str(root)], capture_output=True, text=True)
        if verified.returncode != 0:
            self.wrong.append(f"verify: {verified.returncode} {verified.stdout[-300:]}{verified.stderr[-300:]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--think", type=float, default=1.0, help="seconds between two requests of one client, in the mean")
    parser.add_argument("--growth", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    root = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-pair-"))
    (root / "runs").mkdir()
    for number in range(200):
        (root / f"runs/{number}.json").write_text(json.dumps({f"case_{i}": {"latency_ms": 1 + i + random.random() / 50} for i in range(20)}))
    soak = Soak(options)
    try:
        asyncio.run(soak.run(root))
        soak.judge(root)
    finally:
        for server in getattr(soak, "servers", []):
            if server.process.poll() is None:
                server.process.kill()
        shutil.rmtree(root, ignore_errors=True)
    if took := sorted(soak.took):
        print(f"an answer took {took[len(took) // 2] * 1000:.0f} ms in the median, {took[len(took) * 99 // 100] * 1000:.0f} ms at 99 %, {took[-1]:.1f} s at most")
    records = sum(len(slugs) for slugs in soak.recorded.values())
    print(f"{soak.did['answered']} answers to {options.clients} clients in {options.seconds:.0f} s, {records} entries, "
          f"{soak.did['uploaded']} uploads, {soak.did['told to wait']} told to come again; "
          f"{len(soak.wrong)} wrong")
    for wrong in soak.wrong[:10]:
        print("WRONG:", wrong)
    sys.exit(1 if soak.wrong else 0)


if __name__ == "__main__":
    main()
