"""Lower bounds on a fingerprint's distance from places and times, for a search for neighbours.

**Boxes.** Along one axis, let the cells a and b have the weights w_a + w_b = 1. With terms
collected, the stretch of docs/science.md, “Stretch effort”, is

    φ = max(e_a, e_b) − min(s_a, s_b) − w_a·(e_a − s_a) − w_b·(e_b − s_b)
      = [max(e_a, e_b) − w_a·e_a − w_b·e_b] + [w_a·s_a + w_b·s_b − min(s_a, s_b)],

where s are the starts and e the ends. The first bracket depends on ``e_a − e_b`` only, so φ does
not change when all ends are lowered by the smallest extent of any cell. The rest of a cell is its
*core*; for a raw sample it is a point. Let c be the middle of a core and h half its length. The
span of both cores is the first two terms of φ. It reaches at least from the start of the core with
the lower middle to the end of the other core. So it is at least ``|c_a − c_b| + h_a + h_b``, and at
least 2·h_b. It follows that

    (A)  φ ≥ |c_a − c_b| + (w_b − w_a)·(h_a − h_b),
    (B)  φ ≥ 2·w_a·(h_b − h_a),      and the same with a and b exchanged.

Both hold for x and y together if the distance of the middles is the taxicab distance, and h is half
the width plus half the height. For points, (A) is φ itself.

**The bound.** As in :mod:`.kgap_search`, ``min_j δ(i,j) ≥ min_j w_s·min(φ_s/δs_max, 1) + min_j
w_t·min(φ_t/δt_max, 1)``, and the mean over the samples of the longer fingerprint bounds Δ. Let q be
the query, p a member, d = w_q − w_p, all in units of effort. Let a *feature* f be a rectangle of
places or a bin of time; the *reach* r of a sample is the distance of its middle from its feature.

- *Longer: p.* For members of weight class c, with j over the samples of q, let
  ``near[c, f] ≤ min_j (dist(f, c_j) − d·h_j)`` and
  ``wide[c, f] ≤ min_j max(dist(f, c_j) − d·h_j, 2·w_p·h_j)``. A sample i of p in f costs at least
  ``near[c, f] − r + d·h_i`` by (A), and ``wide[c, f] − r − 2·w_p·h_i`` by (A) and (B), as −d is at
  most 2·w_p.
- *Longer: q.* Let ``floor[0, f, p] ≤ min_j dist(f, c_j)`` with j over the samples of p, and H the
  largest of their half-lengths. A sample i of q in f costs at least ``floor[0, f, p] − r − d·h_i +
  min(d, 0)·H`` by (A), and ``2·w_p·(h_i − H)`` by (B). Further let ``floor[1, f, p] ≤ min_j
  max(dist(f, c_j) + d·h_j, 2·w_q·h_j)``, for the lightest possible query: both terms only grow with
  w_q. As above, i costs at least ``floor[1, f, p] − r − 2·w_q·h_i``.

Every cost is capped at w_s or w_t, as δ is. For raw samples, h and r are 0.

Floors and sums have 32 bits, and the floors stored for members have 8 bits, because memory access
limits the speed. Bounds are lowered by more than the possible error. A member is skipped only if
its bound exceeds the last effort of a full list.

**Wide boxes.** The sweep of :func:`.stretch.effort_of_boxes` outwards in time stops when time alone
costs too much. Between boxes that are wide compared with the thresholds, it would stop late or
never. So the search uses :func:`smallest_cost`, which compares a sample with every sample of a
fingerprint, in a loop that the compiler vectorizes. The efforts are equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallFloats, SmallInts, Steps
from .kgap_search import Features
from .kgap_search import fill_floor as fill_floor_of_points
from .stretch import STEPS, Packed

WIDTH = 128  # members of a tile: a row of its floors stays within a few cache lines


class Rows(NamedTuple):
    """Features of each fingerprint's samples, at most two per sample, with shares and distances."""

    offsets: IntArray  # (fingerprints+1,)
    feature: SmallInts
    share: SmallFloats  # of the fingerprint's samples
    reach: SmallFloats  # in units of effort, like ``half``
    half: SmallFloats


class Slots(NamedTuple):
    """Fingerprints, numbered in order of entry, and the slots of the ones still to be merged."""

    packed: Packed
    features: Features
    rows: Rows
    least: tuple[float, float, float]  # smallest dx, dy, dt of any cell
    first: IntArray  # (fingerprints,) smallest row number of its users: decides ties
    largest: SmallFloats  # (fingerprints, 2) half the largest sample's size in space and in time
    kind: SmallInts  # (fingerprints,) class of its weight
    weight_of: FloatArray  # (classes,)
    n_points: int  # fingerprints before this one are raw: one row per feature, not per sample
    member: IntArray  # (tiles·WIDTH,) fingerprint in each slot, −1 = none
    coarse: Steps  # (tiles, tables, features, WIDTH): the members' floors in steps, rounded down


@njit(nogil=True, cache=True)
def fill_floor(slots: Slots, u: int, floor: SmallFloats) -> None:
    """Set the floors of fingerprint u as a member: ``floor[0]``, and ``floor[1]`` if it exists.

    Floors are lower bounds on the distance of the fingerprint from each feature, as efforts.
    """
    packed, features, scale = slots.packed, slots.features, slots.packed.scale
    if u < slots.n_points:  # raw: by its few places, and in one sweep through time
        column = floor[0].reshape((floor.shape[1], 1))
        fill_floor_of_points(packed, features, u, u + 1, column)
        floor[1:] = floor[0]
        return
    n_cells = len(features.cell_x0)
    size = n_cells + features.n_bins
    near, wide = np.full(size, np.inf), np.full(size, np.inf)
    away = np.empty(size)
    lightest = slots.weight_of[0]
    part = lightest / (lightest + packed.weight[u])
    for j in range(packed.offsets[u], packed.offsets[u + 1]):
        in_space, in_time = _distances(slots, j, away)
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
def keep_coarsely(slots: Slots, slot: int, floor: SmallFloats) -> None:
    """Write a member's floors into its slot, rounded down by a little more than needed."""
    tile, column = slot // WIDTH, slot % WIDTH
    n_cells = len(slots.features.cell_x0)
    for table in range(floor.shape[0]):
        for f in range(floor.shape[1]):
            cap = slots.packed.scale.w_space if f < n_cells else slots.packed.scale.w_time
            steps = STEPS * floor[table, f] / cap - 1e-3 if cap > 0.0 else 0.0
            slots.coarse[tile, table, f, column] = np.uint8(max(steps, 0.0))


@njit(nogil=True, cache=True)
def fill_own(slots: Slots, u: int, own: SmallFloats) -> None:
    """Write the query's ``near[c, f]`` to ``own[0, c, f]`` and its ``wide[c, f]`` to ``own[1]``."""
    packed, features, scale = slots.packed, slots.features, slots.packed.scale
    n_cells = len(features.cell_x0)
    size = n_cells + features.n_bins
    kinds = len(slots.weight_of)
    near, wide = np.full((kinds, size), np.inf), np.full((kinds, size), np.inf)
    away = np.empty(size)
    for j in range(packed.offsets[u], packed.offsets[u + 1]):
        in_space, in_time = _distances(slots, j, away)
        for c in range(kinds):
            part = slots.weight_of[c] / (slots.weight_of[c] + packed.weight[u])
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
def _distances(slots: Slots, j: int, away: FloatArray) -> tuple[float, float]:
    """Set a sample's distances to all features; return half its core's extent in space and in time.

    All of these are in units of effort.
    """
    packed, features, scale = slots.packed, slots.features, slots.packed.scale
    x0, x1, y0, y1 = features.cell_x0, features.cell_x1, features.cell_y0, features.cell_y1
    less_x, less_y, less_t = slots.least
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
    in_space = (packed.dx[j] - less_x + packed.dy[j] - less_y) / 2.0
    in_space *= scale.w_space / scale.max_space
    return in_space, (packed.dt[j] - less_t) / 2.0 * scale.w_time / scale.max_time


@njit(nogil=True, cache=True)
def describe(slots: Slots, u: int) -> None:
    """Set the rows of a fingerprint of boxes: the cell and the bin nearest each sample's middle."""
    packed, features, rows, scale = slots.packed, slots.features, slots.rows, slots.packed.scale
    part = slice(rows.offsets[u], rows.offsets[u + 1])
    feature, share = rows.feature[part], rows.share[part]
    reach, half = rows.reach[part], rows.half[part]
    largest = slots.largest[u]
    less_x, less_y, less_t = slots.least
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
    share[:] = 1.0 / m


@njit(nogil=True, cache=True)
def _raised(effort: float, size: float) -> float:
    """Return the effort, raised by more than the possible 32-bit errors of effort and size."""
    return effort * (1.0 + 1e-6) + size * 2e-6 + 2e-6


@njit(nogil=True, cache=True)
def smallest_cost(packed: Packed, i: int, b: int, na: float, nb: float, costs: FloatArray) -> float:
    """Return the smallest stretch effort δ of sample i to any sample of fingerprint b.

    The two fingerprints represent ``na`` and ``nb`` users. ``costs`` is scratch.
    """
    b0, b1 = packed.offsets[b], packed.offsets[b + 1]
    bx, by, bt = packed.x[b0:b1], packed.y[b0:b1], packed.t[b0:b1]
    bdx, bdy, bdt = packed.dx[b0:b1], packed.dy[b0:b1], packed.dt[b0:b1]
    wa = na / (na + nb)
    wb = 1.0 - wa
    scale, w_space, w_time = packed.scale, packed.scale.w_space, packed.scale.w_time
    space_unit, time_unit = w_space / scale.max_space, w_time / scale.max_time
    x, y, t = packed.x[i], packed.y[i], packed.t[i]
    x_end, y_end, t_end = x + packed.dx[i], y + packed.dy[i], t + packed.dt[i]
    own_span, own_wait = wa * (packed.dx[i] + packed.dy[i]), wa * packed.dt[i]
    n = b1 - b0
    # stretch.stretch_1d is written out, with all costs first and the smallest afterwards: only then
    # do compilers turn the loop into wide instructions.
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
