#!/usr/bin/env python3
"""Do two builds of the program answer alike? For refactorings, which must change nothing that anybody sees.

    tests/equivalence/compare_programs.py BEFORE AFTER [FOLDER…] [--allow FILE] [--all] [--jobs 2] [--only REGEX]

BEFORE and AFTER are built programs (B/bin/plumbline). FOLDER holds inputs; without one they are the samples
($PLUMBLINE_SAMPLES, else ../shared/samples beside the checkout), the cases beside them, and the fixtures and the readers' fuzzing
corpora of this tree. Each input is inspected with both programs. What BEFORE says it is decides whom it is paired with: itself, and its
neighbours of the same format, both ways round; captures with captures; folders with their siblings. Each pair is asked of both
programs (`diff`, for captures `profile-diff` too), and the exit status, what is printed and every text of the bundle must be the
same, after masking what must differ: slugs, today's times, temporary paths, digests of bundles, the version.

A difference that is intended gets a line in the allow-list (tests/equivalence/intended.txt): `REGEX -- REASON`. The regex is
searched in the line that this script prints for the difference. An entry that nothing needs any more is said.

Exit status: 0 alike, 1 different, 2 it could not be asked. Not part of CTest, for it needs an old program.
"""
import argparse
import collections
import concurrent.futures
import datetime
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
FEWEST_PAIRS = 300
LARGE = 20 << 20
LONGEST_ANSWER_S = 120
NOT_INPUTS = {"README.md", "SOURCES.tsv", "run"}  # beside the inputs, not of them
SHOWN_PER_PAIR = 6
READERS = ("format_readers", "json_reader", "delimited_reader", "capture_readers")  # of the corpora, those of measurements and captures
REFUSED = "refused"

Answer = collections.namedtuple("Answer", "status texts")  # texts: what it is called -> masked text
Question = collections.namedtuple("Question", "verb before after")


# --- inputs ---------------------------------------------------------------------------------------------------------------

def default_folders():
    samples = pathlib.Path(os.environ.get("PLUMBLINE_SAMPLES", SOURCE.parent / "shared" / "samples"))
    wanted = [samples, samples.parent / "cases", SOURCE / "tests/formats/fixtures", SOURCE / "tests/profiles/fixtures"]
    wanted += [SOURCE / "tests/fuzz/corpus" / reader for reader in READERS]
    return [folder for folder in wanted if folder.is_dir()]


def is_input(path, largest):
    return path.is_file() and path.name not in NOT_INPUTS and path.suffix != ".py" and path.stat().st_size <= largest


def inputs_below(folders, largest):
    """Files, and folders that hold at least two of them; sorted by the order of FOLDER, then by path."""
    files, inner = [], []
    for folder in folders:
        below = sorted(p for p in folder.rglob("*") if "__pycache__" not in p.parts)
        files += [p for p in below if is_input(p, largest)]
        inner += [p for p in below if p.is_dir() and sum(is_input(each, largest) for each in p.rglob("*")) >= 2]
    return files, inner


# --- asking ---------------------------------------------------------------------------------------------------------------

def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE"))}


def version_of(program):
    done = subprocess.run([program, "--version"], capture_output=True, text=True, env=environment())
    if done.returncode != 0:
        raise SystemExit(f"{program}: --version says {done.returncode}")
    return done.stdout.split()[-1]


class Program:
    def __init__(self, path):
        self.path = path
        self.version = re.escape(version_of(path))

    def ask(self, words, root):
        root.mkdir()
        words = [self.path, *words] + ([] if words[0] == "inspect" else ["--repo-root", str(root)])
        try:
            done = subprocess.run(words, capture_output=True, cwd=root, env=environment(), timeout=LONGEST_ANSWER_S)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, out, err = f"none in {LONGEST_ANSWER_S} s", b"", b""
        texts = {"stdout": out, "stderr": err}
        for path in sorted(root.rglob("*")):
            name = self.mask(path.relative_to(root).as_posix(), root)
            if path.is_file() and path.name != "SHA256SUMS" and "-snapshot" not in name and "/attest/" not in name:
                texts[name] = path.read_bytes()
        masked = {name: self.mask(text.decode("utf-8", "backslashreplace"), root) for name, text in texts.items()}
        # Digests of what holds a time differ; those of inputs stand in diff.json and are compared there.
        masked["stdout"] = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", masked["stdout"])
        subprocess.run(["chmod", "-R", "u+w", str(root)], check=False)
        shutil.rmtree(root, ignore_errors=True)
        return Answer(status, masked)

    def mask(self, text, root):
        text = text.replace(str(root), "ROOT")
        text = re.sub(r"\b20\d{6}T\d{6,12}Z\b", "SLUG", text)
        now = datetime.datetime.now(datetime.timezone.utc)
        for day in {now.date(), (now - datetime.timedelta(hours=1)).date()}:
            text = re.sub(rf"{day}[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", "NOW", text)
        return re.sub(rf"(plumbline[\"' ,:a-z{{}}]*?){self.version}", r"\1VERSION", text)


# --- pairs ----------------------------------------------------------------------------------------------------------------

def kind_of(inspected):
    """What BEFORE's inspect says: the format's name, and whether it is a capture; inputs it refuses are a kind of their own."""
    try:
        said = json.loads(inspected.texts["stdout"])
        return said["format"]["name"], said.get("shape") == "profile"
    except (ValueError, KeyError, TypeError):
        return REFUSED, False


def neighbours(group):
    for at, one in enumerate(group):
        yield one, one
        if at + 1 < len(group):
            yield one, group[at + 1]
            yield group[at + 1], one


def questions_of(files, inner, kinds):
    groups, captures, siblings = collections.defaultdict(list), [], collections.defaultdict(list)
    for path in files:
        name, is_capture = kinds[path]
        (captures if is_capture else groups[name]).append(path)
    for path in inner:
        siblings[path.parent].append(path)
    asked = [Question("diff", path, path) for path in groups.pop(REFUSED, [])]  # one refusal says it: no neighbours
    asked += [Question("diff", a, b) for name in sorted(groups) for a, b in neighbours(groups[name])]
    asked += [Question("diff", a, b) for parent in sorted(siblings) for a, b in neighbours(siblings[parent])]
    for a, b in neighbours(captures):
        asked += [Question("diff", a, b), Question("profile-diff", a, b)]
    return asked


def words_of(question):
    if question.verb == "profile-diff":
        return ["profile-diff", "--baseline", str(question.before), "--candidate", str(question.after)]
    return [question.verb, str(question.before), str(question.after)]


# --- differences ----------------------------------------------------------------------------------------------------------

def short(value, longest=160):
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= longest else text[:longest] + f"… ({len(text)} characters)"


def value_differences(where, before, after):
    if type(before) is type(after) and isinstance(before, dict):
        for key in [*before, *(k for k in after if k not in before)]:
            if key not in before or key not in after:
                yield f"{where}.{key}: {short(before[key]) if key in before else 'absent'} -> " \
                      f"{short(after[key]) if key in after else 'absent'}"
            else:
                yield from value_differences(f"{where}.{key}", before[key], after[key])
    elif type(before) is type(after) and isinstance(before, list) and len(before) == len(after):
        for at, (one, other) in enumerate(zip(before, after)):
            yield from value_differences(f"{where}[{at}]", one, other)
    elif before != after or type(before) is not type(after):
        yield f"{where}: {short(before)} -> {short(after)}"


def line_differences(before, after):
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0):
        if line[:3] not in ("---", "+++") and line[:2] != "@@":
            yield short(line)


def parsed(name, text):
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text)


def text_differences(name, before, after):
    if before == after:
        return
    try:
        found = list(value_differences("", parsed(name, before), parsed(name, after)))
        yield from found or ["the same values are written differently"]
    except ValueError:
        yield from line_differences(before, after)


def differences(before, after):
    if before.status != after.status:
        yield f"exit status: {before.status} -> {after.status}"
    for name in sorted(set(before.texts) | set(after.texts)):
        shown = name.rsplit("/", 1)[-1]
        if name not in before.texts or name not in after.texts:
            yield f"{name}: {'written by BEFORE only' if name in before.texts else 'written by AFTER only'}"
        else:
            for found in text_differences(name, before.texts[name], after.texts[name]):
                yield f"{shown}: {found}"


class Intended:
    """The allow-list; counts what each entry excused."""

    def __init__(self, path):
        self.entries = []
        for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
            if not line.strip() or line.startswith("#"):
                continue
            pattern, _, reason = line.partition(" -- ")
            if not reason.strip():
                raise SystemExit(f"{path}:{number}: no reason; write REGEX -- REASON")
            self.entries.append((re.compile(pattern.strip()), reason.strip()))
        self.used = collections.Counter()

    def excuses(self, line):
        for pattern, _ in self.entries:
            if pattern.search(line):
                self.used[pattern.pattern] += 1
                return True
        return False

    def print_use(self):
        for pattern, reason in self.entries:
            print(f"intended, {self.used[pattern.pattern]} times: {pattern.pattern} ({reason})")


# --- the run --------------------------------------------------------------------------------------------------------------

class Run:
    def __init__(self, before, after, scratch, jobs):
        self.before, self.after, self.scratch, self.jobs = before, after, pathlib.Path(scratch), jobs

    def both(self, number, words):
        # Roots of one length: what fits a budget must not depend on whose turn it is.
        return (self.before.ask(words, self.scratch / f"{number}b"), self.after.ask(words, self.scratch / f"{number}a"))

    def all_of(self, list_of_words):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            yield from pool.map(self.both, range(len(list_of_words)), list_of_words)


def shown_of(path, folders):
    for folder in folders:
        if path.is_relative_to(folder):
            return f"{folder.name}/{path.relative_to(folder)}"
    return str(path)


def report(label, found, intended):
    unexpected = [line for line in (f"{label} | {each}" for each in found) if not intended.excuses(line)]
    for line in unexpected[:SHOWN_PER_PAIR]:
        print(line)
    if len(unexpected) > SHOWN_PER_PAIR:
        print(f"{label} | … and {len(unexpected) - SHOWN_PER_PAIR} more")
    return bool(unexpected)


def arguments():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("before", type=pathlib.Path)
    reader.add_argument("after", type=pathlib.Path)
    reader.add_argument("folders", nargs="*", type=pathlib.Path)
    reader.add_argument("--allow", type=pathlib.Path, default=HERE / "intended.txt")
    reader.add_argument("--all", action="store_true", help=f"files of more than {LARGE >> 20} MiB too")
    reader.add_argument("--jobs", type=int, default=2)
    reader.add_argument("--only", type=re.compile, default=re.compile(""), help="of the pairs, those whose line matches")
    return reader.parse_args()


def main():
    asked = arguments()
    folders = [folder.resolve() for folder in asked.folders] or default_folders()
    files, inner = inputs_below(folders, (1 << 62) if asked.all else LARGE)
    intended = Intended(asked.allow)
    different = 0
    with tempfile.TemporaryDirectory(prefix="plumbline-alike-") as scratch:
        run = Run(Program(asked.before.resolve()), Program(asked.after.resolve()), scratch, asked.jobs)
        kinds = {}
        for path, (before, after) in zip(files, run.all_of([["inspect", str(path), "--json"] for path in files])):
            kinds[path] = kind_of(before)
            different += report(f"inspect {shown_of(path, folders)}", differences(before, after), intended)
        questions = [(f"{q.verb} {shown_of(q.before, folders)} {shown_of(q.after, folders)}", q)
                     for q in questions_of(files, inner, kinds)]
        if len(questions) < FEWEST_PAIRS and not asked.folders:
            print(f"only {len(questions)} pairs, wanted {FEWEST_PAIRS}: are the samples there?")
            return 2
        questions = [each for each in questions if asked.only.search(each[0])]
        verdicts = collections.Counter()
        for (label, _), (before, after) in zip(questions, run.all_of([words_of(q) for _, q in questions])):
            verdicts[before.status] += 1
            different += report(label, differences(before, after), intended)
    intended.print_use()
    statuses = ", ".join(f"{count} with status {status}" for status, count in sorted(verdicts.items(), key=str))
    print(f"{len(files)} inputs inspected, {len(questions)} pairs asked ({statuses}): {different} answered differently")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
