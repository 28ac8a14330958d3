#!/usr/bin/env python3
"""The picture of a comparison as a PNG: `--report png=FILE` of diff and profile-diff, and the image that `chart` adds to an answer over
MCP. Pictures are read by a decoder of their own here, and asked what is drawn: the verdict's colour, what is worse, no letter lost."""
import base64
import json
import os
import struct
import subprocess
import zlib

from harness import PLUMBLINE, SOURCE, Root, check, equal, finish
from traces import captures

RED, YELLOW, GREEN, WORSE, BETTER, INK = (168, 50, 0), (255, 216, 102), (0, 99, 74), (217, 88, 13), (42, 120, 200), (21, 25, 30)
EXAMPLES = SOURCE / "formats/examples"


def decoded(data, what):
    """(width, height, rows of (red, green, blue)) of an RGB PNG with 8 bits a channel; every chunk's checksum is asked."""
    equal(data[:8], b"\x89PNG\r\n\x1a\n", f"{what}: signature")
    at, pixels, width, height, ended = 8, b"", 0, 0, False
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body, (crc,) = data[at + 8:at + 8 + length], struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        equal(crc, zlib.crc32(kind + body), f"{what}: checksum of {kind}")
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            equal((depth, colour), (8, 2), f"{what}: 8 bits, RGB")
        elif kind == b"IDAT":
            pixels += body
        ended = kind == b"IEND"
        at += 12 + length
    check(ended, f"{what}: the last chunk is IEND")
    raw, rows, above = zlib.decompress(pixels), [], bytearray(3 * width)
    for y in range(height):
        start = y * (3 * width + 1)
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + 3 * width])
        for i in range(3 * width):
            left, up = line[i - 3] if i >= 3 else 0, above[i]
            if how == 1:
                line[i] = (line[i] + left) & 255
            elif how == 2:
                line[i] = (line[i] + up) & 255
            elif how == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif how == 4:
                corner = above[i - 3] if i >= 3 else 0
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
                line[i] = (line[i] + near) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, 3 * width, 3)])
        above = line
    return width, height, rows


def looked_at(data, what, badge, worse=None, better=None):
    check(len(data) < 120_000, f"{what}: {len(data)} bytes are few enough to hand to a model")
    width, height, rows = decoded(data, what)
    equal(width, 1000, f"{what}: width")
    check(130 <= height <= 760, f"{what}: {height} pixels high")
    equal(rows[26][34], badge, f"{what}: the verdict's colour in the badge")
    counted = {}
    for row in rows[90:]:
        for pixel in row:
            counted[pixel] = counted.get(pixel, 0) + 1
    check(sum(row.count(INK) for row in rows[60:]) > 20, f"{what}: words are drawn")
    for asked, colour, name in ((worse, WORSE, "worse"), (better, BETTER, "better")):
        if asked is not None:
            equal(counted.get(colour, 0) > 40, asked, f"{what}: something is drawn as {name} ({counted.get(colour, 0)} pixels)")
    for y in (0, height - 1):
        check(all(pixel == (255, 255, 255) for pixel in rows[y]), f"{what}: nothing is cut off at line {y}")
    check(all(row[0] == (255, 255, 255) and row[-1] == (255, 255, 255) for row in rows), f"{what}: nothing is cut off at the sides")


def picture(root, *words, verb="diff"):
    file = root.path / "picture.png"
    done = root.run(verb, *words, "--report", f"png={file}")
    check(done.returncode == 0, f"{words}: {done.stderr}")
    check("PNG" not in done.stdout, f"{words}: the table alone is on standard output")
    return file.read_bytes()



with Root() as root:
    # Rows with trials: dots.
    before = root.write("a.json", {"throughput": [100, 101, 99, 100, 100.5], "latency_ms": [10, 10.1, 9.9, 10, 10.05]})
    after = root.write("b.json", {"throughput": [80, 81, 79, 80, 80.5], "latency_ms": [8, 8.1, 7.9, 8, 8.05]})
    looked_at(picture(root, before, after), "rows with trials", YELLOW, worse=True, better=True)
    serving = SOURCE / "examples/serving"
    looked_at(picture(root, serving / "vllm-before.json", serving / "vllm-after.json"), "a serving benchmark", RED, worse=True)
    looked_at(picture(root, before, before), "nothing changed", GREEN, worse=False, better=False)
    first = picture(root, before, after)
    equal(picture(root, before, after), first, "the same question gives the same bytes")

    # Hostile keys: no control characters, letters that the typeface lacks, one word longer than the picture.
    hostile = {"\u001b[31m" + "数据" * 40 + "_ms": 10, "x" * 4000 + "_ms": 10, "\u202eevil_ms": 10}
    worse = {key: 20 for key in hostile}
    looked_at(picture(root, root.write("h1.json", hostile), root.write("h2.json", worse)), "hostile keys", RED, worse=True)

    # Very many rows: one picture, as high as it may be.
    many = {f"row{i}.time_ms": 10 + i % 7 for i in range(5000)}
    slower = {key: value * (1.5 if key.startswith("row1") else 1) for key, value in many.items()}
    looked_at(picture(root, root.write("m1.json", many), root.write("m2.json", slower)), "5,000 rows", RED, worse=True)

    # No numbers that could be drawn: the words alone.
    looked_at(picture(root, root.write("n1.json", {"n_ms": 0}), root.write("n2.json", {"n_ms": 0})), "nothing to draw", GREEN)

    # A matrix of cells, and a curve over sizes.
    def bandwidths(slow):
        cells = [["N/A" if x == y else f"{(250 if slow == y else 360) + x / 10:.2f}" for x in range(8)] for y in range(8)]
        case = {"name": "device_to_device_memcpy_read_ce", "status": "Passed", "bandwidth_matrix": cells,
                "bandwidth_description": "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)"}
        return {"nvbandwidth": {"CUDA Runtime Version": 12080, "Driver Version": "570.10.01", "GPU Device list": ["0: NVIDIA H200 (00000000:1b:00)"],
                                "git_version": "v0.8", "testcases": [case]}}
    drawn = picture(root, root.write("bw1.json", bandwidths(None)), root.write("bw2.json", bandwidths(2)))
    looked_at(drawn, "a matrix", RED)
    rows = decoded(drawn, "a matrix")[2]
    cells = {pixel for row in rows for pixel in row[100:970]}
    check((226, 128, 71) in cells, "cells that lost a third are dark")
    nccl = (EXAMPLES / "hardware/nccl-tests.txt").read_text()
    looked_at(picture(root, root.write("n1.txt", nccl), root.write("n2.txt", nccl)), "a curve", GREEN, worse=False)

    # Captures: the waterfall.
    one, two = captures(root.path, "one", [1000]), captures(root.path, "two", [1300])
    looked_at(picture(root, *one, *two, verb="profile-diff"), "captures", RED, worse=True)
    looked_at(picture(root, *two, *one, verb="profile-diff"), "faster captures", GREEN, better=True)

    # A terminal shows no image.
    for words in (("png",), ("png=-",)):
        done = root.run("diff", before, after, "--report", *words)
        equal((done.returncode, done.stdout), (2, ""), f"--report {words}")
        equal(done.stderr, "plumbline: error: --report png is an image, which no terminal shows: it needs a file\nhint: `--report png=FILE`\n",
              f"--report {words} says")

    # Over MCP the image stands beside the text, and nobody pays for it who does not ask.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE")}
    server = subprocess.Popen([PLUMBLINE, "serve", "--stdio", "--repo-root", str(root.path)], cwd=root.path, env=environment,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(number, method, **params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())["result"]

    ask(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    sides = {"baseline": str(before), "current": str(after), "no_bundle": True}
    plain = ask(2, "tools/call", name="perf_baseline_diff", arguments=sides)
    check(not any(block["type"] == "image" for block in plain["content"]), "no image where none was asked for")
    drawn = ask(3, "tools/call", name="perf_baseline_diff", arguments={**sides, "chart": True})
    images = [block for block in drawn["content"] if block["type"] == "image"]
    equal([sorted(block) for block in images], [["data", "mimeType", "type"]], "one image, as the specification has it")
    equal(images[0]["mimeType"], "image/png", "its type")
    looked_at(base64.b64decode(images[0]["data"], validate=True), "the image over MCP", YELLOW, worse=True)
    equal(json.loads(drawn["content"][0]["text"]), drawn["structuredContent"], "the text stays first")
    equal(drawn["structuredContent"]["verdict"], plain["structuredContent"]["verdict"], "the picture changes no answer")
    of_captures = ask(4, "tools/call", name="profile_diff",
                      arguments={"baseline": one, "candidate": two, "chart": True})
    images = [block for block in of_captures["content"] if block["type"] == "image"]
    looked_at(base64.b64decode(images[0]["data"], validate=True), "captures over MCP", RED, worse=True)
    server.stdin.close()
    equal(server.wait(20), 0, "the server ends")

finish()
