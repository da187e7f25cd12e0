"""How unevenly a list of numbers is spread: Gini coefficient and tail weight.

Source: Gramaglia & Fiore 2015, §4.3.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numba import njit

from ..model.arrays import FloatArray

# (Φ⁻¹(.99) − Φ⁻¹(.5)) / (Φ⁻¹(.75) − Φ⁻¹(.5)); Φ⁻¹(.5) is 0.
_NORMAL_TAIL = NormalDist().inv_cdf(0.99) / NormalDist().inv_cdf(0.75)


@njit(nogil=True, cache=True)
def gini_of_sorted(values: FloatArray) -> float:
    """G = 2·Σ i·s_i / (N·Σ s_i) − (N+1)/N for ascending, non-negative values; all zero → 0."""
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
    """Tail weight index of ascending values; NaN where the quartile equals the median."""
    middle = _quantile(values, 0.5)
    near = _quantile(values, 0.75) - middle
    if near == 0.0:
        return np.nan
    return (_quantile(values, 0.99) - middle) / near / _NORMAL_TAIL


@njit(nogil=True, cache=True)
def _quantile(values: FloatArray, q: float) -> float:
    """Inverse of the empirical CDF, with numpy's own arithmetic for ``inverted_cdf``."""
    return values[max(0, int(np.ceil(len(values) * q - 1.0)))]
