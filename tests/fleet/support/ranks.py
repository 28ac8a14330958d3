"""What the parts of tests/fleet share that digest the ranks of a job: captures with a broken one among them, and what has to come of
them."""
import gzip
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PLUMBLINE = os.environ.get("PLUMBLINE", str(SOURCE / "build/release/bin/plumbline"))
RANKS, BROKEN = 8, 3

sys.path.insert(0, str(SOURCE / "tests" / "program"))
from rank_traces import rank_traces  # noqa: E402


def recipe(heading):
    """The shell lines of docs/ranks.md behind a heading, as they stand there."""
    text = (SOURCE / "docs" / "ranks.md").read_text()
    return text.split(f"### {heading}\n", 1)[1].split("```sh\n", 1)[1].split("```", 1)[0]


def run_recipe(heading, folder, environment=None):
    """With `plumbline` on PATH, in a folder that has `traces/`."""
    environment = dict(environment or os.environ)
    environment["PATH"] = f"{pathlib.Path(PLUMBLINE).resolve().parent}:{environment['PATH']}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", recipe(heading)], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def write_traces(folder):
    """A capture a rank, that of BROKEN cut in its head."""
    folder.mkdir()
    for rank, text in rank_traces(RANKS, steps=4).items():
        packed = gzip.compress(text.encode(), 1)
        (folder / f"rank{rank}.json.gz").write_bytes(packed[:60] if rank == BROKEN else packed)


def check_digests(folder):
    """Every rank but the broken one has its digest, the digests are what one task alone would have made, and the merged digest names
    the broken one."""
    there = sorted(path.name for path in folder.iterdir())
    wanted = sorted([f"rank{rank}.digest.json.gz" for rank in range(RANKS) if rank != BROKEN] + [f"rank{BROKEN}.failed.json"])
    assert there == wanted, there
    alone = folder.parent / "alone"
    subprocess.run([PLUMBLINE, "digest", folder.parent / "traces", "--shard", "0/1", "--out", alone], check=True, capture_output=True)
    for name in there:
        assert (folder / name).read_bytes() == (alone / name).read_bytes(), name
    merged = subprocess.run([PLUMBLINE, "digest", folder.parent / "job.digest.json.gz", "--json"], check=True, capture_output=True)
    told = json.loads(merged.stdout)["job"]
    assert (told["read"], told["expected"], told["missing"]) == (RANKS - 1, RANKS, []), told
    assert [(each["rank"], each["file"]) for each in told["failed"]] == [(BROKEN, f"rank{BROKEN}.json.gz")], told
