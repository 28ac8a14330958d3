#!/usr/bin/env python3
"""scripts/docs makes the site: every link and anchor leads somewhere, nothing is asked from outside, every page is in the navigation, and
the search finds things. Proves first that the check of links sees a wrong one. The search itself is run where Node is installed."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPT = os.path.join(SOURCE, "scripts", "docs")
# What is typed, and a page that must be among the first three answers.
ASKED = (("drain slurm", ("docs/verbs/outliers.html", "docs/tutorials/operator.html", "docs/cookbook.html")), ("exit status", ("docs/ci.html",)),
         ("waiver", ("docs/project-file.html",)), ("benchstat", ("docs/comparison.html",)), ("GPUs slow node", ("index.html", "docs/cookbook.html")))


def script(*words):
    return subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False, env={**os.environ, "PLUMBLINE_SOURCE": SOURCE})


def check_sees_wrong_links(folder):
    for name, text in (("good.html", '<h1 id="a">A</h1><a href="good.html#a">x</a>'), ("bad.html", '<a href="gone.html">x</a><a href="good.html#b">x</a>')):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    done = script("--check", folder)
    assert done.returncode == 1 and "bad.html: link to gone.html, which is not there" in done.stdout, done
    assert "good.html has no such heading" in done.stdout and "2 broken" in done.stdout, done
    os.remove(os.path.join(folder, "bad.html"))
    assert script("--check", folder).returncode == 0
    refused = script(folder)
    assert refused.returncode != 0 and "no site of this script" in refused.stderr and os.path.exists(os.path.join(folder, "good.html")), refused


def page_problems(folder):
    found, pages = [], 0
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
        navigation = set(re.findall(r'<li><a href="([^"]*)"', file.read().split("</nav>")[0]))
    for at, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".html"):
                continue
            pages += 1
            path = os.path.relpath(os.path.join(at, name), folder)
            with open(os.path.join(at, name), encoding="utf-8") as file:
                text = file.read()
            if path not in navigation:
                found.append(f"{path} is not in the navigation")
            for outside in re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', text):
                found.append(f"{path} asks for something from outside: {outside}")
            if text.count("<h1") != 1 or "{{" in text.split("<article>")[0]:
                found.append(f"{path} has {text.count('<h1')} titles")
            if re.search(r"<p>\s*(?:[-*] |\d+\. |\|)|```", re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", text, flags=re.S)):
                found.append(f"{path} has a list, a table or a code block that was not understood")
    return found, pages


def search_problems(folder):
    node = shutil.which("node")
    if node is None:
        return [], "not run, there is no Node"
    program = ("const fs = require('fs'); const { find, excerpt } = require(process.argv[1] + '/search.js');"
               "const parts = new Function(fs.readFileSync(process.argv[1] + '/search-index.js', 'utf8') + 'return parts')();"
               "console.log(JSON.stringify(JSON.parse(process.argv[2]).map((q) => find(parts, q, 3).map((p) => [p.to, excerpt(p, q)]))))")
    queries = [query for query, _ in ASKED] + ["nosuchword"]
    done = subprocess.run([node, "-e", program, folder, json.dumps(queries)], capture_output=True, text=True, check=False)
    if done.returncode:
        return [done.stderr], "failed"
    answers = json.loads(done.stdout)
    found = [f"'{query}' finds {[to for to, _ in answer]}, none of {wanted}" for (query, wanted), answer in zip(ASKED, answers)
             if not any(to.split("#")[0] in wanted and text for to, text in answer)]
    return found + ([] if answers[-1] == [] else [f"a word that no page has finds {answers[-1]}"]), f"{len(ASKED)} searches"


def main():
    with tempfile.TemporaryDirectory(prefix="plumbline-site-") as folder:
        os.mkdir(os.path.join(folder, "wrong"))
        check_sees_wrong_links(os.path.join(folder, "wrong"))
        site = os.path.join(folder, "site")
        done = script(site)
        if "No module named 'markdown'" in done.stderr:
            print("python3-markdown is missing: scripts/deps test installs it")
            return 1
        found = [line for line in done.stdout.split("\n") if "link to" in line]
        if done.returncode and not found:
            found.append(done.stdout + done.stderr)
        more, pages = page_problems(site) if os.path.exists(os.path.join(site, "index.html")) else ([], 0)
        missed, searched = search_problems(site) if pages else ([], "not run")
        again = script(site)  # a site of its own is replaced
        found += more + missed + ([] if again.returncode == done.returncode else [again.stdout + again.stderr])
    for problem in found:
        print(problem)
    print(f"site: {pages} pages, {searched}, {len(found)} problems")
    return 1 if found or pages < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
