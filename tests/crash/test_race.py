#!/usr/bin/env python3
"""Eight processes at once on one measurement: no record is lost, INDEX.md lists all, acceptances get numbers of their own."""
import json
import os
import pathlib
import re
import subprocess
import time

from registry_checks import check, check_whole, index_slugs, litter, published
from harness import PLUMBLINE, Root, equal, finish

ROUNDS = 100
AT_ONCE = 8


def at_once(root, commands):
    """Starts all, then waits for all; answers the results and complains of failures."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
    running = [subprocess.Popen([PLUMBLINE, *map(str, words), "--repo-root", str(root.path), "--json"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment) for words in commands]
    results = []
    for process in running:
        out, err = process.communicate()
        check(process.returncode == 0, f"exit {process.returncode}: {err}")
        if process.returncode == 0:
            results.append(json.loads(out))
    return results


started = time.monotonic()
with Root() as root:
    sources = [root.write(f"{i}.json", {"latency_ms": 1.0 + i}) for i in range(AT_ONCE)]
    home = root.path / "experiments/artifacts/perf-baselines/f/m"
    acknowledged = []
    for round_number in range(ROUNDS):
        results = at_once(root, [["record", "--family", "f", "--measurement", "m", "--source", source] for source in sources])
        acknowledged += [result["slug"] for result in results]
        if round_number % 10 == 0:
            equal(sorted(acknowledged)[-200:], index_slugs(home, f"round {round_number}"), f"INDEX.md after round {round_number}")
    equal(len(acknowledged), ROUNDS * AT_ONCE, "acknowledged")
    equal(len(set(acknowledged)), len(acknowledged), "slugs are unique")
    equal(published(home), sorted(acknowledged), "entries")
    equal(index_slugs(home, "at the end"), sorted(acknowledged)[-200:], "INDEX.md")
    equal(litter(home), [], "litter")

    # Every entry by one sha256sum over all manifests, a sample of them by plumbline and for extra files.
    manifest = ""
    for slug in published(home):
        manifest += "".join(f"{line[:66]}{slug}/{line[66:]}\n" for line in (home / slug / "SHA256SUMS").read_text().splitlines())
    done = subprocess.run(["sha256sum", "-c", "--strict", "--quiet"], cwd=home, input=manifest, capture_output=True, text=True)
    check(done.returncode == 0, f"sha256sum -c: {done.stdout}{done.stderr}")
    for slug in published(home):
        done = root.run("verify", home / slug)
        check(done.returncode == 0, f"verify {slug}: {done.stdout}{done.stderr}")
    for slug in published(home)[::80]:
        check_whole(home / slug, "at the end")
    recorded = time.monotonic()

    # Eight acceptances of eight entries, ten times.
    accepted = 0
    for round_number in range(10):
        slugs = acknowledged[round_number * AT_ONCE:(round_number + 1) * AT_ONCE]
        accepted += len(at_once(root, [["accept", home / slug, "--reason", f"round {round_number}"] for slug in slugs]))
    names = sorted(path.name for path in (home / "accepted").iterdir())
    equal(accepted, 10 * AT_ONCE, "accepted")
    check(all(re.fullmatch(r"\d{6}-\w{22}\.json", name) for name in names), f"names in accepted/: {names}")
    sequence = [int(name[:6]) for name in names]
    equal(len(names), accepted, "acceptance files")
    equal(len(set(sequence)), accepted, "sequence numbers are unique")
    equal({json.loads((home / "accepted" / name).read_text())["slug"] for name in names}, set(acknowledged[:80]), "accepted slugs")
    check(all(json.loads((home / "accepted" / name).read_text())["seq"] == int(name[:6]) for name in names), "seq is the name's")
print(f"{recorded - started:.0f} s to record and look, {time.monotonic() - recorded:.0f} s to accept")
finish()
