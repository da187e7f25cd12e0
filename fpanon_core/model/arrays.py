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


def pieces_of_rows(n: int, width: int) -> Iterator[slice]:
    """Of n rows of so many cells, pieces of a quarter of a million cells, or of one row.

    What is made of a piece takes a few megabytes, however many rows there are.
    """
    at_once = max(1, 262_144 // max(1, width))
    return (slice(at, min(at + at_once, n)) for at in range(0, n, at_once))
