"""What would be published: how many people at each place in each time slot?

Prepared as Xu et al. 2017, §5.1, prepare their data, where everyone is in one place in every slot;
or counted only where they have a sample.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..engines.progress import Progress
from ..model.aggregates import UNKNOWN, AggregateCounts, LeftOut
from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts
from ..model.count_rows import CountRows
from ..model.counts_frame import CountsFrame, check_slot
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.ragged import offsets_of
from ..model.stated import decided_by_records
from .located import Located, located, nearest_place

_CELLS_AT_ONCE = 1 << 18  # people × slots filled in, or counted, at a time
_MOST_CELLS = 1 << 31  # of truth, 8 GB


@dataclass(frozen=True, eq=False)
class CountedPeople:
    """Counts, and who was where behind them.

    Attributes
    ----------
    counts : AggregateCounts
    truth : int32 ndarray (subscribers, n_slots)
        Place of everyone in every slot, −1 where they are not counted.
    recorded : bool ndarray (subscribers, n_slots)
        Where there is a sample; the rest of ``truth`` was filled in.
    left_out : LeftOut
    """

    counts: AggregateCounts
    truth: SmallInts
    recorded: BoolArray
    left_out: LeftOut


def aggregate_counts(
    fs: FingerprintSet,
    *,
    slot_min: float = 30.0,
    frame: CountsFrame | None = None,
    filled_in: bool = True,
) -> tuple[AggregateCounts, SmallInts]:
    """Count people by place and time slot, and keep who was where as the truth to score against.

    In each slot a user is at the place with the most *samples* in it, however many events a sample
    has; ties: the lower place number. A sample that reaches over several slots, as in generalized
    data, is shared among them by time.

    **Filled in**, as the published attack has it: a slot without a sample gets the place nearest to
    the point on the straight line between the places before and after, by the number of slots;
    ties: the lower place number. Before the first and after the last sample, the nearest in time is
    kept (Xu et al. 2017, §5.1). **Not filled in**, people are counted in the slots in which they
    have a sample, and a sample in the one slot in which it begins: one record changes one slot.

    **The frame.** With a frame its places and slots are counted, whatever the records; samples
    outside of it are left out, and so are people without any sample inside. Without one, places are
    the distinct cells of the data, by x, then y, then extent, and slots are laid from local
    midnight, the first of them with the first sample, the last with the end of the last: the list
    of places and the period are then part of what the records give away, and no noise on the counts
    hides it.

    Parameters
    ----------
    fs : FingerprintSet
        A fingerprint that stands for w subscribers counts w times.
    slot_min : float
        Length of a slot where no frame is given, minutes; a whole number of them makes a day.
    frame : CountsFrame, optional
        Stated places and slots.
    filled_in : bool

    Returns
    -------
    counts : AggregateCounts
    truth : int32 ndarray (subscribers, n_slots)
        Place number of everyone in every slot, −1 where they are not counted; rows in the order of
        ``fs``, w for each.

    Raises
    ------
    ConfigError
        ``slot_min`` does not divide a day, or the frame does not fit the data.
    InfeasibleError
        The table of people by slots would not fit in memory; or samples are longer than a slot and
        gaps are not to be filled in.

    Examples
    --------
    Seen at 0:10 at one place and at 1:40 at another, 900 m away: half past midnight is snapped to
    the first (300 m off), one o'clock to the second.

    >>> fs = FingerprintSet.from_samples([1, 1], [0, 900], [0, 0], [10, 100])
    >>> counts, truth = aggregate_counts(fs)
    >>> truth.tolist(), counts.totals.tolist()
    ([[0, 0, 1, 1]], [1, 1, 1, 1])

    Over a stated area and day, counted where there is a sample.

    >>> from fpanon_core import CountsFrame, StatedArea, StatedPeriod
    >>> area, day = StatedArea(0, 0, 1_000, 2_000, "metres"), StatedPeriod(None, 1, 60)
    >>> frame = CountsFrame.of_area(area, 500, day)
    >>> counts, _ = aggregate_counts(fs, frame=frame, filled_in=False)
    >>> counts.counts.shape, counts.totals[:3].tolist()
    ((24, 8), [1, 1, 0])
    """
    made = counted_people(fs, slot_min=slot_min, frame=frame, filled_in=filled_in)
    return made.counts, made.truth


def counted_people(
    fs: FingerprintSet,
    *,
    slot_min: float = 30.0,
    frame: CountsFrame | None = None,
    filled_in: bool = True,
) -> CountedPeople:
    """As :func:`aggregate_counts`, with what is recorded and what the frame leaves out."""
    where, slot_min = _where(fs, slot_min, frame, filled_in)
    people, slots = int(fs.weight.sum()), len(where.starts)
    if people * slots > _MOST_CELLS:
        raise InfeasibleError(
            f"{people:,} people in {slots:,} slots are too many for memory; choose longer "
            "slots or fewer people."
        )
    truth = np.full((fs.n_users, slots), UNKNOWN, np.int32)
    for users, part in _in_parts(where, fs.n_users, filled_in):
        truth[users] = part
    recorded = np.zeros(truth.shape, np.bool_)
    recorded[where.user, where.slot] = True
    if np.any(fs.weight != 1):
        truth = np.repeat(truth, fs.weight, axis=0)
        recorded = np.repeat(recorded, fs.weight, axis=0)
    counts = CountRows.of_blocks(_counted(truth, len(where.corners[0])))
    released = _released(fs, where, counts, slot_min, frame, filled_in)
    return CountedPeople(released, truth, recorded, where.left_out)


def counts_of(
    fs: FingerprintSet,
    *,
    slot_min: float = 30.0,
    frame: CountsFrame | None = None,
    filled_in: bool = True,
    most_counts: int | None = None,
    progress: Progress | None = None,
) -> tuple[AggregateCounts, LeftOut]:
    """The counts of :func:`aggregate_counts` alone, of any number of people.

    Raises
    ------
    InfeasibleError
        There would be more than ``most_counts`` counts.
    """
    where, slot_min = _where(fs, slot_min, frame, filled_in)
    slots, places = len(where.starts), len(where.corners[0])
    if most_counts is not None and slots * places > most_counts:
        raise InfeasibleError(
            f"{places:,} places in {slots:,} slots are {slots * places:,} counts, more than the "
            f"{most_counts:,} that can be made; choose larger or fewer places, longer slots or "
            "fewer days."
        )
    flat = np.zeros(slots * places, np.int64)
    for users, part in _in_parts(where, fs.n_users, filled_in):
        user, slot = np.nonzero(part != UNKNOWN)
        at = slot * places + part[user, slot]
        flat += np.bincount(at, fs.weight[users][user], len(flat)).astype(np.int64)
        if progress is not None:
            progress(users.stop / fs.n_users)
    counts = flat.reshape(slots, places)
    return _released(fs, where, counts, slot_min, frame, filled_in), where.left_out


def _counted(truth: SmallInts, n_places: int) -> Iterator[SmallInts]:
    """People at each place, some slots at a time."""
    at_once = max(1, _CELLS_AT_ONCE // max(len(truth), n_places))
    for first in range(0, truth.shape[1], at_once):
        # Turned over, so that a slot lies together in memory; 0 is for who is not counted.
        some = np.ascontiguousarray(truth[:, first : first + at_once].T) + 1
        block = np.empty((len(some), n_places), np.int32)
        for row, here in zip(block, some, strict=True):
            row[:] = np.bincount(here, minlength=n_places + 1)[1:]
        yield block


def _where(
    fs: FingerprintSet, slot_min: float, frame: CountsFrame | None, filled_in: bool
) -> tuple[Located, float]:
    slot_min = check_slot(slot_min) if frame is None else frame.slot_min
    return located(fs, slot_min, frame, shared=filled_in), slot_min


def _released(
    fs: FingerprintSet, where: Located, counts: IntArray | CountRows, slot_min: float,
    frame: CountsFrame | None, filled_in: bool,
) -> AggregateCounts:  # fmt: skip
    x_m, y_m, dx_m, dy_m = where.corners
    return AggregateCounts(
        counts=cast(IntArray, counts), x_m=x_m, y_m=y_m, dx_m=dx_m, dy_m=dy_m,
        slot_start_min=where.starts, slot_min=slot_min, wall_start_min=where.wall,
        digest=fs.digest, frame=frame, filled_in=filled_in, heaviest=int(fs.weight.max()),
        of_records=decided_by_records(fs),
    )  # fmt: skip


def _in_parts(where: Located, n_users: int, filled_in: bool) -> Iterator[tuple[slice, SmallInts]]:
    """Some users at a time, and their place in every slot; −1 where they are not counted."""
    slots, centres = len(where.starts), where.centres
    tree = cKDTree(centres) if filled_in else None
    offsets = offsets_of(np.bincount(where.user, minlength=n_users))
    at_once = max(1, _CELLS_AT_ONCE // slots)
    for first in range(0, n_users, at_once):
        users = slice(first, min(first + at_once, n_users))
        rows = slice(int(offsets[users.start]), int(offsets[users.stop]))
        part = np.full((users.stop - first, slots), UNKNOWN, np.int32)
        part[where.user[rows] - first, where.slot[rows]] = where.place[rows]
        if tree is not None:
            seen = np.flatnonzero(np.diff(offsets[users.start : users.stop + 1]))
            some = part[seen]
            _interpolate(some, centres, tree)
            part[seen] = some
        yield users, part


def _interpolate(truth: SmallInts, centres: FloatArray, tree: cKDTree) -> None:
    """Fill the −1 of each row, in which there is at least one place."""
    slots = np.arange(truth.shape[1], dtype=np.int32)
    known = truth >= 0
    before = np.maximum.accumulate(np.where(known, slots, -1), axis=1)
    after = np.minimum.accumulate(np.where(known, slots, len(slots))[:, ::-1], axis=1)[:, ::-1]
    user, slot = np.nonzero(~known)
    before, after = before[user, slot], after[user, slot]
    before, after = (
        np.where(before < 0, after, before),
        np.where(after == len(slots), before, after),
    )
    left, right = truth[user, before], truth[user, after]
    truth[user, slot] = left
    moving = np.flatnonzero(left != right)
    a, b = centres[left[moving]], centres[right[moving]]
    share = (slot[moving] - before[moving]) / (after[moving] - before[moving])
    truth[user[moving], slot[moving]] = nearest_place(tree, a + (b - a) * share[:, None])
