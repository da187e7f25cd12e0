"""Is every original sample inside what is published of its user? For the verifier alone."""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray


@njit(nogil=True, cache=True)
def uncovered_samples(
    offsets: IntArray, samples: FloatArray, first: IntArray, last: IntArray, cells: FloatArray,
    slack: float,
) -> BoolArray:  # fmt: skip
    """Which samples do not lie inside the cells of their user, for all of their time.

    ``samples`` and ``cells`` are rows of x0, x1, y0, y1, t0, t1; the cells of user u are rows
    ``first[u] … last[u] − 1``. A plain scan: it relies on no order and on nothing being right.
    """
    out = np.zeros(len(samples), np.bool_)
    for u in range(len(first)):
        for s in range(offsets[u], offsets[u + 1]):
            x0, x1, y0, y1, t0, t1 = samples[s]
            covered = 0.0
            for c in range(first[u], last[u]):
                if cells[c, 4] >= t1 or cells[c, 5] <= t0:
                    continue
                if cells[c, 0] > x0 + slack or cells[c, 1] < x1 - slack:
                    continue
                if cells[c, 2] > y0 + slack or cells[c, 3] < y1 - slack:
                    continue
                covered += min(cells[c, 5], t1) - max(cells[c, 4], t0)
            out[s] = not covered >= (t1 - t0) - slack
    return out
