"""What the independent parsers share: how a row is printed, and the names of points. Standard library only.

A parser finds it by PYTHONPATH: `PYTHONPATH=tests/formats/independent python3 tests/formats/independent/system/ab.py FILE`.
"""
import json
import math
import re
import sys

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def number(text):
    """The number that a text starts with ("12.5ms", "1,234"), or None."""
    found = re.match(NUMBER, str(text).strip().replace(",", ""))
    return float(found.group()) if found else None


def point(subject, **dims):
    """subject[dim=value,…]; dims without a value are left out."""
    shown = ",".join(f"{name}={value}" for name, value in dims.items() if value not in (None, ""))
    return f"{subject}[{shown}]" if shown else subject


def section(count):
    """The dimension of the run of that number, from 1, in a file of several: the first has none."""
    return str(count) if count > 1 else None


def emit(key, metric, unit, *trials):
    values = [value for value in trials if value is not None and math.isfinite(value)]
    if values:
        print(json.dumps({"key": key, "metric": metric, "unit": unit, "trials": values}, ensure_ascii=False))


def text():
    """The file that the command line names, without a byte order mark or terminal colours."""
    with open(sys.argv[1], encoding="utf-8-sig", errors="replace") as file:
        return re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", file.read())


def lines():
    return text().splitlines()
