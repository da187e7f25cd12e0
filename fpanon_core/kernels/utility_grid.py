"""Cells laid over analysis areas: the share of each cell in each area and hour.

A sample shows that a person was in its cell, but not where in that cell. So the sample's mass is
spread over the areas in proportion to their overlap with the cell, and over the hours in proportion
to time.

Only areas that the original data use are stored, in ascending order; of mass elsewhere, only the
total matters. So memory grows with the areas used, not with the distance that a few people travel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray
from .bisection import first_from

_DAY, _HOUR = 1440.0, 60.0
_ROOM = 1 << 20  # shares of places kept: 16 MB
_STEPS = 4  # a search in a list takes about as long as this many of its entries


class Laid(NamedTuple):
    """Places laid over areas: by squares of a grid, or by shares computed before.

    On a grid, ``keys`` are the used squares, ascending: ``column · rows + row``. The places' sides
    are in units of squares, and square (0, 0) begins at (``x``, ``y``). For other areas, place p
    has the shares ``share[starts[p]:starts[p+1]]`` in ``area``; the number of areas is the length
    of ``keys``.
    """

    keys: IntArray
    rows: int
    x: float
    y: float
    left: FloatArray
    right: FloatArray
    low: FloatArray
    high: FloatArray
    starts: IntArray
    area: IntArray
    share: FloatArray


@njit(nogil=True, cache=True, inline="always")
def _snapped(value: float) -> float:
    """Return the value, rounded if within 1e-9 of a square's edge."""
    near = np.rint(value)
    return near if abs(value - near) < 1e-9 else value


@njit(nogil=True, cache=True)
def _sides(laid: Laid, p: int) -> tuple[float, float, float, float]:
    """Return the left, right, lower and upper sides of a place, in squares from square (0, 0)."""
    return (
        _snapped(laid.left[p] - laid.x),
        _snapped(laid.right[p] - laid.x),
        _snapped(laid.low[p] - laid.y),
        _snapped(laid.high[p] - laid.y),
    )


@njit(nogil=True, cache=True, inline="always")
def _end(end: float, begin: float) -> int:
    """Return 1 + the number of the last square that [begin, end) reaches."""
    return max(int(np.ceil(end)), int(np.floor(begin)) + 1)


@njit(nogil=True, cache=True, inline="always")
def _share(begin: float, end: float, square: int) -> float:
    """Return the share of [begin, end) in a square; a point is in the square that holds it."""
    if end <= begin:
        return 1.0 if np.floor(begin) == square else 0.0
    return max(0.0, min(end, square + 1.0) - max(begin, float(square))) / (end - begin)


@njit(nogil=True, cache=True)
def _lay(laid: Laid, p: int, area: IntArray, share: FloatArray) -> tuple[int, float]:
    """Fill in the used areas of place p and its share in each; return their number and the rest.

    The rest is the share in no used area: exactly 0 if the place meets no other area.
    """
    many, inside = 0, 0.0
    if len(laid.starts) > 0:
        for at in range(laid.starts[p], laid.starts[p + 1]):
            area[many], share[many] = laid.area[at], laid.share[at]
            inside += laid.share[at]
            many += 1
        return many, 1.0 - inside if inside < 1.0 - 1e-9 else 0.0
    left, right, low, high = _sides(laid, p)
    rows = laid.rows
    first, last = int(np.floor(left)), _end(right, left)
    bottom, top = int(np.floor(low)), _end(high, low)
    squares = float(last - first) * float(top - bottom)
    bottom, top = max(bottom, 0), min(top, rows)
    if bottom < top:
        at = first_from(laid.keys, max(first, 0) * rows + bottom, 0, len(laid.keys))
        while at < len(laid.keys):
            column, row = laid.keys[at] // rows, laid.keys[at] % rows
            if column >= last:
                break
            if row < bottom:
                at = first_from(laid.keys, column * rows + bottom, at, len(laid.keys))
            elif row >= top:
                at = first_from(laid.keys, (column + 1) * rows + bottom, at, len(laid.keys))
            else:
                area[many] = at
                share[many] = _share(left, right, column) * _share(low, high, row)
                inside += share[many]
                many += 1
                at += 1
    return many, 0.0 if many == squares else max(0.0, 1.0 - inside)


@njit(nogil=True, cache=True)
def _add_hours(wall: float, length: float, mass: float, hours: FloatArray) -> None:
    """Spread the mass of [wall, wall + length), wall-clock minutes, over the 24 hours."""
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
def hours_of(
    place: IntArray,
    wall: FloatArray,
    length: FloatArray,
    mass: FloatArray,
    first: int,
    out: FloatArray,
) -> None:
    """Add each sample's mass to ``out[place - first, hour]``, spread evenly over its time."""
    for i in range(len(place)):
        _add_hours(wall[i], length[i], mass[i], out[place[i] - first])


@njit(nogil=True, cache=True)
def used_squares(laid: Laid, column: IntArray, row: IntArray) -> int:
    """Return the number of squares that each place meets, summed over the places.

    The squares are written to ``column`` and ``row``, unless these have length 0.
    """
    many = 0
    for p in range(len(laid.left)):
        left, right, low, high = _sides(laid, p)
        first, last = int(np.floor(left)), _end(right, left)
        bottom, top = int(np.floor(low)), _end(high, low)
        if len(column) == 0:
            many += (last - first) * (top - bottom)
            continue
        for c in range(first, last):
            for r in range(bottom, top):
                column[many], row[many] = c, r
                many += 1
    return many


@njit(nogil=True, cache=True)
def occupy(laid: Laid, first: int, hours: FloatArray, out: FloatArray) -> None:
    """Spread ``hours[place - first, hour]`` over ``out[area, hour]``.

    The last row of ``out`` is for the part in no used area.
    """
    areas = len(laid.keys)
    area, share = np.empty(areas, np.int64), np.empty(areas)
    for p in range(len(hours)):
        many, rest = _lay(laid, first + p, area, share)
        for i in range(many):
            for hour in range(24):
                out[area[i], hour] += share[i] * hours[p, hour]
        if rest > 0.0:
            for hour in range(24):
                out[areas, hour] += rest * hours[p, hour]


@njit(nogil=True, cache=True)
def spread_trips(
    origin: IntArray, goal: IntArray, laid: Laid, most: int, source: IntArray, target: IntArray
) -> int:
    """List the pairs of different areas that trips spread over; return their number.

    ``source`` and ``target`` are filled up to their length. Counting continues after that, and
    stops beyond ``most``.
    """
    areas = len(laid.keys)
    here, from_here = np.empty(areas, np.int64), np.empty(areas)
    there, to_there = np.empty(areas, np.int64), np.empty(areas)
    many = 0
    for n in range(len(origin)):
        mine, _ = _lay(laid, origin[n], here, from_here)
        theirs, _ = _lay(laid, goal[n], there, to_there)
        for i in range(mine):
            for j in range(theirs):
                if here[i] == there[j] or from_here[i] * to_there[j] <= 0.0:
                    continue
                if many < len(source):
                    source[many], target[many] = here[i], there[j]
                many += 1
                if many > most:
                    return many
    return many


@njit(nogil=True, cache=True)
def match_trips(
    origin: IntArray,
    goal: IntArray,
    mass: FloatArray,
    laid: Laid,
    starts: IntArray,
    target: IntArray,
    out: FloatArray,
) -> float:
    """Spread trips over the original's pairs of areas; return the total number of trips.

    The pairs of area i are ``target[starts[i]:starts[i+1]]``; ``out`` gets their trips. Only these
    pairs count for the part in common with the original, so no table of areas × areas is needed.
    Trips from an area to itself do not count.
    """
    areas, reached = len(laid.keys), np.zeros(len(laid.keys))
    # Shares of the places laid so far, until there is no room for more.
    places, room = max(len(laid.left), len(laid.starts) - 1), 2 * areas + _ROOM
    first, last = np.full(places, -1, np.int64), np.empty(places, np.int64)
    rest, area, part = np.empty(places), np.empty(room, np.int64), np.empty(room)
    total, used = 0.0, 0
    for n in range(len(origin)):
        a, b = origin[n], goal[n]
        if used + 2 * areas > room:
            first[:] = -1
            used = 0
        for p in (a, b):
            if first[p] < 0:
                many, rest[p] = _lay(laid, p, area[used:], part[used:])
                first[p], last[p] = used, used + many
                used += many
        for j in range(first[b], last[b]):
            reached[area[j]] = part[j]
        within = 0.0
        for i in range(first[a], last[a]):
            within += part[i] * reached[area[i]]
            share = part[i] * mass[n]
            begin, end = starts[area[i]], starts[area[i] + 1]
            if (last[b] - first[b]) * _STEPS > end - begin:
                for at in range(begin, end):
                    out[at] += share * reached[target[at]]
                continue
            for j in range(first[b], last[b]):
                at = first_from(target, area[j], begin, end)
                if at < end and target[at] == area[j]:
                    out[at] += share * part[j]
        for j in range(first[b], last[b]):
            reached[area[j]] = 0.0
        if len(laid.starts) > 0:  # everything elsewhere is one area
            within += rest[a] * rest[b]
        elif rest[a] > 0.0 and rest[b] > 0.0:
            within = _same_square(laid, a, b)
        total += mass[n] * (1.0 - within)
    return total


@njit(nogil=True, cache=True)
def _same_square(laid: Laid, a: int, b: int) -> float:
    """Return the probability that random points of two places are in the same square."""
    left_a, right_a, low_a, high_a = _sides(laid, a)
    left_b, right_b, low_b, high_b = _sides(laid, b)
    return _same(left_a, right_a, left_b, right_b) * _same(low_a, high_a, low_b, high_b)


@njit(nogil=True, cache=True)
def _same(begin_a: float, end_a: float, begin_b: float, end_b: float) -> float:
    """Return the probability that random points of two intervals on an axis share a square."""
    first = int(np.floor(max(begin_a, begin_b)))
    last = max(int(np.ceil(min(end_a, end_b))), first + 1)
    both = 0.0
    for square in range(first, last):
        both += _share(begin_a, end_a, square) * _share(begin_b, end_b, square)
    return both
