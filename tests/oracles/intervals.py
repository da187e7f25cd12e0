"""Hoeffding's bound by its definition (docs/science.md, “Disclosure”). Imports nothing of ours."""

import math


def relative_entropy(a, b):
    """Of a share a from a share b, in nats; infinite where b is impossible."""
    total = 0.0
    for p, q in ((a, b), (1 - a, 1 - b)):
        if p > 0:
            if q <= 0:
                return math.inf
            total += p * math.log(p / q)
    return total


def ends(share, of, steps=20_000):
    """The least and the largest share of a grid that the one seen leaves open, both outwards."""
    grid = [i / steps for i in range(steps + 1)]
    left = [q for q in grid if of * relative_entropy(share, q) <= math.log(40)]
    return max(0.0, min(left) - 1 / steps), min(1.0, max(left) + 1 / steps)
