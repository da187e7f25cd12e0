"""How like are made-up people to real ones? The measures of AdaTrace and LDPTrace, and some more.

Both sides are read at the places of one stated frame, so what the frame leaves out counts for
neither. A *journey* is what a person does in a day: days are what trip, length, diameter and
patterns are of, as AdaTrace's taxis have a journey each. Numbers of events and of people are
brought to those of the real data, as made-up people may be more.

Sources: Gursoy et al. 2018 (AdaTrace), section 6.1; Du et al. 2023 (LDPTrace), section 5.1.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import kendalltau, ks_2samp, wasserstein_distance

from fpanon_core.synthesis.attack import located

DAY, SIDE, BINS, QUERIES, TOP, OD_M = 1440, 10, 20, 200, 100, 5_000
_TURNS = np.arange(12) * np.pi / 12


class Events(NamedTuple):
    """One row an event, by person and time; places and first midnight are the frame's."""

    user: np.ndarray
    place: np.ndarray
    wall_min: np.ndarray

    @classmethod
    def of(cls, fs, ground):
        """What of a data set is in the frame."""
        place, wall = located(fs, ground.frame)
        many = np.where(place >= 0, fs.count, 0)
        rows = (np.repeat(of, many) for of in (fs.sample_user, place, wall.astype(np.int64)))
        user, place, wall = rows
        order = np.lexsort((wall, user))
        return cls(np.unique(user, return_inverse=True)[1][order], place[order], wall[order])

    @property
    def journey(self):
        """Number of each event's person and day, ascending."""
        days = int(self.wall_min.max()) // DAY + 1
        return np.unique(self.user * days + self.wall_min // DAY, return_inverse=True)[1]


def squares(ground, side):
    """Square of each place on a grid of side × side over the frame's places."""
    across = [
        np.minimum((side * (v - v.min()) / max(np.ptp(v), 1e-9)).astype(np.int64), side - 1)
        for v in (ground.x_m, ground.y_m)
    ]
    return across[0] * side + across[1]


def shares(values):
    """Values that add up to 1."""
    return values / max(float(values.sum()), 1e-12)


def divergence(p, q):
    """Jensen–Shannon divergence of two histograms, base 2."""
    p, q = shares(np.asarray(p, float)), shares(np.asarray(q, float))
    mean = (p + q) / 2
    logs = (np.sum(v[v > 0] * np.log2(v[v > 0] / mean[v > 0])) for v in (p, q))
    return float(sum(logs)) / 2


def variation(p, q):
    """Total variation of two histograms."""
    return float(np.abs(shares(np.asarray(p, float)) - shares(np.asarray(q, float))).sum()) / 2


def relative_error(real, made, least):
    """Mean of |real − made| over the real one, or over a bound of sanity where that is more."""
    return float(np.mean(np.abs(real - made) / np.maximum(real, least)))


def f1(real, made):
    """Of two sets of patterns."""
    return 2 * len(real & made) / max(len(real) + len(made), 1)


def ends(journey, cell):
    """First and last cell of each journey."""
    first = np.flatnonzero(np.diff(journey, prepend=-1))
    return cell[first], cell[np.append(first[1:], len(cell)) - 1]


def lengths(journey, x, y):
    """Metres along each journey."""
    step = np.hypot(np.diff(x), np.diff(y)) * (np.diff(journey) == 0)
    return np.bincount(journey[1:], step, journey[-1] + 1)


def diameters(journey, x, y):
    """Greatest distance in each journey, to 1%: the widest of twelve directions."""
    first = np.flatnonzero(np.diff(journey, prepend=-1))
    along = (np.cos(turn) * x + np.sin(turn) * y for turn in _TURNS)
    return np.max([np.maximum.reduceat(v, first) - np.minimum.reduceat(v, first) for v in along], 0)


def patterns(journey, cell, top=TOP):
    """The most frequent runs of two or three different cells, one after the other, in a journey."""
    new = (np.diff(journey, prepend=-1) != 0) | (np.diff(cell, prepend=-1) != 0)
    journey, cell = journey[new], cell[new]
    found = Counter()
    for many in (2, 3):
        last = len(cell) - many + 1
        if last < 1:
            continue
        runs = np.stack([cell[at : last + at] for at in range(many)], 1)
        own, times = np.unique(
            runs[journey[:last] == journey[many - 1 :]], axis=0, return_counts=True
        )
        found.update(dict(zip(map(tuple, own.tolist()), times.tolist(), strict=True)))
    return {run for run, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:top]}


def figures(real, made, ground, seed=0):
    """All measures, by name; small is good but for the F1 and Kendall's τ."""
    rng = np.random.default_rng(seed)
    x, y, cell = ground.x_m, ground.y_m, squares(ground, SIDE)
    both = (real, made)
    journeys = [e.journey for e in both]
    points = [np.bincount(e.place, minlength=len(x)).astype(float) for e in both]
    points[1] *= points[0].sum() / points[1].sum()
    inside = _regions(x, y, rng)
    people = [_people(e, inside) for e in both]
    people[1] = people[1] * (people_in(real) / people_in(made))
    trips = [np.bincount(_pair(*ends(j, cell[e.place]), SIDE**2), minlength=SIDE**4)
             for j, e in zip(journeys, both, strict=True)]  # fmt: skip
    by_cell = [np.bincount(cell, p, SIDE**2)[np.unique(cell)] for p in points]
    runs = [patterns(j, cell[e.place]) for j, e in zip(journeys, both, strict=True)]
    wide = np.unique(np.floor(np.stack([x, y], 1) / OD_M), axis=0, return_inverse=True)[1].ravel()
    flows = [_moves(e, wide) for e in both]
    weeks = [np.bincount(_hour_of_week(e, ground), minlength=168) for e in both]
    of_people = [_of_people(e, x, y) for e in both]
    found = {
        "query, points": relative_error(
            points[0] @ inside, points[1] @ inside, 0.001 * points[0].sum()
        ),
        "query, people": relative_error(*people, 0.001 * people_in(real)),
        "trip": divergence(*trips),
        "length": _binned(lengths, both, journeys, x, y),
        "diameter": _binned(diameters, both, journeys, x, y),
        "patterns F1": f1(*runs),
        "Kendall τ": float(kendalltau(*by_cell).statistic),
        "km by hour": _km_by_hour(*both, x, y),
        "OD 5 km": variation(*flows),
        "radius KS": float(ks_2samp(of_people[0][0], of_people[1][0]).statistic),
        "places KS": float(ks_2samp(of_people[0][1], of_people[1][1]).statistic),
        "hour of week": variation(*weeks),
    }
    return {name: round(value, 3) for name, value in found.items()}


def people_in(events):
    """How many people."""
    return int(events.user[-1]) + 1


def _pair(one, other, many):
    return one * many + other


def _regions(x, y, rng):
    """Random squares round a place, of a twentieth to a quarter of the frame's longer side."""
    at = rng.integers(0, len(x), QUERIES)
    half = max(np.ptp(x), np.ptp(y)) * rng.uniform(0.05, 0.25, QUERIES) / 2
    apart = np.maximum(np.abs(x[:, None] - x[at]), np.abs(y[:, None] - y[at]))
    return (apart <= half).astype(float)


def _people(events, inside):
    """People who were in each region."""
    ones, at = np.ones(len(events.user), np.float32), (events.user, events.place)
    been = csr_array((ones, at), shape=(people_in(events), len(inside)))
    return ((been @ inside.astype(np.float32)) > 0).sum(axis=0).astype(float)


def _binned(measure, both, journeys, x, y):
    of = [measure(j, x[e.place], y[e.place]) for j, e in zip(journeys, both, strict=True)]
    edges = np.linspace(0, max(of[0].max(), 1e-9), BINS + 1)
    return divergence(*(np.histogram(np.minimum(v, edges[-1]), edges)[0] for v in of))


def _moves(events, area):
    """From area to area, of pairs of events."""
    own = area[events.place]
    moved = (np.diff(events.user) == 0) & (np.diff(own) != 0)
    many = int(area.max()) + 1
    return np.bincount(_pair(own[:-1][moved], own[1:][moved], many), minlength=many**2)


def _hour_of_week(events, ground):
    first = ground.frame.counts.first_day
    day = (events.wall_min // DAY + (0 if first is None else first.weekday())) % 7
    return day * 24 + events.wall_min % DAY // 60


def _of_people(events, x, y):
    """Radius of gyration, metres, and number of places of each person."""
    many = np.bincount(events.user)
    square = np.zeros(len(many))
    for v in (x[events.place], y[events.place]):
        v = v - v.mean()
        mean = np.bincount(events.user, v) / many
        square += np.bincount(events.user, (v - mean[events.user]) ** 2) / many
    places = np.unique(_pair(events.user, events.place, len(x))) // len(x)
    return np.round(np.sqrt(square)), np.bincount(places)


def _km_by_hour(real, made, x, y):
    """Mean over hours and six directions of the one-dimensional earth mover's distance, km."""
    found, weights = [], np.bincount(real.wall_min % DAY // 60, minlength=24)
    for hour in range(24):
        by = [np.bincount(e.place[e.wall_min % DAY // 60 == hour], minlength=len(x)) for e in
              (real, made)]  # fmt: skip
        along = [np.cos(turn) * x + np.sin(turn) * y for turn in _TURNS[::2]]
        if min(v.sum() for v in by) == 0:
            found.append(np.nan if by[0].sum() == 0 else np.hypot(np.ptp(x), np.ptp(y)))
            continue
        found.append(np.mean([wasserstein_distance(v, v, *by) for v in along]))
    found = np.array(found)
    known = np.isfinite(found)
    return float(np.average(found[known], weights=weights[known])) / 1_000
