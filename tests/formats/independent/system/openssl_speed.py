#!/usr/bin/env python3
"""openssl speed: the table of ciphers and digests (in 1000 bytes a second), those of keys, and -mr (bytes a second)."""
import re

from rows import NUMBER, emit, lines, number, point

sizes, columns = [], []
KEYS = {"+F2": "rsa", "+F3": "dsa", "+F4": "ecdsa", "+F5": "ecdh"}
for line in lines():
    if line.startswith("type ") and "bytes" in line:
        sizes = re.findall(r"(\d+) bytes", line)
    elif re.match(r"\s+(sign|op|keygen)\s", line):
        columns = line.split()
    elif found := re.match(r"(?:Got: )?\+H:([\d:]+)", line):
        sizes = found.group(1).split(":")
    elif found := re.match(r"(\+F[2-6]):\d+:(\d+):(?:([A-Za-z]\w*):)?([\d.]+):([\d.]+)$", line):
        kind, bits, name, first, second = found.groups()
        key = point(name or KEYS[kind], bits=bits)
        emit(key, "op_per_second" if kind == "+F5" else "sign_per_second", "op/s", float(first))
        emit(key, "verify_per_second", "op/s", float(second) if kind != "+F5" else None)
    elif found := re.match(r"\+F:\d+:([^:]+):(.*)", line):
        for size, value in zip(sizes, found.group(2).split(":")):
            emit(point(found.group(1), size=size + " bytes"), "throughput", "kB/s", float(value) / 1000)
    elif found := re.match(r"\s*(?:(\d+) bits )?([A-Za-z]+)\s*(?:(\d+) bits)?\s*(?:\(([^)]*)\))?((?:\s+[\d.]+s?)+)\s*$", line):
        if columns and (found.group(1) or found.group(3)):
            key = point(found.group(2), bits=found.group(1) or found.group(3), curve=found.group(4))
            for column, value in zip(columns, found.group(5).split()):
                name = column.replace("encr.", "encrypt").replace("decr.", "decrypt")
                emit(key, name.replace("/s", "_per_second"), "op/s" if "/s" in name else "s", number(value))
    elif sizes and (found := re.fullmatch(rf"(\S+(?: \S+)*?)\s+((?:{NUMBER}k\s*)+)", line)):
        for size, value in zip(sizes, found.group(2).split()):
            emit(point(found.group(1), size=size + " bytes"), "throughput", "kB/s", number(value))
