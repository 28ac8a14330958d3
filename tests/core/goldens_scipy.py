#!/usr/bin/env python3
"""Goldens for tests/core/rank_goldens.cpp from SciPy and, where it has no exact answer, from counting every arrangement with
fractions. Written once; needs python3-scipy. goldens_scipy.py > goldens_scipy.tsv"""
import itertools
from fractions import Fraction

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20261122)


def numbers(values):
    return ",".join(repr(float(v)) for v in values)


def line(*fields):
    print("\t".join(str(f) for f in fields))


print(f"# SciPy {scipy.__version__}, NumPy {np.__version__}; kind, arguments and results: see goldens_scipy.py")

# Signed ranks without ties: SciPy's exact distribution.
for n in (3, 5, 6, 8, 10, 15, 25, 50):
    for shift in (0.0, 0.3):
        d = rng.normal(0.4, 1, n)
        line("signed_rank", numbers(d), shift, repr(stats.wilcoxon(d - shift, alternative="greater", mode="exact").pvalue))

# With ties and zeros (Pratt: zeros take ranks, but no sign): every choice of signs, counted.
for n in (4, 5, 7, 9, 11, 12):
    for _ in range(4):
        d = rng.integers(-3, 5, n).astype(float)
        ranks = [Fraction(r).limit_denominator(2) for r in stats.rankdata(abs(d))]
        signed = [r for r, x in zip(ranks, d) if x != 0]
        observed = sum((r for r, x in zip(ranks, d) if x > 0), Fraction(0))
        if not signed:
            continue
        sums = [sum((r for r, plus in zip(signed, signs) if plus), Fraction(0)) for signs in itertools.product((0, 1), repeat=len(signed))]
        line("signed_rank", numbers(d), 0.0, repr(float(Fraction(sum(s >= observed for s in sums), len(sums)))))

# Many pairs: the normal approximation with continuity correction.
for n in (150, 400):
    d = rng.normal(0.1, 1, n)
    line("signed_rank_large", numbers(np.round(d, 4)), 0.0,
         repr(stats.wilcoxon(np.round(d, 4), alternative="greater", mode="approx", correction=True, zero_method="pratt").pvalue))

# The pseudo-median of pairs and its bounds: Walsh averages and the exact distribution of T by recurrence over whole numbers.
for n in (4, 5, 6, 8, 10, 13, 20, 33):
    counts = [1]
    for rank in range(1, n + 1):
        counts = [(counts[s] if s < len(counts) else 0) + (counts[s - rank] if 0 <= s - rank < len(counts) else 0)
                  for s in range(len(counts) + rank)]
    for alpha in (Fraction(1, 20), Fraction(1, 40), Fraction(1, 100)):
        total, k = 0, 0
        for count in counts:
            total += count
            if Fraction(total, 2**n) > alpha:
                break
            k += 1
        d = rng.normal(1, 2, n)
        walsh = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
        bounds = "none" if k == 0 else numbers((walsh[k - 1], walsh[len(walsh) - k]))
        line("signed_rank_shift", numbers(d), float(alpha), k, repr(float(np.median(walsh))), bounds)

# Rank sums of two samples, with a shift and without ties; with ties by counting every choice.
for n, m in ((3, 3), (4, 6), (7, 5), (9, 9), (12, 20)):
    for shift in (0.0, 0.5):
        a, b = rng.normal(0, 1, n), rng.normal(0.7, 1, m)
        line("mann_whitney", numbers(a), numbers(b), shift,
             repr(stats.mannwhitneyu(b, a + shift, alternative="greater", method="exact").pvalue))
for n, m in ((3, 3), (4, 4), (5, 4), (6, 6), (7, 5)):
    for _ in range(4):
        a, b = rng.integers(0, 5, n).astype(float), rng.integers(0, 6, m).astype(float)
        ranks = [Fraction(r).limit_denominator(2) for r in stats.rankdata(np.concatenate([a, b]))]
        observed = sum(ranks[n:])
        sums = [sum(choice) for choice in itertools.combinations(ranks, m)]
        line("mann_whitney", numbers(a), numbers(b), 0.0, repr(float(Fraction(sum(s >= observed for s in sums), len(sums)))))

# Holm and Benjamini-Hochberg by their definitions, over fractions of the doubles given.
for m in (1, 2, 3, 5, 12, 40):
    for level in (0.05, 0.2):
        p = np.where(rng.random(m) < 0.4, rng.beta(0.2, 30, m), rng.random(m))
        order = sorted(range(m), key=lambda i: p[i])
        holm, bh = [0] * m, [0] * m
        for place, i in enumerate(order):
            if Fraction(p[i]) * (m - place) > Fraction(level):
                break
            holm[i] = 1
        last = max((place + 1 for place, i in enumerate(order) if Fraction(p[i]) * m <= Fraction(level) * (place + 1)), default=0)
        for i in order[:last]:
            bh[i] = 1
        line("holm", numbers(p), level, ",".join(map(str, holm)))
        line("benjamini_hochberg", numbers(p), level, ",".join(map(str, bh)))

# Order-statistic intervals of the median by SciPy's binomial distribution.
for n in (5, 6, 9, 12, 30):
    x = np.sort(np.round(rng.normal(10, 2, n), 3))
    rank = int(sum(stats.binom.cdf(k, n, 0.5) <= 0.025 * (1 + 1e-12) for k in range(n // 2)))
    line("median_interval", numbers(x), "none" if rank == 0 else numbers((x[rank - 1], x[n - rank], 1 - 2 * stats.binom.cdf(rank - 1, n, 0.5))))

# Detectable excess at 80 % power: Gaussian noise, the rank bound at .05 (20,000 draws; the constant is read to two digits).
for n in (3, 5, 10, 20):
    counts = [1]
    # Mann-Whitney's distribution: the number of ways to reach u, by the recurrence over the sample sizes.
    ways = {(0, j): [1] for j in range(n + 1)}
    for i in range(1, n + 1):
        ways[(i, 0)] = [1]
        for j in range(1, n + 1):
            row = [0] * (i * j + 1)
            for u, c in enumerate(ways[(i - 1, j)]):
                row[u + j] += c
            for u, c in enumerate(ways[(i, j - 1)]):
                row[u] += c
            ways[(i, j)] = row
    cumulative = np.cumsum([float(c) for c in ways[(n, n)]]) / float(sum(ways[(n, n)]))
    k = int(sum(cumulative <= 0.05 * (1 + 1e-12)))
    a, b = rng.normal(0, 1, (20000, n)), rng.normal(0, 1, (20000, n))
    lower = np.sort((b[:, :, None] - a[:, None, :]).reshape(20000, -1), axis=1)[:, k - 1]
    line("mde80", n, repr(round(-float(np.quantile(lower, 0.2)), 3)))
