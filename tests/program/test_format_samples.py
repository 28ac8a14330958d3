#!/usr/bin/env python3
"""Real files of real tools, through `inspect`: each is recognised as what it is, by one format alone, with the rows it had before.
Skipped without the sample folder. --update writes the golden, which holds names and counts and nothing of the files."""
import collections
import json
import re
import sys

from harness import SAMPLES, SOURCE, Root, check, equal, finish, need_samples

GOLDEN = SOURCE / "tests/formats/samples.golden.json"
FOLDERS = ("formats", "bench-envelopes", "msmodeling", "tensorsharp", "vllm")
# What takes any file of its shape. A file that one of these wins has no reader of its own: those are named here.
LOOSE = {"generic-json", "csv", "markdown-table", "key-value", "scalar-text"}
WITHOUT_READER = re.compile(r"""
    ^formats/SOURCES\.tsv$                  # the list of where the samples come from
  | /envelope\.v1\.schema\.json$           # a schema, no measurement
  | ^bench-envelopes/outputs/.*             # what that tool printed: the wanted output, not an input
  | ^tensorsharp/results\.csv$             # a table whose columns say what they are; that system compares its JSON
  | ^tensorsharp/derived/.*findings\.json$ # wanted output
  | ^formats/criterion/.*_benchmark\.json$ # criterion's names beside its estimates: no measurement
""", re.VERBOSE)

need_samples(*FOLDERS)


def seen(root, path):
    done = root.run("inspect", path, "--json", "--response-format", "detailed")
    if done.returncode != 0:
        check(done.returncode == 2, f"{path}: exit {done.returncode}: {done.stderr}")
        return {"error": True}, None
    result = json.loads(done.stdout)
    roles = collections.Counter(row["role"] for row in result["rows"])
    return {
        "format": result["format"]["name"],
        "shape": result["shape"],
        "rows": result["row_count"],
        "roles": dict(sorted(roles.items())),  # of the rows that are shown
        "headline": result["headline"],
    }, result["format"]


def score_of(runner_up):
    match = re.search(r"\(([0-9.]+)\)$", runner_up or "")
    return float(match.group(1)) if match else 0.0


found = {}
with Root() as root:
    for folder in FOLDERS:
        for path in sorted((SAMPLES / folder).rglob("*")):
            if not path.is_file():
                continue
            name = path.relative_to(SAMPLES).as_posix()
            found[name], how = seen(root, path)
            if how is None:
                continue
            check(round(how["confidence"], 2) > score_of(how["runner_up"]),
                  f"{name}: {how['name']} ({how['confidence']}) and {how['runner_up']} both claim it")
            check(how["name"] not in LOOSE or WITHOUT_READER.search(name), f"{name} fell to {how['name']}")

if "--update" in sys.argv:
    GOLDEN.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    print(f"wrote {GOLDEN}")
    finish()

golden = json.loads(GOLDEN.read_text())
equal(sorted(set(found) ^ set(golden)), [], "files that are only in the golden or only in the folder")
for name in sorted(set(found) & set(golden)):
    equal(found[name], golden[name], name)
finish()
