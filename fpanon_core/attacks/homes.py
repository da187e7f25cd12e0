"""Where do people live? What is true, and what attackers read off the nights of a record.

Source: docs/science.md, “An attacker who knows the truth”.

Where do people live, to every attacker of a stated battery? One guess of each for each record.

Source: docs/science.md, “An attacker who knows the truth”.

Where do people live, to an attacker who knows where others do? Guesses by a map of homes.

A census, a map of buildings or the operator's antennas tell how people are spread within a cell.
The worst of such maps is that of the other people's true homes: everybody's in the original but the
one who is asked for.

Source: docs/science.md, “An attacker who knows the truth”.

Where do people live, to an attacker who knows what noise was added? The likeliest homes.

Source: docs/science.md, “An attacker who knows the truth”.

Where was somebody at a moment? The best guess of who has an idea which record is theirs.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine, fill
from ..engines.progress import Progress, part, tell
from ..kernels.home_guesses import (
    HomeMap,
    HomeTree,
    Moved,
    NightCells,
    Spans,
    guess_by_others,
    guess_homes,
    guess_likeliest,
    guess_places,
    median_place,
)
from ..model.arrays import PLACE, TIME, FloatArray, IntArray, distinct_rows, offsets_of
from ..model.fingerprints import FingerprintSet
from ..model.knowledge import DENSITIES, Spread
from .search import Published, Suspects

NIGHT_FROM_H, NIGHT_TO_H = 22, 6
"""Local hours between which people are taken to be at home."""

CIRCLE_M = 1_000.0
"""Radius of the circles that attackers fill. Fixed, so that a guess depends on no distance asked
for; and the distance at which homes are weighed everywhere."""

_DAY_MIN = 1_440.0
_EVENING_MIN = 60.0 * NIGHT_FROM_H
_MORNING_MIN = 60.0 * NIGHT_TO_H
_RECORDS_A_BLOCK = 64
_LEVEL = 1e-9  # relative; shares that differ by less are alike
_DIGITS = 9  # to which nights at a place are compared
_DEVIATIONS = 2.0  # of noise, within which a record's nights are taken together


@dataclass(frozen=True, eq=False)
class Homes:
    """Where people are most at night, by the original; arrays of (n_users,).

    Attributes
    ----------
    x_m, y_m : float64 ndarray
        Middle of the place with the most events at night; NaN without any. Ties: the place with
        the most events in all, then the smaller x, then y.
    nights : int64 ndarray
        Nights with an event.
    """

    x_m: FloatArray
    y_m: FloatArray
    nights: IntArray


def true_homes(fs: FingerprintSet) -> Homes:
    """The homes of people in the original."""
    mass = night_share(fs, fs.t_min, fs.dt_min) * fs.count
    first, place = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    visited, which = distinct_rows(fs.sample_user, place)
    at_night = np.bincount(which, mass)
    in_all = np.bincount(which, fs.count)
    user = fs.sample_user[visited]
    # Places are numbered by their corners, so that the order of what is left is theirs.
    order = np.lexsort((place[visited], -in_all, -at_night, user))
    best = order[np.searchsorted(user[order], np.arange(fs.n_users))]
    row = first[place[visited[best]]]
    known = at_night[best] > 0
    x = np.where(known, fs.x_m[row] + fs.dx_m[row] / 2, np.nan)
    y = np.where(known, fs.y_m[row] + fs.dy_m[row] / 2, np.nan)
    # A night is called after the day it leads to.
    late = np.flatnonzero(mass > 0)
    night = np.floor((fs.wall_minutes(fs.t_min[late]) + _DAY_MIN - _EVENING_MIN) / _DAY_MIN)
    each, _ = distinct_rows(fs.sample_user[late], night) if len(late) else (late, late)
    return Homes(x, y, np.bincount(fs.sample_user[late[each]], minlength=fs.n_users))


def night_share(fs: FingerprintSet, t_min: FloatArray, dt_min: FloatArray) -> FloatArray:
    """Share of each stretch of time that is night, by the local clock of ``fs``."""
    begin = fs.wall_minutes(t_min)
    share: FloatArray = (_night_minutes(begin + dt_min) - _night_minutes(begin)) / dt_min
    return share


def _night_minutes(wall: FloatArray) -> FloatArray:
    """Minutes of night before a moment, from the first midnight."""
    days = np.floor(wall / _DAY_MIN)
    rest = wall - days * _DAY_MIN
    tonight = np.minimum(rest, _MORNING_MIN) + np.maximum(rest - _EVENING_MIN, 0.0)
    total: FloatArray = days * (_DAY_MIN - _EVENING_MIN + _MORNING_MIN) + tonight
    return total


@dataclass(frozen=True)
class Commonest:
    """The home that most others are near: what an attacker without any record guesses of everybody.

    Attributes
    ----------
    x_m, y_m : float
        Where it is, metres.
    share : float
        Of the people, those whose home is in a circle of 1 km around it.
    """

    x_m: float
    y_m: float
    share: float


def commonest(x_m: FloatArray, y_m: FloatArray, weight: IntArray) -> Commonest:
    """The home that most people's are within 1 km of; ties: smaller x, then y."""
    first, which = distinct_rows(x_m, y_m)
    people = np.bincount(which, weight)
    places = np.column_stack([x_m[first], y_m[first]])
    around = cKDTree(places).query_ball_point(places, CIRCLE_M)
    near = np.array([people[rows].sum() for rows in around])
    best = int(np.argmax(near))
    x, y = places[best]
    return Commonest(float(x), float(y), float(near[best] / people.sum()))


@dataclass(frozen=True, eq=False)
class HomesAsked:
    """The people whose homes are asked for.

    Attributes
    ----------
    homes : Homes
        True ones, of everybody in the original.
    nights : int
        In which somebody was recorded, at least, for the home to be known.
    record, person, weight : int64 ndarray (n_asked,)
        The record of each, who that is in the original, and how many people it stands for.
    """

    homes: Homes
    nights: int
    record: IntArray
    person: IntArray
    weight: IntArray

    @cached_property
    def known(self) -> Commonest:
        """What an attacker without any record guesses of everybody."""
        return commonest(self.homes.x_m[self.person], self.homes.y_m[self.person], self.weight)

    def off(self, guess: FloatArray) -> FloatArray:
        """How far a guess of each, (n_asked, 2), is from the true home, metres."""
        x, y = self.homes.x_m[self.person], self.homes.y_m[self.person]
        off: FloatArray = np.hypot(guess[:, 0] - x, guess[:, 1] - y)
        return off


@dataclass(frozen=True, eq=False)
class Said:
    """What an attacker reads off records of their people's homes.

    Attributes
    ----------
    places : float64 ndarray (n_records, 2)
        Metres.
    share : float64 ndarray (n_records,)
        Of what the record says, the share that is in a circle there.
    """

    places: FloatArray
    share: FloatArray

    def unless_vague(self, known: Commonest) -> FloatArray:
        """The places; what everybody knows, where the record says less than that."""
        everybodys = np.array([known.x_m, known.y_m])
        vague = self.share < known.share * (1 - _LEVEL)
        guess: FloatArray = np.where(vague[:, None], everybodys, self.places)
        return guess


@dataclass(frozen=True, eq=False)
class NightPlaces:
    """The distinct places of each record at night, or of all day where it has no night.

    Attributes
    ----------
    offsets : int64 ndarray (n_records + 1,)
        Those of record r are rows ``offsets[r]:offsets[r+1]``, by x, y, dx, dy; at least one.
    x, y, dx, dy : float64 ndarray (n,)
        Lower corners and sides, metres.
    at_night, in_all : float64 ndarray (n,)
        Published samples at night there, each by the share of its time that is night; and all.
    """

    offsets: IntArray
    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    at_night: FloatArray
    in_all: FloatArray

    @classmethod
    def of(cls, fs: FingerprintSet, published: Published) -> NightPlaces:
        """Of a release's records, by the local clock of the original ``fs``."""
        cells, n_records = published.cells, len(published.weight)
        record = np.repeat(np.arange(n_records), np.diff(published.offsets))
        night = night_share(fs, cells["t_min"], cells["dt_min"])
        without = np.bincount(record, night, n_records)[record] == 0
        rows, which = distinct_rows(record, *(cells[name] for name in PLACE))
        at_night = np.bincount(which, np.where(without, 1.0, night)).astype(np.float64)
        in_all: FloatArray = np.bincount(which).astype(np.float64)
        late = at_night > 0
        rows = rows[late]
        sizes = np.bincount(record[rows], minlength=n_records)
        x, y, dx, dy = (cells[name][rows] for name in PLACE)
        return cls(offsets_of(sizes), x, y, dx, dy, at_night[late], in_all[late])

    @property
    def record(self) -> IntArray:
        """The record of each place."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def most_nights(nights: NightPlaces) -> Said:
    """The middle of the place where each record has most of its nights.

    Ties: the place with the most samples in all, then smaller x, then y. The attacker takes the
    home to be in that place, so the share is the part of it in a circle of 1 km.
    """
    order = np.lexsort((-nights.in_all, -np.round(nights.at_night, _DIGITS), nights.record))
    best = order[nights.offsets[:-1]]
    dx, dy = nights.dx[best], nights.dy[best]
    middle = np.column_stack([nights.x[best] + dx / 2, nights.y[best] + dy / 2])
    side = _side_of(CIRCLE_M)
    return Said(middle, np.minimum(1.0, side / dx) * np.minimum(1.0, side / dy))


def fullest_circle(
    fs: FingerprintSet,
    published: Published,
    noise: Spread,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> Said:
    """The middle around which each record has most of its nights, spread evenly over their cells.

    In a circle of 1 km. With noise in a circle of two standard deviations, if that is larger, and
    then the mean of what is there.
    """
    cells = published.cells
    night = night_share(fs, cells["t_min"], cells["dt_min"])
    half = _side_of(max(CIRCLE_M, _DEVIATIONS * math.sqrt(noise.variance))) / 2
    out = np.empty((len(published.weight), 3))
    x, y, dx, dy = (np.ascontiguousarray(cells[name]) for name in PLACE)
    given = NightCells(published.offsets, x, y, dx, dy, night), half, noise.variance > 0, out
    fill(engine, len(out), _RECORDS_A_BLOCK, guess_homes, *given, progress=progress)
    return Said(out[:, :2], out[:, 2])


def _side_of(radius: float) -> float:
    """The side of a square as large as a circle."""
    return radius * math.sqrt(math.pi)


def guesses(
    fs: FingerprintSet,
    published: Published,
    asked: HomesAsked,
    noise: Spread,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> dict[str, FloatArray]:
    """The homes that each attacker guesses of the people asked for, (n_asked, 2), metres.

    No guess depends on how near it must be: what is found within a distance is found within every
    larger one.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    published : Published
    asked : HomesAsked
    noise : Spread
        What the release adds to places.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    record, known = asked.record, asked.known
    nights = NightPlaces.of(fs, published)
    circle = fullest_circle(fs, published, noise, engine=engine, progress=part(progress, 0.0, 0.3))
    told = part(progress, 0.3, 0.7)
    others = by_others(fs, nights, asked, noise, circle, engine=engine, progress=told)
    found = {
        "most_nights": most_nights(nights).unless_vague(known)[record],
        "fullest_circle": circle.unless_vague(known)[record],
        "by_others": others.unless_vague(known),
    }
    if noise.variance > 0:
        first, told = circle.places[record], part(progress, 0.7, 1.0)
        found["noise_likelihood"] = noise_likelihood(
            fs, published, asked, noise, first, engine=engine, progress=told
        )
    tell(progress, 1.0)
    return found


_TARGETS_A_BLOCK = 16
_LESSER = 1e-6  # of the night's masses, what those of all day count in a tie


def by_others(
    fs: FingerprintSet,
    nights: NightPlaces,
    asked: HomesAsked,
    noise: Spread,
    circle: Said,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> Said:
    """What records say of some people's homes to an attacker who knows where all others live.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    nights : NightPlaces
        Of all records.
    asked : HomesAsked
    noise : Spread
    circle : Said
        Of all records, by the fullest circle.

    Returns
    -------
    Said
        A row for each home asked for.
    """
    homes, record, person = asked.homes, asked.record, asked.person
    living = np.flatnonzero(homes.nights >= asked.nights)
    known, place = _map_of(homes.x_m[living], homes.y_m[living], fs.weight[living])
    home = np.full(fs.n_users, -1, np.int64)
    home[living] = place
    cells = _night_cells(nights, noise, circle)
    own = fs.weight[person].astype(np.float64)
    out = np.empty((len(record), 3))
    given = record, home[person], own, circle.places[record], cells, known, asked.known.share, out
    fill(engine, len(out), _TARGETS_A_BLOCK, guess_by_others, *given, progress=progress)
    return Said(out[:, :2], out[:, 2])


def _map_of(x_m: FloatArray, y_m: FloatArray, weight: IntArray) -> tuple[HomeMap, IntArray]:
    """The map of some homes in squares as wide as a circle reaches, and the place of each on it."""
    first, which = distinct_rows(x_m, y_m)
    x, y = x_m[first], y_m[first]
    left, bottom = float(x.min()), float(y.min())
    row = np.floor((y - bottom) / CIRCLE_M).astype(np.int64)
    rows = int(row.max()) + 1
    number = np.floor((x - left) / CIRCLE_M).astype(np.int64) * rows + row
    order = np.argsort(number, kind="stable")
    square, many = np.unique(number, return_counts=True)
    people = np.bincount(which, weight).astype(np.float64)
    homes = x[order], y[order], people[order]
    made = HomeMap(*homes, square, offsets_of(many), left, bottom, CIRCLE_M, rows)
    at = np.empty(len(order), np.int64)
    at[order] = np.arange(len(order))
    return made, at[which]


def _night_cells(nights: NightPlaces, noise: Spread, circle: Said) -> NightCells:
    """The places of each record at night, with their nights.

    With noise a single one: the square that the mean of the nights leaves likely.
    """
    if noise.variance == 0:
        mass = nights.at_night + _LESSER * nights.in_all
        return NightCells(nights.offsets, nights.x, nights.y, nights.dx, nights.dy, mass)
    record, n_records = nights.record, len(nights.offsets) - 1
    each = np.bincount(record, nights.at_night, n_records)
    off = math.sqrt(noise.variance) / np.sqrt(np.maximum(circle.share * each, 1.0))
    sides = np.bincount(record, nights.at_night * (nights.dx + nights.dy) / 2, n_records) / each
    side = 2 * _DEVIATIONS * off + sides
    x, y = np.ascontiguousarray((circle.places - side[:, None] / 2).T)
    return NightCells(np.arange(n_records + 1), x, y, side, side, np.ones(n_records))


AT_HOME = 0.5
"""Share of the samples that are taken to be at home; the others are anywhere in the release."""

BY_DAY = 0.2
"""How much a sample by day counts, of one at night."""

_IN_A_LEAF = 8


def noise_likelihood(
    fs: FingerprintSet,
    published: Published,
    asked: HomesAsked,
    noise: Spread,
    first: FloatArray,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> FloatArray:
    """The homes that make the records asked for likeliest, (n_asked, 2), metres.

    Parameters
    ----------
    fs : FingerprintSet
        The original: people may live wherever somebody else was, as a map of antennas tells.
    published : Published
    asked : HomesAsked
    noise : Spread
        Some.
    first : float64 ndarray (n_asked, 2)
        What is said where nobody else was anywhere.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    cells = published.cells
    extent = [
        float((cells[low] + cells[side]).max() - cells[low].min())
        for low, side in (("x_m", "dx_m"), ("y_m", "dy_m"))
    ]
    # Of planar Laplace noise and of Gaussian noise alike, the density where it is highest.
    highest = 1 / (2 * math.pi * noise.scale**2)
    moved = Moved(
        published.offsets,
        cells["x_m"] + cells["dx_m"] / 2,
        cells["y_m"] + cells["dy_m"] / 2,
        BY_DAY + (1 - BY_DAY) * night_share(fs, cells["t_min"], cells["dt_min"]),
        DENSITIES.index(noise.density),
        noise.scale,
        AT_HOME / (1 - AT_HOME) * highest * extent[0] * extent[1],
    )
    out = np.array(first)
    given = asked.record, asked.person, moved, _tree(fs), out
    fill(engine, len(out), _TARGETS_A_BLOCK, guess_likeliest, *given, progress=progress)
    return out


def _tree(fs: FingerprintSet) -> HomeTree:
    """The middles of all places of some data, and who alone was there."""
    rows, place = distinct_rows(*fs.arrays(PLACE).values())
    visited, _ = distinct_rows(place, fs.sample_user)
    visitors = np.bincount(place[visited])
    only = np.full(len(rows), -1, np.int64)
    only[place[visited]] = fs.sample_user[visited]
    only[visitors > 1] = -1
    at = np.column_stack([fs.x_m[rows] + fs.dx_m[rows] / 2, fs.y_m[rows] + fs.dy_m[rows] / 2])
    rank = np.empty(len(at), np.int64)
    rank[np.lexsort((at[:, 1], at[:, 0]))] = np.arange(len(at))
    depth = max(0, math.ceil(math.log2(len(at) / _IN_A_LEAF)))
    order, boxes = np.arange(len(at)), []
    for level in range(depth + 1):
        starts = len(at) * np.arange(2**level + 1) // 2**level
        sizes, here = np.diff(starts), at[order]
        low, high = (each.reduceat(here, starts[:-1]) for each in (np.minimum, np.maximum))
        boxes.append(np.column_stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]]))
        if level < depth:  # cut across the longer side
            across = np.repeat(high[:, 0] - low[:, 0] >= high[:, 1] - low[:, 1], sizes)
            branch = np.repeat(np.arange(2**level), sizes)
            order = order[np.lexsort((np.where(across, here[:, 0], here[:, 1]), branch))]
    x, y = np.ascontiguousarray(at[order].T)
    return HomeTree(x, y, rank[order], only[order], starts, 2**depth - 1, np.concatenate(boxes))


def places_at(
    published: Published,
    suspects: Suspects,
    t_min: FloatArray,
    *,
    engine: Engine,
    progress: Progress | None = None,
) -> tuple[FloatArray, FloatArray]:
    """The place of each target from which what the records say is least far on average.

    Parameters
    ----------
    published : Published
    suspects : Suspects
        Of the targets.
    t_min : float64 ndarray (n_targets,)
        The moment asked for of each.

    Returns
    -------
    float64 ndarray (n_targets, 2), (2,)
        The guesses, and the place that all published samples together are least far from; metres.
    """
    cells = published.cells
    x, y = cells["x_m"] + cells["dx_m"] / 2, cells["y_m"] + cells["dy_m"] / 2
    start, length = (np.ascontiguousarray(cells[name]) for name in TIME)
    people = np.repeat(published.weight, np.diff(published.offsets)).astype(np.float64)
    base = np.array(median_place(x, y, people))
    guess = np.empty((len(t_min), 2))
    given = t_min, suspects, Spans(published.offsets, x, y, start, length), base, guess
    fill(engine, len(t_min), _TARGETS_A_BLOCK, guess_places, *given, progress=progress)
    return guess, base


def median_places(x_m: FloatArray, y_m: FloatArray, offsets: IntArray) -> FloatArray:
    """Of each list of points the place from which they are least far on average, (n_lists, 2)."""
    pairs = pairwise(offsets.tolist())
    return np.array([median_place(x_m[a:b], y_m[a:b], np.ones(b - a)) for a, b in pairs])
