"""Loops of the recovery attack: linking at once, what days have in common, pairing.

Source: Xu et al. 2017, §4–5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts


@njit(nogil=True, cache=True)
def link_nearest(i: IntArray, j: IntArray, left: IntArray, wanted: IntArray) -> IntArray:
    """How many go from ``i[k]`` to ``j[k]``, as many as can, pair by pair in the order given.

    ``left`` and ``wanted`` shrink by what has gone.
    """
    many = np.zeros(len(i), np.int64)
    for k in range(len(i)):
        many[k] = min(left[i[k]], wanted[j[k]])
        left[i[k]] -= many[k]
        wanted[j[k]] -= many[k]
    return many


@njit(nogil=True, cache=True)
def count_common(
    begin: int,
    end: int,
    offsets: IntArray,
    place: SmallInts,
    starts: IntArray,
    row: SmallInts,
    seen: npt.NDArray[np.uint8],
    many: IntArray,
) -> None:
    """``many[i]``: rows of the other side that share a place with row i, ``begin … end−1``.

    Of place p the other side's rows are ``row[starts[p]:starts[p+1]]``; ``seen`` is scratch, 0.
    """
    for i in range(begin, end):
        total = 0
        for a in range(offsets[i], offsets[i + 1]):
            for b in range(starts[place[a]], starts[place[a] + 1]):
                total += seen[row[b]] == 0
                seen[row[b]] = 1
        many[i] = total
        for a in range(offsets[i], offsets[i + 1]):
            for b in range(starts[place[a]], starts[place[a] + 1]):
                seen[row[b]] = 0


@njit(nogil=True, cache=True)
def save_common(
    begin: int,
    end: int,
    offsets: IntArray,
    place: SmallInts,
    often: IntArray,
    starts: IntArray,
    row: SmallInts,
    other_often: IntArray,
    worth: FloatArray,
    total: FloatArray,
    to: IntArray,
    column: SmallInts,
    value: FloatArray,
) -> None:
    """Of rows ``begin … end−1``, the other side's rows that share a place, and what that is worth.

    Sums ``worth[f, g]`` over the common places, in their order; ``total`` is scratch, 0. Columns
    ascend within a row.
    """
    for i in range(begin, end):
        at = to[i]
        for a in range(offsets[i], offsets[i + 1]):
            f = often[a]
            for b in range(starts[place[a]], starts[place[a] + 1]):
                j = row[b]
                if total[j] == 0.0:  # every common place is worth more than 0
                    column[at] = j
                    at += 1
                total[j] += worth[f, other_often[b]]
        column[to[i] : at] = np.sort(column[to[i] : at])
        for k in range(to[i], at):
            value[k] = total[column[k]]
            total[column[k]] = 0.0


@njit(nogil=True, cache=True)
def count_shared(
    begin: int,
    end: int,
    places: SmallInts,
    at: SmallInts,
    users: SmallInts,
    shared: SmallInts,
) -> None:
    """Points each of the trajectories ``begin … end−1`` has in common with every true one.

    Who was at a place in slot s are the ``users[s, k]`` with that place in ``at[s, k]``, which
    ascends; adds to ``shared``, (end − begin, n_users). Found by halving: a table of where each
    place begins would be as large as the counts.
    """
    for s in range(places.shape[1]):  # slot by slot, so that who was where stays at hand
        for i in range(begin, end):
            p = places[i, s]
            if p >= 0:
                k, above = 0, at.shape[1]
                while k < above:
                    middle = (k + above) // 2
                    if at[s, middle] < p:
                        k = middle + 1
                    else:
                        above = middle
                while k < at.shape[1] and at[s, k] == p:
                    shared[i - begin, users[s, k]] += 1
                    k += 1


@njit(nogil=True, cache=True)
def pair_greedily(
    begin: int, shared: SmallInts, free: npt.NDArray[np.bool_], pair: IntArray, best: IntArray
) -> None:
    """Pair each trajectory, in order, with the free true one it shares most with; ties: lower."""
    for i in range(len(shared)):
        chosen = -1
        for u in range(len(free)):
            if free[u] and (chosen < 0 or shared[i, u] > shared[i, chosen]):
                chosen = u
        pair[begin + i] = chosen
        if chosen >= 0:
            free[chosen] = False
            best[begin + i] = shared[i, chosen]
