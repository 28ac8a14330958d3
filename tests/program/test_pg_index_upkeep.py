#!/usr/bin/env python3
"""The derived index while it is kept: beside writers, behind locks, with odd publications and other people's things in the database."""
import pathlib
import shutil
import signal
import subprocess
import threading

from harness import PLUMBLINE, Root, check, equal, finish
from indexed import baseline_of, codes, diff, maintain, record
from postgres import Cluster, need_postgres

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


def start(root, action, index, *words):
    return subprocess.Popen([PLUMBLINE, "index", action, "--index", index, "--repo-root", str(root.path), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def fed_in_between(cluster):
    """What is published and told to the index while a follower compares is not taken for gone."""
    url = cluster.database("between")
    for action in ("follow", "check"):
        with Root() as root:
            first = record(root, 1)
            maintain(root, "rebuild", url)
            with cluster.session("between") as session:
                session.ask("BEGIN; LOCK TABLE plumbline.entries IN ACCESS EXCLUSIVE MODE")
                follower = start(root, action, url)
                cluster.wait_for(WAITING, "1", "between")
                second = record(root, 2)
                columns = session.ask("SELECT string_agg(column_name, ', ') FROM information_schema.columns WHERE table_schema = 'plumbline'"
                                      " AND table_name = 'entries' AND column_name NOT IN ('id', 'slug', 'entry_sha256')")
                session.ask(f"INSERT INTO plumbline.entries (slug, entry_sha256, {columns}) SELECT '{second['slug']}', '{second['entry_sha256']}', {columns}"
                            f" FROM plumbline.entries WHERE slug = '{first['slug']}'; COMMIT")
                out, err = follower.communicate()
            equal((follower.returncode, "not in the store" in out + err), (0, False), f"{action} finds no difference: {out}{err}")
            equal(cluster.ask("SELECT count(*) FROM plumbline.entries", "between"), "2", f"{action} leaves it there")
            maintain(root, "drop", url)


def beside_writers(cluster):
    """Followers and checks run while others publish: nothing is lost, and nothing is called gone."""
    url = cluster.database("beside")
    with Root() as root:
        record(root, 0)
        maintain(root, "rebuild", url)
        over, told = threading.Event(), []

        def write(number):
            for at in range(12):
                source = root.write(f"v{number}.txt", f"{at}\n")
                done = root.run("record", "--family", f"w{number}", "--measurement", "m", "--source", source, "--index", url if at % 3 else "off", "--json")
                told.append(done.returncode)

        def look(action):
            while True:
                last = over.is_set()
                done = root.run("index", action, "--index", url, "--repo-root", root.path)
                check(done.returncode in (0, 1) and "not in the store" not in done.stdout, f"{action}: {done.stdout}{done.stderr}")
                if last:
                    return

        lookers = [threading.Thread(target=look, args=(action,)) for action in ("follow", "follow", "check")]
        writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for thread in (*lookers, *writers):
            thread.start()
        for writer in writers:
            writer.join()
        over.set()
        for looker in lookers:
            looker.join()
        equal(told, [0] * 48, "everybody could publish")
        maintain(root, "follow", url)
        equal(maintain(root, "check", url)["differences"], 0, "and all of it is in the index")
        equal(cluster.ask("SELECT count(*) FROM plumbline.entries", "beside"), "49", "each once")


def nobody_elses(cluster):
    """Neither another registry's index goes, nor an index of other people's that uses the extension which ours made."""
    url = cluster.database("shared")
    with Root() as root, Root() as other:
        record(root, 1)
        record(other, 1)
        maintain(root, "rebuild", url)
        cluster.ask("CREATE TABLE public.theirs (word text); CREATE INDEX theirs_by_word ON public.theirs USING gin (word public.gin_trgm_ops)", "shared")
        there = "SELECT count(*) FROM pg_class WHERE relname = 'theirs_by_word'"
        for action in ("rebuild", "drop"):
            said = maintain(other, action, url, status=3)
            check("it is of another registry" in said and "--force" in said, f"{action} from another root: {said}")
        for action in ("follow", "check"):
            said = maintain(other, action, url, status=3)
            check("rebuild" not in said, f"nor does {action} advise it: {said}")
        equal(maintain(root, "check", url)["differences"], 0, "it is as it was")
        cluster.ask("ALTER EXTENSION pg_trgm SET SCHEMA plumbline", "shared")  # where it was made before
        maintain(root, "rebuild", url)
        equal(cluster.ask(there, "shared"), "1", "other people's index is there after a rebuild")
        cluster.ask("INSERT INTO plumbline.migrations(version) VALUES (999)", "shared")
        check("version 999" in maintain(root, "drop", url, status=3), "tables of a newer release stay, too")
        maintain(other, "rebuild", url, "--force")
        equal(maintain(other, "check", url)["publications"], 1, "whoever says --force has it")
        maintain(other, "drop", url)
        equal(cluster.ask(there, "shared"), "1", "and after a drop")
        equal(cluster.ask("SELECT count(*) FROM pg_namespace WHERE nspname = 'plumbline'", "shared"), "0", "ours is gone")
        done = root.run("index", "follow", "--force", "--index", url, "--repo-root", root.path)
        check(done.returncode == 2 and "--force goes with" in done.stderr, done.stderr)


def behind_locks(cluster):
    """Whoever holds a lock makes nobody wait for long, and no statement goes on that nobody waits for."""
    url = cluster.database("locked")
    with Root() as root:
        first = record(root, 1, gpu="H100")
        maintain(root, "rebuild", url)
        with cluster.session("locked") as session:
            session.ask("BEGIN; LOCK TABLE plumbline.entries IN ACCESS EXCLUSIVE MODE")
            told = diff(root, "H100", url)
            check("index_unavailable" in codes(told) and first["slug"] in baseline_of(told), f"resolved without it: {told['warnings']}")
            told = record(root, 2, gpu="H100", index=url)
            check("index_not_fed" in codes(told), f"published without it: {told['warnings']}")
            cluster.wait_for("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plumbline' AND state = 'active'", "0", "locked")
            session.ask("ROLLBACK")
        equal(maintain(root, "follow", url)["added"], 1, "follow adds what was not told")


def new_months(cluster):
    """The first entry of a month waits for no reader of the others, and a month that was detached is attached again."""
    url = cluster.database("months")
    with Root() as root:
        record(root, 1)
        maintain(root, "rebuild", url)
        cluster.ask("DELETE FROM plumbline.entries; DELETE FROM plumbline.points", "months")
        month = cluster.ask("SELECT min(inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = 'plumbline.points'::regclass"
                            " AND inhrelid::regclass::text LIKE '%points_20%'", "months")
        cluster.ask(f"DROP TABLE {month}", "months")
        with cluster.session("months") as session:
            session.ask("BEGIN; SELECT count(*) FROM plumbline.points")
            check("index_not_fed" not in codes(record(root, 2, index=url)), "a month is made while somebody reads")
            session.ask("COMMIT")
        cluster.ask(f"ALTER TABLE plumbline.points DETACH PARTITION {month}", "months")
        check("index_not_fed" not in codes(record(root, 3, index=url)), "a month that was detached")
        equal(cluster.ask("SELECT count(*) FROM plumbline.points", "months"), "2", "is there again, with what was in it")
        equal(maintain(root, "follow", url)["added"], 1, "and follow adds what was taken away")


def unreadable(cluster):
    """What nobody can read is in no index, and no reason to call that stale for ever."""
    url = cluster.database("unreadable")
    with Root() as root:
        record(root, 1, gpu="H100")
        broken = record(root, 2, gpu="H100")
        path = pathlib.Path(broken["entry_dir"]) / "baseline.json"
        path.chmod(0o644)
        path.write_text("{")
        equal(maintain(root, "rebuild", url)["unreadable"], 1, "it is counted")
        equal(maintain(root, "check", url)["differences"], 0, "and no difference")
        found = root.json("search", "f", "--index", url)
        equal((found["total"], [code for code in codes(found) if code.startswith("index_")]), (1, []), f"searched: {found['warnings']}")
        told = diff(root, "H100", url)
        check("entry_unreadable" in codes(told) and "index_stale" not in codes(told), f"resolved: {told['warnings']}")


def far_behind(cluster):
    """An index that lacks many entries costs one reading, where the newest of them fits: the others are not looked at."""
    url = cluster.database("behind")
    with Root() as root:
        # Days apart: what was measured a day before a slug cannot be meant before it.
        entry = pathlib.Path(record(root, 1, gpu="H100")["entry_dir"])
        for day in range(1, 31):
            shutil.copytree(entry, entry.parent / f"202501{day:02d}T000000000000Z")
        shutil.rmtree(entry)
        maintain(root, "rebuild", url)
        for there in ("20250103", "20250130"):
            cluster.ask(f"DELETE FROM plumbline.entries WHERE slug LIKE '2025%' AND slug NOT LIKE '{there}%' AND slug > '20250103T'", "behind")
            told = diff(root, "H100", url)
            check("20250130T000000000000Z" in baseline_of(told), f"the newest is found: {baseline_of(told)}")
            stale = [w["message"] for w in told["warnings"] if w["code"] == "index_stale"]
            wanted = ["1 entry of f/m not in the index"] if there == "20250103" else []
            equal([message[:len("1 entry of f/m not in the index")] for message in stale], wanted, "and no more than that was read")
            maintain(root, "follow", url)
        equal(diff(root, "B200", url, status=2), diff(root, "B200", "off", status=2), "none fits: the same nearest")


def odd_publications(cluster):
    """One that the database does not take keeps no other one out."""
    url = cluster.database("odd")
    with Root() as root:
        entry = pathlib.Path(record(root, 1)["entry_dir"])
        shutil.copytree(entry, entry.parent / "20250231T000000000000Z")  # no such day
        made = maintain(root, "rebuild", url)
        equal((made["kept"], made["unreadable"]), (2, 0), "a name that is no time is kept without one")
        cluster.ask("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.label = 'odd' THEN RAISE EXCEPTION 'too odd'"
                    " USING ERRCODE = '22P05'; END IF; RETURN NEW; END $$; CREATE TRIGGER refuse BEFORE INSERT ON plumbline.entries FOR EACH ROW"
                    " EXECUTE FUNCTION refuse()", "odd")
        for label in ("before", "odd", "after"):
            record(root, 2, label=label)
        followed = maintain(root, "follow", url)
        equal((followed["added"], followed["unreadable"]), (2, 1), "what it refuses is counted")
        equal(cluster.ask("SELECT count(*) FROM plumbline.entries WHERE label IN ('before', 'after')", "odd"), "2", "the others are in it")
        cluster.ask("CREATE DATABASE latin ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        said = maintain(root, "rebuild", cluster.url("latin"), status=3)
        check("encoding LATIN1, not UTF8" in said, f"a database that cannot hold every text: {said}")


def followed_on(cluster):
    """--every goes on when the server was away, and says so."""
    url = cluster.database("every")
    with Root() as root:
        record(root, 1)
        follower = start(root, "follow", url, "--every", "1")
        try:
            count = "SELECT count(*) FROM plumbline.entries"
            cluster.wait_for("SELECT count(*) FROM pg_namespace WHERE nspname = 'plumbline'", "1", "every")
            cluster.wait_for("SELECT count(*) FROM pg_tables WHERE schemaname = 'plumbline' AND tablename = 'acceptances'", "1", "every")
            cluster.wait_for(count, "1", "every")
            cluster.wait_for("SELECT count(*) FROM pg_stat_user_tables WHERE schemaname = 'plumbline' AND relname = 'entries' AND analyze_count > 0", "1", "every")
            record(root, 2)
            cluster.wait_for(count, "2", "every")  # the second round: the first one went well
            cluster.kill()
            said = follower.stderr.readline()
            check("asked again every 1 second" in said, f"it says that it goes on: {said}")
            cluster.start()
            record(root, 3)
            cluster.wait_for(count, "3", "every")
        finally:
            follower.send_signal(signal.SIGINT)
            out, err = follower.communicate()
        equal(follower.returncode, 0, f"what was done is the answer: {out}{err}")


def history_says(cluster):
    """A long history that is not what the index has says so."""
    url = cluster.database("history")
    with Root() as root:
        entry = pathlib.Path(record(root, 1)["entry_dir"])
        for day in range(1, 74):
            shutil.copytree(entry, entry.parent / f"2025{1 + day // 28:02d}{1 + day % 28:02d}T000000000000Z")
        maintain(root, "rebuild", url)
        bare = {"PLUMBLINE_CACHE_DIR": "off"}  # no index of this machine's own, which would answer without the database
        told = [root.json("history", "f/m", "--index", index, env=bare) for index in (url, "off")]
        equal(told[0], told[1], "the same with and without it")
        cluster.ask("DELETE FROM plumbline.entries WHERE slug IN (SELECT slug FROM plumbline.entries ORDER BY slug DESC LIMIT 3)", "history")
        told = root.json("history", "f/m", "--index", url, env=bare)
        said = [w["message"] for w in told["warnings"] if w["code"] == "index_stale"]
        check(len(said) == 1 and said[0].startswith("3 entries of f/m not in the index"), f"what it lacks: {told['warnings']}")
        maintain(root, "drop", url)
        check("index_unavailable" in codes(root.json("history", "f/m", "--index", url, env=bare)), "and that it is not there")


def collected(cluster):
    """What gc removes is forgotten at once."""
    url = cluster.database("collected")
    with Root() as root:
        kept = [record(root, i)["slug"] for i in range(5)]
        maintain(root, "rebuild", url)
        root.json("gc", "--keep-last", "2", "--yes", env={"PLUMBLINE_INDEX": url})
        there = cluster.ask("SELECT string_agg(slug, ' ' ORDER BY slug) FROM plumbline.entries", "collected").split()
        equal(there, [slug for slug in kept if (root.path / f"experiments/artifacts/perf-baselines/f/m/{slug}").is_dir()], "the index knows what is left")
        check(len(there) < 5, "and something went")
        equal(maintain(root, "check", url)["differences"], 0, "so that nothing differs")


need_postgres()
with Cluster() as server:
    fed_in_between(server)
    beside_writers(server)
    nobody_elses(server)
    behind_locks(server)
    new_months(server)
    unreadable(server)
    far_behind(server)
    odd_publications(server)
    followed_on(server)
    history_says(server)
    collected(server)
finish()
