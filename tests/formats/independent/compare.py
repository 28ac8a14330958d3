#!/usr/bin/env python3
"""compare.py PROGRAM PARSER FILE…: holds what PROGRAM reads of files against one of these parsers.

A row of the parser must be a row of the program with the same values and unit; the program may have more rows. Of a run that failed
as a whole the program has no values, so none are compared. Prints what is missing or different and exits with 1 if anything is.
"""
import json
import math
import os
import pathlib
import subprocess
import sys


def rows_of_parser(parser, file):
    """By name; what is printed again under one name are trials."""
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)}
    done = subprocess.run([sys.executable, parser, file], capture_output=True, text=True, check=False, env=environment)
    rows = {}
    for row in map(json.loads, done.stdout.splitlines()):
        known = rows.setdefault(name_of(row["key"], row["metric"]), {**row, "trials": []})
        known["trials"] += row["trials"]
    return rows


def name_of(key, metric):
    return f"{key}.{metric}" if key else metric


def inspected(program, file, key=None):
    """What the program says of the file, or the text of its error; nothing where no key matches."""
    command = [program, "inspect", file, "--json", "--response-format", "detailed", *(["--key", key] if key else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.stdout:
        return json.loads(done.stdout), ""
    return None, "" if "no key matches" in done.stderr else done.stderr.partition("\n")[0]


def rows_of_program(program, file, wanted=None):
    """The rows by name and the format. Answers are cut at a size: then each metric is asked for, or each name. `wanted`: rows of a
    parser, which say what these are."""
    answer, error = inspected(program, file)
    if answer is None:
        return None, error
    rows = {row["key"]: row for row in answer["rows"]}
    cut = answer.get("rows_omitted")
    for metric in sorted({row["metric"] for row in wanted.values()}) if cut and wanted else ():
        of_metric, _ = inspected(program, file, "*" + metric)
        rows.update({row["key"]: row for row in (of_metric or {}).get("rows", [])})
        if (of_metric or {}).get("rows_omitted"):
            for name in wanted:
                if name.endswith(metric) and name not in rows:
                    rows.update({row["key"]: row for row in (inspected(program, file, name)[0] or {}).get("rows", [])})
    return rows, answer["format"]["name"]


def sorted_dims(name):
    """"all[b=1,a=2].x" as "all[a=2,b=1].x": the order of dimensions is the program's own affair."""
    opened, closed = name.find("["), name.rfind("]")
    if opened < 0 or closed < opened:
        return name
    return name[:opened + 1] + ",".join(sorted(name[opened + 1:closed].split(","))) + name[closed:]


def same(mine, theirs):
    return len(mine) == len(theirs) and all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in zip(mine, theirs))


def differences(mine, theirs):
    theirs = {sorted_dims(name): row for name, row in theirs.items()}
    for name, row in mine.items():
        other = theirs.get(sorted_dims(name))
        if other is None:
            yield f"missing: {name} = {row['trials'][:3]} {row['unit']}"
        elif other["state"] == "failed":
            continue
        elif other["trials"] != len(row["trials"]):
            yield f"trials: {name} has {len(row['trials'])}, program says {other['trials']}"
        elif not same(row["trials"][:len(other.get("values") or [])], other.get("values") or []):
            yield f"value: {name} is {row['trials'][:3]} {row['unit']}, program says {(other.get('values') or [])[:3]} {other.get('unit')}"
        elif (other.get("unit") or "") != row["unit"]:
            yield f"unit: {name} is in {row['unit'] or 'none'}, program says {other.get('unit') or 'none'}"


def main(program, parser, files):
    wrong = 0
    for file in files:
        mine = rows_of_parser(parser, file)
        theirs, said = rows_of_program(program, file, mine)
        found = [f"not read: {said}"] if theirs is None else list(differences(mine, theirs))
        print(f"{pathlib.Path(file).name}: {said if theirs is not None else 'refused'}, {len(mine)} rows, {len(found)} different")
        for line in found[:20]:
            print("  " + line)
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
