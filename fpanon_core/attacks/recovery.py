"""Trajectory recovery: people's movements, inferred from counts alone.

The attacker has the published counts and the places' positions, but no record of any person. The
counts show how many people are at each place in each slot, without names. Linking these people from
slot to slot, by an optimal assignment each time, gives trajectories:

1. **nights** (0 to 6 h local): people stay, so a link costs the distance from the last place;
2. **days**: people move on, so a link costs the distance from ``q_t + (q_t − q_{t−1})`` (eq. 2),
   the point predicted from a person's positions q in the last two slots.
   Each local calendar day is linked separately: its night first, then its daytime, which continues
   from the night;
3. **across days** (:func:`link_days`): people repeat themselves, so linking two days costs the
   information gain of joining their frequencies of places (eq. 3–4).

An incomplete first or last day is treated like the others. If a day begins after the night, its
first step has no movement to continue, and costs the distance from the last place.

Source: Xu et al. 2017, §4; docs/science.md, “Counts and trajectory recovery”.

*From slot to slot*, a step of the attack links the people of one slot to the people of the next.

Source: Xu et al. 2017, §4.2–4.3.

*From day to day*, people are linked by information gain.

The information gain is ``G(U, V) = H(U+V) − (H(U) + H(V))/2``, in bits. U and V are the frequencies
of places on two days, and H is the entropy. G is 0 if two days are alike, and 1 if two days of
equal length have no place in common. With an incomplete day, G can be below 0 or above 1. The links
between each day and the next are an optimal assignment under G.

No table of the costs of all pairs of people is stored. The cost of two days without a common place
is a term of U alone plus a term of V alone. So the choice among these pairs does not change the
total. Compared with this cost, each common place, with frequencies f and g, saves ``[φ(f+g) − φ(f)
− φ(g)]/(n_U + n_V)``. Here n_U and n_V are the days' numbers of slots, and ``φ(z) = z·log₂ z``. So
the cheapest assignment is the one that saves most over the pairs with a common place. Days with
equal frequencies are interchangeable. The attack links such days as groups if there are few groups,
or if there are too many pairs with a common place to keep.

Source: Xu et al. 2017, §4.4, eq. 3–4.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist  # type: ignore[import-untyped,unused-ignore]

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress, part, tell
from ..kernels.network_simplex import Frequencies, at_places, by_places
from ..kernels.recovery_links import link_nearest, save_common
from ..model.aggregates import UNKNOWN, AggregateCounts, Recovered, RecoveryConfig
from ..model.arrays import FloatArray, IntArray, SmallInts, distinct_rows, offsets_of, rows_of
from ..model.errors import InfeasibleError
from .assignment import Flows, Pairs, most_saving, transport_all, transport_near

_LINKING_SHARE = 0.5  # of the progress


def recover_trajectories(
    counts: AggregateCounts,
    *,
    link_threshold_m: float = 0.0,
    n_trajectories: int | None = None,
    engine: Engine | None = None,
    progress: Progress = None,
) -> Recovered:
    """Recover trajectories from counts of people by place and time slot.

    The attack reads counts, positions and slot times only. Every assignment is optimal (Xu et al.
    2017, eq. 1). Groups of trajectories that predict the same point are matched with groups of
    records at one place. This costs the same as matching people one by one. Matching people
    predicted at a point with people counted there is also optimal, because distances obey the
    triangle inequality. Trajectories that predict the same point are ordered by the distance they
    moved, then by row; places are in ascending order.

    **Slots may have different totals**, as after suppression or noise. Negative counts are taken as
    0. The attack follows ``n_trajectories`` people. The default is the greatest total of a slot or,
    if noise made a count negative, the median total. A slot with fewer records is filled with dummy
    records; a slot with more records is filled with dummy trajectories. A dummy costs nothing: the
    number of dummies is fixed, so a unit price would change no link. A trajectory with a dummy
    record is assumed to have stayed in place; records with a dummy trajectory are dropped. In the
    first slot of a day, before anybody has a place, the counts are scaled to ``n_trajectories`` by
    largest remainders; ties go to the lower place. Slots before a day's first slot with a record
    repeat that slot; days without any record are ``−1``.

    Parameters
    ----------
    counts : AggregateCounts
    link_threshold_m : float
        Pairs at most this far apart are linked directly, the nearest first, before the assignment
        (Xu et al. 2017, §4.3). Above 0, the assignment may no longer be optimal.
    n_trajectories : int, optional
        Number of people in the counts, if the attacker knows it.
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
        The number of people estimated from the counts is below 1.

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
    told = part(progress, 0.0, _LINKING_SHARE)
    daily, step_cost_m = _recover_days(counts, people, config.link_threshold_m, engine, told)
    offsets = counts.day_offsets
    order, link_cost = link_days(
        daily, offsets, engine=engine, progress=part(progress, _LINKING_SHARE, 1.0)
    )
    places = np.empty_like(daily)
    for rows, begin, end in zip(order, offsets[:-1], offsets[1:], strict=True):
        places[:, begin:end] = daily[rows, begin:end]
    return Recovered(
        places=places,
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
    """Estimate the number of people: see :func:`recover_trajectories`."""
    people = int(np.rint(np.median(counts.totals))) if counts.noisy else int(counts.totals.max())
    if people < 1:
        raise InfeasibleError(
            "The counts contain nobody (their total is 0 or less); use counts with less "
            "suppression or noise, or state the number of people (n_trajectories)."
        )
    return people


def _records(counts: AggregateCounts) -> IntArray:
    """Return the number of people counted in each slot; negative counts are read as 0."""
    return np.concatenate(
        [np.maximum(counts.block(s), 0).sum(axis=1, dtype=np.int64) for s in counts.pieces()]
    )


def scaled(records: Counts, people: int) -> IntArray:
    """Scale counts to a total of ``people`` by largest remainders; ties go to the lower place."""
    total = int(records.sum(dtype=np.int64))
    if total == people:
        return records.astype(np.int64)
    share = records.astype(np.float64) * (people / total)
    whole: IntArray = share.astype(np.int64)
    order = np.lexsort((np.arange(len(share)), whole - share))
    whole[order[: people - int(whole.sum())]] += 1
    return whole


def _recover_days(
    counts: AggregateCounts, people: int, threshold_m: float, engine: Engine, progress: Progress
) -> tuple[SmallInts, FloatArray]:
    """Return trajectories within each day, (people, slots), and the cost of each step, metres."""
    offsets = counts.day_offsets
    daily = np.full((people, counts.n_slots), UNKNOWN, np.int32)
    step_cost_m = np.full(counts.n_slots, np.nan)
    days = [slice(begin, end) for begin, end in pairwise(offsets.tolist())]

    def take(i: int, found: tuple[SmallInts, FloatArray]) -> None:
        daily[:, days[i]], step_cost_m[days[i]] = found

    given, work = (counts, people, threshold_m), np.diff(offsets).tolist()
    engine.map(_recovered_day, days, given, take, work=work, progress=progress)
    return daily, step_cost_m


def _recovered_day(
    day: slice, counts: AggregateCounts, people: int, threshold_m: float
) -> tuple[SmallInts, FloatArray]:
    """Return the trajectories of one day, (people, slots of the day), and the cost of each step."""
    # Made day by day, because the arrays of all days may take a lot of memory.
    records = np.maximum(counts.block(day), 0)
    # Adding 0.0 turns −0.0 into 0.0, which is the same place with different bits.
    xy, night = counts.centres + 0.0, counts.is_night[day]
    places = np.full((people, len(records)), UNKNOWN, np.int32)
    cost_m = np.full(len(records), np.nan)
    recorded = records.any(axis=1)
    if not recorded.any():
        return places, cost_m
    first = int(np.argmax(recorded))
    start = scaled(records[first], people)
    places[:, : first + 1] = np.repeat(np.arange(len(start)), start)[:, None]
    for at in range(first + 1, len(records)):
        last = places[:, at - 1]
        # At night, people stay; by day, one place does not yet make a movement.
        before = last if night[at] or at == first + 1 else places[:, at - 2]
        places[:, at], cost_m[at] = next_places(xy, last, before, records[at], threshold_m)
    return places, cost_m


Counts = npt.NDArray[np.integer]


def next_places(
    xy: FloatArray, last: SmallInts, before: SmallInts, records: Counts, threshold_m: float
) -> tuple[SmallInts, float]:
    """Return the next place of each trajectory by optimal assignment, and the total cost, metres.

    Parameters
    ----------
    xy : float64 ndarray (n_places, 2)
        Centres, metres.
    last, before : int32 ndarray (n_trajectories,)
        Last place, and the place before it; equal for trajectories assumed to stay.
    records : integer ndarray (n_places,)
        People counted at each place.
    threshold_m : float
        Pairs at most this far apart are linked before the assignment.
    """
    # No more records per place than trajectories are needed; noise can add millions.
    records = np.minimum(records, len(last))
    # Trajectories with the same last two places form a state; each predicts one point.
    key, state = np.unique(last.astype(np.int64) * len(xy) + before, return_inverse=True)
    now_at, was_at = np.divmod(key, len(xy))
    moved = xy[now_at] - xy[was_at]
    place = np.flatnonzero(records)
    every = np.concatenate([xy[now_at] + moved, xy[place]])
    first, point = distinct_rows(*every.T)
    points = every[first]
    source, sink = point[: len(key)][state], point[len(key) :]
    supply = np.bincount(source, minlength=len(points))
    demand = np.bincount(sink, records[place], len(points)).astype(np.int64)
    flows = _flows(points, supply, demand, threshold_m)
    # Of trajectories that predict the same point, those that moved least come first, then by row.
    order = np.lexsort((np.hypot(*moved.T)[state], source))
    target = _leave(order, supply, flows)
    apart = np.hypot(*(points[flows[0]] - points[flows[1]]).T)
    return _arrive(last, target, place, sink, records), float(apart @ flows[2])


def _flows(points: FloatArray, supply: IntArray, demand: IntArray, threshold_m: float) -> Flows:
    """Return the origin, goal and amount of each flow.

    First come the people who stay at a point, then direct links, then an optimal assignment.
    """
    stay = np.minimum(supply, demand)
    at = np.flatnonzero(stay)
    parts = [(at, at, stay[at])]
    supply, demand = supply - stay, demand - stay
    sources, sinks = np.flatnonzero(supply), np.flatnonzero(demand)
    left, wanted = supply[sources], demand[sinks]
    if threshold_m > 0:
        apart = cdist(points[sources], points[sinks])
        i, j = np.nonzero(apart <= threshold_m)
        nearest = np.argsort(apart[i, j], kind="stable")
        i, j = i[nearest], j[nearest]
        parts.append((sources[i], sinks[j], link_nearest(i, j, left, wanted)))
    some, other = np.flatnonzero(left), np.flatnonzero(wanted)
    rest = points[sources[some]], points[sinks[other]], left[some], wanted[other]
    i, j, many = transport_near(*rest)
    parts.append((sources[some[i]], sinks[other[j]], many))
    begin, end, many = (np.concatenate(column) for column in zip(*parts, strict=True))
    return begin, end, many


def _leave(order: IntArray, supply: IntArray, flows: Flows) -> IntArray:
    """Return the point that each trajectory goes to, or −1 if no record is left for it.

    At each point, the trajectories take the flows in order.
    """
    begin, end, many = flows
    by_point = np.argsort(begin, kind="stable")
    sent = np.bincount(begin, many, len(supply)).astype(np.int64)
    target = np.full(len(order), -1, np.int64)
    leaving = order[rows_of(offsets_of(supply)[:-1], sent)]
    target[leaving] = np.repeat(end[by_point], many[by_point])
    return target


def _arrive(
    last: SmallInts, target: IntArray, place: IntArray, sink: IntArray, records: Counts
) -> SmallInts:
    """Return each person's place at the point they go to; people without a goal stay.

    Places with the same centre, as nested cells have, are filled in ascending order.
    """
    now = last.copy()
    going = np.flatnonzero(target >= 0)
    going = going[np.argsort(target[going], kind="stable")]
    order = np.argsort(sink, kind="stable")  # places ascend within a point
    many = records[place[order]]
    free_place, free_point = np.repeat(place[order], many), np.repeat(sink[order], many)
    goal = target[going]
    nth = np.arange(len(goal)) - np.searchsorted(goal, goal)
    now[going] = free_place[np.searchsorted(free_point, goal) + nth]
    return now


# Transport between groups pays if there are few groups: their pairs are at most this share of the
# pairs of people. It is also used if there are too many pairs with a common place to keep.
_GROUPS_SHARE = 0.04
_MOST_PAIRS = 2**22


def link_days(
    daily: SmallInts, offsets: IntArray, *, engine: Engine, progress: Progress = None
) -> tuple[list[IntArray], FloatArray]:
    """Link each day to the next for all people, by information gain.

    Parameters
    ----------
    daily : int32 ndarray (n_people, n_slots)
        Trajectories within each day; −1 on days without a record.
    offsets : int64 ndarray (n_days + 1,)
        Slots of day d are columns ``offsets[d]:offsets[d+1]``.

    Returns
    -------
    order : list of int64 ndarray (n_people,)
        For each day, the row of ``daily`` that belongs to each trajectory.
    cost : float64 ndarray (n_days − 1,)
        Total information gain of the links, bits; NaN if either of the two days has no record. The
        days before and after a day without a record are linked to each other.
    """
    n_days = len(offsets) - 1
    order = [np.arange(len(daily))] * n_days
    cost = np.full(max(n_days - 1, 0), np.nan)
    known = [i for i in range(n_days) if daily[0, offsets[i]] != UNKNOWN]
    pairs = list(pairwise(known))
    follower: list[IntArray] = [order[0]] * len(pairs)

    def take(nth: int, found: tuple[IntArray, float]) -> None:
        i, j = pairs[nth]
        follower[nth], gain = found
        if j == i + 1:
            cost[i] = gain

    days = [daily[:, begin:end] for begin, end in pairwise(offsets.tolist())]
    engine.map(_linked, [(days[i], days[j]) for i, j in pairs], (), take, progress=progress)
    for (i, j), followed in zip(pairs, follower, strict=True):
        order[j] = followed[order[i]]
    tell(progress, 1.0)
    return order, cost


def _linked(days: tuple[SmallInts, SmallInts]) -> tuple[IntArray, float]:
    return link_two(*days)


def link_two(first: SmallInts, second: SmallInts) -> tuple[IntArray, float]:
    """Return the row of ``second`` that follows each row of ``first``, and the total gain, bits.

    Rows with equal frequencies of places are interchangeable. If such rows are linked as a group,
    they are taken in ascending order.
    """
    (of, u), (to, v) = _grouped(first), _grouped(second)
    people, lengths = len(first), (first.shape[1], second.shape[1])
    apart = _apart(u, v, lengths)
    worth = _worth(lengths)
    if len(apart[0]) * len(apart[1]) > _GROUPS_SHARE * people**2:
        pairs = _savings(_spread(u, of), _spread(v, to), worth)
        if pairs is not None:
            follower, saved_bits = most_saving(pairs)
            total = apart[0][of].sum() + apart[1][to].sum() - saved_bits
            return follower, float(total)
    costs = by_places(u, v, worth, *apart)
    (_, j, many), gain = transport_all(costs, np.bincount(of), np.bincount(to))
    follower = np.empty(people, np.int64)
    goal, into = np.repeat(j, many), np.argsort(to, kind="stable")
    # People in order of their group; each takes the next free row of the group they go to.
    leaving = np.argsort(of, kind="stable")
    arriving = np.argsort(goal, kind="stable")
    follower[leaving[arriving]] = into
    return follower, float(gain @ many)


def _grouped(rows: SmallInts) -> tuple[IntArray, Frequencies]:
    """Return the group of each row, and the frequencies of places that a group's rows share."""
    groups, of = np.unique(np.sort(rows, axis=1), axis=0, return_inverse=True)
    new = np.ones(groups.shape, bool)
    new[:, 1:] = groups[:, 1:] != groups[:, :-1]
    begin = np.flatnonzero(new)
    often = np.diff(np.append(begin, groups.size))
    return of.reshape(-1), Frequencies(offsets_of(new.sum(axis=1)), groups[new], often)


def _spread(frequencies: Frequencies, of: IntArray) -> Frequencies:
    """Return the frequencies of each row, from those of its group."""
    offsets, place, often = frequencies
    lengths = np.diff(offsets)[of]
    rows = rows_of(offsets[:-1][of], lengths)
    return Frequencies(offsets_of(lengths), place[rows], often[rows])


def _apart(
    u: Frequencies, v: Frequencies, lengths: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """Return terms of ``u`` and of ``v``; their sum is the cost of a pair without a common place.

    With ``a = n_U/(n_U + n_V)``, the cost is ``a·H(U) + (1−a)·H(V) + h(a) − (H(U) + H(V))/2``,
    where h(a) is the entropy of a and 1−a. Each term includes half of h(a).
    """
    share = lengths[0] / sum(lengths)
    ends = np.array([share, 1 - share])
    both = float(-(ends * np.log2(ends)).sum()) / 2
    of_u, of_v = _entropies(u, lengths[0]), _entropies(v, lengths[1])
    return (share - 0.5) * of_u + both, (0.5 - share) * of_v + both


def _entropies(frequencies: Frequencies, length: int) -> FloatArray:
    offsets, _, often = frequencies
    share = often / length
    bits: FloatArray = np.add.reduceat(-share * np.log2(share), offsets[:-1])
    return bits


def _worth(lengths: tuple[int, int]) -> FloatArray:
    """Return the saving of a common place, by the two days' frequencies there."""
    f, g = (np.arange(n + 1, dtype=np.float64) for n in lengths)
    worth: FloatArray = (_phi(f[:, None] + g) - _phi(f)[:, None] - _phi(g)) / sum(lengths)
    return worth


def _savings(u: Frequencies, v: Frequencies, worth: FloatArray) -> Pairs | None:
    """Return the savings of the pairs of rows with a common place; None if there are too many."""
    at_place, columns = at_places(v, int(u.number.max()) + 1), len(v.offsets) - 1
    many, room = np.zeros(len(u.offsets) - 1, np.int64), min(_MOST_PAIRS, len(u.offsets) * columns)
    column, value = np.empty(room, np.int32), np.empty(room)
    if not save_common(u, at_place, worth, np.zeros(columns), many, column, value):
        return None
    offsets = offsets_of(many)
    return offsets, column[: offsets[-1]].copy(), value[: offsets[-1]].copy()


def _phi(z: FloatArray) -> FloatArray:
    return np.where(z > 0, z * np.log2(np.maximum(z, 1.0)), 0.0)
