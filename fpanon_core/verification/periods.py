"""The original cut into periods, anew: whose part of which period each record must be.

Nothing is taken over from what cuts data into periods: the edges are local midnights, found with
the time zone's own rules. Periods are held apart by moving each to a stretch of time of its own, so
that no record of one can hold samples of another.

Source: docs/science.md, “Periods”.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..model.arrays import FloatArray, IntArray
from ..model.fingerprints import FingerprintSet
from ..model.periods import PeriodSet
from .claim import Claim
from .faults import Cut, Faults

_DAY_MIN = 1_440.0
_SLACK_MIN = 1e-6


def cut(fs: FingerprintSet, days: int) -> Cut:
    """Everybody's part in each period, people in the order of the original."""
    edges = _edges(fs, days)
    period = np.searchsorted(edges, fs.t_min + _SLACK_MIN, side="right") - 1
    user = fs.sample_user
    order = np.lexsort((np.arange(fs.n_samples), period, user))
    begins = np.flatnonzero(
        (np.diff(user[order], prepend=-1) != 0) | (np.diff(period[order], prepend=-1) != 0)
    )
    person = user[order[begins]]
    pieces = FingerprintSet(
        user_ids=fs.user_ids[person],
        offsets=np.append(begins, fs.n_samples),
        weight=fs.weight[person],
        number=fs.number[person],
        granularity_m=fs.granularity_m,
        granularity_min=fs.granularity_min,
        clock=fs.clock,
        crs=fs.crs,
        **{
            name: getattr(fs, name)[order]
            for name in ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min", "count")
        },
    )
    return Cut(
        pieces, person, period[order[begins]].astype(np.int64), order, days, edges, fs.n_users
    )


def _edges(fs: FingerprintSet, days: int) -> FloatArray:
    """Local midnights, from that of the first day to after the last sample, elapsed minutes."""
    last = float(fs.t_min.max())
    number = math.ceil((last + 2 * _DAY_MIN) / (days * _DAY_MIN)) + 1
    if fs.clock is None:
        return np.arange(number, dtype=np.float64) * (days * _DAY_MIN)
    epoch = pd.Timestamp(fs.clock.epoch)
    first = epoch.tz_convert(fs.clock.timezone).tz_localize(None).normalize()
    midnights = pd.DatetimeIndex(
        [first + pd.Timedelta(days=days * at) for at in range(number)]
    ).tz_localize(fs.clock.timezone, ambiguous=np.ones(number, bool), nonexistent="shift_forward")
    minutes: FloatArray = np.array([(at - epoch) / pd.Timedelta(minutes=1) for at in midnights])
    return minutes


def of_set(given: PeriodSet, faults: Faults) -> Cut:
    """Pieces that were cut before, with faults where they are not one for a person and period."""
    fs = given.pieces
    edges = _edges(fs, given.days)
    pairs = np.column_stack([given.person, given.period])
    if len(given.person) != fs.n_users or len(given.period) != fs.n_users:
        faults.add("period", "The pieces are more, or fewer, than the people and periods named.")
    elif len(np.unique(pairs, axis=0)) < len(pairs):
        faults.add("period", "A person has several pieces in one period.")
    number = np.searchsorted(edges, fs.t_min + _SLACK_MIN, side="right") - 1
    if (number != given.period[fs.sample_user]).any():
        faults.add("period", "A sample begins in another period than its piece.")
    return Cut(
        fs, given.person, given.period, np.arange(fs.n_samples), given.days, edges, given.n_people
    )


def faults_of(original: FingerprintSet | PeriodSet, k: int, days: int | None = None) -> Faults:
    """Faults of a release of these data, which are cut where the release is in periods."""
    if isinstance(original, PeriodSet):
        faults = Faults(original.pieces, k)
        faults.whole_digest = original.digest
        faults.cut = of_set(original, faults)
        if days is not None and days != original.days:
            faults.add("period", "The release is in other periods than the original given.")
        return faults
    if days is None:
        return Faults(original, k)
    faults = Faults(original, k)
    cut_into(faults, days)
    return faults


def cut_into(faults: Faults, days: int) -> None:
    """From now on the original is its pieces."""
    faults.cut = cut(faults.original, days)
    faults.original, faults.of_whole = faults.cut.fs, True


def periods_of(claim: Claim, edges: FloatArray, faults: Faults | None = None) -> IntArray:
    """The period of each class: that in which all its cells begin; a fault where they do not."""
    number = np.searchsorted(edges, claim.cells[:, 4] + _SLACK_MIN, side="right") - 1
    out = np.zeros(claim.n_classes, np.int64)
    for g in range(claim.n_classes):
        mine = number[claim.first[g] : claim.last[g]]
        if len(mine):
            out[g] = mine[0]
            if faults is not None and (mine != mine[0]).any():
                text = "The samples of a record begin in several periods."
                faults.add("period", text, group=int(claim.label[g]))
    return out


def check_groups(claim: Claim, of: Cut, period: IntArray, faults: Faults) -> None:
    """No group has records of several periods, or people of another."""
    pairs = np.unique(np.column_stack([claim.label, period]), axis=0)
    labels, times = np.unique(pairs[:, 0], return_counts=True)
    for label in labels[times > 1].tolist():
        faults.add("period", "A group has people of several periods.", group=int(label))
    if claim.home is None:
        return
    inside = np.flatnonzero(claim.home >= 0)
    for u in inside[period[claim.home[inside]] != of.period[inside]].tolist():
        text = "A person is in a group of another period."
        faults.add("period", text, group=int(claim.label[claim.home[u]]), user=u)


def apart(claim: Claim, of: Cut, period: IntArray) -> tuple[Claim, FingerprintSet]:
    """Records and pieces, each period in a stretch of time of its own."""
    fs = of.fs
    end = float(claim.cells[:, 5].max(initial=(fs.t_min + fs.dt_min).max()))
    begin = float(claim.cells[:, 4].min(initial=fs.t_min.min()))
    # A power of two: whole minutes stay what they are.
    stretch = 2.0 ** math.ceil(math.log2(2 * (end - begin) + 2))
    cells = claim.cells.copy()
    by_cell: Any = np.repeat(period, claim.last - claim.first)
    cells[:, 4:] += (by_cell * stretch)[:, None]
    moved = replace(fs, t_min=fs.t_min + of.period[fs.sample_user] * stretch)
    return replace(claim, cells=cells), moved
