#!/usr/bin/env python3
"""The derived index of a registry that is not where one stands: in another folder, or in a bucket that many machines read through
copies of their own."""
import datetime
import pathlib
import urllib.parse

from harness import Root, check, equal, finish
from indexed import baseline_of, codes, content, diff, maintain, record
from postgres import Cluster, need_postgres
from s3_server import Machine, Server, put, remove


class Elsewhere(Root):
    """A root whose registry is in a folder of its own, as --store names it."""

    def __init__(self, store):
        super().__init__()
        self.store = store

    def run(self, *arguments, env=None, cwd=None):
        return super().run(*arguments, env={"PLUMBLINE_STORE": str(self.store), **(env or {})}, cwd=cwd)


def whose_it_is(cluster):
    """An index is of a store: two runners with other paths share it, two stores of one root do not."""
    url = cluster.database("whose")
    with Root() as store, Root() as second, Elsewhere(store.path) as here, Elsewhere(store.path) as there:
        record(here, 1, gpu="H100")
        maintain(here, "rebuild", url)
        told = record(there, 2, gpu="H100", index=url)
        check("index_not_fed" not in codes(told), f"another checkout's runner feeds it: {told['warnings']}")
        told = diff(there, "H100", url)
        check("index_unavailable" not in codes(told), f"and asks it: {told['warnings']}")
        equal(maintain(there, "check", url)["differences"], 0, "and finds it right")
        here.store = second.path
        told = record(here, 3, gpu="H100", index=url)
        check("index_not_fed" in codes(told) and "of another registry" in str(told["warnings"]), f"another store of the same root does not: {told['warnings']}")
        check("of another registry" in maintain(here, "follow", url, status=3), "nor is it followed into")


def in_a_bucket(cluster, server):
    url = cluster.database("bucket")
    with Machine(server) as here, Machine(server, here.prefix) as there, Machine(server) as other:
        record(here, 1, gpu="H100")
        maintain(here, "rebuild", url)
        told = record(there, 2, gpu="H100", index=url)
        check("index_not_fed" not in codes(told), f"a second machine feeds the bucket's index: {told['warnings']}")
        told = diff(here, "H100", url)
        check(not {"index_unavailable", "index_stale"} & set(codes(told)), f"and the first one asks it: {told['warnings']}")
        equal(baseline_of(told), baseline_of(diff(here, "H100", "off")), "which chooses what reading all of them chooses")
        # A third one that has read nothing of it yet: it lists names, and fetches what it reads.
        record(here, 4, gpu="H100", label="needle", index=url)
        here.write("now.txt", "100\n")
        here.json("diff", "f/m", here.path / "now.txt", "--context", "hardware.gpu=H100", "--index", url)
        with Machine(server, here.prefix) as cold:
            if not server.real:
                server.ask("_reset")
            found = cold.json("search", "needle", "--index", url)
            equal([hit["label"] for hit in found["hits"] if hit["kind"] == "entry"], ["needle"], "found from a machine that has no copies")
            if not server.real:
                fetched = [line for line in server.ask("_log") if line.startswith("GET ") and line.endswith("/baseline.json")]
                equal(len(fetched), 1, f"and nothing else was fetched for it: {fetched}")
        with Machine(server, here.prefix) as cold:
            equal(maintain(cold, "check", url)["differences"], 0, "a machine without copies finds it right")
        before = content(cluster, "bucket")
        with Machine(server, here.prefix) as cold:
            equal(maintain(cold, "rebuild", url)["unreadable"], 0, "and makes it anew")
        equal(content(cluster, "bucket"), before, "as it was")
        told = record(other, 3, gpu="H100", index=url)
        check("of another registry" in str(told["warnings"]), f"another prefix is another registry: {told['warnings']}")


def asked(server, do):
    """What `do` says, and what the stand-in was asked for meanwhile: by the beginning of the key, where it is a listing by the prefix."""
    server.ask("_reset")
    told = do()
    log = [urllib.parse.unquote(line) for line in server.ask("_log")]
    return told, ["LIST " + line.split("prefix=")[1].split("&")[0].split("/", 1)[1] if "list-type" in line else line for line in log]


def noted(machine, what, slug, ago=datetime.timedelta(), family="f", measurement="m"):
    """The key of a line of the journal, as docs/stores.md has it."""
    at = (datetime.datetime.now(datetime.timezone.utc) - ago).strftime("%Y%m%dT%H%M%S%fZ")
    return f"{machine.prefix}/.plumbline-journal/{at}/{what}/{family}/{measurement}/{slug}"


def take_line(server):
    """Of the journal the last one, as if its publisher had not come to it."""
    lines = [line.split(" ", 1)[1] for line in server.ask("_log") if line.startswith("PUT ") and ".plumbline-journal" in line]
    remove(server, urllib.parse.unquote(lines[-1]).removeprefix("/perf/"))


def by_its_journal(cluster):
    """What was published without telling the index is found by the journal, without a look at everything; what the journal lacks or says
    wrongly makes no answer wrong, and is put right when all is compared."""
    url = cluster.database("journal")
    position = "SELECT journal FROM plumbline.followed"
    with Server() as server, Machine(server) as here:
        for i in range(3):
            record(here, i, gpu="H100", measurement=f"old{i}")
        record(here, 1, gpu="H100")
        follow = lambda *words: maintain(here, "follow", url, *words)  # noqa: E731
        equal(maintain(here, "rebuild", url)["by_journal"], False, "a rebuild looks at everything")
        told, log = asked(server, follow)
        equal((told["by_journal"], told["added"], log), (True, 0, ["LIST .plumbline-journal/"]), "nothing new: one page of the journal")

        # An entry, a diff and an acceptance.
        new = record(here, 2, gpu="H100")
        diffed = here.json("diff", "f/m", here.write("now.txt", "100\n"), "--context", "hardware.gpu=H100")
        here.json("accept", f"f/m@{new['slug']}", "--reason", "agreed")
        told, log = asked(server, follow)
        equal((told["by_journal"], told["added"], told["removed"]), (True, 2, 0), "both are added")
        check(not [line for line in log if "old" in line or line == "LIST experiments/artifacts/perf-baselines/"], f"nothing else is looked at: {log}")
        equal(cluster.ask("SELECT slug FROM plumbline.verdict_list", "journal"), diffed["diff_dir"].rsplit("/", 1)[1], "the diff")
        equal(cluster.ask("SELECT slug FROM plumbline.acceptance_list", "journal"), new["slug"], "the acceptance")
        equal(maintain(here, "check", url)["differences"], 0, "that was all")
        told, log = asked(server, follow)
        equal((told["added"], log), (0, ["LIST .plumbline-journal/"]), "and they are not read again")
        check(cluster.ask(position, "journal") > new["slug"], "how far it went is kept")

        # A publisher that came to its end and not to its line: another one's files are put without the program.
        lost = record(here, 3, gpu="H200")
        take_line(server)
        equal(follow()["added"], 0, "who is not noted is not seen")
        told = diff(here, "H200", url)
        check("index_stale" in codes(told) and lost["slug"] in baseline_of(told), f"and yet it is the answer: {told['warnings']}")
        told = maintain(here, "follow", url, "--whole")
        equal((told["by_journal"], told["added"]), (False, 1), "all of it compared")
        check("index_stale" not in codes(diff(here, "H200", url)), "it is known now")
        lost = record(here, 4, gpu="H200")
        take_line(server)
        cluster.ask("UPDATE plumbline.followed SET compared = '20200101T000000000000Z'", "journal")
        told = follow()
        equal((told["by_journal"], told["added"]), (False, 1), "after a day all is compared by itself")
        equal(follow()["by_journal"], True, "and then a day is not over")

        # Late: noted by a clock that is behind, or after many attempts.
        late = record(here, 5, gpu="H200")
        take_line(server)
        record(here, 6, gpu="H200")
        equal(follow()["added"], 1, "one of two")
        put(server, noted(here, "entry", late["slug"], datetime.timedelta(minutes=30)), "")
        equal(follow()["added"], 1, "a line that came late")
        equal(maintain(here, "check", url)["differences"], 0, "all of them")

        # Lines that are none, or of what is not there, or of what never ended, or of a time that is to come.
        unfinished = "20260101T000000000001Z"
        put(server, f"{here.prefix}/experiments/artifacts/perf-baselines/f/m/{unfinished}/baseline.json",
            (pathlib.Path(new["local_dir"]) / "baseline.json").read_bytes())
        for what, slug in (("entry", "20260101T000000000000Z"), ("bundle", "20260101T000000000000Z"), ("entry", unfinished), ("entry", "../../x"), ("other", new["slug"]),
                           ("acceptance", "000009-" + new["slug"]), ("acceptance", "x-" + new["slug"])):
            put(server, noted(here, what, slug), "")
        put(server, noted(here, "entry", new["slug"], -datetime.timedelta(days=40_000)), "")
        put(server, noted(here, "entry", new["slug"], family="..", measurement="a b"), "")
        put(server, f"{here.prefix}/.plumbline-journal/zzz", "")
        before = content(cluster, "journal")
        told = follow()
        equal((told["by_journal"], told["added"], content(cluster, "journal") == before), (True, 0, True), f"nothing of that is added: {told}")
        check(cluster.ask(position, "journal") < "2100", "a line of the future hides none before it")
        record(here, 7, gpu="H200")
        equal(follow()["added"], 1, "and it goes on")
        equal(maintain(here, "check", url)["differences"], 0, "right to the end")
        # Who does not use an index notices nothing: the journal is in nobody's listing.
        equal(maintain(here, "rebuild", url)["publications"], 11, "ten entries and a diff")
    # Who may not write there has published all the same.
    with Server("--deny", ".plumbline-journal") as server, Machine(server) as here:
        told = record(here, 1, gpu="H100")
        check(codes(told) == ["index_not_fed"] and "AccessDenied" in told["warnings"][0]["message"], f"it is said: {told['warnings']}")
        equal(here.json("verify", f"f/m@{told['slug']}")["ok"], True, "published")
        check(here.run("accept", "f/m", "--reason", "r").returncode == 0, "accepted")


need_postgres()
with Cluster() as server, Server() as bucket:
    whose_it_is(server)
    in_a_bucket(server, bucket)
    by_its_journal(server)
finish()
