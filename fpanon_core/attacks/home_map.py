"""Where do people live, to an outsider who knows where others do? Guesses by a map of homes.

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
from ..model.cells import PLACE
from ..model.distinct import distinct_rows
from ..model.fingerprints import FingerprintSet
from ..model.mechanism import Spread
from ..model.ragged import offsets_of
from .homes import Homes, Said, night_share
from .search import Published

_TARGETS_A_BLOCK = 16
_DEVIATIONS = 2.0  # of the mean of a record's noise, within which the home is looked for
_LESSER = 1e-6  # of the night's masses, what those of all day count in a tie


def said_by_others(
    fs: FingerprintSet, published: Published, homes: Homes, nights: int, record: IntArray,
    person: IntArray, within_m: float, noise: Spread, evenly: Said, enough: float, *,
    engine: Engine, progress: Progress | None = None,
) -> Said:  # fmt: skip
    """What their records say of some people's homes to whoever knows where all others live.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    published : Published
    homes : Homes
        True ones, by the original.
    nights : int
        In which somebody was recorded, at least, to be on the map.
    record, person : int64 ndarray (n_targets,)
        The record of each target, and who that is in the original; their homes are known.
    within_m : float
        How near a guess must be.
    noise : Spread
    evenly : Said
        Of all records, to whoever spreads nights evenly.
    enough : float
        A share of nights below which what a record says is not asked for.

    Returns
    -------
    Said
        A row for each target.
    """
    living = np.flatnonzero(homes.nights >= nights)
    known, place = _map_of(homes.x_m[living], homes.y_m[living], fs.weight[living], within_m)
    home = np.full(fs.n_users, -1, np.int64)
    home[living] = place
    cells = _night_cells(fs, published, noise, evenly)
    own = fs.weight[person].astype(np.float64)
    whose, first = home[person], evenly.places[record]
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


def _night_cells(
    fs: FingerprintSet, published: Published, noise: Spread, evenly: Said
) -> NightCells:
    """The distinct cells of each record at night, or of all day where it has no night.

    With noise a single one: the square that the mean of the nights leaves likely.
    """
    cells, n_records = published.cells, len(published.weight)
    record = np.repeat(np.arange(n_records), np.diff(published.offsets))
    night = night_share(fs, cells["t_min"], cells["dt_min"])
    without = np.bincount(record, night, n_records)[record] == 0
    mass = np.where(without, 1.0, night)
    x, y, dx, dy = (cells[name] for name in PLACE)
    if noise.variance > 0:
        nights = np.bincount(record, mass > 0, n_records)
        off = math.sqrt(noise.variance) / np.sqrt(np.maximum(evenly.share * nights, 1.0))
        sides = np.bincount(record, (dx + dy) / 2, n_records) / np.diff(published.offsets)
        side = 2 * _DEVIATIONS * off + sides
        low = evenly.places - side[:, None] / 2
        return NightCells(
            np.arange(n_records + 1), low[:, 0].copy(), low[:, 1].copy(), side, side,
            np.ones(n_records),
        )  # fmt: skip
    rows, which = distinct_rows(record, x, y, dx, dy)
    at_night, in_all = np.bincount(which, mass), np.bincount(which)
    late = at_night > 0
    rows = rows[late]
    sizes = np.bincount(record[rows], minlength=n_records)
    return NightCells(
        offsets_of(sizes), x[rows], y[rows], dx[rows], dy[rows],
        at_night[late] + _LESSER * in_all[late],
    )  # fmt: skip
