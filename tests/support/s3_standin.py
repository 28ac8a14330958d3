#!/usr/bin/env python3
"""A stand-in for an S3 server, for tests: objects in memory, signatures of version 4 checked on their own, conditions honoured.
It misbehaves where it is told to: --ignore-condition, --versioned, --no-condition, --lose N, --busy N, --conflict N, --slow MS, --deny TEXT,
--forget-metadata, --no-etags, --lists HOW, --first-puts HOW:N. With --google it wants signatures and conditions as Google Cloud Storage does,
as far as its documentation tells; with --tls CERTIFICATE KEY it speaks TLS.
It is no server for anything else. Prints its port, and serves until its standard input ends."""
import argparse
import calendar
import collections
import hashlib
import hmac
import http.server
import json
import os
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEY, SECRET = "TESTKEY", "test/secret+key"
ROLE_KEY, ROLE_SECRET, ROLE_TOKEN = "ROLEKEY", "role/secret+key", "role//token=="
EMPTY = hashlib.sha256(b"").hexdigest()


Dialect = collections.namedtuple("Dialect", "algorithm key prefix scope")
AMAZON = Dialect("AWS4-HMAC-SHA256", "AWS4", "x-amz-", ["s3", "aws4_request"])
GOOGLE = Dialect("GOOG4-HMAC-SHA256", "GOOG4", "x-goog-", ["storage", "goog4_request"])


class Bucket:
    def __init__(self):
        self.objects = {}  # key -> (bytes, headers)


class State:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.buckets = {name: Bucket() for name in options.buckets.split(",")}
        self.counts = {"requests": 0, "puts": 0, "lost": 0, "busy": 0, "unsigned": 0}
        self.log = []

    def every(self, name, n):
        """True at each n-th call."""
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
            return n > 0 and self.counts[name] % n == 0


def uri(text, slash=""):
    return urllib.parse.quote(text, safe="-._~" + slash)


def sign(secret, scope, text, begins="AWS4"):
    key = (begins + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "s3-standin"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def log_message(self, *args):
        pass

    @property
    def state(self):
        return self.server.state

    def answer(self, status, body=b"", headers=()):
        if isinstance(body, str):
            body = body.encode()
        self.send_response(status)
        if self.state.options.versioned:
            self.send_header("x-amz-request-id", "tx00000000000000000001a-0063-1-default")
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, message=""):
        self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{escape(message)}</Message></Error>",
                    [("Content-Type", "application/xml")])

    def check_signature(self, body):
        """The name of what is wrong; None: the signature is right. Written from the specification, not from the program's code."""
        given = self.headers.get("Authorization", "")
        if "X-Amz-Signature=" in self.path:
            return "InvalidArgument" if given else self.check_permit(body)
        dialect = GOOGLE if self.state.options.google else AMAZON
        if not given.startswith(dialect.algorithm + " "):
            return "AccessDenied"
        fields = dict(part.strip().split("=", 1) for part in given[len(dialect.algorithm) + 1:].split(","))
        key, scope = fields["Credential"].split("/", 1)
        secrets = {KEY: SECRET, ROLE_KEY: ROLE_SECRET}
        if key not in secrets:
            return "InvalidAccessKeyId"
        if key == ROLE_KEY and self.headers.get("x-amz-security-token") != ROLE_TOKEN:
            return "InvalidToken"
        names = fields["SignedHeaders"].split(";")
        prefix = dialect.prefix
        if "host" not in names or prefix + "date" not in names or prefix + "content-sha256" not in names:
            return "SignatureDoesNotMatch"
        for name in self.headers:
            low = name.lower()
            if (low.startswith(prefix) or low == "if-none-match") and low not in names:
                return "SignatureDoesNotMatch"
        path, _, query = self.path.partition("?")
        pairs = sorted((uri(urllib.parse.unquote(name)), uri(urllib.parse.unquote(value)))
                       for name, _, value in (part.partition("=") for part in query.split("&") if part))
        stamp = self.headers[prefix + "date"]
        if abs(time.time() - time.mktime(time.strptime(stamp, "%Y%m%dT%H%M%SZ")) + time.timezone) > 900:
            return "RequestTimeTooSkewed"
        if scope.split("/")[0] != stamp[:8] or scope.split("/")[2:] != dialect.scope:
            return "SignatureDoesNotMatch"
        payload = self.headers[prefix + "content-sha256"]
        if payload != hashlib.sha256(body).hexdigest():
            return "XAmzContentSHA256Mismatch"
        canonical = "\n".join([self.command, uri(urllib.parse.unquote(path), "/"), "&".join("=".join(pair) for pair in pairs)]
                              + [f"{name}:{' '.join(self.headers[name].split())}" for name in names]
                              + ["", ";".join(names), payload])
        text = "\n".join([dialect.algorithm, stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        return None if hmac.compare_digest(sign(secrets[key], scope, text, dialect.key), fields["Signature"]) else "SignatureDoesNotMatch"

    def check_permit(self, body):
        """The same of a signature in the address."""
        path, _, text = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(text, strict_parsing=True))
        signature = query.pop("X-Amz-Signature")
        key, scope = query["X-Amz-Credential"].split("/", 1)
        begun = calendar.timegm(time.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ"))
        if key != KEY or query["X-Amz-Algorithm"] != "AWS4-HMAC-SHA256" or not begun <= time.time() + 900:
            return "InvalidAccessKeyId"
        if time.time() > begun + int(query["X-Amz-Expires"]):
            return "AccessDenied"
        names = query["X-Amz-SignedHeaders"].split(";")
        if any(name not in self.headers for name in names):
            return "SignatureDoesNotMatch"
        payload = self.headers.get("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
        if payload not in ("UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()):
            return "XAmzContentSHA256Mismatch"
        canonical = "\n".join([self.command, uri(urllib.parse.unquote(path), "/"), "&".join(f"{uri(n)}={uri(v)}" for n, v in sorted(query.items()))]
                              + [f"{name}:{' '.join(self.headers[name].split())}" for name in names] + ["", ";".join(names), payload])
        to_sign = "\n".join(["AWS4-HMAC-SHA256", query["X-Amz-Date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
        return None if hmac.compare_digest(sign(SECRET, scope, to_sign), signature) else "SignatureDoesNotMatch"

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        options, state = self.state.options, self.state
        if self.path.startswith("/latest/"):
            return self.metadata()
        if self.command == "POST" and self.path == "/":
            return self.token_service(body)
        if self.path == "/_counts":
            with state.lock:
                return self.answer(200, json.dumps(state.counts))
        if self.path == "/_log":
            with state.lock:
                return self.answer(200, json.dumps(state.log))
        if self.path == "/_reset":
            with state.lock:
                state.counts = {name: 0 for name in state.counts}
                state.log = []
                return self.answer(200)
        with state.lock:
            state.counts["requests"] += 1
            state.log.append(self.command + " " + self.path)
        if options.slow:
            time.sleep(options.slow / 1000)
        wrong = self.check_signature(body)
        if wrong:
            with state.lock:
                state.counts["unsigned"] += 1
            return self.refuse(403, wrong, "the signature is not what it should be")
        if state.every("busy_at", options.busy):
            return self.answer(503, "<Error><Code>SlowDown</Code></Error>", [("Retry-After", "0")])
        path, _, query_text = self.path.partition("?")
        name, _, key = urllib.parse.unquote(path).lstrip("/").partition("/")
        bucket = state.buckets.get(name)
        if bucket is None:
            return self.refuse(404, "NoSuchBucket", "there is no such bucket")
        query = dict(urllib.parse.parse_qsl(query_text, keep_blank_values=True))
        if not key:
            return self.bucket_question(bucket, query)
        if self.command == "PUT":
            return self.put(bucket, key, body)
        if self.command == "DELETE":
            with state.lock:
                bucket.objects.pop(key, None)
            return self.answer(204)
        with state.lock:
            found = bucket.objects.get(key)
        if found is None:
            return self.refuse(404, "NoSuchKey", "there is no such key")
        return self.answer(200, found[0], found[1])

    def put(self, bucket, key, body):
        options, state = self.state.options, self.state
        condition = self.headers.get("If-None-Match")
        if options.google:  # which knows no other condition
            condition = "*" if self.headers.get("x-goog-if-generation-match") == "0" else None
        if condition and options.no_condition:
            return self.refuse(501, "NotImplemented", "A header you provided implies functionality that is not implemented.")
        if options.deny and options.deny in key:
            return self.refuse(403, "AccessDenied", "nobody may put that")
        if state.every("conflict_at", options.conflict):
            return self.refuse(409, "ConditionalRequestConflict", "come again")
        how, _, first = options.first_puts.partition(":")
        if how:
            with state.lock:
                state.counts["first_puts"] = state.counts.get("first_puts", 0) + 1
                spoiled = state.counts["first_puts"] <= int(first)
            if spoiled and how == "reset":
                self.close_connection = True
                self.connection.close()
                return None
            if spoiled:
                return self.refuse(int(how), "Throttled", "come again")
        kept = [(name.lower(), value) for name, value in self.headers.items() if name.lower().startswith(("x-amz-meta-", "x-goog-meta-"))]
        if options.forget_metadata:
            kept = []
        with state.lock:
            state.counts["puts"] += 1
            taken = condition == "*" and not options.ignore_condition and not options.versioned and key in bucket.objects
            if not taken:
                bucket.objects[key] = (body, kept)
        if taken:
            return self.refuse(412, "PreconditionFailed", "there is one already")
        if state.every("lost_at", options.lose):
            with state.lock:
                state.counts["lost"] += 1
            self.close_connection = True
            self.connection.close()
            return None
        return self.answer(200, b"", [("ETag", '"' + hashlib.md5(body).hexdigest() + '"')])

    def bucket_question(self, bucket, query):
        if "versioning" in query:
            status = "<Status>Enabled</Status>" if self.state.options.versioned else ""
            return self.answer(200, f"<VersioningConfiguration>{status}</VersioningConfiguration>")
        if self.command != "GET" or query.get("list-type") != "2":
            return self.refuse(405, "MethodNotAllowed")
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token") or query.get("start-after", "")
        most = min(int(query.get("max-keys", 1000)), self.state.options.page)
        with self.state.lock:
            keys = sorted(key for key in bucket.objects if key.startswith(prefix) and key > after)
            etags = {key: hashlib.md5(bucket.objects[key][0]).hexdigest() for key in keys[:most + 1]}
        found, folders, last, more = [], [], "", False
        for key in keys:
            inner = key[len(prefix):]
            folder = prefix + inner[:inner.index(delimiter) + 1] if delimiter and delimiter in inner else None
            if folder and (folders and folders[-1] == folder or after.startswith(folder)):
                last = key
                continue
            if len(found) + len(folders) == most:
                more = True
                break
            last = key
            if folder:
                folders.append(folder)
            else:
                found.append(key)
        if self.state.options.lists == "page":
            return self.answer(200, "<html><body>Sign in to the network</body></html>", [("Content-Type", "text/html")])
        if self.state.options.lists == "backwards":
            found.reverse()
        if self.state.options.lists == "again" and after:  # the first page once more
            found, more = [key for key in keys if key <= after] or sorted(bucket.objects)[:most], True
        xml = ["<?xml version='1.0' encoding='UTF-8'?><ListBucketResult><Prefix>" + escape(prefix) + "</Prefix>",
               f"<KeyCount>{len(found) + len(folders)}</KeyCount><IsTruncated>{'true' if more else 'false'}</IsTruncated>"]
        if more:
            xml.append(f"<NextContinuationToken>{escape(last)}</NextContinuationToken>")
        etag = (lambda key: "") if self.state.options.no_etags else (lambda key: f"<ETag>&quot;{etags.get(key, '')}&quot;</ETag>")
        xml += [f"<Contents><Key>{escape(key)}</Key>{etag(key)}<Size>0</Size></Contents>" for key in found]
        xml += [f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>" for folder in folders]
        if self.state.options.lists == "cut":  # by the end of the connection
            self.send_response(200)
            self.end_headers()
            self.wfile.write("".join(xml)[:-10].encode())
            self.close_connection = True
            return None
        return self.answer(200, "".join(xml) + "</ListBucketResult>", [("Content-Type", "application/xml")])

    def token_service(self, body):
        asked = dict(urllib.parse.parse_qsl(body.decode()))
        if asked.get("Action") != "AssumeRoleWithWebIdentity" or asked.get("WebIdentityToken") != "a web identity":
            return self.refuse(403, "InvalidIdentityToken", "that is no identity of ours")
        return self.answer(200, "<AssumeRoleWithWebIdentityResponse><Credentials>"
                           f"<AccessKeyId>{ROLE_KEY}</AccessKeyId><SecretAccessKey>{ROLE_SECRET}</SecretAccessKey>"
                           f"<SessionToken>{ROLE_TOKEN}</SessionToken><Expiration>2199-01-01T00:00:00Z</Expiration>"
                           "</Credentials></AssumeRoleWithWebIdentityResponse>")

    def metadata(self):
        if self.command == "PUT":
            return self.answer(200, "a token")
        if self.headers.get("X-aws-ec2-metadata-token") != "a token":
            return self.answer(401)
        if self.path.endswith("/"):
            return self.answer(200, "a-role")
        return self.answer(200, json.dumps({"AccessKeyId": ROLE_KEY, "SecretAccessKey": ROLE_SECRET, "Token": ROLE_TOKEN,
                                            "Expiration": "2199-01-01T00:00:00Z"}))

    do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = handle_any


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        pass  # a client that was killed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buckets", default="perf")
    parser.add_argument("--page", type=int, default=1000, help="keys of a listing's page, at most")
    parser.add_argument("--ignore-condition", action="store_true", help="as servers that do not know If-None-Match")
    parser.add_argument("--versioned", action="store_true", help="as a versioned bucket of Ceph 16")
    parser.add_argument("--no-condition", action="store_true", help="501, as OpenStack Swift")
    for name, what in (("lose", "answers of PUT, which are done"), ("busy", "requests with 503"), ("conflict", "PUTs with 409")):
        parser.add_argument("--" + name, type=int, default=0, metavar="N", help=f"each N-th of the {what}")
    parser.add_argument("--first-puts", default="", metavar="HOW:N", help="the first N: reset, or a status")
    parser.add_argument("--lists", choices=("page", "backwards", "again", "cut"), default="", help="what answers for a listing")
    parser.add_argument("--no-etags", action="store_true", help="tells none in a listing")
    parser.add_argument("--forget-metadata", action="store_true", help="keeps no x-amz-meta- headers")
    parser.add_argument("--deny", metavar="TEXT", help="403 for PUTs of keys with that text")
    parser.add_argument("--google", action="store_true", help="as Google Cloud Storage with HMAC keys")
    parser.add_argument("--tls", nargs=2, metavar=("CERTIFICATE", "KEY"))
    parser.add_argument("--slow", type=float, default=0, metavar="MS")
    options = parser.parse_args()
    server = Server(("127.0.0.1", 0), Handler)
    server.state = State(options)
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
