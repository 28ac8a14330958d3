#!/usr/bin/env python3
"""A crowd of MCP clients, most of them ill-behaved, against one server for a while; then what it did to the server.

Usage: tests/soak/soak.py PROGRAM SECONDS [--schemas DIR] [--clients 1000] [--lines 64] [--growth PERCENT] [--seed N]
  PROGRAM     mcp_fixture_server, best built with a sanitizer; its reports fail the run
  --schemas   the folder schema/ of the MCP specification: every message of the server is checked against the schema of its
              revision. Default $MCP_SCHEMAS; without it only the envelope, the id and what the tools say are checked

HTTP clients come in both eras, with keep-alive and without, and call, list, read, ask for completion, answer questions,
subscribe and cancel; some leave in the middle of a request or of a stream, send half a head and wait, read byte by byte, or send
what is no HTTP, no JSON or no message. The sessions on the Unix socket do the same, many requests at a time.
It fails on: a sanitizer's report, an end of the program, an answer that is wrong or does not come within BOUND seconds, a
connection that ends when it should not, memory that grows, and an end that is not clean and in time after SIGTERM.
All that is kept here is bounded too, whatever the time.
"""
import argparse
import asyncio
import collections
import contextlib
import itertools
import json
import os
import pathlib
import random
import resource
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

BOUND = 60.0  # seconds for an answer; a server under a sanitizer shares the machine with its thousand clients
DRAIN = 10.0  # seconds that calls under way have once the server is told to end
SETTLED = 100.0  # seconds
THINK = 1.0  # seconds between two things one client does, in the mean
LEGACY, MODERN = "2025-11-25", "2026-07-28"
WATCHED = "test://watched-resource"
REPORTS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "WARNING: ThreadSanitizer", "runtime error:", "terminate called")
ACCEPTED = {"action": "accept", "content": {"username": "ada", "email": "ada@example.org", "name": "Ada", "ok": True}}
CAPABILITIES = {"elicitation": {}, "sampling": {}, "roots": {}}
KNOWS_TASKS = {"io.modelcontextprotocol/clientCapabilities": {**CAPABILITIES, "extensions": {"io.modelcontextprotocol/tasks": {}}}}


class Gone(Exception):
    """The server ended the connection."""


class Wrong(Exception):
    """The server said something that it should not."""


class Tally:
    """What happened: counts, and a few examples of what is wrong."""

    def __init__(self):
        self.did, self.wrong = collections.Counter(), collections.Counter()
        self.examples = collections.defaultdict(list)
        self.ending = False

    def fault(self, kind, what):
        if self.ending:
            return
        self.wrong[kind] += 1
        if len(self.examples[kind]) < 3:
            self.examples[kind].append(str(what)[:600])


class Schemas:
    """The specification's schemas; what was found valid once is not looked at again."""

    MOST = 20_000
    RESULTS = {"initialize": "InitializeResult", "server/discover": "DiscoverResult", "tools/list": "ListToolsResult",
               "tools/call": "CallToolResult", "resources/list": "ListResourcesResult", "resources/read": "ReadResourceResult",
               "resources/templates/list": "ListResourceTemplatesResult", "prompts/list": "ListPromptsResult",
               "prompts/get": "GetPromptResult", "completion/complete": "CompleteResult",
               "subscriptions/listen": "SubscriptionsListenResult"}

    def __init__(self, folder):
        self.known, self.definitions, self.validators = set(), {}, {}
        if folder is None:
            return
        import jsonschema  # of the package python3-jsonschema
        self.library = jsonschema
        for version in (LEGACY, MODERN):
            self.definitions[version] = json.loads((folder / version / "schema.json").read_text(encoding="utf-8"))["$defs"]

    def check(self, message, version, method=None):
        """A message of the server; method: of the request that it answers."""
        if version not in self.definitions:
            return
        if message.get("id", 0) is None:  # as JSON-RPC has it where no id could be read; the schema leaves it out
            message = {key: value for key, value in message.items() if key != "id"}
        parts = []
        if "error" in message:
            parts.append(("JSONRPCErrorResponse", message))
        elif "result" in message:
            parts.append(("JSONRPCResultResponse", message))
            kind = message["result"].get("resultType", "complete")
            names = {"complete": self.RESULTS.get(method, "Result"), "input_required": "InputRequiredResult", "task": "Result"}
            parts.append((names.get(kind, "Result"), message["result"]))
        elif "id" in message:
            parts.append(("ServerRequest", message))
        else:
            parts.append(("ServerNotification", message))
        for name, value in parts:
            key = hash((version, name, json.dumps({**value, "id": 0} if value is message else value)))
            if key in self.known:
                continue
            error = self.library.exceptions.best_match(self.validator(version, name).iter_errors(value))
            if error is not None:
                raise Wrong(f"not a {name} of {version}: {error.message[:300]} in {json.dumps(value)[:300]}")
            if len(self.known) >= self.MOST:
                self.known.clear()
            self.known.add(key)

    def validator(self, version, name):
        if (version, name) not in self.validators:
            schema = {"$ref": f"#/$defs/{name}", "$defs": self.definitions[version]}
            self.validators[version, name] = self.library.Draft202012Validator(schema)
        return self.validators[version, name]


async def within(what, waiting):
    try:
        return await asyncio.wait_for(waiting, BOUND)
    except asyncio.TimeoutError:
        raise Wrong(f"stuck: {what} for {BOUND:.0f} s") from None


async def think():
    await asyncio.sleep(random.expovariate(1 / THINK))


def reset(writer):
    """Ends a connection as a client that dies does."""
    with contextlib.suppress(OSError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def request(method, params, number, version):
    params = dict(params)
    if version == MODERN:
        params["_meta"] = {"io.modelcontextprotocol/protocolVersion": MODERN,
                           "io.modelcontextprotocol/clientInfo": {"name": "soak", "version": "1"},
                           "io.modelcontextprotocol/clientCapabilities": CAPABILITIES, **params.get("_meta", {})}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def initialize():
    return {"protocolVersion": LEGACY, "capabilities": CAPABILITIES, "clientInfo": {"name": "soak", "version": "1"}}


def call(tool, **arguments):
    return "tools/call", {"name": tool, "arguments": arguments}


def first_text(result):
    return result["content"][0].get("text") if result.get("content") else None


# What can simply be asked, with what must hold of the answer.
def plain_questions():
    word = "".join(random.choices("abcdefghij é\"\\", k=random.randrange(1, 400)))
    yield call("echo", message=word), lambda answer: first_text(answer["result"]) == word
    yield call("test_simple_text"), lambda answer: first_text(answer["result"]).startswith("This is a simple text")
    yield call("test_error_handling"), lambda answer: answer["result"]["isError"] is True
    yield call("test_multiple_content_types"), lambda answer: len(answer["result"]["content"]) == 3
    yield call("no_such_tool"), lambda answer: answer["error"]["code"] == -32602
    yield ("tools/list", {}), lambda answer: len(answer["result"]["tools"]) > 20
    yield ("resources/list", {}), lambda answer: len(answer["result"]["resources"]) == 3 and answer["result"]["nextCursor"]
    yield ("resources/list", {"cursor": "nonsense"}), lambda answer: answer["error"]["code"] == -32602
    yield ("resources/templates/list", {}), lambda answer: len(answer["result"]["resourceTemplates"]) == 1
    yield ("resources/read", {"uri": "test://static-text"}), lambda answer: "content of the static" in answer["result"]["contents"][0]["text"]
    yield ("resources/read", {"uri": "test://no-such"}), lambda answer: answer["error"]["code"] in (-32602, -32002)
    yield ("prompts/list", {}), lambda answer: len(answer["result"]["prompts"]) > 2
    yield ("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": word, "arg2": "b"}}), \
        lambda answer: word in answer["result"]["messages"][0]["content"]["text"]
    yield ("prompts/get", {"name": "no-such"}), lambda answer: answer["error"]["code"] == -32602
    yield ("completion/complete", {"ref": {"type": "ref/prompt", "name": "test_prompt_with_arguments"},
                                   "argument": {"name": "arg1", "value": "p"}}), lambda answer: "values" in answer["result"]["completion"]
    yield ("no/such/method", {}), lambda answer: answer["error"]["code"] == -32601


QUESTIONS = len(list(plain_questions()))


def any_question():
    return next(itertools.islice(plain_questions(), random.randrange(QUESTIONS), None))


def hold(what, holds, answer):
    try:
        good = bool(holds(answer))
    except (KeyError, IndexError, TypeError):
        good = False
    if not good:
        raise Wrong(f"{what} is answered {json.dumps(answer)[:400]}")


class Response:
    def __init__(self, status, headers):
        self.status, self.headers, self.body = status, headers, b""

    @property
    def streams(self):
        return self.headers.get("content-type", "").startswith("text/event-stream")


class HttpClient:
    """One client with at most one connection; its session in the legacy era."""

    def __init__(self, soak, version, keep_alive):
        self.soak, self.version, self.keep_alive = soak, version, keep_alive
        self.reader = self.writer = self.session = None
        self.numbers = itertools.count(1)

    # bytes
    async def connect(self):
        if self.writer is not None and not self.writer.is_closing() and not self.reader.at_eof():
            return
        self.leave()
        self.reader, self.writer = await within("connecting", asyncio.open_connection(*self.soak.http, limit=1 << 20))

    def leave(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    def head(self, verb, message=None, extra=()):
        lines = [f"{verb} /mcp HTTP/1.1", "Host: 127.0.0.1", "Accept: application/json, text/event-stream"]
        if message is not None:
            lines.append("Content-Type: application/json")
        if message is None or message.get("method") != "initialize":
            lines.append(f"MCP-Protocol-Version: {self.version}")
        if self.version == MODERN and message is not None:
            lines.append(f"Mcp-Method: {message['method']}")
            name = message.get("params", {}).get("name") or message.get("params", {}).get("uri")
            lines += [f"Mcp-Name: {name}"] if name else []
        elif self.session:
            lines.append(f"Mcp-Session-Id: {self.session}")
        return lines + ([] if self.keep_alive else ["Connection: close"]) + list(extra)

    def bytes_of(self, verb, message=None, extra=()):
        body = b"" if message is None else json.dumps(message).encode()
        lines = self.head(verb, message, extra) + ([f"Content-Length: {len(body)}"] if message is not None else [])
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    async def send(self, data):
        try:
            self.writer.write(data)
            await within("sending", self.writer.drain())
        except (ConnectionError, AttributeError) as error:
            raise Gone("sending") from error

    async def begin(self):
        """The head of a response."""
        try:
            head = await within("the head of a response", self.reader.readuntil(b"\r\n\r\n"))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone("before a response") from error
        first, *lines = head.decode("latin-1").split("\r\n")[:-2]
        return Response(int(first.split()[1]), {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)})

    async def pieces(self, response):
        """The body, as it comes."""
        try:
            if response.headers.get("transfer-encoding") != "chunked":
                yield await self.reader.readexactly(int(response.headers.get("content-length", 0)))
                return
            while size := int(await self.reader.readline(), 16):
                yield (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError) as error:
            raise Gone("within a body") from error

    async def events(self, response):
        """The messages of a stream; each must come within BOUND. The last event's id is kept in self.last."""
        text = b""
        pieces = self.pieces(response)
        while True:
            try:
                text += await within("the next event", anext(pieces))
            except StopAsyncIteration:
                return
            while b"\n\n" in text.replace(b"\r\n", b"\n"):
                event, _, text = text.replace(b"\r\n", b"\n").partition(b"\n\n")
                for line in event.decode().split("\n"):
                    if line.startswith("id:"):
                        self.last = line[3:].strip()
                    elif line.startswith("data:") and line[5:].strip():
                        yield self.read(line[5:])

    # messages
    def read(self, text, method=None):
        message = json.loads(text)
        self.soak.schemas.check(message, self.version, method)
        self.soak.tally.did["messages checked"] += 1
        return message

    async def post(self, message, extra=()):
        await self.connect()
        await self.send(self.bytes_of("POST", message, extra))
        return await self.begin()

    async def whole(self, response):
        async for piece in self.pieces(response):
            response.body += piece
        if response.headers.get("connection", "").lower() == "close":
            self.leave()
        return response

    async def answer(self, response, message, on_message=None):
        """The answer in a response; what comes before it goes to on_message."""
        if not response.streams:
            await within("a body", self.whole(response))
            if response.status == 404 and self.session and b"session" in response.body:
                self.session = None
                raise Gone("session")
            found = self.read(response.body, message["method"]) if response.body else None
        else:
            found = None
            async for event in self.events(response):
                if "method" in event:
                    if on_message:
                        await on_message(event)
                else:
                    self.soak.schemas.check(event, self.version, message["method"])
                    found = event
            if not self.keep_alive:
                self.leave()
        if found is not None and found.get("id") != message["id"]:
            raise Wrong(f"the answer to {message['id']} has another id: {json.dumps(found)[:300]}")
        return found

    async def ask(self, method, params, on_message=None):
        message = request(method, params, next(self.numbers), self.version)
        self.soak.tally.did["HTTP requests"] += 1
        found = await self.answer(await self.post(message), message, on_message)
        if found is None:
            raise Wrong(f"{method} has no answer")
        return found

    async def tell(self, message):
        response = await within("an acknowledgement", self.whole(await self.post(message)))
        if response.status == 404:
            self.session = None
            raise Gone("session")
        if response.status != 202:
            raise Wrong(f"a notification or answer gets {response.status} {response.body[:200]!r}")

    async def ready(self):
        if self.version == MODERN or self.session:
            return
        message = request("initialize", initialize(), next(self.numbers), LEGACY)
        response = await self.post(message)
        self.session = None
        await self.answer(response, message)
        self.session = response.headers["mcp-session-id"]
        await self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def companion(self):
        """Another connection of the same client."""
        other = HttpClient(self.soak, self.version, True)
        other.session, other.numbers = self.session, itertools.count(random.randrange(1 << 30, 1 << 31))
        return other

    # what a client does
    async def asks_something(self):
        (method, params), holds = any_question()
        hold(method, holds, await self.ask(method, params))

    async def watches_progress(self):
        seen = []

        async def note(message):
            seen.append(message["method"])

        await self.ask("tools/call", {"name": "test_tool_with_progress", "arguments": {}, "_meta": {"progressToken": "p"}}, note)
        if seen.count("notifications/progress") != 3:
            raise Wrong(f"three steps of progress, and heard of {seen}")

    async def reads_the_log(self):
        meta = {"io.modelcontextprotocol/logLevel": "info"} if self.version == MODERN else {"progressToken": 0}
        await self.ask("tools/call", {"name": "test_tool_with_logging", "arguments": {}, "_meta": meta})

    async def is_asked(self):
        if self.version == MODERN:
            asked = await self.ask(*call("test_input_required_result_request_state"))
            state = asked["result"]["requestState"]
            answers = {key: ACCEPTED for key in asked["result"]["inputRequests"]}
            params = {**call("test_input_required_result_request_state")[1], "inputResponses": answers, "requestState": state}
            hold("an answered question", lambda answer: first_text(answer["result"]) == "state-ok: true", await self.ask("tools/call", params))
            if random.random() < 0.3:
                edited = state[:-2] + ("AA" if state[-2:] != "AA" else "BB")
                answer = await self.ask("tools/call", {**params, "requestState": edited})
                hold("an edited state", lambda answer: answer["error"]["code"] == -32602, answer)
            return
        other = self.companion()

        async def reply(message):
            if message["method"] == "elicitation/create":
                await other.tell({"jsonrpc": "2.0", "id": message["id"], "result": ACCEPTED})

        try:
            answer = await self.ask(*call("test_elicitation", message="Who are you?"), reply)
            hold("a legacy question", lambda answer: "action=accept" in first_text(answer["result"]), answer)
        finally:
            other.leave()

    async def cancels(self):
        message = request(*call("slow_compute", seconds=30), next(self.numbers), self.version)
        await self.connect()
        await self.send(self.bytes_of("POST", message))
        await asyncio.sleep(random.random())
        if self.version == MODERN:
            self.leave() if random.random() < 0.5 else self.dies()
            return
        other = self.companion()
        try:
            await other.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}})
            if await self.answer(await self.begin(), message) is not None:
                raise Wrong("a cancelled call has an answer")
        finally:
            other.leave()

    async def subscribes(self):
        other = self.companion()
        try:
            if self.version == MODERN:
                message = request("subscriptions/listen", {"notifications": {"resourceSubscriptions": [WATCHED]}}, next(self.numbers), MODERN)
                response = await self.post(message)
            else:
                await self.ask("resources/subscribe", {"uri": WATCHED})
                await self.connect()
                await self.send(self.bytes_of("GET"))
                response = await self.begin()
                if response.status == 429:  # the streams that it left count until the server has noticed
                    await self.whole(response)
                    return
            if not response.streams:
                raise Wrong(f"a subscription is answered {response.status}")
            changed = False
            stream = self.events(response)
            if self.version == MODERN:
                first = await within("an acknowledgement", anext(stream))
                hold("a subscription", lambda message: message["method"] == "notifications/subscriptions/acknowledged", first)
            await other.ask(*call("test_change_watched_resource"))
            async for message in stream:
                changed = message.get("method") == "notifications/resources/updated"
                if changed:
                    break
            if not changed and not self.soak.tally.ending:
                raise Wrong("a subscription ended without the change")
            self.dies() if random.random() < 0.5 else self.leave()
        finally:
            other.leave()

    async def comes_back(self):
        """Loses a stream in the middle and fetches the rest of it (legacy only)."""
        if self.version == MODERN:
            return await self.leaves_in_a_stream()
        message = request("tools/call", {"name": "test_tool_with_logging", "arguments": {}, "_meta": {"progressToken": 1}}, next(self.numbers), LEGACY)
        response = await self.post(message)
        if not response.streams:
            await self.answer(response, message)
            return
        self.last = None
        async for event in self.events(response):
            if event.get("id") == message["id"]:
                return self.leave()
            if self.last:
                break
        self.dies()
        if not self.last:
            return
        while True:
            await self.connect()
            await self.send(self.bytes_of("GET", None, [f"Last-Event-ID: {self.last}"]))
            response = await self.begin()
            if response.streams:
                break
            await self.whole(response)
            if response.status == 404 and b"session" in response.body:
                self.session = None
                raise Gone("session")
            if response.status != 409:  # the server has not noticed yet that the first reader left
                raise Wrong(f"coming back to a stream is answered {response.status} {response.body[:200]!r}")
            await asyncio.sleep(0.2)
        async for event in self.events(response):
            if event.get("id") == message["id"]:
                break
        else:
            if not self.soak.tally.ending:
                raise Wrong("the rest of a stream has no answer")
        self.leave()

    async def leaves_in_a_stream(self):
        message = request("tools/call", {"name": "test_tool_with_logging", "arguments": {}, "_meta": {"progressToken": 2}}, next(self.numbers), self.version)
        await self.connect()
        await self.send(self.bytes_of("POST", message))
        await asyncio.sleep(random.random() * 0.1)
        self.dies() if random.random() < 0.5 else self.leave()

    async def leaves_in_a_request(self):
        data = self.bytes_of("POST", request(*call("echo", message="x" * random.randrange(1, 20_000)), next(self.numbers), self.version))
        await self.connect()
        await self.send(data[: random.randrange(1, len(data))])
        self.dies() if random.random() < 0.5 else self.leave()

    async def closes_its_half(self):
        message = request(*call("echo", message="half"), next(self.numbers), self.version)
        await self.connect()
        await self.send(self.bytes_of("POST", message))
        if self.writer.can_write_eof():
            self.writer.write_eof()
        with contextlib.suppress(ConnectionError):
            await within("the end of a half-closed connection", self.reader.read())
        self.leave()

    async def waits_in_a_head(self):
        await self.connect()
        if random.random() < 0.5:
            await self.send(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        elif random.random() < 0.5:
            await self.send(self.bytes_of("POST", request(*call("echo", message="y" * 500), 1, self.version))[:-200])
        with contextlib.suppress(ConnectionError):  # a head has 10 s, a body 30, silence 60
            await asyncio.wait_for(self.reader.read(), 60 + BOUND)
        self.leave()

    async def reads_slowly(self):
        message = request("tools/list", {}, next(self.numbers), self.version)
        await self.connect()
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        await self.send(self.bytes_of("POST", message))
        response = await self.begin()
        size, body = int(response.headers.get("content-length", 0)), b""
        try:
            while len(body) < size:
                body += await self.reader.readexactly(min(256, size - len(body)))
                await asyncio.sleep(0.02)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone("while reading slowly") from error
        if response.status == 404 and self.session and b"session" in body:
            self.session = None
            raise Gone("session")
        hold("tools/list", lambda answer: answer["result"]["tools"], self.read(body, "tools/list"))
        self.leave()

    async def pipelines(self):
        """Several requests in one piece: each is answered, in order."""
        messages = [request(*call("echo", message=str(i)), next(self.numbers), self.version) for i in range(8)]
        self.keep_alive, keep_alive = True, self.keep_alive
        try:
            await self.connect()
            await self.send(b"".join(self.bytes_of("POST", message) for message in messages))
            for i, message in enumerate(messages):
                answer = await self.answer(await self.begin(), message)
                hold("echo", lambda answer: first_text(answer["result"]) == str(i), answer)
        finally:
            self.keep_alive = keep_alive

    async def talks_nonsense(self):
        whole = self.bytes_of("POST", request(*call("echo", message="x"), 1, self.version))
        with_line = lambda line: whole.replace(b"Host:", line + b"\r\nHost:", 1)
        said = random.choice([
            b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", bytes(random.randrange(256) for _ in range(300)) + b"\r\n\r\n",
            with_line(b"Transfer-Encoding: chunked"), with_line(b"Content-Length: 3"), with_line(b" folded"),
            whole.replace(b"\r\n", b"\n"), with_line(b"X-Long: " + b"x" * 100_000),
            with_line(b"Origin: http://evil.example"), whole.replace(b"127.0.0.1", b"evil.example"),
            self.raw(b"{not json"), self.raw(b"[" * 10_000 + b"]" * 10_000), self.raw(b'{"jsonrpc":"2.0","id":{},"method":"x"}'),
            self.raw(b'"x"'), self.raw(b'{"jsonrpc":"1.0","id":1,"method":"ping"}'), self.raw(b"\xff\xfe"),
            whole.replace(b"application/json", b"text/plain"), b"POST /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"])
        await self.connect()
        with contextlib.suppress(Gone):
            await self.send(said)
            response = await within("an answer to nonsense", self.whole(await self.begin()))
            if not 400 <= response.status < 500 and not (response.status == 505):
                raise Wrong(f"{said[:200]!r} is answered {response.status} {response.body[:200]!r}")
        self.leave()

    def raw(self, body):
        return "\r\n".join(self.head("POST", {"method": "tools/call"}) + [f"Content-Length: {len(body)}"]).encode() + b"\r\n\r\n" + body

    async def ends_its_session(self):
        if self.version == MODERN or not self.session:
            return
        ended = self.session
        await self.connect()
        await self.send(self.bytes_of("DELETE"))
        response = await within("the end of a session", self.whole(await self.begin()))
        if response.status not in (200, 204, 404):
            raise Wrong(f"DELETE is answered {response.status}")
        message = request("ping", {}, 1, LEGACY)
        self.session = ended
        response = await self.whole(await self.post(message))
        self.session = None
        if response.status != 404:
            raise Wrong(f"a session that has ended answers {response.status}")

    def dies(self):
        if self.writer is not None:
            reset(self.writer)
        self.reader = self.writer = None

    ACTS = {"asks_something": 40, "watches_progress": 6, "reads_the_log": 4, "is_asked": 6, "cancels": 3, "subscribes": 4, "comes_back": 3,
            "leaves_in_a_stream": 4, "leaves_in_a_request": 5, "closes_its_half": 2, "waits_in_a_head": 1, "reads_slowly": 2, "pipelines": 4,
            "talks_nonsense": 8, "ends_its_session": 2}

    async def live(self):
        names, weights = list(self.ACTS), list(self.ACTS.values())
        await asyncio.sleep(random.random() * 5)
        while not self.soak.over():
            act = random.choices(names, weights)[0]
            if random.random() < 0.02:
                self.keep_alive = not self.keep_alive
            await self.soak.attempt(f"HTTP {self.version} {act}", self.do(act), self.leave)
            await think()
        self.leave()

    async def do(self, act):
        await self.ready()
        await getattr(self, act)()


class LineClient:
    """One session on the Unix socket: requests at will, answers by id."""

    def __init__(self, soak, version):
        self.soak, self.version = soak, version
        self.reader = self.writer = self.reading = None
        self.numbers = itertools.count(1)
        self.waiting, self.streams = {}, {}

    async def open(self):
        if self.writer is not None and not self.reading.done():
            return
        self.leave()
        self.reader, self.writer = await within("connecting", asyncio.open_unix_connection(self.soak.unix, limit=1 << 22))
        self.may_read = asyncio.Event()
        self.may_read.set()
        self.reading = asyncio.create_task(self.read_all())
        if self.version == LEGACY:
            await self.ask("initialize", initialize())
            await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def leave(self, how=lambda writer: writer.close()):
        if self.writer is not None:
            self.reading.cancel()
            how(self.writer)
        self.writer = None
        for future, _ in self.waiting.values():
            future.cancel()
        self.waiting.clear()
        self.streams.clear()

    async def read_all(self):
        try:
            while line := await self.reader.readline():
                await self.may_read.wait()
                self.take(json.loads(line))
        except (ConnectionError, asyncio.CancelledError):
            pass
        except Exception as error:  # a wrong message: whoever waits is told below, and the tally here
            self.soak.tally.fault("lines: a wrong message", repr(error))
        for future, _ in self.waiting.values():
            if not future.done():
                future.set_exception(Gone("lines"))

    def take(self, message):
        self.soak.tally.did["messages checked"] += 1
        number = message.get("id")
        if "method" in message:
            self.soak.schemas.check(message, self.version)
            if number is not None:  # a question of the server's
                result = ACCEPTED if message["method"] == "elicitation/create" else {}
                self.writer.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")
            elif message["method"] == "notifications/resources/updated":
                for changed in self.streams.values():
                    changed.set()
            return
        future, method = self.waiting.pop(number, (None, None))
        self.soak.schemas.check(message, self.version, method)
        if future is None:
            if number is not None or "error" not in message:
                raise Wrong(f"an answer to no request: {json.dumps(message)[:300]}")
            self.soak.tally.did["lines: complaints about nonsense"] += 1
        elif not future.done():
            future.set_result(message)

    async def send(self, message):
        try:
            self.writer.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
            await within("sending", self.writer.drain())
        except ConnectionError as error:
            raise Gone("sending") from error

    async def begin(self, method, params):
        number = next(self.numbers)
        future = asyncio.get_running_loop().create_future()
        self.waiting[number] = (future, method)
        self.soak.tally.did["line requests"] += 1
        await self.send(request(method, params, number, self.version))
        return number, future

    async def ask(self, method, params):
        _, future = await self.begin(method, params)
        return await within(f"the answer to {method}", future)

    async def asks_many(self):
        asked = [any_question() for _ in range(random.randrange(1, 32))]
        futures = [(await self.begin(*question))[1] for question, _ in asked]
        for (question, holds), future in zip(asked, futures):
            hold(question[0], holds, await within(f"the answer to {question[0]}", future))

    async def is_asked(self):
        if self.version == LEGACY:
            answer = await self.ask(*call("test_elicitation", message="Who are you?"))
            hold("a legacy question", lambda answer: "action=accept" in first_text(answer["result"]), answer)
            return
        asked = await self.ask(*call("test_input_required_result_multi_round"))
        while asked["result"]["resultType"] == "input_required":
            answers = {key: {"action": "accept", "content": {"name": "Ada", "color": "blue"}} for key in asked["result"]["inputRequests"]}
            asked = await self.ask("tools/call", {**call("test_input_required_result_multi_round")[1], "inputResponses": answers,
                                                  "requestState": asked["result"]["requestState"]})
        hold("two rounds", lambda answer: first_text(answer["result"]) == "Ada likes blue", asked)

    async def cancels(self):
        started = [await self.begin(*call("slow_compute", seconds=30)) for _ in range(4)]
        await asyncio.sleep(random.random())
        for number, _ in started:
            await self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        hold("echo", lambda answer: first_text(answer["result"]) == "after", await self.ask(*call("echo", message="after")))
        for number, future in started:
            if future.done() and not future.cancelled() and future.exception() is None:
                raise Wrong("a cancelled call has an answer")
            self.waiting.pop(number, None)

    async def waits_for_a_task(self):
        if self.version == LEGACY:
            return await self.asks_many()
        task = (await self.ask("tools/call", {**call("slow_compute", seconds=0.5)[1], "_meta": KNOWS_TASKS}))["result"]
        if task["resultType"] != "task":  # there were as many as there may be, and the call was an ordinary one
            return hold("slow_compute", lambda answer: "computed" in first_text(answer["result"]), {"result": task})
        asked = {"taskId": task["taskId"], "_meta": KNOWS_TASKS}
        if random.random() < 0.3:
            await self.ask("tasks/cancel", asked)
        while task["status"] == "working":
            await asyncio.sleep(0.2)
            task = (await self.ask("tasks/get", asked))["result"]
        hold("a task", lambda task: task["status"] in ("completed", "cancelled"), task)

    async def subscribes(self):
        changed = asyncio.Event()
        self.streams[id(changed)] = changed
        if self.version == MODERN:
            number, _ = await self.begin("subscriptions/listen", {"notifications": {"resourceSubscriptions": [WATCHED]}})
        else:
            await self.ask("resources/subscribe", {"uri": WATCHED})
        await self.ask(*call("test_change_watched_resource"))
        await within("a change", changed.wait())
        if self.version == MODERN:
            await self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
            self.waiting.pop(number, None)
        else:
            await self.ask("resources/unsubscribe", {"uri": WATCHED})
        self.streams.pop(id(changed), None)

    async def reads_late(self):
        """Hundreds of long answers that nobody reads for a while: the server holds back, and then answers all."""
        self.may_read.clear()
        sending = asyncio.ensure_future(self.send_many())
        await asyncio.sleep(2 * random.random())
        self.may_read.set()
        for future in await within("sending to a server that waits", sending):
            hold("tools/list", lambda answer: answer["result"]["tools"], await within("a late answer", future))

    async def send_many(self):
        return [(await self.begin("tools/list", {}))[1] for _ in range(200)]

    async def talks_nonsense(self):
        await self.send(random.choice([b"{not json\n", b"[" * 10_000 + b"\n", b'"x"\n', b'{"jsonrpc":"2.0","id":{}}\n', b"\xff\xfe\n", b"\n", b"\x00\n"]))
        hold("echo", lambda answer: first_text(answer["result"]) == "sane", await self.ask(*call("echo", message="sane")))

    async def leaves_in_a_line(self):
        for _ in range(random.randrange(4)):
            await self.begin(*random.choice([call("test_tool_with_logging"), call("slow_compute", seconds=20), call("test_elicitation", message="?")]))
        await self.send(json.dumps(request(*call("echo", message="x" * 2000), 1, self.version)).encode()[: random.randrange(1, 2000)])
        self.leave(reset) if random.random() < 0.5 else self.leave()

    async def sends_too_much(self):
        """One line beyond every bound: refused, whatever becomes of the connection."""
        with contextlib.suppress(Gone, ConnectionError):
            for _ in range(24):
                await self.send(b"x" * (1 << 19))
        self.leave()

    ACTS = {"asks_many": 40, "is_asked": 8, "waits_for_a_task": 6, "cancels": 6, "subscribes": 6, "reads_late": 4, "talks_nonsense": 8, "leaves_in_a_line": 6,
            "sends_too_much": 1}

    async def live(self):
        names, weights = list(self.ACTS), list(self.ACTS.values())
        while not self.soak.over():
            act = random.choices(names, weights)[0]
            await self.soak.attempt(f"lines {self.version} {act}", self.do(act), self.leave)
            await think()
        self.leave()

    async def do(self, act):
        await self.open()
        await getattr(self, act)()


class Soak:
    def __init__(self, options, schemas):
        self.options, self.schemas, self.tally = options, schemas, Tally()
        self.memory = []  # (seconds, MiB), at most some thousand: thinned out when it gets longer

    def over(self):
        return self.tally.ending or time.monotonic() >= self.until

    async def attempt(self, what, doing, leave):
        try:
            await doing
            self.tally.did[what] += 1
        except Gone as gone:
            leave()
            if str(gone) == "session":
                self.tally.did["sessions that had ended"] += 1
            else:
                self.tally.fault(f"{what}: the connection ended", gone)
        except (Wrong, json.JSONDecodeError, KeyError, ConnectionError, asyncio.IncompleteReadError, OSError) as error:
            leave()
            self.tally.fault(what, repr(error))

    async def start(self, folder):
        self.unix = f"{folder}/socket"
        environment = {**os.environ,
                       "ASAN_OPTIONS": "detect_leaks=1:quarantine_size_mb=16:malloc_context_size=12:exitcode=99:" + os.environ.get("ASAN_OPTIONS", ""),
                       "UBSAN_OPTIONS": "print_stacktrace=1:" + os.environ.get("UBSAN_OPTIONS", ""),
                       "TSAN_OPTIONS": "exitcode=98:second_deadlock_stack=1:" + os.environ.get("TSAN_OPTIONS", "")}
        self.said = pathlib.Path(folder) / "stderr"
        command = [self.options.program, "--http", "127.0.0.1:0", "--unix", self.unix]
        with self.said.open("wb") as errors:
            self.server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=environment, cwd=folder)
        for _ in range(600):
            text = self.said.read_text(errors="replace")
            if "on http://" in text and "on unix:" in text:
                address = text.split("on http://")[1].split("/")[0]
                self.http = (address.rsplit(":", 1)[0], int(address.rsplit(":", 1)[1]))
                return
            if self.server.poll() is not None:
                break
            await asyncio.sleep(0.05)
        sys.exit(f"the server does not say where it listens:\n{self.said.read_text(errors='replace')}")

    def rss(self):
        try:
            for line in open(f"/proc/{self.server.pid}/status", encoding="ascii"):
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        except OSError:
            pass
        return None

    async def watch(self):
        began = said = time.monotonic()
        while not self.over():
            await asyncio.sleep(0.5)
            now = time.monotonic()
            if self.server.poll() is not None:
                self.tally.fault("the server ended", f"status {self.server.returncode}")
                self.tally.ending = True
                return
            if (held := self.rss()) is not None:
                self.memory.append((now - began, held))
            if len(self.memory) > 4000:
                self.memory = self.memory[::2]
            if now - said >= 30:
                said = now
                did = self.tally.did
                print(f"  {now - began:4.0f} s  {did['HTTP requests']} HTTP requests, {did['line requests']} on lines, {held:.0f} MiB, "
                      f"{sum(self.tally.wrong.values())} faults", flush=True)

    async def last_listeners(self):
        """Subscriptions that are open when the server is told to end: their answer must come."""
        async def http():
            client = HttpClient(self, MODERN, True)
            message = request("subscriptions/listen", {"notifications": {"resourceSubscriptions": [WATCHED]}}, "last", MODERN)
            response = await client.post(message)
            return [event async for event in client.events(response)][-1]

        async def lines():
            client = LineClient(self, MODERN)
            await client.open()
            _, future = await client.begin("subscriptions/listen", {"notifications": {"resourceSubscriptions": [WATCHED]}})
            return await future

        return [asyncio.create_task(one()) for one in (http, http, http, lines, lines, lines)]

    async def end(self):
        listeners = await self.last_listeners()
        await asyncio.sleep(1)
        self.server.send_signal(signal.SIGTERM)
        told = time.monotonic()
        answers = await asyncio.gather(*(asyncio.wait_for(one, BOUND) for one in listeners), return_exceptions=True)
        for answer in answers:
            if not isinstance(answer, dict) or answer.get("result", {}).get("resultType") != "complete":
                self.tally.fault("a subscription without an end", repr(answer))
        while self.server.poll() is None and time.monotonic() - told < 3 * BOUND:
            await asyncio.sleep(0.02)
        took = time.monotonic() - told
        if self.server.poll() is None:
            self.server.kill()
            self.tally.fault("the end", "the server does not end")
        elif self.server.returncode != 0:
            self.tally.fault("the end", f"the exit status is {self.server.returncode}")
        elif took > DRAIN + 5:
            self.tally.fault("the end", f"it took {took:.1f} s")
        return took

    def judge_memory(self):
        """The middle of the second quarter against the middle of the last."""
        span = self.memory[-1][0] if self.memory else 0
        if span < SETTLED:
            return f"not judged: a run of less than {SETTLED:.0f} s has not met the most that its clients ask for"
        part = lambda low, high: statistics.median(held for at, held in self.memory if low * span <= at <= high * span)
        before, after = part(0.25, 0.5), part(0.75, 1.0)
        allowed = before * (1 + self.options.growth / 100) + 4
        if after > allowed:
            self.tally.fault("memory grows", f"{before:.1f} MiB in the second quarter, {after:.1f} in the last, allowed are {allowed:.1f}")
        return f"{before:.1f} MiB in the second quarter, {after:.1f} in the last, at most {max(held for _, held in self.memory):.1f}"

    async def run(self, folder):
        await self.start(folder)
        began = time.monotonic()
        self.until = began + self.options.seconds
        crowd = [HttpClient(self, (LEGACY, MODERN)[i % 2], i % 3 != 0).live() for i in range(self.options.clients)]
        crowd += [LineClient(self, (LEGACY, MODERN)[i % 2]).live() for i in range(self.options.lines)]
        tasks = [asyncio.create_task(one) for one in crowd]
        await self.watch()
        # Nobody begins anything new; what is under way has its time. Those that wait on purpose are not waited for.
        await asyncio.wait(tasks, timeout=BOUND / 2)
        took = None
        if self.server.poll() is None:
            took = await self.end()
        self.tally.ending = True
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        self.tally.ending = False
        for one in ends:
            if isinstance(one, Exception) and not isinstance(one, asyncio.CancelledError):
                self.tally.fault("a client's own error", repr(one))
        text = self.said.read_text(errors="replace")
        for report in REPORTS:
            if report in text:
                self.tally.fault("a sanitizer's report", text[text.index(report):][:6000])
        return took, text

    def show(self, took, text):
        print("\nwhat was done")
        for what, count in sorted(self.tally.did.items()):
            print(f"  {what:<48}{count:>10}")
        print(f"memory of the server: {self.judge_memory()}")
        if took is not None:
            print(f"the end: {took:.2f} s after SIGTERM, status {self.server.returncode}")
        if not self.schemas.definitions:
            print("not checked against the specification's schemas: --schemas or MCP_SCHEMAS names no folder with them")
        for kind, count in self.tally.wrong.most_common():
            print(f"FAULT: {kind}: {count}")
            for example in self.tally.examples[kind]:
                print("    " + example.replace("\n", "\n    "))
        if self.tally.wrong and any(report in text for report in REPORTS):
            print("standard error of the server:\n" + text[:20_000])
        print("FAILED" if self.tally.wrong else "passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--schemas", default=os.environ.get("MCP_SCHEMAS"))
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--lines", type=int, default=64)
    parser.add_argument("--growth", type=float, default=10, help="percent that memory may grow from the second quarter to the last")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    random.seed(options.seed)
    folder = pathlib.Path(options.schemas) if options.schemas else None
    if folder is not None and not (folder / MODERN / "schema.json").exists():
        print(f"{folder} has no {MODERN}/schema.json: answers are not checked against schemas")
        folder = None
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    soak = Soak(options, Schemas(folder))
    with tempfile.TemporaryDirectory() as place:
        soak.show(*asyncio.run(soak.run(place)))
    sys.exit(1 if soak.tally.wrong else 0)


main()
