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
bound. Memory access limits the speed, so ``floor`` is kept in 255 *steps* of the larger weight,
rounded down. Shares are kept as numbers of samples, so that sums are whole and exact.

**The second bound** is for the pairs that the first bound does not exclude. It combines place and
time. Let the sample i be in the *window* W of time. It costs less than w_t in time only with
samples of b that lie less than ``max_time`` from W. Let ``near`` be b's floor of i's cell, and
``wait`` b's floor of i's bin. Let ``near + extra[cell, W]`` be at most the smallest weighted
distance from the cell to *these* samples. Each of these costs at least ``near + extra + wait``, and
any other sample at least ``near + w_t``. It follows that

    min_j δ(i,j)  ≥  near + wait + min(extra[cell, W], w_t − wait).

The last term, averaged over a's samples, is added to the bound. ``extra`` is kept in steps, too: it
is the smallest distance, rounded down, minus the floor, rounded down.

The same floors, sample by sample, let the exact computation stop early: each remaining term of a
sum is at least its floor.

A pair is skipped only if the bound exceeds the (k−1)th smallest effort so far of both users. So no
pair that could belong to either list is missed, whatever the order of the tiles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray, SmallFloats, SmallInts, Steps, Sums
from .stretch import STEPS, Ahead, Packed, fingerprint_effort

SLACK = 1e-9  # on efforts computed in 64 bits
_AT_ONCE = 16  # fewer columns than a 16th of a row are added one by one: a guess, not tuned
NO_FLOOR = np.zeros((1, 1), np.uint8)
_NARROW = 65_535 // (2 * STEPS)  # samples whose floors add up to 16 bits at most
NO_EXTRA = np.zeros((0, 0), np.uint8)


class Features(NamedTuple):
    """Cells of places and bins of time, and each user's samples in them."""

    offsets: IntArray  # (n+1,) features of user u: offsets[u]:offsets[u+1]
    feature: SmallInts  # cells are 0 … n_cells−1, bins follow
    samples: SmallInts  # of the user in the feature
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
    """Pairs a < b of the users a_first … a_last−1 and the users b_first … b_last−1."""

    a_first: int
    a_last: int
    b_first: int
    b_last: int


class Floors(NamedTuple):
    """Floors, in steps, of the users a and b of a tile's pairs.

    ``extra`` belongs to the users b, and may be empty. The floors of the users a are used only for
    pairs of equal length.
    """

    b: Steps
    a: Steps
    extra: Steps


class Lists(NamedTuple):
    """For each user, the users found so far, nearest first; ``row`` has the list owners' rows."""

    row: IntArray
    neighbours: IntArray
    stretch: FloatArray
    worst: FloatArray  # effort above which nothing enters the list


class PairBuffer(NamedTuple):
    """Buffers for the pairs found in a tile, and scratch memory of one worker."""

    a: SmallInts
    b: SmallInts
    effort: FloatArray
    bound: Sums  # (tile width,) in steps
    narrow: Sums  # (tile width,) the same in 16 bits
    nearest: FloatArray  # (most places of any user,)


@njit(nogil=True, cache=True)
def fill_floor(
    packed: Packed, features: Features, first: int, last: int, floor: SmallFloats
) -> None:
    """Set ``floor[f, b − first]``: the floor of feature f for each user ``first ≤ b < last``."""
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
def step_of(packed: Packed) -> float:
    """Return the unit of floors kept in 8 bits, as an effort."""
    return max(packed.scale.w_space, packed.scale.w_time) / STEPS


@njit(nogil=True, cache=True)
def _steps(cost: float, cap: float, step: float) -> int:
    """Return a cost in steps, rounded down; below the cap, a margin for errors is subtracted."""
    return int(cap / step + 1e-9) if cost >= cap else int(max(cost / step - 1e-3, 0.0))


@njit(nogil=True, cache=True)
def fill_steps(packed: Packed, features: Features, first: int, last: int, steps: Steps) -> None:
    """Set ``steps[f, b − first]``: the floor of feature f for user b in steps, rounded down."""
    scale, step, n_cells = packed.scale, step_of(packed), len(features.cell_x0)
    floor = np.empty((len(steps), 1), np.float32)
    for b in range(first, last):
        fill_floor(packed, features, b, b + 1, floor)
        for f in range(len(steps)):
            cap = np.float32(scale.w_space if f < n_cells else scale.w_time)
            steps[f, b - first] = _steps(float(floor[f, 0]), float(cap), step)


@njit(nogil=True, cache=True)
def fill_extra(
    packed: Packed, features: Features, floor: Steps, first: int, last: int, extra: Steps
) -> None:
    """Set ``extra[window · cells + cell, b − first]``, in steps above the users' ``floor``."""
    scale, n_cells, step = packed.scale, len(features.cell_x0), step_of(packed)
    space_unit = scale.w_space / scale.max_space
    cap = _steps(scale.w_space, scale.w_space, step)
    most = 0
    for b in range(first, last):
        most = max(most, packed.place_offsets[b + 1] - packed.place_offsets[b])
    away = np.empty((most, n_cells), np.uint8)
    within = np.empty(n_cells, np.uint8)
    seen = np.empty(most, np.int64)
    for b in range(first, last):
        q0, places = packed.place_offsets[b], packed.place_offsets[b + 1] - packed.place_offsets[b]
        for q in range(places):
            x, y = packed.px[q0 + q], packed.py[q0 + q]
            for f in range(n_cells):
                gap = max(features.cell_x0[f] - x, x - features.cell_x1[f], 0.0)
                gap += max(features.cell_y0[f] - y, y - features.cell_y1[f], 0.0)
                away[q, f] = _steps(space_unit * gap, scale.w_space, step)
        seen[:] = -1
        begin, end = packed.offsets[b], packed.offsets[b]
        for window in range(features.n_windows):
            start = features.bin_start + window * features.window_width
            while begin < packed.offsets[b + 1] and packed.t[begin] <= start - scale.max_time:
                begin += 1
            start += features.window_width + scale.max_time
            while end < packed.offsets[b + 1] and packed.t[end] < start:
                end += 1
            within[:] = cap
            for j in range(begin, end):
                q = packed.place[j]
                if seen[q] != window:
                    seen[q] = window
                    for f in range(n_cells):
                        within[f] = min(within[f], away[q, f])
            for f in range(n_cells):
                lowest = floor[f, b - first]
                extra[window * n_cells + f, b - first] = max(within[f], lowest) - lowest


@njit(nogil=True, cache=True)
def _add_floors(feature: SmallInts, count: SmallInts, floor: Steps, bound: Sums) -> None:
    """Set ``bound`` of each column to the sum of counts times floors."""
    bound[:] = 0
    for f in range(len(feature)):
        row = floor[feature[f]]
        for column in range(len(bound)):
            bound[column] += count[f] * row[column]


@njit(nogil=True, cache=True)
def _may_enter(
    bound: Sums, unit: float, limit: float, limits: FloatArray, passes: BoolArray
) -> None:
    """Set ``passes``: whether the bound allows an effort within either user's limit."""
    for column in range(len(bound)):
        passes[column] = bound[column] * unit <= max(limit, limits[column])


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
    """Find a tile's pairs a < b whose effort may enter a list; return their number.

    Pairs already ``known`` are skipped.

    Users are numbered longest first, so a is never shorter than b. ``worst[u]`` is the effort above
    which nothing enters u's list, negative for users not measured. Unless ``exact``, the bounds are
    stored instead of the efforts.
    """
    floor, a_floor, extra = floors.b, floors.a, floors.extra
    a_first, b_first, b_last = tile.a_first, tile.b_first, tile.b_last
    kept = 0
    width = b_last - b_first
    step = step_of(packed)
    most_wait = _steps(packed.scale.w_time, packed.scale.w_time, step)
    wide, narrow = found.bound[:width], found.narrow[:width]
    limits = worst[b_first:b_last] + SLACK
    passes = np.empty(width, np.bool_)
    measured = np.flatnonzero(limits >= SLACK)
    everyone = np.arange(width)
    for a in range(a_first, tile.a_last):
        # A user who is not measured matters only to measured users, and these may be few.
        columns = everyone if worst[a] >= 0.0 else measured
        if len(columns) == 0:
            continue
        own = slice(features.offsets[a], features.offsets[a + 1])
        feature, count = features.feature[own], features.samples[own]
        length = packed.offsets[a + 1] - packed.offsets[a]
        start = max(a + 1 - b_first, 0)
        if _AT_ONCE * len(columns) < width:
            for one in columns:
                wide[one] = 0
                for f in range(len(feature)):
                    wide[one] += count[f] * np.int64(floor[feature[f], one])
        elif length <= _NARROW:
            _add_floors(feature, count, floor, narrow)
            wide[:] = narrow
        else:
            _add_floors(feature, count, floor, wide)
        directions = 2.0 if len(a_floor) else 1.0  # both are used only for users of equal length
        _may_enter(wide, step / (directions * length), worst[a] + SLACK, limits, passes)
        at, end = known.offsets[a], known.offsets[a + 1]
        for column in range(start, width):
            if not passes[column]:
                continue
            limit = max(worst[a] + SLACK, limits[column])
            to_b = float(wide[column]) * step
            b = b_first + column
            terms, total, to_a = float(length), to_b, 0.0
            if packed.offsets[b + 1] - packed.offsets[b] == length:
                terms *= 2.0
                for f in range(features.offsets[b], features.offsets[b + 1]):
                    steps = float(a_floor[features.feature[f], a - a_first])
                    to_a += float(features.samples[f]) * steps * step
                total += to_a
            if total > limit * terms:
                continue
            if at < end:
                at += np.searchsorted(known.b[at:end], b)
                if at < end and known.b[at] == b:
                    continue
            rest = 0
            if len(extra):
                spare = (limit * terms - total) / step  # how much the sum may still grow
                for i in range(packed.offsets[a], packed.offsets[a + 1]):
                    wait = most_wait - int(floor[packed.bin[i], column])
                    rest += min(wait, int(extra[packed.joint[i], column]))
                    if rest > spare:
                        break
                if rest > spare:
                    continue
            effort = total / terms
            if exact:
                effort = fingerprint_effort(
                    packed,
                    a,
                    b,
                    limit,
                    found.nearest,
                    Ahead(to_b + rest * step, floor, step, extra, b - b_first),
                    Ahead(to_a, a_floor, step, NO_EXTRA, a - a_first),
                )
            if effort <= worst[a] or effort <= worst[b]:
                found.a[kept] = a
                found.b[kept] = b
                found.effort[kept] = effort
                kept += 1
    return kept


@njit(nogil=True, cache=True)
def enter(count: int, found: PairBuffer, lists: Lists) -> None:
    """Enter the first ``count`` pairs of ``found`` into the lists of both users."""
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
    """Find the given pairs a < b whose effort may enter a list; return their number.

    The function does what :func:`search_tile` does, but without the bound.
    """
    kept = 0
    unknown = Ahead(0.0, NO_FLOOR, 0.0, NO_EXTRA, 0)
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
