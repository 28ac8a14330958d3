#!/usr/bin/env python3
"""history through the program: level changes, drift that no diff of neighbours shows, noise floors key by key and what diff makes
of them, and DRAFTs that a later VERDICT overturned."""
from harness import Root, check, equal, finish


def record(root, measurement, content, *more):
    path = root.write("in.json", content) if isinstance(content, dict) else root.write("in.txt", str(content))
    return root.json("record", "--family", "f", "--measurement", measurement, "--source", path, *more)


def scalars(root, measurement, values, *more):
    return [record(root, measurement, v, "--unit", "ms", "--direction", "lower-is-better", *more) for v in values]


def drift():
    with Root() as root:
        entries = scalars(root, "steps", [100, 99, 98.01, 97.03, 96.06, 95.1])
        seen = root.json("history", "f/steps")
        equal(seen["drift"]["unseen"], True, "five steps of -1 % are a drift")
        equal(seen["drift"]["text"], "-4.9% in 5 steps of about -1%, none beyond the tolerance of 5%: no diff of two neighbours "
              "shows it", "the sentence")
        equal(seen["drift"]["from"], entries[0]["slug"], "from the oldest")
        codes = {w["code"]: w["message"] for w in seen["warnings"]}
        check(codes.get("drift_unseen", "").endswith(f"`plumbline diff --initial f/steps@{entries[0]['slug']}` does"), f"{codes}")
        equal(seen["change_points"], [], "a drift of six entries is no change of level")
        check(abs(seen["noise_floor_pct"]) < 0.1, f"a steady drift is no noise: {seen['noise_floor_pct']}")
        text = root.run("history", "f/steps").stdout
        check("values      █▇▅▄▂▁ 95.1 to 100 ms\n" in text, text)
        five = scalars(root, "five", [100, 104, 108.16, 112.486, 116.986])
        told = root.json("history", "f/five")
        equal(told["drift"]["unseen"], True, "four steps of +4 % are one of +17 %")
        check(any(w["code"] == "drift_unseen" and five[0]["slug"] in w["message"] for w in told["warnings"]), f"{told['warnings']}")
        scalars(root, "small", [100, 101, 102, 103, 104.9])
        equal(root.json("history", "f/small")["drift"]["unseen"], False, "five in order, and less than the tolerance together")
        scalars(root, "bound", [100, 101, 102, 103, 105])
        equal(root.json("history", "f/bound")["drift"]["unseen"], True, "as much as the tolerance")
        scalars(root, "jump", [100, 100.2, 99.9, 94, 94.1, 93.9])
        equal(root.json("history", "f/jump")["drift"]["unseen"], False, "a step that one diff shows is none")


def change_points():
    with Root() as root:
        values = [100 + (i * 7 % 5) / 4 + (12 if i >= 9 else 0) for i in range(18)]
        entries = scalars(root, "level", values)
        seen = root.json("history", "f/level")
        equal([p["slug"] for p in seen["change_points"]], [entries[9]["slug"]], "where the level changed")
        point = seen["change_points"][0]
        check(abs(point["change_pct"] - 12) < 1 and point["p"] <= 0.01, f"{point}")
        check(not any(w["code"] == "change_points_not_computed" for w in seen["warnings"]), "they are computed")
        equal(root.json("history", "f/level", "--tolerance-percent", "20")["change_points"], [], "smaller ones do not count")
        text = root.run("history", "f/level").stdout
        check("level changed" in text and f" from {entries[9]['slug']} on, p" in text, text)


def structured():
    with Root() as root:
        noisy = [1.0, 1.2, 0.95, 1.22, 0.9, 1.18]
        for i in range(6):
            record(root, "keys", {"decode_latency_ms": 10 + i / 100, "prefill_latency_ms": 50 * noisy[i]})
        seen = root.json("history", "f/keys")
        floors = {k["key"]: k["noise_floor_pct"] for k in seen["keys"]}
        check(floors["decode_latency_ms"] < 1 and floors["prefill_latency_ms"] > 50, f"{floors}")
        one = root.json("history", "f/keys", "--key", "prefill*")
        equal([k["key"] for k in one["keys"]], ["prefill_latency_ms"], "the key asked for")
        equal([e["value"] for e in one["entries"]], [50 * n for n in noisy], "its values stand in the list")
        wrong = root.run("history", "f/keys", "--key", "prefil_latency_ms")
        equal(wrong.returncode, 2, "an unknown key")
        check('did you mean "prefill_latency_ms"?' in wrong.stderr, wrong.stderr)

        # Beyond tolerance: of the quiet key a regression, of the noisy one doubt, as long as its history holds such values; the
        # tolerance is the same for both.
        def diff(content):
            path = root.write("now.json", content)
            return root.json("diff", "f/keys", path, "--headline", "*", "--no-bundle")

        quiet = diff({"decode_latency_ms": 12, "prefill_latency_ms": 59})
        equal(quiet["verdict"], "RED", "a quiet key")
        noisy_key = diff({"decode_latency_ms": 10.05, "prefill_latency_ms": 63})
        equal(noisy_key["verdict"], "YELLOW", "a noisy key is capped")
        check(any("nois" in r["code"] for r in noisy_key["reasons"]), f"and says so: {noisy_key['reasons']}")
        equal(noisy_key["tolerance_percent"], 5, "the tolerance is not widened")
        outside = diff({"decode_latency_ms": 10.05, "prefill_latency_ms": 71})
        equal(outside["verdict"], "RED", "outside of all that was ever seen")
        check("outside of all" in outside["reasons"][0]["message"], f"and says so: {outside['reasons']}")


def superseded():
    with Root() as root:
        def run(name, latency):
            return root.write(name, {"decode_latency_ms": latency, "environment": {"hostname": "n1"}})

        trials = [run(f"b{i}.json", 10 + i / 50) for i in range(5)]
        root.json("record", "--family", "f", "--measurement", "pair", "--source", trials[0], "--trials", *trials[1:])
        slow = run("c0.json", 11.5)
        more = [run(f"c{i}.json", 10 + i / 60) for i in range(1, 6)]
        draft = root.json("diff", "f/pair", slow)
        equal((draft["verdict"], draft["tier"]), ("RED", "DRAFT"), "one slow run of the only row")
        verdict = root.json("diff", "f/pair", slow, *more)
        draft_slug, verdict_slug = draft["diff_dir"].split("/")[-1], verdict["diff_dir"].split("/")[-1]
        published = (root.path / draft["diff_dir"] / "diff.json").read_text()
        history = {d["slug"]: d for d in root.json("history", "f/pair")["diffs"]}
        hits = {h["slug"]: h for h in root.json("search", "--family", "f")["hits"]}
        equal((verdict["verdict"], verdict["tier"]), ("GREEN", "VERDICT"), f"six runs, the slow one among them: {verdict.get('promote')}")
        equal(history[draft_slug]["superseded_by"], verdict_slug, "history")
        equal(hits[draft_slug].get("superseded_by"), verdict_slug, "search")
        check(f"superseded by {verdict_slug}" in root.run("history", "f/pair", env={"COLUMNS": "120"}).stdout, "history's table")
        check(f"superseded by {verdict_slug}" in root.run("search", "--family", "f").stdout, "search's table")
        equal(history[verdict_slug]["superseded_by"], None, "the VERDICT stands")
        equal((root.path / draft["diff_dir"] / "diff.json").read_text(), published, "nothing published is changed")


drift()
change_points()
structured()
superseded()
finish()
