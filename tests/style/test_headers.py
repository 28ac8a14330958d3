#!/usr/bin/env python3
"""Each header of ours compiles alone: whoever includes it needs nothing before it. A source file that includes its header first shows that
whenever it is compiled by itself, without precompiled headers: the presets asan, tsan and fuzz do that, and clang-tidy. So this test
compiles the headers that no source file includes first, and those changed since main (scripts/changed); with --all every header, which
scripts/check does. It first shows on made-up headers that it can fail. --list prints what would be compiled."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.environ.get("PLUMBLINE_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")))
ROOMS = "base core machine net configs schemas verdict formats systems profiles registry reports intake verbs server cli".split()
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def files_below(folders, ending):
    found = []
    for folder in folders:
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.relpath(os.path.join(place, name), ROOT) for name in names if name.endswith(ending)]
    return sorted(found)


def first_include(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found = INCLUDE.search(file.read())
    return found.group(1) if found else ""


def included_first(headers):
    """the headers that a source file includes first, and those that such a header itself includes first"""
    shown = set()
    for source in files_below(ROOMS + ["tests"], ".cpp"):
        header = first_include(source)
        while header in headers and header not in shown:
            shown.add(header)
            header = first_include(header)
    return shown


def changed(headers):
    done = subprocess.run([os.path.join(ROOT, "scripts", "changed"), "*.hpp"], capture_output=True, text=True, check=False)
    return set(done.stdout.split()) & headers if done.returncode == 0 else set()  # a copy without git has no changes


def fault_of(header, root=ROOT):
    """what the compiler says of the header alone, "" for nothing"""
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wfatal-errors", "-x", "c++", "-I", root, "-include", header, os.devnull]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def check_that_it_can_fail():
    with tempfile.TemporaryDirectory() as folder:
        for name, text, is_fine in (("lacks.hpp", "#pragma once\nstd::vector<int> all();\n", False),
                                    ("whole.hpp", "#pragma once\n#include <vector>\nstd::vector<int> all();\n", True)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            if (fault_of(name, folder) == "") != is_fine:
                sys.exit(f"the check does not tell a header that lacks an include from one that does not: {name}")


def main():
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        print("there is no compiler")
        sys.exit(77)
    check_that_it_can_fail()
    headers = set(files_below(ROOMS, ".hpp"))
    alone = sorted(headers if "--all" in sys.argv else (headers - included_first(headers)) | changed(headers))
    if "--list" in sys.argv:
        print("\n".join(alone))
        return
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, fault in zip(alone, pool.map(fault_of, alone)):
            if fault:
                bad += 1
                print(f"{header} does not compile alone:\n{fault}")
    print(f"style: {len(alone)} of {len(headers)} headers were compiled alone, {bad} of them do not")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
