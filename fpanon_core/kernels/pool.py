"""Search for the members of a pool that are nearest to one fingerprint, of boxes with weights.

The bound by which most members are left out is derived and proven in :mod:`.floors`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from .boxes import smallest_cost
from .floors import STEPS, WIDTH, Pool, Rows
from .search import _ERR32, _SLACK, NO_MORE
from .stretch import _ROUND, Ahead, fingerprint_effort

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallFloats = npt.NDArray[np.float32]

_EXTRA = 4  # members with the smallest bounds that are computed first, beyond the list's length


@njit(nogil=True, cache=True)
def nearest_members(
    pool: Pool, u: int, own: SmallFloats, bound: SmallFloats, there: SmallFloats,
    nearest: FloatArray, found: IntArray, efforts: FloatArray,
) -> int:  # fmt: skip
    """Fill ``found`` and ``efforts`` with the members nearest to u, ties by index; how many.

    ``own`` holds the floors of u; ``bound`` and ``there`` are what :func:`fill_bounds` found, and
    the former is used up here. ``nearest`` is scratch as long as the longest fingerprint.
    """
    many = len(found)
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
def fill_bounds(
    pool: Pool, queries: IntArray, parents: IntArray, own: SmallFloats, first: int, last: int,
    bound: SmallFloats, there: SmallFloats,
) -> None:  # fmt: skip
    """Set ``bound[q, slot]`` on Δ, and ``there[q, slot]`` on the effort from the query alone.

    For the slots of the tiles first … last − 1. Queries are inside, so that a tile's floors are
    fetched from memory once for all. ``parents[q]`` are passed over, −1 = none.
    """
    for tile in range(first, last):
        for q in range(len(queries)):
            _bounds_of_tile(
                pool, tile, queries[q], parents[q, 0], parents[q, 1], own[q], bound[q], there[q]
            )


@njit(nogil=True, cache=True)
def _bounds_of_tile(
    pool: Pool, tile: int, u: int, parent: int, other_parent: int, own: SmallFloats,
    bound: SmallFloats, there: SmallFloats,
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
    to_p = Ahead(np.float64(there[slot]) * length, floor, NO_MORE, 0)
    wider = own[1, 0].reshape((own.shape[2], 1))
    to_u = Ahead(max(back, 0.0) * size * (1.0 - 4.0 * _ERR32), wider, NO_MORE, 0)
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
        total += smallest_cost(packed, scale, a0 + i, p, packed.weight[u], packed.weight[p], costs)
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
        total += smallest_cost(packed, scale, a0 + i, u, packed.weight[p], packed.weight[u], costs)
    return total / m if total <= stop else np.inf


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
