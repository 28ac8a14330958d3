#!/usr/bin/env python3
"""Makes a registry of many small entries, each valid by itself, faster than recording them would: what pages, histories and searches
over large registries are measured on.

    tests/bench/big_registry.py FOLDER [--entries 400000] [--longest 40000] [--diffs 4000]

One measurement, `long/history`, has --longest entries; the others have 40 each, 45 measurements to a family."""
import argparse
import datetime
import hashlib
import json
import os
import random

HOUR = datetime.timedelta(hours=1)
BEGIN = datetime.datetime(2021, 1, 1, tzinfo=datetime.timezone.utc)
EACH, TO_A_FAMILY = 40, 45


def slug(at):
    return at.strftime("%Y%m%dT%H%M%S%fZ")


def publish(folder, files):
    os.mkdir(folder)
    lines = []
    for name, text in sorted(files.items()):
        data = text.encode()
        with open(f"{folder}/{name}", "wb") as out:
            out.write(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
    with open(f"{folder}/SHA256SUMS", "w", encoding="ascii") as out:
        out.write("".join(lines))


def entry(family, measurement, at, value):
    return json.dumps({"schema": "plumbline.baseline.v1", "family": family, "measurement": measurement, "value": value, "unit": "GB/s",
                       "direction": "higher-is-better", "source_path": "/data/value.txt",
                       "source_sha256": hashlib.sha256(str(value).encode()).hexdigest(),
                       "registered_at_utc": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "notes": "", "shape": "scalar",
                       "format": {"name": "scalar-text", "version": None, "confidence": 0.95, "evidence": ["one number"]}, "tier": "DRAFT",
                       "trials": 1, "rows": 1, "headline": [], "directions": {}, "tolerances": {}, "context": {"hardware.gpu": "H200"},
                       "snapshot": {"path": "", "bytes": 0, "sha256": ""}, "reason": "", "tool": {"name": "plumbline", "version": "0.2.0"}},
                      indent=2) + "\n"


def diff(family, measurement, verdict):
    return json.dumps({"schema": "plumbline.diff.v1", "family": family, "measurement": measurement, "verdict": verdict, "tier": "DRAFT",
                       "promote": [], "reasons": [{"code": "headline_regressed", "keys": [measurement], "message": f"{measurement} moved"}],
                       "deltas_top20": [{"key": measurement, "state": "regressed"}]}, indent=2) + "\n"


def line(root, kind, family, measurement, count, text, step=HOUR):
    folder = f"{root}/experiments/artifacts/{kind}/{family}/{measurement}"
    os.makedirs(folder)
    for number in range(count):
        at = BEGIN + number * step + datetime.timedelta(microseconds=random.randrange(1_000_000))
        publish(f"{folder}/{slug(at)}", text(at, number))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--entries", type=int, default=400_000)
    parser.add_argument("--longest", type=int, default=40_000)
    parser.add_argument("--diffs", type=int, default=4_000)
    asked = parser.parse_args()
    random.seed(19)
    kind = "perf-baselines"
    line(asked.folder, kind, "long", "history", asked.longest, lambda at, number: {
        "baseline.json": entry("long", "history", at, round(310 * (0.9 if number > asked.longest * 0.995 else 1) * random.gauss(1, 0.01), 2))})
    measurements = [(f"family-{i // TO_A_FAMILY:03}", f"measurement-{i % TO_A_FAMILY:02}") for i in range((asked.entries - asked.longest) // EACH)]
    for family, measurement in measurements:
        line(asked.folder, kind, family, measurement, EACH, lambda at, number, name=(family, measurement): {
            "baseline.json": entry(*name, at, round(100 * random.gauss(1, 0.02), 3))})
    for family, measurement in measurements[:asked.diffs // 4]:
        line(asked.folder, "perf-baseline-diffs", family, measurement, 4, lambda at, number, name=(family, measurement): {
            "diff.json": diff(*name, random.choice(["GREEN", "GREEN", "YELLOW", "RED"])), "diff.md": "# diff\n"})


if __name__ == "__main__":
    main()
