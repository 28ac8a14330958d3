#!/usr/bin/env python3
"""How clients get the server: the plugin's launcher where there is no program, the MCP bundle, and the entry of the MCP registry. The
clients' own validators are asked by tests/clients/run (claude, mcpb); here is what holds without them."""
import hashlib
import json
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import zipfile

import jsonschema

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish

PROGRAM = str(pathlib.Path(PLUMBLINE).resolve())
VERSION = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]

# What the registry's schema of 2025-12-11 asks of an entry with one downloaded package, and what its page says besides: a package of
# type mcpb has the digest of its file.
EXACT = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[0-9A-Za-z][0-9A-Za-z.+-]*$", "not": {"const": "latest"}}
ENTRY = {
    "type": "object", "required": ["$schema", "name", "description", "version", "packages"], "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "minLength": 3, "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": EXACT,
        "packages": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["registryType", "identifier", "transport"], "additionalProperties": False,
            "properties": {
                "registryType": {"const": "mcpb"}, "version": EXACT, "transport": {"const": {"type": "stdio"}},
                "identifier": {"type": "string", "pattern": r"^https://[^\s]+\.mcpb$"},
                "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
                "environmentVariables": {"type": "array", "items": {
                    "type": "object", "required": ["name"], "additionalProperties": False,
                    "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "isRequired": {"type": "boolean"},
                                   "format": {"enum": ["string", "number", "boolean", "filepath"]}}}}}}}}}
# The same of a bundle's manifest, version 0.3.
TEXT = {"type": "string", "minLength": 1}
MANIFEST = {
    "type": "object", "additionalProperties": False,
    "required": ["manifest_version", "name", "version", "description", "author", "server"],
    "properties": {
        "manifest_version": {"const": "0.3"}, "name": TEXT, "display_name": TEXT, "version": EXACT, "description": TEXT,
        "long_description": TEXT, "license": TEXT, "icon": TEXT, "keywords": {"type": "array", "items": TEXT}, "prompts_generated": {"const": True},
        "author": {"type": "object", "required": ["name"], "properties": {"name": TEXT}, "additionalProperties": False},
        "server": {"type": "object", "required": ["type", "entry_point", "mcp_config"], "additionalProperties": False, "properties": {
            "type": {"const": "binary"}, "entry_point": TEXT,
            "mcp_config": {"type": "object", "required": ["command", "args"], "additionalProperties": False, "properties": {
                "command": TEXT, "args": {"type": "array", "items": TEXT},
                "env": {"type": "object", "additionalProperties": {"type": "string"}}}}}},
        "tools": {"type": "array", "items": {"type": "object", "required": ["name"], "additionalProperties": False,
                                             "properties": {"name": TEXT, "description": TEXT}}},
        "user_config": {"type": "object", "additionalProperties": {
            "type": "object", "required": ["type", "title", "description"], "additionalProperties": False,
            "properties": {"type": {"enum": ["string", "number", "boolean", "directory", "file"]}, "title": TEXT, "description": TEXT,
                           "required": {"type": "boolean"}}}},
        "compatibility": {"const": {"platforms": ["linux"]}}}}

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
LIST = {"jsonrpc": "2.0", "id": "two \"2\"", "method": "tools/list", "params": {"id": 7}}


def fits(value, schema, what):
    try:
        jsonschema.Draft202012Validator(schema).validate(value)
        check(True, what)
    except jsonschema.ValidationError as error:
        check(False, f"{what}: {error.json_path}: {error.message}")


def speak(words, messages, environment, cwd):
    lines = "".join(json.dumps(m) + "\n" for m in messages)
    done = subprocess.run([str(w) for w in words], input=lines, capture_output=True, text=True, env=environment, cwd=cwd, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def refused(schema, value):
    return not jsonschema.Draft202012Validator(schema).is_valid(value)


# The plugin's launcher: a program that is named, else one on PATH, else an answer that a client can show.
with Root() as root:
    launcher = root.path / "plugin" / ".claude-plugin" / "launch"
    launcher.parent.mkdir(parents=True)
    launcher.write_bytes((SOURCE / ".claude-plugin/launch").read_bytes())
    check(os.access(SOURCE / ".claude-plugin/launch", os.X_OK), "the launcher can be run")
    launcher.chmod(0o755)
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(root.path)}
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    started = speak([launcher, "serve", "--stdio"], [INITIALIZE, notification, LIST], bare, root.path)
    wanted = ("plumbline is not installed: put the one file of a release on PATH under that name, or install its .deb, "
              f"or run {root.path}/plugin/scripts/build (Debian 12; scripts/deps installs what it needs), or name the program with PLUMBLINE=PATH")
    equal(started[0], [{"jsonrpc": "2.0", "id": i, "error": {"code": -32603, "message": wanted}} for i in (1, LIST["id"])],
          "without a program every request is told how to get one, and notifications are not answered")
    equal(started[1].strip(), wanted, "and so is the log")
    for environment in (dict(bare, PLUMBLINE=PROGRAM), dict(bare, PATH=f"{pathlib.Path(PROGRAM).parent}:/usr/bin:/bin")):
        answers, _ = speak([launcher, "serve", "--stdio"], [INITIALIZE], environment, root.path)
        equal(answers[0]["result"]["serverInfo"]["name"], "plumbline", "with one it is started")
    servers = json.loads((SOURCE / ".claude-plugin/mcp.json").read_text())["mcpServers"]
    equal({name: (s["command"], s["args"]) for name, s in servers.items()},
          {"profile_and_optimize": ("${CLAUDE_PLUGIN_ROOT}/.claude-plugin/launch", ["serve", "--stdio"])}, "the plugin starts the launcher")

# The entry of the MCP registry.
entry = json.loads((SOURCE / "server.json").read_text())
fits(entry, ENTRY, "server.json")
equal((entry["version"], entry["packages"][0]["version"]), (VERSION, VERSION), "the versions of server.json")
for wrong in (dict(entry, name="plumbline"), dict(entry, description="x" * 101), dict(entry, version="latest"), dict(entry, packages=[])):
    check(refused(ENTRY, wrong), f"what the registry refuses is refused here: {wrong}")

# The bundle: made twice from one program it is the same; its manifest tells of this server; what it holds starts and speaks.
with Root() as root, tempfile.TemporaryDirectory() as folder:
    made = []
    for name in ("one", "two"):
        out = pathlib.Path(folder) / name
        done = subprocess.run([SOURCE / "scripts/mcpb", out], capture_output=True, text=True, env=dict(os.environ, PLUMBLINE=PROGRAM), check=False)
        equal((done.returncode, done.stderr), (0, ""), "scripts/mcpb")
        made.append([pathlib.Path(line) for line in done.stdout.splitlines()])
    bundle, published = made[0]
    equal(bundle.name, f"plumbline-{VERSION}-linux-x64.mcpb", "the bundle's name")
    check(bundle.read_bytes() == made[1][0].read_bytes(), "the same program gives the same bytes")
    released = json.loads(published.read_text())
    fits(released, dict(ENTRY, properties=dict(ENTRY["properties"], packages=dict(
        ENTRY["properties"]["packages"], items=dict(ENTRY["properties"]["packages"]["items"],
                                                    required=["registryType", "identifier", "transport", "fileSha256"])))), "its server.json")
    equal(released["packages"][0]["fileSha256"], hashlib.sha256(bundle.read_bytes()).hexdigest(), "names the bundle's digest")
    check(released["packages"][0]["identifier"].endswith("/" + bundle.name), "and the bundle")

    inside = pathlib.Path(folder) / "inside"
    with zipfile.ZipFile(bundle) as archive:
        modes = {one.filename: stat.S_IMODE(one.external_attr >> 16) for one in archive.infolist()}
        archive.extractall(inside)
    manifest = json.loads((inside / "manifest.json").read_text())
    fits(manifest, MANIFEST, "manifest.json")
    check(refused(MANIFEST, {k: v for k, v in manifest.items() if k != "server"}), "a manifest without a server is refused here")
    equal((manifest["version"], modes[manifest["server"]["entry_point"]]), (VERSION, 0o755), "its version, and the program's mode")
    equal([n for n, m in modes.items() if m != 0o644], ["server/plumbline"], "nothing else in it is a program")
    check({"LICENSE", manifest["icon"]} <= set(modes), "its licence and icon are in it")
    (inside / "server/plumbline").chmod(0o755)
    config = manifest["server"]["mcp_config"]

    def put_in(text):
        return text.replace("${__dirname}", str(inside)).replace("${user_config.root}", str(root.path))

    environment = dict({k: put_in(v) for k, v in config["env"].items()}, PATH="/usr/bin:/bin")
    answers, _ = speak([put_in(config["command"]), *map(put_in, config["args"])], [INITIALIZE, LIST], environment, "/")
    equal(answers[0]["result"]["serverInfo"]["version"], VERSION, "the program of the bundle speaks")
    equal(manifest["tools"], [{"name": t["name"], "description": t["title"]} for t in answers[1]["result"]["tools"]],
          "the manifest names the tools that are there")

# A program that needs no library, as scripts/release hands it over: its bundle has none.
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "one.c"
    source.write_text(f'#include <stdio.h>\nint main(void) {{ puts("plumbline {VERSION}"); }}\n')
    subprocess.run(["cc", "-static", "-o", f"{folder}/one", source], check=True)
    done = subprocess.run([SOURCE / "scripts/mcpb", f"{folder}/out"], capture_output=True, text=True, env=dict(os.environ, PLUMBLINE=f"{folder}/one"), check=False)
    equal((done.returncode, done.stderr), (0, ""), "scripts/mcpb of a static program")
    with zipfile.ZipFile(done.stdout.splitlines()[0]) as archive:
        equal(archive.namelist(), ["LICENSE", "icon.png", "manifest.json", "server/plumbline"], "what is in it")

# What every package holds: README's pictures, and the files that its commands and those of the documents use, lie beside it.
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run([SOURCE / "scripts/tree", PROGRAM, folder], capture_output=True, text=True, check=False)
    equal((done.returncode, done.stderr), (0, ""), "scripts/tree")
    doc = pathlib.Path(folder) / "usr/share/doc/plumbline"
    for page in (doc / "README.md", *sorted((doc / "docs").rglob("*.md"))):
        for place in re.findall(r"\]\(((?:\.\./)*(?:docs/img|img|examples)/[^)#]*)", page.read_text()):
            check((page.parent / place).exists(), f"{page.relative_to(doc)}: {place} is in the package")
    for place in re.findall(r"examples/[\w./-]+", "\n".join(re.findall(r"^\$ .*", (doc / "README.md").read_text(), re.M))):
        check((doc / place).exists(), f"README's command: {place} is in the package")

    # cmake --install lays out the same below its prefix, and its unit starts the program that stands there.
    build = pathlib.Path(PROGRAM).parents[1]
    if (build / "cmake_install.cmake").exists():
        done = subprocess.run(["cmake", "--install", build, "--prefix", "/opt/plumb"], capture_output=True, text=True, check=False,
                              env=dict(os.environ, DESTDIR=f"{folder}/installed"))
        equal((done.returncode, done.stderr), (0, ""), "cmake --install")
        def below(top):
            return sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file())
        there = pathlib.Path(folder) / "installed/opt/plumb"
        equal([name.replace("site-functions", "vendor-completions") for name in below(there) if name != "share/doc/plumbline/LICENSE"],
              below(pathlib.Path(folder) / "usr"), "cmake --install gives what packages hold")
        check("\nExecStart=/opt/plumb/bin/plumbline serve " in (there / "lib/systemd/system/plumbline.service").read_text(), "the unit starts that program")

# A version is tagged where everything says its number, with the changelog's notes as they are.
with tempfile.TemporaryDirectory() as folder:
    toy = pathlib.Path(folder)

    def git(*words):
        named = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t", "HOME": folder}
        return subprocess.run(["git", *words], cwd=toy, capture_output=True, text=True, check=False, env=dict(os.environ, **named))

    def tag(*words):
        done = subprocess.run([toy / "scripts/tag", *words], capture_output=True, text=True, check=False,
                              env=dict(os.environ, GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@t", HOME=folder))
        return done.returncode, done.stdout, done.stderr.replace("scripts/tag: ", "").splitlines()

    for name in ("scripts/tag", "scripts/mcpb-data/manifest.json", "server.json", ".claude-plugin/plugin.json"):
        (toy / name).parent.mkdir(parents=True, exist_ok=True)
        (toy / name).write_bytes((SOURCE / name).read_bytes().replace(VERSION.encode(), b"9.8.7"))
    (toy / "scripts/tag").chmod(0o755)
    (toy / "CMakeLists.txt").write_text("project(plumbline VERSION 9.8.7 LANGUAGES CXX)\n")
    (toy / "tests/compat/9.8.7").mkdir(parents=True)
    (toy / "tests/compat/9.8.7/README").write_text("kept\n")
    (toy / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [9.8.7] - 2026-11-24\n\n### Added\n\n- `#` stays.\n\n## [9.8.6] - 2026-11-20\n\n- older\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "all")
    equal(tag("9.8.7", "--dry-run"), (0, "v9.8.7 can be made\n", []), "a dry run")
    equal(tag("9.8.7")[0], 0, "the tag is made")
    equal(git("tag", "-l", "--format=%(contents)", "v9.8.7").stdout.strip("\n"), "plumbline 9.8.7\n\n### Added\n\n- `#` stays.", "the notes keep their headings")
    equal(tag("9.8.7"), (1, "", ["the tag v9.8.7 is there already"]), "a tag is never made anew")
    for name in ("scripts/mcpb-data/manifest.json", "server.json", ".claude-plugin/plugin.json"):
        was = (toy / name).read_bytes()
        (toy / name).write_bytes(was.replace(b"9.8.7", b"9.8.6"))
        status, _, problems = tag("9.8.7", "--dry-run")
        check(status == 1 and f"{name} says '9.8.6': write 9.8.7" in "\n".join(problems), f"{name}: {problems}")
        (toy / name).write_bytes(was)
    entry = (toy / "server.json").read_text()
    (toy / "server.json").write_text(entry.replace("/v9.8.7/", "/v9.8.6/"))
    check("server.json names the bundle of another version: write releases/download/v9.8.7/plumbline-9.8.7-linux-x64.mcpb" in tag("9.8.7")[2], "the bundle's address")
    (toy / "server.json").write_text(entry)
    equal(tag("9.8")[0], 2, "what is no version")

# Two folders give the same program: it does not say where it was built. (A whole second build: tests/release/run, part reproducible.)
# Debugging information names it, and no release has any.
binary = pathlib.Path(PROGRAM).read_bytes()
check(b".debug_info" in binary or str(SOURCE).encode() + b"/" not in binary, f"the program names the folder of its sources, {SOURCE}")

# A release is refused before anything is built: of what is not committed, and with a key whose signatures the documents cannot check.
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "scripts").mkdir()
    release = pathlib.Path(folder) / "scripts/release"
    release.write_bytes((SOURCE / "scripts/release").read_bytes())
    release.chmod(0o755)
    subprocess.run(["git", "init", "-q", folder], check=True)
    done = subprocess.run([release], capture_output=True, text=True, check=False)
    equal((done.returncode, done.stdout), (1, ""), "a release of what is not committed")
    check("the work tree is not what is committed" in done.stderr and "?? scripts/" in done.stderr, done.stderr)
    subprocess.run([PROGRAM, "keygen", "--out", "key", "--algorithm", "ed25519"], cwd=folder, capture_output=True, check=True)
    (pathlib.Path(folder) / "none.key").write_text("no key\n")
    for key, why in (("key.key", "is an Ed25519 key"), ("none.key", "is no private key that openssl reads")):
        done = subprocess.run([release, "--sign", key], cwd=folder, capture_output=True, text=True, check=False)
        equal((done.returncode, done.stdout), (2, ""), f"a release signed with {key}")
        check(why in done.stderr, done.stderr)

finish()
