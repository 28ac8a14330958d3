#!/usr/bin/env python3
"""The page of the MCP App, as a client with apps shows it: real results of the three verbs that compare, in a host of our own that
speaks the protocol of apps, light and dark, with the server's resources and without, looked at by axe."""
import json
import pathlib
import tempfile

import browser
import bundles
from harness import Root, check, equal, finish
from serving import MODERN, Lines, Server

PAGE = "ui://plumbline/comparison"
APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}


def written(root, build):
    """The files of a kind of bundle, and what was asked of them."""
    asked = []
    build(Asked(root, asked))
    return asked[-1]


class Asked:
    """A root that does what comes before the last question, and keeps that for a client of MCP."""

    def __init__(self, root, asked):
        self.root, self.asked, self.path = root, asked, root.path

    def __getattr__(self, name):
        return getattr(self.root, name)

    def json(self, verb, *words):
        if verb == "record":
            return self.root.json(verb, *words)
        self.asked.append((verb, [str(word) for word in words]))
        return None


def arguments(verb, words, root):
    if verb == "diff":
        at = words.index("--current")
        return "perf_baseline_diff", {"baseline": words[words.index("--baseline") + 1], "current": words[at + 1:]}
    if verb == "profile-diff":
        return "profile_diff", {"baseline": words[0], "candidate": words[1]}
    return "measurement_outliers", {"paths": [str(root.path / words[0])]}


def resources(client, result):
    """What a host reads for the page: every part of the reports that the result links."""
    read = {}
    for block in result["content"]:
        uri = block.get("uri") if block["type"] == "resource_link" and block["name"].endswith(".html") else None
        while uri and uri.startswith("plumbline:"):
            read[uri] = client.get("resources/read", uri=uri)
            uri = read[uri]["contents"][0].get("_meta", {}).get("plumbline/range", {}).get("next")
    return read


def ask(client, root, name):
    tool, given = arguments(*written(root, bundles.ALL[name]), root)
    result = client.call(tool, **given)
    check(not result["isError"], f"{name}: {result}")
    return {"name": name, "result": result, "resources": resources(client, result)}


def look_at(shown, result):
    where = f"{shown['name']}, {shown['theme']}{', with resources' if shown['reads'] else ''}"
    value = result["structuredContent"]
    equal(shown["findings"], [], f"{where}: findings")
    equal(shown["heard"].count("ui/initialize"), 1, f"{where}: it asks its host once")
    check(shown["heard"].index("ui/initialize") < shown["heard"].index("ui/notifications/initialized"), f"{where}: {shown['heard']}")
    check("ui/notifications/size-changed" in shown["heard"], f"{where}: it says its size")
    equal((shown["state"], shown["scripts"]), ("", 0), f"{where}: nothing is waited for, and no script came along")
    equal(shown["light"], shown["theme"] == "dark", f"{where}: the text's colour follows the host")
    if shown["reads"]:
        check(shown["words"] > 60, f"{where}: the report has {shown['words']} words")
        return
    equal(shown["font"], "serif", f"{where}: the host's typeface")
    equal(shown["title"], f"{value['verdict']} {value['tier']}", f"{where}: title")
    equal(shown["reasons"], [reason["message"] for reason in value["reasons"]], f"{where}: reasons")
    equal(shown["paragraphs"][-1], "Next: " + value["recommendation"]["message"], f"{where}: what to do")
    wanted = WANTED[shown["name"]]
    equal(shown["paragraphs"][:-1], wanted["says"], f"{where}: what was compared")
    equal(shown["head"], wanted["head"], f"{where}: columns")
    equal(shown["rows"][0], wanted["first"], f"{where}: the first row")
    equal(len(shown["rows"]), len(value.get("siblings") or value["top"]), f"{where}: as many rows as the result has")


WANTED = {
    "trials": {"says": ["serving / model-8b", "and 25 more"], "head": ["Row", "Baseline", "Now", "Change", "State"],
               "first": ["metrics.256.throughput_toks_per_s", "14058.2 tok/s", "12103.6 tok/s", "-13.9 %", "regressed"]},
    "profile": {"head": ["Part", "Change", "Share"], "first": ["idle: the host had not launched", "+9.60 ms", "100 %"]},
    "outliers": {"says": ["adhoc / outliers"], "head": ["Sibling", "State", "Why"],
                 "first": ["rack1-n07", "out", '11.1% below the others in "gemm_tflops, TFLOP/s" (p 0.0012)']},
}

modules = browser.packages()
with Root() as root, tempfile.TemporaryDirectory() as folder, Server(root, stdio=True) as server:
    client = Lines.of(server.process, MODERN, capabilities=APPS)
    tools = {tool["name"]: tool for tool in client.get("tools/list")["tools"]}
    for name in ("perf_baseline_diff", "profile_diff", "measurement_outliers"):
        equal(tools[name].get("_meta", {}).get("ui", {}).get("resourceUri"), PAGE, f"{name} names the page")
    page = client.get("resources/read", uri=PAGE)["contents"][0]
    equal(page["mimeType"], "text/html;profile=mcp-app", "the page's type")
    results = [ask(client, root, name) for name in WANTED]
    WANTED["profile"]["says"] = [f"{root.path}/main.json → {root.path}/loader-change.json"]
    cases = pathlib.Path(folder) / "cases.json"
    # A result without reasons says what was compared.
    calm = json.loads(json.dumps(results))
    for each in calm:
        each["result"]["structuredContent"]["reasons"] = []
        each["resources"] = {}
    cases.write_text(json.dumps({"page": page["text"], "results": results + calm}))
    seen = json.loads(browser.run("app.mjs", modules, cases))
    client.end()

by_name = {each["name"]: each for each in results}
usual = sum(2 if not each["resources"] else 4 for each in results)
check(by_name["trials"]["resources"] and by_name["outliers"]["resources"], "the results link reports that can be read")
for shown in seen[:usual]:
    look_at(shown, by_name[shown["name"]]["result"])
equal([shown["paragraphs"][1] for shown in seen[usual::2]],
      ["30 rows compared, 8 regressed, 0 improved.", "The wall time changed by +42.5 %.", "12 siblings compared, 1 to take out of use."],
      "results without reasons")
finish()
