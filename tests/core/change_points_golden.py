#!/usr/bin/env python3
"""Goldens for tests/core/change_points.cpp: the rules of core/history/change_points.hpp written a second time, plainly: midranks by
counting, every statistic as a difference of mean ranks, permutations by random.shuffle, small cases by every arrangement.

    python3 tests/core/change_points_golden.py > tests/core/change_points.tsv
"""
import itertools
import math
import random
import statistics

SEGMENT, WINDOW, ALPHA = 3, 50, 0.001


def midranks(x):
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def statistic(ranks, k):
    """The squared difference of the parts' mean ranks, weighted by the parts' sizes."""
    n = len(ranks)
    return (statistics.fmean(ranks[:k]) - statistics.fmean(ranks[k:])) ** 2 * k * (n - k)


def splits(n):
    return range(SEGMENT, n - SEGMENT + 1)


def largest(ranks):
    return max(statistic(ranks, k) for k in splits(len(ranks)))


def exact_p(x):
    ranks = midranks(x)
    observed = largest(ranks)
    arrangements = [largest(list(order)) >= observed * (1 - 1e-9) for order in itertools.permutations(ranks)]
    return sum(arrangements) / len(arrangements)


def sampled_p(ranks, observed, rng, draws=600):
    ranks = list(ranks)
    reached = 0
    for _ in range(draws):
        rng.shuffle(ranks)
        reached += largest(ranks) >= observed * (1 - 1e-9)
    return (reached + 1) / (draws + 1)


def is_real(x, k, p):
    before, after = x[:k], x[k:]
    shift = abs(statistics.fmean(before) - statistics.fmean(after))
    squares = sum((v - statistics.fmean(before)) ** 2 for v in before) + sum((v - statistics.fmean(after)) ** 2 for v in after)
    sd = math.sqrt(squares / (len(x) - 2))
    apart = max(before) < min(after) or max(after) < min(before)
    if apart and shift >= 6 * sd:
        return True
    # 600 draws know p to a few thousandths: the goldens' series are chosen so that this does not matter.
    return p <= (10 * ALPHA if shift >= 2 * sd else 2 * ALPHA)


def bisect(x, first, rng, found):
    if len(x) < 2 * SEGMENT:
        return
    ranks = midranks(x)
    k = max(splits(len(x)), key=lambda at: statistic(ranks, at))
    observed = statistic(ranks, k)
    if observed == 0 or not is_real(x, k, sampled_p(ranks, observed, rng)):
        return
    found.add(first + k)
    bisect(x[:k], first, rng, found)
    bisect(x[k:], first + k, rng, found)


def deviations(x):
    return sum(abs(v - statistics.median(x)) for v in x)


def nearest_best(x, at):
    if at < SEGMENT or at > len(x) - SEGMENT:
        return at
    near = [k for k in splits(len(x)) if abs(k - at) <= 6]
    costs = {k: deviations(x[:k]) + deviations(x[k:]) for k in near}
    least = min(costs.values())
    return min((k for k in near if costs[k] <= least * (1 + 1e-12)), key=lambda k: (abs(k - at), k))


def change_points(x, least_change, rng):
    if len(x) < 10:
        return []
    found = set()
    firsts = sorted({min(f, max(0, len(x) - WINDOW)) for f in range(0, max(1, len(x) - WINDOW // 2), WINDOW // 2)})
    for first in firsts:
        bisect(x[first:first + WINDOW], first, rng, found)
    for first in range(0, len(x) - 11, SEGMENT):
        close = x[first:first + 12]
        ranks = midranks(close)
        k = max(splits(12), key=lambda here: statistic(ranks, here))
        if statistic(ranks, k) > 0 and is_real(close, k, 1):
            found.add(first + k)
    at = sorted(found)

    def room(i):
        low = max(at[i - 1] if i else 0, at[i] - WINDOW)
        high = min(at[i + 1] if i + 1 < len(at) else len(x), at[i] + WINDOW)
        return max(low, 0), high

    for i in range(len(at)):
        low, high = room(i)
        at[i] = low + nearest_best(x[low:high], at[i] - low)
    while True:
        doubts, levels = [], []
        for i, here in enumerate(at):
            low, high = room(i)
            around, k = x[low:high], here - low
            if k < SEGMENT or len(around) - k < SEGMENT:
                doubts.append(3)
                continue
            ranks = midranks(around)
            p = sampled_p(ranks, statistic(ranks, k), rng)
            before, after = statistics.median(around[:k]), statistics.median(around[k:])
            levels.append((here, before, after))
            size = abs(after - before)
            doubts.append(1 + p if not is_real(around, k, p) else 0 if size >= least_change else 1e-9 + 1 - size / least_change)
        if not doubts or max(doubts) <= 0:
            return levels
        del at[doubts.index(max(doubts))]


def line(*fields):
    print("\t".join(fields))


def numbers(x):
    return ",".join(repr(v) for v in x)


def main():
    rng = random.Random(20261122)
    line("# kind", "arguments and results, see change_points_golden.py")
    for n in (6, 7, 8):
        for _ in range(3):
            x = [round(rng.gauss(0, 1), 3) for _ in range(n)]
            line("p", numbers(x), repr(exact_p(x)))
        tied = [float(rng.randint(1, 3)) for _ in range(n)]
        line("p", numbers(tied), repr(exact_p(tied)))

    def noisy(levels, sd):
        return [round(level + rng.gauss(0, sd), 6) for level in levels]

    cases = [
        (0.02, noisy([0] * 30, 0.01)),
        (0.02, noisy([0] * 100, 0.01)),
        (0.02, noisy([0] * 20 + [0.06] * 20, 0.01)),
        (0.02, noisy([0] * 60 + [-0.05] * 40, 0.01)),
        (0.02, noisy([0] * 30 + [0.08] * 30 + [0] * 40, 0.01)),       # up and down again
        (0.02, noisy([0] * 40 + [0.1] * 5 + [0] * 55, 0.005)),        # a short level
        (0.02, noisy([0] * 25 + [0.5] + [0] * 24, 0.01)),             # one wild value is no level
        (0.02, noisy([0] * 25 + [0.5] * 2 + [0] * 23, 0.01)),         # neither are two
        (0.05, noisy([0] * 40 + [0.03] * 40, 0.002)),                 # real, but too small to count
        (0.02, [0.0] * 10 + [0.1] * 10),                              # no noise at all
        (0.02, [0.0] * 17 + [0.1] * 3),                               # few, but plain to see
        (0.02, [0.0, 0.02] * 20),                                     # in turn
        (0.02, [0.0] * 40),
        (0.02, noisy([0.0] * 6 + [0.3] * 3, 0.01)),                   # nine values are too few
        (0.02, noisy([0] * 5 + [0.2] * 5, 0.01)),                     # ten are not
        (0.02, noisy([0] * 50 + [0.06] * 50 + [0.12] * 50 + [0.02] * 50, 0.01)),
    ]
    for least, x in cases:
        found = change_points(x, least, rng)
        line("series", repr(least), numbers(x), ";".join(f"{at}:{a!r}:{b!r}" for at, a, b in found) or "none")


if __name__ == "__main__":
    main()
