#!/usr/bin/env python3
"""Since when a measurement is RED: in the answer, the bundle and the history; what ends it, and what it costs to ask."""
import datetime
import json
import os
import re

from harness import Root, check, equal, finish

NOW = datetime.datetime.now(datetime.timezone.utc)
BEFORE, SLOW, FINE = {"decode_ms": 10.0}, {"decode_ms": 13.0}, {"decode_ms": 10.1}


def day(ago):
    return (NOW - datetime.timedelta(days=ago)).date().isoformat()


def diffs_of(root):
    return root.path / "experiments/artifacts/perf-baseline-diffs/f/m"


def dated(root, result, ago):
    """The bundle as if it had been made so many days ago."""
    slug = (NOW - datetime.timedelta(days=ago)).strftime("%Y%m%dT%H%M%S") + os.path.basename(result["diff_dir"])[-7:]
    os.rename(result["diff_dir"], diffs_of(root) / slug)
    return slug


def compared(root, values, *more):
    root.write("new.json", values)
    return root.diff("f/m", "new.json", "--headline", "decode_ms", *more)


with Root() as root:
    root.record(root.write("before.json", BEFORE))
    first = compared(root, SLOW)
    equal((first["verdict"], first["red"]), ("RED", {"since": day(0), "first": None, "diffs": 1, "days": 0, "older": False}), "the first")
    check("previous_verdict" not in first, "nothing was before it")
    slug = dated(root, first, 6)
    equal(compared(root, FINE, "--no-bundle")["previous_verdict"], "RED", "the one before")
    second = compared(root, SLOW)
    equal(second["red"], {"since": day(6), "first": slug, "diffs": 2, "days": 6, "older": False}, "the second")
    told = json.load(open(os.path.join(second["diff_dir"], "diff.json")))
    equal((told["red"], told["previous_verdict"]), (second["red"], "RED"), "diff.json")
    sentence = f"RED for 6 days (2 diffs), since {day(6)}"
    check(f"**{sentence}.**" in open(os.path.join(second["diff_dir"], "diff.md")).read(), "diff.md")
    check(sentence in open(os.path.join(second["diff_dir"], "diff.html")).read(), "the page")
    root.write("new.json", SLOW)
    text = root.run("diff", "f/m", "new.json", "--headline", "decode_ms", "--no-bundle").stdout
    check(f"RED for 6 days (3 diffs), since {day(6)}" in re.sub(r"\s+", " ", text), text)
    history = root.json("history", "f/m")
    equal(history["red"], {"since": day(6), "first": slug, "diffs": 2, "days": 6, "older": False}, "history")
    check(sentence in root.run("history", "f/m").stdout, "and its table")

    # A diff that is not RED ends it; the next RED is the first of a new one.
    fine = compared(root, FINE)
    check("red" not in fine and "red" not in root.json("history", "f/m"), "GREEN is no streak")
    again = compared(root, SLOW)
    equal((again["red"]["diffs"], again["red"]["since"], again["previous_verdict"]), (1, day(0), "GREEN"), "a new one")

# A bundle that cannot be read says nothing; files that are in no registry have none before them; bundles of older versions,
# which do not say since when, are counted.
with Root() as root:
    root.record(root.write("before.json", BEFORE))
    slugs = []
    for ago in (9, 8, 7):
        result = compared(root, SLOW)
        path = os.path.join(result["diff_dir"], "diff.json")
        document = json.load(open(path))
        document.pop("red")
        open(path, "w").write(json.dumps(document))
        slugs.append(dated(root, result, ago))
    os.mkdir(diffs_of(root) / (NOW - datetime.timedelta(days=5)).strftime("%Y%m%dT%H%M%S000000Z"))
    equal(compared(root, SLOW)["red"], {"since": day(9), "first": slugs[0], "diffs": 4, "days": 9, "older": False}, "counted one by one")
    root.write("old.json", BEFORE)
    check("red" not in root.diff("old.json", "new.json", "--headline", "decode_ms"), "files have no line")

# What a bundle says of those before it is believed only where it is what a diff writes.
with Root() as root:
    root.record(root.write("before.json", BEFORE))
    result = compared(root, SLOW)
    path = os.path.join(result["diff_dir"], "diff.json")
    for red in ({"since": "soon", "first": None, "diffs": 3}, {"since": day(3), "first": "../../x", "diffs": 3}, {"since": day(3), "first": None, "diffs": -1}, 7):
        document = json.load(open(path))
        document["red"] = red
        open(path, "w").write(json.dumps(document))
        equal(compared(root, SLOW, "--no-bundle")["red"]["diffs"], 2, f"not believed: {red}")

# At most a hundred are looked into, whatever there is: with more than that it says so.
with Root() as root:
    root.record(root.write("before.json", BEFORE))
    result = compared(root, SLOW)
    document = json.load(open(os.path.join(result["diff_dir"], "diff.json")))
    document.pop("red")
    for i in range(150):
        folder = diffs_of(root) / (NOW - datetime.timedelta(days=200 - i)).strftime("%Y%m%dT%H%M%S000000Z")
        folder.mkdir()
        (folder / "diff.json").write_text(json.dumps(document))
    document["red"] = {"since": day(300), "first": None, "diffs": 1, "days": 0, "older": False}
    told = root.json("history", "f/m")["red"]
    equal((told["older"], told["diffs"]), (False, 1), "the newest says of itself that it is the first")
    path = os.path.join(result["diff_dir"], "diff.json")
    plain = json.load(open(path))
    plain.pop("red")
    open(path, "w").write(json.dumps(plain))
    told = root.json("history", "f/m")["red"]
    equal((told["older"], told["diffs"]), (True, 100), "bounded")
    check("RED for at least" in root.run("history", "f/m").stdout and "100 diffs or more" in root.run("history", "f/m").stdout, "and said")

finish()
