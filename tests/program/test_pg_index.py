#!/usr/bin/env python3
"""The derived index through the program and a PostgreSQL server of its own: the same answers with it, without it, stale, broken and made
anew; nothing that was acknowledged is lost when the server dies; no text of anybody becomes SQL."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish
from indexed import baseline_of, codes, content, diff, maintain, record
from postgres import Cluster, need_postgres


def same_answers(cluster):
    url = cluster.database("answers")
    with Root() as root:
        for i in range(12):
            record(root, 100 + i, gpu="H100" if i % 3 else "H200", label=f"run {i}")
        root.write("rows.json", {"ttft_p99_ms": [41.0, 42.5, 41.9], "tokens_per_second": [910, 905, 914]})
        root.json("record", "--family", "f", "--measurement", "rows", "--source", root.path / "rows.json", "--headline", "tokens_per_second")
        root.json("diff", "f/rows", root.path / "rows.json")
        made = maintain(root, "rebuild", url)
        equal((made["derived"], made["publications"], made["kept"], made["differences"]), (True, 14, 14, 0), "all of it is in the index")
        equal(made["points"], 12 + 2, "a value for each row")
        check("plumbline@" in made["path"] and made["path"].startswith("postgresql://"), f"which index: {made['path']}")
        for gpu in ("H100", "H200"):
            without, with_it = diff(root, gpu, "off"), diff(root, gpu, url)
            equal(with_it, without, f"the baseline for {gpu}")
            check("index_stale" not in codes(with_it) and "index_unavailable" not in codes(with_it), "nothing to warn of")
        equal(diff(root, "B200", url, status=2), diff(root, "B200", "off", status=2), "none fits: the same nearest")
        for words in (("search", "run 7"), ("search", "h200"), ("search", "--key", "tokens*"), ("search", "--verdict", "GREEN"), ("search", "rows"), ("search", "100%"),
                      ("history", "f/m"), ("history", "f/rows"), ("search", "--since", "2026", "--limit", "3"), ("search", "un")):
            equal(root.json(*words, "--index", url), root.json(*words, "--index", "off"), f"{words}")
        equal(maintain(root, "check", url)["differences"], 0, "the check agrees")
        # What is recorded, judged and accepted afterwards is told to it.
        record(root, 90, gpu="H100", index=url)
        accepted = root.json("accept", "f/m", "--reason", "as agreed", "--index", url)
        diffed = root.json("diff", "f/rows", root.path / "rows.json", "--index", url)
        for told in (accepted, diffed):
            check("index_not_fed" not in codes(told), f"told without a warning: {told['warnings']}")
        equal(maintain(root, "check", url)["differences"], 0, "what was published since is in it")
        equal(cluster.ask("SELECT slug FROM plumbline.acceptance_list", "answers"), accepted["slug"] if "slug" in accepted else accepted["entry_dir"].rsplit("/", 1)[1],
              "the acceptance is in it")
        before = content(cluster, "answers")
        equal(maintain(root, "drop", url)["dropped"], True, "dropped")
        check("index_unavailable" in codes(diff(root, "H200", url)), "an index without tables is said")
        maintain(root, "rebuild", url)
        equal(content(cluster, "answers"), before, "dropped and made again it holds the same")


def never_wrong(cluster):
    url = cluster.database("truth")
    with Root() as root:
        record(root, 1, gpu="H100")
        old = record(root, 2, gpu="H100")
        record(root, 3, gpu="H200")
        maintain(root, "rebuild", url)
        # A hole: published while the index was away, and others were told after it.
        hole = record(root, 4, gpu="H100")
        record(root, 5, gpu="H200", index=url)
        told = diff(root, "H100", url)
        check(hole["slug"] in baseline_of(told), f"the newest that fits is found though the index lacks it: {baseline_of(told)}")
        check("index_stale" in codes(told), f"and that is said: {codes(told)}")
        equal([w for w in told["warnings"] if w["code"] != "index_stale"], diff(root, "H100", "off")["warnings"], "nothing else is different")
        told = maintain(root, "check", url, status=1)
        equal((told["differences"], told["wrong"]), (1, [f"entry f/m@{hole['slug']}: not in the index"]), "the check names it")
        equal(maintain(root, "follow", url)["added"], 1, "follow adds it")
        check("index_stale" not in codes(diff(root, "H100", url)), "and all is known")
        # A ghost: in the index, and gone from the store.
        shutil.rmtree(pathlib.Path(hole["entry_dir"]))
        check(old["slug"] in baseline_of(diff(root, "H100", url)), "what is gone is not chosen")
        equal(maintain(root, "check", url, status=1)["wrong"], [f"entry f/m@{hole['slug']}: not in the store"], "the check names it, too")
        equal(maintain(root, "follow", url)["removed"], 1, "follow removes it")
        # An entry that says another context than the index believes is not taken for it.
        cluster.ask("UPDATE plumbline.entries SET context_id = (SELECT context_id FROM plumbline.entries WHERE slug = '" + old["slug"] + "')", "truth")
        check(old["slug"] in baseline_of(diff(root, "H100", url)), "the store's own record decides whether it fits")
        cluster.ask("UPDATE plumbline.contexts SET packed = 'x'", "truth")
        told = diff(root, "H100", url)
        check(old["slug"] in baseline_of(told) and "index_unavailable" in codes(told), "a damaged context is noticed")
        maintain(root, "rebuild", url)
        cluster.ask("UPDATE plumbline.entries SET entry_sha256 = 'x' WHERE slug = '" + old["slug"] + "'", "truth")
        equal(maintain(root, "check", url, status=1)["wrong"], [f"entry f/m@{old['slug']}: another digest than in the store"], "and a digest")
        # Of another registry, of another release.
        with Root() as other:
            record(other, 1, gpu="H100")
            told = diff(other, "H100", url)
            check(any("it is of another registry" in w["message"] for w in told["warnings"]), f"another registry's index is not believed: {told['warnings']}")
            told = record(other, 2, gpu="H100", index=url)
            check("index_not_fed" in codes(told), "nor fed")
            check("it is of another registry" in maintain(other, "follow", url, status=3), "nor followed")
        cluster.ask("INSERT INTO plumbline.migrations(version) VALUES (999)", "truth")
        told = diff(root, "H100", url)
        check(any("newer plumbline: version 999" in w["message"] for w in told["warnings"]), "tables of a newer release are not touched")
        check("newer plumbline" in maintain(root, "follow", url, status=3), "nor brought down")


def absent(cluster):
    with Root() as root:
        record(root, 1, gpu="H100")
        for address, said in (("postgresql://nobody@127.0.0.1:1/x", "refused"), ("postgresql:///x?host=/nonexistent", "No such file")):
            told = diff(root, "H100", address)
            check("index_unavailable" in codes(told) and said in told["warnings"][-1]["message"], f"{address}: {told['warnings']}")
            check("index_not_fed" in codes(record(root, 2, gpu="H100", index=address)), "the entry is published all the same")
            check(said in maintain(root, "check", address, status=3), "the verb says why")
        done = root.run("index", "check", "--index", "mysql://u:geheim@h/x", "--repo-root", root.path)
        equal((done.returncode, "geheim" in done.stderr), (2, False), f"no such address: {done.stderr}")
        check("must be a postgresql:// address" in done.stderr, done.stderr)
        done = root.run("index", "check", "--index", "postgresql://u:geheim@127.0.0.1:1/x?password=geheim", "--repo-root", root.path)
        equal((done.returncode, "geheim" in done.stderr + done.stdout), (3, False), f"passwords are not shown: {done.stderr}")
        for address in ("postgresql://u:geh%eim@127.0.0.1:1/x", "postgresql://u:geh/eim@127.0.0.1:1/x", "postgresql://u:geheim@[::1/x"):
            done = root.run("index", "check", "--index", address, "--repo-root", root.path)
            said = done.stderr + done.stdout
            check(done.returncode in (2, 3) and "geh" not in said and "eim" not in said, f"nor those that libpq does not read: {said}")
        # The surroundings and the project file say it, too; a password has no place in the file.
        told = root.json("history", "f/m", env={"PLUMBLINE_INDEX": "postgresql://nobody@127.0.0.1:1/x"})
        equal(len(told["entries"]), 3, "history is whole without an index")
        root.write("plumbline.yaml", "index: postgresql://nobody@127.0.0.1:1/x\n")
        check("index_not_fed" in codes(root.json("record", "--family", "f", "--measurement", "m", "--source", root.path / "v.txt")), "plumbline.yaml is heard")
        root.write("plumbline.yaml", "index: postgresql://u:p@h/x\n")
        done = root.run("config", "check")
        check(done.returncode == 1 and "has a password in it" in done.stdout + done.stderr, done.stdout + done.stderr)
        root.write("plumbline.yaml", "index: postgresql://u@db.invalid/x\n")
        done = root.run("config", "check")
        check(done.returncode == 1 and "sslmode=verify-full" in done.stdout + done.stderr, done.stdout + done.stderr)
        check("index_unavailable" not in codes(root.json("search", "f")), "and no server is asked that any branch may name")
        (root.path / "plumbline.yaml").unlink()
        # Without the library it is named; at start nobody looks for it.
        (root.path / "lib").mkdir()
        (root.path / "lib/libpq.so.5").write_text("not a library")
        done = root.run("index", "check", "--index", cluster.url(), "--repo-root", root.path, env={"LD_LIBRARY_PATH": str(root.path / "lib")})
        equal(done.returncode, 3, "a missing library is a missing helper")
        check("libpq.so.5 is not installed" in done.stderr and "libpq5" in done.stderr, done.stderr)
        equal(root.run("history", "f/m", env={"LD_LIBRARY_PATH": str(root.path / "lib")}).returncode, 0, "what needs no index needs no library")
        loaded = subprocess.run([PLUMBLINE, "--version"], capture_output=True, text=True, env={**os.environ, "LD_DEBUG": "libs"})
        check("libpq" not in loaded.stderr and "libc.so" in loaded.stderr, "it is not loaded at start")
        # A server that accepts and says nothing is as good as none.
        cluster.freeze()
        try:
            began = time.monotonic()
            told = diff(root, "H100", cluster.url())
            check("index_unavailable" in codes(told) and "no answer in time" in str(told["warnings"]), f"silence: {told['warnings']}")
            check(time.monotonic() - began < 60, "nobody waits for ever")
        finally:
            cluster.thaw()


HOSTILE = ["'; DROP TABLE plumbline.entries; --", 'a "quoted" {array}, \\ with \\x00', "%_\\%", "tab\tand\nline", "\x01\x1b[31m\x1f", "NULL", "{}", "\u202eright to left",
           "x" * 5000, "\udcff\udcfe not UTF-8", "$1", "é ö 漢字"]


def hostile(cluster):
    url = cluster.database("hostile")
    with Root() as root:
        maintain(root, "rebuild", url)
        slugs = []
        for i, text in enumerate(HOSTILE):
            root.write("v.txt", f"{i + 1}\n")
            # Row keys and labels are texts of files: JSON may hold what argv cannot.
            root.path.joinpath("rows.json").write_bytes(json.dumps({f"k{text}": i + 1.0, "nul\u0000key": 2.0}).encode("utf-8", "surrogateescape"))
            words = ["record", "--family", "f", "--measurement", "hostile", "--label", text, "--notes", text, "--context", f"hardware.gpu={text}",
                     "--index", url]
            slugs.append(root.json(*words, "--source", root.path / "v.txt")["slug"])
            told = root.json(*words[:4], "rows", *words[5:], "--source", root.path / "rows.json")
            check("index_not_fed" not in codes(told), f"{text!r}: {told['warnings']}")
        equal(maintain(root, "check", url)["differences"], 0, "all of it is in the index")
        for i, text in enumerate(HOSTILE):
            root.write("now.txt", "1\n")
            words = ("diff", "f/hostile", root.path / "now.txt", "--context", f"hardware.gpu={text}", "--no-bundle")
            with_it, without = root.run(*words, "--index", url, "--json"), root.run(*words, "--index", "off", "--json")
            equal((with_it.returncode, with_it.stdout, with_it.stderr), (without.returncode, without.stdout, without.stderr), f"resolved by {text!r}")
            if "UTF-8" not in text:  # which no JSON holds as it is
                check(slugs[i] in baseline_of(json.loads(with_it.stdout)), f"the entry of {text!r}")
            for query in (text, text[:4]):
                if query.strip():
                    equal(root.json("search", "--query", query, "--index", url), root.json("search", "--query", query, "--index", "off"), f"searched {query!r}")
        equal(cluster.ask("SELECT count(*) FROM plumbline.entries", "hostile"), str(2 * len(HOSTILE)), "and the tables stand")


def killed(cluster):
    """kill -9 of the server under writers: what was acknowledged is there, and what was not is added by follow."""
    url = cluster.database("crash")
    with Root() as root:
        record(root, 1)
        maintain(root, "rebuild", url)
        told, lock, over = [], threading.Lock(), threading.Event()

        def write(number):
            at = 0
            while not over.is_set():
                at += 1
                source = root.write(f"v{number}.txt", f"{at}\n")
                done = root.run("record", "--family", f"w{number}", "--measurement", "m", "--source", source, "--index", url, "--json")
                equal(done.returncode, 0, f"the entry is published whatever becomes of the server: {done.stderr}")
                answer = json.loads(done.stdout)
                with lock:
                    told.append((answer["slug"], "index_not_fed" not in codes(answer)))

        writers = [threading.Thread(target=write, args=(n,)) for n in range(6)]
        for writer in writers:
            writer.start()

        def wait_for(condition):
            until = time.monotonic() + 60
            while time.monotonic() < until:
                with lock:
                    if condition():
                        return
                time.sleep(0.02)
            check(False, "the writers got nowhere")

        wait_for(lambda: sum(fed for _, fed in told) >= 12)
        cluster.kill()
        before = len(told)
        wait_for(lambda: any(not fed for _, fed in told[before:]))
        over.set()
        for writer in writers:
            writer.join()
        cluster.start()
        there = set(cluster.ask("SELECT slug FROM plumbline.entries", "crash").split())
        lost = [slug for slug, fed in told if fed and slug not in there]
        equal(lost, [], f"of {sum(fed for _, fed in told)} acknowledged entries none is lost")
        check(any(not fed for _, fed in told), "some were published while it was down")
        halves = cluster.ask("SELECT count(*) FROM plumbline.entries e WHERE NOT EXISTS (SELECT FROM plumbline.points p WHERE p.entry_id = e.id)", "crash")
        equal(halves, "0", "no entry is there without its values")
        maintain(root, "follow", url)
        equal(maintain(root, "check", url)["differences"], 0, "follow adds the rest")
        equal(cluster.ask("SELECT count(*) FROM plumbline.entries", "crash"), str(len(told) + 1), "each once")
        # Writers of one moment and several who find it empty.
        cluster.ask("DROP SCHEMA plumbline CASCADE", "crash")
        at_once = [subprocess.Popen([PLUMBLINE, "index", "follow", "--index", url, "--repo-root", str(root.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for _ in range(4)]
        for process in at_once:
            out, err = process.communicate()
            equal(process.returncode, 0, err.decode())
        equal(maintain(root, "check", url)["differences"], 0, "four who follow at once agree")
        equal(cluster.ask("SELECT count(*) FROM plumbline.points", "crash"), cluster.ask("SELECT count(*) FROM plumbline.entries", "crash"), "and nothing is in it twice")


def panels_of(dashboard):
    """Every statement of a dashboard, with what it is of."""
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["rawSql"], target["format"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield f"variable {variable['name']}", variable["query"], "table"
    for annotation in dashboard["annotations"]["list"]:
        yield f"annotation {annotation['name']}", annotation["target"]["rawSql"], "table"


def as_grafana_asks(sql, **chosen):
    """Its macros and variables put in as Grafana's PostgreSQL source does."""
    sql = re.sub(r"\$__timeFilter\(([^)]*)\)", r"\1 BETWEEN '2000-01-01T00:00:00Z' AND '2099-01-01T00:00:00Z'", sql)
    for name, value in chosen.items():
        sql = sql.replace("${%s:sqlstring}" % name, "'" + value.replace("'", "''") + "'")
    check("$" not in sql, f"nothing is left to put in: {sql}")
    return sql


def dashboards(cluster):
    url = cluster.database("dashboards")
    with Root() as root:
        root.write("rows.json", {"ttft_p99_ms": [41.0, 42.5, 41.9], "it's 100%": [910, 905, 914]})
        for _ in range(3):
            root.json("record", "--family", "f", "--measurement", "m", "--source", root.path / "rows.json", "--context", "hardware.gpu=H100")
        root.json("accept", "f/m", "--reason", "a start")
        root.write("worse.json", {"ttft_p99_ms": [61.0, 62.5, 61.9], "it's 100%": [710, 705, 714]})
        root.json("diff", "f/m", root.path / "worse.json")
        root.json("diff", root.path / "rows.json", root.path / "worse.json")  # of two files, and of no measurement
        maintain(root, "rebuild", url)
        seen = 0
        for path in sorted((SOURCE / "dashboards").glob("*.json")):
            for title, sql, form in panels_of(json.loads(path.read_text())):
                answer = cluster.ask(as_grafana_asks(sql, family="f", measurement="m", key="it's 100%"), "dashboards")
                check(answer != "", f"{path.name}, {title}: something is shown")
                if title == "Red now":
                    equal(answer, "1", "one measurement is red")
                if form == "time_series":
                    check(re.match(r"20\d\d-", answer), f"{path.name}, {title}: the first column is a time: {answer[:80]}")
                seen += 1
        check(seen >= 15, f"statements of dashboards: {seen}")


def questions_of_the_page(cluster):
    """The statements of docs/stores-index.md, as they stand there."""
    url = cluster.database("questions")
    with Root() as root:
        for name, value in (("decode", 41.0), ("prefill", 7.0)):
            for gpu, times in (("H100", 1.0), ("H200", 0.75)):
                source = root.write(f"{name}.json", {"ttft_p99_ms": [value * times, value * times + 0.1, value * times - 0.1]})
                root.json("record", "--family", "inference", "--measurement", name, "--source", source, "--context", f"hardware.gpu={gpu}")
        root.json("accept", "inference/decode", "--reason", "a start")
        for name, value in (("decode", 61.0), ("prefill", 5.25)):
            root.json("diff", f"inference/{name}", root.write("now.json", {"ttft_p99_ms": [value, value + 0.1, value - 0.1]}), "--context", "hardware.gpu=H200")
        maintain(root, "rebuild", url)
        asked = re.findall(r"```sql\n-- ([^\n]*)\n(.*?);\n```", (SOURCE / "docs/stores-index.md").read_text(), re.S)
        answers = {title: [line.split("|") for line in cluster.ask(sql, "questions").splitlines()] for title, sql in asked}
        equal([[row[:3] for row in answer] for title, answer in answers.items() if title.startswith("The newest verdict")],
              [[["inference", "decode", "RED"], ["inference", "prefill", "GREEN"]]], "the newest verdict of each")
        equal([[row[1:] for row in answer] for title, answer in answers.items() if title.startswith("How many")], [[["GREEN", "1"], ["RED", "1"]]], "a week's")
        equal([[row[1:3] for row in answer] for title, answer in answers.items() if title.startswith("The series")], [[["41", "3"], ["30.75", "3"]]], "a series")
        equal([[row[:3] for row in answer] for title, answer in answers.items() if title.startswith("One row")], [[["H100", "1", "41"], ["H200", "1", "30.75"]]],
              "by what it ran on")
        equal([answer for title, answer in answers.items() if title.startswith("What is measured")], [[["inference", "prefill"]]], "without an accepted baseline")
        equal(len(answers), 5, f"statements of the page: {list(answers)}")


need_postgres()
with Cluster() as server:
    same_answers(server)
    never_wrong(server)
    absent(server)
    hostile(server)
    dashboards(server)
    questions_of_the_page(server)
    killed(server)
finish()
