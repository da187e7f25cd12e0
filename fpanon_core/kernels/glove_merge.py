"""Merging of two fingerprints, and reshaping of cells so that no two overlap in time.

Cells are rows of an array (cells, 6): x, y, t and then the extents dx, dy, dt, in order of time.
The code uses plain double loops: a merge handles one pair only, and there are fewer merges than
users.

Source: docs/science.md, “Hiding everyone: GLOVE”.

The module also finds the published samples that hold each original sample, and measures them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray
from .stretch import ROUND, Scale, stretch_1d

# Starts and ends that differ by less are one instant: minutes that are not multiples of a power of
# two do not add up exactly, and slivers of 1e-13 minutes would be published.
SAME_MIN = 1e-9


@njit(nogil=True, cache=True)
def merge_cells(a: FloatArray, b: FloatArray, na: float, nb: float, scale: Scale) -> FloatArray:
    """Return the merged fingerprint of a and b, which represent na and nb users.

    Fingerprint a is not shorter than b. If both are equally long, a has the smaller index.
    """
    low, high = b[:, :3].copy(), b[:, :3] + b[:, 3:]
    joined = np.zeros(len(b), np.bool_)
    for i in range(len(a)):
        j = _nearest(a[i], b, na, nb, scale)
        joined[j] = True
        _widen(low, high, j, a[i])
    merged = in_order(_cells_between(low[joined], high[joined]))
    if len(merged) < len(b):
        low, high = merged[:, :3].copy(), merged[:, :3] + merged[:, 3:]
        for left in np.flatnonzero(~joined):
            # Efforts are to the cells as step 1 left them: ``merged`` is not changed here.
            _widen(low, high, _nearest(b[left], merged, nb, na + nb, scale), b[left])
        merged = _cells_between(low, high)
    return reshape(merged)


@njit(nogil=True, cache=True)
def _nearest(cell: FloatArray, others: FloatArray, na: float, nb: float, scale: Scale) -> int:
    """Return the row of ``others`` with the smallest δ to the cell; of equals, the first."""
    wa = na / (na + nb)
    wb = 1.0 - wa
    best = np.inf
    at = 0
    for j in range(len(others)):
        wait = stretch_1d(cell[2], cell[5], others[j, 2], others[j, 5], wa, wb)
        effort = scale.w_time * min(wait / scale.max_time, 1.0)
        if effort > best:
            continue
        span = stretch_1d(cell[0], cell[3], others[j, 0], others[j, 3], wa, wb)
        span += stretch_1d(cell[1], cell[4], others[j, 1], others[j, 4], wa, wb)
        effort += scale.w_space * min(span / scale.max_space, 1.0)
        effort = np.rint(effort * ROUND) / ROUND
        if effort < best:
            best = effort
            at = j
    return at


@njit(nogil=True, cache=True)
def _widen(low: FloatArray, high: FloatArray, at: int, cell: FloatArray) -> None:
    for axis in range(3):
        low[at, axis] = min(low[at, axis], cell[axis])
        high[at, axis] = max(high[at, axis], cell[axis] + cell[axis + 3])


@njit(nogil=True, cache=True)
def _cells_between(low: FloatArray, high: FloatArray) -> FloatArray:
    cells = np.empty((len(low), 6))
    cells[:, :3] = low
    cells[:, 3:] = high - low
    return cells


@njit(nogil=True, cache=True)
def in_order(cells: FloatArray) -> FloatArray:
    """Return the cells sorted by start, then x, then y, then extents."""
    out = cells[np.argsort(cells[:, 2], kind="mergesort")]
    if (out[1:, 2] == out[:-1, 2]).any():
        for key in (4, 3, 5, 1, 0, 2):  # the last sort decides first
            out = out[np.argsort(out[:, key], kind="mergesort")]
    return out


@njit(nogil=True, cache=True)
def reshape(cells: FloatArray) -> FloatArray:
    """Return the cells, cut in time wherever some overlap, so that no two overlap.

    Each piece is the bounding rectangle of the cells that cover it; pieces with equal rectangles
    that touch in time are joined. All cells count as pieces, cut or not.
    """
    n = len(cells)
    cuts = np.empty(2 * n)
    cuts[:n] = cells[:, 2]
    cuts[n:] = cells[:, 2] + cells[:, 5]
    cuts.sort()
    last = 0
    for i in range(1, 2 * n):
        if cuts[i] > cuts[last] + SAME_MIN:
            last += 1
            cuts[last] = cuts[i]
    order = np.argsort(cells[:, 2], kind="mergesort")
    out = np.empty((last, 6))
    count = 0
    active = np.empty(n, np.int64)  # cells that cover the piece at hand, and perhaps the next
    n_active = 0
    upcoming = 0
    for piece in range(last):
        begin, end = cuts[piece], cuts[piece + 1]
        while upcoming < n and cells[order[upcoming], 2] <= begin + SAME_MIN:
            active[n_active] = order[upcoming]
            n_active += 1
            upcoming += 1
        still = 0
        x0, y0, x1, y1 = np.inf, np.inf, -np.inf, -np.inf
        for p in range(n_active):
            c = active[p]
            if cells[c, 2] + cells[c, 5] <= begin + SAME_MIN:
                continue
            active[still] = c
            still += 1
            x0, x1 = min(x0, cells[c, 0]), max(x1, cells[c, 0] + cells[c, 3])
            y0, y1 = min(y0, cells[c, 1]), max(y1, cells[c, 1] + cells[c, 4])
        n_active = still
        if n_active == 0:
            continue
        if count > 0:
            before = out[count - 1]
            same = before[0] == x0 and before[3] == x1 - x0
            same = same and before[1] == y0 and before[4] == y1 - y0
            if same and abs(before[2] + before[5] - begin) <= SAME_MIN:
                before[5] = end - before[2]
                continue
        out[count, 0], out[count, 1], out[count, 2] = x0, y0, begin
        out[count, 3], out[count, 4], out[count, 5] = x1 - x0, y1 - y0, end - begin
        count += 1
    return out[:count].copy()


class Times(NamedTuple):
    """Starts and durations (minutes); user or group u has the rows ``offsets[u]:offsets[u+1]``."""

    offsets: IntArray
    t: FloatArray
    dt: FloatArray


@njit(nogil=True, cache=True)
def spans_of_holders(
    samples: Times, gone: BoolArray, group: IntArray, cells: Times, span: FloatArray
) -> tuple[FloatArray, FloatArray, int]:
    """Return the published side (m) and time span (minutes) of each original sample, and a count.

    Several published samples may hold one original sample. The side is then the largest of their
    sides (``span``), and the time span the sum of their durations. Both are NaN for an original
    sample that is left out, or whose user has no group.

    The function counts the pairs of a user and a published sample that holds an original sample of
    the user.
    """
    offsets, t, dt = samples.offsets, samples.t, samples.dt
    cell_offsets, cell_t, cell_dt = cells.offsets, cells.t, cells.dt
    space, time = np.empty(len(t)), np.empty(len(t))
    pairs = 0
    stamp = np.full(len(cell_t), -1, np.int64)
    for u in range(len(group)):
        g = group[u]
        for s in range(offsets[u], offsets[u + 1]):
            space[s] = np.nan
            time[s] = np.nan
            if gone[s] or g < 0:
                continue
            c0, c1 = cell_offsets[g], cell_offsets[g + 1]
            # The first cell that ends after the sample starts; cells follow one another in time.
            low, high = c0, c1
            middle = t[s] + min(dt[s], 1.0) * 1e-6
            while low < high:
                half = (low + high) // 2
                if cell_t[half] + cell_dt[half] <= middle:
                    low = half + 1
                else:
                    high = half
            widest, longest = 0.0, 0.0
            end = t[s] + dt[s] - min(dt[s], 1.0) * 1e-6
            for c in range(low, c1):
                if cell_t[c] >= end:
                    break
                widest = max(widest, span[c])
                longest += cell_dt[c]
                if stamp[c] != u:
                    stamp[c] = u
                    pairs += 1
            space[s] = widest
            time[s] = longest
    return space, time, pairs
