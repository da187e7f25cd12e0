"""Where do people live? What records say of their nights, and what is true.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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
from .search import Published

NIGHT_FROM_H, NIGHT_TO_H = 22, 6
"""Local hours between which people are taken to be at home."""

_DAY_MIN = 1_440.0
_EVENING_MIN = 60.0 * NIGHT_FROM_H
_MORNING_MIN = 60.0 * NIGHT_TO_H
_RECORDS_A_BLOCK = 64
_LEVEL = 1e-9  # relative; shares that differ by less are alike
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
    """The home that most others are near: what whoever knows no record guesses of everybody.

    Attributes
    ----------
    x_m, y_m : float
        Where it is, metres.
    share : float
        Of the people, those whose home is within reach of it.
    """

    x_m: float
    y_m: float
    share: float


def commonest(x_m: FloatArray, y_m: FloatArray, weight: IntArray, within_m: float) -> Commonest:
    """The home that most people's are within ``within_m`` of; ties: smaller x, then y."""
    first, which = distinct_rows(x_m, y_m)
    people = np.bincount(which, weight)
    places = np.column_stack([x_m[first], y_m[first]])
    around = cKDTree(places).query_ball_point(places, within_m)
    near = np.array([people[rows].sum() for rows in around])
    best = int(np.argmax(near))
    x, y = places[best]
    return Commonest(float(x), float(y), float(near[best] / people.sum()))


@dataclass(frozen=True, eq=False)
class Said:
    """What records say of their people's homes to whoever spreads their nights evenly over cells.

    Attributes
    ----------
    places : float64 ndarray (n_records, 2)
        Metres.
    share : float64 ndarray (n_records,)
        Of the record's nights, those that are there.
    """

    places: FloatArray
    share: FloatArray

    def unless_vague(self, known: Commonest) -> FloatArray:
        """The places; what everybody knows, where the record says less than that."""
        everybodys = np.array([known.x_m, known.y_m])
        vague = self.share < known.share * (1 - _LEVEL)
        guess: FloatArray = np.where(vague[:, None], everybodys, self.places)
        return guess


def said_of_homes(
    fs: FingerprintSet, published: Published, within_m: float, noise: Spread, *, engine: Engine,
    progress: Progress | None = None,
) -> Said:  # fmt: skip
    """The guess of each record that has most of its nights within ``within_m``.

    Where there is noise, within two of its standard deviations, if that is more, and then the mean
    of what is there.
    """
    cells = published.cells
    night = night_share(fs, cells["t_min"], cells["dt_min"])
    reach = max(within_m, _DEVIATIONS * math.sqrt(noise.variance))
    half = reach * math.sqrt(math.pi) / 2  # a square as large as the circle
    out = np.empty((len(published.weight), 3))
    x, y, dx, dy = (np.ascontiguousarray(cells[name]) for name in PLACE)

    def block(first: int) -> float:
        last = min(first + _RECORDS_A_BLOCK, len(out))
        guess_homes(first, last, published.offsets, x, y, dx, dy, night, half,
                    noise.variance > 0, out)  # fmt: skip
        return float(last - first)

    engine.run(block, range(0, len(out), _RECORDS_A_BLOCK), len(out), progress)
    return Said(out[:, :2], out[:, 2])
