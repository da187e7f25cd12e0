"""Rows of a release, read from its bytes in their stated format, without guessing.

Source: docs/science.md, “A release, as it leaves”.

A Parquet file has room for more than its rows: metadata, statistics, texts that no row uses, and
gaps between pages. So its rows are written again, in the same pieces, and the digests of the two
files are compared.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from ..model.budgets import MAX_RELEASE_BYTES, Budget, check_columns
from ..model.clock import LocalClock
from .faults import Faults
from .records import BOUNDS, DEGREES, Gathering, Records

_TIMES = ("start", "end")
_TEXTS = ("pseudonym", *_TIMES)
_WIDTH = 8  # bytes of a field, at least
_LONGEST_HEAD = 1 << 20  # bytes
_PIECE_ROWS, _PIECE_BYTES = 250_000, 32 << 20
_LONGEST = 256  # characters of a pseudonym; ours have 16
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(?!000000)\d{6})?(?!-00:00)[+-][01]\d:[0-5]\d"


_DAMAGED = "The data file is damaged or of another kind."
_GROUP_ROWS = 250_000  # least rows in a piece of a Parquet file, except the last piece
_WRITER = re.compile(r"parquet-cpp-arrow version \d{1,4}(\.\d{1,4}){1,3}")


class Damaged(Exception):
    """Signal that the data file is not a table of a release; a fault has been added."""


@dataclass(eq=False, repr=False)
class DataFile:
    """The table in a data file, read piece by piece.

    Times are in UTC, or in minutes if the original has no clock.

    Attributes
    ----------
    name : str
        ``data.csv`` or ``data.parquet``.
    content : bytes or mmap
    columns : list of str
        Required columns, in this order.
    faults : Faults
    """

    name: str
    content: bytes | mmap.mmap
    columns: list[str]
    faults: Faults
    _odd: bool = False
    _wrong: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TIMES, 0))

    def __post_init__(self) -> None:
        self._bytes = pa.py_buffer(self.content)
        self._budget = Budget(len(self.content), MAX_RELEASE_BYTES)
        self._packed = self.name.endswith(".parquet")

    def _named(self) -> list[str]:
        """Return the column names; check that a text file holds nothing besides its rows."""
        if self._packed:
            file = parquet.ParquetFile(pa.BufferReader(self._bytes))
            _check_size(file.metadata, self._budget)
            return list(file.schema_arrow.names)
        content = self.content
        names = bytes(content[:_LONGEST_HEAD]).split(b"\n", 1)[0].decode("utf-8").split(",")
        check_columns(len(names))
        if content.find(b'"') >= 0 or content.find(b"\r") >= 0 or content[-1:] != b"\n":
            self._tell_odd()
        return names

    def _tell_odd(self) -> None:
        """Add, once, the fault that the file is not written as fpanon writes it."""
        if not self._odd:
            text = (
                "The data file is not written as fpanon writes it: a number, quote or line differs."
            )
            if self._packed:
                text = "The data file holds more than its rows, or is not as fpanon writes it."
            self.faults.add("written otherwise", text)
        self._odd = True

    def pieces(self) -> Iterator[pd.DataFrame]:
        """Yield the rows in at least one piece, each of at most a few hundred thousand rows.

        Raises
        ------
        Damaged
            The file is damaged, or no table of a release; a fault has been added.
        SchemaError
            The decoded file would be far larger than the file, or it has too many columns.
        """
        with self._told(_DAMAGED):
            named = self._named()
        if named != self.columns:
            text = "The columns of the data file are not those of a release."
            self.faults.add("columns", text)
            raise Damaged
        tables = self._tables()
        while True:
            with self._told(_DAMAGED):
                table = next(tables, None)
            if table is None:
                break
            with self._told("A bound, group or time in the data file is not valid."):
                piece = self._piece(table)
            yield piece
        for wrong in self._wrong.values():
            text = f"Times whose offset does not fit the original's time zone: {wrong}."
            self.faults.check(wrong == 0, "clock", text)

    @contextmanager
    def _told(self, text: str) -> Iterator[None]:
        try:
            yield
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError):
            self.faults.add("data file", text)
            raise Damaged from None

    def _tables(self) -> Iterator[pa.Table]:
        """Yield the tables that have rows; if there are none, yield one empty table."""
        empty, any_rows = None, False
        for table in self._packed_tables() if self._packed else self._text_tables():
            if table.num_rows:
                yield table
                any_rows = True
            else:
                empty = table
        if empty is not None and not any_rows:
            yield empty

    def _text_tables(self) -> Iterator[pa.Table]:
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(self.columns, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
            quoted_strings_can_be_null=False,
        )
        cells = csv.ParseOptions(quote_char=False, ignore_empty_lines=False)
        reader = csv.open_csv(
            pa.BufferReader(self._bytes), csv.ReadOptions(block_size=_PIECE_BYTES), cells, texts
        )
        if reader.schema.names != self.columns:
            raise ValueError
        yield reader.schema.empty_table()
        for batch in reader:
            yield pa.Table.from_batches([batch])

    def _packed_tables(self) -> Iterator[pa.Table]:
        """Yield the rows; write the file again from them, and compare the files' digests."""
        file = parquet.ParquetFile(pa.BufferReader(self._bytes), read_dictionary=list(_TEXTS))
        named = parquet.ParquetFile(pa.BufferReader(self._bytes)).schema_arrow.field("pseudonym")
        large = pa.types.is_large_string(named.type)
        schema = _as_written(self.columns, large, self.faults.original.clock)
        again, groups, fits = _Digest(), file.metadata.num_row_groups, True
        if groups > file.metadata.num_rows // _GROUP_ROWS + 1:
            self._tell_odd()
        yield _spelt_out(file.schema_arrow.empty_table(), self._budget)
        with parquet.ParquetWriter(again, schema) as writer:
            for nth in range(groups):
                whole = []
                for batch in file.iter_batches(_PIECE_ROWS, row_groups=[nth]):
                    whole.append(_spelt_out(pa.Table.from_batches([batch]), self._budget))
                    yield whole[-1]
                try:
                    tables = whole or [file.schema_arrow.empty_table()]
                    writer.write_table(pa.concat_tables(tables).cast(schema).combine_chunks())
                except (pa.ArrowException, ValueError):
                    fits = False
        if fits and again.of.digest() == hashlib.sha256(self._bytes).digest():
            return
        by = str(file.metadata.created_by)
        if by != f"parquet-cpp-arrow version {pa.__version__}" and _WRITER.fullmatch(by):
            text = f"Arrow {by.split()[-1]} wrote the data file, but this is Arrow {pa.__version__}"
            self.faults.add(
                "version", f"{text}; verify with that version, or publish the release again."
            )
        else:
            self._tell_odd()

    def _piece(self, table: pa.Table) -> pd.DataFrame:
        out: dict[str, Any] = {}
        names = table["pseudonym"].cast(pa.string())
        if (pc.max(pc.utf8_length(names)).as_py() or 0) > _LONGEST:
            raise ValueError
        out["pseudonym"] = names.to_pandas().astype(object)
        if "group" in table.column_names:
            out["group"] = self._numbers(table["group"], pa.int64())
        for column in (*BOUNDS, *DEGREES):
            if column in table.column_names:
                out[column] = self._numbers(table[column], pa.float64())
        for column in _TIMES:
            out[column] = self._times(column, table[column])
        return pd.DataFrame(out)

    def _numbers(self, column: pa.ChunkedArray, kind: pa.DataType) -> np.ndarray[Any, Any]:
        """Return the numbers of a column; text must be written as fpanon writes numbers."""
        if kind == pa.int64() and column.null_count:
            raise ValueError
        numbers = column.cast(kind)
        if pa.types.is_string(column.type) and not self._odd:
            same = pc.all(pc.equal(numbers.cast(pa.string()), column)).as_py()
            if same is False:
                self._tell_odd()
        return np.asarray(numbers.to_numpy())

    def _times(self, name: str, column: pa.ChunkedArray) -> Any:
        """Return instants in UTC, or minutes as numbers if the original has no clock.

        Offsets that do not fit the original's time zone are counted.

        Raises
        ------
        ValueError
            A value is not a time.
        """
        clock = self.faults.original.clock
        if column.null_count:
            raise ValueError
        if clock is None:
            return self._numbers(column, pa.float64())
        if pa.types.is_timestamp(column.type):
            if column.type.tz is None:
                raise ValueError
            return column.cast(pa.timestamp("us", tz="UTC")).to_pandas()
        texts = column.cast(pa.string()).to_pandas()
        codes, distinct = pd.factorize(texts)
        plain = pd.Series(distinct.astype(str))
        if not plain.str.fullmatch(_TIME).all():
            raise ValueError
        instants = pd.to_datetime(plain, utc=True, format="ISO8601").dt.as_unit("us")
        on_the_wall = pd.to_datetime(plain.str.slice(0, -6), format="ISO8601").dt.as_unit("us")
        expected = instants.dt.tz_convert(clock.timezone).dt.tz_localize(None)
        self._wrong[name] += int((on_the_wall.to_numpy() != expected.to_numpy()).sum())
        return instants.take(codes).reset_index(drop=True)


def read_records(file: DataFile, faults: Faults) -> Records | None:
    """Return the records of a data file.

    The result is None, with a fault, if the file is not a table of a release, or if the rows of a
    pseudonym do not follow one another.

    Raises
    ------
    SchemaError
        The decoded file would be far larger than the file, or it has too many columns.
    """
    gathering = Gathering(faults)
    try:
        for piece in _whole_records(file.pieces()):
            if not gathering.add(piece) or gathering.apart:
                text = "The rows of a pseudonym do not follow one another: several records have it."
                faults.add("order of rows", text)
                return None
    except Damaged:
        return None
    text = "The rows of a record are not in order of time."
    faults.check(not gathering.backwards, "order of rows", text)
    return gathering.records()


def _whole_records(pieces: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Yield the same rows, cut only at the beginning of another pseudonym."""
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


def _check_size(about: parquet.FileMetaData, budget: Budget) -> None:
    """Refuse a file that would be too large when decoded: equal values take almost no space."""
    check_columns(about.num_columns)
    budget.check_bytes(about.num_rows * about.num_columns * _WIDTH)
    for i in range(about.num_row_groups):
        group = about.row_group(i)
        parts = [group.column(j) for j in range(group.num_columns)]
        sizes = (max(p.num_values * _WIDTH, p.total_uncompressed_size) for p in parts)
        budget.check_bytes(sum(sizes))


def _spelt_out(table: pa.Table, budget: Budget) -> pa.Table:
    """Return the table with texts in place of dictionary indices, if the budget allows it."""
    is_coded = pa.types.is_dictionary
    coded = [c for c in table.columns if is_coded(c.type)]
    longest = [
        max(
            (pc.max(pc.binary_length(part.dictionary)).as_py() or 0 for part in c.chunks), default=0
        )
        for c in coded
    ]
    budget.check_bytes(table.num_rows * sum(longest))
    columns = [c.cast(c.type.value_type) if is_coded(c.type) else c for c in table.columns]
    return pa.table(columns, names=table.column_names)


class _Digest(io.RawIOBase):
    """File that keeps only the digest of what is written to it."""

    def __init__(self) -> None:
        self.of = hashlib.sha256()

    def writable(self) -> bool:
        """Return True: this file can be written to."""
        return True

    def write(self, some: Any) -> int:
        """Add bytes to the digest; return how many."""
        self.of.update(some)
        return len(memoryview(some).cast("B"))


def _as_written(names: list[str], large: bool, clock: LocalClock | None) -> pa.Schema:
    """Return the types of a release's columns; ``large`` if its texts are Arrow's large strings.

    Pandas decides which kind of string is written.
    """
    time = pa.float64() if clock is None else pa.timestamp("us", clock.timezone)
    text = pa.large_string() if large else pa.string()
    kinds = {"pseudonym": text, "group": pa.int64(), "start": time, "end": time}
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in names])
