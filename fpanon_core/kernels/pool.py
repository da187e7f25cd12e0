"""Search for the members of a pool that are nearest to one fingerprint, of boxes with weights.

**Boxes.** Along one axis let the cells a and b have the weights w_a + w_b = 1. The stretch of
science.md §2, collected, is

    φ = max(e_a, e_b) − min(s_a, s_b) − w_a·(e_a − s_a) − w_b·(e_b − s_b)
      = [max(e_a, e_b) − w_a·e_a − w_b·e_b] + [w_a·s_a + w_b·s_b − min(s_a, s_b)],

s the starts, e the ends. The first bracket depends on ``e_a − e_b`` only, so φ stays the same when
all ends are lowered by the smallest extent of any cell. What is left of a cell is its *core*; of a
raw sample, a point. Let c be the middle of a core and h half its length. The span of both cores,
the first two terms of φ, reaches from the start of the one whose middle is lower to the end of the
other, and so is at least ``|c_a − c_b| + h_a + h_b``; and it is at least 2·h_b. Hence

    (A)  φ ≥ |c_a − c_b| + (w_b − w_a)·(h_a − h_b),
    (B)  φ ≥ 2·w_a·(h_b − h_a),      and likewise with a and b exchanged.

Both hold for x and y together, with the taxicab distance of the middles and h half the width plus
half the height. For points (A) is φ itself.

**The bound.** As in :mod:`.search`, ``min_j δ(i,j) ≥ min_j w_s·min(φ_s/δs_max, 1) + min_j
w_t·min(φ_t/δt_max, 1)``, and the mean over the samples of the longer fingerprint bounds Δ. Let q be
the query, p a member, d = w_q − w_p, all in units of effort. Let a *feature* f be a rectangle of
places or a bin of time; the *reach* r of a sample is how far its middle lies from its feature.

- *Longer: p.* For members of weight class c let, j over the samples of q,
  ``near[c, f] ≤ min_j (dist(f, c_j) − d·h_j)`` and
  ``wide[c, f] ≤ min_j max(dist(f, c_j) − d·h_j, 2·w_p·h_j)``. A sample i of p in f costs at least
  ``near[c, f] − r + d·h_i`` by (A), and ``wide[c, f] − r − 2·w_p·h_i`` by (A) and (B), as −d is at
  most 2·w_p.
- *Longer: q.* Let ``floor[0, f, p] ≤ min_j dist(f, c_j)``, j over the samples of p, the largest of
  which has half the length H. A sample i of q in f costs at least ``floor[0, f, p] − r − d·h_i +
  min(d, 0)·H`` by (A), and ``2·w_p·(h_i − H)`` by (B). Further let ``floor[1, f, p] ≤ min_j
  max(dist(f, c_j) + d·h_j, 2·w_q·h_j)``, for the lightest query there may be: both terms only grow
  with w_q. As above, i costs at least ``floor[1, f, p] − r − 2·w_q·h_i``.

Every cost is capped at w_s or w_t, as δ is. For raw samples h and r are 0.

Floors and sums are 32-bit, the floors kept for members 8-bit (what the processor waits for is
memory); bounds are lowered by more than the possible error. A member is left out
only where its bound exceeds the last effort of a full list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from .search import _ERR32, _SLACK, Features
from .search import fill_floor as fill_floor_of_points
from .stretch import _ROUND, Ahead, Packed, Scale, fingerprint_effort

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallFloats = npt.NDArray[np.float32]
SmallInts = npt.NDArray[np.int32]
Steps = npt.NDArray[np.uint8]

STEPS = 255  # of a coarse floor
WIDTH = 128  # members of a tile: a row of its floors stays within a few cache lines
_EXTRA = 4  # members with the smallest bounds that are computed first, beyond the list's length


class Rows(NamedTuple):
    """How each fingerprint's samples lie among the features: two or fewer rows a sample."""

    offsets: IntArray  # (fingerprints+1,)
    feature: SmallInts
    share: SmallFloats  # of the fingerprint's samples
    reach: SmallFloats  # in units of effort, as the next
    half: SmallFloats


class Pool(NamedTuple):
    """Fingerprints, numbered as they came; and, in slots, those that are still to be merged."""

    packed: Packed
    scale: Scale
    features: Features
    rows: Rows
    least: tuple[float, float, float]  # smallest dx, dy, dt of any cell
    first: IntArray  # (fingerprints,) smallest row number of its users: decides ties
    largest: SmallFloats  # (fingerprints, 2) half the largest sample's size in space, in time
    kind: SmallInts  # (fingerprints,) class of its weight
    weight_of: FloatArray  # (classes,)
    n_points: int  # fingerprints before this one are raw, and their rows not those of samples
    member: IntArray  # (tiles·WIDTH,) fingerprint in each slot, −1 = none
    coarse: Steps  # (tiles, tables, features, WIDTH): the members' floors in steps, rounded down


@njit(nogil=True, cache=True)
def fill_floor(pool: Pool, u: int, floor: SmallFloats) -> None:
    """Set ``floor[0, f]`` and, where there are boxes, ``floor[1, f]``, of u as a member."""
    packed, features, scale = pool.packed, pool.features, pool.scale
    if u < pool.n_points:  # by their few places, and in one sweep through time
        column = floor[0].reshape((floor.shape[1], 1))
        fill_floor_of_points(packed, scale, features, u, u + 1, column)
        floor[1:] = floor[0]
        return
    n_cells = len(features.cell_x0)
    size = n_cells + features.n_bins
    near, wide = np.full(size, np.inf), np.full(size, np.inf)
    away = np.empty(size)
    lightest = pool.weight_of[0]
    part = lightest / (lightest + packed.weight[u])
    less_x, less_y, less_t = pool.least
    for j in range(packed.offsets[u], packed.offsets[u + 1]):
        _distances(pool, j, away)
        in_space = (packed.dx[j] - less_x + packed.dy[j] - less_y) / 2.0
        in_space *= scale.w_space / scale.max_space
        in_time = (packed.dt[j] - less_t) / 2.0 * scale.w_time / scale.max_time
        for begin, end, half in ((0, n_cells, in_space), (n_cells, size, in_time)):
            less, least = (1.0 - 2.0 * part) * half, 2.0 * part * half
            for f in range(begin, end):
                near[f] = min(near[f], away[f])
                wide[f] = min(wide[f], max(away[f] - less, least))
    for f in range(size):
        cap = scale.w_space if f < n_cells else scale.w_time
        floor[0, f] = min(near[f], cap)
        floor[1, f] = min(wide[f], cap)


@njit(nogil=True, cache=True)
def keep_coarsely(pool: Pool, slot: int, floor: SmallFloats) -> None:
    """Write a member's floors into its slot, rounded down by a little more than needed."""
    tile, column = slot // WIDTH, slot % WIDTH
    n_cells = len(pool.features.cell_x0)
    for table in range(floor.shape[0]):
        for f in range(floor.shape[1]):
            cap = pool.scale.w_space if f < n_cells else pool.scale.w_time
            steps = STEPS * floor[table, f] / cap - 1e-3 if cap > 0.0 else 0.0
            pool.coarse[tile, table, f, column] = np.uint8(max(steps, 0.0))


@njit(nogil=True, cache=True)
def fill_own(pool: Pool, u: int, own: SmallFloats) -> None:
    """Set ``own[0, c, f]`` to "near" and ``own[1, c, f]`` to "wide" of the query u."""
    packed, features, scale = pool.packed, pool.features, pool.scale
    n_cells = len(features.cell_x0)
    size = n_cells + features.n_bins
    kinds = len(pool.weight_of)
    near, wide = np.full((kinds, size), np.inf), np.full((kinds, size), np.inf)
    away = np.empty(size)
    less_x, less_y, less_t = pool.least
    for j in range(packed.offsets[u], packed.offsets[u + 1]):
        _distances(pool, j, away)
        in_space = (packed.dx[j] - less_x + packed.dy[j] - less_y) / 2.0
        in_space *= scale.w_space / scale.max_space
        in_time = (packed.dt[j] - less_t) / 2.0 * scale.w_time / scale.max_time
        for c in range(kinds):
            part = pool.weight_of[c] / (pool.weight_of[c] + packed.weight[u])
            first, second = near[c], wide[c]
            for begin, end, half in ((0, n_cells, in_space), (n_cells, size, in_time)):
                less, least = (1.0 - 2.0 * part) * half, 2.0 * part * half
                for f in range(begin, end):
                    cost = away[f] - less
                    first[f] = min(first[f], cost)
                    second[f] = min(second[f], max(cost, least))
    for c in range(kinds):
        for f in range(size):
            cap = scale.w_space if f < n_cells else scale.w_time
            own[0, c, f] = min(near[c, f], cap) - 3e-7 * abs(near[c, f])
            own[1, c, f] = min(wide[c, f], cap)


@njit(nogil=True, cache=True)
def _distances(pool: Pool, j: int, away: FloatArray) -> None:
    """From the middle of a sample to every feature, in units of effort."""
    packed, features, scale = pool.packed, pool.features, pool.scale
    x0, x1, y0, y1 = features.cell_x0, features.cell_x1, features.cell_y0, features.cell_y1
    less_x, less_y, less_t = pool.least
    x = packed.x[j] + (packed.dx[j] - less_x) / 2.0
    y = packed.y[j] + (packed.dy[j] - less_y) / 2.0
    t = packed.t[j] + (packed.dt[j] - less_t) / 2.0
    n_cells = len(x0)
    unit = scale.w_space / scale.max_space
    for f in range(n_cells):
        gap = max(max(x0[f] - x, x - x1[f]), 0.0) + max(max(y0[f] - y, y - y1[f]), 0.0)
        away[f] = unit * gap
    unit = scale.w_time / scale.max_time
    start, width = features.bin_start, features.bin_width
    for f in range(features.n_bins):
        begin = start + f * width
        away[n_cells + f] = unit * max(max(begin - t, t - (begin + width)), 0.0)


@njit(nogil=True, cache=True)
def describe(
    packed: Packed, scale: Scale, features: Features, least: tuple[float, float, float], u: int,
    feature: SmallInts, share: SmallFloats, reach: SmallFloats, half: SmallFloats,
    largest: SmallFloats,
) -> None:  # fmt: skip
    """Rows of a fingerprint of boxes: for each sample the cell and the bin nearest its middle."""
    less_x, less_y, less_t = least
    j0, j1 = packed.offsets[u], packed.offsets[u + 1]
    m = j1 - j0
    n_cells = len(features.cell_x0)
    space_unit, time_unit = scale.w_space / scale.max_space, scale.w_time / scale.max_time
    largest[:] = 0.0
    for j in range(j0, j1):
        dx, dy, dt = packed.dx[j] - less_x, packed.dy[j] - less_y, packed.dt[j] - less_t
        x, y, t = packed.x[j] + dx / 2.0, packed.y[j] + dy / 2.0, packed.t[j] + dt / 2.0
        best = np.inf
        at = 0
        for f in range(n_cells):
            away = max(features.cell_x0[f] - x, x - features.cell_x1[f], 0.0)
            away += max(features.cell_y0[f] - y, y - features.cell_y1[f], 0.0)
            if away < best:
                best = away
                at = f
        size = space_unit * (dx + dy) / 2.0
        feature[j - j0] = at
        half[j - j0] = size
        reach[j - j0] = _raised(space_unit * best, size)
        largest[0] = max(largest[0], _raised(size, 0.0))
        f = int((t - features.bin_start) // features.bin_width)
        f = min(max(f, 0), features.n_bins - 1)
        start = features.bin_start + f * features.bin_width
        beyond = max(start - t, t - (start + features.bin_width), 0.0)
        size = time_unit * dt / 2.0
        feature[m + j - j0] = n_cells + f
        half[m + j - j0] = size
        reach[m + j - j0] = _raised(time_unit * beyond, size)
        largest[1] = max(largest[1], _raised(size, 0.0))
    share[: 2 * m] = 1.0 / m


@njit(nogil=True, cache=True)
def _raised(effort: float, size: float) -> float:
    """Above what 32 bits can lose of it, and of differences with sizes."""
    return effort * (1.0 + 1e-6) + size * 2e-6 + 2e-6


@njit(nogil=True, cache=True)
def nearest_members(
    pool: Pool, u: int, own: SmallFloats, parent: int, other_parent: int, bound: SmallFloats,
    there: SmallFloats, nearest: FloatArray, found: IntArray, efforts: FloatArray,
) -> int:  # fmt: skip
    """Fill ``found`` and ``efforts`` with the members nearest to u, ties by index; how many.

    ``own`` holds the floors of u. u itself and its parents are passed over. ``bound`` and
    ``there`` are scratch with an entry for each slot: the bounds on Δ, and on the effort from u to
    the member alone. ``nearest`` is scratch as long as the longest fingerprint.
    """
    many = len(found)
    _bounds(pool, u, own, parent, other_parent, bound, there)
    first = np.full(many + _EXTRA, -1, np.int64)
    size = 0
    for slot in range(len(bound)):
        lowest = bound[slot]
        if lowest >= 1e30 or (size == len(first) and lowest >= bound[first[size - 1]]):
            continue
        size = min(size + 1, len(first))
        at = size - 1
        while at > 0 and lowest < bound[first[at - 1]]:
            first[at] = first[at - 1]
            at -= 1
        first[at] = slot
    count = 0
    for p in range(size):
        count = _consider(pool, u, own, first[p], bound, there, nearest, found, efforts, count)
        bound[first[p]] = 1e30
    # The rest by rising bounds: what is found early spares what comes late.
    limit = 1e29 if count < many else efforts[many - 1] + _SLACK
    rest = np.flatnonzero(bound <= limit)
    for slot in rest[np.argsort(bound[rest])]:
        if count == many and bound[slot] > efforts[many - 1] + _SLACK:
            break
        count = _consider(pool, u, own, slot, bound, there, nearest, found, efforts, count)
    return count


@njit(nogil=True, cache=True)
def _bounds(
    pool: Pool, u: int, own: SmallFloats, parent: int, other_parent: int, bound: SmallFloats,
    there: SmallFloats,
) -> None:  # fmt: skip
    packed, rows, scale = pool.packed, pool.rows, pool.scale
    offsets = packed.offsets
    length = offsets[u + 1] - offsets[u]
    f0, f1 = rows.offsets[u], rows.offsets[u + 1]
    lower = 1.0 - (f1 - f0 + 4) * _ERR32
    n_cells = len(pool.features.cell_x0)
    total = np.empty(WIDTH, np.float32)
    twice = np.zeros(WIDTH, np.float32)  # 2·w_p; d is 1 − 2·w_p
    largest = np.zeros((2, WIDTH), np.float32)
    less = np.zeros((2, WIDTH), np.float32)
    none, one, two = np.float32(0.0), np.float32(1.0), np.float32(2.0)
    for tile in range(len(pool.member) // WIDTH):
        base = tile * WIDTH
        forward = False
        boxes = False
        for column in range(WIDTH):
            p = pool.member[base + column]
            if p >= 0:
                boxes |= p >= pool.n_points
                forward |= offsets[p + 1] - offsets[p] <= length
                twice[column] = 2.0 * packed.weight[p] / (packed.weight[p] + packed.weight[u])
                for axis in range(2):
                    largest[axis, column] = pool.largest[p, axis]
                    less[axis, column] = max(twice[column] - one, none) * pool.largest[p, axis]
        if forward:
            total[:] = 0.0
            for r in range(f0, f1):
                share, reach, half = rows.share[r], rows.reach[r], rows.half[r]
                in_time = rows.feature[r] >= n_cells
                cap = np.float32(scale.w_time if in_time else scale.w_space)
                axis = 1 if in_time else 0
                most, taken = largest[axis], less[axis]
                step = cap / np.float32(STEPS)
                row = pool.coarse[tile, 0, rows.feature[r]]
                if packed.equal:
                    share *= step
                    for column in range(WIDTH):
                        total[column] += share * row[column]
                    continue
                if not boxes:
                    for column in range(WIDTH):
                        apart = row[column] * step + (twice[column] - one) * half
                        cost = max(apart, twice[column] * half) - reach
                        total[column] += share * min(max(cost, none), cap)
                    continue
                other = pool.coarse[tile, 1, rows.feature[r]]
                for column in range(WIDTH):
                    apart = row[column] * step + (twice[column] - one) * half - taken[column]
                    wide = max(twice[column] * (half - most[column]),
                               other[column] * step - (two - twice[column]) * half)  # fmt: skip
                    total[column] += share * min(max(max(apart, wide) - reach, none), cap)
        for column in range(WIDTH):
            slot = base + column
            p = pool.member[slot]
            bound[slot] = 1e30
            if p in (-1, u, parent, other_parent):
                continue
            count = offsets[p + 1] - offsets[p]
            back = 0.0
            if count >= length:
                g0, g1 = rows.offsets[p], rows.offsets[p + 1]
                near, wider = own[0, pool.kind[p]], own[1, pool.kind[p]]
                sum_ = none
                if p < pool.n_points:
                    sum_ = _weighted(rows, g0, g1, wider)
                else:
                    for g in range(g0, g1):
                        f, half = rows.feature[g], rows.half[g]
                        cap = np.float32(scale.w_space if f < n_cells else scale.w_time)
                        cost = max(near[f] + (one - twice[column]) * half, none)
                        cost = max(cost, wider[f] - twice[column] * half) - rows.reach[g]
                        sum_ += rows.share[g] * min(max(cost, none), cap)
                back = sum_ * (1.0 - (g1 - g0 + 4) * _ERR32)
            there[slot] = total[column] * lower if count <= length else 0.0
            if count < length:
                bound[slot] = there[slot]
            elif count > length:
                bound[slot] = back
            else:
                bound[slot] = (there[slot] + back) / 2.0 * (1.0 - 2.0 * _ERR32)


@njit(nogil=True, cache=True)
def _weighted(rows: Rows, first: int, last: int, cost: SmallFloats) -> np.float32:
    """Σ share·cost of the features of some rows; in four sums, none of which waits for another."""
    a, b, c, d = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    share, feature = rows.share, rows.feature
    g = first
    while g + 3 < last:
        a += share[g] * cost[feature[g]]
        b += share[g + 1] * cost[feature[g + 1]]
        c += share[g + 2] * cost[feature[g + 2]]
        d += share[g + 3] * cost[feature[g + 3]]
        g += 4
    while g < last:
        a += share[g] * cost[feature[g]]
        g += 1
    return (a + b) + (c + d)


@njit(nogil=True, cache=True)
def _consider(
    pool: Pool, u: int, own: SmallFloats, slot: int, bound: SmallFloats, there: SmallFloats,
    nearest: FloatArray, found: IntArray, efforts: FloatArray, count: int,
) -> int:  # fmt: skip
    """Enter a member into the list if its effort is small enough; the list's new length."""
    packed = pool.packed
    many = len(found)
    p = pool.member[slot]
    limit = np.inf if count < many else efforts[many - 1] + _SLACK
    length = packed.offsets[u + 1] - packed.offsets[u]
    size = packed.offsets[p + 1] - packed.offsets[p]
    # What the sum over the longer's samples costs at least, for stopping early.
    back = np.float64(bound[slot])
    if size == length:
        back = 2.0 * back - there[slot] * (1.0 + 8.0 * _ERR32)
    if not packed.equal:
        tile, column = slot // WIDTH, slot % WIDTH
        effort = 0.0
        if length >= size:
            more = limit if length > size else 2.0 * limit - back
            least = np.float64(there[slot])
            effort = _to_member(pool, u, p, tile, column, least, more, nearest)
            limit = 2.0 * limit - effort
        if size >= length and effort < np.inf:
            effort += _to_query(pool, p, u, own, max(back, 0.0), limit, nearest)
        if effort == np.inf:
            return count
        if length == size:
            effort /= 2.0
        effort = np.rint(effort * _ROUND) / _ROUND
        return enter_one(p, effort, pool.first, found, efforts, count)
    floor = _floor_of_member(pool, u, slot)
    to_p = Ahead(np.float64(there[slot]) * length, floor, 0)
    to_u = Ahead(
        max(back, 0.0) * size * (1.0 - 4.0 * _ERR32), own[1, 0].reshape((own.shape[2], 1)), 0
    )
    # Of two of equal length either may come first: Δ is the mean of both directions.
    if length >= size:
        effort = fingerprint_effort(packed, pool.scale, u, p, limit, nearest, to_p, to_u)
    else:
        effort = fingerprint_effort(packed, pool.scale, p, u, limit, nearest, to_u, to_p)
    if effort == np.inf:
        return count
    return enter_one(p, effort, pool.first, found, efforts, count)


@njit(nogil=True, cache=True)
def _floor_of_member(pool: Pool, u: int, slot: int) -> SmallFloats:
    """A member's floors of the features that the query u has samples in; others are not set."""
    tile, column = slot // WIDTH, slot % WIDTH
    n_cells = len(pool.features.cell_x0)
    floor = np.empty((pool.coarse.shape[2], 1), np.float32)
    for r in range(pool.rows.offsets[u], pool.rows.offsets[u + 1]):
        f = pool.rows.feature[r]
        cap = pool.scale.w_space if f < n_cells else pool.scale.w_time
        floor[f, 0] = pool.coarse[tile, 0, f, column] * (cap / STEPS)
    return floor


@njit(nogil=True, cache=True)
def _to_member(
    pool: Pool, u: int, p: int, tile: int, column: int, least: float, limit: float,
    costs: FloatArray,
) -> float:  # fmt: skip
    """Effort from the query to a member; infinity once it exceeds ``limit``; ``least`` is known."""
    packed, rows, scale = pool.packed, pool.rows, pool.scale
    a0, a1 = packed.offsets[u], packed.offsets[u + 1]
    m = a1 - a0
    points = u < pool.n_points
    twice = 2.0 * packed.weight[p] / (packed.weight[p] + packed.weight[u])
    floor, wide = pool.coarse[tile, 0], pool.coarse[tile, 1]
    stop = limit * m
    ahead = least * m
    total = 0.0
    for i in range(m):
        if total + max(ahead, 0.0) > stop:
            return np.inf
        for axis in range(2):
            cap = scale.w_time if axis else scale.w_space
            if points:
                f = packed.bin[a0 + i] if axis else packed.cell[a0 + i]
                reach, half = 0.0, 0.0
            else:
                r = rows.offsets[u] + axis * m + i
                f, reach, half = rows.feature[r], rows.reach[r], rows.half[r]
            most = pool.largest[p, axis]
            step = cap / STEPS
            apart = floor[f, column] * step + (twice - 1.0) * half - max(twice - 1.0, 0.0) * most
            cost = max(apart, twice * (half - most))
            cost = max(cost, wide[f, column] * step - (2.0 - twice) * half) - reach
            ahead -= min(max(cost, 0.0), cap) + 1e-6
        total += _smallest(packed, scale, a0 + i, p, packed.weight[u], packed.weight[p], costs)
    return total / m if total <= stop else np.inf


@njit(nogil=True, cache=True)
def _to_query(
    pool: Pool, p: int, u: int, own: SmallFloats, least: float, limit: float, costs: FloatArray
) -> float:
    """Effort from a member to the query, likewise."""
    packed, rows, scale = pool.packed, pool.rows, pool.scale
    a0, a1 = packed.offsets[p], packed.offsets[p + 1]
    m = a1 - a0
    points = p < pool.n_points
    twice = 2.0 * packed.weight[p] / (packed.weight[p] + packed.weight[u])
    near, wide = own[0, pool.kind[p]], own[1, pool.kind[p]]
    stop = limit * m
    ahead = least * m
    total = 0.0
    for i in range(m):
        if total + max(ahead, 0.0) > stop:
            return np.inf
        if points:
            ahead -= wide[packed.cell[a0 + i]] + wide[packed.bin[a0 + i]] + 1e-6
        else:
            for axis in range(2):
                r = rows.offsets[p] + axis * m + i
                f, half = rows.feature[r], rows.half[r]
                cost = max(near[f] + (1.0 - twice) * half, wide[f] - twice * half) - rows.reach[r]
                ahead -= min(max(cost, 0.0), scale.w_time if axis else scale.w_space) + 1e-6
        total += _smallest(packed, scale, a0 + i, u, packed.weight[p], packed.weight[u], costs)
    return total / m if total <= stop else np.inf


@njit(nogil=True, cache=True)
def effort_of_boxes(
    packed: Packed, scale: Scale, a: int, b: int, limit: float, costs: FloatArray
) -> float:
    """Δ_ab of fingerprints of boxes, rounded; infinity once it is sure to exceed ``limit``.

    The same as :func:`.stretch.fingerprint_effort`, made for boxes that are wide against the
    thresholds: it looks at all pairs of samples, in a loop that the processor does four at a time,
    where a sweep outwards in time would stop late or never. ``costs`` is scratch, as long as the
    longest fingerprint.
    """
    length = packed.offsets[a + 1] - packed.offsets[a]
    size = packed.offsets[b + 1] - packed.offsets[b]
    if size > length:
        a, b = b, a
    if size != length:
        effort = _directed_plainly(packed, scale, a, b, limit, costs)
    else:
        effort = _directed_plainly(packed, scale, a, b, 2.0 * limit, costs)
        if effort < np.inf:
            back = _directed_plainly(packed, scale, b, a, 2.0 * limit - effort, costs)
            effort = (effort + back) / 2.0
    return np.rint(effort * _ROUND) / _ROUND


@njit(nogil=True, cache=True)
def _directed_plainly(
    packed: Packed, scale: Scale, a: int, b: int, limit: float, costs: FloatArray
) -> float:
    a0, a1 = packed.offsets[a], packed.offsets[a + 1]
    stop = limit * (a1 - a0)
    total = 0.0
    for i in range(a0, a1):
        total += _smallest(packed, scale, i, b, packed.weight[a], packed.weight[b], costs)
        if total > stop:
            return np.inf
    return total / (a1 - a0)


@njit(nogil=True, cache=True)
def _smallest(
    packed: Packed, scale: Scale, i: int, b: int, na: float, nb: float, costs: FloatArray
) -> float:
    """The smallest δ of sample i to any sample of b."""
    b0, b1 = packed.offsets[b], packed.offsets[b + 1]
    bx, by, bt = packed.x[b0:b1], packed.y[b0:b1], packed.t[b0:b1]
    bdx, bdy, bdt = packed.dx[b0:b1], packed.dy[b0:b1], packed.dt[b0:b1]
    wa = na / (na + nb)
    wb = 1.0 - wa
    w_space, w_time = scale.w_space, scale.w_time
    space_unit, time_unit = w_space / scale.max_space, w_time / scale.max_time
    x, y, t = packed.x[i], packed.y[i], packed.t[i]
    x_end, y_end, t_end = x + packed.dx[i], y + packed.dy[i], t + packed.dt[i]
    own_span, own_wait = wa * (packed.dx[i] + packed.dy[i]), wa * packed.dt[i]
    n = b1 - b0
    # stretch.stretch_1d written out, all costs first and the smallest after: compilers turn the
    # loop into wide instructions only so.
    for j in range(n):
        span = max(x_end, bx[j] + bdx[j]) - min(x, bx[j])
        span += max(y_end, by[j] + bdy[j]) - min(y, by[j])
        span -= own_span + wb * (bdx[j] + bdy[j])
        wait = max(t_end, bt[j] + bdt[j]) - min(t, bt[j]) - (own_wait + wb * bdt[j])
        costs[j] = min(space_unit * span, w_space) + min(time_unit * wait, w_time)
    best = w_space + w_time
    other, third, fourth = best, best, best
    j = 0
    while j + 3 < n:
        best, other = min(best, costs[j]), min(other, costs[j + 1])
        third, fourth = min(third, costs[j + 2]), min(fourth, costs[j + 3])
        j += 4
    while j < n:
        best = min(best, costs[j])
        j += 1
    return min(min(best, other), min(third, fourth))


@njit(nogil=True, cache=True)
def enter_one(
    p: int, effort: float, index: IntArray, found: IntArray, efforts: FloatArray, count: int
) -> int:
    """Insert into a sorted list of limited length; its new length."""
    many = len(found)
    at = count
    while at > 0 and (
        effort < efforts[at - 1] or (effort == efforts[at - 1] and index[p] < index[found[at - 1]])
    ):
        at -= 1
    if at == many:
        return count
    last = min(count, many - 1)
    for q in range(last, at, -1):
        found[q], efforts[q] = found[q - 1], efforts[q - 1]
    found[at], efforts[at] = p, effort
    return min(count + 1, many)
