"""Plain loops after Xu et al. 2017, for the tests to hold the package against.

Imports nothing from the package. Assignments are of every user to every record, by scipy's
``linear_sum_assignment`` on the full matrix.
"""

import math

import numpy as np
from scipy.optimize import linear_sum_assignment

from tests.oracles.counts import filled


def prepared(samples, centres, edges):
    """Place of one user in every slot; ``samples`` are (place, begin, end)."""
    slots = len(edges) - 1
    known = {}
    for s in range(slots):
        events = {}
        for place, begin, end in samples:
            inside = min(end, edges[s + 1]) - max(begin, edges[s])
            if inside > 0:
                events[place] = events.get(place, 0.0) + inside / (end - begin)
        if events:
            known[s] = min(events, key=lambda p, e=events: (-round(e[p], 9), p))
    return list(filled(known, centres, slots).values())


def predicted(xy, last, before):
    """Eq. 2; the last place itself where ``before`` is the same."""
    return [
        (2 * xy[q][0] - xy[p][0], 2 * xy[q][1] - xy[p][1])
        for q, p in zip(last, before, strict=True)
    ]


def step_cost(xy, last, before, records):
    """Least total distance from the predicted points to the records, one to one."""
    where = [p for p, many in enumerate(records) for _ in range(many)]
    if not where:
        return 0.0
    cost = np.array(
        [
            [math.hypot(x - xy[p][0], y - xy[p][1]) for p in where]
            for x, y in predicted(xy, last, before)
        ]
    )
    return cost[linear_sum_assignment(cost)].sum()


def entropy(frequencies):
    total = sum(frequencies)
    return -sum(f / total * math.log2(f / total) for f in frequencies if f)


def gain(u, v):
    """Eq. 4, of two days given as lists of places."""
    places = set(u) | set(v)
    fu, fv = [u.count(p) for p in places], [v.count(p) for p in places]
    both = [a + b for a, b in zip(fu, fv, strict=True)]
    return entropy(both) - (entropy(fu) + entropy(fv)) / 2


def link_cost(first, second):
    """Least total information gain of linking days, one to one."""
    cost = np.array([[gain(u, v) for v in second] for u in first])
    return cost[linear_sum_assignment(cost)].sum()


def shared(z, y):
    return sum(a == b for a, b in zip(z, y, strict=True))


def greedy(recovered, truth):
    """In order, the free true trajectory with most common points; None when all are taken."""
    free, pairs = list(range(len(truth))), []
    for z in recovered:
        best = max(free, key=lambda i, z=z: (shared(z, truth[i]), -i)) if free else None
        pairs.append(best)
        if free:
            free.remove(best)
    return pairs


def optimal_points(recovered, truth):
    """Most points that pairs can have in common together."""
    table = np.array([[shared(z, y) for y in truth] for z in recovered])
    return table[linear_sum_assignment(-table)].sum()


def unique_by_top(recovered, k):
    """Share whose set of k most frequent places no other has."""
    sets = [frozenset(sorted(set(z), key=lambda p, z=z: (-z.count(p), p))[:k]) for z in recovered]
    return sum(sets.count(s) == 1 for s in sets) / len(sets)
