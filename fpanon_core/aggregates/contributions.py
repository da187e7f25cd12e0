"""What does each person add to a table? Presence by area and band, and trips between areas.

Tables are sums of these contributions. What a
person adds depends on the stated frame and on the person's own samples, never on anybody else.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..anonymize.clusters import cluster_antennas
from ..attacks.aggregation import cells_of, minutes_after, place_of
from ..model.arrays import FloatArray, IntArray, stretches
from ..model.count_tables import DAY_TYPES, TableFrame
from ..model.counts_frame import CountsFrame, FrameConfig
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.randomness import generator

UNIT = 1 << 16
"""Contributions to a private table are whole numbers; this is the most of one person."""

MOST_CELLS = 20_000_000
"""Cells of a table that can be made."""

_DAY_MIN = 1440.0
_SAMPLES_AT_ONCE = 1 << 21
_WEEKEND = 5


class Added(NamedTuple):
    """Contributions, some of one person to one cell perhaps in several rows.

    Attributes
    ----------
    user, cell : int64 ndarray (n,)
        Cells are numbered in the order of the table's ``values``, raveled.
    amount : float64 ndarray (n,)
        Of presence: a share of a mean day. Of flows: trips in the period.
    """

    user: IntArray
    cell: IntArray
    amount: FloatArray


class Seen(NamedTuple):
    """Samples within the days of a frame, of some users; area −1 is outside of it."""

    user: IntArray
    area: IntArray
    wall_min: FloatArray
    day: IntArray
    day_type: IntArray
    events: IntArray
    t_min: FloatArray


def table_frame(fs: FingerprintSet, config: FrameConfig) -> TableFrame:
    """The stated areas and days, for data of this antenna table, clock and projection.

    Raises
    ------
    ConfigError
        The data have no antenna table, no such column, no degrees or no calendar for it.
    InfeasibleError
        There are too many places.
    """
    counts = CountsFrame.of(config, antennas=fs.antennas, clock=fs.clock, crs=fs.crs)
    names = [str(number) for number in range(1, counts.n_places + 1)]
    area = np.arange(counts.n_places)
    if config.places == "antennas" and config.column is not None:
        assert fs.antennas is not None
        known, area = np.unique(fs.antennas.column(config.column).astype(str), return_inverse=True)
        names = [name or "(unnamed)" for name in known.tolist()]
    elif config.places == "antennas" and config.antennas_an_area > 1:
        many = min(config.antennas_an_area, counts.n_places)
        area = cluster_antennas(counts.x_m, counts.y_m, many)
        names = [str(number) for number in range(1, int(area.max()) + 2)]
    elif len(counts.cells):
        names = [f"{cell:x}" for cell in counts.cells.tolist()]
    first = counts.first_day or dt.date(2001, 1, 1)  # a Monday
    weekday = (first.weekday() + np.arange(counts.days)) % 7
    return TableFrame(counts, area, tuple(names), (weekday >= _WEEKEND).astype(np.int64), config)


def presence_added(fs: FingerprintSet, frame: TableFrame, bands: int) -> Iterator[Added]:
    """What each person adds to presence, some people at a time.

    In each band of each day in which a person has samples, the person counts 1, shared among the
    areas by the number of samples; what is outside of the frame is lost. A mean over the days of a
    type is taken. A sample that is longer than a band counts in that in which it begins.
    """
    _check_cells(frame.n_areas * len(DAY_TYPES) * bands)
    for seen in _seen(fs, frame):
        band = np.minimum((seen.wall_min % _DAY_MIN) // (_DAY_MIN / bands), bands - 1).astype(int)
        when = (seen.user * len(frame.day_type) + seen.day) * bands + band
        group = pd.factorize(when)[0]
        amount = 1.0 / np.bincount(group)[group] / frame.days[seen.day_type]
        cell = (seen.area * len(DAY_TYPES) + seen.day_type) * bands + band
        inside = seen.area >= 0
        yield Added(seen.user[inside], cell[inside], amount[inside])


def flows_added(
    fs: FingerprintSet, frame: TableFrame, trips_per_day: int | None = None
) -> Iterator[Added]:
    """What each person adds to flows, some people at a time.

    A trip leads from where a person mainly was at one start of samples (most events; ties: smaller
    x, then y) to another area at the next start. It belongs to the day on which it begins; where
    one of both is outside of the frame there is no trip.

    Parameters
    ----------
    fs : FingerprintSet
    frame : TableFrame
    trips_per_day : int, optional
        Of people with more trips than so many a day of the period, as many are drawn at random.
    """
    _check_cells(frame.n_areas**2 * len(DAY_TYPES))
    for seen in _seen(fs, frame):
        user, area, day_type = (
            values[_main_rows(seen)] for values in (seen.user, seen.area, seen.day_type)
        )
        away = (user[1:] == user[:-1]) & (area[1:] != area[:-1])
        away &= (area[1:] >= 0) & (area[:-1] >= 0)
        at = np.flatnonzero(away)
        user, origin, goal, kind = user[at], area[at], area[at + 1], day_type[at]
        cell = (origin * frame.n_areas + goal) * len(DAY_TYPES) + kind
        if trips_per_day is not None:
            kept = _some_of_each(user, trips_per_day * len(frame.day_type))
            user, cell = user[kept], cell[kept]
        yield Added(user, cell, np.ones(len(user)))


def whole_numbers(added: Added, trips: int | None = None) -> Added:
    """Contributions as whole numbers, rounded down; each person's add up to ``UNIT`` at most.

    Parameters
    ----------
    added : Added
    trips : int, optional
        Of flows: most trips of a person. Of presence each person's are divided by their sum.
    """
    if trips is not None:
        return added._replace(amount=np.full(len(added.user), float(UNIT // trips)))
    total = np.bincount(added.user, added.amount)
    return added._replace(amount=np.floor(UNIT * (added.amount / total[added.user])))


def _seen(fs: FingerprintSet, frame: TableFrame) -> Iterator[Seen]:
    counts = frame.counts
    cell, corners = cells_of(fs)
    place = place_of(corners, counts, fs.crs)
    area_of = np.where(place >= 0, frame.area[place], -1)
    later = minutes_after(fs, counts)
    for users in stretches(fs.offsets, _SAMPLES_AT_ONCE):
        rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
        user = np.repeat(np.arange(users.start, users.stop), np.diff(fs.offsets)[users])
        t_min = fs.t_min[rows] + later
        wall = t_min if counts.clock is None else counts.clock.wall_minutes(t_min)
        day = np.floor(wall / _DAY_MIN).astype(np.int64)
        kept = (day >= 0) & (day < len(frame.day_type))
        day, area = day[kept], area_of[cell[rows][kept]]
        yield Seen(
            user[kept],
            area,
            wall[kept],
            day,
            frame.day_type[day],
            fs.count[rows][kept],
            t_min[kept],
        )


def _main_rows(seen: Seen) -> IntArray:
    """Of each start of samples of a person, the row of the sample with the most events."""
    new = np.ones(len(seen.user), bool)
    new[1:] = (seen.user[1:] != seen.user[:-1]) | (seen.t_min[1:] != seen.t_min[:-1])
    if new.all():
        return np.arange(len(new))
    moment = np.cumsum(new) - 1
    order = np.lexsort((-seen.events, moment))  # stable: the first of equals
    return order[np.flatnonzero(new)]


def _some_of_each(user: IntArray, most: int) -> IntArray:
    """Rows of at most so many of each user's, drawn from the operating system's randomness."""
    if len(user) == 0 or np.bincount(user).max() <= most:
        return np.arange(len(user))
    order = np.lexsort((generator(None).random(len(user)), user))
    user = user[order]
    first = np.searchsorted(user, user)
    return np.sort(order[np.arange(len(user)) - first < most])


def _check_cells(cells: int) -> None:
    if cells > MOST_CELLS:
        raise InfeasibleError(
            f"The table would have {cells:,} cells, more than {MOST_CELLS:,}; choose fewer areas."
        )
