#!/usr/bin/env python3
"""What a diff is told beside its files: which of two things a name means, context that files do not state, what may differ."""
import json

from harness import Root, check, codes, equal, finish, warned


def told(done):
    """The error and its hint, of a call that must have failed as a mistake of the caller."""
    equal(done.returncode, 2, "exit status")
    return done.stderr.rstrip("\n").removeprefix("plumbline: error: ").split("\nhint: ")


with Root() as root:
    # A name that means two things is asked, never chosen.
    value = root.write("v.json", {"busbw_GBps": 300.0})
    root.record(value, family="nccl", measurement="busbw")
    root.write("nccl/busbw/one.json", {"busbw_GBps": 300.0})
    equal(told(root.run("diff", "nccl/busbw", value)),
          ['"nccl/busbw" names a registered measurement and a folder here',
           "write ./nccl/busbw for the folder, nccl/busbw@newest (or @accepted, @SLUG) for the registry"], "both")
    equal(root.run("diff", "nccl/busbw@newest", value, "--no-bundle").returncode, 0, "the registry's")
    equal(root.run("diff", "./nccl/busbw/one.json", value, "--no-bundle").returncode, 0, "the path's")

    # Context that a file cannot say.
    numbers = [root.write(f"n{i}.txt", str(300 + i / 10)) for i in range(6)]
    said = ("--context", "environment.hostname=n1", "--context", "hardware.gpu=H200")
    root.record(numbers[0], "--trials", *numbers[1:3], "--direction", "higher-is-better", *said, family="n", measurement="x")
    sides = ("--baseline", "n/x", "--current", *numbers[3:], "--no-bundle")
    equal(root.json("diff", *sides)["tier"], "DRAFT", "numbers say nothing of their host")
    equal(root.json("diff", *sides, *said)["tier"], "VERDICT", "said, three trials a side make a VERDICT")
    sides = ("--baseline", *numbers[:3], "--current", *numbers[3:], "--no-bundle")
    context = json.loads(root.run("diff", *sides, *said, "--report", "json").stdout)["context"]
    equal((context["baseline"], context["differences"]), (context["current"], []), "files on both sides have it")
    gpu = root.write("gpu.json", {"busbw_GBps": 300.0, "gpu": "NVIDIA H100"})
    equal(told(root.run("diff", gpu, gpu, "--context", "hardware.gpu=NVIDIA H200")),
          ['--context hardware.gpu is "NVIDIA H200", but gpu.json says "NVIDIA H100"', "leave it out: what a file says of itself holds"],
          "a contradiction names both")

    # What was changed on purpose may differ while a name is resolved, too.
    root.record(gpu, family="v", measurement="x")
    changed = root.write("changed.json", {"busbw_GBps": 300.0, "gpu": "NVIDIA H200"})
    equal(told(root.run("diff", "v/x", changed))[0], "no baseline of v/x fits this context", "undeclared")
    result = root.json("diff", "v/x", changed, "--varying", "hardware.gpu", "--no-bundle")
    check("context_differs" not in codes(result), "declared")
    result = root.json("diff", gpu, changed, "--varying", "hardware.gpus", "--no-bundle")
    equal([w["message"] for w in result["warnings"] if w["code"] == "varying_unknown"],
          ['--varying "hardware.gpus": neither side states such a key; did you mean "hardware.gpu"?'], "a mistyped key")
    check("varying_unknown" not in warned(root.json("diff", gpu, gpu, "--varying", "hardware.gpu", "--no-bundle")), "a key that is stated")

# record holds what --context says against the file, as diff does.
with Root() as root:
    source = root.write("a.json", {"context": {"hardware": {"gpu": "NVIDIA A100"}}, "busbw_GBps": 300})
    bad = root.run("record", "--family", "f", "--measurement", "m", "--source", source, "--context", "hardware.gpu=H100")
    equal(bad.returncode, 2, "two GPUs")
    equal(bad.stderr.splitlines()[:2], ['plumbline: error: --context hardware.gpu is "H100", but a.json says "NVIDIA A100"',
                                        "hint: leave it out: what a file says of itself holds"], "both are named")
    check(not root.has_experiments(), "nothing was written")

finish()
