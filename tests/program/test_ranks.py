#!/usr/bin/env python3
"""Ranks of a job in shards, through the program: each task takes its own, what is broken is recorded and named by who merges, late
ranks are found and noise names nobody. Schedulers here are their environments; real ones are in tests/fleet."""
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import sys

import jsonschema

from harness import SOURCE, Root, check, equal, finish
from rank_traces import rank_traces

SCHEMA = json.loads((SOURCE / "schemas" / "plumbline.result.digest.v1.json").read_text())
FAILURE = json.loads((SOURCE / "schemas" / "plumbline.rank-failure.v1.json").read_text())


def write_job(root, folder, ranks, **how):
    for rank, text in rank_traces(ranks, **how).items():
        root.write(f"{folder}/rank{rank}.json.gz", gzip.compress(text.encode(), 1))


def shard(root, which, *more, source="traces", out="digests", env=None, status=0):
    result = root.json("digest", source, "--shard", which, "--out", out, *more, env=env, status=status)
    if status == 0:
        jsonschema.Draft7Validator(SCHEMA).validate(result)
    return result


def files(root, folder):
    return sorted(path.name for path in (root.path / folder).iterdir())


def contents(root, folder):
    return {path.name: path.read_bytes() for path in (root.path / folder).iterdir()}


def test_shards_are_all_ranks_once():
    with Root() as root:
        write_job(root, "traces", 7)
        shares = [[each["rank"] for each in shard(root, f"{i}/3")["digests"]] for i in range(3)]
        equal(shares, [[0, 3, 6], [1, 4], [2, 5]], "by rank")
        equal(files(root, "digests"), sorted(f"rank{i}.digest.json.gz" for i in range(7)), "a digest a rank")
        before = contents(root, "digests")
        shard(root, "1/3")
        equal(contents(root, "digests"), before, "a shard that runs again changes nothing")
        # Tasks at once, each twice: what is there in the end is what one alone would have made.
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda i: shard(root, f"{i % 3}/3", out="again"), range(6)))
        equal(contents(root, "again"), before, "tasks that run together")
        merged = root.json("digest", "digests", "--out", "job.json.gz")
        equal((merged["ranks"], merged["job"]["read"], merged["job"]["expected"]), (list(range(7)), 7, 7), "the job")
        whole = root.json("digest", "traces", "--out", "whole.json.gz")
        equal(merged["sha256"], whole["sha256"], "digests of ranks make the digest of their captures")
        # More shards than ranks: a share of nothing.
        equal(shard(root, "9/16")["digests"], [], "nothing to do")


def test_a_capture_that_comes_later_moves_none():
    with Root() as root:
        traces = rank_traces(6)
        for rank in (0, 2, 5):
            root.write(f"traces/rank{rank}.json", traces[rank])
        first = [each["rank"] for each in shard(root, "0/2")["digests"]]
        for rank in (1, 3, 4):
            root.write(f"traces/rank{rank}.json", traces[rank])
        second = [each["rank"] for each in shard(root, "1/2")["digests"]]
        equal((first, second), ([0, 2], [1, 3, 5]), "rank 4 came too late, and no other was taken twice or left out")


def test_schedulers_say_the_shard():
    array = {"SLURM_ARRAY_TASK_ID": "14", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_MAX": "18", "SLURM_ARRAY_TASK_STEP": "2",
             "SLURM_ARRAY_TASK_COUNT": "5"}
    with Root() as root:
        write_job(root, "traces", 5, steps=3)
        asked = [
            (array, "auto", (2, 5)),
            ({**array, "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "auto", (2, 5)),
            # A batch script of a job of four tasks, none of which srun started; and what srun starts in it.
            ({**array, "SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, "auto", (2, 5)),
            ({**array, "SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "4"}, "auto", (11, 20)),
            ({**array, "SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "1"}, "auto", (2, 5)),
            ({**array, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, "auto", (5, 10)),
            ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "auto", (3, 4)),
            ({"PMI_RANK": "1", "PMI_SIZE": "3"}, "auto", (1, 3)),
            ({"SLURM_PROCID": "6", "SLURM_NTASKS": "16", "SLURM_STEP_NUM_TASKS": "8"}, "auto/8", (6, 8)),
            ({"JOB_COMPLETION_INDEX": "4"}, "auto/5", (4, 5)),
        ]
        for env, text, wanted in asked:
            answer = shard(root, text, env=env)
            equal((answer["shard"], answer["shards"]), wanted, f"{text} with {sorted(env)}")
        for env, text, message in [
            ({}, "auto", "--shard auto: nothing here says which task of a job this is"),
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, "auto", "--shard auto: nothing here says which task of a job this is"),
            ({"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "65535", "SLURM_ARRAY_TASK_STEP": "1",
              "SLURM_ARRAY_TASK_COUNT": "65536", "PMI_RANK": "0", "PMI_SIZE": "65536"}, "auto",
             "SLURM_ARRAY_TASK_ID=0, 0 of 65536; PMI_RANK=0 of 65536: these are more than 1000000 shards"),
            ({"PMI_RANK": "0", "PMI_SIZE": "1000001"}, "auto", "PMI_RANK=0 of 1000001: these are more than 1000000 shards"),
            ({"JOB_COMPLETION_INDEX": "4"}, "auto", "JOB_COMPLETION_INDEX=4 does not say how many tasks there are"),
            ({"JOB_COMPLETION_INDEX": "4"}, "auto/4", "JOB_COMPLETION_INDEX=4: shards are counted from 0, so the last of 4 is 3"),
            ({**array, "SLURM_ARRAY_TASK_MAX": "20"}, "auto", "the array's tasks are not evenly apart: task 14 of 5 from 10 to 20"),
            (array, "auto/6", "--shard auto/6: the scheduler says SLURM_ARRAY_TASK_ID=14, 2 of 5"),
            ({"SLURM_ARRAY_TASK_ID": "x"}, "auto", 'SLURM_ARRAY_TASK_ID is "x", which is no number of a task'),
            ({}, "3/3", "--shard 3/3: shards are counted from 0, so the last of 3 is 2"),
            ({}, "3", '--shard is `auto` or a shard of how many, not "3"'),
            ({}, "1/0", '--shard "1/0" has no number of shards behind the slash'),
        ]:
            done = root.run("digest", "traces", "--shard", text, "--out", "digests", env=env)
            equal((done.returncode, done.stderr.split("\n")[0]), (2, f"plumbline: error: {message}"), f"{text} with {sorted(env)}")
        for words, message in [(["traces", "traces", "--shard", "0/1", "--out", "o"], "--shard takes one folder of captures, not 2 paths"),
                               (["traces", "--shard", "0/1"], "--shard needs a folder for the digests: --out"),
                               (["traces", "--shard", "0/1", "--out", "traces"], "--out is the folder of the captures: digests would stand among them"),
                               (["traces", "--shard", "0/1", "--out", "o", "--rank", "1"], "--shard says which ranks: it does not go with --rank"),
                               (["traces/rank0.json.gz", "--shard", "0/1", "--out", "o"], "--shard shares the captures of a folder, and ")]:
            done = root.run("digest", *words)
            check(done.returncode == 2 and done.stderr.startswith(f"plumbline: error: {message}"), f"{words}: {done.stderr}")


def test_a_broken_rank_is_named_with_its_reason():
    with Root() as root:
        write_job(root, "traces", 6)
        write_job(root, "before", 6, seed=1)
        broken = (root.path / "traces/rank3.json.gz").read_bytes()
        (root.path / "traces/rank3.json.gz").write_bytes(broken[:60])
        (root.path / "traces/rank5.json.gz").unlink()
        answer = shard(root, "0/1")
        equal([(each["rank"], each["file"]) for each in answer["failed"]], [(3, "rank3.json.gz")], "what failed")
        check("rank3.failed.json" in files(root, "digests") and "rank3.digest.json.gz" not in files(root, "digests"), "a record in its place")
        record = json.loads((root.path / "digests/rank3.failed.json").read_text())
        jsonschema.Draft7Validator(FAILURE).validate(record)
        equal((record["rank"], record["file"]), (3, "rank3.json.gz"), "the record")
        merged = root.json("digest", "digests", "--out", "job.json.gz")
        job = merged["job"]
        equal((job["read"], job["expected"], job["missing"], [each["rank"] for each in job["failed"]]), (4, 6, [5], [3]), "who is missing")
        # The merged digest remembers it, and so does the comparison, on whichever side.
        shard(root, "0/1", source="before", out="digests-before")
        for after in ("digests", "job.json.gz"):
            diff = root.json("profile-diff", "digests-before", after)
            reasons = {each["code"]: each["message"] for each in diff["reasons"]}
            check("ranks_missing" in reasons, f"a reason: {sorted(reasons)}")
            said = reasons.get("ranks_missing", "")
            check("the candidate rests on 4 of 6 ranks: 3 failed (rank3.json.gz: " in said and "5 is missing" in said, said)
            check(diff["verdict"] != "GREEN" and diff["tier"] == "DRAFT", "no verdict on four of six")
        equal(root.json("profile-diff", "digests-before", "digests-before")["verdict"], "GREEN", "whole jobs have no such reason")
        # Mended, the record goes; broken again, the digest of what it was goes.
        (root.path / "traces/rank3.json.gz").write_bytes(broken)
        shard(root, "3/6")
        check("rank3.failed.json" not in files(root, "digests") and "rank3.digest.json.gz" in files(root, "digests"), "mended")
        (root.path / "traces/rank3.json.gz").write_bytes(b"")
        shard(root, "3/6")
        check("rank3.failed.json" in files(root, "digests") and "rank3.digest.json.gz" not in files(root, "digests"), "broken again")


def test_what_a_task_lacks_is_no_fault_of_the_ranks():
    with Root() as root:
        write_job(root, "traces", 2, steps=3)
        shard(root, "0/1")
        before = contents(root, "digests")
        (root.path / "traces/rank1.json.gz").write_bytes(b"")
        done = root.run("digest", "traces", "--shard", "0/1", "--out", "digests", env={"TMPDIR": f"{root.path}/nowhere"})
        equal((done.returncode, contents(root, "digests")), (3, before), f"no folder for temporary files: {done.stderr}")
        check(done.stderr.startswith("plumbline: error: ") and "cannot make a temporary folder" in done.stderr, done.stderr)
        root.write("reports/rank0.nsys-rep", b"NVIDIA Tegra Profiler Report" + bytes(100))
        done = root.run("digest", "reports", "--shard", "0/1", "--out", "of-reports", env={"PATH": str(root.path)})
        equal((done.returncode, files(root, "of-reports")), (3, []), f"no nsys: {done.stderr}")
        # A file that cannot be opened here may be opened elsewhere, and its digest may be right.
        (root.path / "traces/rank1.json.gz").unlink()
        (root.path / "traces/rank1.json.gz").symlink_to(root.path / "nowhere")
        equal([each["rank"] for each in shard(root, "1/2")["failed"]], [1], "a link to nothing")
        equal(contents(root, "digests")["rank1.digest.json.gz"], before["rank1.digest.json.gz"], "its digest stays")


def test_a_capture_without_a_rank_among_others_is_said():
    with Root() as root:
        write_job(root, "traces", 3, steps=3)
        root.write("traces/node7.json.gz", (root.path / "traces/rank2.json.gz").read_bytes())
        (root.path / "traces/rank2.json.gz").unlink()
        said = '1 capture of the folder does not name its rank, as others do, and was left out: "node7.json.gz"'
        for answer in (shard(root, "0/1"), root.json("digest", "traces", "--out", "job.json.gz"), root.json("profile-diff", "traces", "traces")):
            check(said in [each["message"].split(": ", 1)[-1] if each["message"].startswith("baseline: ") else each["message"]
                           for each in answer["warnings"]], f"{answer['warnings']}")


def test_ranks_that_only_captures_know():
    with Root() as root:
        for rank, text in rank_traces(4, steps=3).items():
            root.write(f"traces/host{'abcd'[rank]}.pt.trace.json", text)
        for i in range(3):
            shard(root, f"{i}/3")
        equal(len(files(root, "digests")), 4, "each once")
        merged = root.json("digest", "digests", "--out", "job.json.gz")
        equal(merged["ranks"], [0, 1, 2, 3], "ranks")
        # Two captures of one rank both leave a digest, and the reducer names them.
        root.write("traces/hostz.pt.trace.json", (root.path / "traces/hostb.pt.trace.json").read_text())
        for i in range(3):
            shard(root, f"{i}/3")
        done = root.run("digest", "digests", "--out", "job.json.gz")
        check(done.returncode == 2 and "hostb" in done.stderr and "hostz" in done.stderr, f"both are named: {done.stderr}")


def test_a_late_rank_is_found_and_noise_names_nobody():
    with Root() as root:
        write_job(root, "before", 24, seed=2)
        write_job(root, "after", 24, seed=3, slow=17, slower=0.15)
        before = root.json("digest", "before", "--out", "b.json.gz")["job"]
        equal(before["stragglers"], [], "noise")
        job = root.json("digest", "after", "--out", "a.json.gz")["job"]
        equal([each["rank"] for each in job["stragglers"]], [17], "the late one")
        late = job["stragglers"][0]["late_ns"]
        check(240_000 < late < 360_000, f"two collectives a step, 150 us each: {late}")
        check(abs(job["clock_spread_ns"] - 23 * 1_234_500) < 2000, f"clocks: {job['clock_spread_ns']}")
        diff = root.json("profile-diff", "before", "after")
        bundle = pathlib.Path(diff["diff_dir"])
        whole = json.loads((bundle / "profile-diff.json").read_text())
        found = [each["message"] for each in whole["findings"] if each["code"] == "straggler" and each["message"].startswith("rank 17")]
        equal(len(found), 1, "a finding names it")
        grid = whole["candidate"]["job"]["grid"]
        equal((len(grid["rows"]), grid["unit"]), (24, "step"), "the grid")
        equal(len(whole["candidate"]["job"]["clocks"]), 24, "clocks")
        page = (bundle / "diff.html").read_text()
        check("Ranks over the run" in page and re.search(r"rank 17, step \d+: [0-9.]+ us late", page), "the page draws it")
        shown = root.run("profile-diff", "before", "after").stdout
        check(re.search(r"late rank .*\n\s*17 ", shown), f"the terminal names it: {shown}")


def test_the_recipe_for_one_machine():
    sys.path.insert(0, str(SOURCE / "tests" / "fleet"))
    from support.ranks import BROKEN, check_digests, run_recipe, write_traces
    with Root() as root:
        write_traces(root.path / "traces")
        run_recipe("One machine", root.path)
        try:
            check_digests(root.path / "digests")
            check(True, "")
        except AssertionError as error:
            check(False, f"rank {BROKEN} is named: {error}")


def test_the_recipe_for_kubernetes_is_yaml():
    """Its syntax and the names that the recipe depends on; no cluster sees it."""
    text = (SOURCE / "docs" / "ranks.md").read_text().split("```yaml\n", 1)[1].split("```", 1)[0]
    try:
        import yaml
    except ImportError:
        check("completionMode: Indexed" in text, "an Indexed Job")
        return
    job = yaml.safe_load(text)
    spec = job["spec"]
    equal((job["kind"], spec["completionMode"]), ("Job", "Indexed"), "an Indexed Job")
    command = spec["template"]["spec"]["containers"][0]["command"]
    equal(command[command.index("--shard") + 1], f"auto/{spec['completions']}", "as many shards as completions")


STAND_IN = """#!/bin/sh
# Stands in for a launcher: runs the command here and says by NODE which node it would be.
NODE=$1; shift; export NODE; exec "$@"
"""
BENCHMARK = """#!/bin/sh
[ "$NODE" = broken ] && { echo 'no such device' >&2; exit 3; }
value=100; [ "$NODE" = n7 ] && value=82
printf '{"plumbline": {"schema": "plumbline.lines.v1"}, "copy": {"bandwidth": {"value": %s.%s, "unit": "GB/s", "direction": "higher-is-better"}}}\\n' $value $(($$ % 5))
"""


def on_nodes(root, *words, status=0, env=None):
    done = root.run("run", *words[:-1], "--json", "--", words[-1], env=env)
    equal(done.returncode, status, f"status of run {words}: {done.stderr}")
    return json.loads(done.stdout)


def test_run_on_nodes_names_the_slow_one():
    """With a launcher that stands in for srun, ssh and mpirun; tests/fleet/part_slurm.py has the real one."""
    with Root() as root:
        for name, text in (("launch", STAND_IN), ("bench", BENCHMARK)):
            root.write(name, text).chmod(0o755)
        here = str(root.path)
        words = ["--nodes", "n[1-9]", "--launcher", f"{here}/launch {{node}}", "--no-bundle"]
        answer = on_nodes(root, *words, "-n", "2", "--fail-on", "outlier", f"{here}/bench", status=1)
        fleet = answer["comparisons"][0]["result"]
        equal((answer["comparisons"][0]["label"], fleet["drain"], fleet["verdict"]), ("nodes", ["n7"], "RED"), "the slow node")
        equal(sorted(each["name"] for each in fleet["siblings"]), [f"n{i}" for i in range(1, 10)], "siblings are nodes")
        # A node that gives nothing is named, too, and ends nothing.
        words[1] = "n[1-6],broken"
        answer = on_nodes(root, *words, f"{here}/bench")
        check(any("broken" in each["message"] and "exited with 3" in each["message"] for each in answer["warnings"]), f"{answer['warnings']}")
        equal(answer["comparisons"][0]["result"]["drain"], ["broken"], "to be drained")
        # In a job of Slurm the list is the job's.
        env = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3],n0[08-09]", "SLURM_NTASKS": "40", "SLURM_CPUS_PER_TASK": "4"}
        answer = on_nodes(root, "--nodes", "auto", *words[2:], f"{here}/bench", env=env)
        equal([each["label"] for each in answer["sides"]], ["n1", "n2", "n3", "n008", "n009"], "the job's nodes")
        machine = answer["machine"]
        equal([machine.get(f"environment.{key}") for key in ("scheduler", "job_nodes", "job_node_count", "job_tasks", "cpus_per_task")],
              ["slurm", "n[1-3],n0[08-09]", "5", "40", "4"], "what is kept of the job")
        for more, message in [
            (["--nodes", "auto"], "--nodes auto: this is no job of Slurm or PBS that says its nodes"),
            (["--nodes", "n1,n2"], "--nodes: this is no job of Slurm, so nothing says how a command is started on a node"),
            (["--nodes", "n1", "--launcher", "ssh"], "one node has nobody to be held against: n1"),
            (["--nodes", "n[1-2", "--launcher", "ssh"], 'the list of nodes "n[1-2" opens a bracket that is not closed'),
            (["--nodes", "n[2-1]", "--launcher", "ssh"], 'the list of nodes "n[2-1]" has "2-1", which is no range of numbers'),
            (["--nodes", "n1,-oProxyCommand=x", "--launcher", "ssh"],
             'the list of nodes "n1,-oProxyCommand=x" has "-oProxyCommand=x", which is no name of a node'),
            (["--nodes", "n1,n1", "--launcher", "ssh"], 'the list of nodes "n1,n1" names "n1" twice'),
            (["--nodes", "n1,n2", "--launcher", "ssh host"], '--launcher "ssh host" does not say where the node\'s name goes'),
            (["--nodes", "n1,n2", "--launcher", "nothing-such {node}"], 'the launcher "nothing-such" is not on PATH'),
            (["--nodes", "n1,n2", "--against", "f/m"], "--nodes holds nodes against one another, and does not go with --against"),
            (["--launcher", "ssh"], "--launcher starts a command on nodes, and there is no --nodes"),
        ]:
            done = root.run("run", *more, "--no-bundle", "--", f"{here}/bench")
            equal(done.stderr.split("\n")[0], f"plumbline: error: {message}", str(more))


SSH = """#!/bin/sh
# Stands in for ssh: what stands behind the options and the host is one line for a shell of the node.
while [ "${1#-}" != "$1" ]; do shift 2; done
NODE=$1; shift; export NODE; exec sh -c "$*"
"""
PICKY = """#!/bin/sh
[ $# = 3 ] && [ "$1" = "it's; touch injected #" ] && [ "$2" = '$NODE "x" `id`' ] && [ -z "$3" ] || { echo "got $# words: $*" >&2; exit 4; }
exec "${0%/*}/bench"
"""


def test_words_reach_a_node_through_ssh_as_they_were_given():
    """No shell of the node takes anything in them for its own, wherever ssh stands in the launcher."""
    with Root() as root:
        for name, text in (("bin/ssh", SSH), ("bench", BENCHMARK), ("picky", PICKY)):
            root.write(name, text).chmod(0o755)
        path = f"{root.path}/bin:{os.environ['PATH']}"
        for launcher in ("ssh", "ssh {node}", "timeout 60 ssh -o BatchMode=yes {node}", f"env {root.path}/bin/ssh {{node}}"):
            done = root.run("run", "--nodes", "n[1-3]", "--launcher", launcher, "--no-bundle", "--json", "--", f"{root.path}/picky",
                            "it's; touch injected #", '$NODE "x" `id`', "", env={"PATH": path})
            equal(done.returncode, 0, f"{launcher}: {done.stderr}")
            equal([each["message"] for each in json.loads(done.stdout)["warnings"]], [], f"failures with {launcher}")
            check(not (root.path / "injected").exists(), f"{launcher}: the shell of a node ran a part of a word")


def test_the_command_is_looked_for_on_the_nodes():
    """This machine need not have it; where no node has it the error says what a node said."""
    with Root() as root:
        root.write("elsewhere/only-there", BENCHMARK).chmod(0o755)
        root.write("launch", STAND_IN.replace("exec", f"PATH={root.path}/elsewhere:$PATH; exec")).chmod(0o755)
        words = ["--nodes", "n[1-3]", "--launcher", f"{root.path}/launch {{node}}", "--no-bundle"]
        answer = on_nodes(root, *words, "only-there")
        equal((answer["warnings"], answer["comparisons"][0]["result"]["drain"]), ([], []), "it is found where it runs")
        done = root.run("run", *words, "--", "nowhere-at-all", "it's")
        lines = done.stderr.split("\n")
        check(done.returncode == 2 and re.fullmatch(r"plumbline: error: no node gave a result \(n[123]: exited with 127\)", lines[0]), lines[0])
        again = re.escape(f"hint: start it by hand as it was started there: `{root.path}/launch NODE nowhere-at-all 'it'\\''s'`")
        check(re.fullmatch(again.replace("NODE", "n[123]"), lines[1]), lines[1])


def test_siblings_are_the_nodes_whatever_their_results_say():
    """Names that have separators and results that name containers, all the same one or each its own, drain no other node."""
    container = """#!/bin/sh
value=300; [ "$NODE" = rack_03 ] && value=240
printf '{"busbw_GBps": %s.%s, "hostname": "%s"}\\n' $value $(($$ % 5)) $1
"""
    with Root() as root:
        for name, text in (("launch", STAND_IN), ("container", container), ("bench", BENCHMARK)):
            root.write(name, text).chmod(0o755)
        root.write("each-its-own", f"#!/bin/sh\nexec {root.path}/container c$$\n").chmod(0o755)
        root.write("one", f"#!/bin/sh\nexec {root.path}/container c\n").chmod(0o755)
        for nodes, program, wanted in (("rack_[01-09]", "one", ["rack_03"]), ("rack_[01-09]", "each-its-own", ["rack_03"]),
                                       ("x1-x2,x2-x3,x3-x1,x1-x4,x2-x4,x3-x4", "bench", [])):
            answer = on_nodes(root, "--nodes", nodes, "-n", "2", "--launcher", f"{root.path}/launch {{node}}", "--no-bundle", f"{root.path}/{program}")
            fleet = answer["comparisons"][0]["result"]
            equal(sorted(each["name"] for each in fleet["siblings"]), sorted(each["label"] for each in answer["sides"]), f"siblings of {nodes}")
            equal(fleet["drain"], wanted, f"to be drained of {nodes}")
            check("sibling_names_guessed" not in [each["code"] for each in fleet["warnings"]], f"no name is guessed: {fleet['warnings']}")


def test_a_node_that_was_not_run_is_not_drained():
    """The third command takes longer than the budget, so nothing is started behind it."""
    counting = f"""#!/bin/sh
folder=${{0%/*}}; echo >> "$folder/count"
[ "$(wc -l < "$folder/count")" -ge "$(cat "$folder/last")" ] && sleep 3
{STAND_IN.split(chr(10), 1)[1]}"""
    with Root() as root:
        for name, text in (("launch", counting), ("bench", BENCHMARK)):
            root.write(name, text).chmod(0o755)
        words = ["--nodes", "n[11-15]", "--launcher", f"{root.path}/launch {{node}}", "--no-bundle", "--budget", "3s"]
        root.write("last", "3\n")
        answer = on_nodes(root, *words, f"{root.path}/bench")
        ran = sorted(each["label"] for each in answer["sides"] if each["trials"] > 0)
        left = sorted({each["label"] for each in answer["sides"]} - set(ran))
        fleet = answer["comparisons"][0]["result"]
        equal((fleet["drain"], sorted(each["name"] for each in fleet["siblings"])), ([], ran), "siblings are those that were run")
        said = [each["message"] for each in answer["warnings"]]
        check(len(said) == 1 and re.match(r"\d nodes? not run, the budget was over: ", said[0]) and all(node in said[0] for node in left), f"{left}: {said}")
        root.write("last", "0\n")
        done = root.run("run", *words, "--", f"{root.path}/bench")
        check(done.returncode == 2 and done.stderr.startswith("plumbline: error: the budget was over when 1 of 5 nodes had been run, and "), done.stderr)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
finish()
