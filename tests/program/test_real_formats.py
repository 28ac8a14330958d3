#!/usr/bin/env python3
"""Real results of many tools: every value, unit and number of trials against a parser that was written without knowledge of the
reader (tests/formats/independent), then one file of each format made worse by half, which must not pass.

The real files belong to others and are not kept here: PLUMBLINE_REAL_FILES names a folder that holds them anywhere, and they are
known by the digests in tests/formats/real_files.tsv. Without it only our own fixtures are made worse. The column `format` is the
reader that has to take the file by its content; "refused" where the file holds no result, "-" where no reader is meant for it.
"""
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import sys

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish, rows

INDEPENDENT = SOURCE / "tests" / "formats" / "independent"
FIXTURES = SOURCE / "tests" / "formats" / "fixtures" / "stated"
sys.path.insert(0, str(INDEPENDENT))
from compare import differences, inspected, rows_of_parser, rows_of_program  # noqa: E402

LARGEST = 100_000  # bytes of a file that is made worse: several rounds are needed
PARSERS = {path.stem: str(path) for path in INDEPENDENT.glob("*/*.py")}


def real_files():
    """(kind, format, path) of those that are here."""
    folder = os.environ.get("PLUMBLINE_REAL_FILES")
    with open(SOURCE / "tests" / "formats" / "real_files.tsv", newline="", encoding="utf-8") as table:
        listed = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    if not folder:
        print(f"skipped: {len(listed)} real files (PLUMBLINE_REAL_FILES names a folder that holds them)")
        return []
    here = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in pathlib.Path(folder).rglob("*") if path.is_file()}
    found = [(row["kind"], row["format"], here[row["sha256"]]) for row in listed if row["sha256"] in here]
    if len(found) < len(listed):
        print(f"skipped: {len(listed) - len(found)} of {len(listed)} real files, which are not in that folder")
    return found


def compare_with_parser(kind, wanted, path):
    """How many values were compared."""
    if wanted == "refused":
        answer, error = inspected(PLUMBLINE, str(path))
        check(answer is None, f"{kind}/{path.name} holds no result, and was read")
        check(error or answer, f"{kind}/{path.name}: an error says why")
        return 0
    mine = rows_of_parser(PARSERS[kind], str(path)) if kind in PARSERS else {}
    theirs, said = rows_of_program(PLUMBLINE, str(path), mine)
    if theirs is None:
        check(False, f"{kind}/{path.name} is refused: {said}")
        return 0
    equal(said, wanted, f"{kind}/{path.name}")
    for difference in list(differences(mine, theirs))[:5]:
        check(False, f"{kind}/{path.name}: {difference}")
    failed = sum(row["state"] == "failed" for row in theirs.values())
    check(not mine or failed < len(mine), f"{kind}/{path.name}: every value failed")
    return len(mine)


# ---- made worse ----

NUMBER = r"(?<![A-Za-z_.\d])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
GROUPED = r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?"
SCALES = (1, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9, 100, 1024, 1024**2, 1024**3, 1 / 1024)


def candidates(value, tokens):
    """Tokens that print the value, in its own unit first."""
    for scale in SCALES:
        for at, number in tokens:
            if math.isclose(number * scale, value, rel_tol=1e-9):
                yield at


def worse(text, direction):
    """The number of the text, worse by half, with as many decimals as it had, and two at least where it had any."""
    plain = text.replace(",", "")
    value = float(plain) * (1.5 if direction == "lower-is-better" else 1 / 1.5)
    if "e" in plain.lower():
        return f"{value:.9e}"
    decimals = len(plain.partition(".")[2])
    return f"{value:.{max(decimals, 2)}f}" if decimals else str(max(round(value), 1))


def judged(root, path):
    """(key, trial) -> (value, direction) of what is compared and is no gate."""
    done = root.run("diff", "--baseline", path, "--current", path, "--json")
    if not done.stdout:
        return done.stderr, {}
    told = json.loads(done.stdout)
    found = {}
    for key, row in rows(told).items():
        if row["state"] != "unchanged" or row["gate"] or row["direction"] not in ("lower-is-better", "higher-is-better"):
            continue
        values = [row["baseline"]]
        if row["n_baseline"] > 1:
            answer, _ = inspected(PLUMBLINE, str(path), key)
            values = next((one["values"] for one in answer["rows"] if one["key"] == key), values)
        for trial, value in enumerate(values):
            if value:
                found[key, trial] = (value, row["direction"])
    return told["verdict"], found


def made_worse(root, path):
    """Replaces the printed numbers, looks what became of the rows, and tries the next place where a value is printed for rows that
    did not move. Returns the verdict of the file against itself and against the worse one, and what of the rows did not move."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    own, values = judged(root, path)
    spans = [found.span() for found in re.finditer(NUMBER if path.suffix == ".csv" else f"{GROUPED}|{NUMBER}", text)]
    tokens = [(at, float(text[begin:end].replace(",", ""))) for at, (begin, end) in enumerate(spans)]
    places = {name: list(dict.fromkeys(candidates(value, tokens))) for name, (value, _) in values.items()}
    file = root.write("worse" + path.suffix, "")
    moved, still = {}, list(values)
    for attempt in range(20):
        changes = {at: values[name][1] for name, at in moved.items()}
        tried, before = {}, collections.Counter()  # equal values are printed in the order of their rows, or the last one counts
        for name in still:
            free = [at for at in places[name] if at not in changes]
            if free:
                order = before[values[name][0]] + attempt // 2
                tried[name] = free[(order if attempt % 2 == 0 else -1 - order) % len(free)]
                before[values[name][0]] += 1
                changes[tried[name]] = values[name][1]
        made, behind = [], 0
        for at in sorted(changes):
            begin, end = spans[at]
            made += [text[behind:begin], worse(text[begin:end], changes[at])]
            behind = end
        file.write_text("".join(made) + text[behind:], encoding="utf-8", errors="surrogateescape")
        done = root.run("diff", "--baseline", path, "--current", file, "--strict", "--json")
        if not done.stdout:
            return own, "refused: " + done.stderr.partition("\n")[0], list(values)
        told = json.loads(done.stdout)
        after = rows(told)
        still = [name for name in values if after.get(name[0], {}).get("state") != "regressed"]
        if not still or all(not places[name] for name in still):
            break
        moved.update({name: at for name, at in tried.items() if name not in still})
        moved = {name: at for name, at in moved.items() if name not in still}
    check(done.returncode != 0 or not values, f"{path.name} made worse by half passes --strict")
    return own, told["verdict"], still


# ---- run ----

# A comparison that cannot fail proves nothing: one changed value, unit or trial of the parser's rows is found.
SAMPLE = str(FIXTURES / "apache-bench.txt")
good = rows_of_parser(PARSERS["ab"], SAMPLE)
theirs, _ = rows_of_program(PLUMBLINE, SAMPLE, good)
check(len(good) > 20, f"the parser reads the fixture: {len(good)} rows")
equal(list(differences(good, theirs)), [], "the fixture agrees")
name = "requests_per_second"
for what, changed in (("value", {"trials": [good[name]["trials"][0] * 1.000001]}), ("unit", {"unit": "req/min"}),
                      ("trials", {"trials": good[name]["trials"] * 2})):
    found = list(differences({**good, name: {**good[name], **changed}}, theirs))
    check(len(found) == 1 and found[0].startswith(f"{what}: {name} "), f"a changed {what} is found: {found}")
check(list(differences({**good, "no_such_row": good[name]}, theirs))[0].startswith("missing: "), "a missing row is found")

REAL = real_files()
compared = collections.Counter()
files = collections.Counter()
for kind, wanted, path in REAL:
    if wanted != "-":
        compared[kind] += compare_with_parser(kind, wanted, path)
        files[kind] += 1
for kind, count in sorted(compared.items()):
    print(f"{kind}: {files[kind]} files, {count} values")

BY_FORMAT = {}
for path in sorted(FIXTURES.iterdir()):
    if path.suffix != ".listing" and "failed" not in path.name:
        BY_FORMAT.setdefault(path.name.partition(".")[0], path)
FORMATS = set(BY_FORMAT)
for kind, wanted, path in sorted(REAL, key=lambda one: one[2].stat().st_size):
    if wanted in FORMATS and BY_FORMAT[wanted].parent == FIXTURES and path.stat().st_size < LARGEST:
        with Root() as root:
            if any(judged(root, path)[1]):
                BY_FORMAT[wanted] = path
check(len(BY_FORMAT) >= 30, f"{len(BY_FORMAT)} formats")
for name, path in sorted(BY_FORMAT.items()):
    with Root() as root:
        own, verdict, still = made_worse(root, path)
        check(own != "RED" or path.parent == FIXTURES, f"{name}: {path.name} against itself is RED")  # some of ours hold a failed check
        check(verdict != "GREEN", f"{name}: {path.name} made worse by half is GREEN")
        equal(still, [], f"{name}: rows of {path.name} that did not get worse ({verdict})")
finish()
