#!/usr/bin/env python3
"""Prints the coefficients of gpuErfFarOfDouble, lowest power first: q with erfc(x) = 2^(-x q(x)) from 1 to 5.93.

The weight is the error of erf per error of q. It falls by 2^45 over the interval, for which Sollya's fpminimax has no
option. Each of 12 steps solves the least squares at Chebyshev nodes, and multiplies the weight of each node by its error
(Lawson's algorithm), which leads to the smallest maximum of the errors. Needs mpmath.
"""

from mpmath import cos, erf, erfc, fdot, fsum, log, lu_solve, matrix, mp, mpf, pi, polyval

mp.prec = 170
DEGREE, NODES, STEPS = 16, 120, 12
LOW, HIGH = mpf("0.9999"), mpf("5.93")


def chebyshev_rows(xs):
    """Returns the values of the Chebyshev polynomials of the interval at each x."""
    unit = [(2 * x - LOW - HIGH) / (HIGH - LOW) for x in xs]
    rows = [[mpf(1)] * len(xs), unit]
    while len(rows) <= DEGREE:
        rows.append([2 * u * a - b for u, a, b in zip(unit, rows[-1], rows[-2])])
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


def monomials(factors):
    """Converts factors of Chebyshev polynomials to coefficients of powers of x."""
    scale, shift = 2 / (HIGH - LOW), -(LOW + HIGH) / (HIGH - LOW)
    powers = [[mpf(1)], [shift, scale]]
    while len(powers) < len(factors):
        last, before = powers[-1] + [mpf(0)], powers[-2] + [mpf(0)] * 2
        shifted = [mpf(0)] + powers[-1]
        powers.append([2 * (shift * a + scale * b) - c for a, b, c in zip(last, shifted, before)])
    return [fsum(f * p[i] for f, p in zip(factors, powers) if i < len(p)) for i in range(len(factors))]


def main():
    xs = [(LOW + HIGH) / 2 + (HIGH - LOW) / 2 * cos(pi * (2 * k + 1) / (2 * NODES)) for k in range(NODES)]
    values = [-log(erfc(x), 2) / x for x in xs]
    weights = [erfc(x) * x * log(2) / erf(x) for x in xs]
    rows, shares, best = chebyshev_rows(xs), [mpf(1) / NODES] * NODES, None
    for _ in range(STEPS):
        factors = least_squares(rows, values, [s * w**2 for s, w in zip(shares, weights)])
        errors = [abs(fdot(factors, [row[i] for row in rows]) - values[i]) * weights[i] for i in range(NODES)]
        if best is None or max(errors) < best[0]:
            best = max(errors), factors
        products = [s * e for s, e in zip(shares, errors)]
        shares = [p / sum(products) for p in products]
    rounded = [float(c) for c in monomials(best[1])]
    worst = max(abs(polyval([mpf(c) for c in rounded[::-1]], x) - v) * w for x, v, w in zip(xs, values, weights))
    print(", ".join(c.hex() for c in rounded))
    print(f"largest error 2^{float(log(worst, 2)):.2f}")


main()
