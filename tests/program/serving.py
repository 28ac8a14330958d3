"""What the tests of `plumbline serve` share: the running server, and one client per transport that all speak alike, so that a
workflow is written once and asked over every one of them."""
import http.client
import json
import os
import queue
import re
import signal
import socket
import ssl
import subprocess
import threading
import urllib.parse

from harness import PLUMBLINE, check, equal

LEGACY, MODERN = "2025-11-25", "2026-07-28"
BOUND = 120  # seconds; only a failure takes that long
PREFIX = "io.modelcontextprotocol/"
YES = {"action": "accept", "content": {"confirm": True}}
NO = {"action": "accept", "content": {"confirm": False}}
DECLINE = {"action": "decline"}


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}


class Server:
    """A server on sockets (and its own standard input with stdio=True). It is there once it has said where it listens."""

    def __init__(self, root, *flags, stdio=False, ends=0, end_signal=signal.SIGTERM, env=None, **more):
        self.ends, self.end_signal, self.lines, self.more_lines = ends, end_signal, [], threading.Condition()
        self.closed = False
        words = [PLUMBLINE, "serve", *(["--stdio"] if stdio else []), *[str(f) for f in flags]]
        if not any(str(f).startswith("--repo-root") for f in flags):
            words += ["--repo-root", str(root.path)]
        self.process = subprocess.Popen(words, cwd=root.path, env={**environment(), **(env or {})}, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, stdin=subprocess.PIPE if stdio else subprocess.DEVNULL, **more)
        threading.Thread(target=self._listen, daemon=True).start()
        places = sum(str(f) in ("--unix", "--tcp", "--http") for f in flags)
        self.wait_for(lambda lines: sum("listening on" in line for line in lines) >= places)
        self.addresses = [line.split("listening on ")[1] for line in self.lines if "listening on" in line]

    def _listen(self):
        for line in self.process.stderr:
            with self.more_lines:
                self.lines.append(line.decode().rstrip("\n"))
                self.more_lines.notify_all()
        with self.more_lines:
            self.closed = True
            self.more_lines.notify_all()

    def wait_for(self, holds):
        """Until `holds` is true of the lines on standard error."""
        with self.more_lines:
            found = self.more_lines.wait_for(lambda: holds(self.lines) or self.closed, BOUND)
            if not (found and holds(self.lines)):
                raise AssertionError("standard error never said it:\n" + "\n".join(self.lines))

    def address(self, scheme):
        return next(a for a in self.addresses if a.startswith(scheme + ":"))

    @property
    def url(self):
        return next(a for a in self.addresses if a.startswith("http"))

    @property
    def port(self):
        return urllib.parse.urlsplit(self.url).port

    def audited(self, count):
        """The audit's first `count` lines, which go to standard error unless a file was named."""
        self.wait_for(lambda lines: sum(line.startswith("{") for line in lines) >= count)
        return [json.loads(line) for line in self.lines if line.startswith("{")][:count]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(self.end_signal)
        status = self.process.wait(BOUND)
        with self.more_lines:  # what it said last may still be on its way
            self.more_lines.wait_for(lambda: self.closed, BOUND)
        if kind is None:
            equal(status, self.ends, "the server's exit status")
            if self.process.stdin is None:
                equal(self.process.stdout.read(), b"", "a server without stdio has nothing for standard output")


class Client:
    """One conversation in one era. `answer`: what is said when the server asks for a confirmation; None = this client cannot be
    asked. What it was asked is kept in `asked`, notifications in `heard`."""

    def __init__(self, era, answer=None, capabilities=None):
        self.era, self.answer, self.next_id = era, answer, 0
        self.capabilities = dict(capabilities or {}, **({"elicitation": {}} if answer else {}))
        self.asked, self.heard = [], []

    def request(self, method, params):
        self.next_id += 1
        if self.era == MODERN:
            claim = {PREFIX + "protocolVersion": MODERN, PREFIX + "clientCapabilities": self.capabilities}
            params = dict(params, _meta=dict(claim, **params.get("_meta", {})))
        return {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}

    def initialize(self):
        answered = self.ask("initialize", protocolVersion=LEGACY, capabilities=self.capabilities,
                            clientInfo={"name": "test", "version": "1"})
        equal(answered["result"]["protocolVersion"], LEGACY, "initialize")
        self.notify("notifications/initialized")

    def ask(self, method, /, **params):
        """The answering message: it has a result or an error."""
        return self.exchange(self.request(method, params))

    def get(self, method, /, **params):
        answered = self.ask(method, **params)
        if "result" not in answered:
            raise AssertionError(f"{method} {params}: {answered}")
        return answered["result"]

    def call(self, tool, /, **arguments):
        """A tool's result. A modern client that is asked something calls again with its answer."""
        result = self.get("tools/call", name=tool, arguments=arguments)
        if result.get("resultType") != "input_required":
            return result
        self.asked += [one["params"] for one in result["inputRequests"].values()]
        return self.get("tools/call", name=tool, arguments=arguments, requestState=result["requestState"],
                        inputResponses={key: self.answer for key in result["inputRequests"]})

    def value(self, tool, /, **arguments):
        result = self.call(tool, **arguments)
        if result["isError"]:
            raise AssertionError(f"{tool} {arguments}: {result}")
        return result["structuredContent"]

    def problem(self, tool, /, **arguments):
        """The error {code, message, hint} that a tool answers."""
        result = self.call(tool, **arguments)
        check(result["isError"], f"{tool} {arguments} was to fail: {result}")
        return json.loads(result["content"][0]["text"])

    def reply_to(self, message):
        """What a legacy client says to the server's own request."""
        self.asked.append(message["params"])
        return {"jsonrpc": "2.0", "id": message["id"], "result": self.answer}


class Lines(Client):
    """A conversation of lines over a pair of files: pipes, a Unix socket, TCP, TLS."""

    def __init__(self, reader, writer, era=LEGACY, answer=None, capabilities=None, opened=None, token=None):
        super().__init__(era, answer, capabilities)
        self.reader, self.writer, self.opened, self.answers = reader, writer, opened, {}
        if token is not None:
            self.authorized = self.exchange({"jsonrpc": "2.0", "id": "a", "method": "plumbline/authorize", "params": {"token": token}})
        if era == LEGACY:
            self.initialize()

    @classmethod
    def to(cls, address, era=LEGACY, tls=None, **more):
        opened = connect(address, tls)
        return cls(opened.makefile("rb"), opened.makefile("wb"), era, opened=opened, **more)

    @classmethod
    def of(cls, process, era=LEGACY, **more):
        return cls(process.stdout, process.stdin, era, **more)

    def send(self, *messages):
        self.writer.write(b"".join(json.dumps(m).encode() + b"\n" for m in messages))
        self.writer.flush()

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self):
        """The next message, after it was put where it belongs; None at the end."""
        line = self.reader.readline()
        if not line:
            return None
        message = json.loads(line)
        if "method" not in message:
            check(message.get("id") not in self.answers, f"one answer for {message.get('id')}")
            self.answers[message.get("id")] = message
        elif "id" in message:
            self.send(self.reply_to(message))
        else:
            self.heard.append(message)
        return message

    def wait(self, identifier):
        while identifier not in self.answers:
            if self.receive() is None:
                raise AssertionError(f"the server hung up before it answered {identifier!r}")
        return self.answers[identifier]

    def wait_heard(self, method):
        while not any(m["method"] == method for m in self.heard):
            if self.receive() is None:
                raise AssertionError(f"the server hung up before it sent {method}")
        return next(m for m in self.heard if m["method"] == method)

    def exchange(self, message):
        self.send(message)
        return self.wait(message["id"])

    def end(self):
        """Ends our half; what is still said comes back."""
        if self.opened is not None:
            self.opened.shutdown(socket.SHUT_WR)
        else:
            self.writer.close()
        return self.reader.read()


class Http(Client):
    """Streamable HTTP: a POST per message. Answers come as JSON or as an event stream, whichever the server likes."""

    def __init__(self, url, era=LEGACY, answer=None, capabilities=None, token=None, tls=None, headers=None):
        super().__init__(era, answer, capabilities)
        self.url, self.tls, self.headers, self.status, self.answered_headers = url, tls, dict(headers or {}), None, {}
        if token is not None:
            self.headers["Authorization"] = "Bearer " + token
        if era == LEGACY:
            self.initialize()

    def open(self, method, message=None, headers=None, path=None):
        """A response whose head is there; its connection lives as long as it does."""
        parts = urllib.parse.urlsplit(self.url)
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=BOUND, **({"context": self.tls} if self.tls else {}))
        given = {"Accept": "application/json, text/event-stream", **self.headers, **(headers or {})}
        body = None
        if message is not None:
            given.setdefault("Content-Type", "application/json")
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
        connection.request(method, path or parts.path, body, given)
        response = connection.getresponse()
        response.connection = connection
        return response

    def routing(self, message):
        """The headers that the modern era wants to agree with the body."""
        params = message.get("params", {})
        name = params.get("name") or params.get("uri") or params.get("taskId")
        routed = {"MCP-Protocol-Version": self.era, "Mcp-Method": message["method"]}
        return dict(routed, **({"Mcp-Name": name} if name else {})) if self.era == MODERN else {}

    def post(self, message):
        return self.open("POST", message, self.routing(message))

    def exchange(self, message):
        response = self.post(message)
        self.status, self.answered_headers = response.status, response.headers
        if message["method"] == "initialize" and response.getheader("Mcp-Session-Id"):
            self.headers.update({"Mcp-Session-Id": response.getheader("Mcp-Session-Id"), "MCP-Protocol-Version": LEGACY})
        if response.getheader("Content-Type", "").startswith("text/event-stream"):
            for event in self.events(response):
                if event.get("id") == message["id"] and "method" not in event:
                    return event
            raise AssertionError(f"the stream ended without an answer to {message['method']}")
        text = response.read()
        return json.loads(text) if text else None

    def events(self, response):
        """The messages of an event stream, one by one; requests of the server are answered on the way."""
        data = []
        for line in iter(response.readline, b""):
            line = line.decode().rstrip("\r\n")
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif line == "" and any(data):
                message = json.loads("\n".join(data))
                if "method" in message and "id" in message:
                    equal(self.open("POST", self.reply_to(message)).status, 202, "an answer of ours is taken")
                elif "method" in message:
                    self.heard.append(message)
                data = []
                yield message
            elif line == "":
                data = []

    def notify(self, method, **params):
        equal(self.open("POST", {"jsonrpc": "2.0", "method": method, "params": params}).status, 202, method)

    def end(self):
        if self.era == LEGACY:
            equal(self.open("DELETE").status, 204, "the end of a session")


class Stream:
    """A response that lasts, read on a thread of its own."""

    def __init__(self, client, response):
        self.messages, self.client = queue.Queue(), client
        equal((response.status, response.getheader("Content-Type")), (200, "text/event-stream"), "a stream that lasts")
        threading.Thread(target=self._read, args=(response,), daemon=True).start()

    def _read(self, response):
        for message in self.client.events(response):
            self.messages.put(message)
        self.messages.put(None)

    def next(self):
        return self.messages.get(timeout=BOUND)


def connect(address, tls=None):
    """A socket to "unix:PATH", "tcp://HOST:PORT", "tls://HOST:PORT" or the place of a URL."""
    if address.startswith("unix:"):
        opened = socket.socket(socket.AF_UNIX)
        opened.settimeout(BOUND)
        opened.connect(address[5:])
        return opened
    parts = urllib.parse.urlsplit(address)
    opened = socket.create_connection((parts.hostname, parts.port), BOUND)
    return tls.wrap_socket(opened, server_hostname=parts.hostname) if tls else opened


def raw(address, *pieces, tls=None):
    """Sends bytes and gives everything that comes back until the server closes; it may close while we still send."""
    with connect(address, tls) as opened:
        try:
            for piece in pieces:
                opened.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        got = b""
        try:
            while piece := opened.recv(65536):
                got += piece
        except ConnectionResetError:
            pass
        return got


def trusting(authority, certificate=None, key=None):
    context = ssl.create_default_context(cafile=str(authority))
    if certificate is not None:
        context.load_cert_chain(str(certificate), str(key))
    return context


def published(root):
    """Everything that a registry holds, and anything left half written."""
    base = root.path / "experiments"
    return sorted(str(p.relative_to(root.path)) for p in base.rglob("*") if p.is_file()) if base.exists() else []


def alike(value):
    """`value` without what differs between any two runs: times, digests, and who asked."""
    text = json.dumps(value, sort_keys=True)
    for pattern, word in ((r"\d{8}T\d{12}Z", "SLUG"), (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"), (r"\b[0-9a-f]{64}\b", "SHA256"),
                          (r"\bwf-[a-z-]+", "FAMILY")):
        text = re.sub(pattern, word, text)
    return json.loads(text)
