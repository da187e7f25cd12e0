"""Stretch effort of fingerprints of boxes that are wide against the thresholds.

The same numbers as :func:`.stretch.fingerprint_effort`, which sweeps outwards in time and stops
where time alone costs too much. Between wide boxes that is late or never. Here all pairs of samples
are looked at, in a loop that the processor does several at a time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import FloatArray
from .stretch import ROUND, Packed, Scale


@njit(nogil=True, cache=True)
def effort_of_boxes(
    packed: Packed, scale: Scale, a: int, b: int, limit: float, costs: FloatArray
) -> float:
    """Δ_ab of fingerprints of boxes, rounded; infinity once it is sure to exceed ``limit``.

    ``costs`` is scratch, as long as the longest fingerprint.
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
    return np.rint(effort * ROUND) / ROUND


@njit(nogil=True, cache=True)
def _directed_plainly(
    packed: Packed, scale: Scale, a: int, b: int, limit: float, costs: FloatArray
) -> float:
    a0, a1 = packed.offsets[a], packed.offsets[a + 1]
    stop = limit * (a1 - a0)
    total = 0.0
    for i in range(a0, a1):
        total += smallest_cost(packed, scale, i, b, packed.weight[a], packed.weight[b], costs)
        if total > stop:
            return np.inf
    return total / (a1 - a0)


@njit(nogil=True, cache=True)
def smallest_cost(
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
