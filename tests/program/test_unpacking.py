#!/usr/bin/env python3
"""What compressed files unpack to: a bomb is refused before it goes off, and many calls share one budget of memory."""
import gzip
import io
import random
import threading

from harness import Root, check, equal, finish
from serving import MODERN, Http, Server

QUIET = ("--audit-log", "off")


def peak_mib(process):
    fields = dict(line.split(":", 1) for line in open(f"/proc/{process.pid}/status") if ":" in line)
    return int(fields["VmHWM"].split()[0]) / 1024


def bomb(path, mib):
    """So many MiB of blanks in a thousandth of that."""
    with gzip.open(path, "wb", 9) as packed:
        for _ in range(mib):
            packed.write(b" " * (1 << 20))


def packed_table(path, mib):
    """A table of measurements of that size whose packed form is not suspicious."""
    draw = random.Random(7)
    text = io.StringIO("case,latency_ms\n")
    text.seek(0, io.SEEK_END)
    row = 0
    while text.tell() < mib << 20:
        text.write(f"case_{row},{draw.random():.15f}\n")
        row += 1
    with gzip.open(path, "wb", 1) as packed:
        packed.write(text.getvalue().encode())


with Root() as root:
    bomb(root.path / "bomb.json.gz", 512)
    with Server(root, "--http", "127.0.0.1:0", *QUIET) as server:
        before = peak_mib(server.process)
        error = Http(server.url, MODERN).problem("measurement_inspect", path="bomb.json.gz")
        equal(error["code"], "limit_exceeded", "a bomb")
        check(error["message"].startswith("unpacks to more than 64 MiB, "), error["message"])
        check(peak_mib(server.process) - before < 256, f"it is refused long before its 512 MiB: {peak_mib(server.process) - before:.0f} MiB")

# 32 MiB in all: one call that needs more by itself is refused, several that need less wait for each other.
with Root() as root:
    packed_table(root.path / "table.csv.gz", 8)
    packed_table(root.path / "large.csv.gz", 24)
    with Server(root, "--http", "127.0.0.1:0", "--unpack-memory", "32", "--jobs", "4", *QUIET) as server:
        error = Http(server.url, MODERN).problem("measurement_inspect", path="large.csv.gz")
        equal((error["code"], error["message"], error["hint"]),
              ("limit_exceeded", "takes more than 32 MiB of memory to unpack, the most that there is for it",
               "unpack it first: gzip -dk large.csv.gz; a server's bound is raised with --unpack-memory"), "more than there is in all")
        answers = []

        def ask():
            answers.append(Http(server.url, MODERN).call("measurement_inspect", path="table.csv.gz"))

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        refused = [one for one in answers if one["isError"]]
        equal(len(answers), 6, "each is answered")
        check(len(answers) - len(refused) >= 1, "some got what they needed")
        for one in refused:
            check("other calls hold what there is of the 32 MiB" in str(one), f"or was told why not: {str(one)[:300]}")
        check(not Http(server.url, MODERN).call("measurement_inspect", path="table.csv.gz")["isError"], "afterwards all of it is there again")

for flag, said in (("--jobs=0", "--jobs must be 1 to 256: 0"), ("--jobs=257", "--jobs must be 1 to 256: 257"),
                   ("--unpack-memory=-1", "--unpack-memory must be 0 to 16777216: -1")):
    with Root() as root:
        done = root.run("serve", flag)
        equal((done.returncode, done.stderr.splitlines()[0]), (2, f"plumbline: error: {said}"), flag)

finish()
