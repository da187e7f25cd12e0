"""What a release says, in the form in which it is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..model.arrays import FloatArray, IntArray
from ..model.arrays import stretches as some_lists
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

    @cached_property
    def class_of_cell(self) -> IntArray:
        """The class of each cell."""
        return np.repeat(np.arange(self.n_classes), self.last - self.first)

    @cached_property
    def arrays(self) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """As kernels take them: cells, the latest end so far within each class, first, last.

        That end says how far back a scan must look.
        """
        reach = np.empty(len(self.cells))
        for a, b in zip(self.first, self.last, strict=True):
            reach[a:b] = np.maximum.accumulate(self.cells[a:b, 5])
        return self.cells, reach, self.first, self.last


def by_start(cells: FloatArray) -> FloatArray:
    """Cells in order of their start; those that start together stay as they were."""
    return np.ascontiguousarray(cells[np.argsort(cells[:, 4], kind="stable")], np.float64)


def numbered(pieces: list[FloatArray], numbers: dict[bytes, int]) -> IntArray:
    """A number for each array, equal where the arrays are; adds what is new to ``numbers``."""
    out = [
        numbers.setdefault(hashlib.sha256(np.ascontiguousarray(p).data).digest(), len(numbers))
        for p in pieces
    ]
    return np.array(out, np.int64)


def stretches(fs: FingerprintSet) -> Iterator[tuple[slice, slice, IntArray, FloatArray]]:
    """The original bit by bit, as the rectangles of all samples at once are larger than it.

    Yields
    ------
    users, rows : slice
        Of some of the users, one after another, and of their samples.
    offsets : int64 ndarray
        Of these users' samples among themselves.
    samples : float64 ndarray (n, 6)
        As :func:`bounds_of`.
    """
    for users in some_lists(fs.offsets, _STRETCH):
        rows = fs.rows_of(users.start).start, fs.rows_of(users.stop - 1).stop
        offsets = fs.offsets[users.start : users.stop + 1] - rows[0]
        yield users, slice(*rows), offsets, bounds_of(fs, slice(*rows))


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
