#!/usr/bin/env python3
"""Goldens for tests/core/rate_gates.cpp: the tail of the hypergeometric distribution counted in whole numbers, as an exact fraction.
Plain Python. more_failures_golden.py > more_failures.tsv"""
import fractions
import itertools
import math
import random


def p(failed_before, before, failed_now, now):
    failed = failed_before + failed_now
    ways = sum(math.comb(now, x) * math.comb(before, failed - x) for x in range(failed_now, min(now, failed) + 1) if failed - x <= before)
    return fractions.Fraction(ways, math.comb(before + now, failed))


def line(*counts):
    print("\t".join([*map(str, counts), repr(float(p(*counts)))]))


for before, now in itertools.product((1, 2, 5), repeat=2):
    for failed_before, failed_now in itertools.product(range(before + 1), range(now + 1)):
        line(failed_before, before, failed_now, now)
for counts in [(3, 1000, 12, 1000), (0, 1000, 1, 1000), (0, 1000, 7, 1000), (0, 1000, 6, 1000), (50, 10000, 90, 10000), (90, 10000, 50, 10000),
               (500, 10000, 500, 10000), (9999, 10000, 10000, 10000), (1, 10000, 9999, 10000), (0, 20, 20, 20), (10, 100, 300, 2000)]:
    line(*counts)
draw = random.Random(1)
for _ in range(60):
    before, now = draw.randint(1, 3000), draw.randint(1, 3000)
    share = draw.choice([0.001, 0.01, 0.1, 0.5])
    line(sum(draw.random() < share for _ in range(before)), before, sum(draw.random() < 2 * share for _ in range(now)), now)
