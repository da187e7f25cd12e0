"""Cells laid over a reference grid: what share of each falls where, and when.

A sample says that somebody was in its cell; nothing tells where in it. So its mass is spread over
the squares of the grid in proportion to area, and over the hours of the day in proportion to time.
Square (column, row) has the number ``column · rows + row``; the grid's corner is at 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray

_DAY, _HOUR = 1440.0, 60.0


@njit(nogil=True, cache=True, inline="always")
def _first(at: float, many: int) -> int:
    """The square that holds a coordinate (in squares), or the nearest end of the grid."""
    return min(max(int(np.floor(at)), 0), many)


@njit(nogil=True, cache=True, inline="always")
def _last(end: float, begin: float, many: int) -> int:
    """One past the last square that [begin, end) reaches."""
    return min(max(int(np.ceil(end)), int(np.floor(begin)) + 1, 0), many)


@njit(nogil=True, cache=True, inline="always")
def _share(begin: float, end: float, square: int) -> float:
    """Share of [begin, end) that lies in a square; all of a point lies in the one that holds it."""
    if end <= begin:
        return 1.0 if np.floor(begin) == square else 0.0
    return max(0.0, min(end, square + 1.0) - max(begin, float(square))) / (end - begin)


@njit(nogil=True, cache=True)
def _add_hours(wall: float, length: float, mass: float, hours: FloatArray) -> None:
    """Mass of [wall, wall + length), wall-clock minutes, on the 24 hours of the day."""
    at = wall % _DAY
    if length <= 0.0:
        hours[int(at / _HOUR) % 24] += mass
        return
    days = np.floor(length / _DAY)
    for hour in range(24):
        hours[hour] += mass * days * _HOUR / length
    left = length - days * _DAY
    hour = int(at / _HOUR)
    while left > 0.0:
        until = min((hour + 1) * _HOUR - at, left)
        hours[hour % 24] += mass * until / length
        at, left, hour = (hour + 1) * _HOUR, left - until, hour + 1


@njit(nogil=True, cache=True)
def occupy(
    place: IntArray, wall: FloatArray, length: FloatArray, mass: FloatArray,
    left: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray,
    columns: int, rows: int, out: FloatArray,
) -> None:  # fmt: skip
    """Add the samples' mass to ``out[square, hour]``; what is off the grid goes to its last row.

    Samples come sorted by ``place``, so that the hours of one place are gathered before they are
    spread over its squares: the work is linear in samples, and in squares of distinct places.
    """
    i = 0
    while i < len(place):
        p = place[i]
        hours = np.zeros(24)
        while i < len(place) and place[i] == p:
            _add_hours(wall[i], length[i], mass[i], hours)
            i += 1
        on_grid = 0.0
        for column in range(_first(left[p], columns), _last(right[p], left[p], columns)):
            across = _share(left[p], right[p], column)
            for row in range(_first(low[p], rows), _last(high[p], low[p], rows)):
                share = across * _share(low[p], high[p], row)
                on_grid += share
                for hour in range(24):
                    if hours[hour] > 0.0:
                        out[column * rows + row, hour] += share * hours[hour]
        inside = left[p] >= 0 and low[p] >= 0 and right[p] <= columns and high[p] <= rows
        if not inside:
            for hour in range(24):
                out[columns * rows, hour] += max(0.0, 1.0 - on_grid) * hours[hour]


@njit(nogil=True, cache=True)
def spread_trips(
    origin: IntArray, goal: IntArray,
    left: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray,
    columns: int, rows: int, most: int, source: IntArray, target: IntArray,
) -> int:  # fmt: skip
    """Pairs of squares that trips between places spread over; returns how many there are.

    Fills both arrays up to their length; counting goes on, but stops beyond ``most``.
    """
    many = 0
    for n in range(len(origin)):
        a, b = origin[n], goal[n]
        for ca in range(_first(left[a], columns), _last(right[a], left[a], columns)):
            for ra in range(_first(low[a], rows), _last(high[a], low[a], rows)):
                from_a = _share(left[a], right[a], ca) * _share(low[a], high[a], ra)
                if from_a <= 0.0:
                    continue
                for cb in range(_first(left[b], columns), _last(right[b], left[b], columns)):
                    for rb in range(_first(low[b], rows), _last(high[b], low[b], rows)):
                        share = from_a * _share(left[b], right[b], cb)
                        share *= _share(low[b], high[b], rb)
                        if share <= 0.0 or (ca == cb and ra == rb):
                            continue
                        if many < len(source):
                            source[many] = ca * rows + ra
                            target[many] = cb * rows + rb
                        many += 1
                        if many > most:
                            return many
    return many


@njit(nogil=True, cache=True)
def match_trips(
    origin: IntArray, goal: IntArray, mass: FloatArray,
    left: FloatArray, right: FloatArray, low: FloatArray, high: FloatArray,
    columns: int, rows: int, starts: IntArray, target: IntArray, out: FloatArray,
) -> float:  # fmt: skip
    """Spread trips over those pairs of squares that the original has, and return how many in all.

    The pairs of origin i are ``target[starts[i]:starts[i+1]]``; ``out`` gets their trips. Only
    these matter to a common part, so nothing of the size squares × squares is ever needed. Trips
    from a square to itself are none.
    """
    total = 0.0
    for n in range(len(origin)):
        a, b = origin[n], goal[n]
        for ca in range(_first(left[a], columns), _last(right[a], left[a], columns)):
            for ra in range(_first(low[a], rows), _last(high[a], low[a], rows)):
                i = ca * rows + ra
                if starts[i] == starts[i + 1]:
                    continue
                from_a = _share(left[a], right[a], ca) * _share(low[a], high[a], ra) * mass[n]
                for at in range(starts[i], starts[i + 1]):
                    cb, rb = target[at] // rows, target[at] % rows
                    out[at] += from_a * _share(left[b], right[b], cb) * _share(low[b], high[b], rb)
        total += mass[n] * (
            1.0
            - _same(left[a], right[a], left[b], right[b]) * _same(low[a], high[a], low[b], high[b])
        )
    return total


@njit(nogil=True, cache=True)
def _same(begin_a: float, end_a: float, begin_b: float, end_b: float) -> float:
    """Probability that a point of one stretch and one of another are in the same square."""
    first = int(np.floor(max(begin_a, begin_b)))
    last = max(int(np.ceil(min(end_a, end_b))), first + 1)
    both = 0.0
    for square in range(first, last):
        both += _share(begin_a, end_a, square) * _share(begin_b, end_b, square)
    return both
