"""Where would somebody who has a record say that its person lives, or was at a moment?

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallInts

_ROUNDS = 60
_NEAR_M = 0.01  # a guess that moves by less stands
_LESSER = 1e-6  # of the night's masses, what those of all day count in a tie


@njit(nogil=True, cache=True)
def _covered(at: float, half: float, begin: float, length: float) -> float:
    """Share of ``[begin, begin + length)`` within ``half`` of ``at``."""
    inside = min(at + half, begin + length) - max(at - half, begin)
    return max(0.0, inside) / length


@njit(nogil=True, cache=True)
def guess_homes(
    begin: int, end: int, offsets: IntArray, x: FloatArray, y: FloatArray, dx: FloatArray,
    dy: FloatArray, night: FloatArray, half: float, averaged: bool, out: FloatArray,
) -> None:  # fmt: skip
    """Where the records ``begin … end − 1`` are most at night: x, y into ``out[record]``.

    And the share of the record's mass that is there.

    Of the middles of a record's cells, the one with the most of ``night``, each cell's mass spread
    evenly, within ``half`` of it in x and in y; ties: the most of all the record's samples, then
    the first. ``averaged``: then the mean of the masses there. A record without any mass at night
    is taken with all its samples alike.
    """
    for r in range(begin, end):
        low, high = offsets[r], offsets[r + 1]
        any_night = night[low:high].sum() > 0
        most, best, everything = -1.0, low, 0.0
        for c in range(low, high):
            if any_night and night[c] == 0.0:
                continue
            px, py = x[c] + dx[c] / 2, y[c] + dy[c] / 2
            total, everything = 0.0, 0.0
            for s in range(low, high):
                mass = (night[s] if any_night else 1.0) + _LESSER
                total += mass * _covered(px, half, x[s], dx[s]) * _covered(py, half, y[s], dy[s])
                everything += mass
            if total > most * (1 + 1e-12):
                most, best = total, c
        px, py = x[best] + dx[best] / 2, y[best] + dy[best] / 2
        if averaged:
            sum_x, sum_y, total = 0.0, 0.0, 0.0
            for s in range(low, high):
                mass = night[s] if any_night else 1.0
                mass *= _covered(px, half, x[s], dx[s]) * _covered(py, half, y[s], dy[s])
                sum_x += mass * (x[s] + dx[s] / 2)
                sum_y += mass * (y[s] + dy[s] / 2)
                total += mass
            if total > 0:
                px, py = sum_x / total, sum_y / total
        out[r, 0], out[r, 1], out[r, 2] = px, py, most / everything


@njit(nogil=True, cache=True)
def median_place(x: FloatArray, y: FloatArray, mass: FloatArray) -> tuple[float, float]:
    """The point from which masses are least far on average: Weiszfeld's steps from their mean."""
    total = mass.sum()
    at_x, at_y = (x * mass).sum() / total, (y * mass).sum() / total
    for _ in range(_ROUNDS):
        sum_x, sum_y, pull = 0.0, 0.0, 0.0
        for i in range(len(x)):
            if mass[i] == 0.0:
                continue
            weight = mass[i] / max(math.hypot(x[i] - at_x, y[i] - at_y), 1.0)
            sum_x += weight * x[i]
            sum_y += weight * y[i]
            pull += weight
        moved = math.hypot(sum_x / pull - at_x, sum_y / pull - at_y)
        at_x, at_y = sum_x / pull, sum_y / pull
        if moved < _NEAR_M:
            break
    return at_x, at_y


@njit(nogil=True, cache=True)
def guess_places(
    begin: int, end: int, t: FloatArray, record: SmallInts, share: FloatArray, count: IntArray,
    rest: FloatArray, offsets: IntArray, x: FloatArray, y: FloatArray, start: FloatArray,
    length: FloatArray, base_x: float, base_y: float, out: FloatArray,
) -> None:  # fmt: skip
    """The best guess of where each target was at the moment ``t``, into ``out[target]``.

    A record says the middles ``x``, ``y`` of its cells that hold the moment, one as likely as the
    other, or else of the one nearest in time. ``base`` is where whoever knows no record puts
    everybody.
    """
    for i in range(begin, end):
        room = 1
        for c in range(count[i]):
            room += offsets[record[i, c] + 1] - offsets[record[i, c]]
        at_x, at_y, mass = np.empty(room), np.empty(room), np.empty(room)
        at_x[0], at_y[0], mass[0] = base_x, base_y, rest[i]
        many = 1
        for c in range(count[i]):
            r = record[i, c]
            first, nearest, gap = many, offsets[r], math.inf
            for s in range(offsets[r], offsets[r + 1]):
                apart = max(start[s] - t[i], t[i] - start[s] - length[s], 0.0)
                if start[s] <= t[i] < start[s] + length[s]:
                    at_x[many], at_y[many] = x[s], y[s]
                    many += 1
                elif apart < gap:
                    nearest, gap = s, apart
            if many == first:
                at_x[many], at_y[many] = x[nearest], y[nearest]
                many += 1
            mass[first:many] = share[i, c] / (many - first)
        out[i, 0], out[i, 1] = median_place(at_x[:many], at_y[:many], mass[:many])
