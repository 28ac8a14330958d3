#!/usr/bin/env python3
"""Who is let in, and what is written down about them: addresses, Origin and Host, tokens, certificates, read-only servers, rates and
the audit log."""
import base64
import hashlib
import http.client
import json
import signal
import ssl
import stat
import subprocess
import time
import warnings

from harness import Root, check, equal, finish
from serving import LEGACY, MODERN, YES, Http, Lines, Server, connect, published, raw, trusting

ALICE, READER = "alice-alice-alice-alice", "reader-reader-reader"
TOKENS = f"# who may come\nalice {ALICE}\nreader {READER} read\n"
QUIET = ("--audit-log", "off")
RECORD = {"family": "f", "measurement": "m", "source": "a.json"}


def secret(root, name, content):
    path = root.write(name, content)
    path.chmod(0o600)
    return path


def refused(root, *flags):
    """What `serve` says when it does not start: the exit status and the two lines on standard error."""
    done = root.run("serve", *flags)
    equal(done.stdout, "", f"{flags}: nothing on standard output")
    lines = done.stderr.splitlines()
    return done.returncode, lines[0].removeprefix("plumbline: error: "), lines[1].removeprefix("hint: ") if len(lines) > 1 else ""


# What is not safe to start does not start, and says what would be.
with Root() as root:
    at = ("--repo-root", root.path)
    tokens = secret(root, "tokens", TOKENS)
    needs = "give --token-file FILE, or --tls-cert, --tls-key and --tls-client-ca; 127.0.0.1 needs none"
    for flag in ("--http", "--tcp"):
        status, message, hint = refused(root, flag, "0.0.0.0:0", *at)
        equal((status, message.split(":", 1)[0], message.split(" ", 1)[1], hint),
              (2, "0.0.0.0", "can be reached from other machines: that needs credentials", needs), flag)
    equal(refused(root, "--http", "127.0.0.1:0")[:2], (2, "a server on sockets is confined to a repository, and there is none here"), "no root")
    equal(refused(root, "--http", "127.0.0.1:0", "--tls-cert", "c.pem", *at)[:2], (2, "--tls-cert and --tls-key belong together"), "no key")
    equal(refused(root, "--token-file", tokens, *at), (2, "--token-file has nothing to guard", "add --http HOST:PORT or --tcp HOST:PORT"), "no door")
    equal(refused(root, "--http", "4711", *at)[:2], (2, '"4711" is not HOST:PORT: there is no port'), "no host")
    equal(refused(root, "--http", "127.0.0.1:0", "--log-level", "loud", *at)[0], 2, "no such level")
    start = ("--http", "127.0.0.1:0", "--token-file", tokens, *at)
    tokens.chmod(0o644)
    equal(refused(root, *start), (2, f"{tokens} can be read or changed by other accounts (mode 0644)", f"chmod 600 {tokens}"),
          "mode of the token file")
    for content, message in (("", f"{tokens} holds no token"), ("alice\n", f"{tokens}:1: the token is missing"),
                             ("a b\n", f"{tokens}:1: a token has 16 to 512 visible ASCII characters, this one does not"),
                             (f"alice {ALICE} admin\n", f"{tokens}:1: what follows the token is neither read nor write"),
                             (TOKENS + f"eve {ALICE}\n", f"{tokens}:4: the token is that of line 2")):
        status, said, hint = refused(root, "--http", "127.0.0.1:0", "--token-file", secret(root, "tokens", content), *at)
        equal((status, said), (2, message), "a token file that is none")
        check(ALICE not in said + hint, "no token is ever printed")
    equal(refused(root, "--http", "127.0.0.1:0", "--token-file", root.path / "absent", *at)[0], 2, "no token file")

# Without credentials a server is for programs of this machine: not for pages of other sites, nor for names that were rebound.
with Root() as root:
    with Server(root, "--http", "127.0.0.1:0", "--allow-origin", "https://perf.example", "--allow-host", "perf.example", *QUIET) as server:
        client = Http(server.url, MODERN)
        request = client.request("tools/list", {})

        def with_headers(**headers):
            return client.open("POST", request, {**client.routing(request), **{k.replace("_", "-"): v for k, v in headers.items()}})

        port = server.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "localhost", "perf.example"):
            equal(with_headers(Host=host).status, 200, f"Host {host}")
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "169.254.169.254", f"127.0.0.1.evil.example:{port}"):
            answered = with_headers(Host=host)
            equal((answered.status, json.loads(answered.read())["error"]["code"]), (403, 403), f"Host {host}")
        for origin in ("https://evil.example", "null", "http://localhost.evil.example", "file://"):
            equal(with_headers(Origin=origin).status, 403, f"Origin {origin}")
        equal(with_headers(Origin=f"http://localhost:{port}").status, 200, "a page of this machine")
        page = with_headers(Origin="https://perf.example")
        equal((page.status, page.getheader("Access-Control-Allow-Origin")), (200, "https://perf.example"), "a page that was named")
        equal(client.open("GET", path="/healthz", headers={"Host": "evil.example"}).status, 403, "that holds for every path")
        equal(client.open("GET", path="/.well-known/oauth-protected-resource/mcp").status, 404, "no credentials, no metadata about them")

# Tokens. Who has none, a wrong one, one in the URL or one that may only read is told so in the words of RFC 6750 and RFC 9728.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    tokens = secret(root, "tokens", TOKENS)
    audit = root.path / "audit.log"
    with Server(root, "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--token-file", tokens, "--audit-log", audit) as server:
        client = Http(server.url, MODERN)
        request = client.request("tools/list", {})
        metadata = f"http://127.0.0.1:{server.port}/.well-known/oauth-protected-resource/mcp"

        def answer(path=None, message=request, **headers):
            answered = client.open("POST", message, {**client.routing(message), **headers}, path)
            return answered.status, answered.getheader("WWW-Authenticate"), json.loads(answered.read())

        scope = f'scope="plumbline:read", resource_metadata="{metadata}"'
        status, challenge, body = answer()
        equal((status, challenge, body["error"]["code"], "id" in body), (401, "Bearer " + scope, 401, False), "no token")
        status, challenge, _ = answer(Authorization="Bearer wrong-wrong-wrong-wrong")
        equal((status, challenge), (401, 'Bearer error="invalid_token", error_description="the token is not known", ' + scope), "a wrong token")
        for cut in (ALICE[:-1], ALICE + "a", ALICE.upper()):
            equal(answer(Authorization="Bearer " + cut)[0], 401, "nearly the token")
        for scheme in ("Basic YWxpY2U6", "bearer"):
            check(answer(Authorization=scheme)[0] in (400, 401), f"{scheme} is none")
        for path in (f"/mcp?access_token={ALICE}", f"/mcp?x=1&ACCESS_TOKEN={ALICE}"):
            status, challenge, body = answer(path, Authorization="Bearer " + ALICE)
            equal(status, 400, "a token in the URL is refused, even beside one in the header")
            check(challenge.startswith('Bearer error="invalid_request"'), f"the challenge: {challenge}")
            check(ALICE not in challenge + json.dumps(body), "the token is not repeated")
        equal(answer(Authorization="bearer " + ALICE)[0], 200, "the token")
        document = json.loads(client.open("GET", path="/.well-known/oauth-protected-resource/mcp").read())
        equal((document["resource"], document["scopes_supported"], document["bearer_methods_supported"]),
              (server.url, ["plumbline:read", "plumbline:write"], ["header"]), "the metadata that the challenge names")
        equal(client.open("GET").status, 401, "no listening without a token")
        equal(client.open("DELETE").status, 401, "no end of a session either")

        for era in (MODERN, LEGACY):
            reader = Http(server.url, era, token=READER)
            equal(reader.value("measurement_inspect", path="a.json")["row_count"], 1, f"a token to read reads ({era})")
            said = reader.ask("tools/call", name="perf_baseline_record", arguments=RECORD)
            equal((reader.status, said["error"]["code"], reader.answered_headers["WWW-Authenticate"]),
                  (403, 403, 'Bearer error="insufficient_scope", error_description="the token does not allow writing", '
                             f'scope="plumbline:read plumbline:write", resource_metadata="{metadata}"'), f"and does not write ({era})")
            equal(said["error"]["message"], 'the token "reader" only reads, and perf_baseline_record writes: '
                                            "a token with the permission write may call it", f"and what would allow it ({era})")
            words = ["--family", "f", "--measurement", "m", "--source", "a.json"]
            said = reader.ask("tools/call", name="perf_baseline_record", arguments={"args": words})
            equal(said["error"]["code"], 403, f"nor in the older form ({era})")
        equal(published(root), [], "nothing was written")
        alice = Http(server.url, LEGACY, token=ALICE)
        thief = Http(server.url, MODERN, token=READER)
        thief.era, thief.headers["Mcp-Session-Id"] = LEGACY, alice.headers["Mcp-Session-Id"]
        equal(thief.open("POST", thief.request("ping", {})).status, 404, "a session exists for its owner alone")

        # Sockets of lines: the token is the first message; nothing else is answered before it, and three failures are enough.
        authorized = Lines.to(server.address("tcp"), token=ALICE)
        equal(authorized.authorized, {"jsonrpc": "2.0", "id": "a", "result": {}}, "plumbline/authorize")
        equal(len(authorized.get("tools/list")["tools"]), 9, "then everything")
        reader = Lines.to(server.address("tcp"), token=READER)
        equal(reader.ask("tools/call", name="perf_baseline_record", arguments=RECORD)["error"]["code"], 403, "a token to read")
        early = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
        said = [json.loads(line) for line in raw(server.address("tcp"), early % 1, early % 2, early % 3, early % 4).splitlines()]
        equal([(m["id"], m["error"]["code"], m["error"]["message"]) for m in said],
              [(n, 401, "unauthorized: send plumbline/authorize with a token first") for n in (1, 2, 3)], "three failures close the connection")
        guess = b'{"jsonrpc":"2.0","id":%d,"method":"plumbline/authorize","params":{"token":"guess-guess-guess-%d"}}\n'
        equal(len(raw(server.address("tcp"), *[guess % (n, n) for n in range(5)]).splitlines()), 3, "three guesses a connection")

        # SIGHUP reads the file again: who is no longer in it is out at once, a file that is none changes nothing.
        tokens.write_text(f"reader {READER} read\n")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda lines: any("tokens read again" in line for line in lines))
        equal(answer(Authorization="Bearer " + ALICE)[0], 401, "a token that was revoked")
        equal(alice.open("POST", alice.request("ping", {})).status, 401, "a session does not outlive it")
        equal(answer(Authorization="Bearer " + READER)[0], 200, "the other one goes on")
        tokens.write_text("reader short\n")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda lines: any("tokens not read again, what was there stays in use" in line for line in lines))
        equal(answer(Authorization="Bearer " + READER)[0], 200, "what was there stays in use")
        check(not any(ALICE in line or READER in line for line in server.lines), "no token in the log")

    # The audit: a line per call, with who, what, a digest, how it ended and how long; never an argument or a token.
    equal(stat.S_IMODE(audit.stat().st_mode), 0o600, "mode of the audit log")
    text = audit.read_text()
    calls = [json.loads(line) for line in text.splitlines()]
    equal([(c["who"], c["how"], c["tool"], c["outcome"], c["code"]) for c in calls if c["tool"] == "perf_baseline_record"],
          [("reader", "token", "perf_baseline_record", "refused", "403")] * 5, "who was refused what")
    inspected = [c for c in calls if c["tool"] == "measurement_inspect"]
    equal([(c["who"], c["outcome"], c["arguments_sha256"]) for c in inspected],
          [("reader", "ok", hashlib.sha256(b'{"path":"a.json"}').hexdigest())] * 2, "arguments are a digest of what was received")
    for call in calls:
        equal(sorted(call), ["arguments_sha256", "bytes", "code", "duration_ms", "how", "outcome", "peer", "time", "tool", "who"], "a line")
        check(call["duration_ms"] >= 0 and call["peer"].startswith("127.0.0.1:"), f"{call}")
    check(not any(word in text for word in ("a.json", ALICE, READER)), f"no argument and no token: {text}")

# A server that only reads, and one that lets each client call so often.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    with Server(root, "--http", "127.0.0.1:0", "--read-only", *QUIET) as server:
        for era in (LEGACY, MODERN):
            client = Http(server.url, era, YES)
            listed = client.get("tools/list")["tools"]
            check(listed and all(t["annotations"]["readOnlyHint"] for t in listed), f"only what reads is listed: {listed}")
            for tool, arguments in (("perf_baseline_record", RECORD), ("perf_baseline_accept", {"baseline": "f/m", "reason": "r"})):
                check("--read-only" in client.problem(tool, **arguments)["hint"], f"{tool} is refused")
            equal(client.asked, [], "nobody is asked about what cannot be")
        equal(published(root), [], "nothing was written")
    with Server(root, "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--rate", "0.001", *QUIET) as server:
        client = Http(server.url, MODERN)
        equal(client.value("measurement_inspect", path="a.json")["row_count"], 1, "the first call")
        said = client.ask("tools/call", name="measurement_inspect", arguments={"path": "a.json"})
        equal((client.status, said["error"]["code"], said["error"]["message"]), (429, 429, "a client may make 0.001 calls a second"), "the second")
        equal(int(client.answered_headers["Retry-After"]), said["error"]["data"]["retryAfterSeconds"], "when to come again")
        check(900 <= said["error"]["data"]["retryAfterSeconds"] <= 1000, f"not before the bucket holds a call: {said}")
        equal(len(client.get("tools/list")["tools"]), 9, "what costs nothing is not counted")
        lines = Lines.to(server.address("tcp"))
        said = lines.ask("tools/call", name="measurement_inspect", arguments={"path": "a.json"})
        equal(said["error"]["code"], 429, "over another transport it is the same client")


def openssl(root, *words):
    return subprocess.run(["openssl", *[str(w) for w in words]], cwd=root.path, check=True, capture_output=True).stdout


def authority(root, name):
    openssl(root, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-addext", "keyUsage=critical,keyCertSign", "-keyout", f"{name}.key", "-out", f"{name}.pem")


def certificate(root, name, issuer, extension):
    root.write(f"{name}.ext", extension)
    openssl(root, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
            "-out", f"{name}.csr")
    openssl(root, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-CAcreateserial", "-days", "2",
            "-extfile", f"{name}.ext", "-out", f"{name}.pem")
    (root.path / f"{name}.key").chmod(0o600)


def cannot(call, what):
    """TLS fails, in the handshake or (TLS 1.3, where the client's certificate comes last) with the first bytes."""
    try:
        call()
    except (ssl.SSLError, ConnectionError, http.client.BadStatusLine, AssertionError):
        return check(True, what)
    return check(False, what)


# TLS, and certificates as credentials: also on addresses that others can reach.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    for name in ("lab", "strangers"):
        authority(root, name)
    certificate(root, "server", "lab", "subjectAltName=IP:127.0.0.1\n")
    certificate(root, "ci-runner", "lab", "extendedKeyUsage=clientAuth\n")
    certificate(root, "eve", "strangers", "extendedKeyUsage=clientAuth\n")
    at = root.path
    tls = ("--tls-cert", at / "server.pem", "--tls-key", at / "server.key")
    plain = trusting(at / "lab.pem")
    with Server(root, "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", *tls, *QUIET) as server:
        check(server.url.startswith("https://") and server.address("tls"), f"{server.addresses}")
        for client in (Http(server.url, LEGACY, tls=plain), Http(server.url, MODERN, tls=plain), Lines.to(server.address("tls"), tls=plain)):
            equal(client.value("measurement_inspect", path="a.json")["row_count"], 1, "over TLS")
        clear = raw(server.url, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        check(not clear.startswith(b"HTTP"), f"no HTTP in the clear: {clear}")
        cannot(lambda: Http(server.url, LEGACY, tls=trusting(at / "strangers.pem")), "the certificate is the lab's, and no other")
        old = trusting(at / "lab.pem")
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        cannot(lambda: connect(server.address("tls"), old), "TLS 1.1")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_2
        equal(connect(server.address("tls"), old).version(), "TLSv1.2", "TLS 1.2")
        server.process.send_signal(signal.SIGHUP)
        server.wait_for(lambda lines: any("certificates read again" in line for line in lines))
        equal(Lines.to(server.address("tls"), tls=plain).get("ping"), {}, "after the certificates were read again")
    with Server(root, "--http", "0.0.0.0:0", "--tcp", "0.0.0.0:0", *tls, "--tls-client-ca", at / "lab.pem") as server:
        url = f"https://127.0.0.1:{server.port}/mcp"
        lines = server.address("tls").replace("0.0.0.0", "127.0.0.1")
        ours = trusting(at / "lab.pem", at / "ci-runner.pem", at / "ci-runner.key")
        for client in (Http(url, LEGACY, tls=ours), Http(url, MODERN, tls=ours), Lines.to(lines, tls=ours)):
            equal(client.value("measurement_inspect", path="a.json")["row_count"], 1, "with a certificate of the lab's")
        equal([(c["who"], c["how"], c["tool"]) for c in server.audited(3)], [("ci-runner", "certificate", "measurement_inspect")] * 3,
              "its name is who called")
        for what, context in {"no certificate": plain, "a stranger's": trusting(at / "lab.pem", at / "eve.pem", at / "eve.key")}.items():
            cannot(lambda context=context: Http(url, LEGACY, tls=context), f"HTTP with {what}")
            cannot(lambda context=context: Lines.to(lines, tls=context), f"lines with {what}")
        equal(len(server.audited(3)), 3, "nobody else called anything")
    (at / "server.key").chmod(0o644)
    equal(refused(root, "--http", "127.0.0.1:0", *tls, "--repo-root", at)[:2],
          (2, f"{at}/server.key can be read or changed by other accounts (mode 0644)"), "a key that others can read")
    (at / "server.key").chmod(0o600)
    status, message, _ = refused(root, "--http", "127.0.0.1:0", "--tls-cert", at / "server.pem", "--tls-key", at / "eve.key", "--repo-root", at)
    equal((status, "the key does not belong to the certificate" in message), (2, True), f"somebody else's key: {message}")
    tokens = secret(root, "tokens", TOKENS)
    with Server(root, "--http", "0.0.0.0:0", "--token-file", tokens, *tls, *QUIET) as server:
        url = f"https://127.0.0.1:{server.port}/mcp"
        equal(Http(url, MODERN, tls=plain).open("POST", b"{}").status, 401, "other addresses, no token")
        equal(len(Http(url, MODERN, tls=plain, token=ALICE).get("tools/list")["tools"]), 9, "other addresses, a token")


def base64url(raw_bytes):
    return base64.urlsafe_b64encode(raw_bytes).rstrip(b"=").decode()


def jwt(root, key, claims, algorithm="RS256", kid="lab-1"):
    """An access token, signed by the openssl command."""
    signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": algorithm, "typ": "at+jwt", "kid": kid}, claims))
    done = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(root.path / key)], input=signed.encode(), check=True, capture_output=True)
    return signed + "." + base64url(done.stdout)


# An authorization server's access tokens: its keys come from a file, and every claim counts.
with Root() as root:
    root.write("a.json", {"latency_ms": 1})
    for key in ("lab.key", "other.key"):
        openssl(root, "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)
    modulus = openssl(root, "rsa", "-in", "lab.key", "-noout", "-modulus").decode().strip().split("=")[1]
    keys = root.write("keys.json", {"keys": [{"kty": "RSA", "kid": "lab-1", "use": "sig", "e": "AQAB", "n": base64url(bytes.fromhex(modulus))}]})
    public, issuer = "https://perf.example/mcp", "https://login.example"
    oauth = ("--oauth-issuer", issuer, "--oauth-keys", keys)
    equal(refused(root, "--http", "127.0.0.1:0", *oauth, "--repo-root", root.path),
          (2, "--oauth-issuer needs --public-url: it is the audience that access tokens must name", "--public-url https://HOST/mcp"),
          "no audience")
    with Server(root, "--http", "127.0.0.1:0", *oauth, "--public-url", public, "--allow-host", "perf.example") as server:
        good = {"iss": issuer, "aud": public, "sub": "agent-7", "exp": int(time.time()) + 600, "scope": "plumbline:read plumbline:write"}
        client = Http(server.url, MODERN, token=jwt(root, "lab.key", good))
        equal(client.value("perf_baseline_record", **RECORD)["rows"], 1, "a token of the issuer's")
        [line] = server.audited(1)
        equal((line["who"], line["how"]), ("agent-7", "oauth"), "its subject is who called")
        reader = Http(server.url, MODERN, token=jwt(root, "lab.key", dict(good, scope="plumbline:read")))
        equal(reader.value("measurement_inspect", path="a.json")["row_count"], 1, "a scope to read")
        said = reader.ask("tools/call", name="perf_baseline_record", arguments=RECORD)
        equal((said["error"]["code"], reader.status), (403, 403), "does not write")
        for what, token in {"expired": jwt(root, "lab.key", dict(good, exp=int(time.time()) - 600)),
                            "of another issuer": jwt(root, "lab.key", dict(good, iss="https://evil.example")),
                            "for another audience": jwt(root, "lab.key", dict(good, aud="https://other.example/mcp")),
                            "signed by another key": jwt(root, "other.key", good), "of an unknown key": jwt(root, "lab.key", good, kid="lab-2"),
                            "without an end": jwt(root, "lab.key", {k: v for k, v in good.items() if k != "exp"}),
                            "not signed": ".".join([base64url(b'{"alg":"none","kid":"lab-1"}'), base64url(json.dumps(good).encode()), ""]),
                            "signed by a shared secret": jwt(root, "lab.key", good, algorithm="HS256")}.items():
            stranger = Http(server.url, MODERN, token=token)
            answered = stranger.open("POST", stranger.request("tools/list", {}), stranger.routing({"method": "tools/list"}))
            challenge = answered.getheader("WWW-Authenticate")
            equal(answered.status, 401, f"a token {what}")
            check(challenge.startswith('Bearer error="invalid_token"') and token not in challenge, f"a token {what}: {challenge}")
        equal(Http(server.url, MODERN, token=jwt(root, "lab.key", dict(good, scope="other"))).open("POST", b"{}").status, 403, "no scope of ours")
        document = json.loads(client.open("GET", path="/.well-known/oauth-protected-resource/mcp", headers={"Host": "perf.example"}).read())
        equal((document["resource"], document["authorization_servers"]), (public, [issuer]), "where clients find the issuer")

finish()
