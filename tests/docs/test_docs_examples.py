#!/usr/bin/env python3
"""Runs every command of the documents: lines that start with "$ " in ```console blocks of README.md and docs/**/*.md, in
order, one temporary folder per document with a copy of examples and scripts/demo-data in it and the built program on PATH. HOME is an
empty folder. A command must end with status 0, or with the one noted: a line "<!-- exit 0 1 -->" above the block has one for each command;
in pages to look things up in (not in NEWCOMERS') it may stand behind the command instead ("# exit 2"). A line that ends with a backslash
goes on in the next, which starts with two blanks.
What is shown as printed must be what is printed: other lines of a console block by the command above them, a ```text block directly
behind a console block by one of the commands of that block. VARYING says what may differ, and "…" is anything: within a line any
text, alone on a line any lines. Usage: test_docs_examples.py [FILE.md…]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

NOTED = re.compile(r"\s+#\s*exit (\d+)\s*$")
STATUSES = re.compile(r"<!-- exit ([\d ]+) -->")
# What is copied from these pages into a shell must be commands and nothing else.
NEWCOMERS = re.compile(r"README\.md|docs/(tutorials/.*|cookbook|install|first-verdict|review|walks|agents)\.md")
MOST_LINES_OF_README = 199
SECONDS_PER_COMMAND = 120


# What differs from run to run, and is shown as one run had it.
VARYING = (
    r"\d{8}T\d{12}Z",  # the time in the name of a bundle or an entry
    r"\b[0-9a-f]{12,64}\b",  # a digest
)


class Example:
    """a command of a document, with the status and the output that the document shows of it"""

    def __init__(self, number, command):
        noted = NOTED.search(command)
        self.number = number
        self.command = NOTED.sub("", command)
        self.noted = bool(noted)
        self.status = int(noted.group(1)) if noted else 0
        self.shown = []
        self.printed = ""


class Block:
    """a console block: its examples, and the text block behind it"""

    def __init__(self):
        self.examples = []
        self.text = []
        self.text_line = 0


def examples_of(lines, first):
    """the examples of the lines of one console block, of which the first has the number given"""
    found, pending = [], None
    for number, line in enumerate(lines, first):
        if pending is not None:
            assert line.startswith("  "), f"line {number}: the continuation of a command starts with two blanks"
            start, so_far = pending
            line, number = so_far + line[2:], start
        elif line.startswith("$ "):
            line = line[2:]
        else:
            assert found, f"line {number}: output before the first command"
            found[-1].shown.append(line)
            continue
        pending = (number, line[:-1]) if line.endswith("\\") else None
        if pending is None:
            found.append(Example(number, line))
    assert pending is None, f"line {first}: a command ends with a backslash and is not continued"
    return found


def blocks_of(text):
    blocks, behind = [], None  # behind: the console block whose fence was the last line that is not empty
    statuses = None  # those of the line above
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        kind = lines[at].strip()
        if not kind.startswith("```"):
            behind = behind if not kind else None
            said = STATUSES.fullmatch(kind)
            statuses = [int(one) for one in said.group(1).split()] if said else None
            at += 1
            continue
        end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == "```"), len(lines))
        inner, first, previous, behind = lines[at + 1 : end], at + 2, behind, None
        if kind == "```console":
            behind = Block()
            behind.examples = examples_of(inner, first)
            if statuses is not None:
                assert len(statuses) == len(behind.examples), f"line {at}: {len(statuses)} statuses for {len(behind.examples)} commands"
                for example, status in zip(behind.examples, statuses):
                    example.status = status
            blocks.append(behind)
        elif kind == "```text" and previous is not None:
            previous.text, previous.text_line = inner, first
        statuses = None
        at = end + 1
    return blocks


def copied(text):
    """what is no command for a shell in the lines that one copies"""
    found = []
    for block in blocks_of(text):
        for example in block.examples:
            if example.noted:
                found.append((example.number, f"a status is noted in what one copies; write it above the block: <!-- exit … -->: {example.command}"))
            if re.match(r"(export )?HOME=", example.command):
                found.append((example.number, f"a variable of tests is in what one copies: {example.command}"))
    return found


def pattern_of(shown):
    """a regular expression for output that the lines show"""
    def of_line(line):
        parts = re.split("(…|" + "|".join(VARYING) + ")", line.rstrip())
        return "".join(next((f"(?:{kind})" for kind in VARYING if re.fullmatch(kind, part)), r"[^\n]*" if part == "…" else re.escape(part))
                       for part in parts)

    return "".join(r"(?:[^\n]*\n)*?" if line.strip() == "…" else of_line(line) + r"[ ]*\n" for line in shown)


def is_printed(shown, printed):
    return re.fullmatch(pattern_of(shown), printed.strip("\n") + "\n") is not None


def self_test():
    text = "\n".join(["```console", "$ true", "output", "$ false  # exit 1", "$ echo a \\", "  b", "```", "", "```text", "ab", "```", "```sh", "$ rm x",
                      "```", "$ no", "```text", "not behind a console block", "```", "<!-- exit 0 3 -->", "```console", "$ true", "$ exit 3", "```"])
    block, other = blocks_of(text)
    assert [(example.command, example.status) for example in other.examples] == [("true", 0), ("exit 3", 3)], other.examples
    assert [number for number, _ in copied(text + "\n```console\n$ HOME=$PWD x\n```")] == [4, 25], text
    told = [(example.number, example.command, example.status, example.shown) for example in block.examples]
    assert told == [(2, "true", 0, ["output"]), (4, "false", 1, []), (5, "echo a b", 0, [])], told
    assert block.text == ["ab"] and block.text_line == 10, (block.text, block.text_line)
    printed = "RED  …ly\n  took 3.2 ms\n  a (b)\n  c\nbundle /tmp/x/20261120T180943137487Z\n"
    assert is_printed(["RED  …ly", "  took … ms", "  …", "bundle …/20250101T000000000000Z"], printed)
    assert is_printed(["RED  …", "  took … ms", "  a (b)", "  c", "bundle …"], printed)
    for wrong in (["RED  …ly", "  took … ms"], ["GREEN…", "…"], ["RED  …ly", "  took 17 ms", "  a (b)", "  c", "bundle …"], ["…", "bundle …/x"], []):
        assert not is_printed(wrong, printed), wrong


def run_example(example, folder, environment):
    """what is wrong with it, or None"""
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", example.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=SECONDS_PER_COMMAND, check=False)
        status, example.printed = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, example.printed = "none", f"not finished after {SECONDS_PER_COMMAND} s"
    if status != example.status:
        return f"exit {status}, expected {example.status}: {example.command}\n{example.printed}"
    if example.shown and not is_printed(example.shown, example.printed):
        return f"shown is not what is printed by: {example.command}\n{example.printed}"
    return None


def run_document(path, shown, source, program):
    """how many commands and outputs there are, and how many are wrong"""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    blocks = blocks_of(text)
    commands = outputs = failures = 0
    for number, problem in copied(text) if NEWCOMERS.fullmatch(shown) else ():
        failures += 1
        print(f"{shown}:{number}: {problem}")
    if shown == "README.md" and text.count("\n") > MOST_LINES_OF_README:
        failures += 1
        print(f"README.md has {text.count(chr(10))} lines, at most {MOST_LINES_OF_README} are read")
    with tempfile.TemporaryDirectory(prefix="plumbline-docs-") as folder:
        for given in ("examples", os.path.join("scripts", "demo-data")):
            shutil.copytree(os.path.join(source, given), os.path.join(folder, given))
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE", "GIT_"))}
        environment["PATH"] = os.path.dirname(program) + os.pathsep + environment.get("PATH", "")
        environment["PLUMBLINE_ROOT"] = folder
        # Settings of whoever runs this are neither read nor written.
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
            environment.pop(name, None)
        for name, inner in (("TMPDIR", "tmp"), ("HOME", "home")):
            environment[name] = os.path.join(folder, inner)
            os.mkdir(environment[name])
        for block in blocks:
            commands += len(block.examples)
            outputs += sum(bool(example.shown) for example in block.examples) + bool(block.text)
            problems = [(example.number, run_example(example, folder, environment)) for example in block.examples]
            if block.text and not any(is_printed(block.text, example.printed) for example in block.examples):
                printed = "\n".join(f"$ {example.command}\n{example.printed}" for example in block.examples)
                problems.append((block.text_line, f"none of the commands above prints what is shown:\n{printed}"))
            for number, problem in problems:
                if problem:
                    failures += 1
                    print(f"{shown}:{number}: {problem}")
    return commands, outputs, failures


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
    told = [run_document(document, os.path.relpath(document, source), source, os.path.abspath(program)) for document in documents]
    commands, outputs, failed = (sum(counts) for counts in zip(*told))
    print(f"docs: {commands} commands and {outputs} outputs in {len(documents)} documents, {failed} failed")
    return 1 if failed or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
