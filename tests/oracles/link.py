"""Linkage in plain loops, by docs/science.md, for the tests to hold the package against.

Imports nothing from the package. A cell is (x, y, t, dx, dy, dt); a record is a list of cells, a
target a list of points. A point is a dict: ``cell``, and of an exchange ``same_place``,
``place_share``, ``same_time``, ``time_share``. A method is a dict: ``space`` and ``time``, each a
pair of density and scale (or None), ``boxes``, ``by_middle``, ``timeless``, ``share``.
"""

import math

FLOOR = 0.01


def planar_laplace(b, ax, ay):
    return math.exp(-math.hypot(ax, ay) / b) / (2 * math.pi * b**2)


def laplace(b, a):
    return math.exp(-abs(a) / b) / (2 * b)


def gaussian(s, a):
    return math.exp(-(a**2) / (2 * s**2)) / (s * math.sqrt(2 * math.pi))


def middles(begin, length, scale):
    """Of pieces no longer than half the scale, 32 at most."""
    many = min(32, max(1, math.ceil(2 * length / scale - 1e-6)))
    return [begin + (i + 0.5) * length / many for i in range(many)]


def same(a, b):
    return all(abs(u - v) <= 1e-6 for u, v in zip(a, b, strict=True))


def in_space(method, point, cell):
    x, y, _, dx, dy, _ = cell
    x0, y0, _, dx0, dy0, _ = point["cell"]
    px, py = x0 + dx0 / 2, y0 + dy0 / 2
    if method["space"] is None:
        if method["boxes"]:
            hit = x <= px < x + dx and y <= py < y + dy
        else:
            hit = same((x, y, dx, dy), (x0, y0, dx0, dy0))
        density = 1 / (dx * dy) if hit else 0.0
    else:
        kind, scale = method["space"]
        if method["by_middle"]:
            xs, ys = [x + dx / 2], [y + dy / 2]
        else:
            xs, ys = middles(x, dx, scale), middles(y, dy, scale)
        if kind == "planar_laplace":
            mean = sum(planar_laplace(scale, a - px, b - py) for a in xs for b in ys)
            mean /= len(xs) * len(ys)
            density = mean if method["by_middle"] else min(mean, 1 / (dx * dy))
        else:
            along_x = sum(gaussian(scale, a - px) for a in xs) / len(xs)
            along_y = sum(gaussian(scale, b - py) for b in ys) / len(ys)
            if not method["by_middle"]:
                along_x, along_y = min(along_x, 1 / dx), min(along_y, 1 / dy)
            density = along_x * along_y
    kept = point.get("same_place", 1.0)
    return kept * density + (1 - kept) * point.get("place_share", 1.0) / (dx0 * dy0)


def in_time(method, point, cell):
    if method["timeless"]:
        return 1.0
    t, dt = cell[2], cell[5]
    t0, dt0 = point["cell"][2], point["cell"][5]
    middle = t0 + dt0 / 2
    if method["time"] is None:
        hit = t <= middle < t + dt if method["boxes"] else same((t, dt), (t0, dt0))
        density = 1 / dt if hit else 0.0
    else:
        kind, scale = method["time"]
        along = laplace if kind == "laplace" else gaussian
        at = middles(t, dt, scale)
        density = min(sum(along(scale, a - middle) for a in at) / len(at), 1 / dt)
    kept = point.get("same_time", 1.0)
    return kept * density + (1 - kept) * point.get("time_share", 1.0) / dt0


def everywhere(records, timeless):
    """Density of a sample that may be anywhere in the release."""
    cells = [cell for record in records for cell in record]
    spans = [
        max(c[i] + c[i + 3] for c in cells) - min(c[i] for c in cells)
        for i in ((0, 1) if timeless else (0, 1, 2))
    ]
    return 1 / math.prod(spans)


def shares(records, timeless, counts=None):
    """Of each record the samples that count (each place once without times), and their shares.

    ``counts``: events behind each sample, where points are drawn in proportion to them.
    """
    made = []
    for number, record in enumerate(records):
        weights = {}
        for i, cell in enumerate(record):
            place = (cell[0], cell[1], cell[3], cell[4]) if timeless else cell
            events = 1.0 if counts is None else counts[number][i]
            known = weights.get(place, (cell, 0.0))[1]
            alone = counts is None and timeless
            weights[place] = (cell, 1.0 if alone else known + events)
        total = sum(w for _, w in weights.values())
        made.append([(cell, w / total) for cell, w in weights.values()])
    return made


def densities(method, records, points, attacker="best_sample", counts=None):
    """Of each record, its density for each point: of the best sample, or the mean of all."""
    floor = FLOOR * everywhere(records, method["timeless"])
    out = []
    for samples in shares(records, method["timeless"], counts):
        row = []
        for p in points:
            every = [(in_space(method, p, c) * in_time(method, p, c), w) for c, w in samples]
            above = [(f, w) for f, w in every if f > floor]
            best = max((f for f, _ in above), default=0.0)
            row.append(best if attacker == "best_sample" else sum(f * w for f, w in above))
        out.append(row)
    return out


def scores(method, records, points, attacker="best_sample", counts=None):
    floor = FLOOR * everywhere(records, method["timeless"])
    found = densities(method, records, points, attacker, counts)
    return [sum(math.log(max(d, floor)) for d in each) for each in found]


def distinct(record, timeless):
    return len({(c[0], c[1], c[3], c[4]) if timeless else c for c in record})


def absent_score(method, records, weights, points, attacker="best_sample", counts=None):
    """Of somebody who has no record."""
    timeless = method["timeless"]
    anywhere, people = everywhere(records, timeless), sum(weights)
    each = [w * distinct(r, timeless) for r, w in zip(records, weights, strict=True)]
    even = anywhere * (sum(each) / people if attacker == "best_sample" else 1.0)
    found = densities(method, records, points, attacker, counts)
    total = 0.0
    for j in range(len(points)):
        mean = (
            sum(w * max(d[j], FLOOR * anywhere) for d, w in zip(found, weights, strict=True))
            / people
        )
        total += math.log((mean + even) / 2)
    return total


def ranks(method, records, weights, points, own, attacker="best_sample", counts=None):
    """better, level, posterior, whether a record is taken."""
    floor = FLOOR * everywhere(records, method["timeless"])
    score = scores(method, records, points, attacker, counts)
    least = len(points) * math.log(floor)
    mine = score[own] if own >= 0 else least
    pairs = list(zip(score, weights, strict=True))
    better = sum(w for s, w in pairs if s > mine + 1e-9)
    level = sum(w for s, w in pairs if abs(s - mine) <= 1e-9)
    people, share = sum(weights), method["share"]
    absent = absent_score(method, records, weights, points, attacker, counts)
    # Prior: share/people for each person's record, 1 − share for none.
    each = [(share / people * w, s) for s, w in pairs] + [(1 - share, absent)]
    top = max(s for w, s in each if w > 0)
    total = sum(w * math.exp(s - top) for w, s in each)
    posterior = share / people * math.exp(mine - top) / total
    best = max(score)
    taken = best > least + 1e-9 and (
        share == 1 or math.log(share / people) + best > math.log(1 - share) + absent
    )
    return better, level, posterior, taken


def fits(method, records, points):
    """Of each record, whether it has every point."""
    return [all(d > 0 for d in each) for each in densities(method, records, points)]


def shortest_first(records, counts, wanted, own):
    """The chance that the own record is picked by bins that it has: its likeliest of all.

    ``wanted`` are bins as published; the likelihood of a record is the product of their shares.
    """
    likelihood = []
    for number, samples in enumerate(shares(records, False, counts)):
        by_cell = dict(samples)
        likelihood.append((math.prod(by_cell.get(c, 0.0) for c in wanted), number))
    best = max(value for value, _ in likelihood)
    level = [number for value, number in likelihood if value >= best * (1 - 1e-9)]
    return 1 / len(level) if own in level else 0.0


def carried(cell, origin, side, minutes):
    """The bin of a square grid and a window from midnight that holds a raw sample."""
    x, y, t = cell[:3]
    at = [o + math.floor((v - o) / side + 1e-9) * side for v, o in zip((x, y), origin, strict=True)]
    return (*at, math.floor(t / minutes) * minutes, side, side, minutes)
