#!/usr/bin/env python3
"""docs/readers.md says of each reader with code of its own why it is no statement, and of no other file. Proves first that it can fail."""
import os
import re
import sys

SOURCE = os.path.abspath(os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GROUPS = ("ci", "hardware", "harness", "load", "serving", "system", "training")
SHARED = {"hardware/headlines"}  # a helper of readers, statements included


def text_of(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def coded():
    """readers that have code: those without a statement, and those with another way to read besides"""
    found = set()
    for group in GROUPS:
        for name in os.listdir(os.path.join(SOURCE, "formats", group)):
            path = f"{group}/{name.removesuffix('.cpp')}"
            if not name.endswith(".cpp") or path in SHARED:
                continue
            text = text_of(f"formats/{group}/{name}")
            if ".statement = " not in text or ".read = " in text:
                found.add(path)
    return found


def explained(page):
    """the names in the first column of the tables with reasons; a name without a folder is of the folder before it"""
    found, folder = set(), ""
    for line in page[page.index("## What a statement cannot say"):].splitlines():
        if not line.startswith("| `"):
            continue
        for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
            folder = name.split("/")[0] if "/" in name else folder
            found.add(f"{folder}/{name.split('/')[-1]}")
    return found


def problems(readers, page):
    named = explained(page)
    return [f"{path}: docs/readers.md does not say why it is code" for path in sorted(readers - named)] + [
        f"{path}: docs/readers.md explains it, and it is no reader with code" for path in sorted(named - readers)]


def main():
    page = text_of("docs/readers.md")
    assert len(problems(coded() | {"load/made_up"}, page)) == len(problems(coded(), page)) + 1
    assert len(problems(coded(), page + "\n| `load/made_up` | why |\n")) == len(problems(coded(), page)) + 1
    found = problems(coded(), page)
    print("\n".join([*found, f"readers: {len(coded())} with code, {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
