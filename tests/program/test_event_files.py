#!/usr/bin/env python3
"""Event files of TensorBoard through the program: scalars of both generations, runs in folders, what is cut, damaged or lies."""
import struct

import event_files as tb
from harness import SOURCE, Root, check, equal, finish, warned

FIRST = tb.first()


def told(root, name, *more):
    answer = root.json("inspect", root.path / name, "--response-format", "detailed", *more)
    return answer, {row["key"]: row for row in answer["rows"]}


def values(answer_rows, key):
    return answer_rows[key].get("values") if key in answer_rows else None


def loss_run(*losses, tag="loss", start=1, time=1_700_000_000.0):
    return b"".join(tb.event(time + step, step, [tb.simple(tag, loss)]) for step, loss in enumerate(losses, start))


with Root() as root:
    root.write("run", tb.sample())
    fixture = SOURCE / "tests" / "formats" / "fixtures" / "tensorboard.tfevents"
    equal(fixture.read_bytes(), tb.sample(), "the fixture is what the writer writes")
    answer, found = told(root, "run")
    equal(answer["format"]["name"], "tensorboard", "told by content, whatever it is called")
    equal(values(found, "train/loss"), [struct.unpack("<f", struct.pack("<f", 4 / 6))[0]], "a loss is its last value")
    equal(found["train/loss"]["direction"], "lower-is-better", "and lower is better")
    equal(values(found, "perf/step_time_ms"), [252.5, 253.5, 254.5, 255.5, 256.5], "times are trials, without the one that warms up")
    equal((found["perf/step_time_ms"]["unit"], found["perf/step_time_ms"]["direction"]), ("ms", "lower-is-better"), "of its name")
    equal(values(found, "perf/tokens_per_second"), [4002.25, 4003.25, 4004.25, 4005.25, 4006.25], "rates are trials")
    equal((found["time/elapsed_s"]["role"], values(found, "time/elapsed_s")), ("context", [15.0]), "a time that never falls is a clock")
    equal((found["eval/accuracy"]["direction"], values(found, "eval/accuracy")), ("higher-is-better", [0.75]), "a tensor's float")
    equal(values(found, "eval/loss"), [0.6875], "a tensor's double")
    equal((found["last_step"]["role"], values(found, "last_step")), ("context", [6]), "the last step")
    equal(values(found, "logged_for"), [12.5], "seconds between the first event and the last")
    equal(found["train/learning_rate"]["role"], "context", "a name without a direction is context")
    messages = {warning["code"]: warning["message"] for warning in answer["warnings"]}
    equal(messages.get("unread_values"), "1 histogram left out: scalars are read", "what is no scalar is counted")
    equal(messages.get("warm_up"), 'the first value of "perf/step_time_ms" looks like warm-up and is no trial: 900 against a median '
          "of 254.5 in the rest; so it is with 1 other tag", "warm-up is said")

# Every type of number that a tensor may be of, wherever it stands.
with Root() as root:
    half = lambda value: struct.pack("<e", value)  # noqa: E731
    cases = {
        "a": (tb.FLOAT, tb.message(4, struct.pack("<f", 1.5)), 1.5),
        "b": (tb.FLOAT, tb.single(5, -2.5), -2.5),
        "c": (tb.FLOAT, tb.message(5, struct.pack("<f", 3.5)), 3.5),
        "d": (tb.DOUBLE, tb.double(6, 0.1), 0.1),
        "e": (tb.INT32, tb.number(7, -7), -7),
        "f": (tb.INT64, tb.message(10, tb.varint(1 << 40)), 1 << 40),
        "g": (tb.INT64, tb.message(4, struct.pack("<q", -9)), -9),
        "h": (tb.HALF, tb.message(4, half(0.333)), struct.unpack("<e", half(0.333))[0]),
        "i": (tb.HALF, tb.number(13, struct.unpack("<H", half(-6e-6))[0]), struct.unpack("<e", half(-6e-6))[0]),
        "j": (tb.BFLOAT16, tb.number(13, 0x3FC0), 1.5),
    }
    root.write("types", FIRST + b"".join(tb.event(1, 1, [tb.tensor(tag, kind, content)]) for tag, (kind, content, _) in cases.items()))
    _, found = told(root, "types")
    for tag, (_, _, wanted) in cases.items():
        equal(values(found, tag), [wanted], f"tensor {tag}")
    # A tag says its plugin once.
    said_once = tb.event(1, 1, [tb.tensor("x_ms", tb.FLOAT, tb.single(5, 5))]) + tb.event(2, 2, [tb.tensor("x_ms", tb.FLOAT, tb.single(5, 4.5), plugin="")])
    root.write("once", FIRST + said_once)
    equal(values(told(root, "once")[1], "x_ms"), [5, 4.5], "a tag's plugin holds for its later values")
    # What is no scalar: a text, a vector, a type without numbers, a tensor of no plugin.
    vector = tb.message(2, tb.number(1, 2))
    others = [tb.tensor("t", 7, tb.message(8, b"words"), plugin="text"), tb.tensor("v", tb.FLOAT, tb.message(4, bytes(8)), shape=vector),
              tb.tensor("n", tb.FLOAT, tb.single(5, 1), plugin=""), tb.image("i")]
    root.write("others", FIRST + tb.event(1, 1, others) + loss_run(1.5))
    answer, found = told(root, "others")
    equal(sorted(found), ["last_step", "logged_for", "loss"], "only the scalar is a row")
    equal([w["message"] for w in answer["warnings"]], ["1 image, 2 tensors and 1 value of another plugin left out: scalars are read"], "")
    root.write("none", FIRST + tb.event(1, 1, [tb.histogram("h"), tb.image("i")]))
    done = root.run("inspect", root.path / "none")
    check("no scalar in the event file, only 1 histogram and 1 image" in done.stderr and "add_scalar" in done.stderr, done.stderr)
    root.write("empty", FIRST)
    check("no scalar in the event file\n" in root.run("inspect", root.path / "empty").stderr.replace(" (", "\n("), "an empty run is refused")
    root.write("nan", FIRST + loss_run(1.5, float("nan")))
    equal(told(root, "nan")[1]["loss"]["state"], "not_finite", "a run that diverged says so")

# What is cut is told, what is damaged is refused.
with Root() as root:
    whole = FIRST + loss_run(3, 2, 1)
    size = len(loss_run(3))
    for kept, last in ((len(whole) - 1, 2), (len(whole) - size + 5, 2), (len(whole) - size - 3, 3)):
        root.write("cut", whole[:kept])
        answer, found = told(root, "cut")
        equal((values(found, "loss"), [w["code"] for w in answer["warnings"]]), ([last], ["run_incomplete"]), f"cut at {kept}")
    at = len(whole) - size
    equal(told(root, "cut")[0]["warnings"][0]["message"],
          f'the last record is cut off and was left out, in "cut, at byte {at - size} of {at - 3}": the writer was stopped, or is still running', "")
    root.write("cut", whole + bytes(4096))
    equal((values(told(root, "cut")[1], "loss"), warned(told(root, "cut")[0])), ([1], ["run_incomplete"]), "zeros where it was to grow")

    def refused(content, why):
        root.write("bad", content)
        done = root.run("inspect", root.path / "bad")
        check(done.returncode == 2 and why in done.stderr, f"{why}: {done.returncode} {done.stderr}")

    bent = bytearray(whole)
    bent[at - size + 20] ^= 1
    refused(bytes(bent), f"the event file is damaged: record 3, at byte {at - size}, is not what its checksum is of")
    bent = bytearray(whole)
    bent[at] ^= 1
    refused(bytes(bent), f"the event file is damaged: record 4, at byte {at}, has a length that its checksum is not of")
    huge = struct.pack("<Q", 1 << 62)
    refused(whole + huge + struct.pack("<I", tb.masked(huge)) + b"x", f"record 5, at byte {len(whole)}, says that it is {1 << 62} bytes long")
    # Lengths within messages that reach beyond them: the record is right, the event is none.
    lie = tb.record(tb.double(1, 1.0) + b"\x2a\xff\xff\xff\xff\x7f" + b"abc")
    root.write("lie", whole + lie)
    equal(warned(told(root, "lie")[0]), ["unread_events"], "a length within an event that reaches beyond it")
    # Not every file of such records has events: training data is none.
    refused(tb.record(b"\n\x07example"), "binary data (it starts with")

# Folders are runs, and files of one folder are one run.
with Root() as root:
    root.write("logs/train/events.out.tfevents.1700000000.host.1.0", FIRST + loss_run(4, 3, 2))
    root.write("logs/train/events.out.tfevents.1700000900.host.2.0", FIRST + loss_run(1.75, 1.5, start=3, time=1_700_000_900))
    root.write("logs/validation/events.out.tfevents.1700000001.host.1.1.v2", FIRST + loss_run(5, 4.5))
    root.write("logs/checkpoint", "model_checkpoint_path")
    root.write("logs/hparams.yaml", "lr: 0.1\n")
    answer, found = told(root, "logs")
    equal(answer["format"]["name"], "tensorboard", "a folder of event files")
    equal((values(found, "train.loss"), values(found, "validation.loss")), ([1.5], [4.5]), "a run is named by its folder")
    said = {warning["code"]: warning["message"] for warning in answer["warnings"]}
    equal(said.get("earlier_runs"), "1 value of steps that were done again after a restart was left out", "step 3 was done again")
    check(said.get("unread_file", "").startswith("2 files of 5 not read: "), f"what lies beside them is named: {said}")
    root.write("restart", FIRST + loss_run(30.0, 31.0, 20.0, tag="x_ms") + tb.session_start(1_700_000_050, 2) + loss_run(29.0, tag="x_ms", start=2))
    equal(values(told(root, "restart")[1], "x_ms"), [30, 29], "a session that starts at a step undoes what came behind it")

# Runs are trials, and half the speed does not pass.
with Root() as root:
    def run_of(factor, seed):
        steps = b"".join(tb.event(1 + step, step, [tb.simple("tokens_per_second", (4000 + (seed * 7 + step * 3) % 11) * factor)]) for step in range(1, 9))
        return FIRST + steps

    for side, factor in (("a", 1), ("b", 1), ("slow", 0.5)):
        for seed in range(3):
            root.write(f"{side}/run{seed}/events.out.tfevents.{1700000000 + seed}.{side}", run_of(factor, seed))
    same = root.json("diff", *[f for s in range(3) for f in ("--baseline", root.path / "a" / f"run{s}")],
                     *[f for s in range(3) for f in ("--current", root.path / "b" / f"run{s}")])
    equal((same["verdict"], same["trials"]["current"] if "trials" in same else None)[0], "GREEN", "three runs against three alike")
    slow = root.run("diff", *[f for s in range(3) for f in ("--baseline", root.path / "a" / f"run{s}")],
                    *[f for s in range(3) for f in ("--current", root.path / "slow" / f"run{s}")], "--strict", "--json")
    check(slow.returncode == 1 and '"RED"' in slow.stdout, f"half the speed is RED: {slow.stdout[:300]} {slow.stderr}")
finish()
