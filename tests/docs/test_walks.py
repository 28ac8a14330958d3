#!/usr/bin/env python3
"""The first-time walks of docs/walks.md, with what a newcomer has: the program, results of one's own, an empty folder in no git work
tree, and README. Each question has its answer after at most two commands, and README and docs/walks.md hold these commands."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PROGRAM = os.path.abspath(os.environ.get("PLUMBLINE") or os.path.join(SOURCE, "build", "release", "bin", "plumbline"))

# Who; the files that they have; what they type with its status; what the last answer begins with; the words of README that led there.
WALKS = (
    ("nobody yet", {}, (("plumbline demo", 0),), "38 small results of well-known tools", "`plumbline demo`"),
    ("operator", {"results": "examples/fleet"}, (("plumbline outliers results", 0),), 'RED (DRAFT) outliers of nccl-tests: 1 of 8 nodes', "plumbline outliers "),
    ("inference engineer", {"before.json": "examples/serving/vllm-before.json", "after.json": "examples/serving/vllm-after.json"},
     (("plumbline diff before.json after.json", 0),), "RED (DRAFT) adhoc / vllm-serve: 27 rows", "plumbline diff "),
    ("CI author", {"old.txt": "examples/code/go-main.txt", "new.txt": "examples/code/go-branch.txt"},
     (("plumbline diff old.txt new.txt --fail-on red --report md=comment.md", 1),), "RED (DRAFT) adhoc / go-bench", "--fail-on red --report md=comment.md"),
    ("reviewer", {"review": "BUNDLE"}, (("plumbline verify --recompute review", 0),), "digests match, unsigned", "plumbline verify --recompute review"),
)


def typed(command, folder):
    environment = {"PATH": f"{os.path.join(folder, 'bin')}:/usr/bin:/bin", "HOME": os.path.join(folder, "home"), "LANG": "C.UTF-8",
                   "TMPDIR": os.path.join(folder, "home")}
    done = subprocess.run(["bash", "-c", command], cwd=os.path.join(folder, "empty"), env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def walk(name, files, commands, begins, words, documents):
    found = []
    with tempfile.TemporaryDirectory(prefix="plumbline-walk-") as folder:
        for part in ("bin", "home", "empty"):
            os.mkdir(os.path.join(folder, part))
        os.symlink(PROGRAM, os.path.join(folder, "bin", "plumbline"))
        for to, given in files.items():
            target = os.path.join(folder, "empty", to)
            if given == "BUNDLE":
                sides = [os.path.join(SOURCE, "examples", "serving", f"vllm-{side}.json") for side in ("before", "after")]
                assert typed(f"plumbline diff {sides[0]} {sides[1]} --out {target}", folder)[0] == 0
            elif os.path.isdir(os.path.join(SOURCE, given)):
                shutil.copytree(os.path.join(SOURCE, given), target)
            else:
                shutil.copy(os.path.join(SOURCE, given), target)
        output = ""
        for command, status in commands:
            got, output, errors = typed(command, folder)
            if got != status:
                found.append(f"{name}: {command} ends with {got}, expected {status}: {errors}")
    if not output.startswith(begins):
        found.append(f"{name}: the answer does not begin with '{begins}':\n{output[:300]}")
    for document, text in documents.items():
        if not re.search(re.escape(words), text):
            found.append(f"{name}: {document} does not have '{words}'")
    found += [f"{name}: docs/walks.md does not have '{command}'" for command, _ in commands if command not in documents["docs/walks.md"]]
    return found + ([f"{name}: {len(commands)} commands"] if len(commands) > 2 else [])


def main():
    documents = {}
    for document in ("README.md", "docs/walks.md"):
        with open(os.path.join(SOURCE, document), encoding="utf-8") as file:
            documents[document] = file.read()
    wrong = walk("nobody", {}, (("plumbline inspect gone.json", 0),), "GREEN", "no such words", documents)
    assert len(wrong) == 5, wrong  # status, answer, words in both documents, command
    found = [problem for one in WALKS for problem in walk(*one, documents)]
    for problem in found:
        print(problem)
    print(f"walks: {len(WALKS)}, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
