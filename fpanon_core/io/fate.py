"""What became of each row: used, or set aside for the first reason that holds; and the rejects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.arrays import BoolArray, Codes, IntArray, pieces
from ..model.errors import SchemaError
from ..tables.table import SourceTable, text_of
from . import report as why
from .hints import Message, namely
from .report import REASONS
from .search import Roles

TIME_OR_PLACE = ("time", "offset", "lat", "lon", "antenna")
_WAY_OUT: dict[str, str] = {
    why.UNPARSEABLE_TIME: Message(
        "Write times as 2012-04-03T18:00:09Z or as epoch seconds, or say which column holds them",
        namely("time"),
        ".",
    ),
    why.NO_USER: Message("Say which column is the user", namely("user"), "."),
    why.TIME_OUTLIER: "Times must lie between 1900 and 2200.",
    why.MALFORMED: "Check the separator.",
    why.UNKNOWN_ANTENNA: "Give the antenna table that belongs to these events.",
    why.IMPOSSIBLE_COORDINATES: Message(
        "Positions must be degrees, not metres; latitude and longitude may be exchanged",
        namely("lat", "lon"),
        ".",
    ),
}


class Fate:
    """The fate of every row of a table."""

    def __init__(self, table: SourceTable) -> None:
        self.n_rows = table.n_rows
        self.n_malformed = len(table.malformed)
        self._reasons = list(REASONS)
        self._code = np.full(table.n_rows, -1, np.int8)  # index in reasons, −1 = used

    @classmethod
    def of_codes(cls, codes: Codes, n_malformed: int = 0) -> Fate:
        """The fates of rows by number of the reason, −1 where a row is used; not copied."""
        fate = cls.__new__(cls)
        fate.n_rows, fate.n_malformed = len(codes), n_malformed
        fate._reasons, fate._code = list(REASONS), codes
        return fate

    def part(self, rows: slice) -> Fate:
        """Some of the rows; what is set aside in it, is so in the whole."""
        return Fate.of_codes(self._code[rows])

    @property
    def codes(self) -> Codes:
        """Number of the reason of each row, −1 where it is used."""
        return self._code

    def set_aside(self, reason: str, rows: BoolArray) -> None:
        """Set aside rows of a mask over all rows, unless they already are."""
        if rows.any():
            self._code[rows & (self._code < 0)] = self._reasons.index(reason)

    def set_aside_used(self, reason: str, hit: BoolArray) -> None:
        """Set aside rows of a mask over the rows in use."""
        if hit.any():
            self._code[np.flatnonzero(self._code < 0)[hit]] = self._reasons.index(reason)

    @property
    def used(self) -> BoolArray:
        """Mask of the rows in use."""
        return self._code < 0

    def of(self, rows: IntArray) -> list[str]:
        """The fate of some rows: the reason, or ``"used"``."""
        return [self._reasons[code] if code >= 0 else why.USED for code in self._code[rows]]

    def evenly_but_for(self, reason: str, most: int) -> IntArray:
        """Of the rows in use, and those set aside for that one reason, so many, evenly from all."""
        code = self._reasons.index(reason)

        def is_open(part: slice) -> BoolArray:
            hit: BoolArray = (self._code[part] < 0) | (self._code[part] == code)
            return hit

        parts = list(pieces(self.n_rows))
        ends = np.cumsum([np.count_nonzero(is_open(part)) for part in parts])
        n = int(ends[-1]) if len(ends) else 0
        ranks = np.linspace(0, n - 1, min(n, most)).astype(np.int64)
        rows = [
            part.start + np.flatnonzero(is_open(part))[ranks[first:last] - (end - size)]
            for part, end, size, first, last in zip(
                parts,
                ends,
                np.diff(ends, prepend=0),
                np.searchsorted(ranks, np.append(0, ends[:-1])),
                np.searchsorted(ranks, ends),
                strict=True,
            )
            if last > first
        ]
        return np.concatenate(rows) if rows else np.empty(0, np.int64)

    @property
    def n_read(self) -> int:
        """Rows in the source."""
        return self.n_rows + self.n_malformed

    @property
    def n_used(self) -> int:
        """Rows in use."""
        return int(np.count_nonzero(self._code < 0))

    def pick(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The values of the rows in use; not copied when that is all of them."""
        used = self._code < 0
        return values if used.all() else values[used]

    def counts(self) -> dict[str, int]:
        """Rows set aside by reason, in the order of :data:`REASONS`."""
        numbers = np.bincount(self._code[self._code >= 0], minlength=len(self._reasons))
        numbers[self._reasons.index(why.MALFORMED)] += self.n_malformed
        return {r: int(n) for r, n in zip(self._reasons, numbers, strict=True) if n}

    def check_some_left(self) -> None:
        """Refuse a table of which no row is left.

        Raises
        ------
        SchemaError
            With the reasons, and the way out of the commonest.
        """
        if self.n_used:
            return
        counts = self.counts()
        found = ", ".join(f"{n:,} {reason} ({REASONS[reason]})" for reason, n in counts.items())
        worst = max(counts, key=lambda reason: counts[reason])
        way_out = _WAY_OUT.get(
            worst, Message("Say which columns hold the data", namely("lat", "lon"), ".")
        )
        raise SchemaError(
            Message(f"None of the {self.n_read:,} rows can be used: {found}. ", way_out)
        )

    def rejects(self, table: SourceTable, roles: Roles) -> pd.DataFrame:
        """The rows set aside: number in the source, reason, and the fields of time and place.

        No other field, whatever its column is called: nobody can list all names under which a file
        may keep a person.
        """
        rows = np.flatnonzero(self._code >= 0)
        known = {i for role in TIME_OR_PLACE for i in roles.where.get(role, ())}
        columns = sorted(known - set(roles.where.get("user", ())))
        frame = text_frame(table, columns, rows)
        frame.columns = pd.Index(_distinct_labels(str(table.labels[i]) for i in columns))
        reasons = np.array(self._reasons, dtype=object)
        frame.insert(0, "reason", reasons[self._code[rows]])
        frame.insert(0, "row", table.row_numbers(rows))
        if self.n_malformed:
            lines = pd.DataFrame({"row": table.malformed_numbers(), "reason": why.MALFORMED})
            frame = pd.concat([frame, lines]).sort_values("row", kind="stable").fillna("")
        return frame.reset_index(drop=True)


def text_frame(table: SourceTable, columns: Iterable[int], rows: IntArray) -> pd.DataFrame:
    """Some rows, in ascending order, of some columns as text; columns named by position."""
    frame = {i: _raw_text(_taken(table.columns[i], rows)).to_pandas() for i in columns}
    return pd.DataFrame(frame, index=range(len(rows)))


def _taken(column: pa.ChunkedArray, rows: IntArray) -> pa.ChunkedArray:
    """Rows of a column; its chunks are not put together for it."""
    parts, start = [], 0
    for chunk in column.chunks:
        low, high = np.searchsorted(rows, [start, start + len(chunk)])
        if high > low:
            parts.append(chunk.take(pa.array(rows[low:high] - start)))
        start += len(chunk)
    return pa.chunked_array(parts, type=column.type)


def _raw_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text as written where the source is text, else as by :func:`text_of`."""
    return column if pa.types.is_string(column.type) else text_of(column)


def _distinct_labels(labels: Iterable[str]) -> list[str]:
    """Labels that differ from one another and from the two columns put before them."""
    out: list[str] = []
    taken = {"row", "reason"}
    for label in labels:
        name, i = label, 1
        while name in taken:
            i += 1
            name = f"{label} ({i})"
        taken.add(name)
        out.append(name)
    return out
