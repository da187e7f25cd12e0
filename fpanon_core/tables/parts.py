"""A table in many files: parts, read piece by piece, so that they are never all in memory.

Parts follow one another in the order of their names, or of a given sequence, and make one table.
Where one part ends and the next begins never affects a result. Parquet is streamed. Any other kind
is read part by part by :mod:`.sources`, with all its rules, and kept as Parquet in a private folder
during use.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..model.arrays import IntArray
from ..model.budgets import ALWAYS_FINE, MAX_RATIO, Budget
from ..model.errors import ConfigError, FpanonError, SchemaError
from .folder import data_files
from .parquet import checked_description, is_nested_type, plain_group, refusing, together
from .sources import plain_column, read_source
from .table import SourceTable, sample_rows, text_of

BATCH = 1 << 20
"""Number of rows read at a time."""
_MOST_PARTS = 100_000


@dataclass(frozen=True)
class Part:
    """One file of a table.

    Attributes
    ----------
    name : str
        File name without its folder.
    path : Path
        Path of the Parquet file that holds the part's rows.
    n_rows : int
        Number of rows that have all columns.
    names : tuple of str
        Names of the columns in the Parquet file, in the order of the whole table's labels.
    table : SourceTable
        The part's table without its columns.
    """

    name: str
    path: Path
    n_rows: int
    names: tuple[str, ...]
    table: SourceTable


class Parts:
    """Several files that form one table: a source of rows like a :class:`SourceTable`.

    Parameters
    ----------
    source : path, str or sequence of paths
        A folder (with all files below it except links), a glob, or files.
    private : Path
        Folder in which parts that are not Parquet are kept as Parquet while they are used.

    Raises
    ------
    SchemaError
        There is no file, there are more than 100,000 files, or the parts have no rows. It is also
        raised if a part cannot be read, or if its columns differ from the first part's; the message
        then names the part.
    ConfigError
        ``source`` is of another type.
    """

    def __init__(self, source: Any, private: Path) -> None:
        self.parts: list[Part] = []
        self.types: list[pa.DataType] = []
        for number, path in enumerate(_paths(source)):
            with refusing(_damaged(path.name)):
                try:
                    self._add(path, private / f"part-{number}.parquet")
                except FpanonError as fault:
                    raise SchemaError(f"Part {path.name!r}: {fault}") from None
        self.starts = np.cumsum([0, *(part.n_rows for part in self.parts)])
        self.n_rows = int(self.starts[-1])
        if not self.n_rows:
            raise SchemaError("The parts have no rows; give one row per event.")
        self.tables = tuple(part.table for part in self.parts)
        notes = dict.fromkeys(note for table in self.tables for note in table.notes)
        self.about = replace(self.tables[0], notes=tuple(notes), malformed=np.empty(0, int))

    def sample(self) -> SourceTable:
        """Return the rows that :meth:`SourceTable.sample` would take from the joined parts."""
        rows = sample_rows(self.n_rows)
        few = self.taken(np.arange(self.n_rows) if rows is None else rows)
        return replace(few, recurring=self._recurs)

    def batches(self, columns: Sequence[int]) -> Iterator[SourceTable]:
        """Yield all rows in order, with the requested columns; other columns hold nulls."""
        for part in self.parts:
            rows = 0
            groups = range(pq.read_metadata(part.path).num_row_groups)
            for found in self._read(part, columns, list(groups)):
                rows += len(found[0])
                yield self._table(columns, found)
            if rows != part.n_rows:
                raise SchemaError(_damaged(part.name))

    def taken(self, rows: IntArray, columns: Sequence[int] | None = None) -> SourceTable:
        """Return the given columns of ascending rows, with the rows' numbers in the parts."""
        columns = range(len(self.types)) if columns is None else columns
        found = [[pa.array([], self.types[i])] for i in columns]
        numbers = np.empty(len(rows), np.int64)
        for part, start, stop in zip(self.parts, self.starts, self.starts[1:], strict=False):
            low, high = np.searchsorted(rows, [start, stop])
            if low < high:
                wanted = rows[low:high] - start
                numbers[low:high] = part.table.row_numbers(wanted)
                self._take(part, wanted, columns, found)
        whole = [pa.chunked_array(chunks) for chunks in found]
        return replace(self._table(columns, whole), numbers=numbers)

    def part_of(self, rows: IntArray) -> IntArray:
        """Return the number, from 1, of the part that holds each row."""
        return np.searchsorted(self.starts, rows, side="right")

    def _recurs(self, column: int) -> bool:
        """Return whether some value of a column occurs twice in all parts together."""
        seen: set[str] = set()
        for batch in self.batches([column]):
            texts = pc.unique(text_of(batch.columns[column])).to_pylist()
            if len(texts) < batch.n_rows or not seen.isdisjoint(texts):
                return True
            seen.update(texts)
        return False

    # --- one part ------------------------------------------------------------------------------

    def _add(self, path: Path, kept: Path) -> None:
        place, n_rows, schema, table = _opened(path, kept)
        if len(set(table.labels)) != len(table.labels):
            raise SchemaError("a column name occurs twice; in parts, names must differ.")
        first = self.parts[0].table if self.parts else table
        if set(table.labels) != set(first.labels):
            raise SchemaError(
                "its columns differ from those of the first part. All parts need the same columns, "
                "and either all or none of them must have a header."
            )
        fields = [schema.field(table.labels.index(label)) for label in first.labels]
        types = [field.type for field in fields]
        if self.parts:
            types = [_common(one, types[i], first, i) for i, one in enumerate(self.types)]
        self.types = types
        names = tuple(field.name for field in fields)
        self.parts.append(Part(path.name, place, n_rows, names, table))

    def _read(
        self, part: Part, columns: Sequence[int], groups: list[int]
    ) -> Iterator[list[pa.ChunkedArray]]:
        """Yield the columns of some row groups, at most ``BATCH`` rows at a time."""
        with refusing(_damaged(part.name)):
            file = pq.ParquetFile(part.path)
            names = [part.names[i] for i in columns]
            flat = [n for n in names if not is_nested_type(file.schema_arrow.field(n).type)]
            for batch in file.iter_batches(BATCH, groups, columns=flat):
                table = plain_group(pa.Table.from_batches([batch]))
                unread = pa.chunked_array([pa.nulls(batch.num_rows, pa.string())])
                yield [
                    (plain_column(table.column(n)) if n in flat else unread).cast(self.types[i])
                    for n, i in zip(names, columns, strict=True)
                ]

    def _take(
        self, part: Part, rows: IntArray, columns: Sequence[int], into: list[list[pa.Array]]
    ) -> None:
        about = pq.read_metadata(part.path)
        at = 0
        for group in together(about):
            end = at + sum(about.row_group(g).num_rows for g in group)
            if np.searchsorted(rows, at) < np.searchsorted(rows, end):
                for found in self._read(part, columns, group):
                    low, high = np.searchsorted(rows, [at, at + len(found[0])])
                    for chunks, column in zip(into, found, strict=True):
                        chunks += column.take(pa.array(rows[low:high] - at)).chunks
                    at += len(found[0])
            at = end

    def _table(self, columns: Sequence[int], found: Sequence[pa.ChunkedArray]) -> SourceTable:
        n = len(found[0]) if found else 0
        there = dict(zip(columns, found, strict=True))
        nulls = (pa.chunked_array([pa.nulls(n, kind)]) for kind in self.types)
        whole = tuple(there.get(i, none) for i, none in enumerate(nulls))
        return replace(self.about, columns=whole)


def _paths(source: Any) -> list[Path]:
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        if path.is_dir():
            found = [path / name for name in data_files(path)]
        elif path.exists():
            found = [path]
        else:
            matches = map(Path, glob.glob(str(source), recursive=True))
            found = sorted(each for each in matches if each.is_file())
    elif isinstance(source, Sequence) and all(isinstance(s, (str, os.PathLike)) for s in source):
        found = [Path(os.fspath(each)) for each in source]
    else:
        raise ConfigError(
            "Parts must be given as a folder, a glob such as 'day-*.parquet', or paths."
        )
    if not found:
        raise SchemaError(
            "No part was found there; give a folder with Parquet or CSV files, or a glob."
        )
    if len(found) > _MOST_PARTS:
        raise SchemaError(f"There are more than {_MOST_PARTS:,} parts; merge some of them.")
    return found


def _opened(path: Path, kept: Path) -> tuple[Path, int, pa.Schema, SourceTable]:
    """Return the Parquet path, number of rows, columns as they are read, and other facts."""
    if not path.is_file():
        raise SchemaError("there is no such file; check the path.")
    with path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    if not is_parquet:
        table = read_source(path)[0]
        names = [f"c{i}" for i in range(len(table.labels))]
        held = pa.table(list(table.columns), names=names)
        pq.write_table(held, kept, compression="lz4", row_group_size=BATCH)
        kept.chmod(0o600)
        return kept, table.n_rows, held.schema, table.about
    about = pq.read_metadata(path)
    # A part is never decoded as a whole; only the file's own size bounds it.
    size = path.stat().st_size
    checked_description(about, Budget(size, most_bytes=max(ALWAYS_FINE, size * MAX_RATIO)))
    schema = pa.schema([f.with_type(plain_type(f.type)) for f in pq.read_schema(path)])
    n_rows = sum(about.row_group(i).num_rows for i in range(about.num_row_groups))
    return path, n_rows, schema, SourceTable(tuple(schema.names), (), "Parquet")


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of a stored column after reading; text for a nested, unread type."""
    if is_nested_type(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    return plain_column(pa.chunked_array([pa.array([], kind)])).type


def _common(one: pa.DataType, other: pa.DataType, table: SourceTable, i: int) -> pa.DataType:
    """Return a type in which both columns can be read unchanged; refuse if there is none."""
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if {one, other} == {pa.string(), pa.large_string()}:
        return pa.large_string()
    if pa.types.is_integer(one) and pa.types.is_integer(other) and pa.uint64() not in (one, other):
        return pa.int64()
    raise SchemaError(
        f"{table.told(i)} is stored as a different type in the first part ({one}, not {other}); "
        "write all parts alike."
    )


def _damaged(name: str) -> str:
    return f"Part {name!r} is damaged or cut short; write or copy it again."
