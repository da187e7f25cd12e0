"""What one person adds to each statistic behind synthetic people: plain loops.

By docs/science.md; imports nothing from the package. A person is a list of samples (x, y, t,
events) in order of t, x, y; ``place_of(x, y)`` is the number of the place of a point, or None;
``centres`` are the places' middles, metres; ``kinds`` the types of the days.
"""

import itertools
import math

UNIT = 65_536
DAY = 1440
RINGS_M = [750, 1500, 2500, 4000, 6000, 9000, 13000, 18000, 25000, 35000, 50000]
CLASSES_M = [1200, 4500, 10000]
EVENTS = [2, 4, 8, 16, 32, 64, 128, 256]
PLACES = [2, 3, 5, 8, 13, 21, 34, 55]
AT_HOME = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85]
GAPS_MIN = [16, 61, 181, 481, 1441]


def from_(bounds, value):
    """The bin whose lower bound is the last that ``value`` reaches."""
    return sum(value >= bound for bound in bounds)


def up_to(bounds, value):
    """The bin whose upper bound is the first that holds ``value``."""
    return sum(value > bound for bound in bounds)


def floor_of(share, unit=UNIT):
    return math.floor(unit * share)


def seen(samples, place_of, kinds):
    """(place, day, minute, hour, events) of the samples in the frame."""
    rows = []
    for x, y, t, events in samples:
        day, place = math.floor(t / DAY), place_of(x, y)
        if place is not None and 0 <= day < len(kinds):
            rows.append((place, day, t, int(t % DAY // 60), events))
    return rows


def home_and_anchor(rows, kinds):
    """The place with most events, nights three times; the next, hours of work twice."""
    nights, works = {}, {}
    for place, day, _, hour, events in rows:
        night = hour >= 21 or hour < 7
        work = kinds[day] == 0 and 9 <= hour < 17
        nights[place] = nights.get(place, 0) + events * (3 if night else 1)
        works[place] = works.get(place, 0) + events * (2 if work else 1)
    home = min(nights, key=lambda place: (-nights[place], place))
    others = [place for place in works if place != home]
    anchor = min(others, key=lambda place: (-works[place], place)) if others else None
    return home, anchor


def radius(rows, centres):
    """Of gyration, over events."""
    total = sum(events for *_, events in rows)
    mean = [sum(centres[p][axis] * e for p, *_, e in rows) / total for axis in (0, 1)]
    square = sum(
        ((centres[p][0] - mean[0]) ** 2 + (centres[p][1] - mean[1]) ** 2) * e for p, *_, e in rows
    )
    return math.sqrt(square / total)


def added(samples, place_of, centres, zone, kinds):
    """What one person adds: {(statistic, cell, …): whole number}; empty outside of the frame."""
    rows = seen(samples, place_of, kinds)
    if not rows:
        return {}
    out = {}

    def add(*cell, amount=UNIT):
        out[cell] = out.get(cell, 0) + amount

    home, anchor = home_and_anchor(rows, kinds)
    visits = {}
    for place, _, _, _, events in rows:
        visits[place] = visits.get(place, 0) + events
    total = sum(visits.values())
    away = total - visits[home]
    add("people", 0)
    add("homes", zone[home])
    for place, events in visits.items():
        if place != home:
            add("visits", zone[place], amount=floor_of(events / away))
    roles, days = {}, {}
    for place, day, _, hour, events in rows:
        role = 0 if place == home else 1 if place == anchor else 2
        roles[role, kinds[day], hour] = roles.get((role, kinds[day], hour), 0) + events
        days[day] = days.get(day, 0) + events
    for cell, events in roles.items():
        add("roles", *cell, amount=floor_of(events / total))
    for day, events in days.items():
        add("days", day, amount=floor_of(events / total))
    add("records", from_(EVENTS, total), from_(PLACES, len(visits)))
    moves = sum(a[0] != b[0] for a, b in itertools.pairwise(rows))
    add("amounts", 0, amount=floor_of(min(total, 128) / 128, UNIT // 2))
    add("amounts", 1, amount=floor_of(min(moves, 128) / 128, UNIT // 2))
    far = radius(rows, centres)
    kind = up_to(CLASSES_M, far)
    if anchor is not None:
        add(
            "rings",
            kind,
            0,
            from_(RINGS_M, math.dist(centres[home], centres[anchor])),
            amount=UNIT // 2,
        )
    others = {p: e for p, e in visits.items() if p not in (home, anchor)}
    for place, events in others.items():
        ring = from_(RINGS_M, math.dist(centres[home], centres[place]))
        add("rings", kind, 1, ring, amount=floor_of(events / sum(others.values()), UNIT // 2))
    gaps = {}
    for a, b in itertools.pairwise(rows):
        cell = int(a[0] != b[0]), from_(GAPS_MIN, b[2] - a[2])
        gaps[cell] = gaps.get(cell, 0) + 1
    for cell, many in gaps.items():
        add("gaps", *cell, amount=floor_of(many / (len(rows) - 1)))
    add("radii", up_to(RINGS_M, far))
    add("at_home", from_(AT_HOME, visits[home] / total))
    return out
