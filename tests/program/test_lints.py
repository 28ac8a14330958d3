#!/usr/bin/env python3
"""What others' tools say of what the program prints and is packed with: its manual (mandoc, groff), its completions (bash, zsh, fish), its units
(systemd-analyze) and its package (lintian). Where one of them is not installed, the rest is looked at, and the script ends as skipped: what
was not looked at has not passed. scripts/deps test installs the small ones, scripts/deps release-check the others."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import harness
from harness import PLUMBLINE, SKIPPED, SOURCE, check, equal, finish

PROGRAM = str(pathlib.Path(PLUMBLINE).resolve())
MOST_EXPOSED = 1.1  # docs/install.md says it
absent = []


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)


def printed(*words):
    done = run(PROGRAM, *words)
    equal(done.returncode, 0, f"{words}: {done.stderr}")
    return done.stdout


def there(tool):
    if shutil.which(tool):
        return True
    absent.append(tool)
    return False


def manual():
    commands = [name.replace("\\-", "-") for name in re.findall(r"^\\fBplumbline\\-(.*)\\fR\(1\)$", printed("man"), re.M)]
    check(len(commands) > 20, f"the manual names the commands: {commands}")
    tools = {"mandoc": ("-T", "lint"), "groff": ("-man", "-ww", "-z", "-Tutf8")}
    for tool, flags in ((tool, flags) for tool, flags in tools.items() if there(tool)):
        for command in ([], *([name] for name in commands)):
            done = run(tool, *flags, input=printed("man", *command))
            equal(done.stdout + done.stderr, "", f"{tool} finds nothing in the page of {command or 'the program'}")


def completions():
    for shell in filter(there, ("bash", "zsh", "fish")):
        done = run(shell, "-n", input=printed("completions", shell))
        equal((done.returncode, done.stderr), (0, ""), f"{shell} -n")
        done = run(shell, "-n", input="if true; then (\n" if shell != "fish" else "if true\n")
        check(done.returncode != 0, f"{shell} -n sees what is wrong")


def units():
    if not there("systemd-analyze"):
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for unit in (SOURCE / "packaging/systemd").iterdir():
            # The program stands elsewhere here.
            (copy / unit.name).write_text(unit.read_text().replace("/usr/bin/plumbline", PROGRAM))
        done = run("systemd-analyze", "verify", "--man=no", *sorted(copy.iterdir()))
        ours = [line for line in (done.stdout + done.stderr).splitlines() if "plumbline" in line]
        equal((done.returncode, ours), (0, []), "systemd-analyze verify")
        done = run("systemd-analyze", "security", "--offline=true", copy / "plumbline.service")
        seen = re.search(r"Overall exposure level for plumbline.service: ([0-9.]+)", done.stdout)
        equal(seen and float(seen[1]), MOST_EXPOSED, f"exposure: {done.stdout[-200:]}{done.stderr}")
    check(f"`systemd-analyze security` says {MOST_EXPOSED} of 10" in (SOURCE / "docs/install.md").read_text(), "docs/install.md has that figure")


def package():
    # Debian's package is made of the program that Debian's libraries are linked into.
    if not there("lintian") or not harness.opens_libraries():
        return
    with tempfile.TemporaryDirectory() as folder:
        done = run(SOURCE / "scripts/deb", PROGRAM, folder, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEB_LEVEL": "1"})
        equal(done.returncode, 0, f"scripts/deb: {done.stderr}")
        done = run("lintian", "--allow-root", "--fail-on", "warning", done.stdout.strip())
        equal((done.returncode, done.stdout), (0, ""), f"lintian: {done.stderr}")


manual()
completions()
units()
package()
if absent and not harness.failures:
    print(f"skipped: {', '.join(absent)} not installed (scripts/deps test release-check); {harness.checks} other checks passed")
    sys.exit(SKIPPED)
finish()
