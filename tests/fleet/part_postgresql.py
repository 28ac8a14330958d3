#!/usr/bin/env python3
"""The derived index on a PostgreSQL server of its own: what tests/program/test_pg_index.py asks of it, kill -9 of the server included,
and what filling it takes. Ends with one line; 77 where it cannot be had."""
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "program"))
from harness import SKIPPED  # noqa: E402
from postgres import need_postgres, programs  # noqa: E402

ENTRIES = 500


def run(script, *words):
    done = subprocess.run([sys.executable, HERE.parent / script, *map(str, words)], capture_output=True, text=True, env=os.environ)
    print(done.stdout + done.stderr, end="", flush=True)
    return done


def main():
    need_postgres()
    version = subprocess.run([f"{programs()}/postgres", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    began = time.monotonic()
    tested = run("program/test_pg_index.py")
    if tested.returncode == SKIPPED:
        sys.exit(SKIPPED)
    took = time.monotonic() - began
    filled = run("bench/pg_index.py", "--entries", ENTRIES)
    good = tested.returncode == 0 and filled.returncode == 0
    print(f"PostgreSQL {version}: {'good' if good else 'FAILED'} (its tests in {took:.0f} s, {ENTRIES} entries filled)")
    sys.exit(0 if good else 1)


main()
