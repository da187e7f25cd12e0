"""Search in a pool for the members nearest to one fingerprint; samples may be boxes.

The bound that lets most members be skipped is derived and proven in :mod:`.glove_floors`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallFloats
from .glove_floors import WIDTH, Slots, smallest_cost
from .kgap_search import NO_EXTRA, SLACK
from .stretch import ERR32, ROUND, STEPS, Ahead, effort_of_points


class Query(NamedTuple):
    """A fingerprint, its floors, and the bounds that :func:`fill_bounds` set for all members."""

    u: int
    own: SmallFloats
    bound: SmallFloats  # is used up by a search
    from_query: SmallFloats
    room: FloatArray  # scratch, as long as the longest fingerprint


_EXTRA = 4  # members with the smallest bounds that are computed first, beyond the list's length


@njit(nogil=True, cache=True)
def nearest_members(slots: Slots, query: Query, found: IntArray, efforts: FloatArray) -> int:
    """Fill ``found`` and ``efforts`` with the members nearest to the query; return their number.

    Members are in order of effort, then of ``slots.first``.
    """
    bound = query.bound
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
        count = _consider(slots, query, first[p], found, efforts, count)
        bound[first[p]] = 1e30
    # The rest follow by rising bounds: members found early rule out later ones.
    limit = 1e29 if count < many else efforts[many - 1] + SLACK
    rest = np.flatnonzero(bound <= limit)
    for slot in rest[np.argsort(bound[rest])]:
        if count == many and bound[slot] > efforts[many - 1] + SLACK:
            break
        count = _consider(slots, query, slot, found, efforts, count)
    return count


@njit(nogil=True, cache=True)
def fill_bounds(
    first: int,
    last: int,
    slots: Slots,
    queries: IntArray,
    parents: IntArray,
    own: SmallFloats,
    bound: SmallFloats,
    from_query: SmallFloats,
) -> None:
    """Set lower bounds ``bound[q, slot]`` on Δ and ``from_query[q, slot]`` on a directed effort.

    The directed effort leads from the query q to the member in the slot. The bounds are set for the
    slots of the tiles first … last − 1. ``own[table, class, feature, q]`` are the queries' floors.
    A member's samples are compared with all queries at once, and a query's samples with all members
    of a tile. The query itself and the two members ``parents[q]`` (−1 = none) are skipped.

    The kernel is long on purpose: passing the pool to another kernel would take more time than that
    kernel's work.
    """
    count = len(queries)
    offsets, weight = slots.packed.offsets, slots.packed.weight
    member, kind = slots.member, slots.kind
    row_offsets, feature, share, reach, half = slots.rows
    coarse, largest = slots.coarse, slots.largest
    points, n_points = slots.packed.equal, slots.n_points
    n_cells = len(slots.features.cell_x0)
    caps = (np.float32(slots.packed.scale.w_space), np.float32(slots.packed.scale.w_time))
    wider = own.shape[0] - 1
    none, one, two = np.float32(0.0), np.float32(1.0), np.float32(2.0)
    length, weight_of = np.empty(count, np.int64), np.empty(count, np.float32)
    for q in range(count):
        length[q] = offsets[queries[q] + 1] - offsets[queries[q]]
        weight_of[q] = weight[queries[q]]
    shortest = length.min()
    from_member = np.empty((WIDTH, count), np.float32)
    twice_of = np.empty(count, np.float32)
    total, twice = np.empty(WIDTH, np.float32), np.empty(WIDTH, np.float32)
    size, weight_in = np.empty(WIDTH, np.int64), np.empty(WIDTH, np.float32)
    most, less = np.empty((2, WIDTH), np.float32), np.empty((2, WIDTH), np.float32)
    for tile in range(first, last):
        boxes = False
        least = np.int64(1 << 62)
        for column in range(WIDTH):
            p = member[tile * WIDTH + column]
            size[column], weight_in[column] = 0, 1.0
            most[0, column], most[1, column] = none, none
            if p < 0:
                continue
            size[column], weight_in[column] = offsets[p + 1] - offsets[p], weight[p]
            most[0, column], most[1, column] = largest[p, 0], largest[p, 1]
            least = min(least, size[column])
            boxes |= p >= n_points
            if size[column] < shortest:
                continue
            # From the member to every query; d is 1 − 2·w_p.
            g0, g1 = row_offsets[p], row_offsets[p + 1]
            c = kind[p]
            for q in range(count):
                from_member[column, q] = none
            if p < n_points:
                for g in range(g0, g1):
                    part, f = share[g], feature[g]
                    for q in range(count):
                        from_member[column, q] += part * own[wider, c, f, q]
            else:
                for q in range(count):
                    twice_of[q] = two * weight_in[column] / (weight_in[column] + weight_of[q])
                for g in range(g0, g1):
                    f, part, wide, away = feature[g], share[g], half[g], reach[g]
                    cap = caps[0] if f < n_cells else caps[1]
                    for q in range(count):
                        cost = max(
                            own[0, c, f, q] + (one - twice_of[q]) * wide,
                            own[1, c, f, q] - twice_of[q] * wide,
                        )
                        from_member[column, q] += part * min(max(cost - away, none), cap)
            lower = np.float32(1.0 - (g1 - g0 + 4) * ERR32)
            for q in range(count):
                from_member[column, q] *= lower
        for q in range(count):
            # From the query to every member that is not longer.
            u = queries[q]
            f0, f1 = row_offsets[u], row_offsets[u + 1]
            for column in range(WIDTH):
                total[column] = none
                twice[column] = two * weight_in[column] / (weight_in[column] + weight_of[q])
                over = max(twice[column] - one, none)
                less[0, column], less[1, column] = over * most[0, column], over * most[1, column]
            if least <= length[q]:
                for r in range(f0, f1):
                    f, part, wide, away = feature[r], share[r], half[r], reach[r]
                    axis = 0 if f < n_cells else 1
                    cap = caps[axis]
                    step = cap / np.float32(STEPS)
                    if points:
                        part *= step
                        for column in range(WIDTH):
                            total[column] += part * coarse[tile, 0, f, column]
                    elif not boxes:
                        for column in range(WIDTH):
                            apart = coarse[tile, 0, f, column] * step + (twice[column] - one) * wide
                            cost = max(apart, twice[column] * wide) - away
                            total[column] += part * min(max(cost, none), cap)
                    else:
                        for column in range(WIDTH):
                            apart = coarse[tile, 0, f, column] * step + (twice[column] - one) * wide
                            apart -= less[axis, column]
                            beside = max(
                                twice[column] * (wide - most[axis, column]),
                                coarse[tile, 1, f, column] * step - (two - twice[column]) * wide,
                            )
                            cost = max(apart, beside) - away
                            total[column] += part * min(max(cost, none), cap)
            lower = np.float32(1.0 - (f1 - f0 + 4) * ERR32)
            for column in range(WIDTH):
                slot = tile * WIDTH + column
                p = member[slot]
                bound[q, slot] = 1e30
                if p in (-1, u, parents[q, 0], parents[q, 1]):
                    continue
                from_query[q, slot] = total[column] * lower if size[column] <= length[q] else none
                if size[column] < length[q]:
                    bound[q, slot] = from_query[q, slot]
                elif size[column] > length[q]:
                    bound[q, slot] = from_member[column, q]
                else:
                    mean = (from_query[q, slot] + from_member[column, q]) / 2.0
                    bound[q, slot] = mean * (1.0 - 2.0 * ERR32)


@njit(nogil=True, cache=True)
def _consider(
    slots: Slots, query: Query, slot: int, found: IntArray, efforts: FloatArray, count: int
) -> int:
    """Enter a member into the list if its effort is small enough; return the list's new length."""
    packed, u, own, room = slots.packed, query.u, query.own, query.room
    least, back = np.float64(query.from_query[slot]), np.float64(query.bound[slot])
    many = len(found)
    p = slots.member[slot]
    limit = np.inf if count < many else efforts[many - 1] + SLACK
    length = packed.offsets[u + 1] - packed.offsets[u]
    size = packed.offsets[p + 1] - packed.offsets[p]
    # Lower bound on the sum over the longer fingerprint's samples, for stopping early.
    if size == length:
        back = 2.0 * back - query.from_query[slot] * (1.0 + 8.0 * ERR32)
    points = packed.equal or (u < slots.n_points and p < slots.n_points)
    if not points:
        effort = 0.0
        if length >= size:
            one_way = limit if length > size else 2.0 * limit - back
            effort = _to_member(slots, u, slot, least, one_way, room)
            limit = 2.0 * limit - effort
        if size >= length and effort < np.inf:
            effort += _to_query(slots, p, u, own, max(back, 0.0), limit, room)
        if effort == np.inf:
            return count
        if length == size:
            effort /= 2.0
        effort = np.rint(effort * ROUND) / ROUND
        return enter_one(p, effort, slots.first, found, efforts, count)
    floor = _floor_of_member(slots, u, slot)
    to_p = Ahead(least * length, floor, 1.0, NO_EXTRA, 0)
    wider = own[1, 0].reshape((own.shape[2], 1))
    to_u = Ahead(max(back, 0.0) * size * (1.0 - 4.0 * ERR32), wider, 1.0, NO_EXTRA, 0)
    # Of two fingerprints of equal length, either may come first: Δ is the mean of both directions.
    if length >= size:
        effort = effort_of_points(packed, u, p, limit, room, to_p, to_u)
    else:
        effort = effort_of_points(packed, p, u, limit, room, to_u, to_p)
    if effort == np.inf:
        return count
    return enter_one(p, effort, slots.first, found, efforts, count)


@njit(nogil=True, cache=True)
def _floor_of_member(slots: Slots, u: int, slot: int) -> SmallFloats:
    """Return a member's floors of the features where query u has samples; others are unset."""
    tile, column = slot // WIDTH, slot % WIDTH
    n_cells = len(slots.features.cell_x0)
    floor = np.empty((slots.coarse.shape[2], 1), np.float32)
    for r in range(slots.rows.offsets[u], slots.rows.offsets[u + 1]):
        f = slots.rows.feature[r]
        cap = slots.packed.scale.w_space if f < n_cells else slots.packed.scale.w_time
        floor[f, 0] = slots.coarse[tile, 0, f, column] * (cap / STEPS)
    return floor


@njit(nogil=True, cache=True)
def _to_member(
    slots: Slots, u: int, slot: int, least: float, limit: float, costs: FloatArray
) -> float:
    """Return the query's effort to a member; infinity above ``limit``.

    The effort is known to be ``least`` or more.
    """
    p, tile, column = slots.member[slot], slot // WIDTH, slot % WIDTH
    packed, rows, scale = slots.packed, slots.rows, slots.packed.scale
    a0, a1 = packed.offsets[u], packed.offsets[u + 1]
    m = a1 - a0
    points = u < slots.n_points
    twice = 2.0 * packed.weight[p] / (packed.weight[p] + packed.weight[u])
    floor, wide = slots.coarse[tile, 0], slots.coarse[tile, 1]
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
            most = slots.largest[p, axis]
            step = cap / STEPS
            apart = floor[f, column] * step + (twice - 1.0) * half - max(twice - 1.0, 0.0) * most
            cost = max(apart, twice * (half - most))
            cost = max(cost, wide[f, column] * step - (2.0 - twice) * half) - reach
            ahead -= min(max(cost, 0.0), cap) + 1e-6
        total += smallest_cost(packed, a0 + i, p, packed.weight[u], packed.weight[p], costs)
    return total / m if total <= stop else np.inf


@njit(nogil=True, cache=True)
def _to_query(
    slots: Slots, p: int, u: int, own: SmallFloats, least: float, limit: float, costs: FloatArray
) -> float:
    """Return a member's effort to the query; infinity above ``limit``.

    The effort is known to be ``least`` or more.
    """
    packed, rows, scale = slots.packed, slots.rows, slots.packed.scale
    a0, a1 = packed.offsets[p], packed.offsets[p + 1]
    m = a1 - a0
    points = p < slots.n_points
    twice = 2.0 * packed.weight[p] / (packed.weight[p] + packed.weight[u])
    near, wide = own[0, slots.kind[p]], own[1, slots.kind[p]]
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
        total += smallest_cost(packed, a0 + i, u, packed.weight[p], packed.weight[u], costs)
    return total / m if total <= stop else np.inf


@njit(nogil=True, cache=True)
def enter_one(
    p: int, effort: float, index: IntArray, found: IntArray, efforts: FloatArray, count: int
) -> int:
    """Insert a member into a sorted list of limited length; return the list's new length."""
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
