#!/usr/bin/env python3
"""The arrows between rooms hold: every #include "room/…" is checked against them, and with it what our headers and core may
not include, how long a file may be and how many files may stand side by side. Run without arguments; it first proves on made-up files that it can fail."""
import os
import re
import sys
import tempfile

BASE = {"base"}
CORE = BASE | {"core"}
MIDDLE = CORE | {"configs"}
ALL_BELOW_VERBS = {"base", "core", "configs", "schemas", "verdict", "formats", "systems", "profiles", "registry", "reports", "intake", "machine"}
ARROWS = {  # room -> rooms it may include, itself always
    "base": set(),
    "core": BASE,
    "machine": CORE,
    "configs": CORE,
    "schemas": CORE,
    "formats": MIDDLE,
    "systems": MIDDLE | {"formats"},  # its kit alone: see KIT
    "profiles": MIDDLE,
    "net": CORE,
    "registry": CORE | {"net"},
    "reports": CORE,
    "verdict": MIDDLE | {"systems", "profiles"},
    "intake": MIDDLE | {"formats", "profiles", "systems", "registry"},
    "verbs": ALL_BELOW_VERBS,
    "server": {"base", "verbs", "core", "reports", "schemas", "registry", "configs"},
    "cli": {"base", "server", "verbs", "core", "machine", "registry", "net"},
}
# What systems may use of formats: what a reader is, and the helpers that readers share; no tool's own reader.
KIT = re.compile(r"^formats/([a-z_]+\.hpp|json/[a-z_]+\.hpp)$")
HEAVY = re.compile(r"^(nlohmann/json\.hpp|CLI/|CLI11|yaml-cpp/|asio|boost/asio|boost/beast|spdlog/|openssl/|sqlite3\.h|simdjson)")
IMPURE = {"filesystem", "fstream", "iostream", "thread", "mutex", "condition_variable", "future", "unistd.h"}
CLOCK = re.compile(r"\b(system_clock|steady_clock|high_resolution_clock)\b|\bgetenv\b|\bstd::time\(")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
LONGEST = 700  # lines of a file
WIDEST = 40  # source files of one folder, side by side


def problems_of(root):
    found = []
    for room in ARROWS:
        for folder, _, names in sorted(os.walk(os.path.join(root, room))):
            sources = sorted(name for name in names if name.endswith((".cpp", ".hpp")))
            if len(sources) > WIDEST:
                shown = os.path.relpath(folder, root)
                found.append(f"{shown}: {len(sources)} source files side by side; a folder has at most {WIDEST}: give it inner rooms")
            for name in sources:
                path = os.path.join(folder, name)
                found += problems_of_file(os.path.relpath(path, root), room, path)
    return found


def problems_of_file(shown, room, path):
    found = []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if len(lines) - 1 > LONGEST:
        found.append(f"{shown}: {len(lines) - 1} lines; a file has at most {LONGEST}: split it by responsibility")
    for number, line in enumerate(lines, 1):
        place = f"{shown}:{number}"
        if room == "core" and CLOCK.search(line.split("//")[0]):
            found.append(f"{place}: core reads no clock and no environment")
        match = INCLUDE.match(line)
        if not match:
            continue
        kind, target = match.groups()
        if kind == '"':
            other = target.split("/")[0]
            if other in ARROWS and other != room and other not in ARROWS[room]:
                allowed = ", ".join(sorted(ARROWS[room])) or "no other room"
                found.append(f"{place}: {room} includes {target}, but {room} may include only {allowed}")
            elif room == "systems" and other == "formats" and not KIT.match(target):
                found.append(f"{place}: {room} includes {target}, but of formats {room} may include only the readers' kit")
            elif other not in ARROWS and "/" in target and not HEAVY.match(target):
                found.append(f"{place}: {target} is in no room; write \"room/file.hpp\", or <…> for a library")
        if shown.endswith(".hpp") and HEAVY.match(target):
            found.append(f"{place}: {target} is heavy and stays out of our headers")
        if room == "core" and (target in IMPURE or target.startswith("nlohmann/") or HEAVY.match(target)):
            found.append(f"{place}: core is pure and does not include <{target}>")
    return found


def self_test():
    cases = [
        ("core/a.hpp", '#include "formats/format.hpp"\n', "core may include only base"),
        ("formats/a.cpp", '#include "profiles/profile.hpp"\n', "formats may include only base, configs, core"),
        ("reports/a.cpp", '#include "configs/configs.hpp"\n', "reports may include only base, core"),
        ("registry/a.hpp", "#include <openssl/evp.h>\n", "stays out of our headers"),
        ("verbs/a.hpp", "#include <nlohmann/json.hpp>\n", "stays out of our headers"),
        ("core/a.cpp", "#include <filesystem>\n", "core is pure"),
        ("core/b.cpp", "auto t = std::chrono::steady_clock::now();\n", "core reads no clock"),
        ("verdict/a.cpp", "int x;\n" * (LONGEST + 1), "split it by responsibility"),
        ("cli/a.cpp", '#include "formats/format.hpp"\n', "cli may include only base, core, machine, net, registry, server, verbs"),
        ("formats/b.cpp", '#include "helpers/x.hpp"\n', "is in no room"),
        ("formats/c.cpp", '#include "systems/table.hpp"\n', "formats may include only base, configs, core"),
        ("reports/b.cpp", '#include "systems/table.hpp"\n', "reports may include only base, core"),
        ("systems/a.cpp", '#include "reports/native.hpp"\n', "systems may include only base, configs, core, formats"),
        ("intake/a.cpp", '#include "verbs/verb.hpp"\n', "intake may include only base, configs, core, formats, profiles, registry, systems"),
        ("formats/d.cpp", '#include "intake/source.hpp"\n', "formats may include only base, configs, core"),
        ("systems/b.cpp", '#include "formats/serving/vllm.hpp"\n', "only the readers' kit"),
    ]
    good = [
        ("formats/a.cpp", '#include "configs/configs.hpp"\n#include "core/error.hpp"\n#include <nlohmann/json.hpp>\n'),
        ("verbs/a.cpp", '#include "reports/reports.hpp"\n#include "registry/store.hpp"\n#include <fstream>\n'),
        ("systems/tool/a.cpp", '#include "formats/readers.hpp"\n#include "formats/json/document.hpp"\n'),
        ("core/a.cpp", "// a steady_clock is not read here\n#include <vector>\n"),
    ]
    with tempfile.TemporaryDirectory() as root:
        def check(name, text):
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            found = problems_of(root)
            os.remove(path)
            return found

        for name, text, expected in cases:
            found = check(name, text)
            assert len(found) == 1 and expected in found[0], f"{name}: expected '{expected}', got {found}"
        for name, text in good:
            assert check(name, text) == [], f"{name}: {check(name, text)}"
        os.makedirs(os.path.join(root, "server", "mcp"))
        for count in range(1, WIDEST + 2):
            with open(os.path.join(root, "server", "mcp", f"part{count}.cpp"), "w", encoding="utf-8"):
                found = problems_of(root)
            assert (found != []) == (count > WIDEST), f"{count} files in a folder: {found}"
        assert "server/mcp: 41 source files side by side" in found[0] and len(found) == 1, found


def main():
    self_test()
    root = os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = problems_of(root)
    for problem in found:
        print(problem)
    print(f"layers: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
