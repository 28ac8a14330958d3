#!/usr/bin/env python3
"""`plumbline run` where a disk is full: in the trial's own folder, and where the trials are kept. Marked and named, nothing half-written, nothing
recorded. A small tmpfs is the disk where one can be mounted; a limit on the size of files stands in for it everywhere."""
import json
import os
import pathlib
import resource
import signal
import subprocess

from harness import PLUMBLINE, Root, check, equal, finish

TOY = pathlib.Path(PLUMBLINE).resolve().parent / "toy_benchmark"


def run(root, *words, cwd=None, limit=None, **environment):
    def limited():
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    given = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
    return subprocess.run([PLUMBLINE, "run", *map(str, words)], capture_output=True, text=True, cwd=cwd or root.path, env=dict(given, **environment),
                          preexec_fn=limited, check=False)


def mounted(folder, size):
    folder.mkdir()
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False).returncode == 0


def said(done):
    lines = done.stderr.splitlines()
    return done.returncode, lines[0].removeprefix("plumbline: error: "), lines[1].removeprefix("hint: ") if len(lines) > 1 else ""


def script(root, name, *lines):
    path = root.write(name, "\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def trials_that_fill(root, disk):
    """The benchmark's own disk: one that notices, one that does not, and one that meets it now and then."""
    notices = script(root, "notices", f"cd {disk} || exit 9", "head -c 300000 /dev/zero > fill || exit 4", "echo '{\"latency_ms\": 5}' > result.json")
    done = run(root, "-n", 5, "--warmup", 0, "--record", "f/m", "--result", disk / "result.json", "--", notices)
    status, message, hint = said(done)
    equal((status, message, hint),
          (2, f"the command failed 3 times in a row: {notices} exited with 4; it said: \"head: error writing 'standard output': No space left on device\"",
           "run it by hand until it ends with 0; nothing was recorded"), "a command that says so")
    careless = script(root, "careless", f"cd {disk} || exit 9", "head -c 300000 /dev/zero > fill 2> /dev/null", "echo '{\"latency_ms\": 5}' > result.json 2> /dev/null", "exit 0")
    (disk / "fill").unlink(missing_ok=True)
    status, message, hint = said(run(root, "-n", 5, "--warmup", 0, "--record", "f/m", "--result", disk / "result.json", "--", careless))
    equal(status, 2, message)
    check(message.startswith(f"the command failed 3 times in a row: {careless} its result cannot be read: "), message)
    # Its disk is full in every third run: that trial is named and counted, the others are the result.
    now_and_then = script(root, "now_and_then", f"rm -f {disk}/*", f"n=$(cat {root.path}/calls 2> /dev/null || echo 0)", f"echo $((n + 1)) > {root.path}/calls",
                          f"[ $((n % 3)) = 1 ] && {{ head -c 300000 /dev/zero > {disk}/fill || exit 4; }}", f"echo '{{\"latency_ms\": 5}}' > {disk}/result.json")
    done = run(root, "-n", 4, "--warmup", 0, "--json", "--keep", root.path / "kept", "--result", disk / "result.json", "--", now_and_then)
    result = json.loads(done.stdout)
    equal((result["trials"]["failed"], result["sides"][0]["trials"]), (2 if result["trials"]["ran"] == 6 else 1, 4), f"{result['trials']}")
    problems = [trial["problem"] for trial in json.loads((root.path / "kept" / "run.json").read_text())["trials"] if not trial["ok"]]
    check(problems and set(problems) == {"exited with 4"}, f"{problems}")
    check(not (root.path / "experiments").exists(), "nothing was recorded of what failed")


def no_room_for_ours(root, disk):
    """Where the trials are kept, and where they lie meanwhile."""
    big = [TOY, "--rows", 2000]
    room = "make room there, or name a folder with room by --keep or TMPDIR; nothing was recorded"
    kept = disk / "kept"
    status, message, hint = said(run(root, "-n", 9, "--warmup", 0, "--record", "f/m", "--keep", kept, "--", *big))
    whole = sorted(path for path in kept.rglob("*") if path.is_file())
    equal((status, message, hint), (3, f"cannot write {kept}/trials/{len(whole) + 1:03}.json: No space left on device", room), "--keep")
    check(0 < len(whole) < 9, f"what fitted is there: {whole}")
    for path in whole:
        equal(len(json.loads(path.read_text())), 2000, "what was cut off is not")
    subprocess.run(["rm", "-r", str(kept)], check=True)
    status, message, hint = said(run(root, "-n", 9, "--warmup", 0, "--record", "f/m", "--", *big, TMPDIR=str(disk)))
    check(status == 3 and message.startswith(f"cannot write {disk}/plumbline-") and message.endswith(".json: No space left on device"), message)
    equal(hint, room, "TMPDIR")
    equal(list(disk.iterdir()), [], "scratch is gone")
    # A disk that holds the trials and not the journal.
    (disk / "filler").write_bytes(b"x" * (int(os.statvfs(disk).f_bavail) - 2) * 4096)
    status, message, _ = said(run(root, "-n", 2, "--warmup", 0, "--record", "f/m", "--keep", kept, "--", "true"))
    check(status == 3 and "No space left on device" in message, message)
    check(not (kept / "run.json").exists() and not list(kept.glob("*.tmp-*")), f"no half of a journal: {list(kept.iterdir()) if kept.exists() else []}")
    check(not (root.path / "experiments").exists(), "nothing was recorded")


with Root() as root:
    subprocess.run(["git", "init", "-q", str(root.path)], check=True)
    disk = root.path / "disk"
    if mounted(disk, "128k"):
        try:
            trials_that_fill(root, disk)
            subprocess.run(f"rm -rf {disk}/*", shell=True, check=True)
            no_room_for_ours(root, disk)
        finally:
            subprocess.run(["umount", str(disk)], check=False)
    else:
        print("no tmpfs can be mounted here: only the limit on the size of files is tried")

    # A file may not grow: the trial's own, and ours.
    cut_off = f"exec head -c 100000 /dev/zero > {root.path}/grown"
    status, message, _ = said(run(root, "-n", 4, "--warmup", 0, "--record", "f/m", "--", "sh", "-c", f"ulimit -f 8; {cut_off}"))
    equal(status, 2, message)
    check("failed 3 times in a row" in message and message.split(": ", 1)[1].count("was ended by SIGXFSZ") == 1, message)
    status, message, hint = said(run(root, "-n", 3, "--warmup", 0, "--record", "f/m", "--keep", root.path / "short", "--", TOY, "--rows", 4000, limit=16384))
    equal((status, message, hint), (3, f"cannot write {root.path}/short/trials/001.json: File too large", "choose a folder that exists and is writable; nothing was recorded"),
          "our own file")
    equal([path.name for path in (root.path / "short").rglob("*") if path.is_file()], [], "nothing half-written")
    check(not (root.path / "experiments").exists(), "nothing was recorded")

finish()
