#!/usr/bin/env python3
"""The closed tables of codes (core/codes/reasons.hpp, warnings.hpp and problems.hpp) and the pages docs/reasons.md,
docs/warnings.md and docs/verbs/verify.md say the same of the same codes in the same order, and every code of a table is given
somewhere: that a code which is given is in its table, the compiler sees to. Run without arguments; it first proves on made-up files
that it can fail."""
import os
import pathlib
import re
import sys
import tempfile

ROOMS = ("core", "configs", "verdict", "formats", "systems", "profiles", "registry", "reports", "intake", "verbs", "server", "cli")
REASONS, REASONS_PAGE = "core/codes/reasons.hpp", "docs/reasons.md"
WARNINGS, WARNINGS_PAGE = "core/codes/warnings.hpp", "docs/warnings.md"
PROBLEMS, PROBLEMS_PAGE = "core/codes/problems.hpp", "docs/verbs/verify.md"
TABLES = ((REASONS, REASONS_PAGE), (WARNINGS, WARNINGS_PAGE), (PROBLEMS, PROBLEMS_PAGE))
LITERAL = r'"(?:[^"\\]|\\.)*"'
ENTRY = re.compile(rf'\{{"([a-z0-9_]+)",\s*(?:Verdict::(\w+),\s*)?({LITERAL}(?:\s*{LITERAL})*)\}}')
ROW = re.compile(r"^\| `([a-z0-9_]+)` \|(?: (RED|YELLOW|GREEN) \|)? (.*) \|$", re.M)
# A code that is only asked for is not given: code == "…", has("…"), warned_of(side, "…").
GIVEN = re.compile(r'(?<![=!]= )(?<!\bhas\()(?<!warned_of\(measurement, )(?<!warned_of\(\*measurement, )"([a-z][a-z0-9_]*)"')


def table_of(path):
    return [(code, weight.upper(), re.sub(r'"\s*"', "", meaning)[1:-1].replace('\\"', '"').replace("\\\\", "\\"))
            for code, weight, meaning in ENTRY.findall(path.read_text())]


def given(root):
    found = set()
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[ch]pp")):
            if path.relative_to(root).as_posix() not in (REASONS, WARNINGS, PROBLEMS):
                found.update(GIVEN.findall(path.read_text()))
    return found


def problems_of(root):
    """what is wrong, and how many codes each table has"""
    found, sizes, everywhere = [], [], given(root)
    for table_path, page_path in TABLES:
        table, page = table_of(root / table_path), ROW.findall((root / page_path).read_text())
        codes = [code for code, _, _ in table]
        sizes.append(len(table))
        if page != table:
            found.append(f"{page_path} differs from {table_path}: {sorted(set(page) ^ set(table)) or 'the order, or one stands twice'}")
        found += [f"{table_path} lists {code} twice" for code in sorted(set(codes)) if codes.count(code) > 1]
        found += [f"{table_path} lists {code}, which nothing gives" for code in codes if code not in everywhere]
    return found, sizes


MADE_UP = {
    REASONS: '{"gate_failed", Verdict::red, "x"},\n{"few_regressed", Verdict::yellow,\n "y \\"q\\" and "\n "more"},\n',
    WARNINGS: '{"old_driver", "x"},\n{"new_driver", "y"},\n',
    PROBLEMS: '{"missing_file", "z"},\n',
    "verdict/plumbline.cpp": 'if (auto r = reason_over(\n  "few_regressed", sound)) {}\ncore::Reason r{"gate_failed"};\n',
    "verdict/advising/advice.cpp": 'if (has("few_regressed") || reason.code == "gate_failed" || warned_of(measurement, "old_driver")) {}\n',
    "formats/a.cpp": 'm.warn("old_driver", "x");\nwarnings.push_back({"new_driver", y});\n',
    "registry/manifest/tree.cpp": 'problem("missing_file", path);\n',
    PROBLEMS_PAGE: "| `missing_file` | z |\n",
    REASONS_PAGE: '| code | makes | meaning |\n|---|---|---|\n| `gate_failed` | RED | x |\n| `few_regressed` | YELLOW | y "q" and more |\n',
    WARNINGS_PAGE: "| `old_driver` | x |\n\n## More\n\n| `new_driver` | y |\n",
}
# file, what is replaced there by what, and the problems that this must give
FAULTS = (
    ("verdict/plumbline.cpp", '"few_regressed"', '"gate_failed"', ("few_regressed, which nothing gives",)),
    ("verdict/plumbline.cpp", '"gate_failed"', '"few_regressed"', ("gate_failed, which nothing gives",)),
    ("formats/a.cpp", '"old_driver"', '"new_driver"', ("old_driver, which nothing gives",)),
    (REASONS, '"gate_failed"', '"gate_broke"', ("docs/reasons.md differs", "gate_broke, which nothing gives")),
    (REASONS, "Verdict::yellow", "Verdict::red", ("docs/reasons.md differs",)),
    (REASONS, '"more"', '"less"', ("docs/reasons.md differs",)),
    (REASONS_PAGE, "| `gate_failed` | RED | x |\n", "", ("docs/reasons.md differs",)),
    (REASONS_PAGE, "| `gate_failed` | RED |", "| `gate_failed` | YELLOW |", ("docs/reasons.md differs",)),
    (REASONS_PAGE, "| `gate_failed` | RED | x |\n", "| `gate_failed` | RED | x |\n| `gate_failed` | RED | x |\n", ("or one stands twice",)),
    (WARNINGS, '{"old_driver", "x"},\n{"new_driver", "y"}', '{"new_driver", "y"},\n{"old_driver", "x"}', ("the order",)),
    (WARNINGS, '{"new_driver", "y"}', '{"new_driver", "y"},\n{"new_driver", "y"}', ("docs/warnings.md differs", "new_driver twice")),
    (PROBLEMS, '"z"', '"y"', ("docs/verbs/verify.md differs",)),
    ("registry/manifest/tree.cpp", '"missing_file"', '"extra_file"', ("missing_file, which nothing gives",)),
    (WARNINGS_PAGE, "| `old_driver` | x |\n", "| `old_driver` | x |\n| `ghost` | x |\n", ("docs/warnings.md differs",)),
)


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def found_in(files):
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return problems_of(root)[0]

        assert found_in(MADE_UP) == [], found_in(MADE_UP)
        for name, old, new, wanted in FAULTS:
            assert MADE_UP[name].count(old) == 1, f"{name}: {old}"
            found = found_in({**MADE_UP, name: MADE_UP[name].replace(old, new)})
            assert len(found) == len(wanted), f"{name}: {new}: {found}"
            for part in wanted:
                assert any(part in problem for problem in found), f"{name}: {new}: no '{part}' in {found}"


def main():
    self_test()
    root = pathlib.Path(os.environ.get("PLUMBLINE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
    found, sizes = problems_of(root)
    for problem in found:
        print(problem)
    print(f"{sizes[0]} reasons, {sizes[1]} warnings, {sizes[2]} problems of verify, {len(found)} problems")
    return 1 if found or 0 in sizes else 0


if __name__ == "__main__":
    sys.exit(main())
