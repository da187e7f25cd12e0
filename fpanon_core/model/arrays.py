"""Array types, lists packed with offsets, read-only dataclasses and cells of place and time.

Lists of different lengths are packed into one array: list i is rows ``offsets[i]:offsets[i+1]``.

A cell is ``[x, x + dx) × [y, y + dy) × [t, t + dt)``. Its x, y, dx and dy are in metres on a map
projection; t and dt are in minutes, t since the data set's epoch. A sample says that a person was
in a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

FloatArray = npt.NDArray[np.float64]
"""Metres, minutes, shares, efforts."""

IntArray = npt.NDArray[np.int64]
"""Row numbers, counts, group numbers."""

BoolArray = npt.NDArray[np.bool_]
"""Masks of rows."""

SmallInts = npt.NDArray[np.int32]
"""Numbers of places, bins and users, in half the memory."""

SmallFloats = npt.NDArray[np.float32]
"""Lower bounds, reduced by the rounding error of 32 bits."""

Steps = npt.NDArray[np.uint8]
"""Lower bounds in 255 steps, rounded down."""

Sums = npt.NDArray[np.unsignedinteger[Any]]
"""Sums of steps."""

Codes = npt.NDArray[np.int8]
"""Numbers of the reasons why samples are not published."""

TextArray = npt.NDArray[np.object_]
"""Texts, one per row."""


def pieces(n: int) -> Iterator[slice]:
    """Divide n rows into slices of 65,536 rows, whose temporary arrays fit in a processor's cache.

    Larger temporary arrays cost more time than the arithmetic on them. The last slice may end
    beyond row n.
    """
    return (slice(at, at + 65_536) for at in range(0, n, 65_536))


def pieces_of_rows(n: int, width: int) -> Iterator[slice]:
    """Divide n rows of ``width`` cells into slices of at most 262,144 cells, or of one row.

    Working on one slice takes a few megabytes, however many rows there are.
    """
    at_once = max(1, 262_144 // max(1, width))
    return (slice(at, min(at + at_once, n)) for at in range(0, n, at_once))


def offsets_of(lengths: npt.ArrayLike) -> IntArray:
    """Return the offsets of lists of these lengths, one entry more than there are lists."""
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, np.int64))])


def rows_of(begins: IntArray, lengths: IntArray) -> IntArray:
    """Return the rows ``begins[i]``, … , ``begins[i] + lengths[i] − 1`` for all i, concatenated.

    Examples
    --------
    >>> rows_of(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    offsets = offsets_of(lengths)
    return np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], lengths)


def stretches(offsets: IntArray, most: int) -> Iterator[slice]:
    """Divide packed lists into runs, each of at most ``most`` entries or of one longer list.

    Each slice selects the lists of one run by number.

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


class Brief:
    """Base class of dataclasses that print as numbers of what they hold, such as ``n_users``."""

    def __repr__(self) -> str:
        counts = {name[2:]: getattr(self, name) for name in dir(self) if name.startswith("n_")}
        held = (f"{count:,} {what}" for what, count in counts.items() if isinstance(count, int))
        return f"{type(self).__name__}({', '.join(held)})"


class Closed(Brief):
    """Base class of dataclasses with read-only arrays; call :meth:`_close` in ``__post_init__``."""

    def __post_init__(self) -> None:
        self._close()

    def _close(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            value = self.__dict__.get(f.name)  # missing arrays are made on demand
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value = value.view()  # the caller may continue to change its own array
                object.__setattr__(self, f.name, value)
            _close_each(value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state and make the arrays read-only again; unpickled arrays are writable."""
        for value in state.values():
            _close_each(value)
        self.__dict__.update(state)


def _close_each(value: Any) -> None:
    """Make an array read-only, or the arrays of a mapping."""
    for each in value.values() if isinstance(value, Mapping) else (value,):
        if isinstance(each, np.ndarray):
            each.flags.writeable = False


CELL = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
"""The six numbers of a cell, in the order that kernels expect."""

PLACE = ("x_m", "y_m", "dx_m", "dy_m")
TIME = ("t_min", "dt_min")

BY_TIME = ("t_min", "x_m", "y_m", "dx_m", "dy_m", "dt_min")
"""Sort order of samples within a fingerprint."""


@dataclass(frozen=True, eq=False, repr=False)
class Cells(Closed):
    """Base class of sets of cells. Arrays are read-only.

    Attributes
    ----------
    x_m, y_m, dx_m, dy_m : float64 ndarray (n,)
        Lower corner and extent, metres.
    t_min, dt_min : float64 ndarray (n,)
        Start and length, minutes.
    """

    x_m: FloatArray
    y_m: FloatArray
    t_min: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray
    dt_min: FloatArray

    def arrays(self, names: Iterable[str] = CELL) -> dict[str, Any]:
        """Return the arrays of the given names, by name; by default all six."""
        return {name: getattr(self, name) for name in names}

    def _make_contiguous(self) -> None:
        """Make the arrays contiguous float64 for the kernels; subclasses call it before checks."""
        for name, values in self.arrays().items():
            object.__setattr__(self, name, np.ascontiguousarray(values, np.float64))


class CellLists(Cells):
    """Base class of sets of fingerprints, whose samples are packed with ``offsets``."""

    offsets: IntArray

    @property
    def n_samples(self) -> int:
        """Number of samples of all fingerprints together."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> IntArray:
        """Number of samples in each fingerprint, shape (n_fingerprints,)."""
        return np.diff(self.offsets)

    def rows_of(self, user: int) -> slice:
        """Return the slice of the samples of one user or group; ``user`` is a row number."""
        return slice(int(self.offsets[user]), int(self.offsets[user + 1]))


def distinct_rows(*columns: npt.NDArray[np.generic]) -> tuple[IntArray, IntArray]:
    """Number the distinct rows; return the first index of each, and the number of every row.

    Distinct rows are numbered in sorted order; equal rows have equal numbers.
    """
    key = np.zeros(len(columns[0]), np.int64)
    for values in columns:  # by hashing: sorting millions of samples takes ten times as long
        code, distinct = pd.factorize(values, sort=True)
        key = pd.factorize(key * len(distinct) + code, sort=True)[0]
    first = np.empty(int(key.max()) + 1, np.int64)
    first[key[::-1]] = np.arange(len(key))[::-1]
    return first, key
