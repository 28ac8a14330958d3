#!/usr/bin/env python3
"""diff --on-change: a command of the caller's own when the verdict is another one than before. It changes no exit status, and nobody
but the command line may have one run."""
import json
import os
import subprocess

from harness import PLUMBLINE, Root, check, equal, finish

BEFORE, SLOW = {"decode_ms": 10.0}, {"decode_ms": 13.0}
SAY = 'env | grep ^PLUMBLINE_ | sort > said; echo "it changed"'


def told(root):
    path = root.path / "said"
    if not path.exists():
        return None
    lines = dict(line.split("=", 1) for line in path.read_text().splitlines())
    path.unlink()
    return lines


with Root() as root:
    root.record(root.write("before.json", BEFORE))

    def compared(values, *more):
        root.write("new.json", values)
        return root.run("diff", "f/m", "new.json", "--headline", "decode_ms", "--json", *more)

    done = compared(BEFORE, "--on-change", SAY)
    equal((done.returncode, told(root)), (0, None), "there was nothing before")
    done = compared(BEFORE, "--on-change", SAY)
    equal(told(root), None, "the same verdict")
    done = compared(SLOW, "--on-change", SAY, "--fail-on", "red")
    result, said = json.loads(done.stdout), told(root)
    equal((done.returncode, said["PLUMBLINE_VERDICT"], said["PLUMBLINE_PREVIOUS_VERDICT"], said["PLUMBLINE_MEASUREMENT"], said["PLUMBLINE_REASON"]),
          (1, "RED", "GREEN", "f/m", "headline_regressed"), "it changed, and the gate is the gate")
    equal((said["PLUMBLINE_DIFF_DIR"], said["PLUMBLINE_BUNDLE_SHA256"]), (result["diff_dir"], result["bundle_sha256"]), "where it is")
    check(os.path.isdir(said["PLUMBLINE_DIFF_DIR"]) and "it changed" in done.stderr, "after it was published; what it prints goes to standard error")
    equal(compared(SLOW, "--on-change", SAY).returncode, 0, "RED again")
    equal(told(root), None, "is no change")

    # One that fails, hangs or is not there is a warning.
    for command, words in (("exit 3", "the command exited with 3"), ("echo why >&2; false", "why"), ("no-such-command-at-all", "127")):
        for values in (BEFORE, SLOW):
            done = compared(values, "--on-change", command)
            check(done.returncode == 0 and words in done.stderr and "plumbline: warning: --on-change" in done.stderr, f"{command}: {done.stderr}")
    json.loads(done.stdout)

    # What cannot be: no bundle to change against, no measurement whose verdict could change.
    done = compared(BEFORE, "--on-change", SAY, "--no-bundle")
    check(done.returncode == 2 and "--on-change and --no-bundle contradict each other" in done.stderr, done.stderr)
    done = root.run("diff", "before.json", "new.json", "--on-change", SAY)
    equal((done.returncode, done.stderr.splitlines()), (2, [
        "plumbline: error: --on-change asks for what a measurement's diff before this one said, and files have none",
        "hint: record the baseline, and compare with FAMILY/MEASUREMENT"]), "files")

    # It is no part of what a bundle asks for: making it again runs nothing.
    bundle = json.loads(compared(SLOW, "--on-change", SAY).stdout)["diff_dir"]
    told(root)
    request = json.load(open(os.path.join(bundle, "request.json")))
    check("on_change" not in request["arguments"], request["arguments"])
    check(json.loads(root.run("verify", bundle, "--recompute", "--json").stdout)["ok"] and told(root) is None, "recomputed")

    # A project file cannot ask for it, and over MCP it is refused in both forms.
    root.write("plumbline.yaml", "on_change: touch pwned\n")
    done = root.run("config", "check")
    check(done.returncode == 1 and 'unknown word "on_change" in plumbline.yaml' in done.stdout, done.stdout)
    os.unlink(root.path / "plumbline.yaml")

    def asked(arguments):
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "perf_baseline_diff", "arguments": arguments}}]
        served = subprocess.run([PLUMBLINE, "serve", "--repo-root", str(root.path)], input="\n".join(map(json.dumps, messages)) + "\n",
                                capture_output=True, text=True, cwd=root.path)
        return next(json.loads(line) for line in served.stdout.splitlines() if json.loads(line).get("id") == 2)

    answer = asked({"baseline": "f/m", "current": "before.json", "on_change": "touch pwned"})
    check("is for the command line only" in json.dumps(answer), answer)
    answer = asked({"args": ["--baseline", "f/m", "--current", "before.json", "--headline", "decode_ms", "--on-change", "touch pwned"]})
    check("--on-change is for the command line" in json.dumps(answer), answer)
    check(not (root.path / "pwned").exists(), "nothing was run")

finish()
