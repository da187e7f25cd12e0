"""Homes found in plain loops, by docs/science.md, to hold the package against.

Imports nothing from the package. A record is a list of samples (x, y, t, dx, dy, dt); a home is
(x, y), or None where it is not known; times are local already. Noise is (name, scale), or None.
"""

import math
from collections import Counter

from tests.oracles.unicity import place
from tests.oracles.utility import overlap

CIRCLE = 1_000.0
LESSER = 1e-6
LEVEL = 1e-9


def night(t, dt):
    """Share of [t, t + dt) from 22 to 6 h, hour by hour."""
    minutes = 0.0
    for hour in range(math.floor(t / 60), math.ceil((t + dt) / 60)):
        if hour % 24 in (22, 23, 0, 1, 2, 3, 4, 5):
            minutes += max(0.0, min(t + dt, 60 * hour + 60) - max(t, 60 * hour))
    return minutes / dt


def masses(record):
    """Of each sample; a record without a night is taken with all samples alike."""
    each = [night(s[2], s[5]) for s in record]
    return each if any(m > 0 for m in each) else [1.0] * len(record)


def middle(sample):
    """Of a sample's cell."""
    return sample[0] + sample[3] / 2, sample[1] + sample[4] / 2


def inside(at, half, cell):
    """Share of a cell within ``half`` of a point along both axes."""
    x, y, dx, dy = cell
    across = overlap(x, x + dx, at[0] - half, at[0] + half)
    return across * overlap(y, y + dy, at[1] - half, at[1] + half)


def variance(noise):
    """Along one axis."""
    return 0.0 if noise is None else noise[1] ** 2 * (3 if noise[0] == "planar_laplace" else 1)


def most_nights(record):
    """Middle of the place with most nights, and the share of that place in the circle."""
    nights, in_all = {}, Counter(place(sample) for sample in record)
    for sample, mass in zip(record, masses(record), strict=True):
        nights[place(sample)] = nights.get(place(sample), 0.0) + mass
    best = min(nights, key=lambda p: (-round(nights[p], 9), -in_all[p], p))
    x, y, dx, dy = best
    half = CIRCLE * math.sqrt(math.pi) / 2
    at = x + dx / 2, y + dy / 2
    return at, inside(at, half, best)


def fullest_circle(record, noise):
    """Guess and share of who spreads each sample's mass evenly over its cell."""
    half = max(CIRCLE, 2 * math.sqrt(variance(noise))) * math.sqrt(math.pi) / 2
    plain = masses(record)
    heavy = [m + LESSER for m in plain]
    best = None

    for sample, mass in zip(record, plain, strict=True):
        if mass == 0:
            continue
        at = middle(sample)
        here = sum(
            m * inside(at, half, place(other)) for m, other in zip(heavy, record, strict=True)
        )
        if best is None or here > best[1] * (1 + 1e-12):
            best = at, here
    at = best[0]
    if noise is not None:
        parts = [
            (m * inside(at, half, place(s)), middle(s)) for m, s in zip(plain, record, strict=True)
        ]
        total = sum(m for m, _ in parts)
        if total > 0:
            at = tuple(sum(m * p[axis] for m, p in parts) / total for axis in (0, 1))
    return at, best[1] / sum(heavy)


def noise_likelihood(record, noise, area, places):
    """The likeliest of some places: each sample from there by the noise, or from anywhere."""
    name, scale = noise

    def density(at, sample):
        apart = math.dist(at, middle(sample)) / scale
        fall = math.exp(-apart if name == "planar_laplace" else -apart * apart / 2)
        return fall / (2 * math.pi * scale * scale)

    def likely(at):
        return sum(
            (0.2 + 0.8 * night(s[2], s[5])) * math.log(0.5 * density(at, s) + 0.5 / area)
            for s in record
        )

    each = {at: likely(at) for at in places}
    most = max(each.values())
    return min(at for at, here in each.items() if here >= most - LEVEL * len(record))


def by_others(record, homes, weights, person, circle, noise):
    """Guess and share of who spreads each cell's mass as the homes of all others in it."""
    heavy, first = {}, circle[0]
    for sample, mass in zip(record, masses(record), strict=True):
        at_night, in_all = heavy.get(place(sample), (0.0, 0))
        heavy[place(sample)] = at_night + mass, in_all + 1
    if noise is not None:
        nights = sum(each for each, _ in heavy.values())
        off = math.sqrt(variance(noise)) / math.sqrt(max(circle[1] * nights, 1.0))
        sides = sum(m * (p[2] + p[3]) / 2 for p, (m, _) in heavy.items()) / nights
        side = 4 * off + sides
        heavy = {(first[0] - side / 2, first[1] - side / 2, side, side): (1.0, 0)}
    points, lone, theirs = [], [], []
    for (x, y, dx, dy), (at_night, in_all) in sorted(heavy.items()):
        if at_night == 0:
            continue
        mass = at_night + LESSER * in_all
        others = [
            (home, many)
            for v, (home, many) in enumerate(zip(homes, weights, strict=True))
            if v != person and home is not None and x <= home[0] < x + dx and y <= home[1] < y + dy
        ]
        total = sum(many for _, many in others)
        points += [(home, mass * many / total) for home, many in others]
        theirs += [home for home, _ in others]
        if not others:
            at = x + dx / 2, y + dy / 2
            points.append((at, mass))
            lone.append(at)

    def around(at):
        return sum(m for p, m in points if math.dist(p, at) <= CIRCLE)

    best, most = first, around(first)
    for at in [*lone, *sorted(theirs)]:
        if around(at) > most * (1 + LEVEL):
            best, most = at, around(at)
    return best, most / sum(m for _, m in points)


def commonest(homes, weights):
    """The home that most people's are within the circle of, and their share."""
    best, most = None, 0
    for at in sorted({home for home in homes if home is not None}):
        here = sum(
            many
            for home, many in zip(homes, weights, strict=True)
            if home is not None and math.dist(home, at) <= CIRCLE
        )
        if here > most:
            best, most = at, here
    return best, most / sum(m for h, m in zip(homes, weights, strict=True) if h is not None)


def found(records, own, person, homes, weights, visits, noise, distances):
    """Shares found by each attacker, and by guessing, within each distance.

    ``own[i]`` is the number of the record of fingerprint i, or None, ``person[i]`` whose that is;
    ``visits[u]`` are the middles of the places where person u was.
    """
    asked = [
        (u, own[i]) for i, u in enumerate(person) if homes[u] is not None and own[i] is not None
    ]
    known, share = commonest([homes[u] for u, _ in asked], [weights[u] for u, _ in asked])
    cells = [sample for record in records for sample in record]
    extent = [
        max(s[axis] + s[axis + 3] for s in cells) - min(s[axis] for s in cells) for axis in (0, 1)
    ]
    guesses = {}
    for u, number in asked:
        record = records[number]
        circle = fullest_circle(record, noise)
        said = {
            "most_nights": most_nights(record),
            "fullest_circle": circle,
            "by_others": by_others(record, homes, weights, u, circle, noise),
        }
        for name, (at, sure) in said.items():
            guesses.setdefault(name, []).append(known if sure < share * (1 - LEVEL) else at)
        if noise is not None:
            others = {at for v, there in enumerate(visits) if v != u for at in there}
            likely = circle[0]
            if others:
                likely = noise_likelihood(record, noise, extent[0] * extent[1], others)
            guesses.setdefault("noise_likelihood", []).append(likely)
    guesses["guessing"] = [known] * len(asked)
    people = sum(weights[u] for u, _ in asked)
    return {
        name: [
            sum(
                weights[u]
                for (u, _), at in zip(asked, each, strict=True)
                if math.dist(at, homes[u]) <= within
            )
            / people
            for within in distances
        ]
        for name, each in guesses.items()
    }


def one_place_for_all_others(homes, weights):
    """Share found by who guesses of each the place that most others' homes are near."""
    right, people = 0, 0
    for u, home in enumerate(homes):
        if home is None:
            continue
        people += weights[u]
        others = [*homes[:u], None, *homes[u + 1 :]]
        if any(other is not None for other in others):
            guess, _ = commonest(others, weights)
            right += weights[u] * (math.dist(guess, home) <= CIRCLE)
    return right / people
