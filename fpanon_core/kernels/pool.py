"""Search for the members of a pool that are nearest to one fingerprint, of boxes with weights.

**A box and its core.** Along one axis let the cells a and b be ``[s_a, e_a)`` and ``[s_b, e_b)``,
with weights w_a + w_b = 1. The stretch of science.md §2, collected, is

    φ = max(e_a, e_b) − min(s_a, s_b) − w_a·(e_a − s_a) − w_b·(e_b − s_b)
      = [max(e_a, e_b) − w_a·e_a − w_b·e_b] + [w_a·s_a + w_b·s_b − min(s_a, s_b)].

The first bracket depends on ``e_a − e_b`` only, the second on ``s_a − s_b`` only. Hence φ stays the
same when all ends are lowered by the smallest extent d of any cell. What is left of a cell is its
*core* ``[s, e − d]``; of a raw sample, a point. Both brackets are at least 0, as a maximum is at
least any mean; and where the cores are apart, with a gap g (say a's lies below b's), they are
``w_a·(g + |b|)`` and ``w_b·(g + |a|)``, of sum at least g. So

    φ ≥ gap between the cores,         and for points φ = gap.

**The bound.** φ also grows with the difference in size. Where one core holds the other, say b's a's,
φ = max(|a|, |b|) − w_a·|a| − w_b·|b| = w_a·(|b| − |a|); where they are apart, φ = g + w_a·|b| +
w_b·|a|; where they overlap in part, φ is at least the longer less the weighted mean. In all cases,

    φ ≥ g + w_a·(|b| − |a|),    and, exchanging a and b,    φ ≥ g + w_b·(|a| − |b|).

The same holds for x and y together, with g_x + g_y and |·| the width plus the height. As in
:mod:`.search`, ``min_j δ(i,j) ≥ min_j w_s·min(φ_s/δs_max, 1) + min_j w_t·min(φ_t/δt_max, 1)``.
The mean over the samples of the longer fingerprint bounds Δ. For a query q and a member p, all in
units of effort:

- *Longer: p.* Let ``own[c, f]`` be, for a feature f (a rectangle of places or a bin of time) and
  members of weight class c, at most the smallest ``g + w_p·|j|`` over the samples j of q, from
  anywhere in f. Let every point of i's core lie within the *reach* r of some point of f: the gap is
  a distance (taxicab) from a point to a set and changes by no more than the way one goes. So i
  costs at least ``own[c, f] − r − w_p·|i|``.
- *Longer: q.* Let ``floor[f, p]`` be the same without size: at most the smallest gap from anywhere
  in f to p. Then i costs at least ``max(floor[f, p] − r, 0) + w_p·max(|i| − e_p, 0)``, where e_p is
  the largest size of a sample of p.

Every cost is capped at w_s or w_t, as δ is. For raw samples sizes and reaches are 0.

Floors and sums are 32-bit; bounds are lowered by more than the possible error. A member is left out
only where its bound exceeds the last effort of a full list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from .search import _ERR32, _SLACK, Features
from .stretch import _ROUND, Ahead, Packed, Scale, fingerprint_effort

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallFloats = npt.NDArray[np.float32]
SmallInts = npt.NDArray[np.int32]

WIDTH = 128  # members of a tile: a row of its floors stays within a few cache lines
_HUGE = 16.0  # sizes beyond cost all that they can with any weights, and would lose digits
_ROUGH = 1e-5  # on costs by size: more than 32 bits lose of two sizes of up to _HUGE
_EXTRA = 4  # members with the smallest bounds that are computed first, beyond the list's length


class Rows(NamedTuple):
    """How each fingerprint's samples lie among the features: two or fewer rows a sample."""

    offsets: IntArray  # (fingerprints+1,)
    feature: SmallInts
    share: SmallFloats  # of the fingerprint's samples
    reach: SmallFloats  # in units of effort, as the next
    size: SmallFloats


class Pool(NamedTuple):
    """Fingerprints, numbered as they came; and, in slots, those that are still to be merged."""

    packed: Packed
    scale: Scale
    features: Features
    rows: Rows
    least: tuple[float, float, float]  # smallest dx, dy, dt of any cell
    first: IntArray  # (fingerprints,) smallest row number of its users: decides ties
    largest: SmallFloats  # (fingerprints, 2) largest size of a sample, in space and in time
    kind: SmallInts  # (fingerprints,) class of its weight
    weight_of: FloatArray  # (classes,)
    n_points: int  # fingerprints before this one are raw, and their rows not those of samples
    member: IntArray  # (tiles·WIDTH,) fingerprint in each slot, −1 = none
    floor: SmallFloats  # (tiles, features, WIDTH) of the members


@njit(nogil=True, cache=True)
def fill_floors(pool: Pool, u: int, by_size: bool, own: SmallFloats) -> None:
    """Set ``own[c, f]``, for members of each class; or without size, ``own[0, f]``."""
    packed, features, scale = pool.packed, pool.features, pool.scale
    less_x, less_y, less_t = pool.least
    n_cells = len(features.cell_x0)
    space_unit, time_unit = scale.w_space / scale.max_space, scale.w_time / scale.max_time
    x0, x1, y0, y1 = features.cell_x0, features.cell_x1, features.cell_y0, features.cell_y1
    starts = features.bin_start + np.arange(features.n_bins) * features.bin_width
    width = features.bin_width
    kinds = len(own)
    space = np.full((kinds, n_cells), 1e300)
    time = np.full((kinds, features.n_bins), 1e300)
    part = np.zeros(kinds)
    if by_size:
        part = pool.weight_of / (pool.weight_of + packed.weight[u])
    for j in range(packed.offsets[u], packed.offsets[u + 1]):
        dx, dy, dt = packed.dx[j] - less_x, packed.dy[j] - less_y, packed.dt[j] - less_t
        left, right = packed.x[j], packed.x[j] + dx
        below, above = packed.y[j], packed.y[j] + dy
        begin, end = packed.t[j], packed.t[j] + dt
        for c in range(kinds):
            more = part[c] * (dx + dy)
            nearest = space[c]
            for f in range(n_cells):
                away = max(x0[f] - right, left - x1[f], 0.0) + max(
                    y0[f] - above, below - y1[f], 0.0
                )
                nearest[f] = min(nearest[f], away + more)
            more = part[c] * dt
            nearest = time[c]
            for f in range(features.n_bins):
                away = max(starts[f] - end, begin - (starts[f] + width), 0.0)
                nearest[f] = min(nearest[f], away + more)
    for c in range(kinds):
        for f in range(n_cells):
            own[c, f] = min(space_unit * space[c, f], scale.w_space)
        for f in range(features.n_bins):
            own[c, n_cells + f] = min(time_unit * time[c, f], scale.w_time)


@njit(nogil=True, cache=True)
def describe(
    packed: Packed, scale: Scale, features: Features, least: tuple[float, float, float], u: int,
    feature: SmallInts, share: SmallFloats, reach: SmallFloats, size: SmallFloats,
    largest: SmallFloats,
) -> None:  # fmt: skip
    """Rows of a fingerprint of boxes: for each sample the nearest cell, then the middle's bin."""
    less_x, less_y, less_t = least
    j0, j1 = packed.offsets[u], packed.offsets[u + 1]
    m = j1 - j0
    n_cells = len(features.cell_x0)
    space_unit, time_unit = scale.w_space / scale.max_space, scale.w_time / scale.max_time
    largest[:] = 0.0
    for j in range(j0, j1):
        x0, x1 = packed.x[j], packed.x[j] + packed.dx[j] - less_x
        y0, y1 = packed.y[j], packed.y[j] + packed.dy[j] - less_y
        best = np.inf
        at = 0
        for f in range(n_cells):
            away = max(features.cell_x0[f] - x0, x1 - features.cell_x1[f], 0.0)
            away += max(features.cell_y0[f] - y0, y1 - features.cell_y1[f], 0.0)
            if away < best:
                best = away
                at = f
        feature[j - j0] = at
        reach[j - j0] = _raised(space_unit * best)
        size[j - j0] = min(space_unit * (x1 - x0 + y1 - y0), _HUGE)
        t0, t1 = packed.t[j], packed.t[j] + packed.dt[j] - less_t
        f = int(((t0 + t1) / 2.0 - features.bin_start) // features.bin_width)
        f = min(max(f, 0), features.n_bins - 1)
        start = features.bin_start + f * features.bin_width
        beyond = max(start - t0, t1 - (start + features.bin_width), 0.0)
        feature[m + j - j0] = n_cells + f
        reach[m + j - j0] = _raised(time_unit * beyond)
        size[m + j - j0] = min(time_unit * (t1 - t0), _HUGE)
        largest[0] = max(largest[0], _raised(space_unit * (x1 - x0 + y1 - y0)))
        largest[1] = max(largest[1], _raised(time_unit * (t1 - t0)))
    share[: 2 * m] = 1.0 / m


@njit(nogil=True, cache=True)
def _raised(effort: float) -> float:
    """Above what the rounding of floors, efforts and differences to 32 bits can take away."""
    return effort * (1.0 + 1e-6) + 3e-7 if effort > 0.0 else 0.0


@njit(nogil=True, cache=True)
def nearest_members(
    pool: Pool, u: int, own: SmallFloats, parent: int, other_parent: int, bound: SmallFloats,
    there: SmallFloats, nearest: FloatArray, found: IntArray, efforts: FloatArray,
) -> int:  # fmt: skip
    """Fill ``found`` and ``efforts`` with the members nearest to u, ties by index; how many.

    ``own`` holds the floors of u by class and feature. u itself and its parents are passed over. ``bound``
    and ``there`` are scratch with an entry for each slot: the bounds on Δ, and on the effort from u
    to the member alone. ``nearest`` is scratch as long as the longest fingerprint.
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
    part = np.zeros(WIDTH, np.float32)  # of each member in the weights
    largest = np.zeros((2, WIDTH), np.float32)
    none, rough = np.float32(0.0), np.float32(_ROUGH)
    for tile in range(len(pool.floor)):
        base = tile * WIDTH
        forward = False
        for column in range(WIDTH):
            p = pool.member[base + column]
            if p >= 0:
                forward |= offsets[p + 1] - offsets[p] <= length
                part[column] = packed.weight[p] / (packed.weight[p] + packed.weight[u])
                largest[:, column] = pool.largest[p]
        if forward:
            total[:] = 0.0
            for r in range(f0, f1):
                row = pool.floor[tile, rows.feature[r]]
                share, reach, size = rows.share[r], rows.reach[r], rows.size[r]
                if packed.equal:
                    for column in range(WIDTH):
                        total[column] += share * row[column]
                    continue
                in_time = rows.feature[r] >= n_cells
                cap = np.float32(scale.w_time if in_time else scale.w_space)
                most = largest[1] if in_time else largest[0]
                for column in range(WIDTH):
                    by_size = part[column] * max(size - most[column] - rough, none)
                    total[column] += share * min(max(row[column] - reach, none) + by_size, cap)
        for column in range(WIDTH):
            slot = base + column
            p = pool.member[slot]
            bound[slot] = 1e30
            if p < 0 or p in (u, parent, other_parent):
                continue
            count = offsets[p + 1] - offsets[p]
            back = 0.0
            if count >= length:
                g0, g1 = rows.offsets[p], rows.offsets[p + 1]
                mine = own[pool.kind[p]]
                sum_ = none
                if packed.equal:
                    for g in range(g0, g1):
                        sum_ += rows.share[g] * mine[rows.feature[g]]
                else:
                    for g in range(g0, g1):
                        less = rows.reach[g]
                        if rows.size[g] > none:
                            less += part[column] * rows.size[g] + rough
                        if rows.size[g] >= np.float32(_HUGE):
                            continue
                        sum_ += rows.share[g] * max(mine[rows.feature[g]] - less, none)
                back = sum_ * (1.0 - (g1 - g0 + 4) * _ERR32)
            there[slot] = total[column] * lower if count <= length else 0.0
            if count < length:
                bound[slot] = there[slot]
            elif count > length:
                bound[slot] = back
            else:
                bound[slot] = (there[slot] + back) / 2.0 * (1.0 - 2.0 * _ERR32)


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
    to_p = Ahead(np.float64(there[slot]) * length, pool.floor[slot // WIDTH], slot % WIDTH)
    to_u = Ahead(max(back, 0.0) * size * (1.0 - 4.0 * _ERR32), own.reshape((own.size, 1)), 0)
    # Of two of equal length either may come first: Δ is the mean of both directions.
    if length >= size:
        effort = fingerprint_effort(packed, pool.scale, u, p, limit, nearest, to_p, to_u)
    else:
        effort = fingerprint_effort(packed, pool.scale, p, u, limit, nearest, to_u, to_p)
    if effort == np.inf:
        return count
    return enter_one(p, effort, pool.first, found, efforts, count)


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
    part = packed.weight[p] / (packed.weight[p] + packed.weight[u])
    floor = pool.floor[tile]
    stop = limit * m
    ahead = least * m
    total = 0.0
    for i in range(m):
        if total + max(ahead, 0.0) > stop:
            return np.inf
        if points:
            ahead -= floor[packed.cell[a0 + i], column] + floor[packed.bin[a0 + i], column] + 1e-7
        else:
            r = rows.offsets[u] + i
            by_size = part * max(rows.size[r] - pool.largest[p, 0], 0.0)
            at = max(floor[rows.feature[r], column] - rows.reach[r], 0.0)
            ahead -= min(at + by_size, scale.w_space)
            r += m
            by_size = part * max(rows.size[r] - pool.largest[p, 1], 0.0)
            at = max(floor[rows.feature[r], column] - rows.reach[r], 0.0)
            ahead -= min(at + by_size, scale.w_time) + 1e-6
        total += _smallest(packed, scale, a0 + i, p, packed.weight[u], packed.weight[p], costs)
    return total / m if total <= stop else np.inf


@njit(nogil=True, cache=True)
def _to_query(
    pool: Pool, p: int, u: int, own: SmallFloats, least: float, limit: float, costs: FloatArray
) -> float:
    """Effort from a member to the query, likewise."""
    packed, rows = pool.packed, pool.rows
    a0, a1 = packed.offsets[p], packed.offsets[p + 1]
    m = a1 - a0
    points = p < pool.n_points
    part = packed.weight[p] / (packed.weight[p] + packed.weight[u])
    mine = own[pool.kind[p]]
    stop = limit * m
    ahead = least * m
    total = 0.0
    for i in range(m):
        if total + max(ahead, 0.0) > stop:
            return np.inf
        if points:
            ahead -= mine[packed.cell[a0 + i]] + mine[packed.bin[a0 + i]] + 1e-7
        else:
            for r in (rows.offsets[p] + i, rows.offsets[p] + m + i):
                less = rows.reach[r] + part * rows.size[r]
                ahead -= max(mine[rows.feature[r]] - less, 0.0) + 1e-6
        total += _smallest(packed, pool.scale, a0 + i, u, packed.weight[p], packed.weight[u], costs)
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
