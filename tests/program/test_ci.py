#!/usr/bin/env python3
"""What a CI job runs: the step of action.yml with the runner's environment files, and the script of ci/gitlab.yml. `gh` is a stand-in
that writes down what it was asked."""
import json
import os
import pathlib
import re
import subprocess

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


def step_of_action():
    """The command of the one step, and which input or context each of its variables comes from."""
    text = (SOURCE / "action.yml").read_text()
    step = text[text.index("  steps:"):]
    command = re.search(r"^      run: '(.*)'$", step, re.M).group(1)
    variables = dict(re.findall(r"^        (\w+): \$\{\{ ([^}]*) \}\}$", step, re.M))
    inputs = re.findall(r"^  ([a-z-]+):\n    description:", text[:text.index("outputs:")], re.M)
    for source in variables.values():
        if source.startswith("inputs."):
            check(source[len("inputs."):] in inputs, f"action.yml has no input {source}")
    defaults = dict(re.findall(r"^  ([a-z-]+):\n    description: .*\n    default: (.*)$", text, re.M))
    return command, variables, {name: value.strip('"') for name, value in defaults.items()}


def run_action(root, inputs, pull_request=""):
    command, variables, defaults = step_of_action()
    values = {**defaults, **inputs}
    env = {"PATH": f"{root.path}/bin:/usr/bin:/bin", "HOME": str(root.path), "GITHUB_ACTION_PATH": str(SOURCE), "GITHUB_REPOSITORY": "o/r",
           "GITHUB_OUTPUT": str(root.path / "output"), "GITHUB_STEP_SUMMARY": str(root.path / "summary")}
    for name, source in variables.items():
        env[name] = values.get(source[len("inputs."):], "") if source.startswith("inputs.") else (pull_request if "pull_request" in source else "token")
    for name in ("output", "summary"):
        (root.path / name).write_text("")
    return subprocess.run(["bash", "-c", command], cwd=root.path, env=env, capture_output=True, text=True, check=False)


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
        equal(told["sha256"], __import__("hashlib").sha256((root.path / "plumbline-report/bundle/SHA256SUMS").read_bytes()).hexdigest(), "the digest is the bundle's")
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
    for part in (github, gitlab):
        part()
    harness.finish()
