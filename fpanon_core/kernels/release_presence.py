"""Presence of people in their published cells.

The kernel counts each person's published cells in which the person was recorded, and marks the
samples that lie in a cell.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model.arrays import BoolArray, FloatArray, IntArray


@njit(nogil=True, cache=True)
def presence_of_records(
    person: IntArray,
    offsets: IntArray,
    samples: FloatArray,
    longest: float,
    begins: IntArray,
    lengths: IntArray,
    cells: FloatArray,
    slack: float,
    covered: BoolArray,
) -> int:
    """Count pairs of a record and one of its cells in which the record's person has a sample.

    ``samples`` and ``cells`` are (n, 6): lower and upper bound of x, of y and of time. Samples of a
    person are in order of start, and none is longer than ``longest``. A pair counts if a sample of
    the person and the cell overlap by more than ``slack`` in x, y and time. It also counts if the
    sample's lower corner lies in the cell; the function then sets ``covered`` for the sample.
    """
    pairs = 0
    for r in range(len(person)):
        first, last = offsets[person[r]], offsets[person[r] + 1]
        for c in range(begins[r], begins[r] + lengths[r]):
            x0, x1, y0, y1, t0, t1 = cells[c]
            # The first sample that may reach beyond the cell's start.
            low, high = first, last
            while low < high:
                half = (low + high) // 2
                if samples[half, 4] + longest <= t0:
                    low = half + 1
                else:
                    high = half
            found = False
            for s in range(low, last):
                if samples[s, 4] >= t1 - slack:
                    break
                inside = (
                    x0 - slack <= samples[s, 0] < x1 - slack
                    and y0 - slack <= samples[s, 2] < y1 - slack
                )
                if inside and samples[s, 4] >= t0 - slack:
                    covered[s] = True
                    found = True
                elif not found:
                    found = (
                        samples[s, 0] < x1 - slack
                        and samples[s, 1] > x0 + slack
                        and samples[s, 2] < y1 - slack
                        and samples[s, 3] > y0 + slack
                        and samples[s, 5] > t0 + slack
                    )
            if found:
                pairs += 1
    return pairs


def bounds(
    x: FloatArray, y: FloatArray, t: FloatArray, dx: FloatArray, dy: FloatArray, dt: FloatArray
) -> FloatArray:
    """Return the bounds of cells, float64 ndarray (n, 6): x0, x1, y0, y1, t0, t1."""
    return np.column_stack([x, x + dx, y, y + dy, t, t + dt])
