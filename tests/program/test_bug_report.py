#!/usr/bin/env python3
"""`plumbline bug-report`: one file with what a maintainer asks for, and nothing that is nobody's business."""
import json
import os
import pathlib
import pwd
import socket

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish

DATA = SOURCE / "scripts/demo-data"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

with Root() as root:
    home = root.path / "home/ada-lovelace"
    home.mkdir(parents=True)
    env = {"HOME": str(home), "PLUMBLINE_TOKEN": TOKEN, "SOMEBODY": "else"}
    before = home / "before.json"
    before.write_text(json.dumps({"latency_ms": 12.5, "run_by": f"{home}/bench on {socket.gethostname()}", "auth": TOKEN}))
    (home / "after.json").write_text(json.dumps({"latency_ms": 15.5}))

    done = root.run("bug-report", "--", "diff", before, home / "after.json", "--no-bundle", env=env)
    equal(done.returncode, 0, f"a report: {done.stderr}")
    report = root.path / "plumbline-bug-report.md"
    equal(done.stdout, f"{report}\nNothing was sent. Read it, say what you expected, then attach it to your report.\n", "where it is")
    equal(report.stat().st_mode & 0o777, 0o600, "its owner's alone")
    text = report.read_text()
    for wanted in ("# Plumbline bug report", "- version: plumbline ", "- variables that are set: PLUMBLINE_TOKEN", "hardware.cpu_count:",
                   "plumbline diff ~/before.json ~/after.json --no-bundle", "It exited with 0 after ", '"latency_ms" 12.5 -> 15.5 ms',
                   "| before.json | ", "| generic-json, structured, 3 rows |", "| generic-json, structured, 1 row |", "Their contents are not here."):
        check(wanted in text, f"the report has {wanted!r}:\n{text}")
    about = json.loads(root.run("version", "--json").stdout)
    check(f"\n- commit: {about['commit'] or 'not known'}\n- built by: {about['compiler']} for {about['target']}, {about['build']}, {about['linking']}\n" in text,
          f"what this program is:\n{text}")
    for secret in (TOKEN, str(home), "else"):
        check(secret not in text, f"the report has not {secret!r}")

    again = root.run("bug-report", env=env)
    equal((again.returncode, again.stderr), (2, f"plumbline: error: cannot write {report}: File exists\nhint: name another file: --out FILE\n"),
          "what is there stays")
    equal(report.read_text(), text, "as it was")

    done = root.run("bug-report", "--with-inputs", "--out", "full.md", "--json", "--", "inspect", before, env=env)
    equal(json.loads(done.stdout), {"verb": "bug-report", "file": str(root.path / "full.md"), "bytes": (root.path / "full.md").stat().st_size}, "as JSON")
    full = (root.path / "full.md").read_text()
    check('"latency_ms": 12.5' in full and '"run_by": "~/bench on ' in full and "[redacted]" in full, f"contents without secrets:\n{full}")
    for secret in (TOKEN, str(home), *([socket.gethostname()] if len(socket.gethostname()) >= 3 else [])):
        check(secret not in full, f"contents have not {secret!r}")

    # A name goes where it is a word, not where it is a part of one.
    (root.path / "words.json").write_text(json.dumps({"a_ms": 1, "note": f"-I{home}/x {home}: {home}ptive {home}_1"}))
    root.run("bug-report", "--with-inputs", "--out", "words.md", "--", "inspect", "words.json", env=env)
    check(f'"note": "-I~/x ~: {home}ptive ~_1"' in (root.path / "words.md").read_text(), (root.path / "words.md").read_text())

    # The account's name, by the variables of a session and by the machine's own file.
    (root.path / "names.json").write_text(json.dumps({"a_ms": 1, "note": "adalove and alove2 and " + pwd.getpwuid(os.getuid()).pw_name}))
    root.run("bug-report", "--with-inputs", "--out", "names.md", "--", "inspect", "names.json", env=dict(env, USER="adalove", LOGNAME="alove2"))
    own = "root" if os.getuid() == 0 else "USER"  # which names nobody
    check(f'"note": "USER and USER and {own}"' in (root.path / "names.md").read_text(), (root.path / "names.md").read_text())

    # What fails, crashes or is no text is told, not passed on.
    (root.path / "binary.bin").write_bytes(b"\0\1\2" * 100)
    done = root.run("bug-report", "--with-inputs", "--out", "failed.md", "--", "inspect", "binary.bin", env=env)
    equal(done.returncode, 0, "a command that fails is what it is for")
    failed = (root.path / "failed.md").read_text()
    check("It exited with 2 after " in failed and "plumbline: error: " in failed and "It is no text and is left out." in failed, failed)
    (root.path / "fences.json").write_text('{"a_ms": 1, "note": "```` \\n``` end"}')
    root.run("bug-report", "--with-inputs", "--out", "fences.md", "--", "inspect", "fences.json", env=env)
    check("`````text\n{" in (root.path / "fences.md").read_text(), "no text closes its fence")
    (root.path / "long.txt").write_text("latency 1 ms\n" * 20_000)
    root.run("bug-report", "--with-inputs", "--out", "long.md", "--", "inspect", "long.txt", env=env)
    check((root.path / "long.md").stat().st_size < 140_000, "it stays small")
    check(" bytes are left out …" in (root.path / "long.md").read_text(), "and says so")

    for words, message, hint in (
            (("--", "serve"), 'a bug report cannot run "plumbline serve"', "plumbline doctor examines a server"),
            (("--", "--json", "serve"), 'a bug report cannot run "plumbline serve"', "plumbline doctor examines a server"),
            (("--", "--store", "kept", "--color=never", "serve"), 'a bug report cannot run "plumbline serve"', "plumbline doctor examines a server"),
            (("--", "--repo_root", ".", "bug-report"), 'a bug report cannot run "plumbline bug-report"', "name the command that went wrong"),
            (("--", "bug-report"), 'a bug report cannot run "plumbline bug-report"', "name the command that went wrong"),
            (("--output", "x"), 'unknown flag "--output"', "plumbline bug-report --help lists the flags")):
        bad = root.run("bug-report", *words, env=env)
        equal((bad.returncode, bad.stderr), (2, f"plumbline: error: {message}\nhint: {hint}\n"), f"{words}")
    bad = root.run("bug-report", "--out", "no/such/folder.md", env=env)
    equal(bad.returncode, 3, "a folder that is not there")

finish()
