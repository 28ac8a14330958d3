#!/usr/bin/env python3
"""What `profile-diff` takes on a large Nsight Systems export, beside the sqlite3 shell adding up the same kernels by name.

    profile_sqlite_peer.py PLUMBLINE CAPTURE.sqlite [RUNS]

Compares the capture with a copy of itself that differs in one byte of its last page (so that nothing is taken for the same
content), RUNS times in turn with the shell, and prints the best wall time, processor time and the largest memory of each, and
the ratios. The file should have been read once before: both then work on the system's cache."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

GROUP_BY_ID = (
    "SELECT s.value, k.n, k.t FROM (SELECT demangledName d, count(*) n, sum(end - start) t FROM CUPTI_ACTIVITY_KIND_KERNEL "
    "GROUP BY 1) k JOIN StringIds s ON s.id = k.d ORDER BY k.t DESC")
GROUP_BY_NAME = (
    "SELECT s.value, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
    "GROUP BY s.value ORDER BY 3 DESC")


def measured(command, folder):
    """(wall s, processor s, largest resident memory MB) of one run; stops everything when it fails."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if status != 0 and os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command[0]} failed: {errors.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, capture = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory(dir=os.path.dirname(capture)) as folder:
        other = os.path.join(folder, "other.sqlite")
        shutil.copyfile(capture, other)
        subprocess.run(["sqlite3", other, "PRAGMA user_version = 1"], check=True)
        commands = {
            "profile-diff, two sides": [program, "profile-diff", "--baseline", capture, "--candidate", other, "--repo-root", folder],
            "sqlite3, by id, one side": ["sqlite3", "-readonly", capture, GROUP_BY_ID],
            "sqlite3, by name, one side": ["sqlite3", "-readonly", capture, GROUP_BY_NAME],
        }
        best = {}
        for _ in range(runs):
            for name, command in commands.items():
                result = measured(command, folder)
                best[name] = min(best.get(name, result), result)
    for name, (wall, processor, memory) in best.items():
        print(f"{name:28} {wall:7.2f} s wall {processor:7.2f} s processor {memory:7.0f} MB")
    ours = best["profile-diff, two sides"][0] / 2
    print(f"per side {ours:.2f} s: {best['sqlite3, by id, one side'][0] / ours:.1f} times as fast as the shell by id, "
          f"{best['sqlite3, by name, one side'][0] / ours:.1f} times as fast as by name")


if __name__ == "__main__":
    main()
