#!/usr/bin/env python3
"""Goldens for tests/core/looks.cpp from the definitions: permutations counted, at each look's share. Plain Python. looks_goldens.py > anytime_goldens.tsv"""
import itertools
import random

PAIRS = {7: 5, 9: 4, 12: 4, 16: 4, 21: 4, 28: 3}  # trials at a look, its share of 32
RANKS = {4: 4, 6: 4, 9: 5, 12: 5, 16: 4, 21: 3}


def pairs_p(differences, shift):
    """Every choice of signs: those whose positive ranks sum to as much, out of all."""
    best = 1.0
    for n, share in PAIRS.items():
        if n > len(differences) or n > 16:
            continue
        d = [x - shift for x in differences[:n]]
        ranks = [sum(abs(y) < abs(x) for y in d) + (1 + sum(abs(y) == abs(x) for y in d)) / 2 for x in d]
        seen = sum(r * ((x > 0) - (x < 0)) for r, x in zip(ranks, d))
        sums = {0.0: 1}
        for r, x in zip(ranks, d):
            following = {}
            for s, count in sums.items():
                for signed in ((0.0,) * 2 if x == 0 else (r, -r)):
                    following[s + signed] = following.get(s + signed, 0) + count
            sums = following
        p = sum(count for s, count in sums.items() if s >= seen) / 2**n
        best = min(best, p * 32 / share)
    return best


def ranks_p(baseline, current, shift):
    """Every choice of which values are the current side's."""
    best = 1.0
    for n, share in RANKS.items():
        if n > len(current) or len(baseline) + n > 18:
            continue
        c = [x - shift for x in current[:n]]
        every = list(baseline) + c
        ranks = [sum(y < x for y in every) + (1 + sum(y == x for y in every)) / 2 for x in every]
        seen = sum(ranks[len(baseline):])
        chosen = list(itertools.combinations(ranks, n))
        p = sum(sum(one) >= seen for one in chosen) / len(chosen)
        best = min(best, p * 32 / share)
    return best


def text(values):
    return ",".join(repr(v) for v in values)


def main():
    draw = random.Random(20)
    for n in (1, 2, 6, 7, 8, 9, 12, 14, 16):
        for mean in (-1.0, 0.0, 0.8, 3.0):
            d = [draw.gauss(mean, 1) for _ in range(n)]
            print("pairs", text(d), 0.25, pairs_p(d, 0.25), sep="\t")
    # Ties: of sizes among each other, and with the shift.
    for d in ([1.0, 1.0, 1.0, 1.0, 1.0], [0.5, -0.5, 1.0, 2.0, 2.0, 2.0], [0.25, 1.25, -0.75, 0.25, 2.25, 2.25, 2.25]):
        print("pairs", text(d), 0.25, pairs_p(d, 0.25), sep="\t")
    for nb in (1, 3, 5, 8):
        for n in (1, 4, 6, 8):
            for mean in (0.0, 1.0, 4.0):
                b, c = [draw.gauss(0, 1) for _ in range(nb)], [draw.gauss(mean, 1) for _ in range(n)]
                print("ranks", text(b), text(c), 0.25, ranks_p(b, c, 0.25), sep="\t")
    print("ranks", text([1.0, 1.0, 2.0]), text([1.25, 2.25, 3.25, 3.25]), 0.25, ranks_p([1.0, 1.0, 2.0], [1.25, 2.25, 3.25, 3.25], 0.25), sep="\t")


main()
