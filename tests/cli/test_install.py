#!/usr/bin/env python3
"""plumbline install as a process: files, backups, modes, links, what is refused and what a dry run shows."""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile

PLUMBLINE = os.environ["PLUMBLINE"]
PROGRAM = os.path.realpath(PLUMBLINE)
checks = 0


def check(condition, text):
    global checks
    checks += 1
    assert condition, text


class House:
    """A home folder with a project in it, gone at the end."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plumbline-install-")
        self.home = os.path.realpath(self.folder.name)
        self.project = os.path.join(self.home, "project")
        os.makedirs(os.path.join(self.project, ".git"))
        os.makedirs(os.path.join(self.project, "deeper"))
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, *words, status=0, cwd=None, **variables):
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, **variables}
        done = subprocess.run([PLUMBLINE, *words], cwd=cwd or self.project, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        check(done.returncode == status, f"{words}: exit {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done

    def install(self, client, *words, **more):
        return self.run("install", "--client", client, *words, **more)

    def path(self, name):
        return os.path.join(self.home, name)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def backups(self, name):
        folder, base = os.path.split(self.path(name))
        return sorted(entry for entry in os.listdir(folder) if entry.startswith(base + ".bak-"))

    def strays(self, folder=""):
        return [entry for entry in os.listdir(self.path(folder)) if "plumbline-" in entry]


STDIO = {"command": PROGRAM, "args": ["serve", "--stdio"]}


def every_client_and_scope():
    files = {
        ("claude", "user"): (".claude.json", ["mcpServers"]), ("claude", "project"): ("project/.mcp.json", ["mcpServers"]),
        ("gemini", "user"): (".gemini/settings.json", ["mcpServers"]), ("gemini", "project"): ("project/.gemini/settings.json", ["mcpServers"]),
        ("cursor", "user"): (".cursor/mcp.json", ["mcpServers"]), ("cursor", "project"): ("project/.cursor/mcp.json", ["mcpServers"]),
        ("vscode", "user"): (".config/Code/User/mcp.json", ["servers"]), ("vscode", "project"): ("project/.vscode/mcp.json", ["servers"]),
    }
    for (client, scope), (name, keys) in files.items():
        with House() as house:
            house.install(client, "--scope", scope, cwd=os.path.join(house.project, "deeper"))
            document = json.loads(house.read(name))
            for key in keys:
                document = document[key]
            entry = document["plumbline"]
            check({key: entry[key] for key in STDIO} == STDIO, entry)
            check(entry.get("type") == ("stdio" if client in ("claude", "vscode") else None), entry)
            check(house.backups(name) == [] and house.strays(os.path.dirname(name)) == [], "a new file has no backup")
            said = house.install(client, "--scope", scope)
            check(said.stdout == f'already there: "plumbline" in {house.path(name)}\n', said.stdout)
            house.install(client, "--scope", scope, "--remove")
            check("plumbline" not in house.read(name).replace(house.home, ""), house.read(name))
            check(house.install(client, "--scope", scope, "--remove").stdout.startswith("not there: "), "removed twice")
    with House() as house:
        house.install("claude", "--scope", "local")
        check(json.loads(house.read(".claude.json"))["projects"][house.project]["mcpServers"]["plumbline"]["command"] == PROGRAM, "local")
        house.install("codex")
        check(house.read(".codex/config.toml") == f'[mcp_servers.plumbline]\ncommand = "{PROGRAM}"\nargs = ["serve", "--stdio"]\n', "codex")


def the_rest_of_the_file_stays():
    with House() as house:
        before = '{\n    "b": 1, // mine\n    "a": [1, 2,],\n    "mcpServers": {\n        "other": {"command": "x"},\n    },\n}\n'
        house.write(".cursor/mcp.json", before, 0o640)
        done = json.loads(house.install("cursor", "--json").stdout)
        check(done["action"] == "added" and done["written"] is True, done)
        check(re.fullmatch(re.escape(house.path(".cursor/mcp.json")) + r"\.bak-\d{8}T\d{6}Z(-\d+)?", done["backup"]), done)
        check(open(done["backup"], encoding="utf-8").read() == before, "the backup is what was there")
        check(stat.S_IMODE(os.stat(house.path(".cursor/mcp.json")).st_mode) == 0o640, "the mode is kept")
        check(stat.S_IMODE(os.stat(done["backup"]).st_mode) == 0o640, "the backup's mode too")
        after = house.read(".cursor/mcp.json")
        check(after.startswith(before[:before.index("},\n    },")]), after)
        house.install("cursor", "--remove")
        check(house.read(".cursor/mcp.json") == before, house.read(".cursor/mcp.json"))
        check(len(house.backups(".cursor/mcp.json")) == 2, "two changes, two backups")


def an_entry_is_brought_up_to_date_and_keeps_what_is_not_ours():
    with House() as house:
        house.write(".claude.json", json.dumps({"mcpServers": {"plumbline": {"type": "stdio", "command": "/old", "args": [], "env": {"A": "1"}}}}, indent=2))
        check(house.install("claude", "--", "--read-only").stdout.startswith("updated "), "updated")
        entry = json.loads(house.read(".claude.json"))["mcpServers"]["plumbline"]
        check(entry == {"type": "stdio", "command": PROGRAM, "args": ["serve", "--stdio", "--read-only"], "env": {"A": "1"}}, entry)
        house.install("claude", "--http", "http://127.0.0.1:8321/mcp", "--bearer-env", "TOKEN")
        entry = json.loads(house.read(".claude.json"))["mcpServers"]["plumbline"]
        check(entry == {"type": "http", "url": "http://127.0.0.1:8321/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}, entry)
        house.install("codex", "--http", "http://127.0.0.1:8321/mcp", "--bearer-env", "TOKEN", "--name", "profile_and_optimize")
        check(house.read(".codex/config.toml") == '[mcp_servers.profile_and_optimize]\nurl = "http://127.0.0.1:8321/mcp"\nbearer_token_env_var = "TOKEN"\n', "codex http")
        house.install("vscode", "--http", "http://127.0.0.1:8321/mcp", "--bearer-env", "TOKEN")
        check('"Bearer ${env:TOKEN}"' in house.read(".config/Code/User/mcp.json"), "vscode's way to name a variable")


def a_link_stays_a_link():
    with House() as house:
        house.write("dotfiles/config.toml", 'model = "x"\n', 0o600)
        os.makedirs(house.path(".codex"))
        os.symlink("../dotfiles/config.toml", house.path(".codex/config.toml"))
        house.install("codex")
        check(os.path.islink(house.path(".codex/config.toml")), "the link is still one")
        check(house.read("dotfiles/config.toml").startswith('model = "x"\n\n[mcp_servers.plumbline]\n'), "its file is changed")
        check(len(house.backups("dotfiles/config.toml")) == 1, "the backup lies beside the file")
        os.symlink("nowhere", house.path(".claude.json"))
        said = house.install("claude", status=2)
        check("is a symbolic link that leads nowhere" in said.stderr, said.stderr)


def a_dry_run_writes_nothing():
    with House() as house:
        house.write(".claude.json", '{\n  "token": "s3cret"\n}\n')
        said = house.install("claude", "--dry-run")
        check(said.stdout.startswith(f"--- {house.path('.claude.json')}\n+++ ") and '+    "plumbline": {' in said.stdout, said.stdout)
        check("s3cret" not in said.stdout, said.stdout)
        check(house.read(".claude.json") == '{\n  "token": "s3cret"\n}\n' and house.backups(".claude.json") == [], "nothing is written")
        done = json.loads(house.install("cursor", "--dry-run", "--json").stdout)
        check(done["written"] is False and done["change"].startswith("--- /dev/null\n"), done)
        check(not os.path.exists(house.path(".cursor")), "not even a folder")


def what_cannot_be_edited_is_left_and_the_snippet_is_given():
    with House() as house:
        for client, name, text, why in [
                ("claude", ".claude.json", '{\n// mine\n}', "line 2: a comment, which JSON does not have"),
                ("gemini", ".gemini/settings.json", '{// mine\n"a": 1,}', "line 2: a trailing comma, which JSON does not have"),
                ("cursor", ".cursor/mcp.json", '{"mcpServers": {"plumbline": {/* mine */ "command": "x"}}', "line 1: \",\" or \"}\" expected"),
                ("vscode", ".config/Code/User/mcp.json", '{"servers": {"plumbline": {"command": "x", "args": [ // mine\n]}}}', 'line 1: a comment in "args" would be lost'),
                ("codex", ".codex/config.toml", 'mcp_servers = {}\n', "line 1: mcp_servers is not written as a table [mcp_servers.plumbline]"),
        ]:
            house.write(name, text)
            said = house.install(client, status=2)
            check(said.stderr == f"plumbline: error: {house.path(name)}: {why}\nhint: nothing was written; fix it, or add this by hand\n", said.stderr)
            check(PROGRAM in said.stdout and "plumbline" in said.stdout, said.stdout)
            check(house.read(name) == text and house.backups(name) == [], name)
            check(house.install(client, "--json", status=2).stdout == "", "with --json the snippet is not on standard output")
        os.makedirs(house.path("project/.mcp.json"))
        check("is not a regular file" in house.install("claude", "--scope", "project", status=2).stderr, "a folder")
        with open(house.path("file"), "wb") as file:
            file.write(b"x")
        house.install("codex", status=3, CODEX_HOME=house.path("file"))


def words_that_are_refused():
    with House() as house:
        for words, message in [
                (["install"], '--client is missing'),
                (["install", "--client", "claud"], 'did you mean "claude"?'),
                (["install", "--client", "codex", "--scope", "local"], 'Codex has no scope "local"'),
                (["install", "--client", "claude", "--name", "a b"], '--name must be 1 to 64 letters'),
                (["install", "--client", "claude", "--", "--read-onyl"], 'did you mean "--read-only"?'),
                (["install", "--client", "claude", "--http", "localhost:1"], "--http must be an http or https URL"),
                (["install", "--client", "claude", "--http", "http://u:p@h/mcp"], "--http must not carry credentials"),
                (["install", "--client", "claude", "--bearer-env", "A"], "--bearer-env needs --http URL"),
                (["install", "--client", "claude", "--http", "http://h/mcp", "--bearer-env", "a-b"], "--bearer-env must be the name of an environment variable"),
                (["install", "--client", "claude", "--http", "http://h/mcp", "--", "--read-only"], "exclude each other"),
                (["install", "--client", "claude", "--repo-root", "/nonexistent"], "--repo-root"),
        ]:
            said = house.run(*words, status=2)
            check(message in said.stderr and said.stdout == "", f"{words}: {said.stderr}")
        check("HOME is not set" in house.install("claude", status=3, HOME="").stderr, "no HOME")
        check(sorted(os.listdir(house.home)) == ["project"], "nothing is written")


def main():
    every_client_and_scope()
    the_rest_of_the_file_stays()
    an_entry_is_brought_up_to_date_and_keeps_what_is_not_ours()
    a_link_stays_a_link()
    a_dry_run_writes_nothing()
    what_cannot_be_edited_is_left_and_the_snippet_is_given()
    words_that_are_refused()
    print(f"{checks} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
