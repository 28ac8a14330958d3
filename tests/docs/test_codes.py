#!/usr/bin/env python3
"""The codes of reasons and warnings are the same in three places: where the sources give them, in the closed table of reasons
(verdict/reason_codes.cpp), and on the pages docs/reasons.md and docs/warnings.md. A code that is given and not documented is a
problem, and so is one that is documented and that nothing gives. Run without arguments; it first proves on made-up files that
it can fail."""
import os
import pathlib
import re
import sys
import tempfile

ROOMS = ("core", "configs", "verdict", "formats", "systems", "profiles", "registry", "reports", "intake", "verbs", "server", "cli")
TABLE = "verdict/reason_codes.cpp"
CODE = "[a-z][a-z0-9]*(?:_[a-z0-9]+)*"
ONE_OR_OTHER = rf'(?:[^;"()]*\?\s*)?"({CODE})"(?:\s*:\s*"({CODE})")?'  # "a", or: condition ? "a" : "b"

# Where a reason is made: the helpers of the policies, of the captures' judge and of the suite, and the bare field.
REASON_ROOMS = ("verdict", "systems", "profiles/diff", "verbs")
REASON_GIVEN = re.compile(rf'(?:\breason_over\(|\breason\(|\bsay\(core::Verdict::\w+,|\w\.code =(?!=))\s*{ONE_OR_OTHER}')
NATIVE_GIVEN = re.compile(r'(?<!warn)\(\s*"(native_[a-z_]+)"')  # miss("native_…"), add("native_…"), Miss unjust("native_…")
# Where the code of a reason or a warning is asked for.
READ = re.compile(rf'\.code [!=]= "({CODE})"|(?<!\.)\bhas\("({CODE})"\)|\bwarned_of\([^;"]*"({CODE})"')

# Where a warning, or a problem that `verify` found, is made: Warning{"code", …}, warn("code", …), say("code", …),
# problem("code", …), and the readers' table of lines with four texts. {"code", …} may be pushed, inserted or returned too; the
# same is done with other things, so there it takes two words to be a code.
TWO_WORDS = "[a-z][a-z0-9]*(?:_[a-z0-9]+)+"
WARNING_GIVEN = re.compile(rf'(?:Warning\s*\{{\s*|\bwarn\(\s*|\bsay\(\s*|\bproblem\(\s*|problems\.push_back\(\s*\{{\s*)"({CODE})"\s*,')
WARNING_PASSED = re.compile(rf'(?:push_back\(\s*\{{\s*|insert\([^;"]*\{{\s*|return \{{\s*|warnings?\s*=\s*\{{\s*\{{?\s*)"({TWO_WORDS})"\s*,')
WARNING_TABLES = {"formats/row_writer.cpp": re.compile(rf'^    \{{"({CODE})", "[^"]*", "[^"]*",', re.M)}
NO_WARNINGS = {"profiles/diff/findings.cpp",  # says findings of a profile diff, which have codes of their own
               "profiles/names/family.cpp",    # says what the families of two kernels differ in
               "configs/ceilings.cpp"}        # returns names of ceilings

def rows_of_page(path):
    return re.findall(rf"^\| `({CODE})` \|", path.read_text(), re.M)


def sources(root, rooms):
    for room in rooms:
        for path in sorted((root / room).rglob("*.[ch]pp")):
            yield path.relative_to(root).as_posix(), path.read_text()


def reasons_given(root):
    """code -> the first file that gives it"""
    found = {}
    for shown, text in sources(root, REASON_ROOMS):
        if shown != TABLE:
            codes = [code for pair in REASON_GIVEN.findall(text) for code in pair if code]
            for code in codes + NATIVE_GIVEN.findall(text):
                found.setdefault(code, shown)
    return found


def warnings_given(root):
    found = {}
    for shown, text in sources(root, ROOMS):
        codes = WARNING_GIVEN.findall(text) + WARNING_PASSED.findall(text)
        if shown in WARNING_TABLES:
            codes += WARNING_TABLES[shown].findall(text)
        for code in codes if shown not in NO_WARNINGS else ():
            found.setdefault(code, shown)
    return found


def problems_of(root):
    table = re.findall(rf'\{{"({CODE})", Verdict::', (root / TABLE).read_text())
    page, known = rows_of_page(root / "docs/reasons.md"), rows_of_page(root / "docs/warnings.md")
    reasons, warnings = reasons_given(root), warnings_given(root)
    found = []
    if page != table:
        found.append(f"docs/reasons.md differs from {TABLE}: {sorted(set(page) ^ set(table)) or 'the order'}")
    found += [f"{where}: reason {code} is not in {TABLE}" for code, where in sorted(reasons.items()) if code not in table]
    found += [f"{TABLE} lists {code}, which nothing gives" for code in table if code not in reasons]
    found += [f"{where}: warning {code} is not in docs/warnings.md" for code, where in sorted(warnings.items()) if code not in known]
    found += [f"docs/warnings.md names {code}, which nothing gives" for code in known if code not in warnings]
    found += [f"docs/warnings.md names {code} {known.count(code)} times" for code in sorted(set(known)) if known.count(code) > 1]
    for shown, text in sources(root, REASON_ROOMS):
        for code in [code for one in READ.findall(text) for code in one if code]:
            if code not in table and code not in known:
                found.append(f"{shown}: asks for {code}, which is no code of a reason or a warning")
    return found, len(table), len(known)


MADE_UP = {
    TABLE: '{"gate_failed", Verdict::red, "x"},\n{"few_regressed", Verdict::yellow, "y"},\n{"native_unchecked", Verdict::green, "z"},\n'
           '{"wall_regressed", Verdict::red, "w"},\n{"kernel_time_regressed", Verdict::red, "k"},\n',
    "verdict/plumbline.cpp": 'if (auto r = reason_over(\n  "few_regressed", sound)) {}\nout.code = "gate_failed";\nmiss("native_unchecked", x);\n',
    "verdict/advice.cpp": 'if (has("few_regressed") || reason.code == "gate_failed" || warning.code == "old_driver") {}\n',
    "profiles/diff/verdict.cpp": 'say(core::Verdict::red, totals ? "kernel_time_regressed" : "wall_regressed", what);\n',
    "formats/a.cpp": 'm.warn("old_driver", "x");\nwarnings.push_back({"new_driver", y});\n',
    "formats/row_writer.cpp": '    {"duplicate_key", "key stands", "keys stand", "twice"},\n',
    "docs/reasons.md": "".join(f"| `{code}` | RED | x |\n" for code in
                               ("gate_failed", "few_regressed", "native_unchecked", "wall_regressed", "kernel_time_regressed")),
    "docs/warnings.md": "| `old_driver` | x |\n| `new_driver` | x |\n| `duplicate_key` | x |\n",
}
# file, what is replaced there by what, and the problems that this must give
FAULTS = (
    ("verdict/plumbline.cpp", '"few_regressed"', '"some_regressed"', ("some_regressed is not in verdict", "few_regressed, which nothing gives")),
    ("verdict/plumbline.cpp", '"gate_failed"', '"gate_failure"', ("gate_failure is not in verdict", "gate_failed, which nothing gives")),
    ("verdict/plumbline.cpp", '"native_unchecked"', '"native_unseen"', ("native_unseen is not in verdict", "native_unchecked, which nothing")),
    ("profiles/diff/verdict.cpp", '"wall_regressed"', '"wall_grew"', ("wall_grew is not in verdict", "wall_regressed, which nothing gives")),
    ("profiles/diff/verdict.cpp", '"kernel_time_regressed"', '"time_grew"', ("time_grew is not in verdict", "kernel_time_regressed, which")),
    ("verdict/advice.cpp", 'has("few_regressed")', 'has("a_few_regressed")', ("asks for a_few_regressed",)),
    ("verdict/advice.cpp", '"gate_failed"', '"gates_failed"', ("asks for gates_failed",)),
    ("docs/reasons.md", "| `gate_failed` |", "| `gate_broke` |", ("docs/reasons.md differs from verdict/reason_codes.cpp: ['gate_broke', 'gate_failed']",)),
    ("docs/reasons.md", "| `gate_failed` | RED | x |\n| `few_regressed` |", "| `few_regressed` | RED | x |\n| `gate_failed` |", ("the order",)),
    (TABLE, '"gate_failed"', '"gate_broke"', ("docs/reasons.md differs", "gate_failed is not in verdict", "gate_broke, which nothing gives",
                                                "asks for gate_failed")),
    ("formats/a.cpp", '"old_driver"', '"aged_driver"', ("aged_driver is not in docs/warnings.md", "old_driver, which nothing gives")),
    ("formats/a.cpp", '"new_driver"', '"newer_driver"', ("newer_driver is not in docs/warnings.md", "new_driver, which nothing gives")),
    ("formats/row_writer.cpp", '"duplicate_key"', '"twin_key"', ("twin_key is not in docs/warnings.md", "duplicate_key, which nothing gives")),
    ("docs/warnings.md", "| `old_driver` | x |\n", "", ("old_driver is not in docs/warnings.md", "asks for old_driver")),
    ("docs/warnings.md", "| `old_driver` | x |\n", "| `old_driver` | x |\n| `ghost` | x |\n", ("ghost, which nothing gives",)),
    ("docs/warnings.md", "| `old_driver` | x |\n", "| `old_driver` | x |\n| `old_driver` | x |\n", ("old_driver 2 times",)),
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
    found, reasons, warnings = problems_of(root)
    for problem in found:
        print(problem)
    print(f"{reasons} reasons, {warnings} warnings, {len(found)} problems")
    return 1 if found or reasons == 0 or warnings == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
