"""Which samples of a record are what the known points have become? For whoever looks at a few.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

import math

from numba import njit

from ..model.arrays import FloatArray, IntArray
from .linkage_density import Way, density_of


@njit(nogil=True, cache=True)
def best_samples(
    records: IntArray, offsets: IntArray, cells: FloatArray, point: FloatArray, way: Way,
    out: IntArray,
) -> None:  # fmt: skip
    """The row of the sample with the highest density, into ``out[record, point]``.

    Left as it is where no sample of the record is above the floor; ties: the first.
    """
    for i in range(len(records)):
        for j in range(len(point)):
            if math.isnan(point[j, 0]):
                continue
            most = 0.0
            for s in range(offsets[records[i]], offsets[records[i] + 1]):
                density = density_of(point[j], cells[s], way)
                if density > most:
                    most, out[i, j] = density, s
