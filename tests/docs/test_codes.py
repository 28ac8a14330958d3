#!/usr/bin/env python3
"""docs/reasons.md is the program's own table of reason codes; docs/warnings.md names every warning the sources can give."""
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ.get("PLUMBLINE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
ROOMS = ("core", "configs", "policies", "formats", "systems", "profiles", "registry", "reports", "verbs")
# A warning is made as Warning{"code", …}, warn("code", …) or warnings.push_back({"code", …}); the readers' table holds lines of four texts.
MADE = re.compile(r'(?:Warning\s*\{\s*|warn\(\s*|push_back\(\s*\{\s*|warnings?\s*=\s*\{\s*\{?\s*)"([a-z][a-z0-9]*(?:_[a-z0-9]+)+)"\s*,')
TABLE = re.compile(r'^    \{"([a-z][a-z0-9_]+)", "[^"]*", "[^"]*",', re.M)


def codes_made(text, name=""):
    found = set(MADE.findall(text))
    if name == "row_writer.cpp":
        found |= set(TABLE.findall(text))
    return found


def documented(page):
    return set(re.findall(r"^\| `([a-z0-9_]+)` \|", (SOURCE / "docs" / page).read_text(), re.M))


def main():
    assert codes_made('m.warn("made_up", "x"); warnings.push_back({"also_made_up", y});') == {"made_up", "also_made_up"}
    problems = []
    text = (SOURCE / "policies" / "reason_codes.cpp").read_text()
    table = [code for code in re.findall(r'\{"([a-z_]+)", Verdict::', text)]
    page = re.findall(r"^\| `([a-z_]+)` \|", (SOURCE / "docs" / "reasons.md").read_text(), re.M)
    if page != table:
        problems.append(f"docs/reasons.md differs from policies/reason_codes.cpp: {set(page) ^ set(table) or 'the order'}")
    for path in SOURCE.glob("p*/**/*.cpp"):
        if path.parts[-2] in ("diff",) or "profiles" in path.parts:
            for code in re.findall(r'reason(?:_of)?\(\s*"([a-z_]+)"|\.code = "([a-z_]+)"', path.read_text()):
                code = code[0] or code[1]
                if code not in table:
                    problems.append(f"{path.relative_to(SOURCE)}: reason {code} is not in the closed list")
    made = {}
    for room in ROOMS:
        for path in (SOURCE / room).rglob("*.cpp"):
            for code in codes_made(path.read_text(), path.name):
                made.setdefault(code, path.relative_to(SOURCE))
    known = documented("warnings.md")
    for code, path in sorted(made.items()):
        if code not in known:
            problems.append(f"{path}: warning {code} is not in docs/warnings.md")
    for code in sorted(known - set(made)):
        if not any(f'"{code}"' in p.read_text() for room in ROOMS for p in (SOURCE / room).rglob("*.cpp")):
            problems.append(f"docs/warnings.md names {code}, which nothing gives")
    for problem in problems:
        print(problem)
    print(f"{len(table)} reasons, {len(made)} warnings, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
