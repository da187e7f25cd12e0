"""Homes: true homes, and homes that attackers infer from the nights of a record.

*Attackers.* Each of several attackers makes one guess for each record.

*Guesses from a map of homes.* A census, a map of buildings or the operator's antennas can show how
people are spread within a cell. The most dangerous map shows the true homes, as far as they are
known, of everybody in the original except the target.

*Likeliest homes.* An attacker who knows the distribution of the noise infers the homes that explain
the records best.

*Position at a moment.* An attacker suspects that certain records are the target's, and guesses
where the target was at a stated moment.

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
"""Local hours between which people are assumed to be at home."""

CIRCLE_M = 1_000.0
"""Radius, in metres, of the circle in which attackers add up nights and homes.

It is fixed, so that a guess does not depend on the distance that counts as found.
"""

_DAY_MIN = 1_440.0
_EVENING_MIN = 60.0 * NIGHT_FROM_H
_MORNING_MIN = 60.0 * NIGHT_TO_H
_RECORDS_A_BLOCK = 64
_LEVEL = 1e-9  # relative; shares that differ by less count as equal
_DIGITS = 9  # decimal places to which nights at a place are compared
_DEVIATIONS = 2.0  # standard deviations of noise within which a record's nights are combined


@dataclass(frozen=True, eq=False)
class Homes:
    """Place where each person is most often at night in the original; all arrays are (n_users,).

    Attributes
    ----------
    x_m, y_m : float64 ndarray
        Middle of the place with the most events at night; NaN if there are none. Ties go to the
        place with the most events in all, then to the smaller x, then y.
    nights : int64 ndarray
        Number of nights with an event.
    """

    x_m: FloatArray
    y_m: FloatArray
    nights: IntArray


def true_homes(fs: FingerprintSet) -> Homes:
    """Return each person's home: the place where they are most often at night in the original."""
    mass = night_share(fs, fs.t_min, fs.dt_min) * fs.count
    first, place = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    visited, which = distinct_rows(fs.sample_user, place)
    at_night = np.bincount(which, mass)
    in_all = np.bincount(which, fs.count)
    user = fs.sample_user[visited]
    # Places are numbered by their corners, so remaining ties are in this order.
    order = np.lexsort((place[visited], -in_all, -at_night, user))
    best = order[np.searchsorted(user[order], np.arange(fs.n_users))]
    row = first[place[visited[best]]]
    known = at_night[best] > 0
    x = np.where(known, fs.x_m[row] + fs.dx_m[row] / 2, np.nan)
    y = np.where(known, fs.y_m[row] + fs.dy_m[row] / 2, np.nan)
    # A night is named after the day that follows.
    late = np.flatnonzero(mass > 0)
    night = np.floor((fs.wall_minutes(fs.t_min[late]) + _DAY_MIN - _EVENING_MIN) / _DAY_MIN)
    each, _ = distinct_rows(fs.sample_user[late], night) if len(late) else (late, late)
    return Homes(x, y, np.bincount(fs.sample_user[late[each]], minlength=fs.n_users))


def night_share(fs: FingerprintSet, t_min: FloatArray, dt_min: FloatArray) -> FloatArray:
    """Return the share of each stretch of time that is night, by the local clock of ``fs``."""
    begin = fs.wall_minutes(t_min)
    share: FloatArray = (_night_minutes(begin + dt_min) - _night_minutes(begin)) / dt_min
    return share


def _night_minutes(wall: FloatArray) -> FloatArray:
    """Return the minutes of night from the first midnight to each moment."""
    days = np.floor(wall / _DAY_MIN)
    rest = wall - days * _DAY_MIN
    tonight = np.minimum(rest, _MORNING_MIN) + np.maximum(rest - _EVENING_MIN, 0.0)
    total: FloatArray = days * (_DAY_MIN - _EVENING_MIN + _MORNING_MIN) + tonight
    return total


@dataclass(frozen=True)
class Commonest:
    """Home with the most people living nearby: the guess of an attacker without any record.

    Attributes
    ----------
    x_m, y_m : float
        Position, metres.
    share : float
        Share of people whose home is within 1 km of this position.
    """

    x_m: float
    y_m: float
    share: float


def commonest(x_m: FloatArray, y_m: FloatArray, weight: IntArray) -> Commonest:
    """Return the home with the most people living within 1 km; ties go to the smaller x, then y."""
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
    """People whose homes are to be inferred.

    Attributes
    ----------
    homes : Homes
        True homes of everybody in the original.
    nights : int
        Least number of nights with an event for a home to count as known.
    record, person, weight : int64 ndarray (n_asked,)
        For each person: the record, the row number in the original, and the number of people that
        this row stands for.
    """

    homes: Homes
    nights: int
    record: IntArray
    person: IntArray
    weight: IntArray

    @cached_property
    def known(self) -> Commonest:
        """Guess of an attacker without any record, the same for everybody."""
        return commonest(self.homes.x_m[self.person], self.homes.y_m[self.person], self.weight)

    def off(self, guess: FloatArray) -> FloatArray:
        """Return the distances (n_asked,) of guesses (n_asked, 2) from the true homes, metres."""
        x, y = self.homes.x_m[self.person], self.homes.y_m[self.person]
        off: FloatArray = np.hypot(guess[:, 0] - x, guess[:, 1] - y)
        return off


@dataclass(frozen=True, eq=False)
class Said:
    """Homes that an attacker infers from records.

    Attributes
    ----------
    places : float64 ndarray (n_records, 2)
        Inferred homes, metres.
    share : float64 ndarray (n_records,)
        Share of the record's evidence in a circle with a radius of 1 km around the inferred home,
        or in a square with the same area; with noise, the circle may be larger.
    """

    places: FloatArray
    share: FloatArray

    def unless_vague(self, known: Commonest) -> FloatArray:
        """Return the inferred homes, but ``known`` where its share exceeds the record's share."""
        everybodys = np.array([known.x_m, known.y_m])
        vague = self.share < known.share * (1 - _LEVEL)
        guess: FloatArray = np.where(vague[:, None], everybodys, self.places)
        return guess


@dataclass(frozen=True, eq=False)
class NightPlaces:
    """Distinct places of each record at night, or all day if the record has no night.

    Attributes
    ----------
    offsets : int64 ndarray (n_records + 1,)
        Places of record r are rows ``offsets[r]:offsets[r+1]``, by x, y, dx, dy; at least one.
    x, y, dx, dy : float64 ndarray (n,)
        Lower corners and sides, metres.
    at_night, in_all : float64 ndarray (n,)
        Number of published samples at the place. For ``at_night``, each sample is weighted by the
        share of its time that is night.
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
        """Return the night places of a release's records, by the local clock of ``fs``.

        ``fs`` is the original.
        """
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
        """Record of each place."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def most_nights(nights: NightPlaces) -> Said:
    """Return, for each record, the middle of the place with the most samples at night, and a share.

    Ties go to the place with the most samples in all, then to the smaller x, then y. The attacker
    assumes that the home is in that place. The share is therefore the part of the place that lies
    within a square around its middle. The square has the area of a circle with a radius of 1 km.
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
    progress: Progress = None,
) -> Said:
    """Return, for each record, the middle of the cell with the most nights in a square around it.

    Each sample is weighted by the share of its time that is night, and spread evenly over its cell.
    In a record without any night, all samples count alike. The square has the area of a circle with
    a radius of 1 km. With noise, the radius is at least two standard deviations of the noise, and
    the mean position of the nights in the square is returned. The ``share`` is that of the
    record's nights in the square.
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
    """Return the side of the square whose area is that of a circle with this radius."""
    return radius * math.sqrt(math.pi)


def guesses(
    fs: FingerprintSet,
    published: Published,
    asked: HomesAsked,
    noise: Spread,
    *,
    engine: Engine,
    progress: Progress = None,
) -> dict[str, FloatArray]:
    """Return each attacker's guesses of the homes asked for, (n_asked, 2), metres.

    A guess does not depend on the distance that counts as found: a home found within one distance
    is found within every larger distance.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    published : Published
    asked : HomesAsked
    noise : Spread
        Noise that the release adds to places.
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
_LESSER = 1e-6  # weight of all samples relative to those at night, to decide ties


def by_others(
    fs: FingerprintSet,
    nights: NightPlaces,
    asked: HomesAsked,
    noise: Spread,
    circle: Said,
    *,
    engine: Engine,
    progress: Progress = None,
) -> Said:
    """Infer homes from records, as would an attacker who knows the homes of all other people.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    nights : NightPlaces
        Night places of all records.
    asked : HomesAsked
    noise : Spread
    circle : Said
        Homes inferred from all records by the fullest circle.

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
    """Sort homes into a map of 1 km squares; return the map, and each home's position in it."""
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
    """Return each record's places at night, each with its weight as evidence of the home.

    With noise, each record has one place: a square around the mean of its nights that is likely to
    contain the home.
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
"""Share of samples assumed to be made at home; the others may be anywhere in the whole extent."""

BY_DAY = 0.2
"""Weight of a sample by day, relative to one at night."""

_IN_A_LEAF = 8


def noise_likelihood(
    fs: FingerprintSet,
    published: Published,
    asked: HomesAsked,
    noise: Spread,
    first: FloatArray,
    *,
    engine: Engine,
    progress: Progress = None,
) -> FloatArray:
    """Return the home that makes each person's record likeliest, (n_asked, 2), metres.

    Parameters
    ----------
    fs : FingerprintSet
        The original. Every place where another person was may be a home, as on a map of antennas.
    published : Published
    asked : HomesAsked
    noise : Spread
        Noise of the release, which must not be zero.
    first : float64 ndarray (n_asked, 2)
        Guess for each person asked for, used if no other person visited any place.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    cells = published.cells
    extent = [
        float((cells[low] + cells[side]).max() - cells[low].min())
        for low, side in (("x_m", "dx_m"), ("y_m", "dy_m"))
    ]
    # The highest density, for planar Laplace and for Gaussian noise.
    highest = 1 / (2 * math.pi * noise.scale**2)
    x, y = cells["x_m"] + cells["dx_m"] / 2, cells["y_m"] + cells["dy_m"] / 2
    weight = BY_DAY + (1 - BY_DAY) * night_share(fs, cells["t_min"], cells["dt_min"])
    elsewhere = AT_HOME / (1 - AT_HOME) * highest * extent[0] * extent[1]
    density = DENSITIES.index(noise.density), noise.scale
    moved = Moved(published.offsets, x, y, weight, *density, elsewhere)
    out = np.array(first)
    given = asked.record, asked.person, moved, _tree(fs), out
    fill(engine, len(out), _TARGETS_A_BLOCK, guess_likeliest, *given, progress=progress)
    return out


def _tree(fs: FingerprintSet) -> HomeTree:
    """Return a tree of the middles of all places, and the visitor of each place with only one."""
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
    progress: Progress = None,
) -> tuple[FloatArray, FloatArray]:
    """Return, for each target, the place with the least mean distance to suspected positions.

    Parameters
    ----------
    published : Published
    suspects : Suspects
        Suspected records of the targets.
    t_min : float64 ndarray (n_targets,)
        Moment at which each target's place is guessed, elapsed minutes.

    Returns
    -------
    float64 ndarray (n_targets, 2), (2,)
        The guesses, and the place with the least mean distance to all published samples; metres.
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
    """Return, for each list of points, the place with the least mean distance, (n_lists, 2)."""
    pairs = pairwise(offsets.tolist())
    return np.array([median_place(x_m[a:b], y_m[a:b], np.ones(b - a)) for a, b in pairs])
