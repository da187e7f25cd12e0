"""The rows of a release, gone through once: what they say as a whole, and whose records they are.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..model.budgets import MAX_BYTES
from .data_file import Damaged, DataFile
from .faults import Faults
from .records import Gathering, Records

_ROW_BYTES = 256


@dataclass
class Rows:
    """What is asked of all rows together.

    Attributes
    ----------
    columns : list of str
    number : int
    first_start, last_start, last_end : Timestamp or float or None
        None of no rows.
    start_of_last : Timestamp or float or None
        Of the rows that end last, the latest start.
    """

    columns: list[str]
    number: int = 0
    first_start: Any = None
    last_start: Any = None
    last_end: Any = None
    start_of_last: Any = None

    def add(self, piece: pd.DataFrame) -> None:
        """Further rows."""
        if piece.empty:
            return
        starts, ends = piece["start"], piece["end"]
        first, last, end = starts.min(), starts.max(), ends.max()
        start = starts[ends == end].max()
        if self.number == 0:
            self.first_start, self.last_start = first, last
            self.last_end, self.start_of_last = end, start
        self.number += len(piece)
        self.first_start = min(self.first_start, first)
        self.last_start = max(self.last_start, last)
        self.last_end, self.start_of_last = max((self.last_end, self.start_of_last), (end, start))


def read_rows(file: DataFile, faults: Faults) -> tuple[Rows, Records] | None:
    """The rows of a data file and its records; None, with a fault, where it is damaged.

    Raises
    ------
    SchemaError
        It would become far larger than it is.
    """
    if not file.sound:
        return None
    apart = "The rows of a pseudonym do not follow one another: several records have it."
    try:
        found = _gathered(file.columns, _whole_records(file.pieces()), faults)
        if found is None:  # far from each other: all rows at once, to say what else is wrong
            if file.most_rows * _ROW_BYTES > MAX_BYTES:
                faults.add("order of rows", apart)
                return None
            table = pd.concat(list(file.pieces()), ignore_index=True)
            found = _gathered(file.columns, [table], faults)
    except Damaged:
        return None
    assert found is not None
    rows, gathering = found
    if gathering.apart:
        faults.add("order of rows", apart)
    elif gathering.backwards:
        faults.add("order of rows", "The rows of a record are not in order of time.")
    return rows, gathering.records()


def _gathered(
    columns: list[str], pieces: Iterable[pd.DataFrame], faults: Faults
) -> tuple[Rows, Gathering] | None:
    """None where the rows of a record came in several pieces."""
    rows, gathering = Rows(columns), Gathering(faults)
    for piece in pieces:
        if not gathering.add(piece):
            return None
        rows.add(piece)
    return rows, gathering


def _whole_records(pieces: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """The same rows, cut only where another pseudonym begins."""
    waiting: list[pd.DataFrame] = []
    for piece in pieces:
        names = piece["pseudonym"].fillna("").to_numpy(object)
        if waiting and len(names) and waiting[-1]["pseudonym"].fillna("").iloc[-1] != names[0]:
            yield pd.concat(waiting, ignore_index=True)
            waiting = []
        begin = int(np.flatnonzero(names != names[-1:]).max(initial=-1)) + 1
        if begin:
            yield pd.concat([*waiting, piece.iloc[:begin]], ignore_index=True)
            waiting = []
        waiting.append(piece.iloc[begin:])
    yield pd.concat(waiting, ignore_index=True)
