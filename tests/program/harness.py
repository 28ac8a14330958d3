"""What the program tests share: running the built program in a private root, and checks that say what they saw."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PLUMBLINE = os.environ.get("PLUMBLINE", "plumbline")
SOURCE = pathlib.Path(os.environ.get("PLUMBLINE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SAMPLES = pathlib.Path(os.environ.get("PLUMBLINE_SAMPLES", SOURCE.parent / "shared" / "samples"))

SKIPPED = 77  # CTest's SKIP_RETURN_CODE of these scripts: counted as skipped, neither passed nor failed

failures = []
checks = 0


def check(truth, message):
    global checks
    checks += 1
    if not truth:
        failures.append(message)
        print("FAIL:", message)


def equal(seen, wanted, what):
    check(seen == wanted, f"{what}: saw {seen!r}, wanted {wanted!r}")


def opens_libraries():
    """Whether the program can load the libraries of GPUs. The static one cannot, and says so."""
    said = subprocess.run([PLUMBLINE, "version", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(said)["features"]["shared_libraries"]


def need_samples(*folders):
    """The script ends as skipped where one of these folders of the samples is absent: without its data nothing was tested. The
    program must be there all the same, so that a broken build is never counted as skipped."""
    version = subprocess.run([PLUMBLINE, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith("plumbline "), f"{PLUMBLINE} --version says {version!r}"
    missing = [folder for folder in folders if not (SAMPLES / folder).is_dir()]
    if missing:
        print(f"skipped: no {', '.join(missing)} in {SAMPLES} (PLUMBLINE_SAMPLES names another place)")
        sys.exit(SKIPPED)


def finish():
    """A script that checked nothing has not passed."""
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures or checks == 0 else 0)


class Root:
    """A private repository root; files are written below it."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-test-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["chmod", "-R", "u+w", str(self.path)], check=False)
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def run(self, *arguments, env=None, cwd=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}
        environment.update(env or {})
        words = [PLUMBLINE, *[str(a) for a in arguments]]
        if arguments and arguments[0] in ("record", "diff", "profile-diff", "accept", "history", "search", "config", "import", "gc"):
            words += ["--repo-root", str(self.path)]
        return subprocess.run(words, capture_output=True, text=True, cwd=cwd or self.path, env=environment)

    def json(self, *arguments, status=0, **more):
        done = self.run(*arguments, "--json", **more)
        if done.returncode != status:
            raise AssertionError(f"{arguments}: exit {done.returncode}, wanted {status}\n{done.stderr}")
        return json.loads(done.stdout)

    def record(self, source, *more, family="f", measurement="m", **kw):
        return self.json("record", "--family", family, "--measurement", measurement, "--source", source, *more, **kw)

    def diff(self, baseline, current, *more, **kw):
        return self.json("diff", "--baseline", baseline, "--current", current, *more, **kw)

    def has_experiments(self):
        return (self.path / "experiments").exists()


def rows(result):
    """deltas.jsonl of a diff result, by key."""
    lines = (pathlib.Path(result["diff_dir"]) / "deltas.jsonl").read_text().splitlines()
    return {row["key"]: row for row in map(json.loads, lines)}


def codes(result):
    return [reason["code"] for reason in result["reasons"]]


def warned(result):
    return [warning["code"] for warning in result["warnings"]]
