"""What the tests of the derived index do to a root, and what they look at in the database."""
import json

from harness import equal

# What two fillings of the index must agree in: everything but the numbers of rows.
CONTENT = {
    "entries": "SELECT family, measurement, slug, at, entry_sha256, tier, shape, format, value, unit, label, notes, git_commit, context"
               " FROM plumbline.entry_list ORDER BY 1, 2, 3",
    "words": "SELECT slug, measured, words, keys, points_left_out, encode(record, 'hex') FROM plumbline.entries ORDER BY 1",
    "points": "SELECT s.family, s.measurement, s.key, s.unit, s.direction, p.at, p.value, p.n, p.sd FROM plumbline.points p"
              " JOIN plumbline.series_list s USING (series_id) ORDER BY 1, 2, 3, 4, 6",
    "bundles": "SELECT * FROM plumbline.verdict_list ORDER BY 1, 2, 3",
    "accepted": "SELECT DISTINCT ON (family, measurement) * FROM plumbline.acceptance_list ORDER BY family, measurement, seq DESC",
}


def content(cluster, database):
    return {name: cluster.ask(sql, database) for name, sql in CONTENT.items()}


def record(root, value, gpu=None, index="off", family="f", measurement="m", **more):
    root.write("v.txt", f"{value}\n")
    words = ["record", "--family", family, "--measurement", measurement, "--source", root.path / "v.txt", "--unit", "ms", "--direction",
             "lower-is-better", "--index", index]
    for key, word in ({"context": f"hardware.gpu={gpu}"} if gpu else {}).items():
        words += [f"--{key}", word]
    for key, word in more.items():
        words += [f"--{key}", word]
    return root.json(*words)


def diff(root, gpu, index, *words, status=0):
    root.write("now.txt", "100\n")
    done = root.run("diff", "f/m", root.path / "now.txt", "--context", f"hardware.gpu={gpu}", "--no-bundle", "--index", index, "--json", *words)
    equal(done.returncode, status, f"diff for {gpu}: {done.stderr}")
    return json.loads(done.stdout) if status == 0 else done.stderr


def baseline_of(told):
    return told.get("baseline", {}).get("slug") or next((w["message"] for w in told["warnings"] if w["code"] == "baseline_not_accepted"), "")


def codes(told):
    return [warning["code"] for warning in told["warnings"]]


def maintain(root, action, index, *words, status=0, **more):
    done = root.run("index", action, "--index", index, "--repo-root", root.path, "--json", *words, **more)
    equal(done.returncode, status, f"index {action}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else done.stderr
