#!/usr/bin/env python3
"""Runs every command of the documents: lines that start with "$ " in ```console blocks of README.md and docs/**/*.md, in
order, one temporary folder per document with a copy of scripts/demo-data in it and the built program on PATH. A command must end with status 0,
or with the one noted behind it ("# exit 1"). A line that ends with a backslash goes on in the next, which starts with "> ".
Lines without "$ " are output and not compared. Usage: test_docs_examples.py [FILE.md…]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

NOTED = re.compile(r"\s+#\s*exit (\d+)\s*$")
SECONDS_PER_COMMAND = 120


def commands_of(text):
    """(line number, command, expected status) of every console block."""
    found, inside, pending = [], False, None
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            assert pending is None, f"line {number}: a command ends with a backslash and is not continued"
            inside = not inside and line.strip() == "```console"
            continue
        if not inside:
            continue
        if pending is not None:
            assert line.startswith("> "), f"line {number}: the continuation of a command starts with '> '"
            start, so_far = pending
            line, number = so_far + line[2:], start
        elif line.startswith("$ "):
            line = line[2:]
        else:
            continue
        if line.endswith("\\"):
            pending = (number, line[:-1])
            continue
        pending = None
        noted = NOTED.search(line)
        found.append((number, NOTED.sub("", line), int(noted.group(1)) if noted else 0))
    return found


def self_test():
    text = "\n".join(["```console", "$ true", "output", "$ false  # exit 1", "$ echo a \\", "> b", "```", "```sh", "$ rm x", "```", "$ no"])
    assert commands_of(text) == [(2, "true", 0), (4, "false", 1), (5, "echo a b", 0)], commands_of(text)


def run_document(path, shown, source, program):
    failures = 0
    with open(path, encoding="utf-8") as file:
        commands = commands_of(file.read())
    if not commands:
        return 0, 0
    with tempfile.TemporaryDirectory(prefix="plumbline-docs-") as folder:
        shutil.copytree(os.path.join(source, "scripts", "demo-data"), os.path.join(folder, "scripts", "demo-data"))
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE", "GIT_"))}
        environment["PATH"] = os.path.dirname(program) + os.pathsep + environment.get("PATH", "")
        environment["PLUMBLINE_ROOT"] = folder
        for number, command, expected in commands:
            try:
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, errors="replace", timeout=SECONDS_PER_COMMAND, check=False)
                status, output = done.returncode, done.stdout + done.stderr
            except subprocess.TimeoutExpired:
                status, output = "none", f"not finished after {SECONDS_PER_COMMAND} s"
            if status != expected:
                failures += 1
                print(f"{shown}:{number}: exit {status}, expected {expected}: {command}\n{output}")
    return len(commands), failures


def main():
    self_test()
    source = os.path.abspath(os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    program = os.environ.get("PLUMBLINE") or os.path.join(source, "build", "release", "bin", "plumbline")
    if not os.access(program, os.X_OK):
        print(f"the program is not built: {program}")
        return 1
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    if not version.startswith("plumbline "):
        print(f"{program} is not the program: --version says {version!r}")
        return 1
    documents = [os.path.abspath(path) for path in sys.argv[1:]] or [os.path.join(source, "README.md")] + sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(source, "docs")) for name in names if name.endswith(".md"))
    total = failed = 0
    for document in documents:
        count, failures = run_document(document, os.path.relpath(document, source), source, os.path.abspath(program))
        total, failed = total + count, failed + failures
    print(f"docs: {total} commands in {len(documents)} documents, {failed} failed")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
