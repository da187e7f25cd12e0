"""Search for the nearest fingerprints in tiles of users, with a proven bound.

**The bound.** Let a have at least as many samples as b, and let all extents be equal. For a sample
i of a,

    min_j δ(i,j)  =  min_j [ w_s·δ_s(i,j) + w_t·δ_t(i,j) ]
                  ≥  min_j w_s·δ_s(i,j)  +  min_j w_t·δ_t(i,j),

as the minimum of a sum is at least the sum of the minima. The first minimum depends on i's place
only, the second on its time only. A *feature* f is a cell of places or a bin of time. Let
``floor[f, b]`` be at most the smallest weighted distance from anywhere in f to b. With ``share[a,
f]`` the share of a's samples in f, counted once among the cells and once among the bins,

    Δ_ab  ≥  Σ_f share[a, f]·floor[f, b].

A user has few features, so the sum is a short series of additions. Each adds a whole row of
``floor``, for all b of a tile. For equal lengths Δ is the mean of both directions, and so is its
bound. ``floor`` and the sum are 32-bit: every addition of non-negative terms errs by at most 2⁻²⁴
of the sum, and the bound is lowered by twice the number of terms times that.

**The second bound** is for the pairs that the first bound does not exclude. It combines place and
time. Let the sample i be in the *window* W of time. It costs less than w_t in time only with
samples of b that lie less than ``max_time`` from W. Let ``near`` be b's floor of i's cell, and
``wait`` b's floor of i's bin. Let ``near + extra[cell, W]`` be at most the smallest weighted
distance from the cell to *these* samples. Each of these costs at least ``near + extra + wait``, and
any other sample at least ``near + w_t``. It follows that

    min_j δ(i,j)  ≥  near + wait + min(extra[cell, W], w_t − wait).

The last term, averaged over a's samples, is added to the bound. ``extra`` is kept in 255 steps of
w_s, rounded down.

The same floors, sample by sample, let the exact computation stop early: each remaining term of a
sum is at least its floor.

A pair is skipped only if the bound exceeds the (k−1)th smallest effort so far of both users. So no
pair that could belong to either list is missed, whatever the order of the tiles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallFloats, SmallInts, Steps
from .stretch import ERR32, STEPS, Ahead, Packed, fingerprint_effort

SLACK = 1e-9  # on efforts computed in 64 bits
_AT_ONCE = 16  # columns one by one are worth it below a 16th of a row: a guess, not tuned
NO_FLOOR = np.zeros((1, 1), np.float32)
NO_EXTRA = np.zeros((0, 0), np.uint8)


class Features(NamedTuple):
    """Cells of places and bins of time, and each user's share of samples in them."""

    offsets: IntArray  # (n+1,) features of user u: offsets[u]:offsets[u+1]
    feature: SmallInts  # cells are 0 … n_cells−1, bins follow
    share: SmallFloats
    cell_x0: FloatArray  # (n_cells,) the range of places in each cell
    cell_x1: FloatArray
    cell_y0: FloatArray
    cell_y1: FloatArray
    bin_start: float
    bin_width: float
    n_bins: int
    window_width: float  # of n_windows, the first of which begins with the first bin
    n_windows: int


class Known(NamedTuple):
    """Pairs a < b that were computed before the tiles."""

    offsets: IntArray  # (n+1,) the pairs of a: offsets[a]:offsets[a+1]
    b: SmallInts  # ascending for each a


class Tile(NamedTuple):
    """Pairs of users a_first … a_last−1 with later users among b_first … b_last−1."""

    a_first: int
    a_last: int
    b_first: int
    b_last: int


class Floors(NamedTuple):
    """Floors of the users of a tile; ``extra`` is for the b's and may be empty.

    The floors of the a's are used for pairs of equal length only.
    """

    b: SmallFloats
    a: SmallFloats
    extra: Steps


class Lists(NamedTuple):
    """Nearest users found so far for each user, sorted; ``row`` gives the users' row numbers."""

    row: IntArray
    neighbours: IntArray
    stretch: FloatArray
    worst: FloatArray  # above which nothing enters the list


class PairBuffer(NamedTuple):
    """Buffers for the pairs that a tile finds, and scratch memory of one worker."""

    a: SmallInts
    b: SmallInts
    effort: FloatArray
    bound: SmallFloats  # (tile width,)
    nearest: FloatArray  # (most places of any user,)


@njit(nogil=True, cache=True)
def fill_floor(
    packed: Packed, features: Features, first: int, last: int, floor: SmallFloats
) -> None:
    """Set ``floor[f, b − first]`` for the users ``first ≤ b < last``."""
    scale, n_cells = packed.scale, len(features.cell_x0)
    space_unit = scale.w_space / scale.max_space
    time_unit = scale.w_time / scale.max_time
    for b in range(first, last):
        column = b - first
        q0, q1 = packed.place_offsets[b], packed.place_offsets[b + 1]
        for f in range(n_cells):
            x0, x1 = features.cell_x0[f], features.cell_x1[f]
            y0, y1 = features.cell_y0[f], features.cell_y1[f]
            nearest = np.inf
            for q in range(q0, q1):
                x, y = packed.px[q], packed.py[q]
                away = max(x0 - x, x - x1, 0.0) + max(y0 - y, y - y1, 0.0)
                nearest = min(nearest, away)
            floor[f, column] = min(space_unit * nearest, scale.w_space)
        j0, j1 = packed.offsets[b], packed.offsets[b + 1]
        j = j0  # first sample that does not lie before the bin
        for f in range(features.n_bins):
            start = features.bin_start + f * features.bin_width
            while j < j1 and packed.t[j] < start:
                j += 1
            gap = np.inf
            if j < j1:
                gap = max(packed.t[j] - (start + features.bin_width), 0.0)
            if j > j0:
                gap = min(gap, start - packed.t[j - 1])
            floor[n_cells + f, column] = min(time_unit * gap, scale.w_time)


@njit(nogil=True, cache=True)
def fill_extra(packed: Packed, features: Features, first: int, last: int, extra: Steps) -> None:
    """Set ``extra[cell · windows + window, b − first]``, in steps of w_space, rounded down."""
    scale, n_cells, n_windows = packed.scale, len(features.cell_x0), features.n_windows
    space_unit = scale.w_space / scale.max_space
    steps_per_unit = STEPS / scale.w_space if scale.w_space > 0.0 else 0.0
    most = 0
    for b in range(first, last):
        most = max(most, packed.place_offsets[b + 1] - packed.place_offsets[b])
    away = np.empty((most, n_cells))
    nearest = np.empty(n_cells)
    within = np.empty(n_cells)
    seen = np.empty(most, np.int64)
    for b in range(first, last):
        q0, places = packed.place_offsets[b], packed.place_offsets[b + 1] - packed.place_offsets[b]
        nearest[:] = scale.w_space
        for q in range(places):
            x, y = packed.px[q0 + q], packed.py[q0 + q]
            for f in range(n_cells):
                gap = max(features.cell_x0[f] - x, x - features.cell_x1[f], 0.0)
                gap += max(features.cell_y0[f] - y, y - features.cell_y1[f], 0.0)
                away[q, f] = min(space_unit * gap, scale.w_space)
            for f in range(n_cells):
                nearest[f] = min(nearest[f], away[q, f])
        seen[:] = -1
        begin, end = packed.offsets[b], packed.offsets[b]
        for window in range(n_windows):
            start = features.bin_start + window * features.window_width
            while begin < packed.offsets[b + 1] and packed.t[begin] <= start - scale.max_time:
                begin += 1
            start += features.window_width + scale.max_time
            while end < packed.offsets[b + 1] and packed.t[end] < start:
                end += 1
            within[:] = scale.w_space
            for j in range(begin, end):
                q = packed.place[j]
                if seen[q] != window:
                    seen[q] = window
                    for f in range(n_cells):
                        within[f] = min(within[f], away[q, f])
            for f in range(n_cells):
                steps = max(within[f] - nearest[f], 0.0) * steps_per_unit
                extra[f * n_windows + window, b - first] = np.uint8(max(steps - 1e-3, 0.0))


@njit(nogil=True, cache=True)
def search_tile(
    packed: Packed,
    features: Features,
    floors: Floors,
    tile: Tile,
    known: Known,
    worst: FloatArray,
    exact: bool,
    found: PairBuffer,
) -> int:
    """Find the pairs a < b of a tile whose effort may enter a list; return their number.

    Pairs already ``known`` are skipped.

    Users are numbered longest first, so a is never shorter than b. ``worst[u]`` is the effort above
    which nothing enters u's list, negative for users not measured. Unless ``exact``, the bounds are
    stored instead of the efforts.
    """
    scale, floor, a_floor, extra = packed.scale, floors.b, floors.a, floors.extra
    a_first, b_first, b_last = tile.a_first, tile.b_first, tile.b_last
    kept = 0
    width = b_last - b_first
    bound = found.bound
    step = scale.w_space / STEPS
    everyone = np.arange(width)
    measured = everyone[worst[b_first:b_last] >= 0.0]
    for a in range(a_first, tile.a_last):
        # Whoever is not measured matters to those alone who are: few, where few are asked about.
        columns = everyone if worst[a] >= 0.0 else measured
        if len(columns) == 0:
            continue
        f0, f1 = features.offsets[a], features.offsets[a + 1]
        if _AT_ONCE * len(columns) < width:
            for column in columns:
                bound[column] = 0.0
                for f in range(f0, f1):
                    bound[column] += features.share[f] * floor[features.feature[f], column]
        else:
            for column in range(width):
                bound[column] = 0.0
            for f in range(f0, f1):
                share = features.share[f]
                row = floor[features.feature[f]]
                for column in range(width):
                    bound[column] += share * row[column]
        lower = 1.0 - (f1 - f0 + 4) * ERR32
        length = packed.offsets[a + 1] - packed.offsets[a]
        at, end = known.offsets[a], known.offsets[a + 1]
        for at_column in range(np.searchsorted(columns, a + 1 - b_first), len(columns)):
            column = columns[at_column]
            b = b_first + column
            limit = max(worst[a], worst[b]) + SLACK
            to_b = bound[column] * lower
            effort = to_b
            to_a = 0.0
            if packed.offsets[b + 1] - packed.offsets[b] == length:
                effort = to_b / 2.0
                if effort <= limit:
                    g0, g1 = features.offsets[b], features.offsets[b + 1]
                    for f in range(g0, g1):
                        to_a += features.share[f] * a_floor[features.feature[f], a - a_first]
                    to_a *= 1.0 - (g1 - g0 + 4) * ERR32
                    effort += to_a / 2.0
            if effort > limit:
                continue
            if at < end:
                at += np.searchsorted(known.b[at:end], b)
                if at < end and known.b[at] == b:
                    continue
            rest = 0.0
            if len(extra):
                spare = (limit - effort) * length  # what the sum may still grow by
                if packed.offsets[b + 1] - packed.offsets[b] == length:
                    spare *= 2.0
                for i in range(packed.offsets[a], packed.offsets[a + 1]):
                    wait = np.float64(floor[packed.bin[i], column])
                    rest += min(scale.w_time - wait, extra[packed.joint[i], column] * step)
                    if rest > spare:
                        break
                if rest > spare:
                    continue
            if exact:
                effort = fingerprint_effort(
                    packed,
                    a,
                    b,
                    limit,
                    found.nearest,
                    Ahead(to_b * length + rest, floor, extra, b - b_first),
                    Ahead(to_a * length, a_floor, NO_EXTRA, a - a_first),
                )
            if effort <= worst[a] or effort <= worst[b]:
                found.a[kept] = a
                found.b[kept] = b
                found.effort[kept] = effort
                kept += 1
    return kept


@njit(nogil=True, cache=True)
def enter(count: int, found: PairBuffer, lists: Lists) -> None:
    """Enter the pairs found into both users' lists."""
    row, neighbours, stretch, worst = lists.row, lists.neighbours, lists.stretch, lists.worst
    last = stretch.shape[1] - 1
    for p in range(count):
        effort = found.effort[p]
        for user, b in ((found.a[p], found.b[p]), (found.b[p], found.a[p])):
            other = row[b]
            if effort > worst[user] or effort > stretch[user, last]:
                continue
            if effort == stretch[user, last] and other > neighbours[user, last]:
                continue
            at = last
            while at > 0 and (
                effort < stretch[user, at - 1]
                or (effort == stretch[user, at - 1] and other < neighbours[user, at - 1])
            ):
                stretch[user, at] = stretch[user, at - 1]
                neighbours[user, at] = neighbours[user, at - 1]
                at -= 1
            stretch[user, at] = effort
            neighbours[user, at] = other
            worst[user] = min(worst[user], stretch[user, last])


@njit(nogil=True, cache=True)
def search_pairs(
    packed: Packed, pair_a: IntArray, pair_b: IntArray, worst: FloatArray, found: PairBuffer
) -> int:
    """Search given pairs a < b, like :func:`search_tile` but without the bound."""
    kept = 0
    unknown = Ahead(0.0, NO_FLOOR, NO_EXTRA, 0)
    for p in range(len(pair_a)):
        a, b = pair_a[p], pair_b[p]
        limit = max(worst[a], worst[b]) + SLACK
        if limit < SLACK:
            continue
        effort = fingerprint_effort(packed, a, b, limit, found.nearest, unknown, unknown)
        if effort <= worst[a] or effort <= worst[b]:
            found.a[kept] = a
            found.b[kept] = b
            found.effort[kept] = effort
            kept += 1
    return kept
