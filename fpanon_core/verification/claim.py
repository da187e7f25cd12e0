"""What a release says, in the form in which it is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..model.arrays import FloatArray, IntArray
from ..model.fingerprints import FingerprintSet
from ..model.published import GeneralizedFingerprintSet

_STRETCH = 1_000_000  # samples looked at in one go
SLACK = 1e-6  # metres, minutes: what is written as text to that accuracy must verify


@dataclass
class Claim:
    """Published records, each distinct one once, and whose they are as far as that is known.

    A *class* is a group number with one content; records of a group that differ are in several.

    Attributes
    ----------
    cells : float64 ndarray (n_cells, 6)
        x0, x1, y0, y1, t0, t1 of every class, by start within each.
    first, last : int64 ndarray (n_classes,)
        Cells of class c are rows ``first[c]:last[c]``.
    label : int64 ndarray (n_classes,)
        Its group number, as stated; where none is, a number of its content.
    content : int64 ndarray (n_classes,)
        Equal where the cells are.
    records : int64 ndarray (n_classes,)
        How many records are so.
    home : int64 ndarray (n_users,) or None
        Class of each original user; −1 = nothing is published of the user. None: not known.
    elsewhere : int64 ndarray (n, 2)
        With periods, of everybody who, moved, has come into a period without samples of the person:
        row number in the original of a piece of another period, and class.
    """

    cells: FloatArray
    first: IntArray
    last: IntArray
    label: IntArray
    content: IntArray
    records: IntArray
    home: IntArray | None
    elsewhere: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int64))

    @property
    def n_classes(self) -> int:
        """Number of different records."""
        return len(self.label)

    def reach(self) -> FloatArray:
        """The latest end so far, cell by cell within each class: how far back a scan must look."""
        out = np.empty(len(self.cells))
        for a, b in zip(self.first, self.last, strict=True):
            out[a:b] = np.maximum.accumulate(self.cells[a:b, 5])
        return out


def by_start(cells: FloatArray) -> FloatArray:
    """Cells in order of their start; those that start together stay as they were."""
    return np.ascontiguousarray(cells[np.argsort(cells[:, 4], kind="stable")], np.float64)


def contents(pieces: list[FloatArray]) -> IntArray:
    """A number for each array, equal where the arrays are."""
    return numbered(pieces, {})


def numbered(pieces: list[FloatArray], numbers: dict[bytes, int]) -> IntArray:
    """The same where some were numbered before; adds what is new to ``numbers``."""
    out = [
        numbers.setdefault(hashlib.sha256(np.ascontiguousarray(p).data).digest(), len(numbers))
        for p in pieces
    ]
    return np.array(out, np.int64)


def rectangles(fs: FingerprintSet) -> FloatArray:
    """The original samples as x0, x1, y0, y1, t0, t1."""
    return bounds_of(fs)


def stretches(fs: FingerprintSet) -> Iterator[tuple[slice, slice, IntArray, FloatArray]]:
    """The original bit by bit, as the rectangles of all samples at once are larger than it.

    Yields
    ------
    users, rows : slice
        Of some of the users, one after another, and of their samples.
    offsets : int64 ndarray
        Of these users' samples among themselves.
    samples : float64 ndarray (n, 6)
        As :func:`rectangles`.
    """
    for users, rows in some_users(fs):
        offsets = fs.offsets[users.start : users.stop + 1] - fs.offsets[users.start]
        yield users, rows, offsets, bounds_of(fs, rows)


def some_users(fs: FingerprintSet) -> Iterator[tuple[slice, slice]]:
    """Some of the users after another, and the rows of their samples, about a million at a time."""
    begin = 0
    while begin < fs.n_users:
        upto = int(np.searchsorted(fs.offsets, fs.offsets[begin] + _STRETCH, "right")) - 1
        upto = min(max(upto, begin + 1), fs.n_users)
        yield slice(begin, upto), slice(int(fs.offsets[begin]), int(fs.offsets[upto]))
        begin = upto


def bounds_of(
    cells: FingerprintSet | GeneralizedFingerprintSet, rows: slice = slice(None)
) -> FloatArray:
    """Cells as x0, x1, y0, y1, t0, t1, with no second copy on the way: there may be many."""
    out = np.empty((len(cells.x_m[rows]), 6))
    sides = ((cells.x_m, cells.dx_m), (cells.y_m, cells.dy_m), (cells.t_min, cells.dt_min))
    for axis, (low, extent) in enumerate(sides):
        out[:, 2 * axis] = low[rows]
        np.add(low[rows], extent[rows], out=out[:, 2 * axis + 1])
    return out
