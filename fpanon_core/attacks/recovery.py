"""Who went where, from nothing but counts? Trajectory recovery.

The attacker has the published counts and the places' positions, and no record of any person. In
each slot the counts are people without names; linking them from slot to slot, by an optimal
assignment each time, gives trajectories:

1. **nights** (0 to 6 h local): people stay, so a link costs the distance from the last place;
2. **days**: people move on, so it costs the distance from ``q_t + (q_t − q_{t−1})`` (eq. 2).
   Each local calendar day starts afresh at its first slot, with its night, and the day follows
   from the night;
3. **across days** (:mod:`.linking`): people repeat themselves, so a link between a day and the
   next costs the information gain of joining their frequencies of places (eq. 3–4).

A first or last day that is not whole takes part like the others. Where a day begins after the
night, its first step has no movement to continue and costs the distance from the last place.

Source: Xu et al. 2017, §4; docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part
from ..model.aggregates import UNKNOWN, AggregateCounts
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.errors import InfeasibleError
from ..model.recovery import Recovered, RecoveryConfig
from .linking import link_days
from .steps import Counts, next_places

_LINKING_SHARE = 0.5  # of the progress


def recover_trajectories(
    counts: AggregateCounts,
    *,
    link_threshold_m: float = 0.0,
    n_trajectories: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Recovered:
    """Recover trajectories from counts of people by place and time slot.

    Reads counts, positions and slot times only. Every assignment is optimal (Xu et al. 2017, eq.
    1): groups of trajectories that predict the same point are matched with groups of records at one
    place, which costs the same as matching people one by one. Leaving at a point what is predicted
    and counted there is optimal, too, as distances obey the triangle inequality. Among trajectories
    that predict the same point, the ones that moved least come first, then the lower row; places in
    ascending order.

    **Slots that do not count the same people**, as after suppression or noise. Negative counts are
    taken as 0. The attack follows ``n_trajectories`` people; by default as many as the greatest
    total of a slot, or, where a count is negative and the totals are noisy, the median total. A
    slot with fewer records is filled up with dummy records, one with more with dummy trajectories.
    A dummy costs nothing, whoever gets it: as their number is fixed, any price per head would
    change no link. A trajectory with a dummy record is taken to have stayed where it was; records
    with a dummy trajectory are dropped. In the first slot of a day, when nobody is anywhere yet,
    the counts are scaled to ``n_trajectories`` (largest remainders; ties: lower place). Slots
    before a day's first with a record repeat it; days without any are ``−1``.

    Parameters
    ----------
    counts : AggregateCounts
    link_threshold_m : float
        Link pairs no farther apart than this at once, the nearest first, before the assignment
        (Xu et al. 2017, §4.3). Above 0 the assignment may no longer be optimal.
    n_trajectories : int, optional
        People in the counts, where the attacker knows.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    Recovered

    Raises
    ------
    ConfigError
        A parameter is out of its range.
    InfeasibleError
        There is nobody in the counts.

    Examples
    --------
    Two people who never move, 5 km apart, for two days.

    >>> from fpanon_core import FingerprintSet, aggregate_counts
    >>> fs = FingerprintSet.from_samples([1, 2, 1, 2], [0, 5000] * 2, [0] * 4, [0, 0, 2879, 2879])
    >>> counts, truth = aggregate_counts(fs, slot_min=180)
    >>> (recover_trajectories(counts).places == truth).all()
    np.True_
    """
    config = RecoveryConfig(link_threshold_m, n_trajectories)
    engine = engine or LocalEngine()
    people = config.n_trajectories or _estimate(counts)
    daily, step_cost_m = _recover_days(
        counts, people, config.link_threshold_m, engine,
        part(progress, 0.0, _LINKING_SHARE),
    )  # fmt: skip
    offsets = counts.day_offsets
    order, link_cost = link_days(
        daily, offsets, engine=engine, progress=part(progress, _LINKING_SHARE, 1.0)
    )
    return Recovered(
        places=_followed(daily, order, offsets),
        daily=daily,
        is_night=counts.is_night,
        day_offsets=offsets,
        step_cost_m=step_cost_m,
        link_cost=link_cost,
        unrecorded=people - _records(counts),
        config=config,
        digest=counts.digest,
    )


def _estimate(counts: AggregateCounts) -> int:
    """How many people there are: see :func:`recover_trajectories`."""
    people = int(np.rint(np.median(counts.totals))) if counts.noisy else int(counts.totals.max())
    if people < 1:
        raise InfeasibleError(
            "The counts hold nobody (their total is 0 or less); publish fewer suppressed or less "
            "noisy counts, or say how many people there are (n_trajectories)."
        )
    return people


def _records(counts: AggregateCounts) -> IntArray:
    """People that an attacker finds in each slot, negative counts read as 0."""
    return np.concatenate(
        [np.maximum(counts.block(s), 0).sum(axis=1, dtype=np.int64) for s in counts.pieces()]
    )


def scaled(records: Counts, people: int) -> IntArray:
    """Counts in proportion that add up to ``people``: largest remainders; ties: lower place."""
    total = int(records.sum(dtype=np.int64))
    if total == people:
        return records.astype(np.int64)
    share = records.astype(np.float64) * (people / total)
    whole: IntArray = share.astype(np.int64)
    order = np.lexsort((np.arange(len(share)), whole - share))
    whole[order[: people - int(whole.sum())]] += 1
    return whole


def _recover_days(
    counts: AggregateCounts, people: int, threshold_m: float, engine: Engine,
    progress: Progress | None,
) -> tuple[SmallInts, FloatArray]:  # fmt: skip
    """Trajectories within each day, (people, slots), and what each step costs, metres."""
    offsets = counts.day_offsets
    daily = np.full((people, counts.n_slots), UNKNOWN, np.int32)
    step_cost_m = np.full(counts.n_slots, np.nan)
    # The sum makes −0.0 a 0.0, the same place with other bits.
    xy, night = counts.centres + 0.0, counts.is_night

    def day(i: int) -> slice:
        return slice(int(offsets[i]), int(offsets[i + 1]))

    def take(i: int, found: tuple[SmallInts, FloatArray]) -> None:
        daily[:, day(i)], step_cost_m[day(i)] = found

    days = [_Day(counts, night, day(i)) for i in range(len(offsets) - 1)]
    given = xy, people, threshold_m
    engine.map(_recovered_day, days, given, take, work=np.diff(offsets).tolist(), progress=progress)
    return daily, step_cost_m


class _Day:
    """The counts of a day, made when it is its turn: those of all days may take much room."""

    def __init__(
        self, counts: AggregateCounts | Counts, night: npt.NDArray[np.bool_], slots: slice | None
    ) -> None:
        self._counts, self._slots = counts, slots
        self.night = night if slots is None else night[slots]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Day, (self.records(), self.night, None))

    def records(self) -> Counts:
        if self._slots is None:
            return cast(Counts, self._counts)
        counts = cast(AggregateCounts, self._counts)
        return cast(Counts, np.maximum(counts.block(self._slots), 0))


def _recovered_day(
    day: _Day, xy: FloatArray, people: int, threshold_m: float
) -> tuple[SmallInts, FloatArray]:
    records = day.records()
    places = np.full((people, len(records)), UNKNOWN, np.int32)
    cost_m = np.full(len(records), np.nan)
    _recover_day(xy, records, day.night, threshold_m, places, cost_m)
    return places, cost_m


def _recover_day(
    xy: FloatArray, records: Counts, night: npt.NDArray[np.bool_],
    threshold_m: float, places: SmallInts, cost_m: FloatArray,
) -> None:  # fmt: skip
    """Fill the trajectories of one day, (people, slots of the day), and what each step costs."""
    recorded = records.any(axis=1)
    if not recorded.any():
        return
    first = int(np.argmax(recorded))
    start = scaled(records[first], len(places))
    places[:, : first + 1] = np.repeat(np.arange(len(start)), start)[:, None]
    for at in range(first + 1, len(records)):
        last = places[:, at - 1]
        # At night people stay; and one place is not yet a movement.
        before = last if night[at] or at == first + 1 else places[:, at - 2]
        places[:, at], cost_m[at] = next_places(xy, last, before, records[at], threshold_m)


def _followed(daily: SmallInts, order: list[IntArray], offsets: IntArray) -> SmallInts:
    """Everyone's row of each day, one day after the other."""
    places = np.empty_like(daily)
    for rows, begin, end in zip(order, offsets[:-1], offsets[1:], strict=True):
        places[:, begin:end] = daily[rows, begin:end]
    return places
