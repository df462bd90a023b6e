#!/usr/bin/env python3
"""Prints tables of Coefficients.h for which Sollya's fpminimax has no option: weights, and 21 bits for high powers.

The weight is the error of the function per error of the polynomial. Each of the steps solves the least squares at
Chebyshev nodes, and multiplies the weight of each node by its error (Lawson's algorithm), which leads to the smallest
maximum of the errors. The coefficients of the highest powers are rounded to 21 bits one after the other, each before
a fit of the powers below it. Needs mpmath. Run: weighted_fit.py [NAME]...
"""

import sys

from mpmath import asin, asinh, atanh, cos, erf, erfc, fdot, frexp, fsum, gamma, ldexp, log, loggamma, lu_solve, matrix
from mpmath import mp, mpf, nint, pi, polyval, rgamma, sqrt

mp.prec = 200


class Table:
    """A polynomial of `degree` for `function` from low to high, with `short` coefficients of 21 bits."""

    def __init__(self, name, function, weight, degree, short, low, high, steps=5):
        self.name, self.function, self.weight = name, function, weight
        self.degree, self.short, self.steps = degree, short, steps
        self.low, self.high = mpf(low), mpf(high)


def correction(z):
    """Returns x times the correction of Stirling's formula at x = 1 / sqrt(z)."""
    x = 1 / sqrt(z)
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


def erf_power(x):
    """Returns q with erfc(x) = 2^(-x q)."""
    return -log(erfc(x), 2) / x


def inverse_gamma(x):
    return (rgamma(1 + x) - 1) / x


def inverse_gamma_weight(x):
    return abs(x) * gamma(1 + x)


def log_ratio(z):
    """Returns the series of log(1 + f) in s = f / (2 + f), without its first term, for z = s^2."""
    return (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z


NODES, SMALL = 120, mpf(2) ** -20
TABLES = [
    Table("gpuErfFarOfDouble", erf_power, lambda x: erfc(x) * x * log(2) / erf(x), 16, 0, "0.9999", "5.93", 12),
    Table("gpuInverseGamma", inverse_gamma, inverse_gamma_weight, 6, 0, "-0.5", "0.5"),
    Table("gpuInverseGammaOfDouble", inverse_gamma, inverse_gamma_weight, 14, 0, "-0.5", "0.5"),
    Table("gpuLogRatioOfDouble", log_ratio, lambda z: 1 / 16, 6, 3, SMALL, "0.0296"),
    Table("gpuStirlingOfDouble", correction, sqrt, 10, 7, SMALL, "0.111113"),
    Table("gpuAsinTailOfDouble", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, 11, 5, SMALL, "0.2501"),
    Table("gpuAsinhTailOfDouble", lambda z: (asinh(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, 10, 5, SMALL, "0.2501"),
    Table("gpuLogGammaOfDouble", lambda x: loggamma(2 + x) / (x * (x + 1)), lambda x: 2, 25, 9, -1, 1, 3),
]


def nodes_of(table, count):
    middle, half = (table.low + table.high) / 2, (table.high - table.low) / 2
    return [middle + half * cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]


def chebyshev_rows(units, degree):
    """Returns the values of the Chebyshev polynomials at each of `units`, which are in [-1, 1]."""
    rows = [[mpf(1)] * len(units), units]
    while len(rows) <= degree:
        rows.append([2 * u * a - b for u, a, b in zip(units, rows[-1], rows[-2])])
    return rows


def least_squares(rows, values, weights):
    size = len(rows)
    left, right = matrix(size, size), matrix(size, 1)
    for i, row in enumerate(rows):
        weighted = [w * r for w, r in zip(weights, row)]
        for j in range(i, size):
            left[i, j] = left[j, i] = fdot(weighted, rows[j])
        right[i] = fdot(weighted, values)
    return list(lu_solve(left, right))


def monomials(factors, low, high):
    """Converts factors of Chebyshev polynomials to coefficients of powers of x."""
    scale, shift = 2 / (high - low), -(low + high) / (high - low)
    powers = [[mpf(1)], [shift, scale]]
    while len(powers) < len(factors):
        last, before = powers[-1] + [mpf(0)], powers[-2] + [mpf(0)] * 2
        shifted = [mpf(0)] + powers[-1]
        powers.append([2 * (shift * a + scale * b) - c for a, b, c in zip(last, shifted, before)])
    return [fsum(f * p[i] for f, p in zip(factors, powers) if i < len(p)) for i in range(len(factors))]


def fit(table, xs, values, degree):
    """Returns the coefficients of the polynomial of `degree` for the values at xs."""
    units = [(2 * x - table.low - table.high) / (table.high - table.low) for x in xs]
    rows, weights = chebyshev_rows(units, degree), [table.weight(x) for x in xs]
    shares, best = [mpf(1) / len(xs)] * len(xs), None
    for _ in range(table.steps):
        factors = least_squares(rows, values, [s * w**2 for s, w in zip(shares, weights)])
        errors = [abs(fdot(factors, column) - v) * w for column, v, w in zip(zip(*rows), values, weights)]
        if best is None or max(errors) < best[0]:
            best = max(errors), factors
        products = [s * e for s, e in zip(shares, errors)]
        shares = [p / sum(products) for p in products]
    return monomials(best[1], table.low, table.high)


def rounded(x, digits):
    fraction, exponent = frexp(x)
    return ldexp(nint(ldexp(fraction, digits)), exponent - digits)


def main():
    for table in TABLES:
        if sys.argv[1:] and table.name not in sys.argv[1:]:
            continue
        xs = nodes_of(table, NODES)
        values, high = [table.function(x) for x in xs], []
        for degree in range(table.degree, table.degree - table.short, -1):
            highest = rounded(fit(table, xs, values, degree)[-1], 21)
            values = [v - highest * x**degree for v, x in zip(values, xs)]
            high.insert(0, highest)
        digits = 53 if table.name.endswith("OfDouble") else 24
        low = [rounded(c, digits) for c in fit(table, xs, values, table.degree - table.short)]
        worst = max(abs(polyval(low[::-1], x) - v) * table.weight(x) for x, v in zip(xs, values))
        print(table.name, ", ".join(float(c).hex() for c in low + high))
        print(f"largest error 2^{float(log(worst, 2)):.2f}", flush=True)


main()
