"""Loops of the recovery attack: direct links, places common to two days, and pairing.

Source: Xu et al. 2017, §4–5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts
from .bisection import first_from
from .network_simplex import Frequencies


@njit(nogil=True, cache=True)
def link_nearest(i: IntArray, j: IntArray, left: IntArray, wanted: IntArray) -> IntArray:
    """Link as many people as possible from ``i[k]`` to ``j[k]``; return how many, for each k.

    The pairs k are taken in the given order. ``left`` and ``wanted`` are the people still to be
    linked on either side; both are reduced.
    """
    many = np.zeros(len(i), np.int64)
    for k in range(len(i)):
        many[k] = min(left[i[k]], wanted[j[k]])
        left[i[k]] -= many[k]
        wanted[j[k]] -= many[k]
    return many


@njit(nogil=True, cache=True)
def save_common(
    rows: Frequencies,
    at_place: Frequencies,
    worth: FloatArray,
    total: FloatArray,
    many: IntArray,
    column: SmallInts,
    value: FloatArray,
) -> bool:
    """Find, for each row, the other side's rows with a common place, and what each pair saves.

    ``many[i]`` is the number of rows found for row i; ``column`` is ascending. The saving is the
    sum of ``worth[f, g]`` over the common places, in order; ``total`` is scratch, all 0. The result
    states whether all pairs fitted into the arrays.
    """
    offsets, place, often = rows
    starts, row, other_often = at_place
    at = 0
    for i in range(len(many)):
        begin = at
        for a in range(offsets[i], offsets[i + 1]):
            f = often[a]
            for b in range(starts[place[a]], starts[place[a] + 1]):
                j = row[b]
                if total[j] == 0.0:  # every common place is worth more than 0
                    if at == len(column):
                        return False
                    column[at] = j
                    at += 1
                total[j] += worth[f, other_often[b]]
        many[i] = at - begin
        column[begin:at] = np.sort(column[begin:at])
        for k in range(begin, at):
            value[k] = total[column[k]]
            total[column[k]] = 0.0
    return True


@njit(nogil=True, cache=True)
def count_shared(
    begin: int,
    end: int,
    places: SmallInts,
    at: SmallInts,
    users: SmallInts,
    shared: SmallInts,
) -> None:
    """Count the points that trajectories ``begin … end−1`` share with each true trajectory.

    The users at a place in slot s are ``users[s, k]`` for each k with that place in ``at[s, k]``;
    ``at[s]`` ascends. The counts are added to ``shared``, (n_trajectories, n_users). Places are
    found by bisection: a table of where each place begins would be as large as the counts.
    """
    for s in range(places.shape[1]):  # slot by slot, so that a slot's data stay in the cache
        here = at[s]
        for i in range(begin, end):
            p = places[i, s]
            if p >= 0:
                k = first_from(here, p, 0, len(here))
                while k < len(here) and here[k] == p:
                    shared[i, users[s, k]] += 1
                    k += 1


@njit(nogil=True, cache=True)
def pair_greedily(
    begin: int, shared: SmallInts, free: npt.NDArray[np.bool_], pair: IntArray, best: IntArray
) -> None:
    """Pair each trajectory with the free true trajectory that shares the most points with it.

    Of equals, the first is taken. Trajectories are taken in order, and a true trajectory is free
    until it is paired. From entry ``begin`` on, ``pair`` gets the true trajectories (−1 = none
    left), and ``best`` the numbers of points shared.
    """
    for i in range(len(shared)):
        chosen = -1
        for u in range(len(free)):
            if free[u] and (chosen < 0 or shared[i, u] > shared[i, chosen]):
                chosen = u
        pair[begin + i] = chosen
        if chosen >= 0:
            free[chosen] = False
            best[begin + i] = shared[i, chosen]
