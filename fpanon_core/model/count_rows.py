"""Which counts of a table are other than 0? The table by its rows, in memory linear in those.

In a slot there are no more places with anybody than people, while a table has room for every place:
a thousand people at ten thousand places fill a tenth of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import IntArray, SmallInts
from .closed import Closed
from .ragged import offsets_of, rows_of


@dataclass(frozen=True, eq=False)
class CountRows(Closed):
    """Counts other than 0, by slot, then by place. Arrays are read-only.

    Attributes
    ----------
    offsets : int64 ndarray (n_slots + 1,)
        Those of slot s are rows ``offsets[s]:offsets[s+1]``.
    place : int32 ndarray (n,)
        Place numbers, ascending within a slot.
    many : integer ndarray (n,)
        People there.
    n_places : int

    Examples
    --------
    >>> rows = CountRows.of_blocks([np.array([[0, 2, 0]]), np.array([[0, 0, 0], [1, 0, 3]])])
    >>> rows.shape, rows.place.tolist(), rows.dense(slice(1, 3)).tolist()
    ((3, 3), [1, 0, 2], [[0, 0, 0], [1, 0, 3]])
    """

    offsets: IntArray
    place: SmallInts
    many: npt.NDArray[np.integer]
    n_places: int

    def __post_init__(self) -> None:
        self._close()

    @classmethod
    def of_blocks(cls, blocks: Iterable[npt.NDArray[np.integer]]) -> CountRows:
        """From tables of some slots by all places, one after the other; of one slot at least."""
        lengths: list[IntArray] = []
        places: list[SmallInts] = []
        values: list[npt.NDArray[np.integer]] = []
        for block in blocks:
            slot, place = np.nonzero(block)
            lengths.append(np.bincount(slot, minlength=len(block)))
            places.append(place.astype(np.int32))
            values.append(block[slot, place])
            n_places = block.shape[1]
        return cls(
            offsets_of(np.concatenate(lengths)),
            np.concatenate(places),
            np.concatenate(values),
            n_places,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Slots and places of the table."""
        return len(self.offsets) - 1, self.n_places

    @property
    def totals(self) -> IntArray:
        """The sum of each slot, (n_slots,)."""
        upto = np.concatenate([[0], np.cumsum(self.many, dtype=np.int64)])
        return np.diff(upto[self.offsets])

    def dense(self, slots: slice | IntArray = slice(None)) -> npt.NDArray[np.integer]:
        """The table of some slots, or of all, (slots, n_places)."""
        begins, ends = self.offsets[:-1][slots], self.offsets[1:][slots]
        lengths = ends - begins
        rows = rows_of(begins, lengths)
        table = np.zeros((len(begins), self.n_places), self.many.dtype)
        table[np.repeat(np.arange(len(begins)), lengths), self.place[rows]] = self.many[rows]
        return table
