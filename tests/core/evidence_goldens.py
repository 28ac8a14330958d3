#!/usr/bin/env python3
"""Goldens for tests/core/evidence.cpp from definitions alone: densities integrated by Simpson's rule, AR(1) matrices multiplied
out, orders of values counted. Plain Python. evidence_goldens.py > evidence_goldens.tsv"""
import itertools
import math


def line(*fields):
    print("\t".join(f if isinstance(f, str) else repr(f) for f in fields))


def integral(f, low, high, steps=20000):
    h = (high - low) / steps
    inner = sum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, steps))
    return (f(low) + inner + f(high)) * h / 3


def student_tail(t, nu):
    """P(T > t): with x = sqrt(nu) tan(a) the density is a power of the cosine."""
    c = math.exp(math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2)) / math.sqrt(math.pi)
    f = lambda a: c * max(math.cos(a), 0.0) ** (nu - 1)
    return integral(f, math.atan2(t, math.sqrt(nu)), math.pi / 2)


def chi_square_median(nu):
    c = 1 / (2 ** (nu / 2) * math.gamma(nu / 2))
    # x = y^2 takes the pole at zero away for one degree
    below = lambda x: integral(lambda y: 2 * c * y ** (nu - 1) * math.exp(-y * y / 2) if y > 0 or nu > 1 else 2 * c, 0.0, math.sqrt(x), 2000)
    low, high = 0.0, 2.0 * nu
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.5 else (low, middle)
    return (low + high) / 2


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def ar1(rho, n):
    """Inflation of the variance of a mean, and the expected lag-1 ratio, from the matrices C R C."""
    r = [[rho ** abs(i - j) for j in range(n)] for i in range(n)]
    c = [[(i == j) - 1 / n for j in range(n)] for i in range(n)]
    crc = product(product(c, r), c)
    squares = sum(crc[i][i] for i in range(n))
    lag = sum(crc[i][i + 1] for i in range(n - 1))
    return sum(map(sum, r)) / n**2 / (squares / (n * (n - 1))), lag / squares


def trend(x):
    signs = lambda y: sum((b > a) - (b < a) for a, b in itertools.combinations(y, 2))
    orders = list(itertools.permutations(x))
    return sum(abs(signs(y)) >= abs(signs(x)) for y in orders) / len(orders)


def welch(a, b, limit, prior=(0, 0, 0)):
    """Moderated t of mean(b) - mean(a) above limit; prior: degrees, variance of a, variance of b."""
    degrees, parts = prior[0], []
    for x, known in ((a, prior[1]), (b, prior[2])):
        mean = sum(x) / len(x)
        nu = len(x) - 1 + degrees
        parts.append(((sum((v - mean) ** 2 for v in x) + degrees * known) / nu / len(x), nu))
    v = sum(p for p, _ in parts)
    nu = v * v / sum(p * p / d for p, d in parts)
    return student_tail((sum(b) / len(b) - sum(a) / len(a) - limit) / math.sqrt(v), nu), nu


for t in (-2.0, 0.0, 0.5, 1.7, 3.0, 8.0):
    for nu in (2.0, 3.7, 4.0, 11.25, 60.0):
        line("student", t, nu, student_tail(t, nu))
for nu in (1, 2, 3, 4, 9, 29):
    line("chi_square_median", nu, chi_square_median(nu))
for rho in (0.1, 0.5, 0.8):
    for n in (3, 5, 10, 30):
        line("ar1", rho, n, *ar1(rho, n))
for x in ((1, 2, 3), (1, 2, 3, 4, 5), (2, 1, 3, 5, 4, 6), (5, 1, 4, 2, 3), (7, 6, 4, 5, 3, 2, 1)):
    line("trend", ",".join(map(str, x)), trend(x))
for a, b, limit, prior in (
    ((1.0, 1.1, 0.9), (1.3, 1.5, 1.4), 0.05, (0, 0, 0)),
    ((1.0, 1.1, 0.9), (1.3, 1.5, 1.4), 0.05, (2, 0.01, 0.02)),
    ((1.0, 1.2, 0.8, 1.1, 0.95), (1.1, 1.9, 1.4), 0.1, (2, 0.04, 0.04)),
):
    line("welch", ",".join(map(repr, a)), ",".join(map(repr, b)), limit, *prior, *welch(a, b, limit, prior))
