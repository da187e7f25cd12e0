"""Where do people live, to an attacker who knows where others do? Guesses by a map of homes.

A census, a map of buildings or the operator's antennas tell how people are spread within a cell.
The worst of such maps is that of the other people's true homes: everybody's in the original but the
one who is asked for.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math

import numpy as np

from ..engines.local import Engine
from ..engines.progress import Progress
from ..kernels.home_map import HomeMap, NightCells, guess_by_others
from ..model.arrays import FloatArray, IntArray
from ..model.distinct import distinct_rows
from ..model.fingerprints import FingerprintSet
from ..model.mechanism import Spread
from ..model.ragged import offsets_of
from .homes import CIRCLE_M, HomesAsked, NightPlaces, Said

_TARGETS_A_BLOCK = 16
_DEVIATIONS = 2.0  # of the mean of a record's noise, within which the home is looked for
_LESSER = 1e-6  # of the night's masses, what those of all day count in a tie


def by_others(
    fs: FingerprintSet, nights: NightPlaces, asked: HomesAsked, noise: Spread, circle: Said, *,
    engine: Engine, progress: Progress | None = None,
) -> Said:  # fmt: skip
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
    known, place = _map_of(homes.x_m[living], homes.y_m[living], fs.weight[living], CIRCLE_M)
    home = np.full(fs.n_users, -1, np.int64)
    home[living] = place
    cells = _night_cells(nights, noise, circle)
    own = fs.weight[person].astype(np.float64)
    whose, first, enough = home[person], circle.places[record], asked.known.share
    out = np.empty((len(record), 3))

    def block(begin: int) -> float:
        end = min(begin + _TARGETS_A_BLOCK, len(out))
        guess_by_others(begin, end, record, whose, own, first, cells, known, enough, out)
        return float(end - begin)

    engine.run(block, range(0, len(out), _TARGETS_A_BLOCK), len(out), progress)
    return Said(out[:, :2], out[:, 2])


def _map_of(
    x_m: FloatArray, y_m: FloatArray, weight: IntArray, side: float
) -> tuple[HomeMap, IntArray]:
    """The map of some homes, and the place of each on it."""
    first, which = distinct_rows(x_m, y_m)
    x, y = x_m[first], y_m[first]
    left, bottom = float(x.min()), float(y.min())
    row = np.floor((y - bottom) / side).astype(np.int64)
    rows = int(row.max()) + 1
    number = np.floor((x - left) / side).astype(np.int64) * rows + row
    order = np.argsort(number, kind="stable")
    square, many = np.unique(number, return_counts=True)
    people = np.bincount(which, weight).astype(np.float64)
    made = HomeMap(
        x[order], y[order], people[order], square, offsets_of(many), left, bottom, float(side), rows
    )
    at = np.empty(len(order), np.int64)
    at[order] = np.arange(len(order))
    return made, at[which]


def _night_cells(nights: NightPlaces, noise: Spread, circle: Said) -> NightCells:
    """The places of each record at night, with their nights.

    With noise a single one: the square that the mean of the nights leaves likely.
    """
    if noise.variance == 0:
        return NightCells(
            nights.offsets, nights.x, nights.y, nights.dx, nights.dy,
            nights.at_night + _LESSER * nights.in_all,
        )  # fmt: skip
    record, n_records = nights.record, len(nights.offsets) - 1
    each = np.bincount(record, nights.at_night, n_records)
    off = math.sqrt(noise.variance) / np.sqrt(np.maximum(circle.share * each, 1.0))
    sides = np.bincount(record, nights.at_night * (nights.dx + nights.dy) / 2, n_records) / each
    side = 2 * _DEVIATIONS * off + sides
    low = circle.places - side[:, None] / 2
    return NightCells(
        np.arange(n_records + 1), low[:, 0].copy(), low[:, 1].copy(), side, side,
        np.ones(n_records),
    )  # fmt: skip
