"""Stretch effort between two fingerprints.

A *directed* effort is the mean, over the samples of ``a``, of the smallest δ to any sample of
``b``. Two kernels compute it. One serves samples that all have the same extent, so that the stretch
is a plain distance. The other serves any cells and weights. Both sweep ``b`` in time order outwards
from each sample of ``a``. They stop when time alone costs more than the best match so far. Matches
beyond ``max_time_min`` all cost ``w_time`` in time, so only their place matters. One pass finds the
best of them: over the few distinct places of ``b``, or over all samples if their extents differ.
This pass is made only for samples without a better match in time.

Both kernels give up on a pair, and return infinity, once the sum so far shows that the mean exceeds
``limit``. For equal extents, a lower bound for the remaining samples is added to the sum.

Source: Gramaglia & Fiore 2015, eq. 1–4; docs/science.md, “Stretch effort”.

The module also computes the Gini coefficient and the tail weight of a list of numbers.

Source: Gramaglia & Fiore 2015, §4.3.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray, SmallFloats, SmallInts, Steps


class Scale(NamedTuple):
    """Weights of the stretch effort, and the stretch (m, minutes) at which each part is full."""

    w_space: float
    w_time: float
    max_space: float
    max_time: float


class Packed(NamedTuple):
    """Fingerprints in the kernels' form; user u has samples offsets[u]:offsets[u+1]."""

    equal: bool  # all samples have the same extent: efforts are plain distances
    offsets: IntArray
    t: FloatArray
    x: FloatArray
    y: FloatArray
    dt: FloatArray
    dx: FloatArray
    dy: FloatArray
    weight: FloatArray  # (n,) number of users that each fingerprint stands for
    place: IntArray  # (n_samples,) number of the sample's place among its user's places
    place_offsets: IntArray
    px: FloatArray  # distinct places (lower corners) of user u: place_offsets[u]:place_offsets[u+1]
    py: FloatArray
    cell: SmallInts  # (n_samples,) feature of the place, and of the time: see kgap_search
    bin: SmallInts
    joint: SmallInts  # (n_samples,) feature of both: the cell of places in a window
    scale: Scale


# Efforts are rounded to this many units so that mathematically equal efforts, summed in a different
# order, tie and the lower row number wins; six orders of magnitude below the accuracy promised.
ROUND = 1e12
ERR32 = 2.0**-23  # twice the relative error of one 32-bit operation
STEPS = 255  # of floors kept in 8 bits


class Ahead(NamedTuple):
    """Known lower bounds on a directed effort, for stopping its computation early."""

    total: float  # at most the sum over a's samples of the smallest δ to b; 0 when not known
    floor: SmallFloats | Steps  # (cell's floor + bin's floor) · unit ≤ a sample's smallest δ
    unit: float
    extra: Steps  # extra[joint, column] · unit more in space, or w_time in time; may be empty
    column: int


@njit(nogil=True, cache=True)
def fingerprint_effort(
    packed: Packed, a: int, b: int, limit: float, nearest: FloatArray, to_b: Ahead, to_a: Ahead
) -> float:
    """Return Δ_ab, rounded so that ties are exact; infinity if it must exceed ``limit``.

    Fingerprint a must not be shorter than b. Δ_ab is the effort from a to b; for equal lengths, it
    is the mean of both directions. ``to_b`` and ``to_a`` are the bounds known for each direction.
    ``nearest`` is scratch, as long as the largest number of places of a user.
    """
    if packed.equal:
        return effort_of_points(packed, a, b, limit, nearest, to_b, to_a)
    return effort_of_boxes(packed, a, b, limit)


@njit(nogil=True, cache=True)
def effort_of_boxes(packed: Packed, a: int, b: int, limit: float) -> float:
    """Return Δ_ab of two fingerprints of any extents, rounded; infinity if above ``limit``."""
    length = packed.offsets[a + 1] - packed.offsets[a]
    size = packed.offsets[b + 1] - packed.offsets[b]
    if length < size:
        a, b = b, a
    if length != size:
        effort = _directed_boxes(packed, a, b, limit)
    else:
        effort = _directed_boxes(packed, a, b, 2.0 * limit)
        if effort < np.inf:
            rest = 2.0 * limit - effort
            effort = (effort + _directed_boxes(packed, b, a, rest)) / 2.0
    return np.rint(effort * ROUND) / ROUND


@njit(nogil=True, cache=True)
def effort_of_points(
    packed: Packed, a: int, b: int, limit: float, nearest: FloatArray, to_b: Ahead, to_a: Ahead
) -> float:
    """Return :func:`fingerprint_effort` of two fingerprints whose samples all have one extent."""
    length = packed.offsets[a + 1] - packed.offsets[a]
    if packed.offsets[b + 1] - packed.offsets[b] < length:
        effort = _directed_points(packed, a, b, limit, nearest, to_b)
    else:
        least = to_a.total / length
        effort = _directed_points(packed, a, b, 2.0 * limit - least, nearest, to_b)
        if effort < np.inf:
            rest = 2.0 * limit - effort
            effort = (effort + _directed_points(packed, b, a, rest, nearest, to_a)) / 2.0
    return np.rint(effort * ROUND) / ROUND


@njit(nogil=True, cache=True)
def _directed_points(
    packed: Packed, a: int, b: int, limit: float, nearest: FloatArray, known: Ahead
) -> float:
    t, x, y, scale = packed.t, packed.x, packed.y, packed.scale
    px, py = packed.px, packed.py
    a0, a1 = packed.offsets[a], packed.offsets[a + 1]
    b0, b1 = packed.offsets[b], packed.offsets[b + 1]
    q0, q1 = packed.place_offsets[b], packed.place_offsets[b + 1]
    for p in range(packed.place_offsets[a + 1] - packed.place_offsets[a]):
        nearest[p] = -1.0
    w_space, w_time, max_time = scale.w_space, scale.w_time, scale.max_time
    space_unit = w_space / scale.max_space
    time_unit = w_time / max_time
    stop = limit * (a1 - a0)
    total = 0.0
    ahead = known.total
    in_both = known.extra.shape[0] > 0
    begin = b0
    for i in range(a0, a1):
        ti, xi, yi = t[i], x[i], y[i]
        while begin < b1 and t[begin] < ti:
            begin += 1
        near = 0.0  # least cost of the place alone
        if ahead > 0.0:
            floor = known.floor[packed.cell[i], known.column] * known.unit
            wait = known.floor[packed.bin[i], known.column] * known.unit
            near = floor * (1.0 - ERR32)
            if in_both:
                floor += min(w_time - wait, known.extra[packed.joint[i], known.column] * known.unit)
            ahead -= (floor + wait) * (1.0 + ERR32)
        best = w_space + w_time
        for j in range(begin, b1):
            gap = t[j] - ti
            effort = gap * time_unit
            if gap >= max_time or effort + near >= best:
                break
            effort += min(space_unit * (abs(xi - x[j]) + abs(yi - y[j])), w_space)
            best = min(best, effort)
        for j in range(begin - 1, b0 - 1, -1):
            gap = ti - t[j]
            effort = gap * time_unit
            if gap >= max_time or effort + near >= best:
                break
            effort += min(space_unit * (abs(xi - x[j]) + abs(yi - y[j])), w_space)
            best = min(best, effort)
        if best > w_time:
            p = packed.place[i]
            if nearest[p] < 0:
                found = np.inf
                for q in range(q0, q1):
                    found = min(found, abs(xi - px[q]) + abs(yi - py[q]))
                nearest[p] = min(space_unit * found, w_space)
            best = min(best, w_time + nearest[p])
        total += best
        if total + max(ahead, 0.0) > stop:
            return np.inf
    return total / (a1 - a0)


@njit(nogil=True, cache=True)
def stretch_1d(a: float, da: float, b: float, db: float, wa: float, wb: float) -> float:
    """Return φ*: how much the cells [a, a+da) and [b, b+db) must stretch to coincide.

    It is the weighted sum of the two one-sided stretches, with terms collected: the span of both
    cells, minus each cell's own extent times its weight (wa + wb = 1).
    """
    return max(a + da, b + db) - min(a, b) - wa * da - wb * db


@njit(nogil=True, cache=True)
def _directed_boxes(packed: Packed, a: int, b: int, limit: float) -> float:
    """Return the directed effort for cells of any extent.

    Bounds on φ_t that grow with the distance stop the sweep:

    If t_b ≥ t_a, the span of both cells reaches at least from t_a to t_b + dt_b. So φ_t ≥ (t_b −
    t_a) + w_a·(dt_b − dt_a), where dt_b is at least b's shortest duration.

    If t_b ≤ t_a, then φ_t ≥ (t_a − t_b) + w_b·(dt_a − dt_b) for the same reason. Here, dt_b is at
    most b's longest duration.
    """
    t, x, y, scale = packed.t, packed.x, packed.y, packed.scale
    dt, dx, dy = packed.dt, packed.dx, packed.dy
    a0, a1 = packed.offsets[a], packed.offsets[a + 1]
    b0, b1 = packed.offsets[b], packed.offsets[b + 1]
    wa = packed.weight[a] / (packed.weight[a] + packed.weight[b])
    wb = 1.0 - wa
    w_space, w_time, max_time = scale.w_space, scale.w_time, scale.max_time
    space_unit = w_space / scale.max_space
    time_unit = w_time / max_time
    stop = limit * (a1 - a0)
    shortest, longest = np.inf, 0.0
    for j in range(b0, b1):
        shortest = min(shortest, dt[j])
        longest = max(longest, dt[j])
    total = 0.0
    begin = b0
    for i in range(a0, a1):
        ti, dti = t[i], dt[i]
        while begin < b1 and t[begin] < ti:
            begin += 1
        best = w_space + w_time
        for j in range(begin, b1):
            least = t[j] - ti + wa * (shortest - dti)
            if least >= max_time or least * time_unit >= best:
                break
            effort = min(time_unit * stretch_1d(ti, dti, t[j], dt[j], wa, wb), w_time)
            span = stretch_1d(x[i], dx[i], x[j], dx[j], wa, wb)
            span += stretch_1d(y[i], dy[i], y[j], dy[j], wa, wb)
            best = min(best, effort + min(space_unit * span, w_space))
        for j in range(begin - 1, b0 - 1, -1):
            least = ti - t[j] + wb * (dti - longest)
            if least >= max_time or least * time_unit >= best:
                break
            effort = min(time_unit * stretch_1d(ti, dti, t[j], dt[j], wa, wb), w_time)
            span = stretch_1d(x[i], dx[i], x[j], dx[j], wa, wb)
            span += stretch_1d(y[i], dy[i], y[j], dy[j], wa, wb)
            best = min(best, effort + min(space_unit * span, w_space))
        if best > w_time:
            found = np.inf
            for j in range(b0, b1):
                span = stretch_1d(x[i], dx[i], x[j], dx[j], wa, wb)
                span += stretch_1d(y[i], dy[i], y[j], dy[j], wa, wb)
                found = min(found, span)
            best = min(best, w_time + min(space_unit * found, w_space))
        total += best
        if total > stop:
            return np.inf
    return total / (a1 - a0)


@njit(nogil=True, cache=True)
def match_samples(
    packed: Packed, a: int, b: int, matched: IntArray, space: FloatArray, time: FloatArray
) -> None:
    """Match each sample of user ``a`` to the sample of user ``b`` with the smallest δ.

    Of samples with equal δ, the earlier one is taken.

    ``matched`` receives the rows of these samples in ``packed``. ``space`` and ``time`` receive the
    weighted parts of δ, w_s·δ_s and w_t·δ_t. All three have one entry per sample of ``a``. The
    kernel is a plain double loop, because it runs for few pairs only.
    """
    a0, a1 = packed.offsets[a], packed.offsets[a + 1]
    b0, b1 = packed.offsets[b], packed.offsets[b + 1]
    wa = packed.weight[a] / (packed.weight[a] + packed.weight[b])
    wb = 1.0 - wa
    scale = packed.scale
    space_unit = scale.w_space / scale.max_space
    time_unit = scale.w_time / scale.max_time
    for i in range(a0, a1):
        best = np.inf
        for j in range(b0, b1):
            span = stretch_1d(packed.x[i], packed.dx[i], packed.x[j], packed.dx[j], wa, wb)
            span += stretch_1d(packed.y[i], packed.dy[i], packed.y[j], packed.dy[j], wa, wb)
            in_space = min(space_unit * span, scale.w_space)
            wait = stretch_1d(packed.t[i], packed.dt[i], packed.t[j], packed.dt[j], wa, wb)
            in_time = min(time_unit * wait, scale.w_time)
            # A match better by less than the rounding of efforts is a tie; the earlier one is kept.
            if in_space + in_time < best - 1.0 / ROUND:
                best = in_space + in_time
                matched[i - a0] = j
                space[i - a0] = in_space
                time[i - a0] = in_time


@njit(nogil=True, cache=True)
def pooled_components(
    packed: Packed, a: int, neighbours: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the parts of δ in space and in time for all matched samples of a and its neighbours.

    For each neighbour in turn, each sample of the longer fingerprint is matched to a sample of the
    other. If both are equally long, a counts as the longer one.
    """
    length_a = packed.offsets[a + 1] - packed.offsets[a]
    size = 0
    for b in neighbours:
        size += max(length_a, packed.offsets[b + 1] - packed.offsets[b])
    matched = np.empty(size, np.int64)
    space = np.empty(size)
    time = np.empty(size)
    at = 0
    for b in neighbours:
        length_b = packed.offsets[b + 1] - packed.offsets[b]
        size = max(length_a, length_b)
        part = slice(at, at + size)
        if length_a >= length_b:
            match_samples(packed, a, b, matched[part], space[part], time[part])
        else:
            match_samples(packed, b, a, matched[part], space[part], time[part])
        at += size
    return space, time


# (Φ⁻¹(.99) − Φ⁻¹(.5)) / (Φ⁻¹(.75) − Φ⁻¹(.5)); Φ⁻¹(.5) is 0.
_NORMAL_TAIL = NormalDist().inv_cdf(0.99) / NormalDist().inv_cdf(0.75)


@njit(nogil=True, cache=True)
def gini_of_sorted(values: FloatArray) -> float:
    """Return G = 2·Σ i·s_i / (N·Σ s_i) − (N+1)/N for ascending values ≥ 0; 0 if all are 0."""
    n = len(values)
    total = 0.0
    ranked = 0.0
    for i in range(n):
        total += values[i]
        ranked += (i + 1) * values[i]
    if total == 0.0:
        return 0.0
    return max(0.0, 2.0 * ranked / (n * total) - (n + 1.0) / n)


@njit(nogil=True, cache=True)
def tail_weight_of_sorted(values: FloatArray) -> float:
    """Return the tail weight index of ascending values; NaN if the upper quartile is the median."""
    middle = _quantile(values, 0.5)
    near = _quantile(values, 0.75) - middle
    if near == 0.0:
        return np.nan
    return (_quantile(values, 0.99) - middle) / near / _NORMAL_TAIL


@njit(nogil=True, cache=True)
def _quantile(values: FloatArray, q: float) -> float:
    """Return the inverse of the empirical CDF, computed like numpy's ``inverted_cdf``."""
    return values[max(0, int(np.ceil(len(values) * q - 1.0)))]
