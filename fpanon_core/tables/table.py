"""Tables as stored in their source, and their columns as text or as numbers.

A table has named columns that are not interpreted yet. Text files give text; Parquet, XLSX and
DataFrames give typed columns. All later steps see trimmed text without nulls (empty = missing) or
float64 (NaN = missing), whatever the stored type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..model.arrays import FloatArray, IntArray
from .names import is_known_name

_PERSONAL = re.compile(r"\d{4}|@|(\d[ ./-]?){6}")


@dataclass(frozen=True, eq=False)
class SourceTable:
    """Columns of a source, all of the same length, and each row's number in the source.

    Attributes
    ----------
    labels : tuple
        Column names; 0, 1, 2 … if the source has none.
    columns : tuple of pyarrow.ChunkedArray
    kind : str
        ``"delimited text"``, ``"Parquet"``, ``"XLSX"``, ``"DataFrame"``, ``"JSON"``, ``"JSON
        lines"``, ``"GeoJSON"`` or ``"GeoJSON lines"``.
    delimiter, encoding, packed : str or None
        Separator of fields, encoding of text, and packing (``"gzip"``, ``"zip"``), if any.
    header : bool or None
        Whether the source has a header; None if names are part of the format.
    first_row : int
        Number of the first data row in the source.
    malformed : int64 ndarray
        Running numbers (from 0, over all data rows) of rows that are not in ``columns``.
    numbers : int64 ndarray or None
        Number in the source of each data row, malformed ones included; None = consecutive.
    notes : tuple of str
    recurring : callable, optional
        For a sample of a table: function that returns whether some value of a column occurs twice
        in the whole table.
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
    recurring: Callable[[int], bool] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows that have all columns."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def named(self) -> bool:
        """Whether the labels are names rather than positions."""
        return any(isinstance(label, str) and not label.isdigit() for label in self.labels)

    def row_numbers(self, rows: IntArray) -> IntArray:
        """Return the row numbers, in the source, of the given rows of ``columns``."""
        # The i-th good row follows all malformed rows that have at most i good rows before them.
        before = self.malformed - np.arange(len(self.malformed))
        return self._numbered(rows + np.searchsorted(before, rows, side="right"))

    def malformed_numbers(self) -> IntArray:
        """Return the row numbers, in the source, of the malformed rows."""
        return self._numbered(self.malformed)

    def with_note(self, *notes: str, **changes: Any) -> SourceTable:
        """Return a copy with further notes; ``changes`` are new values of other fields."""
        return replace(self, notes=self.notes + notes, **changes)

    def sample(self, size: int = 5_000) -> tuple[pa.ChunkedArray, ...]:
        """Return every column, cut to ``size`` rows in five pieces spread over the table.

        A table with fewer rows is returned whole.
        """
        rows = sample_rows(self.n_rows, size)
        return self.columns if rows is None else self.taken(rows).columns

    # --- as a source of rows, like several parts -----------------------------------------------

    @property
    def about(self) -> SourceTable:
        """The table without its columns."""
        return replace(self, columns=())

    @property
    def tables(self) -> tuple[SourceTable, ...]:
        """The tables that form this source: this table alone."""
        return (self,)

    def batches(self, _columns: Sequence[int]) -> Iterator[SourceTable]:
        """Yield all rows in order, with at least the requested columns."""
        yield self

    def taken(self, rows: IntArray, columns: Sequence[int] | None = None) -> SourceTable:
        """Return the given rows (ascending) with source numbers; columns not asked for are null."""
        found = tuple(
            _taken(c, rows)
            if columns is None or i in columns
            else pa.chunked_array([pa.nulls(len(rows), c.type)])
            for i, c in enumerate(self.columns)
        )
        none = np.empty(0, np.int64)
        return replace(self, columns=found, numbers=self.row_numbers(rows), malformed=none)

    def recurs(self, column: int) -> bool:
        """Return whether some value of a column occurs twice."""
        if self.recurring is not None:
            return self.recurring(column)
        whole = self.columns[column]
        return bool(pc.count_distinct(text_of(whole)).as_py() < len(whole))

    def names(self) -> str:
        """Return the columns for use in a message: their names, or else how many there are."""
        if not self.named or not self._is_headed:
            return f"{len(self.labels)} without {'known ' if self.named else ''}names"
        shown = [self.told(i) for i in range(min(len(self.labels), 20))]
        return ", ".join(shown) + (", …" if len(self.labels) > 20 else "")

    def told(self, column: int, *, begins: bool = False) -> str:
        """Return how a sentence refers to a column: by a safe name, else by its place, from 1.

        A first row of text may be mistaken for names, and hold a person's data. The names of a
        table with a column for each person may hold such data, too. A message must be safe in both
        cases. So a name is shown only if at least two names are usual in tables of events. The name
        must also be short, and hold no personal number or address. ``begins`` is for the beginning
        of a sentence.
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


def sample_rows(n_rows: int, size: int = 5_000) -> IntArray | None:
    """Return the numbers of ``size`` rows, in five pieces spread over a table; None = all rows."""
    part = size // 5
    starts = [i * (n_rows - part) // 4 for i in range(5)]
    return None if n_rows <= size else np.add.outer(starts, np.arange(part)).ravel()


def _taken(column: pa.ChunkedArray, rows: IntArray) -> pa.ChunkedArray:
    """Return some rows of a column, ascending, without combining its chunks."""
    parts, start = [], 0
    for chunk in column.chunks:
        low, high = np.searchsorted(rows, [start, start + len(chunk)])
        if high > low:
            parts.append(chunk.take(pa.array(rows[low:high] - start)))
        start += len(chunk)
    return pa.chunked_array(parts, type=column.type)


MISSING_WORDS = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "<NA>", "\\N")
"""Words that programs write for a missing value, besides an empty field."""
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_DECIMAL_COMMA = r"^[+-]?[0-9]*,[0-9]+$"


def text_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column as trimmed strings; null becomes the empty string.

    DataFrames may store whole numbers as floats to allow missing values. Such numbers are written
    without ``.0``, so that the same id reads the same from every kind of file.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return text_of(column.cast(kind.value_type))
    if pa.types.is_floating(kind) and holds_whole_numbers(column):
        values = column.to_numpy(zero_copy_only=False)
        whole = pd.array(np.where(np.isfinite(values), values, 0).astype(np.int64))
        texts = pa.chunked_array([pa.array(whole).cast(pa.string())])
        keep = pa.chunked_array([pa.array(np.isfinite(values))])
        return pc.if_else(keep, texts, "")
    if is_nested(column):
        return pa.chunked_array([pa.array([repr(v) for v in column.to_pylist()], pa.string())])
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        column = _spelt(column)
    if column.null_count:
        column = pc.fill_null(column, "")
    return pc.utf8_trim_whitespace(column)


def numbers_of(column: pa.ChunkedArray, *, decimal_comma: bool | None = None) -> FloatArray:
    """Return the column as float64; missing, infinite and non-numeric fields are NaN.

    Text may use a decimal comma if no field of the column uses a point. If the column is one of
    several parts, ``decimal_comma`` states whether the text uses one.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return numbers_of(column.cast(kind.value_type), decimal_comma=decimal_comma)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = _gathered(column, lambda chunk: chunk.cast(pa.float64(), safe=False))
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        numbers = _numbers_in(column, decimal_comma)
    else:
        return np.full(len(column), np.nan)
    if not np.isfinite(numbers).all():
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    return numbers


def decimal_comma_in(column: pa.ChunkedArray) -> bool | None:
    """Return whether numbers in a text column have commas and no points; None if undecided."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    for texts in (column.slice(0, 1_000), column):
        if pc.any(pc.match_substring(texts, ".")).as_py():
            return False
    return pc.any(pc.match_substring_regex(text_of(column), _DECIMAL_COMMA)).as_py() or None


def holds_whole_numbers(column: pa.ChunkedArray) -> bool | None:
    """Return whether all finite floats are whole and below 2⁵³ in size; None if none is finite."""
    values = column.to_numpy(zero_copy_only=False)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    return bool(np.all(finite == np.floor(finite)) and np.abs(finite).max() < 2**53)


def is_nested(column: pa.ChunkedArray) -> bool:
    """Return whether the fields are lists, maps or structures, which cannot be read."""
    return bool(pa.types.is_nested(column.type))


def missing_in(texts: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Return a mask of the trimmed texts that are empty or a word for a missing value."""
    words = pa.array(["", *MISSING_WORDS], texts.type)
    found: npt.NDArray[np.bool_] = pc.is_in(texts, value_set=words).to_numpy()
    return found


def _spelt(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return any column as text, written by Arrow or Python, or else as the stored numbers.

    Arrow cannot write durations, or times in a zone that it does not know. Python cannot write
    times in such a zone, or times before the year 1 or past 9999. Times with a zone are instants,
    whatever the zone.
    """
    wide = pa.large_string()
    spellings: tuple[Callable[[], pa.ChunkedArray], ...] = (
        lambda: column.cast(wide),
        lambda: pa.chunked_array(
            [pa.array([None if v is None else str(v) for v in column.to_pylist()], wide)]
        ),
        lambda: pc.binary_join_element_wise(
            column.cast(pa.timestamp(column.type.unit)).cast(wide), "Z", ""
        ),
        lambda: column.cast(pa.int64()).cast(wide),
    )
    for spell in spellings:
        try:
            return spell()
        except MemoryError:
            raise
        except (pa.ArrowException, ArithmeticError, LookupError, ValueError, TypeError, OSError):
            continue
    return pa.chunked_array([pa.nulls(len(column), wide)])


def _gathered(column: pa.ChunkedArray, convert: Callable[[pa.Array], pa.Array]) -> FloatArray:
    """Convert a column chunk by chunk into one array, without a second copy of the column."""
    out = np.empty(len(column))
    at = 0
    for chunk in column.chunks:
        out[at : at + len(chunk)] = convert(chunk).to_numpy(zero_copy_only=False)
        at += len(chunk)
    return out


def _numbers_in(column: pa.ChunkedArray, decimal_comma: bool | None) -> FloatArray:
    """Return the numbers in text, quickly for a clean column and carefully otherwise."""
    try:
        return _gathered(column, lambda chunk: chunk.cast(pa.float64()))
    except pa.ArrowInvalid:
        texts = text_of(column)
    if decimal_comma_in(texts) if decimal_comma is None else decimal_comma:
        texts = pc.replace_substring(texts, ",", ".")
    good = pc.match_substring_regex(texts, _NUMBER)
    numbers = pc.if_else(good, texts, pa.scalar(None, texts.type)).cast(pa.float64())
    return np.asarray(numbers.to_numpy(zero_copy_only=False), np.float64)
