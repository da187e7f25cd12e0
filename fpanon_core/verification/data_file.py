"""The rows of a release, read from its bytes as they say they are; nothing is guessed.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from ..model.budgets import MAX_RELEASE_BYTES, Budget, check_columns
from .degrees import COLUMNS as DEGREES
from .faults import Faults
from .records import BOUNDS

_TIMES = ("start", "end")
_TEXTS = ("pseudonym", *_TIMES)
_WIDTH = 8  # bytes of a field, at least
_LONGEST_HEAD = 1 << 20  # bytes
_PIECE_ROWS, _PIECE_BYTES = 250_000, 32 << 20
_SHORTEST = 32  # bytes of a row of CSV: nine fields and more, a pseudonym of 16 characters
_LONGEST = 256  # characters of a pseudonym; ours have 16
_OFFSET = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$")


class Damaged(Exception):
    """The data file turns out to be no table of a release; a fault has been added."""


class DataFile:
    """The table in a data file, piece by piece; times come out in UTC.

    Parameters
    ----------
    name : str
        ``data.csv`` or ``data.parquet``.
    content : bytes or mmap
    faults : Faults

    Attributes
    ----------
    sound : bool
        Whether it is a table of a release at all; a fault has been added where it is not.
    columns : list of str
        As named in it.
    extra : bytes
        What its format carries beside the table.
    most_rows : int
        How many there can be.

    Raises
    ------
    SchemaError
        It would become far larger than it is.
    """

    def __init__(self, name: str, content: bytes | mmap.mmap, faults: Faults) -> None:
        self._content, self._faults = pa.py_buffer(content), faults
        self._budget = Budget(len(content), MAX_RELEASE_BYTES)
        self._packed = name.endswith(".parquet")
        self._wrong = dict.fromkeys(_TIMES, 0)
        self.columns: list[str] = []
        self.extra = b""
        self.most_rows = len(content) // _SHORTEST
        try:
            with self._told("The data file is damaged or of another kind."):
                if self._packed:
                    self._open_packed()
                else:
                    self._open_text(bytes(content[:_LONGEST_HEAD]))
            self.sound = _columns_are_right(self.columns, faults)
        except Damaged:
            self.sound = False

    def _open_packed(self) -> None:
        file = parquet.ParquetFile(pa.BufferReader(self._content))
        _check_size(file.metadata, self._budget)
        self.most_rows = file.metadata.num_rows
        schema = file.schema_arrow
        found = [schema.metadata, *(of for field in schema for of in _told_of(field))]
        parts = [part for of in found if of for pair in of.items() for part in pair]
        self.extra = b"\n".join([*parts, str(file.metadata.created_by).encode()])
        self.columns = schema.names
        clock = self._faults.original.clock
        for field in schema:
            timed = field.name in _TIMES and pa.types.is_timestamp(field.type)
            if timed and clock is not None and field.type.tz not in (None, clock.timezone):
                text = "The times are in another zone than the original's."
                self._faults.add("clock", text)

    def _open_text(self, begin: bytes) -> None:
        names = begin.split(b"\n", 1)[0].decode("utf-8").strip("\r").split(",")
        check_columns(len(names))
        self.columns = [name.strip('"') for name in names]

    def pieces(self) -> Iterator[pd.DataFrame]:
        """The rows, some hundred thousand at a time; at least one piece.

        Raises
        ------
        Damaged, SchemaError
        """
        tables = self._tables()
        self._wrong = dict.fromkeys(_TIMES, 0)
        while True:
            with self._told("The data file is damaged or of another kind."):
                table = next(tables, None)
            if table is None:
                break
            with self._told("A bound, group or time in the data file is none."):
                piece = self._piece(table)
            yield piece
        for wrong in self._wrong.values():
            if wrong:
                text = f"{wrong} times have an offset that is not that of the original's zone."
                self._faults.add("clock", text)

    @contextmanager
    def _told(self, text: str) -> Iterator[None]:
        try:
            yield
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError):
            self._faults.add("data file", text)
            raise Damaged from None

    def _tables(self) -> Iterator[pa.Table]:
        source = pa.BufferReader(self._content)
        if self._packed:
            file = parquet.ParquetFile(source, read_dictionary=list(_TEXTS))
            empty = file.schema_arrow.empty_table()
            batches: Iterable[pa.RecordBatch] = file.iter_batches(_PIECE_ROWS)
        else:
            texts = csv.ConvertOptions(
                column_types=dict.fromkeys(self.columns, pa.string()),
                strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=False,
            )  # fmt: skip
            block = csv.ReadOptions(block_size=_PIECE_BYTES)
            reader = csv.open_csv(source, block, convert_options=texts)
            empty, batches = reader.schema.empty_table(), reader
            if reader.schema.names != self.columns:
                raise ValueError
        any_rows = False
        for batch in batches:
            any_rows = any_rows or batch.num_rows > 0
            if batch.num_rows:
                yield _spelt_out(pa.Table.from_batches([batch]), self._budget)
        if not any_rows:
            yield _spelt_out(empty, self._budget)

    def _piece(self, table: pa.Table) -> pd.DataFrame:
        out: dict[str, Any] = {}
        names = table["pseudonym"].cast(pa.string())
        if (pc.max(pc.utf8_length(names)).as_py() or 0) > _LONGEST:
            raise ValueError
        out["pseudonym"] = names.to_pandas().astype(object)
        if "group" in table.column_names:
            out["group"] = _numbers(table["group"], pa.int64())
        for column in (*BOUNDS, *DEGREES):
            if column in table.column_names:
                out[column] = _numbers(table[column], pa.float64())
        for column in _TIMES:
            out[column] = self._times(column, table[column])
        return pd.DataFrame(out)

    def _times(self, name: str, column: pa.ChunkedArray) -> Any:
        """Instants in UTC, whose offsets are those of the original's zone; or minutes as numbers.

        Raises
        ------
        ValueError
            One is none.
        """
        clock = self._faults.original.clock
        if column.null_count:
            raise ValueError
        if clock is None:
            return _numbers(column, pa.float64())
        if pa.types.is_timestamp(column.type):
            if column.type.tz is None:
                raise ValueError
            return column.cast(pa.timestamp("us", tz="UTC")).to_pandas()
        texts = column.cast(pa.string()).to_pandas()
        codes, distinct = pd.factorize(texts)
        plain = pd.Series(distinct.astype(str))
        if not plain.str.match(_OFFSET).all():
            raise ValueError
        instants = pd.to_datetime(plain, utc=True, format="ISO8601").dt.as_unit("us")
        on_the_wall = pd.to_datetime(plain.str.slice(0, -6), format="ISO8601").dt.as_unit("us")
        expected = instants.dt.tz_convert(clock.timezone).dt.tz_localize(None)
        self._wrong[name] += int((on_the_wall.to_numpy() != expected.to_numpy()).sum())
        return instants.take(codes).reset_index(drop=True)


def _check_size(about: parquet.FileMetaData, budget: Budget) -> None:
    """Refuse what would become too large when it is decoded: equal values take next to no room."""
    check_columns(about.num_columns)
    budget.check_bytes(about.num_rows * about.num_columns * _WIDTH)
    for i in range(about.num_row_groups):
        group = about.row_group(i)
        parts = [group.column(j) for j in range(group.num_columns)]
        budget.check_bytes(
            sum(max(p.num_values * _WIDTH, p.total_uncompressed_size) for p in parts)
        )


def _spelt_out(table: pa.Table, budget: Budget) -> pa.Table:
    """With texts in place of numbers into a dictionary of them, if there is room for that."""
    coded = [c for c in table.columns if pa.types.is_dictionary(c.type)]
    longest = [
        max(
            (pc.max(pc.binary_length(part.dictionary)).as_py() or 0 for part in c.chunks), default=0
        )
        for c in coded
    ]
    budget.check_bytes(table.num_rows * sum(longest))
    columns = [
        c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def _told_of(field: pa.Field[Any]) -> Iterator[dict[bytes, bytes] | None]:
    """Metadata of a column, and of the parts of a nested one."""
    yield field.metadata
    for i in range(field.type.num_fields):
        yield from _told_of(field.type.field(i))


def _columns_are_right(names: list[str], faults: Faults) -> bool:
    """Those of a release, in their order, and no other."""
    wanted = ["pseudonym", *BOUNDS, *_TIMES]
    ordered = ["pseudonym", "group", *BOUNDS, *DEGREES, *_TIMES]
    some_degrees = 0 < len(set(DEGREES) & set(names)) < len(DEGREES)
    right = (
        set(wanted) <= set(names)
        and names == [name for name in ordered if name in names]
        and not some_degrees
    )
    if not right:
        faults.add("columns", "The columns of the data file are not those of a release.")
    return right


def _numbers(column: pa.ChunkedArray, kind: pa.DataType) -> np.ndarray[Any, Any]:
    if kind == pa.int64() and column.null_count:
        raise ValueError
    return np.asarray(column.cast(kind).to_numpy())
