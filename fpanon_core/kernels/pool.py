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

**The bound.** As in :mod:`.search`, ``min_j δ(i,j) ≥ min_j w_s·min(gap_s/δs_max, 1) + min_j
w_t·min(gap_t/δt_max, 1)``, gap_s the gap in x plus that in y. Let ``floor[f, b]`` be, for a feature
f (a rectangle of places or a bin of time), at most the first or the second minimum from anywhere in
f to b, and let every point of i's core lie within the *reach* r of some point of f. The gap is a
distance (taxicab) from a point to a set, so it changes by no more than the way one goes, and the
floor of i is at least ``floor[f, b] − r·w/δ_max``; the cap at w only helps. For raw samples the
feature holds the point and r is 0. The mean over the samples of the longer fingerprint bounds Δ.

Floors and sums are 32-bit; bounds are lowered by twice the possible error, reaches are raised by
more than theirs. A member is left out only where its bound exceeds the last effort of a full list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from .search import _ERR32, _SLACK, Features
from .stretch import Ahead, Packed, Scale, fingerprint_effort

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallFloats = npt.NDArray[np.float32]
SmallInts = npt.NDArray[np.int32]

WIDTH = 128  # members of a tile: a row of its floors stays within a few cache lines
_EXTRA = 4  # members with the smallest bounds that are computed first, beyond the list's length


class Rows(NamedTuple):
    """How each fingerprint's samples lie among the features: two or fewer rows a sample."""

    offsets: IntArray  # (fingerprints+1,)
    feature: SmallInts
    share: SmallFloats  # of the fingerprint's samples
    reach: SmallFloats  # in units of effort


class Pool(NamedTuple):
    """Fingerprints, numbered as they came; and, in slots, those that are still to be merged."""

    packed: Packed
    scale: Scale
    features: Features
    rows: Rows
    least: tuple[float, float, float]  # smallest dx, dy, dt of any cell
    index: IntArray  # (fingerprints,) smallest row number of its users: decides ties
    member: IntArray  # (tiles·WIDTH,) fingerprint in each slot, −1 = none
    floor: SmallFloats  # (tiles, features, WIDTH) of the members


@njit(nogil=True, cache=True)
def fill_floors(pool: Pool, u: int, floor: SmallFloats) -> None:
    """Set ``floor[f]``: at most the weighted distance from anywhere in each feature to u."""
    packed, features, scale = pool.packed, pool.features, pool.scale
    less_x, less_y, less_t = pool.least
    j0, j1 = packed.offsets[u], packed.offsets[u + 1]
    n_cells = len(features.cell_x0)
    space_unit = scale.w_space / scale.max_space
    for f in range(n_cells):
        x0, x1 = features.cell_x0[f], features.cell_x1[f]
        y0, y1 = features.cell_y0[f], features.cell_y1[f]
        nearest = np.inf
        if packed.equal:
            for q in range(packed.place_offsets[u], packed.place_offsets[u + 1]):
                x, y = packed.px[q], packed.py[q]
                away = max(x0 - x, x - x1, 0.0) + max(y0 - y, y - y1, 0.0)
                nearest = min(nearest, away)
        else:
            for j in range(j0, j1):
                x, y = packed.x[j], packed.y[j]
                away = max(x0 - (x + packed.dx[j] - less_x), x - x1, 0.0)
                away += max(y0 - (y + packed.dy[j] - less_y), y - y1, 0.0)
                nearest = min(nearest, away)
        floor[f] = min(space_unit * nearest, scale.w_space)
    time_unit = scale.w_time / scale.max_time
    j = j0  # first sample that starts after the bin
    latest = -np.inf  # end of the cores before
    for f in range(features.n_bins):
        start = features.bin_start + f * features.bin_width
        end = start + features.bin_width
        while j < j1 and packed.t[j] <= end:
            latest = max(latest, packed.t[j] + packed.dt[j] - less_t)
            j += 1
        gap = max(start - latest, 0.0)
        if j < j1:
            gap = min(gap, packed.t[j] - end)
        floor[n_cells + f] = min(time_unit * gap, scale.w_time)


@njit(nogil=True, cache=True)
def describe(
    packed: Packed, scale: Scale, features: Features, least: tuple[float, float, float], u: int,
    feature: SmallInts, share: SmallFloats, reach: SmallFloats,
) -> None:  # fmt: skip
    """Rows of a fingerprint of boxes: for each sample the nearest cell, then the middle's bin."""
    less_x, less_y, less_t = least
    j0, j1 = packed.offsets[u], packed.offsets[u + 1]
    m = j1 - j0
    n_cells = len(features.cell_x0)
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
        reach[j - j0] = _raised(best * scale.w_space / scale.max_space)
        t0, t1 = packed.t[j], packed.t[j] + packed.dt[j] - less_t
        f = int(((t0 + t1) / 2.0 - features.bin_start) // features.bin_width)
        f = min(max(f, 0), features.n_bins - 1)
        start = features.bin_start + f * features.bin_width
        beyond = max(start - t0, t1 - (start + features.bin_width), 0.0)
        feature[m + j - j0] = n_cells + f
        reach[m + j - j0] = _raised(beyond * scale.w_time / scale.max_time)
    share[: 2 * m] = 1.0 / m


@njit(nogil=True, cache=True)
def _raised(reach: float) -> float:
    """Above what the rounding of floor, reach and difference to 32 bits can take away."""
    return reach * (1.0 + 1e-6) + 3e-7 if reach > 0.0 else 0.0


@njit(nogil=True, cache=True)
def nearest_members(
    pool: Pool, u: int, own: SmallFloats, parent: int, other_parent: int, bound: SmallFloats,
    there: SmallFloats, nearest: FloatArray, found: IntArray, efforts: FloatArray,
) -> int:  # fmt: skip
    """Fill ``found`` and ``efforts`` with the members nearest to u, ties by index; how many.

    ``own`` (features, 1) holds the floors of u. u itself and its parents are passed over. ``bound``
    and ``there`` are scratch with an entry for each slot: the bounds on Δ, and on the effort from u
    to the member alone. ``nearest`` is scratch of the stretch kernel.
    """
    many = len(found)
    _bounds(pool, u, own, parent, other_parent, bound, there)
    first = np.full(many + _EXTRA, -1, np.int64)
    size = 0
    for slot in range(len(bound)):
        lowest = bound[slot]
        if lowest == np.inf or (size == len(first) and lowest >= bound[first[size - 1]]):
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
        bound[first[p]] = np.inf
    for slot in range(len(bound)):
        if count < many or bound[slot] <= efforts[many - 1] + _SLACK:
            if bound[slot] == np.inf:
                continue
            count = _consider(pool, u, own, slot, bound, there, nearest, found, efforts, count)
    return count


@njit(nogil=True, cache=True)
def _bounds(
    pool: Pool, u: int, own: SmallFloats, parent: int, other_parent: int, bound: SmallFloats,
    there: SmallFloats,
) -> None:  # fmt: skip
    offsets, rows = pool.packed.offsets, pool.rows
    length = offsets[u + 1] - offsets[u]
    f0, f1 = rows.offsets[u], rows.offsets[u + 1]
    lower = 1.0 - (f1 - f0 + 4) * _ERR32
    total = np.empty(WIDTH, np.float32)
    for tile in range(len(pool.floor)):
        base = tile * WIDTH
        forward = False
        for column in range(WIDTH):
            p = pool.member[base + column]
            forward |= p >= 0 and offsets[p + 1] - offsets[p] <= length
        if forward:
            total[:] = 0.0
            for r in range(f0, f1):
                row = pool.floor[tile, rows.feature[r]]
                share, reach = rows.share[r], rows.reach[r]
                if reach == 0.0:
                    for column in range(WIDTH):
                        total[column] += share * row[column]
                else:
                    for column in range(WIDTH):
                        total[column] += share * max(row[column] - reach, np.float32(0.0))
        for column in range(WIDTH):
            slot = base + column
            p = pool.member[slot]
            bound[slot] = np.inf
            if p < 0 or p == u or p == parent or p == other_parent:
                continue
            size = offsets[p + 1] - offsets[p]
            back = 0.0
            if size >= length:
                g0, g1 = rows.offsets[p], rows.offsets[p + 1]
                part = np.float32(0.0)
                for g in range(g0, g1):
                    least = own[rows.feature[g], 0] - rows.reach[g]
                    part += rows.share[g] * max(least, np.float32(0.0))
                back = part * (1.0 - (g1 - g0 + 4) * _ERR32)
            there[slot] = total[column] * lower if size <= length else 0.0
            if size < length:
                bound[slot] = there[slot]
            elif size > length:
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
    to_p = Ahead(np.float64(there[slot]) * length, pool.floor[slot // WIDTH], slot % WIDTH)
    to_u = Ahead(max(back, 0.0) * size * (1.0 - 4.0 * _ERR32), own, 0)
    # Of two of equal length either may come first: Δ is the mean of both directions.
    if length >= size:
        effort = fingerprint_effort(packed, pool.scale, u, p, limit, nearest, to_p, to_u)
    else:
        effort = fingerprint_effort(packed, pool.scale, p, u, limit, nearest, to_u, to_p)
    if effort == np.inf:
        return count
    return enter_one(p, effort, pool.index, found, efforts, count)


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
