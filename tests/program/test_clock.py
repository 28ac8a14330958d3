#!/usr/bin/env python3
"""A clock that was set back: an entry whose time lies in the future, and entries that were registered after it with earlier times."""
import datetime
import json

from harness import Root, check, equal, finish, warned


def said(result):
    return [w["message"] for w in result["warnings"] if w["code"] == "clock_set_back"]


with Root() as root:
    root.write("a.json", {"ttft_ms": 10.0})
    root.write("b.json", {"ttft_ms": 20.0})
    first = root.record("a.json")
    equal(said(first), [], "a first entry")
    # As a clock three hours ahead would have registered it.
    ahead = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=3, minutes=30)
    slug = ahead.strftime("%Y%m%dT%H%M%S%fZ")
    folder = root.path / "experiments/artifacts/perf-baselines/f/m"
    (folder / first["slug"]).rename(folder / slug)

    for reference in ("f/m", "f/m@newest"):
        result = root.diff(reference, "b.json", "--no-bundle")
        messages = said(result)
        equal(len(messages), 1, f"{reference}: {warned(result)}")
        start = f"the newest entry of f/m, {slug}, lies 3 h "
        check(messages[0].startswith(start) and messages[0].endswith("f/m@SLUG chooses an entry whatever the clock says"),
              f"{reference}: {messages}")
    equal(said(root.diff(f"f/m@{slug}", "b.json", "--no-bundle")), [], "an entry that was named")
    equal(len(said(root.json("history", "--family", "f", "--measurement", "m"))), 1, "history says so, too")

    second = root.record("b.json")
    messages = said(second)
    check(len(messages) == 1 and messages[0].endswith("f/m@newest stays that one until then; accept this entry, or name it by its slug"),
          f"record says that it sorts behind: {messages}")
    equal(json.loads((folder / second["slug"] / "baseline.json").read_text())["supersedes"], slug, "what it came after")
    result = root.diff("f/m", "b.json", "--no-bundle")
    check(result["verdict"] != "GREEN", "time alone decides, as the contract has it: it is compared with the entry of the wrong clock")
    check(said(result)[0].endswith(f"{slug} was taken for the newest; the one registered last is f/m@{second['slug']}"),
          f"but not in silence: {said(result)}")
    done = root.run("diff", "f/m", "b.json", "--no-bundle")
    check("a clock was set back" in " ".join(done.stdout.split()), f"a person sees it: {done.stdout} {done.stderr}")

    accepted = root.json("accept", f"f/m@{second['slug']}", "--reason", "the clock was wrong")
    equal(said(accepted), [], "an acceptance names its entry")
    result = root.diff("f/m", "b.json", "--no-bundle")
    equal((said(result), result["verdict"]), ([], "GREEN"), "then no clock is asked")

finish()
