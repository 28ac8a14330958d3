#!/usr/bin/env python3
"""Goldens for tests/core/evidence.cpp from definitions alone: densities integrated by Simpson's rule, AR(1) matrices multiplied
out, orders of values counted. Plain Python. evidence_goldens.py > evidence_goldens.tsv"""
import itertools
import math
import random


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


def digamma(x, terms=200000):
    """From its series, with the rest as an integral."""
    head = sum(1 / (k + 1) - 1 / (k + x) for k in range(terms))
    return -0.57721566490153286 + head + (x - 1) / (terms + x / 2)


def trigamma(x, terms=20000):
    return sum(1 / (x + k) ** 2 for k in range(terms)) + 1 / (x + terms - 0.5)


def likeness(variances, degrees):
    """Smyth 2004, section 6.2, less two standard errors; the equation solved by halving."""
    logs = [math.log(v) - digamma(degrees / 2) + math.log(degrees / 2) for v in variances]
    n = len(logs)
    mean = sum(logs) / n
    second = sum((x - mean) ** 2 for x in logs) / n
    fourth = sum((x - mean) ** 4 for x in logs) / n
    excess = second * n / (n - 1) - trigamma(degrees / 2) - 2 * math.sqrt(max(0.0, fourth - second**2) / n)
    if excess <= 1e-6:
        return math.inf
    low, high = 1e-3, 1e7
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if trigamma(middle / 2) > excess else (low, middle)
    return low


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
draw = random.Random(5)
for rows, degrees, spread in ((40, 2, 2.0), (200, 4, 1.5), (30, 9, 0.1), (300, 4, 1.0), (300, 2, 0.0)):
    drawn = (math.exp(draw.gauss(0, spread)) * draw.gammavariate(degrees / 2, 2 / degrees) for _ in range(rows))
    variances = [float(f"{v:.5g}") for v in drawn]
    line("variance_degrees", degrees, ",".join(map(repr, variances)), likeness(variances, degrees))
