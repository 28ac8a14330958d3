"""Chromium, Node and the packages of package.json, where this machine has them. The packages are installed beside what was built, by
`npm ci`, once for each package-lock.json."""
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "program"))
from harness import PLUMBLINE, SKIPPED  # noqa: E402

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def node_version():
    node = shutil.which("node")
    if node is None:
        return 0
    return int(subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip().lstrip("v").split(".")[0])


def install(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        skip(f"npm cannot install {folder}: {done.stderr.strip().splitlines()[-1:]}")
    (folder / "complete").touch()


def packages():
    """The folder node_modules, or the test ends as skipped."""
    version = subprocess.run([PLUMBLINE, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith("plumbline "), f"{PLUMBLINE} --version says {version!r}"
    if CHROMIUM is None:
        skip("no chromium (apt-get install chromium)")
    if node_version() < 18 or shutil.which("npm") is None:
        skip("no Node 18 with npm (apt-get install nodejs npm)")
    lock = (HERE / "package-lock.json").read_bytes()
    build = pathlib.Path(shutil.which(PLUMBLINE) or PLUMBLINE).resolve().parents[1]
    folder = build / "browser" / hashlib.sha256(lock).hexdigest()[:12]
    folder.parent.mkdir(exist_ok=True)
    with open(folder.parent / "lock", "w", encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # tests that run at once install it once
        if not (folder / "complete").exists():
            install(folder)
    return folder / "node_modules"


def run(script, modules, *arguments, **environment):
    words = [shutil.which("node"), HERE / script, modules, CHROMIUM, *arguments]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        raise AssertionError(f"{script} failed: {done.stderr[-2000:]}")
    return done.stdout


def look(modules, pages):
    return json.loads(run("look.mjs", modules, *pages))
