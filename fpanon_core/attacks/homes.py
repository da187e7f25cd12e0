"""Where do people live? What is true, and what attackers read off the nights of a record.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine
from ..engines.progress import Progress
from ..kernels.place_guesses import guess_homes
from ..model.arrays import FloatArray, IntArray
from ..model.cells import PLACE
from ..model.distinct import distinct_rows
from ..model.fingerprints import FingerprintSet
from ..model.mechanism import Spread
from ..model.ragged import offsets_of
from .search import Published

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
    fs: FingerprintSet, published: Published, noise: Spread, *, engine: Engine,
    progress: Progress | None = None,
) -> Said:  # fmt: skip
    """The middle around which each record has most of its nights, spread evenly over their cells.

    In a circle of 1 km. With noise in a circle of two standard deviations, if that is larger, and
    then the mean of what is there.
    """
    cells = published.cells
    night = night_share(fs, cells["t_min"], cells["dt_min"])
    half = _side_of(max(CIRCLE_M, _DEVIATIONS * math.sqrt(noise.variance))) / 2
    out = np.empty((len(published.weight), 3))
    x, y, dx, dy = (np.ascontiguousarray(cells[name]) for name in PLACE)

    def block(first: int) -> float:
        last = min(first + _RECORDS_A_BLOCK, len(out))
        guess_homes(first, last, published.offsets, x, y, dx, dy, night, half,
                    noise.variance > 0, out)  # fmt: skip
        return float(last - first)

    engine.run(block, range(0, len(out), _RECORDS_A_BLOCK), len(out), progress)
    return Said(out[:, :2], out[:, 2])


def _side_of(radius: float) -> float:
    """The side of a square as large as a circle."""
    return radius * math.sqrt(math.pi)
