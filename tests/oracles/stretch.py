"""From docs/science.md, “Stretch effort”, for the tests to hold the package against.

Imports nothing from the package. A fingerprint is a list of samples (x, y, t, dx, dy, dt); ``n`` is
the number of users it stands for.
"""

import math

import numpy as np

from tests.oracles.glove import CONFIG, effort, parts


def effort_parts(a, b, *, na=1, nb=1, **config):
    """δ in space and in time of every sample of a and every sample of b."""
    return parts(np.array(a), np.array(b), na, nb, CONFIG | config)


def sample_effort(a, b, *, na=1, nb=1, ws=0.5, wt=0.5, smax=20_000.0, tmax=480.0):
    """δ(a, b) of two samples, written out as in §2; holds the other oracle, too."""

    def one_sided(p, dp, q, dq):
        return (p - min(p, q)) + (max(p + dp, q + dq) - (p + dp))

    (xa, ya, ta, dxa, dya, dta), (xb, yb, tb, dxb, dyb, dtb) = a, b
    share_a, share_b = na / (na + nb), nb / (na + nb)
    space = share_a * (one_sided(xa, dxa, xb, dxb) + one_sided(ya, dya, yb, dyb))
    space += share_b * (one_sided(xb, dxb, xa, dxa) + one_sided(yb, dyb, ya, dya))
    time = share_a * one_sided(ta, dta, tb, dtb) + share_b * one_sided(tb, dtb, ta, dta)
    return ws * min(space / smax, 1.0), wt * min(time / tmax, 1.0)


def nearest(fingerprints, a, *, n, **config):
    """(Δ, index) of all others, ascending; Δ_ab is from the longer to the shorter.

    Of equal lengths it is the mean of both directions.
    """
    arrays = [np.array(f) for f in fingerprints]
    return sorted(
        (effort(arrays[a], other, n[a], n[b], CONFIG | config), b)
        for b, other in enumerate(arrays)
        if b != a
    )


def gini(values):
    """Mean absolute difference over twice the mean: another form than the sum of ranks."""
    mean = math.fsum(values) / len(values)
    if mean == 0:
        return 0.0
    differences = math.fsum(abs(p - q) for p in values for q in values)
    return differences / (2 * len(values) ** 2 * mean)
