#!/usr/bin/env python3
"""What a CI job runs: the steps of action.yml with the runner's environment files, and the script of ci/gitlab.yml. `gh` is a stand-in
that writes down what it was asked and has artifacts; GitLab's API is a stand-in on loopback, as its documentation has it."""
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse

import harness
from harness import PLUMBLINE, SOURCE, Root, check, equal
from s3_server import Machine, Server

GH = """#!/usr/bin/env python3
import json, sys, pathlib, shutil
log = pathlib.Path(sys.argv[0]).with_name("gh.log")
with log.open("a") as f:
    f.write(json.dumps(sys.argv[1:]) + "\\n")
if "--paginate" in sys.argv:
    print(pathlib.Path(sys.argv[0]).with_name("comment-id").read_text(), end="")
artifacts = pathlib.Path(sys.argv[0]).with_name("artifacts")
if sys.argv[1:3] == ["run", "list"] and (artifacts / sys.argv[sys.argv.index("--branch") + 1]).is_dir():
    print("8001")
if sys.argv[1:3] == ["run", "download"]:
    kept = artifacts / "main" / sys.argv[sys.argv.index("--name") + 1]
    if not kept.is_dir():
        sys.exit("no artifact matches any of the names or patterns provided")
    shutil.copytree(kept, sys.argv[sys.argv.index("--dir") + 1], dirs_exist_ok=True)
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


def run_action(root, inputs, pull_request="", more=None, base_ref=""):
    """The steps as a runner runs them: each with its own file of outputs, the folders added to PATH, until one fails."""
    steps, defaults = action()
    equal([name for name, _, _ in steps], ["install", "compare"], "the steps of the action")
    values = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()}
    values.update({"github.event.pull_request.number": pull_request, "github.token": "token", "github.base_ref": base_ref,
                   "env.PLUMBLINE_STORE": (more or {}).get("PLUMBLINE_STORE", "")})
    (root.path / "summary").write_text("")
    (root.path / "path").write_text("")
    path, done = f"{root.path}/bin:/usr/bin:/bin", None
    for name, command, variables in steps:
        (root.path / "output").write_text("")
        env = {"PATH": ":".join([*(root.path / "path").read_text().split(), path]), "HOME": str(root.path), "GITHUB_ACTION_PATH": str(SOURCE),
               "GITHUB_REPOSITORY": "o/r", "RUNNER_TEMP": str(root.path / "temp"), "GITHUB_PATH": str(root.path / "path"),
               "GITHUB_OUTPUT": str(root.path / "output"), "GITHUB_STEP_SUMMARY": str(root.path / "summary"), "GITHUB_WORKFLOW": "perf", **(more or {})}
        for variable, source in variables.items():
            env[variable] = next((values[one] for one in source.split(" || ") if values.get(one)), "")
        done = subprocess.run(["bash", "-c", command], cwd=root.path, env=env, capture_output=True, text=True, check=False)
        values.update({f"steps.{name}.outputs.{key}": value for key, value in outputs(root).items()})
        if done.returncode != 0:
            return done
    return done


def outputs(root):
    return dict(line.split("=", 1) for line in (root.path / "output").read_text().splitlines())


def job(root):
    """A workspace of a job, with the stand-in for gh and three results."""
    (root.path / "bin").mkdir()
    (root.path / "bin" / "gh").write_text(GH)
    (root.path / "bin" / "gh").chmod(0o755)
    (root.path / "bin" / "comment-id").write_text("")
    for name, values in (("before", [10.0, 10.1, 9.9, 10.05]), ("same", [10.02, 10.1, 9.95, 10.0]), ("worse", [13.0, 13.1, 12.9, 13.05])):
        (root.path / f"{name}.json").write_text(json.dumps({"latency_ms": values}))


def git(root, *words):
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *words], cwd=root.path, check=True, capture_output=True, text=True).stdout.strip()


def github():
    with Root() as root:
        job(root)
        log = root.path / "bin" / "gh.log"
        inputs = {"baseline": "before.json", "plumbline": PLUMBLINE}

        good = run_action(root, {**inputs, "current": "same.json"})
        equal(good.returncode, 0, good.stdout + good.stderr)
        told = outputs(root)
        equal((told["verdict"], told["bundle"]), ("GREEN", "plumbline-report/bundle"), "outputs")
        equal(told["sha256"], hashlib.sha256((root.path / "plumbline-report/bundle/SHA256SUMS").read_bytes()).hexdigest(), "the digest is the bundle's")
        check((root.path / "summary").read_text().startswith("# GREEN"), (root.path / "summary").read_text()[:100])
        equal((root.path / "summary").read_text().count("# GREEN"), 1, "the summary has it once")
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


def baselines():
    """From a git revision, from an artifact of the target branch, and from a shared registry."""
    with Root() as root:
        job(root)
        (root.path / "bin" / "artifacts" / "main" / "nightly").mkdir(parents=True)
        (root.path / "bin" / "artifacts" / "main" / "nightly" / "trial-1.json").write_text((root.path / "before.json").read_text())
        inputs = {"plumbline": PLUMBLINE, "current": "worse.json"}
        verdict = lambda: outputs(root).get("verdict")

        git(root, "init", "-q")
        root.json("record", "--family", "llm", "--measurement", "decode", "--source", "before.json")
        (root.path / "results").mkdir()
        (root.path / "results" / "main.json").write_text((root.path / "before.json").read_text())
        git(root, "add", "experiments", "results")
        git(root, "commit", "-qm", "main")
        git(root, "checkout", "-qb", "change")
        # The change has another baseline, under which nothing would be worse.
        root.json("record", "--family", "llm", "--measurement", "decode", "--source", "worse.json")
        (root.path / "results" / "main.json").write_text((root.path / "worse.json").read_text())
        git(root, "add", "experiments", "results")
        git(root, "commit", "-qm", "change")
        for baseline in ("llm/decode", "results/main.json"):
            own = run_action(root, {**inputs, "baseline": baseline})
            equal((own.returncode, verdict()), (0, "GREEN"), f"{baseline}, as the change has it: {own.stderr}")
            done = run_action(root, {**inputs, "baseline": baseline, "baseline-ref": "main"})
            equal((done.returncode, verdict()), (1, "RED"), f"{baseline}, as main has it: {done.stderr}")
        (root.path / "plumbline.yaml").write_text("rules:\n  - match: {key: \"*\"}\n    set: {tolerance: 50%}\n")
        done = run_action(root, {**inputs, "baseline": "llm/decode", "baseline-ref": "main"})
        equal((done.returncode, verdict()), (0, "GREEN"), f"the rules are those of the change: {done.stdout}{done.stderr}")
        (root.path / "plumbline.yaml").unlink()

        done = run_action(root, {**inputs, "baseline": "trial-*.json", "baseline-artifact": "nightly"}, base_ref="main")
        equal((done.returncode, verdict()), (1, "RED"), f"an artifact of the target branch: {done.stderr}")
        asked = [json.loads(line) for line in (root.path / "bin" / "gh.log").read_text().splitlines()]
        equal(asked, [["run", "list", "--branch", "main", "--workflow", "perf", "--status", "success", "--limit", "1", "--json", "databaseId", "--jq", ".[0].databaseId // empty"],
                      ["run", "download", "8001", "--name", "nightly", "--dir", "plumbline-report/baseline"]], "what gh is asked")
        for more, branch, said in (
                ({"baseline-ref": "nowhere"}, "", "git knows no revision 'nowhere', and origin has no such branch"),
                ({"baseline-ref": "main", "baseline": "gone.json"}, "",
                 "the git revision 'main' has no gone.json: neither a file of that name nor a baseline below experiments/artifacts/perf-baselines"),
                ({"baseline-ref": "main", "baseline-artifact": "nightly"}, "main", "the baseline comes from a git revision or from an artifact, and both are named: main, nightly"),
                ({"baseline-artifact": "nightly"}, "", "baseline-artifact is 'nightly', and nothing says of which branch: this is no pull request, so name baseline-branch"),
                ({"baseline-artifact": "nightly"}, "other", "no run of 'perf' on 'other' has succeeded yet: there is no artifact 'nightly' to compare with"),
                ({"baseline-artifact": "weekly"}, "main", "the artifact 'weekly' of run 8001 on 'main' cannot be downloaded"),
                ({"baseline-artifact": "nightly", "baseline": "gone.json"}, "main", "the artifact 'nightly' has no gone.json")):
            done = run_action(root, {"baseline": "llm/decode", **inputs, **more}, base_ref=branch)
            equal((done.returncode, done.stderr.splitlines()[-1]), (2, f"::error::{said}"), f"{more}: {done.stderr}")

        # A checkout of one commit, as CI makes it: the target branch is fetched.
        git(root, "clone", "-q", "--depth=1", "--single-branch", "--branch", "change", f"file://{root.path}", "shallow")
        with Root() as other:
            job(other)
            git(other, "clone", "-q", "--depth=1", "--single-branch", "--branch", "change", f"file://{root.path}", "code")
            (other.path / "worse.json").rename(other.path / "code" / "worse.json")
            other.path = other.path / "code"
            done = run_action(other, {**inputs, "baseline": "llm/decode", "baseline-ref": "origin/main"})
            equal((done.returncode, outputs(other).get("verdict")), (1, "RED"), f"a shallow checkout: {done.stderr}")
            other.path = other.path.parent

    with Server() as server, Machine(server) as here, Root() as root:
        job(root)
        here.record(here.write("before.json", (root.path / "before.json").read_text()))
        keys = {name: value for name, value in here.env.items() if name != "PLUMBLINE_STORE"}
        inputs = {"plumbline": PLUMBLINE, "current": "worse.json", "baseline": "f/m"}
        done = run_action(root, {**inputs, "store": here.store}, more=keys)
        equal((done.returncode, outputs(root).get("verdict")), (1, "RED"), f"a shared registry, by the input: {done.stderr}")
        done = run_action(root, inputs, more=here.env)
        equal((done.returncode, outputs(root).get("verdict")), (1, "RED"), f"a shared registry, by the job's environment: {done.stderr}")
        status, report = run_gitlab(root, PLUMBLINE_BASELINE="f/m", PLUMBLINE_CURRENT="worse.json", **here.env)
        equal((status.returncode, report.get("verdict")), (1, "RED"), f"a shared registry, on GitLab: {status.stderr}")


def confirmed():
    """What the diff leaves in doubt is run again before the job fails; where that is not possible, the first look stands."""
    with Root() as root:
        job(root)
        log = root.path / "bin" / "gh.log"
        before, same, worse = ("cat before1.json", "cat same1.json", "cat worse1.json")
        for name, value in (("before1", 10.0), ("same1", 10.1), ("worse1", 13.0)):
            (root.path / f"{name}.json").write_text(json.dumps({"latency_ms": value}))
        inputs = {"baseline": "before.json", "plumbline": PLUMBLINE, "current": "worse.json", "comment": "true"}
        for how, more in (("both sides", {"confirm-baseline": before}), ("one command", {})):
            good = run_action(root, {**inputs, "confirm": same, **more}, "17")
            equal((good.returncode, outputs(root)["verdict"]), (0, "GREEN"), f"not confirmed, {how}: {good.stdout}{good.stderr}")
            check("::error" not in good.stdout, f"the first look's annotations are not shown: {good.stdout}")
            body = (root.path / "plumbline-report/body.md").read_text()
            check(body.startswith("<!-- plumbline -->\n# GREEN") and "1 row in doubt" in body, f"{how}: {body[:600]}")
            equal(json.loads((root.path / "plumbline-report/first/result.json").read_text())["verdict"], "RED", "the first look is kept")
            check("<failure" not in (root.path / "plumbline-report/junit.xml").read_text(), "junit.xml passes")
            equal(outputs(root)["sha256"], hashlib.sha256((root.path / "plumbline-report/bundle/SHA256SUMS").read_bytes()).hexdigest(), "the digest of the second look's bundle")
            bad = run_action(root, {**inputs, "confirm": worse, "confirm-args": "--max-runs 12", **more}, "17")
            equal((bad.returncode, outputs(root)["verdict"]), (1, "RED"), f"confirmed, {how}: {bad.stderr}")
            check("::error" in bad.stdout and (root.path / "summary").read_text().count("# RED") == 1, f"{how}: {bad.stdout}")
        log.unlink()
        failing = run_action(root, {**inputs, "confirm": "sh -c 'exit 3'"}, "17")
        equal((failing.returncode, outputs(root)["verdict"]), (1, "RED"), "a command that fails")
        check("::warning::what is in doubt was not run again (status 2): the first look stands" in failing.stdout, failing.stdout)
        check("::error" in failing.stdout and log.exists(), f"the first look's annotations are shown: {failing.stdout}")
        quiet = run_action(root, {**inputs, "current": "same.json", "confirm": "touch ran"})
        equal((quiet.returncode, (root.path / "ran").exists()), (0, False), "GREEN is not run again")


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


def gitlab_script():
    text = (SOURCE / "ci" / "gitlab.yml").read_text()
    block = text[text.index("    - |\n") + len("    - |\n"):text.index("  artifacts:")]
    return "".join(line.removeprefix("      ") for line in block.splitlines(keepends=True))


def run_gitlab(root, **variables):
    """The job's script, and the diff's answer."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLUMBLINE", "CI_"))}
    env = {**kept, "PLUMBLINE": PLUMBLINE, "PLUMBLINE_FAIL_ON": "red", "PLUMBLINE_OUT": "report", "CI_DEFAULT_BRANCH": "main", **variables}
    done = subprocess.run(["sh", "-ec", gitlab_script()], cwd=root.path, env=env, capture_output=True, text=True, check=False)
    result = root.path / "report/result.json"
    return done, json.loads(result.read_text()) if result.exists() else {}


def gitlab():
    with Root() as root:
        job(root)
        for _ in range(2):  # the folder may be there already
            done, result = run_gitlab(root, PLUMBLINE_BASELINE="before.json", PLUMBLINE_CURRENT="wor*.json")
            equal((done.returncode, result["verdict"]), (1, "RED"), f"the gate: {done.stderr}")
        check("RED" in done.stdout and "<failure" in (root.path / "report/junit.xml").read_text(), done.stdout)
        for name, value in (("before1", 10.0), ("same1", 10.1), ("worse1", 13.0)):
            (root.path / f"{name}.json").write_text(json.dumps({"latency_ms": value}))
        files = {"PLUMBLINE_BASELINE": "before.json", "PLUMBLINE_CURRENT": "worse.json"}
        for more in ({"PLUMBLINE_CONFIRM_BASELINE": "cat before1.json"}, {}):
            done, result = run_gitlab(root, **files, PLUMBLINE_CONFIRM="cat same1.json", **more)
            equal((done.returncode, result["verdict"]), (0, "GREEN"), f"not confirmed: {done.stderr}")
            check("<failure" not in (root.path / "report/junit.xml").read_text(), "junit.xml passes")
            done, result = run_gitlab(root, **files, PLUMBLINE_CONFIRM="cat worse1.json", PLUMBLINE_CONFIRM_ARGS="--max-runs 12", **more)
            equal((done.returncode, result["verdict"]), (1, "RED"), f"confirmed: {done.stderr}")
        done, result = run_gitlab(root, **files, PLUMBLINE_CONFIRM="exit 3")
        equal((done.returncode, result["verdict"]), (1, "RED"), "a command that fails")
        check("plumbline: what is in doubt was not run again (status 2): the first look stands" in done.stderr, done.stderr)

        git(root, "init", "-q")
        root.json("record", "--family", "llm", "--measurement", "decode", "--source", "before.json")
        git(root, "add", "experiments", "before.json")
        git(root, "commit", "-qm", "main")
        root.json("record", "--family", "llm", "--measurement", "decode", "--source", "worse.json")
        (root.path / "before.json").write_text((root.path / "worse.json").read_text())
        for baseline in ("llm/decode", "before.json"):
            for more, wanted in (({}, (0, "GREEN")), ({"PLUMBLINE_BASELINE_REF": "main"}, (1, "RED"))):
                done, result = run_gitlab(root, PLUMBLINE_BASELINE=baseline, PLUMBLINE_CURRENT="worse.json", **more)
                equal((done.returncode, result.get("verdict")), wanted, f"{baseline} {more}: {done.stderr}")
        for more, said in (({"PLUMBLINE_BASELINE_REF": "nowhere"}, "git knows no revision 'nowhere', and origin has no such branch"),
                           ({"PLUMBLINE_BASELINE_REF": "main", "PLUMBLINE_BASELINE": "gone.json"}, "the git revision 'main' has no gone.json")):
            done, _ = run_gitlab(root, **{"PLUMBLINE_BASELINE": "llm/decode", "PLUMBLINE_CURRENT": "worse.json", **more})
            equal((done.returncode, done.stderr.splitlines()[-1]), (2, f"plumbline: {said}"), f"{more}")


class GitLab(http.server.BaseHTTPRequestHandler):
    """A stand-in for GitLab's API, as its documentation describes job artifacts and notes of merge requests: not the real thing."""
    notes, asked, artifacts = [], [], {}

    def answer(self, status, document=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(document)))
        self.end_headers()
        self.wfile.write(document)

    def do_GET(self):
        where = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(where.query))
        if "/jobs/artifacts/" in where.path:
            branch, name = where.path.split("/jobs/artifacts/")[1].split("/raw/")
            kept = self.artifacts.get((urllib.parse.unquote(branch), query["job"], name))
            allowed = self.headers["JOB-TOKEN"] == "job-token"
            return self.answer(401) if not allowed else self.answer(404) if kept is None else self.answer(200, kept)
        if self.headers["PRIVATE-TOKEN"] != "note-token" or where.path != "/api/v4/projects/7/merge_requests/3/notes":
            return self.answer(401)
        size, page = int(query["per_page"]), int(query["page"])
        self.asked.append(("GET", page))
        text = json.dumps(self.notes[size * (page - 1):size * page], separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
        return self.answer(200, text.encode())

    def write(self):
        if self.headers["PRIVATE-TOKEN"] != "note-token":
            return self.answer(401)
        body = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))["body"]
        path = self.path.removeprefix("/api/v4/projects/7/merge_requests/3/notes")
        self.asked.append((self.command, path))
        if self.command == "POST":
            self.notes.append(note(900 + len(self.notes), body))
        else:
            next(one for one in self.notes if one["id"] == int(path[1:]))["body"] = body
        return self.answer(200, b"{}")

    do_POST = do_PUT = write

    def log_message(self, *_):
        pass


def note(number, body):
    return {"id": number, "type": None, "body": body, "author": {"id": 42, "username": "somebody"}, "system": False}


def gitlab_api():
    """A note of the merge request that is written once and then updated, and baselines from a job of the target branch."""
    with Root() as root, http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitLab) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        job(root)
        place = {"CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4", "CI_PROJECT_ID": "7", "CI_MERGE_REQUEST_IID": "3", "CI_JOB_TOKEN": "job-token",
                 "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release/1"}
        noted = {**place, "PLUMBLINE_NOTE_TOKEN": "note-token", "PLUMBLINE_BASELINE": "before.json"}
        # What others wrote, one of them quoting ours, more than a page of it.
        GitLab.notes[:] = [note(i, f"a remark {i}, with {{\"id\":5}} and <b>") for i in range(1, 120)] + [note(120, "> <!-- plumbline -->")]
        for current, status in (("worse.json", 1), ("same.json", 0)):
            GitLab.asked.clear()
            done, result = run_gitlab(root, **noted, PLUMBLINE_CURRENT=current)
            equal(done.returncode, status, done.stderr)
            ours = [one for one in GitLab.notes if one["body"].startswith("<!-- plumbline -->")]
            equal([(one["id"], one["body"].splitlines()[1].split()[1].strip(":,")) for one in ours], [(1020, result["verdict"])], f"one note, kept up to date: {ours}")
            equal(GitLab.asked[-1], ("POST", "") if status else ("PUT", "/1020"), "written once, then updated")
        equal([one["body"] for one in GitLab.notes[118:120]], ["a remark 119, with {\"id\":5} and <b>", "> <!-- plumbline -->"], "others' notes are left alone")
        done, _ = run_gitlab(root, **{**noted, "PLUMBLINE_NOTE_TOKEN": "wrong"}, PLUMBLINE_CURRENT="worse.json")
        equal((done.returncode, "plumbline: the notes could not be read, so none was written" in done.stderr), (1, True), f"a wrong token: {done.stderr}")

        GitLab.artifacts = {("release/1", "perf nightly", f"out/{name}.json"): (root.path / f"{name}.json").read_bytes() for name in ("before", "same")}
        job_of = {**place, "PLUMBLINE_BASELINE_JOB": "perf nightly", "PLUMBLINE_CURRENT": "worse.json"}
        for files in ("out/before.json", "out/before.json out/same.json"):
            done, result = run_gitlab(root, **job_of, PLUMBLINE_BASELINE=files)
            equal((done.returncode, result.get("verdict")), (1, "RED"), f"{files}: {done.stderr}")
        done, _ = run_gitlab(root, **job_of, PLUMBLINE_BASELINE="out/9.json")
        equal((done.returncode, done.stderr.splitlines()[-1]), (2, "plumbline: the job 'perf nightly' of the branch 'release/1' has no artifact out/9.json"), "no such artifact")
        server.shutdown()


if __name__ == "__main__":
    for part in (github, baselines, confirmed, installed, documented, gitlab, gitlab_api):
        part()
    harness.finish()
