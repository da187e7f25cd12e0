"""Rhythm from its definitions, in plain loops; nothing of the package is imported."""

import itertools
import math
from statistics import median


def intervals(times_by_person):
    """Each person's intervals, minutes."""
    found = []
    for times in times_by_person:
        times = sorted(times)
        found.append([b - a for a, b in itertools.pairwise(times)])
    return found


def medians(times_by_person):
    """Median interval of those with two samples or more."""
    return [median(each) for each in intervals(times_by_person) if each]


def by_square(sites, homes, side):
    """(square) -> [people, antennas]."""
    found = {}
    for at, points in ((1, sites), (0, homes)):
        for x, y in points:
            square = math.floor(x / side), math.floor(y / side)
            found.setdefault(square, [0, 0])[at] += 1
    return found


def r2(pairs):
    """Squared correlation, from sums of products."""
    n = len(pairs)
    mx, my = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    xy = sum((x - mx) * (y - my) for x, y in pairs)
    xx, yy = sum((x - mx) ** 2 for x, _ in pairs), sum((y - my) ** 2 for _, y in pairs)
    return xy * xy / (xx * yy)
