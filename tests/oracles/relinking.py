"""The re-linking attack in plain loops, by docs/science.md, to hold the package against.

Imports nothing from the package. A cell is (x, y, t, dx, dy, dt), t in minutes from a midnight; a
record is a list of cells; a side is a list of records, each of so many people.
"""

import math
from collections import Counter

from scipy.optimize import linear_sum_assignment


def hours(t, dt):
    """Hours of the day that a stretch of time touches, and one on either side."""
    first, last = math.floor(t / 60 + 1e-6), math.ceil((t + dt) / 60 - 1e-6)
    last = max(last, first + 1)
    return frozenset(h % 24 for h in range(first - 1, min(last, first + 24) + 1))


def bins(record):
    """How many samples are in which place at which hours."""
    return Counter(((x, y, dx, dy), hours(t, dt)) for x, y, t, dx, dy, dt in record)


def density(one, two):
    """Mean over a bin of the density of another, by place, and half of it by the hour, too."""
    ((x, y, dx, dy), at), ((u, v, du, dv), when) = one, two
    across, up = min(x + dx, u + du) - max(x, u), min(y + dy, v + dv) - max(y, v)
    if across <= 1e-6 or up <= 1e-6:
        return 0.0
    both = 24 * len(at & when) / (len(at) * len(when))
    return across * up / (dx * dy * du * dv) * (0.5 + 0.5 * both)


def said_of(record, one):
    """Density that the samples of a record give a bin, all together."""
    return sum(many * density(two, one) for two, many in bins(record).items())


def usual(side, weights, one):
    """Density that the mean person's samples give a bin, as shares."""
    given = [w * said_of(r, one) / len(r) for r, w in zip(side, weights, strict=True)]
    return sum(given) / sum(weights)


def likeness(first, weights, second, others):
    """Of each record of one side and each of the other."""
    means_first = {b: usual(first, weights, b) for r in second for b in bins(r)}
    means_second = {b: usual(second, others, b) for r in first for b in bins(r)}

    def towards(record, of, means):
        total = 0.0
        for one, many in bins(of).items():
            found = said_of(record, one)
            if found > 0:
                total += math.sqrt(many) * math.log(1 + found / means[one])
        return total

    return [
        [towards(a, b, means_first) + towards(b, a, means_second) for b in second] for a in first
    ]


WAYS = [100 * 2**i for i in range(12)]
GAPS = [15, 30, 60, 120, 240, 480, 720, 1440, 2880, 10080]


def in_order(record):
    return sorted(record, key=lambda c: (c[2] + c[5] / 2, c[0] + c[3] / 2, c[1] + c[4] / 2))


def move(a, b, noise_m2=0.0, noise_min2=0.0):
    """Classes of the time and of the distance between two cells, as root mean squares."""
    (x, y, t, dx, dy, dt), (u, v, s, du, dv, ds) = a, b
    far = (x + dx / 2 - u - du / 2) ** 2 + (y + dy / 2 - v - dv / 2) ** 2 + 4 * noise_m2
    far += (dx**2 + dy**2 + du**2 + dv**2) / 12
    late = (t + dt / 2 - s - ds / 2) ** 2 + (dt**2 + ds**2) / 12 + 2 * noise_min2
    return sum(late >= g * g for g in GAPS), sum(far >= w * w for w in WAYS)


def learnt(records, **noise):
    """Chance of each class of distance, by the time: of cells 1, 2, 4, … 32 apart in a record."""
    seen = Counter()
    for record in map(in_order, records):
        for lag in (1, 2, 4, 8, 16, 32):
            seen.update(move(a, b, **noise) for a, b in zip(record, record[lag:], strict=False))
    total, ways, table = sum(seen.values()), range(len(WAYS) + 1), {}
    for g in range(len(GAPS) + 1):
        row = sum(seen[g, w] for w in ways)
        for w in ways:
            pooled = (sum(seen[h, w] for h in range(len(GAPS) + 1)) + 1) / (total + len(ways))
            table[g, w] = (seen[g, w] + 10 * pooled) / (row + 10)
    return table


def continuity(first, weights, second, chance, **noise):
    """ln(1 + how much likelier the move is than from anybody's last cell), for each pair."""
    lasts = [in_order(r)[-1] for r in first]
    table = [[0.0] * len(second) for _ in first]
    for j, record in enumerate(second):
        begin = in_order(record)[0]
        moves = [move(a, begin, **noise) for a in lasts]
        for i, (gap, way) in enumerate(moves):
            near = sum(w for w, (_, d) in zip(weights, moves, strict=True) if d == way)
            table[i][j] = math.log(1 + chance[gap, way] / (near / sum(weights)))
    return table


def best_total(table, weights, others):
    """Greatest total likeness of a one-to-one matching of the people."""
    cost = [
        [-table[i][j] for j, w in enumerate(others) for _ in range(w)]
        for i, v in enumerate(weights)
        for _ in range(v)
    ]
    rows, columns = linear_sum_assignment(cost)
    return -sum(cost[i][j] for i, j in zip(rows, columns, strict=True)), list(
        zip(rows.tolist(), columns.tolist(), strict=True)
    )
