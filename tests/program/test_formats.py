#!/usr/bin/env python3
"""plumbline formats: everything by group within 80 columns, one format with the command that makes such a file and an example that is
really read, words, near misses, and JSON by its schema."""
import fcntl
import json
import os
import pathlib
import pty
import struct
import subprocess
import termios

import jsonschema

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish

SCHEMA = json.loads((SOURCE / "schemas" / "plumbline.result.formats.v1.json").read_text())
GROUPS = ["generic", "serving", "training", "harness", "hardware", "load", "system", "ci", "other-systems", "captures"]


def asked(root, *words):
    done = root.run("formats", *words, "--json")
    equal(done.returncode, 0, f"formats {words}: {done.stderr}")
    result = json.loads(done.stdout)
    jsonschema.validate(result, SCHEMA)
    return result


def names(result):
    return [one["name"] for one in result["formats"]]


def everything(root):
    result = asked(root)
    equal([group["name"] for group in result["groups"]], GROUPS, "groups in their order")
    equal(len(set(names(result))), result["count"], "each once")
    check(result["count"] > 100, "formats and captures")
    check("produce" not in result["formats"][0], "a list is short")
    text = root.run("formats").stdout
    for name in names(result):
        check(f"  {name}  " in text, f"{name} is in the list")


def width_of_a_terminal(root):
    """A list is wrapped where the terminal ends; commands stay whole, for they are copied."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen([PLUMBLINE, "formats"], stdout=follower, stderr=subprocess.DEVNULL, cwd=root.path,
                             env={**os.environ, "NO_COLOR": "1", "TERM": "xterm"})
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    equal(child.wait(), 0, "the list in a terminal")
    os.close(leader)
    lines = seen.decode().replace("\r\n", "\n").split("\n")
    check(len(lines) > 100, "all of it")
    equal([line for line in lines if len(line) > 80], [], "no line is longer than 80 columns")


def one_in_full(root):
    for name in names(asked(root)):
        one = asked(root, name)["formats"]
        equal([format["name"] for format in one], [name], "a name is that format")
        one = one[0]
        check(one["produce"] and one["recognised"], f"{name} says how it is made and recognised")
        if one["kind"] == "format":
            check(one["judged"] and one["key"] and one["trials"], f"{name} says what is judged")
            equal(one["example"] is None, one["file"] in {"folder", "binary, folder"}, f"{name} has an example if it is text")
        if one.get("example"):
            example = one["example"]
            seen = root.json("inspect", root.write(example["file_name"], example["text"]))
            equal((seen["format"]["name"], seen["row_count"]), (name, example["row_count"]), f"{name}: the example is read so")
    text = root.run("formats", "vllm-serve").stdout
    for part in ("vllm bench serve", "--save-result", "judged", "recognised", '"median_ttft_ms": 58.25', "What is read of it"):
        check(part in text, f"{part} is shown")


def words(root):
    equal(names(asked(root, "nccl")), ["nccl-tests", "nccl-tests-json"], "what is called so")
    check("\n2 formats; " in root.run("formats", "nccl").stdout, "how many there are")
    found = names(asked(root, "load", "test"))
    check({"wrk", "k6", "gatling", "pgbench"} <= set(found), f"load tests: {found}")
    equal(names(asked(root, "load test")), found, "one argument of two words")
    equal(names(asked(root, "LOAD", "Test")), found, "whatever the case")
    check("sglang-serving" in names(asked(root, "bench_serving")), "by title")
    check("rocpd" in names(asked(root, "--output-format rocpd".split()[-1])), "captures too")
    for group in ("hardware", "load", "captures"):
        equal({one["group"] for one in asked(root, group)["formats"]}, {group}, "a group's name is that group alone")
    check(names(asked(root, "target/criterion")), "what is said elsewhere of a format is looked through when no name has it")


def misses(root):
    for given, hint in ((["ncll-tests"], "plumbline formats nccl-tests"), (["vlm"], "plumbline formats vllm"),
                        (["laod", "test"], "plumbline formats load test")):
        done = root.run("formats", *given)
        equal(done.returncode, 2, f"{given}")
        check(f"did you mean `{hint}`?" in done.stderr, f"{given}: {done.stderr}")
    done = root.run("formats", "FlashInfer")
    equal(done.returncode, 2, "a tool without a reader")
    check("FlashInfer is not read: there was no real file of it" in done.stderr and "can print CSV" in done.stderr, done.stderr)
    done = root.run("formats", "qqqqqqqqqq\x1b[2J")
    equal(done.returncode, 2, "a word that is nowhere")
    check("`plumbline formats` lists them all" in done.stderr and "\x1b" not in done.stderr, done.stderr)


def needs_nothing(root):
    """Neither a registry nor a folder that can be written."""
    done = subprocess.run([PLUMBLINE, "formats", "csv"], cwd="/", capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr), (0, ""), "anywhere")
    check(not (pathlib.Path("/") / "experiments").exists(), "nothing is written")


with Root() as root:
    everything(root)
    width_of_a_terminal(root)
    one_in_full(root)
    words(root)
    misses(root)
    needs_nothing(root)
finish()
