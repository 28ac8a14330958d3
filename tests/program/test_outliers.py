#!/usr/bin/env python3
"""outliers through the program. Ten sibling logs of nccl-tests, five real ones of the samples and five made from them with 1 %
noise: one that is made 12 % slow is named, each of them in turn, and none is where none is, in 45 draws of 45. Then what else stands
in folders: failed nodes, other tests, repeated runs, hostile names, GPUs of one file, a fleet of last month."""
import json
import os
import random
import re

from harness import SAMPLES, Root, check, equal, finish, need_samples

need_samples("formats/nccl-tests")

LOGS = sorted((SAMPLES / "formats/nccl-tests").glob("xxrjun_single_nccl_N1_G8_cnode3-*.log"))
REAL = {path.stem.rsplit("_", 1)[-1]: path.read_text() for path in LOGS}
TABLE_LINE = re.compile(r"^\s+\d+\s+\d+\s+\w+\s")


def made(text, rng, noise, factor):
    """The log with every time and bandwidth scaled, each by its own noise."""
    lines = []
    for line in text.split("\n"):
        if TABLE_LINE.match(line):
            words = line.split()
            for first in (len(words) - 8, len(words) - 4):
                scale = factor * (1 + noise * rng.gauss(0, 1))
                for place, power in ((first, -1), (first + 1, 1), (first + 2, 1)):
                    words[place] = f"{float(words[place]) * scale ** power:.2f}"
            line = "  ".join(["", *words])
        lines.append(line)
    return "\n".join(lines)


def fleet(root, folder, seed, slow=None, loss=0.12):
    rng = random.Random(seed)
    logs = dict(REAL)
    for i, (name, text) in enumerate(REAL.items()):
        new = f"cnode3-{7 + i:03}"
        logs[new] = made(text, rng, 0.01, 1).replace(name, new)
    for name, text in logs.items():
        root.write(f"{folder}/nccl_{name}.log", made(text, rng, 0, 1 - loss) if name == slow else text)
    return sorted(logs)


def outliers(root, *arguments, **more):
    return root.json("outliers", *arguments, **more)


def test_the_slow_node_is_named_and_no_other():
    with Root() as root:
        names = fleet(root, "all", 0)
        equal(len(names), 10, "siblings")
        for seed, slow in enumerate(names, 1):
            fleet(root, f"slow{seed}", seed, slow)
            answer = outliers(root, f"slow{seed}", "--no-bundle", "--fail-on", "outlier", status=1)
            equal(answer["drain"], [slow], f"seed {seed}")
            equal(answer["verdict"], "RED", "verdict")
            equal(answer["reasons"][0]["code"], "outlier", "the reason")
            change = answer["siblings"][0]["classes"][0]["change_pct"]
            check(-13 < change < -11, f"{slow} changed by {change}")


def test_none_is_out_in_45_of_45_draws():
    with Root() as root:
        for seed in range(45):
            fleet(root, f"draw{seed}", 1000 + seed)
            answer = outliers(root, f"draw{seed}", "--no-bundle", "--fail-on", "outlier")
            equal((answer["verdict"], answer["drain"]), ("GREEN", []), f"draw {seed}")


def test_diff_as_nodes_gives_the_same():
    with Root() as root:
        names = fleet(root, "nodes", 5, "cnode3-004")
        by_folder = outliers(root, "nodes", "--no-bundle")
        files = [f"nodes/nccl_{name}.log" for name in names]
        for words in (["--as", "nodes", "nodes"], ["--as", "nodes", *files], [*files, "--as", "nodes"]):
            answer = root.json("diff", *words, "--no-bundle")
            equal((answer["verb"], answer["drain"], answer["verdict"]), ("outliers", by_folder["drain"], "RED"), " ".join(words[:2]))


def test_flags_of_diff_that_siblings_have_no_use_for_are_errors():
    with Root() as root:
        fleet(root, "nodes", 5)
        for flags, said in ((["--policy", "reference"], "--policy"), (["--tolerance-absolute", "3"], "--tolerance-absolute")):
            done = root.run("diff", "--as", "nodes", "nodes", "--no-bundle", *flags)
            equal((done.returncode, done.stderr.split("\n")[0]), (2, f"plumbline: error: {said} does not go with --as nodes"), said)
        done = root.run("diff", "--as", "nodes", "nodes", "--no-bundle", "--report", "csv")
        equal((done.returncode, done.stderr.split("\n")[0]), (2, 'plumbline: error: --report must be one of table, json and md, not "csv"'), "--report csv")


def test_rows_that_nobody_can_judge_are_an_error():
    with Root() as root:
        for i in range(4):
            root.write(f"n{i}.json", {"foo": 3.5 + i})
        done = root.run("outliers", "n0.json", "n1.json", "n2.json", "n3.json", "--no-bundle")
        equal((done.returncode, done.stderr.split("\n")[0]),
              (2, 'plumbline: error: nothing says which way is better of any row, like "foo"'), "error")
        answer = outliers(root, "n0.json", "n1.json", "n2.json", "n3.json", "--no-bundle", "--direction", "lower-is-better", "--tolerance-percent", "500")
        equal(answer["verdict"], "GREEN", "with a direction")


def test_another_workload_is_named():
    with Root() as root:
        for i in range(5):
            root.write(f"w/n{i}.json", {"context": {"workload": {"dtype": "fp8" if i == 3 else "bf16"}}, "busbw_GBps": 300.25 + i / 100})
        done = root.run("outliers", "w", "--no-bundle")
        equal((done.returncode, done.stderr.split("\n")[0]),
              (2, 'plumbline: error: siblings are results of one test: n3.json has workload.dtype "fp8" where others have "bf16"'), "error")
        check(root.run("outliers", "w", "--no-bundle", "--varying", "workload.dtype").returncode == 0, "declared")


def test_a_recorded_fleet_is_asked_again():
    with Root() as root:
        fleet(root, "october", 13, "cnode3-003")
        root.json("record", "--family", "nccl", "--measurement", "fleet", "--source", "october")
        answer = outliers(root, "nccl/fleet", "--repo-root", root.path)
        equal(answer["drain"], ["cnode3-003"], "the entry's fleet")
        check("/perf-baseline-diffs/nccl/fleet/" in answer["diff_dir"], answer["diff_dir"])
        fleet(root, "november", 13, "cnode3-006")
        answer = root.json("diff", "nccl/fleet", "november", "--no-bundle")
        check(any("cnode3-006" in reason["message"] for reason in answer["reasons"]), "diff against last month's names the node")


def test_known_noise_names_no_node():
    need = sorted((SAMPLES / "formats/mlperf-training").glob("*.txt"))
    if len(need) < 4:
        return
    with Root() as root:
        answer = outliers(root, *need, "--no-bundle")
        equal((answer["drain"], answer["siblings"][0]["state"]), ([], "doubtful"), "seeds of one machine")


def test_the_bundle_verifies_and_is_found():
    with Root() as root:
        fleet(root, "nodes", 6, "cnode3-005")
        answer = outliers(root, "nodes", "--repo-root", root.path)
        check("/perf-baseline-diffs/adhoc/outliers/" in answer["diff_dir"], answer["diff_dir"])
        equal(sorted(os.listdir(answer["diff_dir"])), ["SHA256SUMS", "outliers.html", "outliers.json", "outliers.md"], "files")
        equal(root.json("verify", answer["diff_dir"])["kind"], "bundle", "verify")
        found = root.json("search", "cnode3-005", "--verdict", "RED")
        equal(found["total"], 1, "search finds the bundle by the node's name")
        document = json.loads(open(os.path.join(answer["diff_dir"], "outliers.json"), encoding="utf-8").read())
        equal(len(document["sources"]), 10, "digests of the sources")
        equal([len(column["change_pct"]) for column in document["heatmap"]], [10] * 5, "a heatmap of five collectives")
        page = open(os.path.join(answer["diff_dir"], "outliers.html"), encoding="utf-8").read()
        check(page.count("<script") == 1 and "http" not in page.replace("http-equiv", ""), "the page needs nothing else")
        kept = outliers(root, "nodes", "--repo-root", root.path, "--family", "nccl", "--measurement", "fleet")
        check("/perf-baseline-diffs/nccl/fleet/" in kept["diff_dir"], kept["diff_dir"])


def test_drain_prints_commands_for_host_names_only():
    with Root() as root:
        for i in range(6):
            name = "bad;rm -rf $HOME" if i == 3 else f"n{i}"
            root.write(f"hosts/r{i}.json", {"context": {"environment": {"hostname": name}},
                                            "busbw_GBps": [300.25 + i, 301.5, 302.75 - i] if i not in (2, 3) else [200.5, 201.5, 200.75]})
        slurm = root.run("outliers", "hosts", "--no-bundle", "--drain", "slurm")
        lines = [line for line in slurm.stdout.split("\n") if line]
        check(all(re.fullmatch(r'scontrol update NodeName=[a-z0-9.-]+ State=DRAIN Reason="[A-Za-z0-9:.% -]+"', line) for line in lines), slurm.stdout)
        check("rm -rf" not in slurm.stdout, "a hostile name stands in no command")
        answer = outliers(root, "hosts", "--no-bundle", "--drain", "k8s")
        check(all(re.fullmatch(r"kubectl cordon [a-z0-9.-]+", line) for line in answer["drain_commands"]), answer["drain_commands"])


def test_a_node_without_a_result_is_named_failed():
    with Root() as root:
        fleet(root, "nodes", 7)
        root.write("nodes/nccl_cnode3-012.log", "nccl-tests: unhandled system error, see warnings above\n")
        root.write("nodes/README.md", "ten nodes\n")
        answer = outliers(root, "nodes", "--no-bundle")
        equal(answer["drain"], ["cnode3-012"], "the failed node")
        equal(answer["siblings"][0]["state"], "failed", "its state")
        check(any(w["code"] == "unread_file" and "README.md" in w["message"] for w in answer["warnings"]), "the README is said")


def test_files_of_another_test_are_an_error():
    with Root() as root:
        fleet(root, "nodes", 8)
        root.write("nodes/nccl_cnode3-099.log", json.dumps({"latency_ms": 3.5}))
        done = root.run("outliers", "nodes", "--no-bundle")
        equal(done.returncode, 2, "status")
        equal(done.stderr.split("\n")[0],
              "plumbline: error: siblings are results of one test: nccl_cnode3-099.log is generic-json, 10 others are nccl-tests", "error")


def test_errors_of_too_few():
    with Root() as root:
        root.write("one.json", {"busbw_GBps": 300.5})
        done = root.run("outliers", "one.json", "--no-bundle")
        equal((done.returncode, done.stderr.split("\n")[0]),
              (2, "plumbline: error: one file, and nothing in its rows tells siblings apart: one.json"), "one file")
        done = root.run("outliers", "--no-bundle")
        equal((done.returncode, done.stderr.split("\n")[0]), (2, "plumbline: error: the following arguments are required: --paths"), "none")
        for name in ("a1.log", "a2.log"):
            root.write(f"texts/{name}", "nothing that a tool writes\n")
        done = root.run("outliers", "texts", "--no-bundle")
        equal((done.returncode, done.stderr.split("\n")[0]),
              (2, 'plumbline: error: none of the 2 files gave a result; the first: a1.log: no format fits: the text starts with "nothing that '
                  'a tool writes"'), "a folder of texts")
        root.write("two.json", {"busbw_GBps": 200.5})
        answer = outliers(root, "one.json", "two.json", "--no-bundle")
        equal((answer["verdict"], answer["drain"], answer["reasons"][0]["code"]), ("YELLOW", [], "too_few_siblings"), "two files")


def test_runs_of_a_node_are_its_trials():
    with Root() as root:
        rng = random.Random(9)
        for node in range(4):
            for run in range(3):
                scale = (0.88 if node == 2 else 1) * (1 + 0.005 * rng.gauss(0, 1))
                root.write(f"fleet/node{node}/run{run}.json", {"all_reduce_GBps": round(300 * scale, 3), "alltoall_GBps": round(80 * scale, 3)})
        answer = outliers(root, "fleet", "--no-bundle")
        equal((answer["drain"], answer["tier"], answer["siblings"][0]["trials"]), (["node2"], "VERDICT", 3), "three runs a node")


def csv(rows):
    return "\n".join([",".join(rows[0])] + [",".join(str(row[key]) for key in rows[0]) for row in rows]) + "\n"


def test_gpus_and_pairs_of_one_file():
    with Root() as root:
        rng = random.Random(10)
        gpus = [{"gpu": g, "n": n, "tflops": round((600 if g == 3 else 700) * (1 + 0.003 * rng.gauss(0, 1)), 3)} for g in range(8) for n in (4096, 8192)]
        root.write("gpus.csv", csv(gpus))
        answer = outliers(root, "gpus.csv", "--no-bundle")
        equal((answer["sibling"], answer["drain"]), ("gpu", ["3"]), "the slow GPU")
        pairs = [{"src": f"c3-{a:03}", "dst": f"c3-{b:03}", "busbw_GBps": round((80 if 4 in (a, b) else 95) * (1 + 0.003 * rng.gauss(0, 1)), 3)}
                 for a in range(10) for b in range(a + 1, 10)]
        root.write("pairs.csv", csv(pairs))
        answer = outliers(root, "pairs.csv", "--no-bundle")
        equal((answer["pairs"], answer["drain"]), (True, ["c3-004"]), "the common end of the slow pairs")
        for a in range(6):
            for b in range(a + 1, 6):
                root.write(f"tests/c3-{a:03}_c3-{b:03}.json", {"busbw_GBps": round((80 if 2 in (a, b) else 95) * (1 + 0.003 * rng.gauss(0, 1)), 3)})
        answer = outliers(root, "tests", "--no-bundle")
        equal((answer["pairs"], answer["drain"]), (True, ["c3-002"]), "a file a pair")


def test_a_slow_switch_is_named_exactly():
    with Root() as root:
        rng = random.Random(11)
        for n in range(32):
            root.write(f"fleet/sw{n // 4}-n{n:02}.json", {"stream_GBps": round((880 if n // 4 == 6 else 1000) * (1 + 0.005 * rng.gauss(0, 1)), 3)})
        answer = outliers(root, "fleet", "--no-bundle")
        equal(sorted(answer["drain"]), [f"sw6-n{n:02}" for n in range(24, 28)], "4 of 32")
        equal([sorted(group["siblings"]) for group in answer["groups"]], [sorted(answer["drain"])], "what they have in common")


def test_hostile_names_stay_data():
    with Root() as root:
        for i in range(5):
            name = "Ignore all instructions\x1b[31m</td><script>" if i == 4 else f"n{i}"
            root.write(f"hosts/r{i}.json", {"context": {"environment": {"hostname": name}}, "busbw_GBps": 200.5 if i == 4 else 300.25 + i / 100})
        done = root.run("outliers", "hosts", "--repo-root", root.path)
        check("\x1b[31m" not in done.stdout, "no control codes reach the terminal")
        answer = outliers(root, "hosts", "--repo-root", root.path)
        page = open(os.path.join(answer["diff_dir"], "outliers.html"), encoding="utf-8").read()
        check(page.count("<script") == 1 and "</td>" not in page, "no markup reaches the page")


def test_a_fleet_is_recorded_and_compared_with_last_months():
    with Root() as root:
        fleet(root, "october", 12)
        fleet(root, "november", 12, "cnode3-008")
        answer = root.json("diff", "october", "november", "--no-bundle")
        failed = [case["case"] for case in answer["suite"]["cases"] if case["state"] == "failed"]
        equal(failed, ["nccl_cnode3-008"], "the node that changed")


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        test()
finish()
