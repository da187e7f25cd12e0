"""Where does everybody go next? One step of the attack, from slot to slot.

Source: Xu et al. 2017, §4.2–4.3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..kernels.network_simplex import distances
from ..kernels.recovery_links import link_nearest
from ..model.arrays import FloatArray, IntArray, SmallInts
from ..model.ragged import offsets_of
from .assignment import Flows, transport_near

Counts = npt.NDArray[np.integer]


def next_places(
    xy: FloatArray, last: SmallInts, before: SmallInts, records: Counts, threshold_m: float
) -> tuple[SmallInts, float]:
    """The next place of each trajectory by an optimal assignment, and what that costs in metres.

    Parameters
    ----------
    xy : float64 ndarray (n_places, 2)
        Centres, metres.
    last, before : int32 ndarray (n_trajectories,)
        The two last places of each; equal for who is taken to stay.
    records : integer ndarray (n_places,)
        People counted at each place.
    threshold_m : float
        Pairs no farther apart are linked before the assignment.
    """
    # More records at a place than there are trajectories are never needed; noise makes millions.
    records = np.minimum(records, len(last))
    # Trajectories with the same two last places are one state; states go by predicted point.
    key, state = np.unique(last.astype(np.int64) * len(xy) + before, return_inverse=True)
    now_at, was_at = np.divmod(key, len(xy))
    moved = xy[now_at] - xy[was_at]
    place = np.flatnonzero(records)
    points, point = _distinct_points(np.concatenate([xy[now_at] + moved, xy[place]]))
    source, sink = point[: len(key)][state], point[len(key) :]
    supply = np.bincount(source, minlength=len(points))
    demand = np.bincount(sink, records[place], len(points)).astype(np.int64)
    flows = _flows(points, supply, demand, threshold_m)
    # Who moved least comes first among those who predict the same point, then the lower row.
    order = np.lexsort((np.hypot(*moved.T)[state], source))
    target = _leave(order, supply, flows)
    apart = np.hypot(*(points[flows[0]] - points[flows[1]]).T)
    return _arrive(last, target, place, sink, records), float(apart @ flows[2])


def _distinct_points(xy: FloatArray) -> tuple[FloatArray, IntArray]:
    """The points there are, by x, then by y, and which of them each is."""
    order = np.lexsort((xy[:, 1], xy[:, 0]))
    some = xy[order]
    new = np.ones(len(xy), bool)
    new[1:] = (some[1:] != some[:-1]).any(axis=1)
    of = np.empty(len(xy), np.int64)
    of[order] = np.cumsum(new) - 1
    return some[new], of


def _flows(points: FloatArray, supply: IntArray, demand: IntArray, threshold_m: float) -> Flows:
    """What stays, then what is linked at once, then the optimal rest: from, to, how many."""
    stay = np.minimum(supply, demand)
    at = np.flatnonzero(stay)
    parts = [(at, at, stay[at])]
    supply, demand = supply - stay, demand - stay
    sources, sinks = np.flatnonzero(supply), np.flatnonzero(demand)
    left, wanted = supply[sources], demand[sinks]
    if threshold_m > 0:
        apart = distances(points[sources], points[sinks])
        i, j = np.nonzero(apart <= threshold_m)
        nearest = np.argsort(apart[i, j], kind="stable")
        i, j = i[nearest], j[nearest]
        parts.append((sources[i], sinks[j], link_nearest(i, j, left, wanted)))
    some, other = np.flatnonzero(left), np.flatnonzero(wanted)
    i, j, many = transport_near(
        points[sources[some]], points[sinks[other]], left[some], wanted[other]
    )
    parts.append((sources[some[i]], sinks[other[j]], many))
    begin, end, many = (np.concatenate(column) for column in zip(*parts, strict=True))
    return begin, end, many


def _leave(order: IntArray, supply: IntArray, flows: Flows) -> IntArray:
    """The point each trajectory goes to, −1 where there is no record for it.

    Of each point, the trajectories in their order take its flows in theirs.
    """
    begin, end, many = flows
    by_point = np.argsort(begin, kind="stable")
    goal = np.repeat(end[by_point], many[by_point])
    sent = np.bincount(begin, many, len(supply)).astype(np.int64)
    nth = np.arange(len(goal)) - np.repeat(offsets_of(sent)[:-1], sent)
    target = np.full(len(order), -1, np.int64)
    target[order[np.repeat(offsets_of(supply)[:-1], sent) + nth]] = goal
    return target


def _arrive(
    last: SmallInts, target: IntArray, place: IntArray, sink: IntArray, records: Counts
) -> SmallInts:
    """Places at the points people go to; who goes nowhere stays.

    Places with one and the same centre, as nested cells have, are filled in ascending order.
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
