#!/usr/bin/env python3
"""Event files of TensorBoard: the last value of each scalar. Times and rates are left to test_event_files.py."""
import re
import struct
import sys

from rows import emit


def fields(data):
    """(number, value) of a protocol buffer: an int, or bytes whatever they are."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or varint()
        yield key >> 3, data[at:at + size]
        at += size


def tensor(data):
    found = dict(fields(data))
    form = {1: "<f", 2: "<d", 3: "<i", 9: "<q"}[found[1]]
    return struct.unpack(form, found.get(4) or found.get(5) or found.get(6))[0]


with open(sys.argv[1], "rb") as file:
    content = file.read()
last, plugins, at = {}, {}, 0
while at < len(content):
    (length,) = struct.unpack_from("<Q", content, at)
    for number, summary in fields(content[at + 12:at + 12 + length]):
        for _, value in fields(summary) if number == 5 else ():
            parts = dict(fields(value))
            tag = parts[1].decode()
            if 9 in parts:
                plugins[tag] = dict(fields(dict(fields(parts[9])).get(1, b""))).get(1)
            if 2 in parts:
                last[tag] = struct.unpack("<f", parts[2])[0]
            elif 8 in parts and plugins.get(tag) == b"scalars":
                last[tag] = tensor(parts[8])
    at += length + 16
for tag, value in last.items():
    if not re.search("time|second|throughput|per_sec|_ms$", tag):
        emit("", tag, "", value)
