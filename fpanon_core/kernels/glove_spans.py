"""Which published sample holds each original one, and how wide it is."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray


@njit(nogil=True, cache=True)
def spans_of_holders(
    offsets: IntArray, t: FloatArray, dt: FloatArray, gone: BoolArray, group: IntArray,
    cell_offsets: IntArray, cell_t: FloatArray, cell_dt: FloatArray, cell_span: FloatArray,
    space: FloatArray, time: FloatArray,
) -> int:  # fmt: skip
    """Set the spans of the published samples that hold each original sample; NaN where gone.

    Returns in how many (user, published sample) pairs the user has an original sample.
    """
    pairs = 0
    stamp = np.full(len(cell_t), -1, np.int64)
    for u in range(len(group)):
        g = group[u]
        for s in range(offsets[u], offsets[u + 1]):
            space[s] = np.nan
            time[s] = np.nan
            if gone[s] or g < 0:
                continue
            c0, c1 = cell_offsets[g], cell_offsets[g + 1]
            # The first cell that ends after the sample starts; cells follow one another in time.
            low, high = c0, c1
            middle = t[s] + min(dt[s], 1.0) * 1e-6
            while low < high:
                half = (low + high) // 2
                if cell_t[half] + cell_dt[half] <= middle:
                    low = half + 1
                else:
                    high = half
            widest, longest = 0.0, 0.0
            end = t[s] + dt[s] - min(dt[s], 1.0) * 1e-6
            for c in range(low, c1):
                if cell_t[c] >= end:
                    break
                widest = max(widest, cell_span[c])
                longest += cell_dt[c]
                if stamp[c] != u:
                    stamp[c] = u
                    pairs += 1
            space[s] = widest
            time[s] = longest
    return pairs
