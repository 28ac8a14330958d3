"""Writes event files of TensorBoard byte by byte, without TensorFlow and without knowledge of the reader."""
import struct


def crc32c(data):
    """RFC 3720, B.4: bit by bit, slow and easy to check."""
    total = 0xFFFFFFFF
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = (total >> 1) ^ (0x82F63B78 if total & 1 else 0)
    return total ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


def masked(data):
    total = crc32c(data)
    return (((total >> 15) | (total << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def single(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def event(time, step=0, values=(), more=b""):
    held = b"".join(message(1, value) for value in values)
    return record(double(1, time) + (number(2, step) if step else b"") + (message(5, held) if values else b"") + more)


def first(time=1_700_000_000.0):
    return record(double(1, time) + message(3, "brain.Event:2"))


def session_start(time, step):
    return event(time, step, more=message(7, number(1, 1)))


def simple(tag, value):
    """As torch.utils.tensorboard and TensorFlow 1 write it."""
    return message(1, tag) + single(2, value)


def metadata(plugin):
    return message(9, message(1, message(1, plugin)))


FLOAT, DOUBLE, INT32, INT64, BFLOAT16, HALF = 1, 2, 3, 9, 14, 19


def tensor(tag, kind, content, plugin="scalars", shape=b""):
    """As TensorFlow 2 writes it; `content` is the field of the tensor that holds the number."""
    return message(1, tag) + message(8, number(1, kind) + message(2, shape) + content) + (metadata(plugin) if plugin else b"")


def histogram(tag):
    return message(1, tag) + message(5, double(1, 0.5) + double(2, 1.5))


def image(tag):
    return message(1, tag) + message(4, number(1, 8) + number(2, 8))


def sample():
    """A short run with what a trainer writes: the fixture of tests/formats/fixtures/tensorboard.tfevents."""
    out = first()
    for step in range(1, 7):
        time = 1_700_000_000.0 + step * 2
        out += event(time, step, [simple("train/loss", 4.0 / step)])
        out += event(time, step, [simple("train/learning_rate", 0.001)])
        out += event(time, step, [simple("perf/step_time_ms", 900.0 if step == 1 else 250.5 + step)])
        out += event(time, step, [simple("perf/tokens_per_second", 1000.0 if step == 1 else 4000.25 + step)])
        out += event(time, step, [simple("time/elapsed_s", 2.5 * step)])
    out += event(1_700_000_014.5, 6, [tensor("eval/accuracy", FLOAT, message(4, struct.pack("<f", 0.75)))])
    out += event(1_700_000_014.5, 6, [tensor("eval/loss", DOUBLE, message(6, struct.pack("<d", 0.6875)))])
    out += event(1_700_000_014.5, 6, [histogram("weights/layer0")])
    return out


if __name__ == "__main__":
    import sys

    with open(sys.argv[1], "wb") as file:
        file.write(sample())
