#!/usr/bin/env python3
"""What the program tells of itself: its version and parts, its pages, its manual, and what shells may complete. test_lints.py has shells
and readers of manuals look at them."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish

PROGRAM = str(pathlib.Path(PLUMBLINE).resolve())
DATA = pathlib.Path(SOURCE) / "scripts/demo-data"


def run(*words, status=0, **more):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, **more)
    equal(done.returncode, status, f"exit status of {words}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr


def offered(*words, root=None):
    lines = run("completions", "--words", *words, cwd=root).splitlines()
    return [line for line in lines if line.startswith(":")], [line.split("\t")[0] for line in lines if not line.startswith(":")]


def versions():
    plain = run("--version")
    check(re.fullmatch(r"plumbline \d+\.\d+\.\d+\n", plain), f"--version: {plain!r}")
    equal(run("version"), plain, "the command says the same")
    about = json.loads(run("--version", "--json"))
    equal(json.loads(run("--json", "version")), about, "--json in front")
    equal(about["version"], plain.split()[1], "version")
    check(about["commit"] is None or re.fullmatch("[0-9a-f]{40,64}", about["commit"]), "the commit is whole")
    for key in ("compiler", "target", "build", "linking", "c_library", "license"):
        check(about[key], f"{key} is said")
    names = [part["name"] for part in about["parts"]]
    stated = [line.split("|")[0] for line in (pathlib.Path(SOURCE) / "cmake/parts.txt").read_text().splitlines() if not line.startswith("#")]
    equal(names, stated, "the parts are those of the table")
    if about["linking"] == "shared" and shutil.which("ldd"):
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        known = {"OpenSSL": "libcrypto", "SQLite": "libsqlite3", "fmt": "libfmt", "simdjson": "libsimdjson", "ISA-L": "libisal", "yaml-cpp": "libyaml-cpp",
                 "Zstandard": "libzstd", "liblzma": "liblzma", "bzip2": "libbz2", "zlib": "libz", "Nettle": "libnettle", "libstdc++": "libstdc++",
                 "glibc": "libc"}
        libraries = set(re.findall(r"^\s*(lib[a-z0-9+-]*?)(?:-[0-9.]+)?\.so", needed, re.M)) - {"libssl", "libgcc_s", "libm", "libdl", "libpthread"}
        equal({library for library in libraries if library not in known.values()}, set(), "every library that is loaded is in the table")


def licences():
    table = run("licenses")
    about = json.loads(run("licenses", "--json"))
    for part in about["parts"]:
        check(part["name"] in table and part["license"] in table, f"{part['name']} is listed")
    check("Apache License" in run("licenses", "--all"), "the program's own licence")
    check("bsd" in run("licenses", "LIBARCHIVE").lower(), "a notice, whatever the case of its name")
    equal(run("licenses", "fmtt", status=2),
          'plumbline: error: there is no part "fmtt"\nhint: did you mean "fmt"?\n', "the nearest part")


def pages():
    listed = run("help", "topics")
    commands = re.findall(r"^  ([a-z-]+)  ", run("help").split("COMMANDS")[1], re.M)
    for page in (pathlib.Path(SOURCE) / "docs").rglob("*.md"):
        topic = page.relative_to(pathlib.Path(SOURCE) / "docs").with_suffix("").as_posix()
        if topic.startswith("img/"):
            continue
        topic = f"docs/{topic}" if topic in commands else topic
        check(re.search(rf"^  {re.escape(topic)} ", listed, re.M), f"help topics lists {topic}")
        equal(run("help", topic), page.read_text(), f"help {topic} is that page")
    check("  docs/digest " in listed and "  digest " not in listed, "a page that is called like a command is not listed as the command")
    text = (pathlib.Path(SOURCE) / "docs/methodology.md").read_text()
    for name in ("methodology", "docs/methodology.md", "methodology.md"):
        equal(run("help", name), text, f"help {name}")
    equal(run("help", "docs/digest"), (pathlib.Path(SOURCE) / "docs/digest.md").read_text(), "a page that is called like a command")
    check(run("help", "digest").startswith("Usage: plumbline digest"), "the command itself")
    equal(run("help", "methodolgy", status=2),
          'plumbline: error: there is no command and no page "methodolgy"\nhint: did you mean "methodology"?\n', "the nearest page")


def manual():
    overview = run("man")
    commands = [name.replace("\\-", "-") for name in re.findall(r"^\\fBplumbline\\-(.*)\\fR\(1\)$", overview, re.M)]
    check({"diff", "record", "serve", "completions"} <= set(commands), f"the manual names all commands: {commands}")
    listed = re.findall(r"^  ([a-z-]+)  ", run("help").split("COMMANDS")[1], re.M)
    equal(sorted(commands), sorted(set(listed) - {"help"}), "the manual's commands are those of help")
    equal(run("man", "dif", status=2), 'plumbline: error: there is no command "dif"\nhint: did you mean "diff"?\n', "the nearest command")
    for command in [None, *commands]:
        page = run("man", *([command] if command else []))
        check(page.startswith(".TH PLUMBLINE"), f"{command} has a title")
        for line in page.splitlines():
            check(not line.startswith(".") or re.match(r"\.(TH|SH|TP|PP|nf|fi)\b", line), f"{command}: a text is taken for a request: {line}")
    page = run("man", "diff")
    for flag in re.findall(r"^  (--[a-z-]+)", run("diff", "--help"), re.M):
        check("\\fB" + flag.replace("-", "\\-") in page, f"the page of diff has {flag}")
    check("\\fB\\-\\-store\\fR" in page and "\n130, 143\n" in page, "what every command has: --store, and how a signal ends it")
    for flag in ("--repo-root", "--store", "--color", "--server", "--bearer-env", "--ca", "--json", "--version"):
        check("\\fB" + flag.replace("-", "\\-") + "\\fR" in overview, f"the program's page has {flag}")


def completions():
    with Root() as root:
        run("record", "--family", "nccl", "--measurement", "all_reduce", "--source", DATA / "all_reduce-baseline.json", "--reason", "r",
            "--repo-root", root.path)
        run("record", "--family", "serving", "--measurement", "chat", "--source", DATA / "serving-baseline.json", "--reason", "r",
            "--repo-root", root.path)
        at = ["--repo-root", str(root.path)]
        equal(offered("di"), ([], ["diff", "digest"]), "commands")
        equal(offered("diff", "--tolerance-p"), ([], ["--tolerance-percent"]), "flags")
        equal(offered("diff", "--policy", "p"), ([], ["plumbline"]), "choices")
        equal(offered("inspect", "--format", "google-b"), ([], ["google-benchmark", "google-benchmark-text"]), "formats")
        equal(offered("diff", "--policy=p"), ([], ["--policy=plumbline"]), "choices behind '='")
        equal(offered("diff", *at, "--direction", "l"), ([], ["lower-is-better"]), "directions")
        equal(offered("record", "--repo-root", ""), ([":folders"], []), "folders")
        equal(offered("inspect", ""), ([":files"], []), "files")
        equal(offered("record", *at, "--family", ""), ([], ["nccl", "serving"]), "families")
        equal(offered("record", *at, "--family", "nccl", "--measurement", ""), ([], ["all_reduce"]), "measurements of a family")
        equal(offered(*at, "history", "ser"), ([], ["serving/chat"]), "measurements, the root in front")
        equal(offered("diff", *at, "n"), ([":files"], ["nccl/all_reduce"]), "what to compare with: a name or a file")
        entries = offered("diff", *at, "nccl/all_reduce@")[1]
        equal(entries[:2], ["nccl/all_reduce@newest", "nccl/all_reduce@accepted"], "entries")
        equal(len(entries), 3, "the one that is there")
        keys = offered("history", *at, "nccl/all_reduce", "--key", "all_reduce.1GiB")[1]
        equal(keys, ["all_reduce.1GiB.busbw_GBps", "all_reduce.1GiB.latency_us"], "keys of the newest entry")
        check("topics" in offered("help", "")[1] and "methodology" in offered("help", "meth")[1], "pages")
        equal(offered("nonsense", ""), ([], []), "nothing for what is unknown")
        own = ["--json", "--repo-root", "--store", "--color", "--server", "--bearer-env", "--ca", "--version", "--help"]
        equal(offered("--"), ([], own), "every flag that stands before the command")
        for flag, wanted in (("--repo-root", [":folders"]), ("--store", [":folders"]), ("--ca", [":files"]), ("--server", []), ("--bearer-env", [])):
            equal(offered(flag, ""), (wanted, []), f"the value of {flag}")
            equal(offered(flag, "value", "histo"), ([], ["history"]), f"a command behind {flag}")
        equal(offered("--color", "a"), ([], ["auto", "always"]), "the value of --color")
        equal(offered("--color=n"), ([], ["--color=never"]), "and behind '='")
        equal(offered("history", *at, "--color", "never", "ser"), ([], ["serving/chat"]), "its value is no measurement")
        equal(offered("history", "--color", ""), ([], ["auto", "always", "never"]), "nor is what is typed of it")
        equal(offered("history", "--sto"), ([], ["--store"]), "--store behind the command")
        equal(offered("history", "--store", ""), ([":folders"], []), "and its value")
        equal(offered("--store", root.path, "history", "ser"), ([], ["serving/chat"]), "names are those of the store")
        equal(offered(f"--repo-root={root.path}", "history", "ser"), ([], ["serving/chat"]), "the root behind '='")
        equal(offered(), offered(""), "no word at all")
        equal(run("completions", status=2), 'plumbline: error: completions needs a shell\nhint: plumbline completions bash, zsh or fish\n', "which shell")
        in_bash(root.path)


# Bash itself, asked as the terminal would ask it.
def in_bash(root):
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "completions"
        script.write_text(run("completions", "bash"))
        def replies(*words):
            quoted = " ".join("'" + word + "'" for word in words)
            done = subprocess.run(["bash", "-c", f"source {script}; compopt() {{ :; }}; COMP_WORDS=('{PROGRAM}' {quoted}); COMP_CWORD={len(words)}; "
                                   "_plumbline; printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, text=True, cwd=folder, check=True)
            return done.stdout.split()
        equal(replies("di"), ["diff", "digest"], "bash: commands")
        equal(replies("history", "--repo-root", str(root), "nc"), ["nccl/all_reduce"], "bash: the registry's names")
        check("completions" in replies("inspect", "comp"), "bash: files of the folder")


# Who has nothing but the program: files, an answer, and commands that work where they are said to.
def demo():
    with Root() as root:
        plain = {"TMPDIR": str(root.path / "tmp"), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        (root.path / "tmp").mkdir()
        said = run("demo", cwd=root.path, env=plain)
        folder, = (root.path / "tmp").iterdir()
        equal(sorted(part.name for part in folder.iterdir()), ["examples", "review"], "what is in the new folder")
        equal(sorted(root.path.iterdir()), [root.path / "tmp"], "nothing elsewhere")
        source = pathlib.Path(SOURCE) / "examples"
        wanted = {str(file.relative_to(source)): file.read_bytes() for file in source.glob("*/*")}
        equal({str(file.relative_to(folder / "examples")): file.read_bytes() for file in (folder / "examples").rglob("*") if file.is_file()}, wanted,
              "the files are those of examples/")
        lines = said.splitlines()
        equal(lines[:4], [f"{len(wanted)} small results of well-known tools, with made-up numbers, are in examples/ there:", "", f"$ cd {folder}",
                          "$ plumbline diff examples/serving/vllm-before.json examples/serving/vllm-after.json --out review"], "what it did")
        check(lines[4].startswith("RED (DRAFT) adhoc / vllm-serve: 27 rows"), f"what came out: {lines[4]}")
        page = f"The page for whoever has to believe it: {folder}/review/diff.html"
        check(page in lines and (folder / "review/diff.html").is_file(), "the page is there")
        told = [line[2:].split() for line in lines if line.startswith("$ ")]
        equal([words[0] for words in told], ["cd", "plumbline", "plumbline", "plumbline"], "the command, and two more")
        (folder / "review").rename(folder / "review-of-the-demo")
        answer = run(*told[1][1:], cwd=folder, env=plain)
        shown = "\n".join(lines[4:lines.index(page) - 1]) + "\n"
        equal(re.sub(r"[0-9a-f]{64}", "DIGEST", answer), re.sub(r"[0-9a-f]{64}", "DIGEST", shown),
              "the command prints what was shown")
        for words in told[2:]:
            run(*words[1:], cwd=folder, env=plain)

        whole = json.loads(run("demo", "--out", "tried", "--json", cwd=root.path))
        equal((whole["verb"], whole["folder"], whole["files"], whole["command"]),
              ("demo", str(root.path / "tried"), len(wanted), lines[3][2:]), "as JSON")
        equal(whole["answer"]["verdict"], "RED", "with the answer of diff")
        for there in ("examples", "review"):
            equal(run("demo", "--out", "tried", cwd=root.path, status=2),
                  f"plumbline: error: {root.path}/tried/{there} is there already\nhint: name another folder: plumbline demo --out DIR\n", "nothing is written over")
            shutil.rmtree(root.path / "tried" / there)
        equal(run("demo", "--out", "no/such", cwd=root.path, status=3),
              f"plumbline: error: cannot make {root.path}/no/such: No such file or directory\nhint: name a folder that can be written: plumbline demo --out DIR\n",
              "only one new folder is made")
        equal(run("demo", cwd=root.path, env={"TMPDIR": "/nowhere"}, status=3),
              "plumbline: error: cannot make a folder in /nowhere: No such file or directory\nhint: name one that can be written: plumbline demo --out DIR\n",
              "no place for it")
        check("\x1b[" in run("demo", "--out", "coloured", "--color", "always", cwd=root.path), "--color reaches the answer")
        check("\x1b[" not in said, "in a pipe there is none")


def units():
    folder = pathlib.Path(SOURCE) / "packaging/systemd"
    service = (folder / "plumbline.service").read_text()
    flags = re.findall(r"--[a-z-]+", re.search(r"^ExecStart=(.*)$", service, re.M)[1])
    known = run("serve", "--help")
    for flag in flags:
        check(f"  {flag} " in known, f"the unit's {flag} is a flag of serve")


versions()
licences()
pages()
manual()
completions()
demo()
units()
finish()
