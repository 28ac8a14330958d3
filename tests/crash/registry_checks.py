"""What the crash tests share: looking at a registry from outside, with sha256sum and the file system only."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from harness import check  # noqa: E402

INDEX_ROW = re.compile(r"^\| `[^`|]+` \| \[`([^`|]+)`\]\(\1/\) \| [^|]+ \| [^|]+ \| .* \|$")
INDEX_HEAD = ["# Perf-baseline registry index", "", "Chronological history. One row per registration. Newer entries at the bottom.",
              "", "| UTC timestamp | Slug | Value | Unit | Notes |", "| --- | --- | --- | --- | --- |"]


def published(folder):
    """Names that a reader sees as entries or bundles: directories without a leading dot, acceptances aside."""
    if not folder.is_dir():
        return []
    return sorted(e.name for e in os.scandir(folder) if e.is_dir(follow_symlinks=False) and e.name[0] != "." and e.name != "accepted")


def litter(folder):
    return sorted(e.name for e in os.scandir(folder) if e.name[0] == ".") if folder.is_dir() else []


def check_whole(folder, what):
    """Every listed file has its digest, and no file is there that is not listed."""
    sums = folder / "SHA256SUMS"
    if not sums.is_file():
        check(False, f"{what}: {folder.name} is visible without SHA256SUMS")
        return
    done = subprocess.run(["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, f"{what}: {folder.name}: sha256sum -c: {done.stdout}{done.stderr}")
    listed = {line[66:] for line in sums.read_text().splitlines()}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
    there = {name for name in there if name != "SHA256SUMS" and not name.startswith("attest/")}
    check(there == listed, f"{what}: {folder.name}: files and SHA256SUMS differ by {sorted(there ^ listed)}")


def index_slugs(folder, what):
    """The slugs INDEX.md lists, the newest 200 at most, None when there is none; a torn table is a failure."""
    try:
        text = (folder / "INDEX.md").read_text()
    except FileNotFoundError:
        return None
    lines = text.split("\n")
    if lines[4].startswith("The newest 200 of "):
        del lines[4:6]
    check(lines[:6] == INDEX_HEAD, f"{what}: INDEX.md begins {lines[:6]}")
    check(lines[-1] == "", f"{what}: INDEX.md ends within a line: {lines[-1]!r}")
    rows = [INDEX_ROW.match(line) for line in lines[6:-1]]
    check(all(rows), f"{what}: INDEX.md has a row that is none: {[line for line, row in zip(lines[6:-1], rows) if not row][:1]}")
    return [row.group(1) for row in rows if row]
