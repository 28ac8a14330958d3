#!/usr/bin/env python3
"""The transcript in docs/agents.md is what the program answers today. A client of our own makes the calls over standard input and output,
as an agent's client does; paths, times and digests are replaced by what stays. PLUMBLINE_UPDATE_GOLDENS=1 writes the page's part anew."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("PLUMBLINE_SOURCE") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PROGRAM = os.path.abspath(os.environ.get("PLUMBLINE") or os.path.join(SOURCE, "build", "release", "bin", "plumbline"))
PAGE = os.path.join(SOURCE, "docs", "agents.md")
BEGIN, END = "<!-- transcript: written by tests/docs/test_transcript.py -->\n", "<!-- end of the transcript -->\n"
SECONDS = 60

REFUSED = ("code", "message")  # of a call that is refused: to accept a baseline is a person's decision, and this client cannot ask one

# What an agent does when it is asked "did the upgrade from before to after make serving slower?": the tool, its arguments, and the fields of
# its answer that are shown.
CALLS = (
    ("measurement_inspect", {"path": "examples/serving/vllm-before.json"}, ("shape", "row_count", "headline")),
    ("perf_baseline_record", {"family": "serving", "measurement": "model-8b", "source": "examples/serving/vllm-before.json",
                              "headline": ["*output_throughput"], "context": {"environment.hostname": "gpu-n01"}},
     ("entry_dir", "rows", "trials", "tier")),
    ("perf_baseline_accept", {"baseline": "serving/model-8b", "reason": "this version is in production"}, REFUSED),
    ("perf_baseline_diff", {"baseline": "serving/model-8b", "current": "examples/serving/vllm-after.json",
                            "context": {"environment.hostname": "gpu-n01"}},
     ("verdict", "tier", "counts", "culprits", "recommendation", "diff_dir", "bundle_sha256")),
    ("bundle_verify", {"path": "BUNDLE"}, ("ok", "files", "problems")),
)


def steady(text, folder):
    text = text.replace(folder, "/team")
    return re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", re.sub(r"\d{8}T\d{12}Z", "TIME", text))


def shown(value):
    """an answer's field as the page shows it: of lists the first, of a part of the rows what names it"""
    if isinstance(value, dict):
        return {key: shown(inner) for key, inner in value.items() if inner not in (0, [], None, "") and key not in ("next_best", "unaffected", "p", "p_value")}
    if isinstance(value, list):
        return [shown(inner) for inner in value[:1]]
    return value


class Client:
    def __init__(self, folder):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PLUMBLINE", "PROFILE_AND_OPTIMIZE", "GIT_"))}
        self.server = subprocess.Popen([PROGRAM, "serve", "--stdio", "--repo-root", folder], cwd=folder, env=environment, text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0

    def send(self, method, parameters, answered=True):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if answered:
            self.number += 1
            message["id"] = self.number
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()
        while answered:
            line = self.server.stdout.readline()
            assert line, f"the server ended during {method}"
            answer = json.loads(line)
            if answer.get("id") == self.number:
                assert "result" in answer, f"{method}: {answer}"
                return answer["result"]
        return None

    def close(self):
        self.server.stdin.close()
        try:
            assert self.server.wait(SECONDS) == 0, self.server.returncode
        finally:
            self.server.kill()


def wrapped(arrow, text):
    lines, line = [], arrow + " "
    for word in re.split(r"(?<=,) ", text):
        if len(line) + len(word) > 130:
            lines.append(line.rstrip())
            line = "  "
        line += word + " "
    return lines + [line.rstrip()]


def recorded():
    lines = ["```text"]
    with tempfile.TemporaryDirectory(prefix="plumbline-transcript-") as folder:
        folder = os.path.realpath(folder)
        shutil.copytree(os.path.join(SOURCE, "examples"), os.path.join(folder, "examples"))
        client = Client(folder)
        hello = client.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "transcript", "version": "1"}})
        client.send("notifications/initialized", {}, answered=False)
        lines += wrapped("→ initialize", '{"protocolVersion": "2025-11-25"}')
        lines += wrapped("←", json.dumps({"protocolVersion": hello["protocolVersion"], "serverInfo": {"name": hello["serverInfo"]["name"]}}))
        tools = [tool["name"] for tool in client.send("tools/list", {})["tools"]]
        lines += wrapped("→ tools/list", "{}") + wrapped("←", ", ".join(tools))
        bundle = None
        for tool, arguments, fields in CALLS:
            asked = {key: bundle if value == "BUNDLE" else value for key, value in arguments.items()}
            answer = client.send("tools/call", {"name": tool, "arguments": asked})
            assert answer.get("isError", False) == (fields == REFUSED), f"{tool}: {answer}"
            content = json.loads(answer["content"][0]["text"]) if fields == REFUSED else answer["structuredContent"]
            assert all(field in content for field in fields), f"{tool} has no {[field for field in fields if field not in content]}: {sorted(content)}"
            bundle = content.get("diff_dir", bundle)
            lines += wrapped(f"→ tools/call {tool}", steady(json.dumps(asked), folder))
            lines += wrapped("←", steady(json.dumps({field: shown(content[field]) for field in fields}, ensure_ascii=False), folder))
        client.close()
    return "\n".join(lines + ["```", ""])


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    kept, after = rest.split(END)
    made = recorded()
    assert '"verdict": "RED"' in made, made
    if os.environ.get("PLUMBLINE_UPDATE_GOLDENS"):
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + "\n" + made + "\n" + END + after)
        kept = made
    if kept.strip() != made.strip():
        print(f"the transcript in docs/agents.md is not what the program answers, which is:\n{made}")
        return 1
    print(f"transcript: {len(CALLS)} calls, as shown")
    return 0


if __name__ == "__main__":
    sys.exit(main())
