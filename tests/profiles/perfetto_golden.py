#!/usr/bin/env python3
"""Kernels of Perfetto traces by other means than the reader's: a decoder of its own, everything in dicts. Prints the file, the
number of kernels, their total ns and the ns of each name. With --write FILE it writes the trace that the tests read.
The constants in perfetto.cpp come from here. Usage: perfetto_golden.py [--write FILE] TRACE..."""
import random
import sys
from collections import Counter


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def decode(data):
    fields, at = [], 0

    def take():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = take()
        if tag & 7 == 0:
            fields.append((tag >> 3, take()))
        else:
            size = take()
            fields.append((tag >> 3, data[at:at + size]))
            at += size
    return fields


def write(path):
    """Two streams, names told once, a clock of the sequence that counts on in microseconds, operators and launches."""
    random.seed(29)

    def packet(*fields):
        return field(1, b"".join(fields) + field(10, 1))

    def clock(number, stamp, *more):
        return field(1, field(1, number) + field(2, stamp) + b"".join(more))

    names = ["gemm_kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "elementwise_add"]
    categories = ["kernel", "cpu_op", "cuda_runtime"]
    told = b"".join(field(1, field(1, i + 1) + field(2, text)) for i, text in enumerate(categories))
    told += b"".join(field(2, field(1, i + 1) + field(2, text)) for i, text in enumerate(names + ["aten::mm", "cudaLaunchKernel"]))
    told += b"".join(field(3, field(1, i + 1) + field(2, text)) for i, text in enumerate(["stream", "correlation"]))
    out = [packet(field(60, field(1, 50) + field(4, field(1, 7) + field(2, 8) + field(5, "main")))),
           packet(field(6, clock(6, 9_000_000) + clock(64, 9000, field(3, 1), field(4, 1000))), field(13, 1), field(12, told),
                  field(59, field(58, 64) + field(11, field(11, 50))))]

    def event(delta, kind, *more):
        out.append(packet(field(8, delta), field(13, 2), field(11, field(9, kind) + b"".join(more))))

    def annotation(key, value):
        return field(4, field(1, key) + field(4, value))

    for i in range(40):
        event(3, 1, field(3, 2), field(10, 4))
        event(1, 1, field(3, 3), field(10, 5), annotation(2, i + 1))
        event(2, 2)
        event(1, 2)
        stream = 7 + i % 2
        event(5, 1, field(3, 1), field(10, 1 + i % 3), field(11, 100 + stream), annotation(1, stream), annotation(2, i + 1))
        event(random.randrange(10, 90), 2, field(11, 100 + stream))
    with open(path, "wb") as file:
        file.write(b"".join(out))


def kernels(data):
    sequences, clocks, open_slices, lengths = {}, {}, {}, Counter()
    for number, body in decode(data):
        packet = decode(body)
        said = dict(packet)
        sequence = said.get(10, 0)
        state = sequences.setdefault(sequence, {"names": {}, "clock": 6, "track": 0})
        if said.get(13, 0) & 1:
            state = sequences[sequence] = {"names": {}, "clock": 6, "track": 0}
        for key, value in packet:
            if key == 6:
                for reading in (dict(decode(part)) for kind, part in decode(value) if kind == 1):
                    clocks[reading[1]] = [reading[2], reading.get(4, 1), reading.get(3, 0)]
            if key == 12:
                for kind, entry in decode(value):
                    entry = dict(decode(entry))
                    state["names"][kind, entry[1]] = entry[2].decode()
            if key == 59:
                preset = dict(decode(value))
                state["clock"] = preset.get(58, 6)
                state["track"] = dict(decode(preset.get(11, b""))).get(11, 0)
        if 8 not in said:
            continue
        clock = clocks.setdefault(said.get(58, state["clock"]), [0, 1, 0])
        clock[0] = clock[0] + said[8] if clock[2] else said[8]
        now = clock[0] * clock[1]
        if 11 not in said:
            continue
        event = dict(decode(said[11]))
        stack = open_slices.setdefault(event.get(11, state["track"]), [])
        if event.get(9) == 1:
            category = event[22].decode() if 22 in event else state["names"].get((1, event.get(3)))
            name = event[23].decode() if 23 in event else state["names"].get((2, event.get(10)))
            stack.append((now, category, name))
        elif event.get(9) == 2:
            start, category, name = stack.pop()
            if category == "kernel":
                lengths[name] += now - start
                lengths["count"] += 1
    return lengths


arguments = sys.argv[1:]
if arguments and arguments[0] == "--write":
    write(arguments[1])
    arguments = arguments[1:]
for path in arguments:
    with open(path, "rb") as file:
        found = kernels(file.read())
    count = found.pop("count")
    print(path.split("/")[-1], count, sum(found.values()), dict(sorted(found.items())))
