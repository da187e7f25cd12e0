"""What the arrays hold that functions hand to each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
"""Metres, minutes, shares, efforts."""

IntArray = npt.NDArray[np.int64]
"""Row numbers, counts, group numbers."""

BoolArray = npt.NDArray[np.bool_]
"""Which rows something is true of."""

SmallInts = npt.NDArray[np.int32]
"""The same in half the memory: places, bins and users by number."""

SmallFloats = npt.NDArray[np.float32]
"""Bounds, which are lowered by what 32 bits may err."""

Steps = npt.NDArray[np.uint8]
"""Bounds in 255 steps, rounded down."""

Codes = npt.NDArray[np.int8]
"""Reasons by number."""

TextArray = npt.NDArray[np.object_]
"""Texts, one a row."""


def pieces(n: int) -> Iterator[slice]:
    """Of n rows, pieces that fit a processor's cache.

    Big temporary arrays cost more than the arithmetic.
    """
    return (slice(at, at + 65_536) for at in range(0, n, 65_536))
