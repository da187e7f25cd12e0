"""Lists of different lengths in one array: those of i are rows offsets[i]:offsets[i+1]."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .arrays import IntArray


def offsets_of(lengths: npt.ArrayLike) -> IntArray:
    """Where each list begins, and where the last ends; one more than there are lists."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))])


def rows_of(begins: IntArray, lengths: IntArray) -> IntArray:
    """The rows ``begins[i]``, … , ``begins[i] + lengths[i] − 1`` of each i, one list after another.

    Examples
    --------
    >>> rows_of(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    offsets = offsets_of(lengths)
    return np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], lengths)


def stretches(offsets: IntArray, most: int) -> Iterator[slice]:
    """Lists one after another, so many that they have ``most`` entries together, or one alone.

    Examples
    --------
    >>> [(some.start, some.stop) for some in stretches(np.array([0, 2, 4, 9, 10]), 4)]
    [(0, 2), (2, 3), (3, 4)]
    """
    begin, count = 0, len(offsets) - 1
    while begin < count:
        upto = int(np.searchsorted(offsets, offsets[begin] + most, "right")) - 1
        upto = min(max(upto, begin + 1), count)
        yield slice(begin, upto)
        begin = upto
