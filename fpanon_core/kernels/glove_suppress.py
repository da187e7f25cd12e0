"""Which samples a group leaves out so that its cells keep the thresholds.

Cells and samples are rows of x, y, t, dx, dy, dt. Thresholds that are not set are infinite.

Source: docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model.arrays import Codes, FloatArray, IntArray

SPACE, TIME = 1, 2  # added up where both thresholds would be exceeded


@njit(nogil=True, cache=True)
def suppress_group(
    cells: FloatArray, samples: FloatArray, rows: IntArray, max_space: float, max_time: float
) -> tuple[FloatArray, Codes]:
    """A group's cells within the thresholds; of each sample 0, or what leaves it out.

    ``cells`` are in order of time and do not overlap; ``samples`` are the members', in order of
    start; ``rows`` are their row numbers, which decide where start, x and y are equal.
    """
    out = np.empty_like(cells)
    count = 0
    code = np.zeros(len(samples), np.int8)
    longest = 0.0
    for s in range(len(samples)):
        longest = max(longest, samples[s, 5])
    held = np.empty(len(samples), np.int64)
    low = np.empty((len(samples), 3))
    high = np.empty((len(samples), 3))
    kept = np.empty(len(samples), np.bool_)
    begin = 0
    for c in range(len(cells)):
        cell = cells[c]
        if not _code(cell[:3], cell[:3] + cell[3:], max_space, max_time):
            out[count] = cell
            count += 1
            continue
        start, end = cell[2], cell[2] + cell[5]
        # Samples that start earlier than the longest lasts before the cell cannot reach it.
        while begin < len(samples) and samples[begin, 2] + longest <= start:
            begin += 1
        n = 0
        for s in range(begin, len(samples)):
            if samples[s, 2] >= end:
                break
            if code[s] == 0 and samples[s, 2] + samples[s, 5] > start:
                held[n] = s
                low[n] = samples[s, :3]
                high[n] = samples[s, :3] + samples[s, 3:]
                low[n, 2], high[n, 2] = max(low[n, 2], start), min(high[n, 2], end)
                n += 1
        if n == 0:
            continue
        _order(held, low, high, rows, n)
        box_low, box_high, any_kept = _largest(low[:n], high[:n], kept[:n], max_space, max_time)
        for i in range(n):
            if not kept[i]:
                both_low, both_high = low[i].copy(), high[i].copy()
                if any_kept:
                    both_low = np.minimum(box_low, both_low)
                    both_high = np.maximum(box_high, both_high)
                code[held[i]] = _code(both_low, both_high, max_space, max_time)
        if any_kept:
            out[count, :3] = box_low
            out[count, 3:] = box_high - box_low
            count += 1
    return out[:count].copy(), code


@njit(nogil=True, cache=True)
def _order(held: IntArray, low: FloatArray, high: FloatArray, rows: IntArray, n: int) -> None:
    """By start, as cut to the cell, then x, y and row number; nearly in order already."""
    for i in range(1, n):
        at = i
        while at > 0 and _before(low[at], rows[held[at]], low[at - 1], rows[held[at - 1]]):
            held[at], held[at - 1] = held[at - 1], held[at]
            for axis in range(3):
                low[at, axis], low[at - 1, axis] = low[at - 1, axis], low[at, axis]
                high[at, axis], high[at - 1, axis] = high[at - 1, axis], high[at, axis]
            at -= 1


@njit(nogil=True, cache=True)
def _before(a: FloatArray, row_a: int, b: FloatArray, row_b: int) -> bool:
    for axis in (2, 0, 1):
        if a[axis] != b[axis]:
            return a[axis] < b[axis]
    return row_a < row_b


@njit(nogil=True, cache=True)
def _code(low: FloatArray, high: FloatArray, max_space: float, max_time: float) -> int:
    """Which thresholds a box exceeds."""
    code = 0
    if ((high[0] - low[0]) + (high[1] - low[1])) / 2.0 > max_space:
        code += SPACE
    if high[2] - low[2] > max_time:
        code += TIME
    return code


@njit(nogil=True, cache=True)
def _bounds(
    low: FloatArray, high: FloatArray, kept: npt.NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    box_low, box_high = np.full(3, np.inf), np.full(3, -np.inf)
    for i in range(len(low)):
        if kept[i]:
            box_low, box_high = np.minimum(box_low, low[i]), np.maximum(box_high, high[i])
    return box_low, box_high


@njit(nogil=True, cache=True)
def _largest(
    low: FloatArray, high: FloatArray, kept: npt.NDArray[np.bool_], max_space: float,
    max_time: float,
) -> tuple[FloatArray, FloatArray, bool]:  # fmt: skip
    """Set ``kept``: samples whose box keeps the thresholds, to which none can be added.

    Samples too large by themselves go first. Then, of the box of the rest, those at one face, the
    face that comes down most, in shares of the threshold, for each sample lost; again, until the
    box fits: at the latest when it is that of a single sample, or of several in the same place.
    Then those that went are tried once more, earliest first. Every step takes samples away for
    good or adds one for good: it ends.
    """
    remaining = 0
    for i in range(len(low)):
        kept[i] = not _code(low[i], high[i], max_space, max_time)
        remaining += kept[i]
    while remaining:
        box_low, box_high = _bounds(low, high, kept)
        code = _code(box_low, box_high, max_space, max_time)
        if not code:
            break
        best = -1.0
        best_axis, best_top = -1, False
        for axis in range(3):
            if not code & (TIME if axis == 2 else SPACE):
                continue
            unit = max_time if axis == 2 else 2.0 * max_space
            for top in (False, True):
                face = box_high[axis] if top else box_low[axis]
                at_face = 0
                next_face = -np.inf if top else np.inf
                for i in range(len(low)):
                    if kept[i]:
                        value = high[i, axis] if top else low[i, axis]
                        if value == face:
                            at_face += 1
                        elif top:
                            next_face = max(next_face, value)
                        else:
                            next_face = min(next_face, value)
                if at_face == remaining:
                    continue
                gain = abs(next_face - face) / unit / at_face
                if gain > best:
                    best, best_axis, best_top = gain, axis, top
        for i in range(len(low)):
            if kept[i]:
                value = high[i, best_axis] if best_top else low[i, best_axis]
                if value == (box_high[best_axis] if best_top else box_low[best_axis]):
                    kept[i] = False
                    remaining -= 1
    box_low, box_high = _bounds(low, high, kept)
    if remaining:
        for i in range(len(low)):
            if not kept[i]:
                wider_low, wider_high = np.minimum(box_low, low[i]), np.maximum(box_high, high[i])
                if not _code(wider_low, wider_high, max_space, max_time):
                    kept[i] = True
                    box_low, box_high = wider_low, wider_high
    return box_low, box_high, remaining > 0
