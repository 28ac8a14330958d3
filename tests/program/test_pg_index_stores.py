#!/usr/bin/env python3
"""The derived index of a registry that is not where one stands: in another folder, or in a bucket that many machines read through
copies of their own."""
from harness import Root, check, equal, finish
from indexed import baseline_of, codes, content, diff, maintain, record
from postgres import Cluster, need_postgres
from s3_server import Machine, Server


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


need_postgres()
with Cluster() as server, Server() as bucket:
    whose_it_is(server)
    in_a_bucket(server, bucket)
finish()
