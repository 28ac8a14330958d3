#!/usr/bin/env python3
"""One large upload by `plumbline --server`: how fast, and the most memory that either end ever had.
Usage: PLUMBLINE=build/release/bin/plumbline tests/bench/upload.py [MIB] [--tls]   (default 1024; ends with 1 above 64 MiB)"""
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
    words = [word for word in sys.argv[1:] if word != "--tls"]
    tls, mib = "--tls" in sys.argv[1:], int(words[0]) if words else 1024
    with Root() as root, tempfile.TemporaryDirectory() as here:
        flags, trusting = certified(root) if tls else ([], [])
        with Server(root, "--http", "127.0.0.1:0", "--audit-log", "off", *flags) as server:
            return uploaded(root, pathlib.Path(here), server, trusting, mib)


def certified(root):
    """The server's flags for a certificate of its own, and the client's to believe it."""
    key, certificate = root.path / "server.key", root.path / "server.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    key.chmod(0o600)
    return ["--tls-cert", certificate, "--tls-key", key], ["--ca", str(certificate)]


def uploaded(root, here, server, trusting, mib):
    big = here / "big.bin"
    block = os.urandom(1 << 20)
    with big.open("wb") as out:
        for n in range(mib):
            out.write(n.to_bytes(8, "big") + block[8:])
    words = [PLUMBLINE, "--server", server.url, *trusting, "record", "--family", "../unread", "--measurement", "m", "--source", str(big)]
    client = subprocess.Popen(words, cwd=here, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    start, most = time.monotonic(), 0.0
    while client.poll() is None:
        most = max(most, peak(client.pid))
        time.sleep(0.01)
    kept = [p for p in (root.path / ".plumbline-blobs").rglob("*") if p.is_file() and p.stat().st_size == mib << 20]
    seconds = time.monotonic() - start
    print(f"{mib} MiB over {'TLS' if trusting else 'HTTP'} in {seconds:.1f} s ({mib / seconds:.0f} MiB/s with both digests); "
          f"at most {most:.1f} MiB in the client, {peak(server.process.pid):.1f} MiB in the server; {'kept' if kept else 'NOT KEPT'}")
    return 0 if kept and most < 64 and peak(server.process.pid) < 64 else 1


sys.exit(main())
