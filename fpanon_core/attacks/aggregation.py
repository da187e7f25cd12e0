"""What would be published: how many people at each place in each time slot?

Prepared as Xu et al. 2017, §5.1, prepare their data: everyone is in one place in every slot.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..model.aggregates import AggregateCounts
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.checks import positive
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.ragged import rows_of

_CLOSE_M = 1e-6  # places nearer than this to equally near are equally near
_AT_ONCE = 1 << 20  # points snapped at a time
_MOST_CELLS = 1 << 31  # of truth, 8 GB


def aggregate_counts(
    fs: FingerprintSet, *, slot_min: float = 30.0
) -> tuple[AggregateCounts, SmallInts]:
    """Count people by place and time slot, and keep who was where as the truth to score against.

    Slots are laid from local midnight; the first holds the first sample, the last the end of the
    last. In each slot a user is at the place with the most samples in it; ties: the lower place
    number. A sample that reaches over several slots, as in generalized data, is shared among them
    by time. A slot without a sample gets the place nearest to the point on the straight line
    between the places before and after, by the number of slots; ties: the lower place number.
    Before the first and after the last sample, the nearest in time is kept (Xu et al. 2017, §5.1).

    Parameters
    ----------
    fs : FingerprintSet
        A fingerprint that stands for w subscribers counts w times.
    slot_min : float
        Length of a slot, minutes; a whole number of them makes a day.

    Returns
    -------
    counts : AggregateCounts
        Places are the distinct cells of the data, by x, then y, then extent. The list of places is
        part of what is published.
    truth : int32 ndarray (subscribers, n_slots)
        Place number of everyone in every slot; rows in the order of ``fs``, w for each.

    Raises
    ------
    ConfigError
        ``slot_min`` does not divide a day.
    InfeasibleError
        The table of people by slots would not fit in memory.

    Examples
    --------
    Seen at 0:10 at one place and at 1:40 at another, 900 m away: half past midnight is snapped to
    the first (300 m off), one o'clock to the second.

    >>> fs = FingerprintSet.from_samples([1, 1], [0, 900], [0, 0], [10, 100])
    >>> counts, truth = aggregate_counts(fs)
    >>> truth.tolist(), counts.totals.tolist()
    ([[0, 0, 1, 1]], [1, 1, 1, 1])
    """
    slot_min = positive("slot_min", slot_min)
    if abs(1440 / slot_min - round(1440 / slot_min)) > 1e-9:
        raise ConfigError(
            f"slot_min = {slot_min:g} does not divide a day, so that slots would "
            "begin at other times each day; choose for instance 30, 90 or 180."
        )
    starts, end = _slots(fs, slot_min)
    people = int(fs.weight.sum())
    if people * len(starts) > _MOST_CELLS:
        raise InfeasibleError(
            f"{people:,} people in {len(starts):,} slots are too many for memory; choose longer "
            "slots or fewer people."
        )
    place, corners = _places(fs)
    truth = np.full((fs.n_users, len(starts)), -1, np.int32)
    user, slot, at = _most_frequent(fs, place, np.append(starts, end))
    truth[user, slot] = at
    x_m, y_m, dx_m, dy_m = corners
    centres = np.column_stack([x_m + dx_m / 2, y_m + dy_m / 2])
    _interpolate(truth, centres)
    if np.any(fs.weight != 1):
        truth = np.repeat(truth, fs.weight, axis=0)
    counts = np.empty((len(starts), len(x_m)), np.int32)
    for i in range(len(starts)):
        counts[i] = np.bincount(truth[:, i], minlength=len(x_m))
    released = AggregateCounts(
        counts=counts,
        x_m=x_m,
        y_m=y_m,
        dx_m=dx_m,
        dy_m=dy_m,
        slot_start_min=starts,
        slot_min=slot_min,
        wall_start_min=fs.wall_minutes(starts),
        digest=fs.digest,
    )
    return released, truth


def _slots(fs: FingerprintSet, slot_min: float) -> tuple[FloatArray, float]:
    """Starts of the slots, and the end of the last."""
    first, last = float(fs.t_min.min()), float((fs.t_min + fs.dt_min).max())
    if fs.clock is None:
        begin = np.floor(first / slot_min)
        many = max(1, int(np.ceil(last / slot_min) - begin))
        return (begin + np.arange(many)) * slot_min, (begin + many) * slot_min
    starts: list[float] = []
    at = first
    while not starts or at < last:
        begin, length = (float(v[0]) for v in fs.clock.window(np.array([at]), slot_min))
        starts.append(begin)
        at = begin + length
    return np.array(starts), at


def _places(fs: FingerprintSet) -> tuple[IntArray, tuple[FloatArray, ...]]:
    """Place number of each sample, and each place's corner and extent."""
    keys = (fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    order = np.lexsort(keys[::-1])
    ordered = [k[order] for k in keys]
    new = np.ones(len(order), bool)
    new[1:] = np.logical_or.reduce([k[1:] != k[:-1] for k in ordered])
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(new) - 1
    return place, tuple(k[new] for k in ordered)


def _most_frequent(
    fs: FingerprintSet, place: IntArray, edges: FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """User, slot and place of every slot in which a user has a sample."""
    ends = fs.t_min + fs.dt_min
    first = np.searchsorted(edges, fs.t_min, side="right") - 1
    last = np.maximum(np.searchsorted(edges, ends, side="left") - 1, first)
    many = last - first + 1
    slot = rows_of(first, many)
    row = np.repeat(np.arange(fs.n_samples), many)
    inside = np.minimum(ends[row], edges[slot + 1]) - np.maximum(fs.t_min[row], edges[slot])
    # Samples, not events: the count weighs the draws of an adversary and nothing else.
    events = np.where(many[row] == 1, 1.0, inside / fs.dt_min[row])
    user, place = fs.sample_user[row], place[row]
    order = np.lexsort((place, slot, user))
    user, slot, place, events = user[order], slot[order], place[order], events[order]
    new = np.ones(len(order), bool)
    new[1:] = (user[1:] != user[:-1]) | (slot[1:] != slot[:-1]) | (place[1:] != place[:-1])
    start = np.flatnonzero(new)
    # Rounded, so that what is equal but for the order of adding is a tie.
    events = np.round(np.add.reduceat(events, start), 9)
    user, slot, place = user[start], slot[start], place[start]
    # Stable: of places with as many events the lowest number stays first.
    order = np.lexsort((-events, slot, user))
    user, slot, place = user[order], slot[order], place[order]
    new = np.ones(len(order), bool)
    new[1:] = (user[1:] != user[:-1]) | (slot[1:] != slot[:-1])
    return user[new], slot[new], place[new]


def _interpolate(truth: SmallInts, centres: FloatArray) -> None:
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
    tree = cKDTree(centres)
    for begin in range(0, len(moving), _AT_ONCE):
        some = moving[begin : begin + _AT_ONCE]
        a, b = centres[left[some]], centres[right[some]]
        share = (slot[some] - before[some]) / (after[some] - before[some])
        truth[user[some], slot[some]] = _nearest(tree, a + (b - a) * share[:, None])


def _nearest(tree: cKDTree, points: FloatArray) -> IntArray:
    """The nearest place of each point, the lowest number of those equally near."""
    nearest = np.empty(len(points), np.int64)
    left, many = np.arange(len(points)), min(8, tree.n)
    while len(left):
        apart, place = (v.reshape(len(left), -1) for v in tree.query(points[left], many))
        tied = apart <= apart[:, :1] + _CLOSE_M
        nearest[left] = np.where(tied, place, tree.n).min(axis=1)
        if many == tree.n:
            break
        left = left[tied.all(axis=1)]  # there may be more as near as the last of them
        many = min(8 * many, tree.n)
    return nearest
