"""Homes found in plain loops, by docs/science.md, to hold the package against.

Imports nothing from the package. A record is a list of samples (x, y, t, dx, dy, dt); a home is
(x, y), or None where it is not known; times are local already. No noise.
"""

import math

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


def evenly(record, within):
    """Guess and share of who spreads each sample's mass evenly over its cell."""
    half = within * math.sqrt(math.pi) / 2
    heavy = [m + LESSER for m in masses(record)]
    best = None
    for sample, mass in zip(record, masses(record), strict=True):
        if mass == 0:
            continue
        at, here = middle(sample), 0.0
        for (x, y, _, dx, dy, _), each in zip(record, heavy, strict=True):
            across = max(0.0, min(at[0] + half, x + dx) - max(at[0] - half, x)) / dx
            along = max(0.0, min(at[1] + half, y + dy) - max(at[1] - half, y)) / dy
            here += each * across * along
        if best is None or here > best[1] * (1 + 1e-12):
            best = at, here
    return best[0], best[1] / sum(heavy)


def by_others(record, within, homes, weights, person, first):
    """Guess and share of who spreads each cell's mass as the homes of all others in it."""
    heavy = {}
    for sample, mass in zip(record, masses(record), strict=True):
        cell = sample[0], sample[1], sample[3], sample[4]
        at_night, in_all = heavy.get(cell, (0.0, 0))
        heavy[cell] = at_night + mass, in_all + 1
    points, lone, theirs = [], [], []
    for (x, y, dx, dy), (at_night, in_all) in sorted(heavy.items()):
        if at_night == 0:
            continue
        mass = at_night + LESSER * in_all
        others = [
            (home, many)
            for v, (home, many) in enumerate(zip(homes, weights, strict=True))
            if v != person and home is not None
            and x <= home[0] < x + dx and y <= home[1] < y + dy
        ]  # fmt: skip
        total = sum(many for _, many in others)
        points += [(home, mass * many / total) for home, many in others]
        theirs += [home for home, _ in others]
        if not others:
            at = x + dx / 2, y + dy / 2
            points.append((at, mass))
            lone.append(at)

    def around(at):
        return sum(m for p, m in points if math.dist(p, at) <= within)

    best, most = first, around(first)
    for at in [*lone, *sorted(theirs)]:
        if around(at) > most * (1 + LEVEL):
            best, most = at, around(at)
    return best, most / sum(m for _, m in points)


def commonest(homes, weights, within):
    """The home that most people's are near, and their share."""
    best, most = None, 0
    for at in sorted({home for home in homes if home is not None}):
        here = sum(
            many for home, many in zip(homes, weights, strict=True)
            if home is not None and math.dist(home, at) <= within
        )  # fmt: skip
        if here > most:
            best, most = at, here
    return best, most / sum(m for h, m in zip(homes, weights, strict=True) if h is not None)


def found(records, own, homes, weights, within):
    """Shares found evenly and by others' homes, and by guessing; each person's record is own[u]."""
    known, share = commonest(homes, weights, within)
    people, right = 0, [0, 0]
    for u, home in enumerate(homes):
        if home is None:
            continue
        people += weights[u]
        first = evenly(records[own[u]], within)
        second = by_others(records[own[u]], within, homes, weights, u, first[0])
        for which, (guess, sure) in enumerate((first, second)):
            if math.dist(known if sure < share * (1 - LEVEL) else guess, home) <= within:
                right[which] += weights[u]
    return right[0] / people, right[1] / people, share


def one_place_for_all_others(homes, weights, within):
    """Share found by who guesses of each the place that most others' homes are near."""
    right, people = 0, 0
    for u, home in enumerate(homes):
        if home is None:
            continue
        people += weights[u]
        others = [*homes[:u], None, *homes[u + 1 :]]
        if any(other is not None for other in others):
            guess, _ = commonest(others, weights, within)
            right += weights[u] * (math.dist(guess, home) <= within)
    return right / people
