#!/usr/bin/env python3
"""Skills and plugin manifests are what agents can load: front matter, names, sizes, JSON calls that parse, tools that exist,
local links of the documents that lead somewhere."""
import json
import os
import re
import sys

TOOLS = {"perf_baseline_record", "perf_baseline_diff", "profile_diff", "profile_profile_diff", "perf_baseline_accept",
         "perf_baseline_history", "measurement_inspect", "bundle_verify", "search_evidence"}


def skill_problems(folder, text):
    match = re.match(r"---\n(.*?)\n---\n(.*)", text, re.S)
    if not match:
        return ["no front matter"]
    head, body = match.groups()
    found = []
    name = re.search(r"^name: (\S+)$", head, re.M)
    if not name or name.group(1) != folder or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", folder):
        found.append(f"name is not the folder's name '{folder}'")
    description = re.search(r"^description: >-\n((?:  .*\n)+)", head + "\n", re.M)
    if not description or not 1 <= len(" ".join(description.group(1).split())) <= 1024:
        found.append("description has not 1 to 1024 characters")
    if len(body.split("\n")) > 500:
        found.append("body has more than 500 lines")
    tools = re.findall(r"^  - (\S.*)$", head, re.M)
    for tool in tools:
        mcp = re.fullmatch(r"mcp__(profile_and_optimize|plumbline)__(\w+)", tool)
        if mcp and mcp.group(2) not in TOOLS:
            found.append(f"no tool is called {mcp.group(2)}")
        elif not mcp and not re.fullmatch(r"Read|Write|Bash\(\w+:\*\)", tool):
            found.append(f"allowed-tools entry not understood: {tool}")
    if "Bash(plumbline:*)" not in tools:
        found.append("the fallback needs Bash(plumbline:*)")
    if re.search(r"diff\b", folder):  # what a reviewer needs: the report, the digest and how to check it
        found += [f"does not say what to do with {word}" for word in ("diff.md", "bundle_sha256", "plumbline verify", "--report md=")
                  if word not in body]
    for block in re.findall(r"```json\n(.*?)```", body, re.S):
        try:
            json.loads(block)
        except ValueError as problem:
            found.append(f"a call is not JSON: {problem}")
    return found


def manifest_problems(source):
    def load(name):
        with open(os.path.join(source, name), encoding="utf-8") as file:
            return json.load(file)

    plugin, market, servers = load(".claude-plugin/plugin.json"), load(".claude-plugin/marketplace.json"), load(".claude-plugin/mcp.json")
    found = []
    if [entry["name"] for entry in market["plugins"]] != [plugin["name"]]:
        found.append("marketplace.json does not offer the plugin of plugin.json")
    if servers["mcpServers"]["profile_and_optimize"]["args"] != ["serve", "--stdio"]:
        found.append(".claude-plugin/mcp.json does not start the server over stdio")
    with open(os.path.join(source, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\(plumbline VERSION (\S+)", file.read()).group(1)
    if plugin["version"] != version:
        found.append(f"plugin.json has version {plugin['version']}, the project {version}")
    return found


def link_problems(source):
    found = []
    documents = [os.path.join(source, "README.md")]
    for folder, _, names in os.walk(os.path.join(source, "docs")):
        documents += [os.path.join(folder, name) for name in names if name.endswith(".md")]
    for document in sorted(documents):
        with open(document, encoding="utf-8") as file:
            text = re.sub(r"```.*?```", "", file.read(), flags=re.S)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not os.path.exists(os.path.join(os.path.dirname(document), target)):
                found.append(f"{os.path.relpath(document, source)}: link to {target}, which is not there")
    return found


def main():
    assert "no front matter" in skill_problems("x", "text")
    assert "does not say what to do with bundle_sha256" in skill_problems("x-diff", "---\nname: x-diff\n---\nbody")
    assert "no tool is called nope" in skill_problems("x", "---\nname: x\nallowed-tools:\n  - mcp__plumbline__nope\n---\nbody")
    source = os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = manifest_problems(source) + link_problems(source)
    skills = sorted(os.listdir(os.path.join(source, "skills")))
    for folder in skills:
        with open(os.path.join(source, "skills", folder, "SKILL.md"), encoding="utf-8") as file:
            found += [f"skills/{folder}: {problem}" for problem in skill_problems(folder, file.read())]
    for problem in found:
        print(problem)
    print(f"skills: {len(skills)} skills, {len(found)} problems")
    return 1 if found or not skills else 0


if __name__ == "__main__":
    sys.exit(main())
