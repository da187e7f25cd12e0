"""How likely are moves from the last cells of one period to the first of the next?

Called by :mod:`fpanon_core.attacks.moves`, which says what the figures mean.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts


@njit(nogil=True, cache=True, inline="always")
def class_of(value: float, edges: FloatArray) -> int:
    """How many of the edges, ascending, are at most this value."""
    number = 0
    while number < len(edges) and value >= edges[number]:
        number += 1
    return number


@njit(nogil=True, cache=True, inline="always")
def far(one: FloatArray, other: FloatArray, error: float) -> float:
    """Mean square distance of two ends (x, y, variance of the place, …), metres²."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + one[2] + other[2] + error


@njit(nogil=True, cache=True, inline="always")
def late(one: FloatArray, other: FloatArray, error: float) -> float:
    """Mean square of the time between two ends (…, time, its variance), minutes²."""
    return (one[3] - other[3]) ** 2 + one[4] + other[4] + error


@njit(nogil=True, cache=True)
def count_moves(
    one: FloatArray, other: FloatArray, errors: FloatArray, ways: FloatArray, gaps: FloatArray,
    counts: IntArray,
) -> None:  # fmt: skip
    """Add each pair of ends to its class of time and of distance."""
    for i in range(len(one)):
        time = class_of(late(one[i], other[i], errors[1]), gaps)
        counts[time, class_of(far(one[i], other[i], errors[0]), ways)] += 1


@njit(nogil=True, cache=True)
def add_moves(
    begin: int, end: int, offsets: IntArray, column: SmallInts, last: FloatArray, weight: IntArray,
    first: FloatArray, errors: FloatArray, ways: FloatArray, gaps: FloatArray, chance: FloatArray,
    value: FloatArray,
) -> None:  # fmt: skip
    """Add to the pairs of records ``begin … end−1`` how much likelier the move makes them.

    Parameters
    ----------
    offsets, column, value : ndarrays
        A sparse table: a row for each record of the later period, a column for each of the earlier.
    last : float64 ndarray (n_earlier, 5)
        Their last cells: x, y, variance of the place, time, its variance.
    weight : int64 ndarray (n_earlier,)
    first : float64 ndarray (n_later, 5)
        The first cells of the later ones.
    errors : float64 ndarray (2,)
        Variance that noise adds to a distance, and to a time between.
    ways, gaps : float64 ndarrays
        Squares of the edges of the classes, of distances and of times between.
    chance : float64 ndarray (n_gaps + 1, n_ways + 1)
        Of each class of distance, by the time between.
    """
    where = np.empty(len(last), np.int8)
    everybody = float(weight.sum())
    for i in range(begin, end):
        people = np.zeros(len(ways) + 1)
        for r in range(len(last)):
            where[r] = class_of(far(last[r], first[i], errors[0]), ways)
            people[where[r]] += weight[r]
        for at in range(offsets[i], offsets[i + 1]):
            r = column[at]
            time = class_of(late(last[r], first[i], errors[1]), gaps)
            usual = people[where[r]] / everybody
            value[at] += math.log1p(chance[time, where[r]] / usual)
