#!/usr/bin/env python3
"""One large upload by `plumbline --server`: how fast, and the most memory that either end ever had.
Usage: PLUMBLINE=build/release/bin/plumbline tests/bench/upload.py [MIB]   (default 1024; ends with 1 above 64 MiB)"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from harness import PLUMBLINE, Root  # noqa: E402
from serving import Server, environment  # noqa: E402


def peak(pid):
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def main():
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    with Root() as root, tempfile.TemporaryDirectory() as here, Server(root, "--http", "127.0.0.1:0", "--audit-log", "off") as server:
        big = pathlib.Path(here) / "big.bin"
        block = os.urandom(1 << 20)
        with big.open("wb") as out:
            for n in range(mib):
                out.write(n.to_bytes(8, "big") + block[8:])
        client = subprocess.Popen([PLUMBLINE, "--server", server.url, "record", "--family", "../unread", "--measurement", "m", "--source", str(big)], cwd=here, env=environment(), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        start, most = time.monotonic(), 0.0
        while client.poll() is None:
            most = max(most, peak(client.pid))
            time.sleep(0.01)
        kept = [p for p in (root.path / ".plumbline-blobs").rglob("*") if p.is_file() and p.stat().st_size == mib << 20]
        seconds = time.monotonic() - start
        print(f"{mib} MiB in {seconds:.1f} s ({mib / seconds:.0f} MiB/s with both digests); at most {most:.1f} MiB in the client, "
              f"{peak(server.process.pid):.1f} MiB in the server; {'kept' if kept else 'NOT KEPT'}")
        return 0 if kept and most < 64 and peak(server.process.pid) < 64 else 1


sys.exit(main())
