"""Frequency-sensitive competitive learning: centroids share the antennas out.

Source: Ahalt et al. 1990, as de Montjoye et al. 2013 use it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import FloatArray, IntArray


@njit(nogil=True, cache=True)
def compete(
    x: FloatArray, y: FloatArray, cx: FloatArray, cy: FloatArray, wins: FloatArray,
    order: IntArray, rate: float, fade: float,
) -> None:  # fmt: skip
    """One pass: each antenna, in order, is won, and its winner moves towards it by ``rate``.

    Changes ``cx``, ``cy`` and ``wins``. ``rate`` is multiplied by ``fade`` after every antenna.
    """
    for i in order:
        j = winner(x[i], y[i], cx, cy, wins)
        wins[j] += 1.0
        cx[j] += rate * (x[i] - cx[j])
        cy[j] += rate * (y[i] - cy[j])
        rate *= fade


@njit(nogil=True, cache=True)
def assign(
    x: FloatArray, y: FloatArray, cx: FloatArray, cy: FloatArray, wins: FloatArray
) -> IntArray:
    """The winner of every antenna, with centroids and wins as they are."""
    out = np.empty(len(x), np.int64)
    for i in range(len(x)):
        out[i] = winner(x[i], y[i], cx, cy, wins)
    return out


@njit(nogil=True, cache=True)
def winner(x: float, y: float, cx: FloatArray, cy: FloatArray, wins: FloatArray) -> int:
    """The centroid j with the smallest n_j·‖(x, y) − c_j‖²; the first of equals."""
    best = 0
    least = np.inf
    for j in range(len(cx)):
        cost = wins[j] * ((x - cx[j]) ** 2 + (y - cy[j]) ** 2)
        if cost < least:
            least = cost
            best = j
    return best
