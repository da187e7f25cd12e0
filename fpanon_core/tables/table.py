"""A table as it stands in its source: named columns, nothing interpreted yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..model.arrays import IntArray
from .columns import text_of
from .names import is_known_name

_PERSONAL = re.compile(r"\d{4}|@|(\d[ ./-]?){6}")


@dataclass(frozen=True, eq=False)
class SourceTable:
    """Columns of a source, all of the same length, and where each row stood in it.

    Attributes
    ----------
    labels : tuple
        Column names; 0, 1, 2 … where the source has none.
    columns : tuple of pyarrow.ChunkedArray
    kind : str
        ``"delimited text"``, ``"Parquet"``, ``"XLSX"``, ``"DataFrame"``, ``"JSON"``, ``"JSON
        lines"``, ``"GeoJSON"`` or ``"GeoJSON lines"``.
    delimiter, encoding, packed : str or None
    header : bool or None
        None where names are part of the format.
    first_row : int
        Number of the first data row in the source.
    malformed : int64 ndarray
        Running numbers (from 0, over all data rows) of rows that are not in ``columns``.
    numbers : int64 ndarray or None
        Number in the source of each data row, malformed ones included; None = consecutive.
    notes : tuple of str
    """

    labels: tuple[Any, ...]
    columns: tuple[pa.ChunkedArray, ...]
    kind: str
    delimiter: str | None = None
    encoding: str | None = None
    packed: str | None = None
    header: bool | None = None
    first_row: int = 1
    malformed: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    numbers: IntArray | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows that have all columns."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def named(self) -> bool:
        """Whether the labels are names rather than positions."""
        return any(isinstance(label, str) and not label.isdigit() for label in self.labels)

    def row_numbers(self, rows: IntArray) -> IntArray:
        """Number in the source of rows of ``columns``."""
        # The i-th good row comes after as many malformed ones as have at most i good rows before.
        before = self.malformed - np.arange(len(self.malformed))
        return self._numbered(rows + np.searchsorted(before, rows, side="right"))

    def malformed_numbers(self) -> IntArray:
        """Number in the source of the malformed rows."""
        return self._numbered(self.malformed)

    def with_note(self, *notes: str, **changes: Any) -> SourceTable:
        """The same with further notes."""
        return replace(self, notes=self.notes + notes, **changes)

    def sample(self, size: int = 5_000) -> tuple[pa.ChunkedArray, ...]:
        """Up to ``size`` rows from the beginning, middle and end of every column."""
        n = self.n_rows
        if n <= size:
            return self.columns
        part = size // 5
        return tuple(
            pa.chunked_array(
                [chunk for at in sample_starts(n, part) for chunk in c.slice(at, part).chunks],
                type=c.type,
            )
            for c in self.columns
        )

    def recurs(self, column: int) -> bool:
        """Whether some field of a column occurs twice."""
        whole = self.columns[column]
        return bool(pc.count_distinct(text_of(whole)).as_py() < len(whole))

    def names(self) -> str:
        """The columns for a message: their names, or how many there are."""
        if not self.named:
            return f"{len(self.labels)} without names"
        shown = [self.told(i) for i in range(min(len(self.labels), 20))]
        return ", ".join(shown) + (", …" if len(self.labels) > 20 else "")

    def told(self, column: int, *, begins: bool = False) -> str:
        """A column in a sentence: by its name where that is one, else by its place, from 1.

        A first row of text may be taken for names and be somebody's data, and so may the names of a
        table that has a column for each person. What a message says must be safe in either case: so
        a name is told only where at least two of them are such as tables of events have, and only
        if it holds no number, and no address, of anybody's. ``begins``: a sentence.
        """
        label = str(self.labels[column])
        if not self._is_headed or len(label) > 40 or _PERSONAL.search(label):
            return f"{'C' if begins else 'c'}olumn {column + 1}"
        return f"Column {label!r}" if begins else repr(label)

    @cached_property
    def _is_headed(self) -> bool:
        return sum(is_known_name(label) for label in self.labels) > 1

    def _numbered(self, records: IntArray) -> IntArray:
        if self.numbers is not None:
            return self.numbers[records]
        return records + self.first_row


def sample_starts(n_rows: int, size: int) -> list[int]:
    """Where five pieces of a sample begin, from the beginning to the end of a table."""
    return [i * (n_rows - size) // 4 for i in range(5)]
