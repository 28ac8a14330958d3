#!/usr/bin/env python3
"""The tests of the program can fail. Every script tests/*/test_* is run with a program that does nothing and with one that is
not there: none may pass, and none may count as skipped. Those that need the samples are run without them: they are skipped."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve()
SOURCE = pathlib.Path(os.environ.get("PLUMBLINE_SOURCE") or HERE.parents[2])
PROGRAM = os.environ.get("PLUMBLINE") or str(SOURCE / "build/release/bin/plumbline")
SKIPPED = 77
SECONDS = 120
# They read the tree and run no program; test_codes and test_layers prove by themselves that they can fail.
WITHOUT_PROGRAM = {"docs/test_architecture.py", "docs/test_codes.py", "docs/test_docs_site.py", "docs/test_example_files.sh", "docs/test_readers.py", "docs/test_skills.py", "layers/test_layers.py", "style/test_format.sh", "style/test_headers.py", "style/test_naming.sh",
                   "guards/test_guards.py"}


def status_of(script, program, samples):
    environment = {**os.environ, "PLUMBLINE": program, "MCP_FIXTURE_SERVER": program, "PLUMBLINE_SOURCE": str(SOURCE)}
    if samples is not None:
        environment["PLUMBLINE_SAMPLES"] = samples
    try:
        return subprocess.run([script], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False).returncode
    except subprocess.TimeoutExpired:
        return f"none in {SECONDS} s"


def cases():
    """(what it is called, script, program, samples, what its exit status must be)"""
    for script in sorted((SOURCE / "tests").glob("*/test_*.??*")):
        name = f"{script.parent.name}/{script.name}"
        if name in WITHOUT_PROGRAM or script.suffix not in (".py", ".sh"):
            continue
        for program in ("/bin/false", "/nonexistent/plumbline"):
            yield f"{name} with {program}", script, program, None, "failed"
        text = script.read_text()
        if "need_samples(" in text:
            yield f"{name} without samples", script, PROGRAM, "/nonexistent", "skipped"
            yield f"{name} without samples, with /bin/false", script, "/bin/false", "/nonexistent", "failed"
        elif "SAMPLES" in text:
            yield f"{name}: reads the samples and does not say need_samples(…)", script, "", None, "never"


def as_wanted(status, wanted):
    return {"failed": isinstance(status, int) and status not in (0, SKIPPED), "skipped": status == SKIPPED, "never": False}[wanted]


def main():
    assert as_wanted(1, "failed") and as_wanted(-6, "failed") and as_wanted(77, "skipped")
    assert not any(as_wanted(status, "failed") for status in (0, 77, "none in 1 s")) and not as_wanted(0, "skipped")
    asked = list(cases())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(lambda case: status_of(*case[1:4]) if case[4] != "never" else None, asked))
    wrong = [(case, status) for case, status in zip(asked, statuses) if not as_wanted(status, case[4])]
    for (what, *_, wanted), status in wrong:
        print(f"{what}: exit {status}, wanted {wanted}")
    print(f"guards: {len(asked)} runs, {len(wrong)} not as they must be")
    return 1 if wrong or len(asked) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
