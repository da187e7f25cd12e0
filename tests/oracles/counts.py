"""Counts over a stated frame by plain loops, for the tests to hold the package against.

Imports nothing from the package.
"""

import math


def place_of(x, y, places, area=None):
    """Number of the place of a point; None outside a stated area.

    ``places`` are centres of antennas, the nearest counts, the first of those equally near; or,
    with an ``area`` (west, south, east, north, side, columns), squares in rows from the south.
    """
    if area is None:
        apart = [math.hypot(x - u, y - v) for u, v in places]
        return next(i for i, d in enumerate(apart) if d <= min(apart) + 1e-6)
    west, south, east, north, side, columns = area
    if not (west <= x < east and south <= y < north):
        return None
    return int((y - south) // side) * columns + int((x - west) // side)


def recorded(samples, places, area, slots, slot_min):
    """Of one person, by slot: the place with most samples; ties: the lower number."""
    seen = {}
    for x, y, t in samples:
        place, slot = place_of(x, y, places, area), int(t // slot_min)
        if place is not None and 0 <= t < slots * slot_min:
            seen.setdefault(slot, []).append(place)
    return {s: min(set(at), key=lambda p, at=at: (-at.count(p), p)) for s, at in seen.items()}


def filled(seen, centres, slots):
    """The same in every slot: on the straight line, snapped; outside, the nearest in time."""
    row = []
    for s in range(slots):
        before, after = [k for k in seen if k <= s], [k for k in seen if k >= s]
        if not before or not after:
            row.append(seen[min(after) if after else max(before)])
            continue
        a, b = max(before), min(after)
        if seen[a] == seen[b]:
            row.append(seen[a])
            continue
        share = 0.0 if a == b else (s - a) / (b - a)
        (xa, ya), (xb, yb) = centres[seen[a]], centres[seen[b]]
        row.append(place_of(xa + (xb - xa) * share, ya + (yb - ya) * share, centres))
    return dict(enumerate(row))


def counts(people, places, area, slots, slot_min, fill):
    """Table of slots by places, as lists; ``people`` are lists of (x, y, t), centres of cells."""
    table = [[0] * len(places) for _ in range(slots)]
    for samples in people:
        seen = recorded(samples, places, area, slots, slot_min)
        if fill and seen:
            seen = filled(seen, places, slots)
        for slot, place in seen.items():
            table[slot][place] += 1
    return table
