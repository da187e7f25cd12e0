"""Habits and rhythm from their definitions, in plain loops; nothing of the package is imported."""

import itertools
import math
from collections import Counter
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


def top_shares(events, most=5):
    """``events``: (place, how often) of one person; shares at the 1 … most top places, places."""
    total = Counter()
    for place, many in events:
        total[place] += many
    if not total:
        return [math.nan] * most, 0
    ordered = sorted(total.values(), reverse=True)
    return [sum(ordered[:n]) / sum(ordered) for n in range(1, most + 1)], len(ordered)


def errors(row, recorded, xy, day, night):
    """Night and day errors of one person; ``day`` and ``night`` say of each slot which it is."""
    found = [], []
    for s in range(1, len(row)):
        if day[s] != day[s - 1] or not recorded[s]:
            continue
        (x, y), last = xy[row[s]], xy[row[s - 1]]
        guess = last
        if not night[s] and s > 1 and day[s - 2] == day[s]:
            before = xy[row[s - 2]]
            guess = 2 * last[0] - before[0], 2 * last[1] - before[1]
        found[0 if night[s] else 1].append(math.hypot(x - guess[0], y - guess[1]))
    return found
