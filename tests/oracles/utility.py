"""Computed utility in plain loops, by docs/science.md, to hold the package against.

Imports nothing from the package. A fingerprint is a list of samples (x, y, t, dx, dy, dt) in order
of time; ``counts`` has the events of each, ``n`` the subscribers a fingerprint stands for; times
are local already.
"""

import itertools
import math


def overlap(begin, end, low, high):
    """Share of [begin, end) within [low, high)."""
    return max(0.0, min(end, high) - max(begin, low)) / (end - begin)


def hours(sample):
    """Share of a sample's window in each hour of the day."""
    _, _, t, _, _, dt = sample
    out = [0.0] * 24
    for hour in range(math.floor(t / 60), math.floor((t + dt) / 60) + 1):
        out[hour % 24] += overlap(t, t + dt, 60 * hour, 60 * hour + 60)
    return out


def occupancy(fingerprints, counts, n, grid):
    """Mass by (square, hour), on a grid (x0, y0, side) without end."""
    out = {}
    for samples, events, many in zip(fingerprints, counts, n, strict=True):
        for sample, count in zip(samples, events, strict=True):
            for square, share in everywhere(sample, *grid).items():
                for hour, part in enumerate(hours(sample)):
                    if part > 0:
                        key = square, hour
                        out[key] = out.get(key, 0.0) + count * many * share * part
    return out


def jensen_shannon(p, q):
    """The distance, base 2; 1 from a table with nothing in it."""
    if not sum(p.values()) or not sum(q.values()):
        return 1.0
    total_p, total_q, divergence = sum(p.values()), sum(q.values()), 0.0
    for key in p.keys() | q.keys():
        a, b = p.get(key, 0.0) / total_p, q.get(key, 0.0) / total_q
        for one in (a, b):
            if one > 0:
                divergence += one * math.log2(one / ((a + b) / 2)) / 2
    return math.sqrt(max(0.0, divergence))


def trips(fingerprints, counts, n, grid):
    """Trips per subscriber by (square, other square)."""
    out = {}
    for samples, events, many in zip(fingerprints, counts, n, strict=True):
        moments = {}
        for sample, count in zip(samples, events, strict=True):
            moments.setdefault(sample[2], []).append((sample, count))
        main = []
        for t in sorted(moments):
            most = max(count for _, count in moments[t])
            best = [s for s, c in moments[t] if c == most]
            main.append(min(best, key=lambda s: (s[0], s[1])))
        for a, b in itertools.pairwise(main):
            if (a[0], a[1], a[3], a[4]) == (b[0], b[1], b[3], b[4]):
                continue
            for i, from_a in everywhere(a, *grid).items():
                for j, to_b in everywhere(b, *grid).items():
                    if i != j:
                        out[i, j] = out.get((i, j), 0.0) + from_a * to_b * many / sum(n)
    return out


def everywhere(sample, x0, y0, side):
    """Share of a sample's cell in each square that it meets."""
    x, y, _, dx, dy, _ = sample
    out = {}
    for c in range(math.floor((x - x0) / side), math.ceil((x + dx - x0) / side)):
        across = overlap(x, x + dx, x0 + c * side, x0 + (c + 1) * side)
        for r in range(math.floor((y - y0) / side), math.ceil((y + dy - y0) / side)):
            share = across * overlap(y, y + dy, y0 + r * side, y0 + (r + 1) * side)
            if share > 1e-12:
                out[c, r] = share
    return out


def nine(x0, y0, side):
    """The grids that are shifted by ninths of a side along x, and by twice as many along y."""
    return [(x0 + i * side / 9, y0 + 2 * i % 9 * side / 9, side) for i in range(9)]


def usual(fingerprints, counts, n):
    """Corner and side of the usual squares: the box of the central 95% of the events."""
    events = [
        sample
        for samples, of, many in zip(fingerprints, counts, n, strict=True)
        for sample, count in zip(samples, of, strict=True)
        for _ in range(count * many)
    ]
    box = []
    for axis in (0, 1):
        ends = []
        for share, far in ((0.025, 0), (0.975, 1)):
            values = sorted(s[axis] + far * s[axis + 3] for s in events)
            ends.append(
                next(v for i, v in enumerate(values, 1) if i / len(values) >= share - 1e-12)
            )
        box.append(ends)
    shorter = min(end - begin for begin, end in box)
    cell = max(max(s[3], s[4]) for s in events)
    series = [m * 10.0**e for e in range(-3, 9) for m in (1, 2, 5)]
    fitting = [side for side in series if 50 * side <= shorter * (1 + 1e-12)]
    return box[0][0], box[1][0], max([cell, *fitting[-1:]])


def common_part(a, b):
    """Of commuters."""
    total = sum(a.values()) + sum(b.values())
    if total == 0:
        return 1.0
    return 2 * sum(min(a[k], b[k]) for k in a.keys() & b.keys()) / total


def radius(samples, events):
    """Of gyration, of the cells' middles, by events, to the millimetre."""
    points = [(x + dx / 2, y + dy / 2) for x, y, _, dx, dy, _ in samples]
    total = sum(events)
    mean = [sum(c * p[i] for p, c in zip(points, events, strict=True)) / total for i in (0, 1)]
    square = sum(
        c * ((p[0] - mean[0]) ** 2 + (p[1] - mean[1]) ** 2)
        for p, c in zip(points, events, strict=True)
    )
    return round(math.sqrt(square / total), 3)


def places(samples):
    """How many distinct ones."""
    return len({(x, y, dx, dy) for x, y, _, dx, dy, _ in samples})


def ks(a, b):
    """Greatest distance of two empirical distribution functions."""
    return max(
        abs(sum(v <= x for v in a) / len(a) - sum(v <= x for v in b) / len(b)) for x in [*a, *b]
    )


def mean_spans(fingerprints, counts, n):
    """(dx + dy)/2 and dt, over events."""
    mass = space = time = 0.0
    for samples, events, many in zip(fingerprints, counts, n, strict=True):
        for (_, _, _, dx, dy, dt), count in zip(samples, events, strict=True):
            mass += count * many
            space += count * many * (dx + dy) / 2
            time += count * many * dt
    return space / mass, time / mass


def corners(original, released, grid):
    """Density and flows on each of the nine grids; each data set is (fingerprints, counts, n)."""
    grids = nine(*grid)
    return {
        "density": [
            1 - jensen_shannon(occupancy(*original, g), occupancy(*released, g)) for g in grids
        ],
        "flows": [common_part(trips(*original, g), trips(*released, g)) for g in grids],
    }


def components(original, released, grid, max_space_m, max_time_min):
    """All six, of squares of which one has a corner and side (x0, y0, side)."""

    def each(data, value):
        return [
            v
            for samples, events, many in zip(*data, strict=True)
            for v in [value(samples, events)] * many
        ]

    space, time = mean_spans(*released)
    return {
        **{name: sum(values) / 9 for name, values in corners(original, released, grid).items()},
        "mobility": 1 - ks(each(original, radius), each(released, radius)),
        "visits": 1
        - ks(each(original, lambda s, _: places(s)), each(released, lambda s, _: places(s))),
        "space": max(0.0, min(1.0, 1 - space / max_space_m)),
        "time": max(0.0, min(1.0, 1 - time / max_time_min)),
    }
