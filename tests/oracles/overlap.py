"""Which record of another release fits a record best, by cells or edges; each with each.

Imports nothing of ours. A cell is (x0, x1, y0, y1, t0, t1); a release is a list of records, each a
list of cells, with the number of people who share it.
"""

import math


def volume(cell):
    x0, x1, y0, y1, t0, t1 = cell
    return (x1 - x0) * (y1 - y0) * (t1 - t0)


def shared(a, b):
    sides = [min(a[i + 1], b[i + 1]) - max(a[i], b[i]) for i in (0, 2, 4)]
    return math.prod(sides) if min(sides) > 0 else 0.0


def one_way(a, b, whole, floor):
    return sum(
        math.log(max(floor, *(whole * shared(p, q) / (volume(p) * volume(q)) for q in b)))
        for p in a
    ) / len(a)


def overlap(record, others, whole, floor):
    return [one_way(record, b, whole, floor) + one_way(b, record, whole, floor) for b in others]


def edges_of(record, axes):
    return {(i, round(c[2 * i + j], 3)) for c in record for i in axes for j in (0, 1)}


def edges(record, others, axes=(0, 1, 2)):
    """Edges in common, each by how few of the others have it, over the root of how many b has."""
    own, theirs = edges_of(record, axes), [edges_of(b, axes) for b in others]
    scores = []
    for b in theirs:
        total = 0.0
        for edge in own & b:
            total += math.log(len(others) / sum(edge in c for c in theirs))
        scores.append(total / math.sqrt(len(b)))
    return scores


def chance(scores, people, right):
    """That a record drawn of those that fit best is in the right group."""
    best = [i for i, score in enumerate(scores) if score >= max(scores) - 1e-9]
    return people[right] / sum(people[i] for i in best) if right in best else 0.0
