"""Plain loops from docs/science.md, “Stretch effort”, for the tests to hold the package against.

Imports nothing from the package. A fingerprint is a list of samples (x, y, t, dx, dy, dt); ``n`` is
the number of users it stands for.
"""

import math


def sample_effort(a, b, *, na=1, nb=1, ws=0.5, wt=0.5, smax=20_000.0, tmax=480.0):
    """δ(a, b), with the one-sided stretches written out as in §2; returns its two parts."""

    def one_sided(p, dp, q, dq):
        return (p - min(p, q)) + (max(p + dp, q + dq) - (p + dp))

    (xa, ya, ta, dxa, dya, dta), (xb, yb, tb, dxb, dyb, dtb) = a, b
    share_a, share_b = na / (na + nb), nb / (na + nb)
    space = share_a * (one_sided(xa, dxa, xb, dxb) + one_sided(ya, dya, yb, dyb))
    space += share_b * (one_sided(xb, dxb, xa, dxa) + one_sided(yb, dyb, ya, dya))
    time = share_a * one_sided(ta, dta, tb, dtb) + share_b * one_sided(tb, dtb, ta, dta)
    return ws * min(space / smax, 1.0), wt * min(time / tmax, 1.0)


def directed_effort(a, b, *, na=1, nb=1, **config):
    total = 0.0
    for i in a:
        total += min(sum(sample_effort(i, j, na=na, nb=nb, **config)) for j in b)
    return total / len(a)


def fingerprint_effort(a, b, *, na=1, nb=1, **config):
    """Δ_ab: from the longer to the shorter; equal lengths: the mean of both directions."""
    if len(a) > len(b):
        return directed_effort(a, b, na=na, nb=nb, **config)
    if len(b) > len(a):
        return directed_effort(b, a, na=nb, nb=na, **config)
    there = directed_effort(a, b, na=na, nb=nb, **config)
    return (there + directed_effort(b, a, na=nb, nb=na, **config)) / 2


def nearest(fingerprints, a, k, *, n=None, **config):
    """The k − 1 smallest (Δ, index), ascending."""
    n = n or [1] * len(fingerprints)
    efforts = [
        (fingerprint_effort(fingerprints[a], f, na=n[a], nb=n[b], **config), b)
        for b, f in enumerate(fingerprints)
        if b != a
    ]
    return sorted(efforts)[: k - 1]


def gini(values):
    """Mean absolute difference over twice the mean: another form than the sum of ranks."""
    mean = math.fsum(values) / len(values)
    if mean == 0:
        return 0.0
    differences = math.fsum(abs(p - q) for p in values for q in values)
    return differences / (2 * len(values) ** 2 * mean)
