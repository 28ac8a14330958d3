#!/usr/bin/env python3
"""What the derived index costs and saves, on a PostgreSQL of its own. Usage: PLUMBLINE=… pg_index.py [--entries N] [--measurements N]

Prints a table: rebuild, records/s of 1 and 16 connections, resolving a name by context with and without the index, one series of
10,000 values, a search, and the size on disk. --measurements 100 fills the tables with a million entries and 20 million values by SQL
first, and asks the same statements as the program. docs/stores-index.md quotes the numbers."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from harness import PLUMBLINE, SOURCE, Root  # noqa: E402
from postgres import Cluster, need_postgres  # noqa: E402

READ = (SOURCE / "registry/pgindex/read.cpp").read_text() + (SOURCE / "registry/pgindex/write.cpp").read_text()


def statement(name, *values):
    """As the program has it, with values put in on one line, as pgbench wants it."""
    sql = re.search(rf'{name} = R"sql\((.*?)\)sql"', READ, re.S).group(1)
    for number in range(len(values), 0, -1):
        sql = sql.replace(f"${number}", f"({values[number - 1]})")
    return sql.replace("\n", " ").strip() + ";\n"


def line(what, figure):
    print(f"| {what} | {figure} |", flush=True)


def plumbline(root, *words, index):
    return subprocess.run([PLUMBLINE, *map(str, words), "--repo-root", str(root.path), "--index", index], capture_output=True, text=True, check=True,
                          env={**os.environ, "PLUMBLINE_CACHE_DIR": "off"})


def best_of(times, do):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        do()
        took.append(time.perf_counter() - began)
    return f"{1000 * statistics.median(took):.1f} ms (least {1000 * min(took):.1f})"


def pgbench(cluster, database, sql, seconds=5, clients=1):
    path = cluster.path / "bench.sql"
    path.write_text(sql)
    os.chmod(path, 0o644)
    done = subprocess.run(["pgbench", "-n", "-f", str(path), "-T", str(seconds), "-c", str(clients), "-j", "2", cluster.url(database)], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{cluster.bin}:{os.environ['PATH']}"}, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return float(re.search(r"latency average = ([0-9.]+) ms", done.stdout).group(1)), float(re.search(r"tps = ([0-9.]+)", done.stdout).group(1))


def processor_seconds(cluster):
    """Of the server and all that it started: what a machine that is busy with other things says, too."""
    ticks = 0
    for pid in (cluster.server.pid, *cluster.children()):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # over since it was listed, and counted with the postmaster's
            continue
        ticks += sum(map(int, fields[11:15] if pid == cluster.server.pid else fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def copies(root, entries, contexts):
    """Many entries of one measurement, made from one: hard links to its files, a baseline.json of its own for each context."""
    root.write("rows.json", {f"row{i}.latency_ms": [1.0 + i, 1.1 + i, 1.2 + i] for i in range(20)})
    first = json.loads(plumbline(root, "record", "--family", "f", "--measurement", "m", "--source", root.path / "rows.json", "--headline", "row1.latency_ms",
                                 "--context", "hardware.gpu=GPU0000", "--json", index="off").stdout)
    there = pathlib.Path(first["entry_dir"])
    sums = (there / "SHA256SUMS").read_text()
    import hashlib
    made = []
    for number in range(contexts):
        folder = root.path / f"context{number}"
        folder.mkdir()
        for name in os.listdir(there):
            if name not in ("baseline.json", "SHA256SUMS"):
                os.link(there / name, folder / name)
        text = (there / "baseline.json").read_bytes().replace(b"GPU0000", b"GPU%04d" % number)
        (folder / "baseline.json").write_bytes(text)
        (folder / "SHA256SUMS").write_text(re.sub(r"[0-9a-f]{64}(  baseline\.json)", hashlib.sha256(text).hexdigest() + r"\1", sums))
        made.append(folder)
    for i in range(entries):
        copy = there.parent / f"2025{1 + i // 2500:02d}01T{i // 3600 % 24:02d}{i // 60 % 60:02d}{i % 60:02d}{i:06d}Z"
        copy.mkdir()
        # The last context has one entry, the oldest but one.
        folder = made[contexts - 1] if i == 1 else made[i % (contexts - 1)]
        for path in folder.iterdir():
            os.link(path, copy / path.name)


def through_the_program(cluster, entries):
    url = cluster.database("program")
    with Root() as root:
        copies(root, entries, 50)
        began = time.perf_counter()
        told = json.loads(plumbline(root, "index", "rebuild", "--json", index=url).stdout)
        took = time.perf_counter() - began
        line(f"rebuild of {told['publications']} entries with {told['points']} values", f"{took:.1f} s, {told['publications'] / took:.0f} entries/s")
        began = time.perf_counter()
        plumbline(root, "index", "follow", index=url)
        line("follow, nothing new", f"{time.perf_counter() - began:.2f} s")
        began = time.perf_counter()
        plumbline(root, "index", "check", index=url)
        line("check", f"{time.perf_counter() - began:.2f} s")
        line("index on disk", f"{told['bytes'] / told['publications'] / 1000:.2f} kB an entry of 20 values")
        for gpu, what in (("GPU0003", "newest fits"), ("GPU0049", "the oldest but one fits"), ("GPU9999", "none fits")):
            for index, with_it in ((url, "with"), ("off", "without")):
                def ask():
                    done = subprocess.run([PLUMBLINE, "diff", "f/m", str(root.path / "rows.json"), "--context", f"hardware.gpu={gpu}", "--no-bundle", "--repo-root",
                                           str(root.path), "--index", index, "--json"], capture_output=True, env={**os.environ, "PLUMBLINE_CACHE_DIR": "off"}, check=False)
                    if done.returncode != (2 if gpu == "GPU9999" else 0) or b"index_" in done.stdout:
                        raise SystemExit(done.stderr.decode() + done.stdout.decode()[:2000])
                line(f"diff of one file, {what}, {with_it} the index", best_of(5, ask))
        for index, with_it in ((url, "with"), ("off", "without")):
            line(f"search for a word that one entry has, {with_it} the index", best_of(3, lambda i=index: plumbline(root, "search", "gpu0049", index=i)))
        record = lambda i, n: plumbline(root, "record", "--family", f"w{n}", "--measurement", "m", "--source", root.path / "rows.json", index=i)  # noqa: E731
        line("record, index off", best_of(10, lambda: record("off", 0)))
        line("record, told to the index", best_of(10, lambda: record(url, 0)))
        done = []

        def write(number):
            until = time.perf_counter() + 10
            while time.perf_counter() < until:
                record(url, number)
                done.append(1)

        writers = [threading.Thread(target=write, args=(n,)) for n in range(16)]
        began = time.perf_counter()
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        line("`plumbline record` by 16 processes at a time, told to the index", f"{len(done) / (time.perf_counter() - began):.0f}/s")


FILL = """
INSERT INTO measurements(family, measurement) SELECT 'f', 'm' || i FROM generate_series(1, :measurements) i;
INSERT INTO contexts(sha256, packed, context) SELECT sha256(i::text::bytea), i::text::bytea, jsonb_build_object('hardware.gpu', i) FROM generate_series(1, 200) i;
INSERT INTO series(measurement_id, sha256, key, unit, direction) SELECT m.id, sha256(k::text::bytea), 'key' || k, 'ms', 'lower-is-better' FROM measurements m, generate_series(1, 20) k;
SELECT make_month('2025-01-01'::timestamptz + make_interval(months => i)) FROM generate_series(0, 11) i;
INSERT INTO entries(measurement_id, slug, measured, at, entry_sha256, context_id, tier, shape, format, value, unit, label, notes, git_commit, record, words, keys, points_left_out)
  SELECT m.id, s.slug, s.slug, s.at, md5(s.slug) || md5(s.slug), 1 + (m.id * 7 + i) % 20, 'DRAFT', 'structured', 'generic-json', NULL, '', 'ci', 'nightly ' || i, md5(i::text),
    decode(repeat('00', 250), 'hex'), 'f' || E'\\x1f' || 'm' || m.id || E'\\x1f' || 'nightly pr' || i || E'\\x1f' || 'gpu' || i % 200, ARRAY['key1'], 0
  FROM measurements m, generate_series(1, 10000) i,
    LATERAL (SELECT '2025-01-01'::timestamptz + make_interval(secs => i * 3100 + m.id) AS at) t, LATERAL (SELECT to_char(t.at AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISSUS"Z"') AS slug, t.at) s;
INSERT INTO points(series_id, at, entry_id, value, n, sd) SELECT s.id, e.at, e.id, 1 + random(), 3, 0.1 FROM entries e JOIN series s ON s.measurement_id = e.measurement_id;
"""


def by_sql(cluster, measurements):
    url = cluster.database("million")
    with Root() as root:
        root.write("v.txt", "1\n")
        plumbline(root, "index", "rebuild", index=url)
    began = time.perf_counter()
    cluster.ask("SET search_path = plumbline; SET TimeZone = 'UTC'; " + FILL.replace(":measurements", str(measurements)), "million")
    cluster.ask("VACUUM ANALYZE", "million")
    size = int(cluster.ask("SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'plumbline' AND relkind = 'r'",
                           "million"))
    line(f"{measurements * 10_000:,} entries and {measurements * 200_000:,} values by SQL", f"{time.perf_counter() - began:.0f} s, {size / 1e9:.2f} GB, {size / measurements / 1e7:.2f} kB an entry")
    for relation in ("entries", "points_2025_03"):
        line(f"{relation}", cluster.ask(f"SELECT pg_size_pretty(pg_relation_size('plumbline.{relation}')) || ', with indexes ' ||"
                                        f" pg_size_pretty(pg_total_relation_size('plumbline.{relation}'))", "million"))
    begin = f"\\set m random(1, {measurements})\n\\set c random(1, 20)\n\\set r random(1, 10000)\n"
    cluster.ask("ALTER ROLE plumbline SET search_path = plumbline")
    total = 0.0
    for what, sql in (("contexts of a measurement", statement("kContexts", "'f'", "'m' || :m::text")),
                      ("newest of each of two fitting contexts", statement("kNewest", ":m::text", "'{3,4}'")),
                      ("a series of 10,000 values, as a dashboard asks", "SELECT p.at, p.value FROM plumbline.series_list s JOIN plumbline.points p USING (series_id)"
                       " WHERE family = 'f' AND measurement = 'm' || :m::text AND key = 'key3' ORDER BY 1;\n"),
                      ("search, a rare word", statement("kSearch", "ARRAY['%pr' || :r::text || E'\\x1f' || '%']", *["''"] * 6, "'%pr' || :r::text || E'\\x1f' || '%'", "100001"))):
        latency, _ = pgbench(cluster, "million", begin + sql)
        total += latency if "context" in what else 0
        line(what, f"{latency:.2f} ms")
    line("resolve: both of the first", f"{total:.2f} ms")
    # A record as the program puts it: an entry and its 20 values, one statement, one transaction.
    slug = "to_char(clock_timestamp() AT TIME ZONE 'UTC' - interval '400 days', 'YYYYMMDD\"T\"HH24MISSUS\"Z\"')"
    at = "clock_timestamp() - interval '400 days'"
    text = lambda value: f"ARRAY[{value}]::text[]"  # noqa: E731
    values = [text("'f'"), text("'m' || :m::text"), text(f"{slug} || :r::text || :client_id::text"), text(slug), f"ARRAY[{at}]", text("repeat('0', 64)"),
              "ARRAY[sha256('3'::bytea)]", text("'DRAFT'"), text("'structured'"), text("'generic-json'"), "ARRAY[NULL]::float8[]", text("''"), text("'ci'"),
              text("'nightly'"), text("''"), "ARRAY[decode(repeat('00', 250), 'hex')]", text("'f m nightly pr' || :r::text"), text("'key1'"), "ARRAY[0]",
              "ARRAY(SELECT 1::bigint FROM generate_series(1, 20))", "ARRAY(SELECT sha256(k::text::bytea) FROM generate_series(1, 20) k)",
              "ARRAY(SELECT random() FROM generate_series(1, 20))", "ARRAY(SELECT 3 FROM generate_series(1, 20))", "ARRAY(SELECT 0.1::float8 FROM generate_series(1, 20))"]
    cluster.ask("SELECT plumbline.make_month(now() - interval '400 days')", "million")
    for clients in (1, 16):
        before, began = processor_seconds(cluster), time.perf_counter()
        latency, rate = pgbench(cluster, "million", begin + statement("kAddEntries", *values), clients=clients)
        each = (processor_seconds(cluster) - before) / (rate * (time.perf_counter() - began))
        line(f"records by {clients} connection{'s' if clients > 1 else ''}, an entry and 20 values each", f"{rate:.0f}/s, {latency:.1f} ms, {1000 * each:.1f} ms of processors")
    before, began = processor_seconds(cluster), time.perf_counter()
    _, rate = pgbench(cluster, "million", begin + "SELECT " + ", ".join(f"({value})" for value in values) + ";\n")
    line("of which making up the values, which the program does itself", f"{1000 * (processor_seconds(cluster) - before) / (rate * (time.perf_counter() - began)):.1f} ms of processors")
    cluster.ask("ALTER ROLE plumbline RESET search_path")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--measurements", type=int, default=0, help="of 10,000 entries with 20 values each, put in by SQL: 100 make a million entries")
    given = parser.parse_args()
    need_postgres()
    print("| what | figure |\n|---|---|")
    with Cluster(shared_buffers="512MB", max_wal_size="4GB") as cluster:
        if given.entries:
            through_the_program(cluster, given.entries)
        if given.measurements:
            by_sql(cluster, given.measurements)


main()
