#!/usr/bin/env python3
"""Slurm as it is: an array digests the ranks of a job, a job behind it (afterany) merges and names the broken rank; and `run --nodes`
in an allocation names the slow node. Ends with one line; 77 where Slurm cannot be had."""
import json
import pathlib
import subprocess
import tempfile
import time

from support.ranks import BROKEN, PLUMBLINE, check_digests, run_recipe, write_traces
from support.slurm_server import Slurm

SLOW = "n3"
BENCHMARK = """#!/bin/sh
value=100; [ "$SLURMD_NODENAME" = {slow} ] && value=80
noise=$(($$ % 3))
printf '{{"plumbline": {{"schema": "plumbline.lines.v1"}}, "copy": {{"bandwidth": {{"value": %s.%s, "unit": "GB/s", "direction": "higher-is-better"}}}}}}\\n' $value $noise
"""


def digest_in_an_array(slurm, folder):
    write_traces(folder / "traces")
    began = time.monotonic()
    run_recipe("Slurm", folder, slurm.environment)
    slurm.wait("end of all jobs", lambda: not slurm.ask("squeue", "-h", "-t", "pending,running,completing").strip(), 300)
    took = time.monotonic() - began
    if not (folder / "job.digest.json.gz").exists():
        slurm.give_up("\n".join(path.read_text() for path in folder.glob("slurm-*.out")))
    check_digests(folder / "digests")
    assert json.loads((folder / "job.json").read_text())["job"]["failed"][0]["rank"] == BROKEN
    return took


def digest_in_jobs_of_several_tasks(slurm, folder):
    """The script of a job runs once, however many tasks the job asked for; what srun starts in it has a share each."""
    digest = f"{PLUMBLINE} digest traces/ --shard auto --out"
    for command in (f"{digest} wide/", f"srun {digest} steps/"):
        done = slurm.run("sbatch", "--array=0-3", "-n", "2", "--wrap", command, cwd=folder)
        assert done.returncode == 0, done.stdout
    slurm.wait("end of all jobs", lambda: not slurm.ask("squeue", "-h", "-t", "pending,running,completing").strip(), 300)
    for out in ("wide", "steps"):
        check_digests(folder / out)


def name_the_slow_node(slurm, folder):
    bench = folder / "bench"
    bench.write_text(BENCHMARK.format(slow=SLOW))
    bench.chmod(0o755)
    done = subprocess.run(["salloc", f"--nodes={len(slurm.nodes)}", "--quiet", PLUMBLINE, "run", "--nodes", "auto", "-n", "2", "--no-bundle", "--fail-on",
                           "outlier", "--json", "--", str(bench)], env=slurm.environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    answer = json.loads(done.stdout)
    fleet = answer["comparisons"][0]["result"]
    assert fleet["drain"] == [SLOW], fleet["drain"]
    assert answer["machine"]["environment.scheduler"] == "slurm", answer["machine"]
    assert answer["machine"]["environment.job_node_count"] == str(len(slurm.nodes)), answer["machine"]
    return answer["elapsed_s"]


def main():
    with tempfile.TemporaryDirectory(prefix="plumbline-slurm-") as place:
        folder = pathlib.Path(place)
        folder.chmod(0o755)
        (folder / "slurm").mkdir()
        began = time.monotonic()
        with Slurm(folder / "slurm") as slurm:
            ready = time.monotonic() - began
            array = digest_in_an_array(slurm, folder)
            digest_in_jobs_of_several_tasks(slurm, folder)
            nodes = name_the_slow_node(slurm, folder)
            version = slurm.ask("sinfo", "--version").strip()
    print(f"slurm: good ({version}: ready in {ready:.1f} s; array of 16 and merge in {array:.1f} s, rank {BROKEN} named; run --nodes on 5 nodes in {nodes:.1f} s, {SLOW} named)")


main()
