"""Presence and flow tables of people, released without any person's record.

There are three kinds of tables. *Exact* tables have no protection. In tables with a *threshold*,
counts below it are blank, but comparing two tables that differ by one person can still reveal that
person. *Private* tables are ε-differentially private for everything about one person. Each person's
contribution is bounded first (:mod:`.contributions`); then the cells and their sums get discrete
Laplace noise from OpenDP. All later steps see only the noisy numbers and the public frame.

Source: docs/science.md, “Tables: presence and flows”.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from ..attacks.private import with_noise
from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..engines.work import Work, nth_of, working
from ..kernels.table_sums import UNIT
from ..model.arrays import FloatArray
from ..model.count_tables import DAY_TYPES, CountTables, FlowTable, PresenceTable, TableFrame
from ..model.counts_frame import FrameConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import Flows, Presence, Tables
from ..model.periods import decided_by_records
from . import smoothing
from .contributions import Add, check_size, flows_in, presence_in, summed, table_frame

_LEAST_TRIPS = 0.5  # private flows of fewer trips in the period are set to 0


def presence(
    fs: FingerprintSet,
    frame: FrameConfig | TableFrame,
    *,
    bands: int = 24,
    threshold: int | None = None,
    epsilon: float | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> PresenceTable:
    """Count people by area, type of day and band of hours, as a daily mean.

    A person with samples in a band counts 1 in this band, divided among the areas in proportion
    to the samples in each.

    Parameters
    ----------
    fs : FingerprintSet
    frame : FrameConfig or TableFrame
        Stated areas and days.
    bands : int
        Number of bands of equal length in a day; the number must divide 24.
    threshold : int, optional
        Counts below the threshold are blank; 15 is customary.
    epsilon : float, optional
        If given, the table is private with this ε. Each person's table is divided by its sum, so
        that all cells of one person add up to 1 at most. Cells, areas, bands and the total get
        noise according to their parts of ε, and are smoothed together (:mod:`.smoothing`).
    engine : Engine, optional
        By default, all cores of this machine; the sums are the same on every engine.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    PresenceTable

    Raises
    ------
    ConfigError
        A value is out of its range, both ``threshold`` and ``epsilon`` are given, or the frame does
        not fit the data. It is also raised if private tables are requested for fingerprints that
        stand for several people.
    InfeasibleError
        There are too many cells.

    Examples
    --------
    >>> from fpanon_core import FrameConfig, StatedArea, StatedPeriod
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 600, 0], [0] * 3, [5, 9, 500])
    >>> area = StatedArea(0, 0, 500, 1_000, "metres")
    >>> frame = FrameConfig(StatedPeriod(None, 1), "grid", area, 500)
    >>> presence(fs, frame, bands=3).values[:, 0].tolist()
    [[0.5, 1.0, 0.0], [0.5, 0.0, 0.0]]
    """
    where, config = _framed(fs, frame)
    option = Presence(config, bands, threshold, epsilon)
    made = count_tables(fs, option, where, **working(engine, progress))
    assert made.presence is not None
    return made.presence


def flows(
    fs: FingerprintSet,
    frame: FrameConfig | TableFrame,
    *,
    trips_per_day: int = 2,
    threshold: int | None = None,
    epsilon: float | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> FlowTable:
    """Count trips from area to area by type of day, as a daily mean.

    A trip is a change of area between a person's main places at two consecutive start times.

    Parameters
    ----------
    fs, frame, threshold, engine, progress
        As for :func:`presence`.
    trips_per_day : int
        Private flows count at most this many trips of one person per day, as a mean over the
        period. If a person has more trips, the counted trips are drawn at random.
    epsilon : float, optional
        If given, the flows are private with this ε. The four sums of trips (between areas, at their
        ends, by distance, by type of day) get noise according to their parts of ε. Trips are shrunk
        towards a gravity model of the noisy sums (:mod:`.smoothing`).

    Returns
    -------
    FlowTable

    Raises
    ------
    ConfigError, InfeasibleError
        As for :func:`presence`.

    Examples
    --------
    >>> from fpanon_core import FrameConfig, StatedArea, StatedPeriod
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 600, 0], [0] * 3, [5, 9, 500])
    >>> area = StatedArea(0, 0, 500, 1_000, "metres")
    >>> frame = FrameConfig(StatedPeriod(None, 1), "grid", area, 500)
    >>> flows(fs, frame).to_frame().values.tolist()
    [['1', '2', 'weekday', 1.0]]
    """
    where, config = _framed(fs, frame)
    option = Flows(config, 24, threshold, epsilon, trips_per_day)
    made = count_tables(fs, option, where, **working(engine, progress))
    assert made.flows is not None
    return made.flows


def count_tables(
    fs: FingerprintSet, option: Tables, where: TableFrame | None = None, **work: Unpack[Work]
) -> CountTables:
    """Make the tables that an option publishes; each gets an equal part of the option's ε."""
    if where is None:
        where = table_frame(fs, option.frame)
    fault = ""
    if option.epsilon is not None:
        if len(fs.weight) and int(fs.weight.max()) > 1:
            raise ConfigError(
                "Some fingerprints stand for several people, so one person's records may affect "
                "the counts of all these people; make private tables from the unmerged data."
            )
        fault = decided_by_records(fs)
    each = replace(option, epsilon=option.epsilon_each)
    made: dict[str, Any] = {}
    for at, (name, counting, protect) in enumerate(TABLES):
        made[name] = None
        if name in option.CONTENTS:
            exact = exact_sums(counting, fs, where, each, **nth_of(work, at, len(TABLES)))
            made[name] = protect(exact, where, each)
    tell(work.get("progress"), 1.0)
    return CountTables(option, fault=fault, digest=fs.digest, **made)


def _framed(fs: FingerprintSet, frame: FrameConfig | TableFrame) -> tuple[TableFrame, FrameConfig]:
    if isinstance(frame, TableFrame):
        return frame, frame.config
    if not isinstance(frame, FrameConfig):
        raise ConfigError("Tables need a FrameConfig that states their areas and days.")
    return table_frame(fs, frame), frame


Counting = Callable[[TableFrame, Tables], tuple[Add, int, tuple[int, int]]]
"""Function that returns the first arguments of :func:`summed` for a table."""


class Exact(NamedTuple):
    """Sums of all contributions before protection; whole numbers for private tables.

    Attributes
    ----------
    cells : float64 ndarray
        Raveled cells.
    total : float
        For a private presence table, the sum of the shares of bands in which people are present.
    """

    cells: FloatArray
    total: float = 0.0


def counting_presence(where: TableFrame, option: Tables) -> tuple[Add, int, tuple[int, int]]:
    """Return the first arguments of :func:`summed` for presence: kernel, size and settings."""
    most = 0 if option.epsilon is None else _most_present(where, option)
    return presence_in, check_size(where.n_areas * option.bands), (option.bands, most)


def counting_flows(where: TableFrame, option: Tables) -> tuple[Add, int, tuple[int, int]]:
    """Return the first arguments of :func:`summed` for trips."""
    most = 0 if option.epsilon is None else _most_trips(where, option)
    return flows_in, check_size(where.n_areas**2), (where.n_areas, most)


def exact_sums(
    counting: Counting, fs: FingerprintSet, where: TableFrame, option: Tables, **work: Unpack[Work]
) -> Exact:
    """Return the sums of all people's contributions, before protection."""
    return Exact(*summed(*counting(where, option), fs, where, **work))


def protected_presence(
    exact: Exact, where: TableFrame, option: Tables, noise: smoothing.Noise = with_noise
) -> PresenceTable:
    """Return the presence table with the option's protection: a threshold, noise, or none."""
    shape = (where.n_areas, len(DAY_TYPES), option.bands)
    if option.epsilon is None:
        blank = exact.cells < (option.threshold or -np.inf)
        values = np.where(blank, np.nan, exact.cells).reshape(shape)
        return PresenceTable(values, 0.0, where, option)
    real = where.days > 0
    counted = np.rint(exact.cells).astype(np.int64).reshape(shape)[:, real].reshape(shape[0], -1)
    shrunk, total = smoothing.private_presence(
        counted, round(exact.total), where, option.epsilon, noise
    )
    people, most = max(float(shrunk.sum()), 1e-9), _most_present(where, option)
    # Everyone counted is present in at least one band of one day, whatever the noise.
    each = max(1.0 / int(where.days.max()), total * most / people)
    values = np.zeros(shape)
    values[:, real] = (shrunk * each).reshape(shape[0], -1, option.bands)
    of_cell = smoothing.expected_of_cell(option.epsilon, where.n_areas, most)
    error = each * max(1.0 / option.epsilon, of_cell)
    scale = most / (smoothing.SHARES["total"] * option.epsilon * people * each)
    return PresenceTable(values, error, where, option, scale, each)


def protected_flows(
    exact: Exact, where: TableFrame, option: Tables, noise: smoothing.Noise = with_noise
) -> FlowTable:
    """Return the flow table with the option's protection: a threshold, noise, or none."""
    shape = (where.n_areas, where.n_areas, len(DAY_TYPES))
    real, trips, error = where.days > 0, exact.cells, np.zeros(len(DAY_TYPES))
    if option.epsilon is not None:
        most = _most_trips(where, option)
        counted = np.rint(trips).astype(np.int64).reshape(shape)[:, :, real]
        smooth = np.zeros(shape)
        smooth[:, :, real] = smoothing.private_flows(counted, where, option.epsilon, noise)
        smooth *= UNIT / (UNIT // most)
        trips = np.where(smooth >= _LEAST_TRIPS, smooth, 0.0).ravel()
        error = np.where(real, most / option.epsilon / np.maximum(where.days, 1), 0.0)
    cell = np.flatnonzero(trips)
    origin, goal, kind = np.unravel_index(cell, shape)
    daily = trips[cell] / where.days[kind]
    if option.threshold is not None:
        some = daily >= option.threshold
        origin, goal, kind, daily = origin[some], goal[some], kind[some], daily[some]
    return FlowTable(np.stack([origin, goal, kind]), daily, error, where, option)


def _most_present(where: TableFrame, option: Tables) -> int:
    """Return the number of bands, over all types of day, in which a person can be present."""
    return where.day_types * option.bands


def _most_trips(where: TableFrame, option: Tables) -> int:
    trips = option.trips_per_day * len(where.day_type)
    if trips > UNIT:
        raise ConfigError(
            "The period allows too many trips per person; choose fewer days or fewer trips per day."
        )
    return trips


TABLES = (
    ("presence", counting_presence, protected_presence),
    ("flows", counting_flows, protected_flows),
)
"""For each table: its name, how it is counted, and the function that protects it."""
