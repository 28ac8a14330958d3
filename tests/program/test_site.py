#!/usr/bin/env python3
"""The review site as a browser meets it: every page, what hostile names become on it, who is let in and who is not, that nothing can
be changed through it, and that a page hears of what another process records."""
import base64
import http.client
import json
import os
import re
import threading
import time
import urllib.parse

from harness import Root, check, equal, finish
from serving import BOUND, Server, published

QUIET = ("--audit-log", "off")
READER, WRITER = "reader-reader-reader-1", "writer-writer-writer-1"
HOSTILE = '<script>alert(1)</script>"\'&{{title}}'
POLICY = "default-src 'none'"
REPORTS = "experiments/artifacts/perf-baseline-diffs"
ENTRIES = "experiments/artifacts/perf-baselines"


class Browser:
    """Plain HTTP, one connection: nothing is followed and nothing is kept."""

    def __init__(self, server, **headers):
        self.port, self.headers = server.port, {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BOUND)

    def ask(self, path, method="GET", body=None, **headers):
        given = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        try:
            self.connection.request(method, path, body, given)
            response = self.connection.getresponse()
        except (http.client.HTTPException, ConnectionError):  # the server ends connections whose request it cannot read
            self.connection.close()
            self.connection.request(method, path, body, given)
            response = self.connection.getresponse()
        response.text = response.read().decode("utf-8", "replace")
        return response

    def page(self, path, status=200, **more):
        response = self.ask(path, **more)
        equal(response.status, status, f"status of {path}")
        check(POLICY in (response.getheader("Content-Security-Policy") or ""), f"{path} has a policy: {response.getheaders()}")
        equal(response.getheader("X-Content-Type-Options"), "nosniff", f"nosniff of {path}")
        return response


def basic(token, name="me"):
    return "Basic " + base64.b64encode(f"{name}:{token}".encode()).decode()


def links(text):
    """Addresses on a page, of this site."""
    return {link.replace("&amp;", "&") for link in re.findall(r'(?:href|src)="(/[^"#]*)"', text)}


def fill(root):
    """Two measurements: one of numbers, which changes its level, and one of rows; two bundles. Gives what is needed to ask for them."""
    slugs = []
    for number in range(24):
        root.write("v.txt", f"{(310 if number < 14 else 270) + number % 3}\n")
        slugs.append(root.record("v.txt", "--unit", "GB/s", "--direction", "higher-is-better", "--label", f"night {number}" if number != 7 else "unicorn",
                                 "--context", "hardware.gpu=H200", family="nccl", measurement="busbw")["slug"])
    root.json("accept", f"nccl/busbw@{slugs[3]}", "--reason", "reviewed")
    root.write("rows.json", {"a": {"latency_ms": 10.0}, "b": {"latency_ms": 20.0}})
    rows = root.record("rows.json", "--headline", "*latency_ms", family="serving", measurement="latency")["slug"]
    root.write("slow.json", {"a": {"latency_ms": 15.0}, "b": {"latency_ms": 20.0}})
    red = root.diff("serving/latency", "slow.json")
    green = root.diff("serving/latency", "rows.json")
    equal((red["verdict"], green["verdict"]), ("RED", "GREEN"), "what the bundles say")
    slug = {name: os.path.basename(each["diff_dir"]) for name, each in (("red", red), ("green", green))}
    return {"busbw": slugs, "rows": rows, **slug}


def pages(root, browser, known):
    """Every page, reached from the first one by its links alone; each has a title of its own and asks nobody else for anything."""
    until = time.monotonic() + BOUND
    while "so far" in browser.ask("/").text and time.monotonic() < until:  # the first look at a registry may take longer than a page
        time.sleep(0.05)
    seen, open_links, titles = {}, ["/"], set()
    while open_links:
        path = open_links.pop()
        if path in seen:
            continue
        response = browser.page(path)
        seen[path] = response
        if not response.getheader("Content-Type").startswith("text/html") or "/files/" in path or path.startswith("/compare/report"):
            continue
        check("Plumbline</title>" in response.text and '<html lang="en">' in response.text, f"{path} is a page")
        equal(re.findall(r'(?:src|href|action)="(?!/|#)[^"]*"', response.text), [], f"{path} leads nowhere else")
        check("style=" not in response.text and "<style" not in response.text and "onclick" not in response.text, f"{path} has no inline style or script")
        titles.add((re.search("<title>(.*?)</title>", response.text).group(1)))
        open_links += sorted(links(response.text) - seen.keys())
    for pattern in ("/families/nccl", "/families/nccl/busbw", f"/entries/nccl/busbw/{known['busbw'][0]}", f"/diffs/serving/latency/{known['red']}",
                    f"/diffs/serving/latency/{known['red']}/files/diff.html", f"/verify/diffs/serving/latency/{known['red']}",
                    f"/verify/entries/serving/latency/{known['rows']}", "/diffs", "/diffs?verdict=RED"):
        check(pattern in seen, f"{pattern} is linked to")
    check(len(titles) > 10, f"titles tell pages apart: {len(titles)}")
    first = seen["/"].text
    check("25 entries and 2 diffs of 2 measurements" in first and "GREEN" in first and "<polyline" in first, f"the first page counts: {first}")
    trend = seen["/families/nccl/busbw"].text
    check('class="band"' in trend and 'class="change"' in trend and 'class="accepted"' in trend, "the trend has noise, change and acceptance")
    check("The level changed from 311 to 271 GB/s" in trend and "night 23" in trend and "level changed" in trend, "and says so in words")
    entry = seen[f"/entries/nccl/busbw/{known['busbw'][3]}"].text
    for text in ("accepted", "310 GB/s", "hardware.gpu", "H200", "night 3", "verified", "SHA256SUMS", "baseline.json"):
        check(text in entry, f"the entry's page has {text}")
    rows = browser.page("/families/serving/latency").text
    check("a.latency_ms" in rows and "RED" in rows, "keys and diffs of a measurement of rows")
    bundle = seen[f"/diffs/serving/latency/{known['red']}"].text
    check("RED" in bundle and 'sandbox="allow-scripts"' in bundle and "verified" in bundle, "a bundle's page")
    only = browser.page("/diffs?verdict=RED").text
    check(known["red"] in only and known["green"] not in only, "the filter of verdicts")
    found = browser.page("/search?q=Unicorn").text
    check(known["busbw"][7] in found and known["busbw"][8] not in found, "what a search finds")
    check("/families/nccl/busbw" in browser.page("/search?q=BUSBW").text, "and names at once")


def newest(browser, known):
    """newest and accepted lead to the publication that they stand for."""
    for path, to in (("/entries/nccl/busbw/newest", known["busbw"][-1]), ("/entries/nccl/busbw/accepted", known["busbw"][3]),
                     ("/diffs/serving/latency/newest", known["green"])):
        response = browser.page(path, 302)
        equal(response.getheader("Location").rsplit("/", 1), [path.rsplit("/", 1)[0], to], path)


def comparisons(browser, known):
    ask = lambda baseline, current: f"/compare?baseline={baseline}&current={current}"
    first, last = (f"nccl/busbw/{known['busbw'][i]}" for i in (0, -1))
    page = browser.page(ask(first, last)).text
    [frame] = re.findall(r'<iframe[^>]* src="([^"]*)"', page)
    report = browser.page(frame.replace("&amp;", "&"))
    check('class="badge RED"' in report.text or 'class="badge YELLOW"' in report.text, "the worse against the better has become slower")
    policy = report.getheader("Content-Security-Policy")
    check("sandbox" in policy and "allow-same-origin" not in policy and "frame-ancestors 'self'" in policy, policy)
    back = browser.page(f"/compare/report?baseline={last}&current={first}").text
    check('class="badge RED"' not in back and "improved" in back, "and the other way round it has not")
    check("accepted" in browser.page("/compare").text, "without sides there is a form")
    for baseline, current, status in (("nccl/busbw", "nccl/nothing/newest", 404), ("x", "y", 400), ("nccl/busbw/newest", "../../etc", 400)):
        check("<form" in browser.page(ask(baseline, current), status).text, f"{baseline} against {current} says what is wrong in the form")
    text = browser.page(f"/compare/report?baseline=serving/latency&current=nccl/busbw", 400).text
    check("structured" in text, f"what cannot be compared is said: {text}")
    for path in ("/compare/report?baseline=serving/latency&current=nccl/busbw", "/compare/report?baseline=a&current=b"):
        check("frame-ancestors 'self'" in browser.page(path, 400).getheader("Content-Security-Policy"), "and can be seen in its frame")


def files(browser, known):
    """Somebody's bytes are text or a download, never a page."""
    at = f"/diffs/serving/latency/{known['red']}/files/"
    report = browser.page(at + "diff.html")
    equal(report.getheader("Content-Type"), "text/html; charset=utf-8", "a report is a page")
    policy = report.getheader("Content-Security-Policy")
    check("sandbox allow-scripts;" in policy and "script-src 'sha256-" in policy and "frame-ancestors 'self'" in policy, policy)
    for name, kind in (("diff.json", "text/plain; charset=utf-8"), ("SHA256SUMS", "text/plain; charset=utf-8"), ("current-snapshot.json", "text/plain; charset=utf-8")):
        response = browser.page(at + name)
        equal(response.getheader("Content-Type"), kind, name)
        check(response.getheader("Content-Security-Policy").startswith("sandbox; "), f"{name} can do nothing")
        check(response.getheader("Cache-Control").endswith("immutable"), f"{name} is kept")
        check(response.getheader("Content-Disposition").startswith(f'inline; filename="{name}"'), response.getheader("Content-Disposition"))
        tag = response.getheader("ETag")
        again = browser.ask(at + name, If_None_Match=f'"other", {tag}')
        equal((again.status, again.text), (304, ""), f"{name} is known")
    for name in ("nothing.json", "diff.json/x", "%2e%2e/%2e%2e/x", "..%2Fx", "a%00b", "%", "a\\b".replace("\\", "%5C")):
        equal(browser.page(at + name, 404).status, 404, name)


def reading_only(root, browser):
    before = published(root)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        for path in ("/", "/families/nccl", "/search", "/nothing"):
            response = browser.ask(path, method=method, body="a=b" if method == "POST" else None)
            equal((response.status, response.getheader("Allow")), (405, "GET, HEAD"), f"{method} {path}")
    equal(published(root), before, "nothing was written")
    for path in ("/", "/site.css", "/families/nccl/busbw", "/nothing"):
        head, get = browser.ask(path, method="HEAD"), browser.ask(path)
        equal((head.status, head.text, head.getheader("Content-Type")), (get.status, "", get.getheader("Content-Type")), f"HEAD {path}")
        check(int(head.getheader("Content-Length")) > 0, f"HEAD {path} says how long it is")


def not_there(browser):
    for path, near in (("/familys/nccl/busbw", "/families/nccl/busbw"), ("/families/ncl", "/families/nccl"), ("/families/nccl/busbv", "/families/nccl/busbw"),
                       ("/families/ncl/busbw", "/families/nccl/busbw"), ("/entries/nccl/bsbw/newest", "/families/nccl/busbw"),
                       ("/diffs/serving/latncy/newest", "/families/serving/latency")):
        text = browser.page(path, 404).text
        check("Did you mean" in text and f'href="{near}"' in text, f"{path} suggests {near}: {text[-400:]}")
    for path in ("/entries/nccl/busbw/20200101T000000000000Z", "/verify/entries/nccl/busbw/nothing-like-a-slug", "/families/a/b/c/d", "/live/x", "/favicon.ico"):
        check(browser.page(path, 404).text, path)


def strangers(root, known):
    """Host, Origin and what other sites' pages make a browser do."""
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        browser = Browser(server)
        for path in ("/", "/site.css", "/live", "/nothing"):
            equal(browser.ask(path, Host="evil.example").status, 403, f"a foreign Host at {path}")
            equal(browser.ask(path, Origin="https://evil.example").status, 403, f"a foreign Origin at {path}")
        equal(browser.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document").status, 200, "a link from elsewhere")
        for mode, dest in (("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("cors", "empty")):
            equal(browser.ask("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode=mode, Sec_Fetch_Dest=dest).status, 403, f"{mode} {dest} from elsewhere")
        equal(browser.ask("/", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors", Sec_Fetch_Dest="empty").status, 200, "our own script")
        check("frame-ancestors 'none'" in browser.page("/").getheader("Content-Security-Policy"), "no page of ours is framed")
    with Server(root, "--http", "127.0.0.1:0", "--no-site", *QUIET) as server:
        equal([Browser(server).ask(path).status for path in ("/", "/families/nccl", "/site.css")], [404, 404, 404], "--no-site")


def credentials(root):
    tokens = root.write("tokens", f"reader {READER} read\nwriter {WRITER}\n")
    tokens.chmod(0o600)
    audit = root.path / "audit.jsonl"
    with Server(root, "--http", "127.0.0.1:0", "--token-file", tokens, "--audit-log", audit) as server:
        browser = Browser(server)
        for path in ("/", "/families/nccl", "/live", "/nothing", "/entries/nccl/busbw/newest/files/baseline.json"):
            response = browser.page(path, 401)
            challenges = response.headers.get_all("WWW-Authenticate")
            check(any(c.startswith('Basic realm="plumbline"') for c in challenges) and any(c.startswith("Bearer ") for c in challenges), f"{challenges}")
            check("nccl" not in response.text and "busbw" not in response.text, f"{path} tells a stranger nothing")
        equal(browser.page("/site.css").status, 200, "the style is no secret")
        for authorization in (basic(READER), basic(READER, name=""), "Bearer " + READER, basic(WRITER), "basic " + basic(READER)[6:]):
            response = browser.page("/families/nccl/busbw", Authorization=authorization)
            equal(response.getheader("Cache-Control"), "no-store", "what is guarded is not kept")
        for authorization in (basic("wrong-wrong-wrong-wrong"), "Basic !!!", "Basic " + base64.b64encode(b"no colon").decode(), "Basic", "Digest x", basic("")):
            check(browser.ask("/", Authorization=authorization).status in (400, 401), authorization)
        equal(browser.ask(f"/?access_token={READER}").status, 400, "a token in the address")
        equal(browser.page(f"/entries/nccl/busbw/newest/files/baseline.json", Authorization=basic(READER)).getheader("Cache-Control"),
              "private, no-cache", "what stands for another file later is asked for again")
        tokens.write_text(f"writer {WRITER}\n")
        server.process.send_signal(1)
        server.wait_for(lambda lines: any("tokens read again" in line for line in lines))
        equal(browser.ask("/", Authorization=basic(READER)).status, 401, "a token that was taken away")
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    check({"who": "reader", "how": "token", "tool": "site/families/{}/{}", "outcome": "ok"}.items() <= lines[0].items(), f"the audit: {lines[0]}")
    check(READER not in audit.read_text(), "the audit has no token")
    with Server(root, "--http", "127.0.0.1:0", "--rate", "0.01", *QUIET) as server:
        browser = Browser(server)
        statuses = [browser.ask("/diffs").status for _ in range(3)]
        check(429 in statuses and statuses[0] == 200, f"pages count as calls: {statuses}")


def hostile(root):
    """Names, labels, keys, notes and files that want to be markup."""
    root.write("h.json", {HOSTILE: {"latency_ms": 1.0}, "b": {"latency_ms": 2.0}})
    slug = root.record("h.json", "--label", HOSTILE, "--notes", HOSTILE + "\x1b[31m", family="hostile", measurement="names")["slug"]
    root.write("h2.json", {HOSTILE: {"latency_ms": 5.0}, "b": {"latency_ms": 2.0}})
    bundle = os.path.basename(root.diff("hostile/names", "h2.json")["diff_dir"])
    # A bundle that somebody made by hand: a page with a script, and names of every kind.
    made = root.path / REPORTS / "hostile" / "names" / "20301231T235959000000Z"
    made.mkdir()
    contents = {"diff.html": "<script>alert(1)</script>", "diff.json": json.dumps({"verdict": HOSTILE, "tier": HOSTILE, "baseline": {"slug": HOSTILE}}),
                "evil.html": "<script>alert(1)</script>", "evil.svg": "<svg onload=alert(1)>", HOSTILE.replace("/", "") + ".txt": "x",
                "bin": "\x00\x01", "läng.txt": "ä", "a%2fb": "percent"}
    import hashlib
    for name, text in contents.items():
        (made / name).write_text(text)
    sums = sorted((name, hashlib.sha256(text.encode()).hexdigest()) for name, text in contents.items())
    (made / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(sums, key=lambda one: one[0].encode())))
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        browser = Browser(server)
        paths = ["/", "/families/hostile", "/families/hostile/names", f"/entries/hostile/names/{slug}", "/diffs", f"/diffs/hostile/names/{bundle}",
                 f"/diffs/hostile/names/{made.name}", f"/verify/diffs/hostile/names/{made.name}", "/search?q=" + urllib.parse.quote(HOSTILE),
                 "/compare?baseline=" + urllib.parse.quote(HOSTILE) + "&current=" + urllib.parse.quote(HOSTILE), "/families/" + urllib.parse.quote(HOSTILE, safe=""),
                 "/" + urllib.parse.quote(HOSTILE, safe="")]
        for path in paths:
            response = browser.ask(path)
            check(response.status in (200, 400, 404), f"{path}: {response.status}")
            check("<script>alert" not in response.text and "\x1b" not in response.text, f"{path} escapes what it shows")
            check('"\'&{{' not in response.text, f"{path} escapes quotes")
        listed = browser.page(f"/diffs/hostile/names/{made.name}").text
        for name in contents:
            link = f"/diffs/hostile/names/{made.name}/files/" + "".join(c if re.match(r"[A-Za-z0-9._~-]", c) else "".join(f"%{b:02X}" for b in c.encode()) for c in name)
            check(f'href="{link}"' in listed, f"{name!r} is linked to as {link}")
            response = browser.page(link)
            wanted = {"diff.html": "text/html; charset=utf-8", "bin": "application/octet-stream"}.get(name, "text/plain; charset=utf-8")
            equal(response.getheader("Content-Type"), wanted, f"{name!r}")
            check("\n" not in response.getheader("Content-Disposition"), f"{name!r} stays one header")
        report = browser.page(f"/diffs/hostile/names/{made.name}/files/diff.html").getheader("Content-Security-Policy")
        check("sandbox" in report and "'unsafe-inline'" not in report.split("script-src")[1].split(";")[0], f"a script of somebody's does not run: {report}")


def confined(root, known):
    """Links inside a registry lead nowhere, and what was changed is said."""
    outside = root.write("outside/secret.txt", "top-secret-text").parent
    base = root.path / ENTRIES
    os.symlink(outside, base / "nccl" / "linked")
    os.symlink(outside, base / "linked")
    entry = base / "nccl" / "busbw" / known["busbw"][1]
    entry.chmod(0o755)
    os.symlink(outside / "secret.txt", entry / "leak.txt")
    snapshot = entry / "source-snapshot.txt"
    snapshot.chmod(0o644)
    snapshot.write_text("999\n")
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        browser = Browser(server)
        at = f"/entries/nccl/busbw/{known['busbw'][1]}"
        for path in ("/families/linked", "/families/nccl/linked", "/entries/nccl/linked/newest", at + "/files/leak.txt", at + "/files/../../../../outside/secret.txt",
                     at + "/files/%2e%2e/%2e%2e/secret.txt", "/entries/linked/secret.txt/files/x", at + "/files/source-snapshot.txt"):
            response = browser.ask(path)
            check(response.status in (400, 403, 404, 409) and "top-secret-text" not in response.text, f"{path}: {response.status}")
        text = browser.page(at).text
        check("not what was published" in text and "top-secret-text" not in text, "the entry's page says that it was changed")
        wrong = browser.page(f"/verify/entries/nccl/busbw/{known['busbw'][1]}").text
        check("source-snapshot.txt" in wrong and "leak.txt" in wrong, "and the verification lists what is wrong")
        equal(browser.page(at + "/files/source-snapshot.txt", 409).status, 409, "a file that was changed is not given")


def paging(root):
    """A measurement of more entries than a page shows: every one of them is on exactly one page."""
    base = root.path / ENTRIES / "many" / "entries"
    slugs = [f"20250101T{i // 3600:02}{i // 60 % 60:02}{i % 60:02}000000Z" for i in range(450)]
    for slug in slugs:
        (base / slug).mkdir(parents=True)
        (base / slug / "baseline.json").write_text(json.dumps({"family": "many", "measurement": "entries", "value": 7, "unit": "ms", "source_path": "/a",
                                                               "source_sha256": "", "notes": ""}))
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        browser, path, seen, count = Browser(server), "/families/many/entries", [], 0
        while path:
            text = browser.page(path).text
            seen += re.findall(r'href="/entries/many/entries/(\w+)"', text)
            count += 1
            [path] = re.findall(r'href="([^"]*)" rel="next"', text) or [None]
        equal((seen, count), (slugs[::-1], 3), "newest first, on three pages")


def live(root, known):
    """A page that is looked at hears within two seconds of what another process records."""
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        browser = Browser(server)
        page = browser.page("/families/nccl/busbw").text
        [(scope, stamp)] = re.findall(r'data-scope="([^"]*)" data-stamp="([^"]*)"', page)
        equal(scope, "nccl/busbw", "what the page listens for")
        streams = {}
        for what in (scope, "", "serving"):
            since = re.findall(r'data-stamp="([^"]*)"', browser.page({"": "/", "serving": "/families/serving"}.get(what, f"/families/{what}")).text)[0]
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=BOUND)
            connection.request("GET", "/live?" + urllib.parse.urlencode({"scope": what, "since": since}))
            response = connection.getresponse()
            equal((response.status, response.getheader("Content-Type")), (200, "text/event-stream"), "a stream")
            heard = []
            threading.Thread(target=lambda r=response, h=heard: [h.append((time.monotonic(), line)) for line in iter(r.readline, b"")], daemon=True).start()
            streams[what] = heard
        time.sleep(1.5)  # nothing is told before something happens
        equal([line for heard in streams.values() for _, line in heard if b"change" in line], [], "quiet while nothing is recorded")
        root.write("v.txt", "333\n")
        recorded = root.record("v.txt", "--unit", "GB/s", family="nccl", measurement="busbw")["slug"]
        at = time.monotonic()
        told = lambda what: [when for when, line in streams[what] if line.startswith(b"event: change")]
        until = at + BOUND
        while not (told(scope) and told("")) and time.monotonic() < until:
            time.sleep(0.02)
        check(told(scope) and told(""), "the measurement's page and the first one are told")
        if told(scope):
            print(f"told after {told(scope)[0] - at:.2f} s")
        equal(told("serving"), [], "another family's is not")
        check(recorded in browser.page("/families/nccl/busbw").text, "and finds the entry")


def overturned():
    """A DRAFT that a later VERDICT on the same pair overturned says so, and leads there."""
    with Root() as root:
        def run(name, latency):
            return root.write(name, {"decode_latency_ms": latency, "environment": {"hostname": "n1"}})

        first, *others = [run(f"b{i}.json", 10 + i / 50) for i in range(5)]
        root.record(first, "--trials", *others)
        slow = run("slow.json", 11.5)
        draft = root.json("diff", "f/m", slow)
        verdict = root.json("diff", "f/m", slow, *[run(f"c{i}.json", 10 + i / 60) for i in range(1, 6)])
        equal((draft["tier"], verdict["tier"]), ("DRAFT", "VERDICT"), "the two bundles")
        with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
            browser = Browser(server)
            before, after = (f"/diffs/f/m/{os.path.basename(each['diff_dir'])}" for each in (draft, verdict))
            check(f'overturned by the VERDICT of <a href="{after}">' in browser.page(before).text, "the DRAFT says by which")
            check("overturned" not in browser.page(after).text, "the VERDICT holds")
            check("overturned by a later VERDICT" in browser.page("/families/f/m").text, "and so does the list")


def backfilled():
    """Recorded newest first: the lines of the list still find what the history says of their entries."""
    with Root() as root:
        slugs = []
        for day in range(9, 0, -1):
            root.write("v.txt", f"{100 + day}\n")
            slugs.append(root.record("v.txt", "--unit", "ms", "--measured-at", f"2026-01-0{day}", family="nightly", measurement="step")["slug"])
        root.json("accept", f"nightly/step@{slugs[4]}", "--reason", "reviewed")
        with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
            text = Browser(server).page("/families/nightly/step").text
        lines = {slug: line for line in text.split("<tr>") for slug in re.findall(r'href="/entries/nightly/step/(\w+)"', line)}
        equal(len(lines), 9, "a line an entry")
        check(all(f"measured 2026-01-0{9 - i}" in lines[slug] for i, slug in enumerate(slugs)), "each says when it was measured")
        equal([slug for slug in slugs if "accepted</span>" in lines[slug]], [slugs[4]], "and which one is accepted")


def rules_that_change():
    """A comparison is kept as long as plumbline.yaml says the same."""
    with Root() as root:
        root.write("v.txt", "100\n")
        first = root.record("v.txt", "--unit", "ms", "--direction", "lower-is-better", family="a", measurement="b")["slug"]
        root.write("v.txt", "108\n")
        last = root.record("v.txt", "--unit", "ms", "--direction", "lower-is-better", family="a", measurement="b")["slug"]
        with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
            browser, path = Browser(server), f"/compare/report?baseline=a/b/{first}&current=a/b/{last}"
            check(all('class="badge RED"' in browser.page(path).text for _ in range(2)), "8 % slower at a tolerance of 5 %")
            root.write("plumbline.yaml", "rules:\n  - {match: {family: a}, set: {tolerance: 20%}}\n")
            check('class="badge RED"' not in browser.page(path).text, "and within one of 20 %")


def mutated(server):
    """Addresses that nobody would write."""
    browser = Browser(server)
    seeds = ["/families/nccl/busbw", "/diffs?verdict=RED&before=x", "/compare?baseline=a/b/c&current=d", "/live?scope=a&since=b", "/search?q=x&family=y"]
    pieces = ["%00", "%2F", "..", "//", "%", "?", "&&", "=", "%ff", "\xe4".encode("latin-1").decode("latin-1"), "%0a", "{{", "+", "~", "a" * 300, "/.", ";", "'"]
    statuses = set()
    for number in range(400):
        seed = seeds[number % len(seeds)]
        piece = pieces[(number // len(seeds)) % len(pieces)]
        at = (number * 7) % (len(seed) + 1)
        path = "/" + (seed[:at] + urllib.parse.quote(piece, safe="%/?&={}+~;'.") + seed[at:]).lstrip("/")
        if path.startswith("/live?"):  # a stream does not end
            continue
        status = browser.ask(path).status
        statuses.add(status)
        check(status < 500, f"{path}: {status}")
    check({200, 404} <= statuses, f"{statuses}")


def main():
    with Root() as root:
        known = fill(root)
        with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
            check(any("review site: http://127.0.0.1:" in line for line in server.lines), "the log says where the site is")
            browser = Browser(server)
            pages(root, browser, known)
            newest(browser, known)
            comparisons(browser, known)
            files(browser, known)
            reading_only(root, browser)
            not_there(browser)
            mutated(server)
        strangers(root, known)
        credentials(root)
        live(root, known)
        paging(root)
        hostile(root)
        confined(root, known)
    overturned()
    backfilled()
    rules_that_change()
    finish()


if __name__ == "__main__":
    main()
