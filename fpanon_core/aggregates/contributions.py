"""Each person's contribution to a table: presence by area and band, and trips between areas.

Tables are sums of these contributions. A person's contribution does not depend on other people's
samples.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from threading import Lock
from typing import Any, Unpack

import numpy as np

from ..anonymize.clusters import cluster_antennas
from ..attacks.aggregation import cells_of, minutes_after, place_of
from ..engines.work import Work, working
from ..kernels.table_sums import Seen, add_flows, add_presence
from ..model.antennas import REGION
from ..model.arrays import FloatArray, IntArray, stretches
from ..model.count_tables import DAY_TYPES, TableFrame
from ..model.counts_frame import CountsFrame, FrameConfig
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.randomness import generator

MOST_CELLS = 20_000_000
"""Largest number of cells a table may have."""

Add = Callable[..., float]
"""Function that adds people's contributions to cells."""

Contribution = tuple[IntArray, FloatArray, float]
"""Cells to which one person contributes, the amount in each, and one more number to sum."""

_LEAST_WEIGHT = 0.1
_SAMPLES_AT_ONCE = 1 << 21
_WEEKEND = 5


def table_frame(fs: FingerprintSet, config: FrameConfig) -> TableFrame:
    """Build the areas and days that a config states, on the data's antennas, clock and projection.

    Raises
    ------
    ConfigError
        The data lack what the frame needs: the antenna table, a stated column of that table,
        positions in degrees or a calendar. It is also raised if the data have a calendar, but the
        frame states no first day.
    InfeasibleError
        There are too many places, or the area reaches around the globe.
    """
    counts = CountsFrame.of(config, antennas=fs.antennas, clock=fs.clock, crs=fs.crs)
    names = [str(number) for number in range(1, counts.n_places + 1)]
    area, outlines = np.arange(counts.n_places), {}
    if config.places == "antennas" and config.column is not None:
        assert fs.antennas is not None
        known, area = np.unique(fs.antennas.column(config.column).astype(str), return_inverse=True)
        names = [name or "(unnamed)" for name in known.tolist()]
        outlines = dict(fs.antennas.outlines) if config.column == REGION else {}
    elif config.places == "antennas" and config.antennas_an_area > 1:
        many = min(config.antennas_an_area, counts.n_places)
        area = cluster_antennas(counts.x_m, counts.y_m, many)
        names = [str(number) for number in range(1, int(area.max()) + 2)]
    elif len(counts.cells):
        names = [f"{cell:x}" for cell in counts.cells.tolist()]
    first = counts.first_day or dt.date(2001, 1, 1)  # a Monday
    weekday = (first.weekday() + np.arange(counts.days)) % 7
    kinds = (weekday >= _WEEKEND).astype(np.int64)
    weight = np.empty(0)
    if config.residents is not None:
        assert fs.antennas is not None
        residents = fs.antennas.numbers(config.residents)
        # People also come to places where nobody lives.
        weight = np.maximum(residents / residents.mean(), _LEAST_WEIGHT)
    return TableFrame(counts, area, tuple(names), kinds, config, outlines, weight)


def check_size(of_a_day: int) -> int:
    """Return the number of cells of a table with ``of_a_day`` cells for each type of day.

    Raises
    ------
    InfeasibleError
        There are too many cells.
    """
    size = of_a_day * len(DAY_TYPES)
    if size > MOST_CELLS:
        raise InfeasibleError(
            f"The table would have {size:,} cells, more than {MOST_CELLS:,}; choose fewer areas."
        )
    return size


def summed(
    add: Add,
    size: int,
    given: tuple[Any, ...],
    fs: FingerprintSet,
    frame: TableFrame,
    **work: Unpack[Work],
) -> tuple[FloatArray, float]:
    """Return the sums of all people's contributions.

    People are processed in blocks. The sums of the blocks are always added in the order of the
    people, so that rounding does not depend on the engine.

    Parameters
    ----------
    add : callable
        Takes the samples of some people, the cells to add them to, and ``given``; returns one more
        number to sum.
    size : int
        Number of cells.

    Returns
    -------
    float64 ndarray (size,), float
        The summed cells, and the sum of the numbers that ``add`` returned.
    """
    sums, total, added = np.zeros(size), 0.0, 0
    waiting: dict[int, tuple[FloatArray, float]] = {}
    lock = Lock()

    def take(number: int, found: tuple[FloatArray, float]) -> None:
        nonlocal total, added
        with lock:
            waiting[number] = found
            while added in waiting:
                cells, more = waiting.pop(added)
                np.add(sums, cells, out=sums)
                total, added = total + more, added + 1

    blocks = list(stretches(fs.offsets, _SAMPLES_AT_ONCE))
    of_all = (fs, frame, size, add, *given)
    do = working(**work)
    do["engine"].map(_sums_of, blocks, of_all, take, progress=do["progress"])
    return sums, total


def _sums_of(
    users: slice, fs: FingerprintSet, frame: TableFrame, size: int, add: Add, *given: Any
) -> tuple[FloatArray, float]:
    cells = np.zeros(size)
    return cells, add(_people_seen(users, fs, frame), cells, *given)


def each_summed(
    add: Add, size: int, given: tuple[Any, ...], fs: FingerprintSet, frame: TableFrame
) -> list[Contribution]:
    """Return each person's contribution: the cells that are not 0, their amounts, and one number.

    The number is the one that ``add`` returns. The parameters are those of :func:`summed`.
    """
    seen, cells = _people_seen(slice(0, fs.n_users), fs, frame), np.zeros(size)
    found = []
    for user in range(fs.n_users):
        rows = slice(int(seen.offsets[user]), int(seen.offsets[user + 1]))
        alone = Seen(
            np.array([0, rows.stop - rows.start]),
            seen.area[rows],
            seen.wall_min[rows],
            seen.t_min[rows],
            seen.events[rows],
            seen.weight[user : user + 1],
            seen.kind,
            seen.days,
        )
        more = add(alone, cells, *given)
        some = np.flatnonzero(cells)
        found.append((some, cells[some], more))
        cells[some] = 0.0
    return found


def presence_in(seen: Seen, cells: FloatArray, bands: int, most: int) -> float:
    """Add some people's presence to the cells of a table; return the sum explained at ``most``.

    In each band of each day, a person with samples counts 1, divided among the areas in proportion
    to the samples in each. The share outside the frame is lost. A cell's amount is a mean over the
    days of its type. A sample longer than a band counts in the band in which it begins.

    Parameters
    ----------
    seen : Seen
    cells : float64 ndarray
        Cells raveled in the order of the table's ``values``.
    bands : int
    most : int
        0 for tables without noise; for private tables, the number of bands in which one person can
        be present. In private tables, each person's cells are divided by their sum and rounded down
        to whole numbers that add up to ``UNIT`` at most. The share of bands in which a person is
        present is scaled the same way. The value returned is the sum of these shares, or 0 for
        tables without noise.
    """
    return add_presence(seen, bands, most, cells)


def flows_in(seen: Seen, cells: FloatArray, areas: int, most: int) -> float:
    """Add the trips of some people to the cells of a table; return 0.

    A trip is a change of area between a person's main places at two consecutive start times. The
    main place is the place of the sample with the most events; ties go to the smaller x, then the
    smaller y. A trip belongs to the day on which it begins. There is no trip if either end is
    outside the frame.

    Parameters
    ----------
    seen : Seen
    cells : float64 ndarray
        Cells raveled in the order of the table's ``values``.
    areas : int
    most : int
        0 for tables without noise; for private tables, the largest number of trips that count for
        one person. From a person with more trips, this many are drawn at random. Each trip counts
        as the same fraction of ``UNIT``.
    """
    # Nobody may know the choice, so its randomness comes from the operating system.
    draw = generator(None).random(len(seen.area) if most else 0)
    add_flows(seen, areas, most, draw, cells)
    return 0.0


def _people_seen(users: slice, fs: FingerprintSet, frame: TableFrame) -> Seen:
    """Return the samples of some people in the form the kernels take."""
    rows = slice(int(fs.offsets[users.start]), int(fs.offsets[users.stop]))
    cell, corners = cells_of(fs, rows)
    place = place_of(corners, frame.counts, fs.crs)
    area = np.where(place >= 0, frame.area[place], -1).astype(np.int32)
    t_min, clock = fs.t_min[rows] + minutes_after(fs, frame.counts), frame.counts.clock
    wall_min = t_min if clock is None else clock.wall_minutes(t_min)
    offsets = fs.offsets[users.start : users.stop + 1] - rows.start
    samples = area[cell], wall_min, t_min, fs.count[rows]
    return Seen(offsets, *samples, fs.weight[users], frame.day_type, frame.days)
