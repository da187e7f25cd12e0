"""The blocks of one group by docs/science.md: every segmentation is tried.

Imports nothing from the package. A fingerprint is a list of (x, y, t, dx, dy, dt).
"""

from itertools import combinations, pairwise

import numpy as np

CONFIG = {"ws": 0.5, "wt": 0.5, "smax": 20_000.0, "tmax": 480.0}


def in_order(fingerprints):
    """(start, member, sample) of all samples in order of start; cuts no sample reaches over."""
    samples = sorted((s[2], m, s) for m, f in enumerate(fingerprints) for s in f)
    cuts = [
        i
        for i in range(1, len(samples))
        if all(s[2] + s[5] <= samples[i][0] for _, _, s in samples[:i])
    ]
    return samples, cuts


def box(samples):
    low = np.min([s[:3] for s in samples], axis=0)
    high = np.max([np.add(s[:3], s[3:]) for s in samples], axis=0)
    return low, high


def cell_loss(samples, *, ws, wt, smax, tmax):
    (x, y, t), (x1, y1, t1) = box(samples)
    return ws * ((x1 - x) + (y1 - y)) / 2 / smax + wt * (t1 - t) / tmax


def segmentations(cuts, n):
    for size in range(len(cuts) + 1):
        for chosen in combinations(cuts, size):
            yield [0, *chosen, n]


def best(fingerprints, **config):
    """The smallest loss, and all segmentations that have it, as lists of ends."""
    config = CONFIG | config
    samples, cuts = in_order(fingerprints)
    least, found = np.inf, []
    for ends in segmentations(cuts, len(samples)):
        loss = 0.0
        for i, j in pairwise(ends):
            if len({m for _, m, _ in samples[i:j]}) < len(fingerprints):
                break
            loss += (j - i) * cell_loss([s for _, _, s in samples[i:j]], **config)
        else:
            if loss < least - 1e-9:
                least, found = loss, []
            if loss <= least + 1e-9:
                found.append(ends)
    return least, found


def least_within(fingerprints, side, span, price, **config):
    """The smallest loss where each stretch is published whole, within the limits, or left out."""
    config = CONFIG | config
    samples, _ = in_order(fingerprints)
    alone = [s for s in samples if (s[2][3] + s[2][4]) / 2 <= side and s[2][5] <= span]
    gone = len(samples) - len(alone)
    if not alone:
        return gone * price
    parts = [[s for _, m, s in alone if m == member] for member in range(len(fingerprints))]
    samples, cuts = in_order(parts)
    least = np.inf
    for ends in segmentations(cuts, len(samples)):
        loss = gone * price
        for i, j in pairwise(ends):
            (x, y, t), (x1, y1, t1) = box([s for _, _, s in samples[i:j]])
            whole = len({m for _, m, _ in samples[i:j]}) == len(fingerprints)
            if whole and ((x1 - x) + (y1 - y)) / 2 <= side and t1 - t <= span:
                each = cell_loss([s for _, _, s in samples[i:j]], **config)
                loss += (j - i) * min(each, price)
            else:
                loss += (j - i) * price
        least = min(least, loss)
    return least
