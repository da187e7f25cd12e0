"""Trajectory recovery from a presence table alone, with its bands as time slots.

The attack links counts from slot to slot, so it needs counts of single days. A presence table has
counts of single days if its period has at most one day of each type. The period is then one day, a
Friday with the next day, or a Sunday with the next day. Means over several days are not counts of
any day.

A threshold leaves small counts blank. The attacker knows the threshold and the number of people,
and reads a blank as 0 or as half the threshold, whichever recovers more. The guessing baseline is
the better of two attackers. One links the same counts at random. The other uses no counts, and
assumes that people are spread evenly over the areas and stay there.

Source: docs/science.md, “Tables: presence and flows”, “Counts and trajectory recovery”.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from ..attacks.aggregation import CountedPeople, counted_people
from ..attacks.recovery import recover_trajectories
from ..attacks.scoring import score_recovery
from ..engines.local import Engine
from ..engines.progress import Progress
from ..engines.work import Work, nth_of, part_of, working
from ..model.aggregates import UNKNOWN, AggregateCounts
from ..model.arrays import FloatArray
from ..model.count_tables import PresenceTable, TableFrame
from ..model.counts_frame import CountsFrame
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.linkage import TableRecovery
from ..model.options import Tables
from .tables import presence

_DAY_MIN = 1440


def bands_are_slots(frame: TableFrame) -> bool:
    """Return whether the means of a table are counts of single days."""
    return int(frame.days.max()) == 1


def table_recovery(
    fs: FingerprintSet,
    option: Tables,
    *,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress = None,
) -> TableRecovery:
    """Recover trajectories from a presence table of single days, with and without blanks.

    Parameters
    ----------
    fs : FingerprintSet
    option : Tables
        An option with presence, exact or with a threshold.
    seed : int
        Seed of the baseline.
    engine : LocalEngine, optional
    progress : callable of one float in [0, 1], optional
        As for :func:`fpanon_core.recover_trajectories`.

    Returns
    -------
    TableRecovery

    Raises
    ------
    ConfigError
        The table has no presence, is private, or is a mean over several days.
    InfeasibleError
        The clocks change in the period, or nobody has a sample in the stated areas and days.

    Examples
    --------
    >>> from fpanon_core import FrameConfig, Presence, StatedArea, StatedPeriod
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2], [0, 0, 900, 900], [0] * 4, [5, 900] * 2)
    >>> area = StatedArea(0, 0, 500, 1_000, "metres")
    >>> frame = FrameConfig(StatedPeriod(None, 1), "grid", area, 500)
    >>> found = table_recovery(fs, Presence(frame, bands=2))
    >>> found.recovered, found.exact
    (1.0, 1.0)
    """
    if "presence" not in option.CONTENTS or option.epsilon is not None:
        raise ConfigError(
            "Trajectory recovery needs a presence table without noise; give such a table."
        )
    exact = presence(fs, option.frame, bands=option.bands, engine=engine)
    if not bands_are_slots(exact.frame):
        raise ConfigError(
            f"The table is a mean over up to {int(exact.frame.days.max())} days of a type, and "
            "not a count of any one day. State one day to see what can be recovered from it."
        )
    made = _people(fs, exact.frame, option.bands)
    readings = {"none": np.rint(exact.values)}
    if option.threshold is not None:
        blank = exact.values < option.threshold
        for name, value in (("0", 0), ("half", option.threshold // 2)):
            readings[name] = np.where(blank, value, readings["none"])
    evenly = math.ceil(len(made.truth) / exact.frame.n_areas)
    readings["all"] = np.full_like(exact.values, evenly)
    rows = []
    for at, (name, values) in enumerate(readings.items()):
        some = nth_of(working(engine, progress), at, len(readings))
        rows.append((name, *_attacked(values, exact, made, seed, some)))
    published = rows[:1] if option.threshold is None else rows[1:-1]
    _, recovered, low, high, random = max(published, key=lambda row: (row[3], row[1]))
    return TableRecovery(
        recovered=recovered,
        low=low,
        high=high,
        guessing=max(random, rows[-1][1]),
        exact=rows[0][1],
        n_users=len(made.truth),
        n_slots=made.counts.n_slots,
        table=pd.DataFrame(rows, columns=["blanks", "recovered", "low", "high", "random"]),
    )


def _people(fs: FingerprintSet, frame: TableFrame, bands: int) -> CountedPeople:
    """Return each person's area in every slot (gaps filled in), and which slots are recorded."""
    period = replace(frame.config.period, slot_min=_DAY_MIN / bands)
    config = replace(frame.config, period=period)
    slots = CountsFrame.of(config, antennas=fs.antennas, clock=fs.clock, crs=fs.crs)
    if slots.n_slots != slots.days * bands:
        raise InfeasibleError("The clocks change in the period; state other days for this attack.")
    made = counted_people(fs, frame=slots)
    inside = made.truth[:, 0] != UNKNOWN
    if not inside.any():
        raise InfeasibleError("Nobody has a sample within the stated areas and days.")
    area = frame.area.astype(np.int32)[made.truth[inside]]
    return replace(made, truth=area, recorded=made.recorded[inside])


def _attacked(
    values: FloatArray, exact: PresenceTable, made: CountedPeople, seed: int, work: Work
) -> tuple[float, float, float, float]:
    """Return the recovered share of recorded slots, its interval, and the baseline's share."""
    frame, slots = exact.frame, made.counts
    by_day = values[:, frame.day_type, :]  # (areas, days, bands), in the order of the slots
    x, y = (np.bincount(frame.area, centre) / np.bincount(frame.area) for centre in slots.centres.T)
    counts = AggregateCounts(
        by_day.reshape(len(values), -1).T.astype(np.int64),
        x_m=x,
        y_m=y,
        slot_start_min=slots.slot_start_min,
        slot_min=slots.slot_min,
        wall_start_min=slots.wall_start_min,
    )
    many = len(made.truth)
    found = recover_trajectories(counts, n_trajectories=many, **part_of(work, 0.0, 0.5))
    given = found, counts, made.truth
    score = score_recovery(*given, recorded=made.recorded, seed=seed, **part_of(work, 0.5, 1.0))
    right = (found.places == made.truth[score.pair]) & made.recorded[score.pair]
    hits, asked = right.sum(axis=1), made.recorded[score.pair].sum(axis=1)
    share = float(hits.sum() / asked.sum())
    off = math.sqrt(float(((hits - share * asked) ** 2).sum())) / float(asked.sum())
    half = max(1.96 * off, 3 / many)  # the rule of three: the width is never 0
    return share, max(0.0, share - half), min(1.0, share + half), score.baseline_recorded
