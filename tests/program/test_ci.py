#!/usr/bin/env python3
"""What a CI job runs: the step of action.yml with the runner's environment files, and the script of ci/gitlab.yml. `gh` is a stand-in
that writes down what it was asked."""
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading

import harness
from harness import PLUMBLINE, SOURCE, Root, check, equal

GH = """#!/usr/bin/env python3
import json, sys, pathlib
log = pathlib.Path(sys.argv[0]).with_name("gh.log")
with log.open("a") as f:
    f.write(json.dumps(sys.argv[1:]) + "\\n")
if "--paginate" in sys.argv:
    print(pathlib.Path(sys.argv[0]).with_name("comment-id").read_text(), end="")
"""


class Handler(http.server.BaseHTTPRequestHandler):
    content = b""

    def do_GET(self):
        found = self.path.endswith("x86_64")
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(self.content) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(self.content)

    def log_message(self, *_):
        pass


def action():
    """The steps of the action, each as its name, its command, and where each of its variables comes from; the inputs with their defaults."""
    text = (SOURCE / "action.yml").read_text()
    steps = [(name, re.search(r"^      run: '(.*)'$", step, re.M).group(1), dict(re.findall(r"^        (\w+): \$\{\{ ([^}]*) \}\}$", step, re.M)))
             for name, step in re.findall(r"^    - id: (\w+)\n((?:      .*\n)*)", text[text.index("  steps:"):], re.M)]
    inputs = re.findall(r"^  ([a-z0-9-]+):\n    description:", text[:text.index("outputs:")], re.M)
    for _, _, variables in steps:
        for source in re.findall(r"inputs\.([a-z0-9-]+)", " ".join(variables.values())):
            check(source in inputs, f"action.yml has no input {source}")
    defaults = dict(re.findall(r"^  ([a-z0-9-]+):\n    description: .*\n    default: (.*)$", text, re.M))
    return steps, {name: value.strip('"') for name, value in defaults.items()}


def run_action(root, inputs, pull_request=""):
    """The steps as a runner runs them: each with its own file of outputs, the folders added to PATH, until one fails."""
    steps, defaults = action()
    equal([name for name, _, _ in steps], ["install", "compare"], "the steps of the action")
    values = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
    values.update({"github.event.pull_request.number": pull_request, "github.token": "token"})
    (root.path / "summary").write_text("")
    (root.path / "path").write_text("")
    path, done = f"{root.path}/bin:/usr/bin:/bin", None
    for name, command, variables in steps:
        (root.path / "output").write_text("")
        env = {"PATH": ":".join([*(root.path / "path").read_text().split(), path]), "HOME": str(root.path), "GITHUB_ACTION_PATH": str(SOURCE),
               "GITHUB_REPOSITORY": "o/r", "RUNNER_TEMP": str(root.path / "temp"), "GITHUB_PATH": str(root.path / "path"),
               "GITHUB_OUTPUT": str(root.path / "output"), "GITHUB_STEP_SUMMARY": str(root.path / "summary")}
        for variable, source in variables.items():
            env[variable] = next((values[one] for one in source.split(" || ") if values.get(one)), "")
        done = subprocess.run(["bash", "-c", command], cwd=root.path, env=env, capture_output=True, text=True, check=False)
        values.update({f"steps.{name}.outputs.{key}": value for key, value in outputs(root).items()})
        if done.returncode != 0:
            return done
    return done


def outputs(root):
    return dict(line.split("=", 1) for line in (root.path / "output").read_text().splitlines())


def github():
    with Root() as root:
        (root.path / "bin").mkdir()
        (root.path / "bin" / "gh").write_text(GH)
        (root.path / "bin" / "gh").chmod(0o755)
        (root.path / "bin" / "comment-id").write_text("")
        log = root.path / "bin" / "gh.log"
        (root.path / "before.json").write_text(json.dumps({"latency_ms": [10.0, 10.1, 9.9, 10.05]}))
        (root.path / "same.json").write_text(json.dumps({"latency_ms": [10.02, 10.1, 9.95, 10.0]}))
        (root.path / "worse.json").write_text(json.dumps({"latency_ms": [13.0, 13.1, 12.9, 13.05]}))
        inputs = {"baseline": "before.json", "plumbline": PLUMBLINE}

        good = run_action(root, {**inputs, "current": "same.json"})
        equal(good.returncode, 0, good.stdout + good.stderr)
        told = outputs(root)
        equal((told["verdict"], told["bundle"]), ("GREEN", "plumbline-report/bundle"), "outputs")
        equal(told["sha256"], hashlib.sha256((root.path / "plumbline-report/bundle/SHA256SUMS").read_bytes()).hexdigest(), "the digest is the bundle's")
        check((root.path / "summary").read_text().startswith("# GREEN"), (root.path / "summary").read_text()[:100])
        check("::error" not in good.stdout and not log.exists(), f"nothing failed, nothing was written: {good.stdout}")

        bad = run_action(root, {**inputs, "current": "wor*.json", "comment": "true"}, "17")
        equal((bad.returncode, outputs(root)["verdict"]), (1, "RED"), f"a regression: {bad.stderr}")
        check("::error" in bad.stdout, f"annotations: {bad.stdout}")
        check("<failure" in (root.path / "plumbline-report/junit.xml").read_text(), "junit.xml fails")
        calls = [json.loads(line) for line in log.read_text().splitlines()]
        equal([call[call.index("--method") + 1] for call in calls if "--method" in call], ["POST"], "the first time it writes a comment")
        body = (root.path / "plumbline-report/body.md").read_text()
        check(body.startswith("<!-- plumbline -->\n# RED"), body[:80])
        (root.path / "bin" / "comment-id").write_text("4711\n")
        log.unlink()
        run_action(root, {**inputs, "current": "worse.json", "comment": "true"}, "17")
        calls = [json.loads(line) for line in log.read_text().splitlines()]
        check(["api", "--method", "PATCH", "repos/o/r/issues/comments/4711", "--field", "body=@plumbline-report/body.md"] in calls, f"then it updates it: {calls}")

        none = run_action(root, {**inputs, "current": "absent-*.json"})
        equal((none.returncode, none.stdout), (2, "::error::no file fits absent-*.json\n"), "no file")
        broken = run_action(root, {**inputs, "baseline": "no/such", "current": "same.json"})
        equal(broken.returncode, 2, "a wrong baseline is no verdict")


def installed():
    """A file of a release: checked, made a program, and found by the step behind it."""
    with Root() as root, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/plumbline-0.2.0-linux-x86_64"
        program = pathlib.Path(PLUMBLINE).resolve()
        Handler.content = program.read_bytes()
        digest = hashlib.sha256(Handler.content).hexdigest()
        (root.path / "before.json").write_text(json.dumps({"latency_ms": [10.0, 10.1, 9.9]}))
        inputs = {"baseline": "before.json", "current": "before.json"}
        for install in ({"install": address, "sha256": digest}, {"install": str(program), "sha256": digest.upper()}, {"install": str(program)}):
            done = run_action(root, {**inputs, **install})
            equal((done.returncode, outputs(root).get("verdict")), (0, "GREEN"), f"installed from {install}: {done.stdout}{done.stderr}")
            equal((root.path / "path").read_text(), f"{root.path}/temp/plumbline-program\n", "later steps find it on PATH")
            (root.path / "temp/plumbline-program/plumbline").unlink()
        (root.path / "other").write_text("#!/bin/sh\necho another 1.0\n")
        (root.path / "broken").write_bytes(b"\x7fELF and no more")
        wrong = "0" * 64
        for install, status, said in (
                ({"install": address}, 2, "install is an address, and sha256 is empty: write the digest of that file, as its SHA256SUMS has it"),
                ({"install": address, "sha256": wrong}, 2, f"{address} has the digest {digest}, not {wrong}: it was not run"),
                ({"install": address, "sha256": "abc"}, 2, "sha256 is 'abc': a digest has 64 hexadecimal digits"),
                ({"install": address + "/gone", "sha256": wrong}, 3, f"cannot download {address}/gone"),
                ({"install": "absent"}, 2, "install is 'absent': no such file, and no address (https://…)"),
                ({"install": "other"}, 2, "other is another program: --version says 'another 1.0'")):
            done = run_action(root, {**inputs, **install})
            equal((done.returncode, done.stdout), (status, f"::error::{said}\n"), f"{install}: {done.stderr}")
        done = run_action(root, {**inputs, "install": "broken"})
        equal(done.returncode, 3, "what does not run")
        check(done.stdout.startswith("::error::broken does not run here: "), done.stdout)
        server.shutdown()


def documented():
    """The step that docs/ci.md shows has the action's inputs, and nothing in it that nobody can fill in."""
    text = (SOURCE / "docs/ci.md").read_text()
    step = text[text.index("  - uses: your-team/plumbline@"):]
    used = re.findall(r"^      ([a-z0-9-]+): ", step[:step.index("  - uses: actions/upload-artifact")], re.M)
    known = re.findall(r"^  ([a-z0-9-]+):\n    description:", (SOURCE / "action.yml").read_text(), re.M)
    check(used and set(used) <= set(known), f"the inputs of docs/ci.md are the action's: {used}")
    check("OWNER" not in text, "docs/ci.md names nobody who is not there")


def gitlab():
    text = (SOURCE / "ci" / "gitlab.yml").read_text()
    script = text[text.index("  script:\n") + len("  script:\n"):text.index("  artifacts:")]
    lines = [line for line in re.sub(r"^    - >-\n", "    - ", script, flags=re.M).split("\n    - ")]
    command = "\n".join(" ".join(part.strip() for part in line.removeprefix("    - ").splitlines()) for line in lines)
    with Root() as root:
        (root.path / "before.json").write_text(json.dumps({"latency_ms": 10.0}))
        (root.path / "after.json").write_text(json.dumps({"latency_ms": 15.0}))
        env = dict(os.environ, PLUMBLINE=PLUMBLINE, PLUMBLINE_FAIL_ON="red", PLUMBLINE_OUT="report", PLUMBLINE_BASELINE="before.json", PLUMBLINE_CURRENT="after.json")
        for _ in range(2):  # the folder may be there already
            done = subprocess.run(["sh", "-ec", command], cwd=root.path, env=env, capture_output=True, text=True, check=False)
            equal(done.returncode, 1, f"the gate: {done.stderr}")
        check("RED" in done.stdout and "<failure" in (root.path / "report/junit.xml").read_text(), done.stdout)


if __name__ == "__main__":
    for part in (github, installed, documented, gitlab):
        part()
    harness.finish()
