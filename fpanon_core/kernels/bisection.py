"""Bisection of a part of an ascending array, without a view of the part.

A view would count a reference to the array, which takes longer than the bisection in hot loops.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


@njit(nogil=True, cache=True)
def first_from(values: npt.NDArray[np.generic], least: float, begin: int, end: int) -> int:
    """Return the first position in ``begin … end − 1`` whose value is not below ``least``.

    The values there ascend; the result is ``end`` if all are below.
    """
    while begin < end:
        half = (begin + end) // 2
        if values[half] < least:
            begin = half + 1
        else:
            end = half
    return begin
