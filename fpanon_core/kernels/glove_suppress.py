"""Choice of samples to leave out, so that each cell keeps to limits and holds samples of k users.

Cells and samples are rows of x, y, t, dx, dy, dt. Limits that are not set are infinite. For a cell
beyond a limit, :func:`largest_part` finds the largest part within the limits. The result is exact
unless the search takes too many steps.

Source: docs/science.md, “Hiding everyone: GLOVE”.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, Codes, FloatArray, IntArray

SPACE, TIME = 1, 2  # added up if both limits would be exceeded
FEW = 5  # the cell, or its part within the limits, holds samples of fewer than k users
MOST_STEPS = 100_000_000  # of the search in one cell, about a fifth of a second


class Limits(NamedTuple):
    """Largest side (m) and span (minutes) of a published cell, and its least number of users."""

    space: float
    time: float
    k: float
    steps: int  # of the search in one cell


class Held(NamedTuple):
    """Samples in order of start (corners and member), and how many users each member represents."""

    low: FloatArray
    high: FloatArray
    owner: IntArray
    weight: FloatArray


@njit(nogil=True, cache=True)
def suppress_group(
    cells: FloatArray, samples: FloatArray, owner: IntArray, weight: FloatArray, limits: Limits
) -> tuple[FloatArray, Codes]:
    """Return cells within the limits, each with samples of k or more users, and a code per sample.

    ``cells`` are in order of time and do not overlap. ``samples`` are the members' samples in order
    of start, ``owner`` is the member of each, and ``weight`` the number of users that a member
    represents. The code is 0, or states why the sample is left out.
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
    seen = np.full(len(weight), -1, np.int64)
    begin = 0
    cut = False
    for c in range(len(cells)):
        cell = cells[c]
        start, end = cell[2], cell[2] + cell[5]
        # A sample that starts the longest duration or more before the cell cannot reach it.
        while begin < len(samples) and samples[begin, 2] + longest <= start:
            begin += 1
        n = 0
        users = 0.0
        for s in range(begin, len(samples)):
            if samples[s, 2] >= end:
                break
            if code[s] != 0 or samples[s, 2] + samples[s, 5] <= start:
                continue
            held[n] = s
            low[n] = samples[s, :3]
            high[n] = samples[s, :3] + samples[s, 3:]
            cut = cut or low[n, 2] < start or high[n, 2] > end
            low[n, 2], high[n, 2] = max(low[n, 2], start), min(high[n, 2], end)
            n += 1
            if seen[owner[s]] != c:
                seen[owner[s]] = c
                users += weight[owner[s]]
        if users >= limits.k and not exceeded(cell[:3], cell[:3] + cell[3:], limits):
            out[count] = cell
            count += 1
            continue
        inside = Held(low[:n], high[:n], owner[held[:n]], weight)
        if users < limits.k or not largest_part(inside, limits, kept[:n]):
            code[held[:n]] = FEW
            continue
        box_low, box_high = bounds_of(low[:n], high[:n], kept[:n])
        for i in range(n):
            if not kept[i]:
                code[held[i]] = exceeded(
                    np.minimum(box_low, low[i]), np.maximum(box_high, high[i]), limits
                )
        out[count, :3] = box_low
        out[count, 3:] = box_high - box_low
        count += 1
    # A sample that reaches across several cells and was left out in one is missing in all.
    while cut:
        before, count = count, _without_few(out[:count], samples, owner, weight, limits.k, code)
        cut = count < before
    return out[:count].copy(), code


@njit(nogil=True, cache=True)
def _without_few(
    cells: FloatArray,
    samples: FloatArray,
    owner: IntArray,
    weight: FloatArray,
    k: float,
    code: Codes,
) -> int:
    """Remove the cells in which fewer than k users have a sample left; return how many stay."""
    stay = 0
    seen = np.full(len(weight), -1, np.int64)
    for c in range(len(cells)):
        start, end = cells[c, 2], cells[c, 2] + cells[c, 5]
        inside = (samples[:, 2] < end) & (samples[:, 2] + samples[:, 5] > start) & (code == 0)
        users = 0.0
        for s in np.flatnonzero(inside):
            if seen[owner[s]] != c:
                seen[owner[s]] = c
                users += weight[owner[s]]
        if users >= k:
            cells[stay] = cells[c]
            stay += 1
        else:
            code[inside] = FEW
    return stay


@njit(nogil=True, cache=True)
def exceeded(low: FloatArray, high: FloatArray, limits: Limits) -> int:
    """Return the code of the limits that a box exceeds; 0 if there are none."""
    code = 0
    if ((high[0] - low[0]) + (high[1] - low[1])) / 2.0 > limits.space:
        code += SPACE
    if high[2] - low[2] > limits.time:
        code += TIME
    return code


@njit(nogil=True, cache=True)
def bounds_of(low: FloatArray, high: FloatArray, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper corners of the box around the kept samples."""
    box_low, box_high = np.full(3, np.inf), np.full(3, -np.inf)
    for i in range(len(low)):
        if kept[i]:
            box_low, box_high = np.minimum(box_low, low[i]), np.maximum(box_high, high[i])
    return box_low, box_high


@njit(nogil=True, cache=True)
def largest_part(held: Held, limits: Limits, kept: BoolArray) -> bool:
    """Mark in ``kept`` as many samples, of k or more users, as fit into a box within the limits.

    Among boxes with equally many samples, the one that begins first is taken. Further ties are
    decided by the smallest lower x, lower y, upper t, upper x and upper y, in this order. The
    function returns False if there is no such box. Samples are in order of start.

    One of the best boxes begins at the start of a sample. Its west edge is a sample's west edge,
    and the same holds for east and south. All such boxes are tried, except those with too few
    samples to be better. After ``limits.steps`` steps the best box so far is taken, and extended.
    """
    low, high, max_time = held.low, held.high, limits.time
    n = len(low)
    kept[:] = False
    alone = np.empty(n, np.bool_)
    for i in range(n):
        alone[i] = not exceeded(low[i], high[i], limits)
    sizes = _windows(low, high, alone, max_time)
    best = np.full(7, np.inf)  # best box: lower t, x, y, then upper; last, its number of samples
    best[6] = 0.0
    steps = 0
    inside = np.empty(n, np.int64)
    for w in np.argsort(-sizes, kind="mergesort"):
        if sizes[w] == 0 or sizes[w] < best[6] or steps > limits.steps:
            break
        m = 0
        t0 = low[w, 2]
        for i in range(w, n):
            if low[i, 2] - t0 > max_time:
                break
            if alone[i] and high[i, 2] - t0 <= max_time:
                inside[m] = i
                m += 1
        steps = _in_window(held, limits, inside[:m], best, steps + m)
    if best[6] == 0:
        return False
    for i in range(n):
        kept[i] = alone[i]
        for axis in range(3):
            at = (axis + 1) % 3  # boxes are t, x, y
            if low[i, axis] < best[at] or high[i, axis] > best[3 + at]:
                kept[i] = False
    if steps > limits.steps:
        # Add, earliest first, samples that still fit, so that the box could hold no other sample.
        box_low, box_high = bounds_of(low, high, kept)
        for i in range(n):
            wider_low, wider_high = np.minimum(box_low, low[i]), np.maximum(box_high, high[i])
            if not kept[i] and not exceeded(wider_low, wider_high, limits):
                kept[i] = True
                box_low, box_high = wider_low, wider_high
    return True


@njit(nogil=True, cache=True)
def _windows(low: FloatArray, high: FloatArray, alone: BoolArray, max_time: float) -> IntArray:
    """Return the number of samples wholly in the window that begins with each sample.

    A window is a span of time, as long as the limit allows. Only samples within the limits count.
    The number is 0 if the first sample exceeds a limit, or if earlier windows hold all samples of
    the window.
    """
    n = len(low)
    sizes = np.zeros(n, np.int64)
    latest = -np.inf
    for i in range(n):
        if not alone[i] or (i > 0 and low[i, 2] == low[i - 1, 2] and sizes[i - 1] > 0):
            continue
        new = False
        last = latest
        for j in range(i, n):
            if low[j, 2] - low[i, 2] > max_time:
                break
            if alone[j] and high[j, 2] - low[i, 2] <= max_time:
                sizes[i] += 1
                new = new or high[j, 2] > last
                latest = max(latest, high[j, 2])
        if not new:
            sizes[i] = 0
    return sizes


@njit(nogil=True, cache=True)
def _in_window(held: Held, limits: Limits, inside: IntArray, best: FloatArray, steps: int) -> int:
    """Search the samples of one window for a better box; return the total number of steps."""
    low, high, owner, weight = held.low, held.high, held.owner, held.weight
    max_space, k = limits.space, limits.k
    m = len(inside)
    west, east = low[inside, 0], high[inside, 0]
    south, north = low[inside, 1], high[inside, 1]
    by_south = np.argsort(south, kind="mergesort")
    by_north = np.argsort(north, kind="mergesort")
    easts = np.unique(east)
    wests = np.unique(west)
    chosen = np.empty(m, np.bool_)
    taken = np.zeros(m, np.bool_)
    of_user = np.zeros(len(weight), np.int64)
    everything = ((east.max() - west.min()) + (north.max() - south.min())) / 2.0 <= max_space
    for x0 in wests:
        for x1 in easts[::-1]:
            if x1 < x0 or (x1 - x0) / 2.0 > max_space:
                continue
            size = 0
            for i in range(m):
                chosen[i] = west[i] >= x0 and east[i] <= x1
                size += chosen[i]
            steps += 4 * m
            if size < best[6] or size == 0:
                break  # a narrower box holds no more
            # From south to north, find the chosen samples in each box of one width.
            taken[:] = False
            of_user[:] = 0
            size, users, add, out = 0, 0.0, 0, 0
            for at in range(m):
                first = by_south[at]
                if not chosen[first]:
                    continue
                y0 = south[first]
                if at > 0 and chosen[by_south[at - 1]] and south[by_south[at - 1]] == y0:
                    continue
                while out < m and south[by_south[out]] < y0:
                    i = by_south[out]
                    if taken[i]:
                        taken[i] = False
                        size -= 1
                        u = owner[inside[i]]
                        of_user[u] -= 1
                        if of_user[u] == 0:
                            users -= weight[u]
                    out += 1
                while add < m and (x1 - x0 + (north[by_north[add]] - y0)) / 2.0 <= max_space:
                    i = by_north[add]
                    if chosen[i] and south[i] >= y0:
                        taken[i] = True
                        size += 1
                        u = owner[inside[i]]
                        if of_user[u] == 0:
                            users += weight[u]
                        of_user[u] += 1
                    add += 1
                if size == 0 or size < best[6] or users < k:
                    continue
                box = np.full(6, np.inf)
                box[3:] = -np.inf
                for i in range(m):
                    if taken[i]:
                        for axis in range(3):
                            to = (axis + 1) % 3
                            box[to] = min(box[to], low[inside[i], axis])
                            box[3 + to] = max(box[3 + to], high[inside[i], axis])
                if size > best[6] or _is_before(box, best[:6]):
                    best[6] = size
                    best[:6] = box
            if everything or steps > limits.steps:
                return steps
    return steps


@njit(nogil=True, cache=True)
def _is_before(a: FloatArray, b: FloatArray) -> bool:
    for i in range(len(a)):
        if a[i] != b[i]:
            return a[i] < b[i]
    return False
