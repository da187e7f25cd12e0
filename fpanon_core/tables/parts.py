"""A table in many files: parts, read piece by piece, so that never all are in memory at once.

Parts follow one another in the order of their names, and make one table; where it is cut has no say
in anything. Parquet is streamed by DuckDB, and by Arrow where DuckDB has no equal of a type; any
other kind is read part by part by :mod:`.sources`, with all its rules, and kept as Parquet in a
private folder meanwhile.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..model.arrays import IntArray
from ..model.budgets import ALWAYS_FINE, MAX_RATIO, Budget
from ..model.errors import ConfigError, FpanonError, SchemaError
from .folder import data_files
from .parquet import checked_description, is_nested_type, plain_group, together
from .sources import plain_column, read_source
from .table import SourceTable, sample_starts, text_of

if TYPE_CHECKING:
    import duckdb

BATCH = 1 << 20
"""Rows at a time."""
_MOST_PARTS = 100_000
_GLOB = set("*?[")
_PROGRESS = "enable_progress_bar"
_MEMORY = "1GB"  # of DuckDB, beyond which it spills
_Faults = (
    *(pa.ArrowException, OSError, ValueError, KeyError, TypeError),
    *(NotImplementedError, OverflowError),
)


@dataclass(frozen=True)
class Part:
    """One file.

    Attributes
    ----------
    name : str
        Its own; no folder.
    path : Path
        Of the Parquet file that holds its rows.
    n_rows : int
        Rows that have all columns.
    names : tuple of str
        The columns in ``path``, in the order of the whole table's labels.
    table : SourceTable
        All but its columns.
    """

    name: str
    path: Path
    n_rows: int
    names: tuple[str, ...]
    table: SourceTable


class Parts:
    """Several files that are one table.

    Parameters
    ----------
    source : path, str or sequence of paths
        A folder (with all below it, but for links), a glob, or files.
    private : Path
        Where to keep what is not Parquet meanwhile, and what DuckDB spills.

    Raises
    ------
    SchemaError
        There is no file; one cannot be read, or has other columns than the first. Names the part.
    """

    def __init__(self, source: Any, private: Path) -> None:
        self._private = private
        self.parts: list[Part] = []
        self.types: list[pa.DataType] = []
        paths = _paths(source)
        for number, path in enumerate(paths):
            try:
                self._add(*_opened(path, private / f"part-{number}.parquet"), path.name)
            except FpanonError as fault:
                raise SchemaError(f"Part {path.name!r}: {fault}") from None
            except _Faults:
                raise _damaged(path.name) from None
        self.starts = np.cumsum([0, *(part.n_rows for part in self.parts)])
        self.n_rows = int(self.starts[-1])
        if not self.n_rows:
            raise SchemaError("The parts have no rows; give one row per event.")
        notes = dict.fromkeys(note for part in self.parts for note in part.table.notes)
        self.about = replace(self.parts[0].table, notes=tuple(notes), malformed=np.empty(0, int))

    @property
    def n_malformed(self) -> int:
        """Rows that have not all columns, in all parts."""
        return sum(len(part.table.malformed) for part in self.parts)

    def sample(self, size: int = 5_000) -> SourceTable:
        """The rows that :meth:`SourceTable.sample` would take of all parts as one table."""
        rows = np.arange(self.n_rows)
        if self.n_rows > size:
            starts = sample_starts(self.n_rows, size // 5)
            rows = np.concatenate([at + np.arange(size // 5) for at in starts])
        few = self.taken(rows)
        kept = {f.name: getattr(few, f.name) for f in fields(SourceTable)}
        return _Sample(**kept, parts=self)

    def batches(self, columns: Sequence[int]) -> Iterator[SourceTable]:
        """All rows in order, with some columns; the others are nulls."""
        import duckdb  # here, as few readings need it, and all would wait for it

        with duckdb.connect(config=self._settings()) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            # It would be written between what others read.
            connection.execute(f"SET {_PROGRESS} TO false")
            for part in self.parts:
                if not part.n_rows:
                    continue
                rows = 0
                try:
                    for found in self._stream(connection, part, columns):
                        rows += len(found[0])
                        yield self._table(columns, found)
                except (*_Faults, duckdb.Error):
                    raise _damaged(part.name) from None
                if rows != part.n_rows:
                    raise _damaged(part.name)

    def taken(self, rows: IntArray, columns: Sequence[int] | None = None) -> SourceTable:
        """Some rows, ascending, of some columns or all; the other columns are nulls."""
        columns = range(len(self.types)) if columns is None else columns
        found: list[list[pa.Array]] = [[] for _ in columns]
        for part, start, stop in zip(self.parts, self.starts, self.starts[1:], strict=False):
            low, high = np.searchsorted(rows, [start, stop])
            if low < high:
                try:
                    self._take(part, rows[low:high] - start, columns, found)
                except _Faults:
                    raise _damaged(part.name) from None
        whole = [
            pa.chunked_array(chunks, self.types[i])
            for i, chunks in zip(columns, found, strict=True)
        ]
        return self._table(columns, whole)

    def places(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Of some rows the part, from 1, and the number within it."""
        at = np.searchsorted(self.starts, rows, side="right") - 1
        numbers = np.empty(len(rows), np.int64)
        for i in np.unique(at):
            hit = at == i
            numbers[hit] = self.parts[i].table.row_numbers(rows[hit] - self.starts[i])
        return at + 1, numbers

    # --- one part ------------------------------------------------------------------------------

    def _add(
        self,
        path: Path,
        n_rows: int,
        names: list[str],
        types: list[pa.DataType],
        table: SourceTable,
        name: str,
    ) -> None:
        if len(set(table.labels)) != len(table.labels) or len(set(names)) != len(names):
            raise SchemaError("a column name occurs twice; in parts names must differ.")
        if not self.parts:
            self.types = types
            self.parts.append(Part(name, path, n_rows, tuple(names), table))
            return
        labels = self.parts[0].table.labels
        if set(table.labels) != set(labels):
            raise SchemaError(
                "it has other columns than the first part. All parts need the same columns, and "
                "a header each, or none of them one."
            )
        order = [table.labels.index(label) for label in labels]
        for i, at in enumerate(order):
            self.types[i] = _common(self.types[i], types[at], self.parts[0].table, i)
        self.parts.append(Part(name, path, n_rows, tuple(names[at] for at in order), table))

    def _stream(
        self, connection: duckdb.DuckDBPyConnection, part: Part, columns: Sequence[int]
    ) -> Iterator[list[pa.ChunkedArray]]:
        names = [part.names[i] for i in columns]
        stored = pq.read_schema(part.path)
        known = all(_has_equal(stored.field(name).type) for name in names)
        if known and not _GLOB & set(str(part.path)):
            from duckdb import ColumnExpression

            query = "FROM read_parquet(?, hive_partitioning = false)"
            stream = connection.sql(query, params=[str(part.path)])
            found = stream.select(*(ColumnExpression(name) for name in names))
            for batch in found.to_arrow_reader(BATCH):
                yield [
                    self._typed(pa.chunked_array([batch.column(j)]), i)
                    for j, i in enumerate(columns)
                ]
            return
        file = pq.ParquetFile(part.path)
        for group in together(file.metadata):
            yield self._group(file, group, names, columns)

    def _take(
        self, part: Part, rows: IntArray, columns: Sequence[int], into: list[list[pa.Array]]
    ) -> None:
        file = pq.ParquetFile(part.path)
        at = 0
        for group in together(file.metadata):
            n = sum(file.metadata.row_group(g).num_rows for g in group)
            low, high = np.searchsorted(rows, [at, at + n])
            if low < high:
                found = self._group(file, group, [part.names[i] for i in columns], columns)
                for chunks, column in zip(into, found, strict=True):
                    chunks += column.take(pa.array(rows[low:high] - at)).chunks
            at += n

    def _group(
        self, file: pq.ParquetFile, group: list[int], names: list[str], columns: Sequence[int]
    ) -> list[pa.ChunkedArray]:
        flat = [n for n in names if not is_nested_type(file.schema_arrow.field(n).type)]
        table = plain_group(file.read_row_groups(group, columns=flat))
        n_rows = sum(file.metadata.row_group(g).num_rows for g in group)
        unread = pa.chunked_array([pa.nulls(n_rows, pa.string())])
        return [
            self._typed(plain_column(table.column(name)) if name in flat else unread, i)
            for name, i in zip(names, columns, strict=True)
        ]

    def _typed(self, column: pa.ChunkedArray, i: int) -> pa.ChunkedArray:
        return column if column.type == self.types[i] else column.cast(self.types[i])

    def _table(self, columns: Sequence[int], found: Sequence[pa.ChunkedArray]) -> SourceTable:
        n = len(found[0])
        whole = [
            pa.chunked_array([pa.nulls(n, kind)]) if i not in columns else None
            for i, kind in enumerate(self.types)
        ]
        for i, column in zip(columns, found, strict=True):
            whole[i] = column
        return replace(self.about, columns=tuple(whole))

    def _settings(self) -> dict[str, Any]:
        return {
            "threads": len(os.sched_getaffinity(0)),
            "memory_limit": _MEMORY,
            "temp_directory": str(self._private),
            "autoinstall_known_extensions": "false",  # nothing is fetched from anywhere
        }


@dataclass(frozen=True, eq=False)
class _Sample(SourceTable):
    """Some rows, that know the others."""

    parts: Parts | None = None

    def recurs(self, column: int) -> bool:
        """Whether some field of a column occurs twice, in all parts."""
        assert self.parts is not None
        seen: set[str] = set()
        for batch in self.parts.batches([column]):
            texts = pc.unique(text_of(batch.columns[column])).to_pylist()
            if len(texts) < batch.n_rows or not seen.isdisjoint(texts):
                return True
            seen.update(texts)
        return False


class _PartBudget(Budget):
    """That of a file that is never decoded as a whole: no limit but that of its own size."""

    @property
    def decoded_bytes(self) -> int:
        return max(ALWAYS_FINE, self.source_bytes * MAX_RATIO)


def _paths(source: Any) -> list[Path]:
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        if path.is_dir():
            found = [path / name for name in data_files(path)]
        elif path.exists():
            found = [path]
        else:
            found = sorted(Path(each) for each in glob.glob(str(source), recursive=True))
            found = [each for each in found if each.is_file()]
    elif isinstance(source, Sequence) and all(isinstance(s, (str, os.PathLike)) for s in source):
        found = [Path(os.fspath(each)) for each in source]
    else:
        raise ConfigError("Parts are given as a folder, a glob such as 'day-*.parquet', or paths.")
    if not found:
        raise SchemaError(
            "No part was found there; give a folder with Parquet or CSV files, or a glob."
        )
    if len(found) > _MOST_PARTS:
        raise SchemaError(f"There are more than {_MOST_PARTS:,} parts; put some together.")
    return found


def _opened(path: Path, kept: Path) -> tuple[Path, int, list[str], list[pa.DataType], SourceTable]:
    """Where the rows are as Parquet, how many, their columns and types; and all else of it."""
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
        types = [column.type for column in table.columns]
        return kept, table.n_rows, names, types, replace(table, columns=())
    about = pq.read_metadata(path)
    checked_description(about, _PartBudget(path.stat().st_size))
    schema = pq.read_schema(path)
    types = [plain_type(field.type) for field in schema]
    n_rows = sum(about.row_group(i).num_rows for i in range(about.num_row_groups))
    return path, n_rows, list(schema.names), types, SourceTable(tuple(schema.names), (), "Parquet")


def plain_type(kind: pa.DataType) -> pa.DataType:
    """What a stored column becomes, by its type: texts spelt out, what is nested a null."""
    if is_nested_type(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    return plain_column(pa.chunked_array([pa.array([], kind)])).type


def _common(one: pa.DataType, other: pa.DataType, table: SourceTable, i: int) -> pa.DataType:
    """The type in which both are read, where that changes no value."""
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if {one, other} == {pa.string(), pa.large_string()}:
        return pa.large_string()
    if pa.types.is_integer(one) and pa.types.is_integer(other) and pa.uint64() not in (one, other):
        return pa.int64()
    raise SchemaError(
        f"{table.told(i)} is stored as another type than in the first part ({other}, not {one}); "
        "write all parts alike."
    )


def _has_equal(kind: pa.DataType) -> bool:
    """Whether DuckDB hands the type on as it is, or as one that can be turned back into it."""
    if pa.types.is_dictionary(kind):
        return bool(pa.types.is_string(kind.value_type))
    if pa.types.is_timestamp(kind):
        return bool(kind.unit != "ns")
    return bool(
        pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64(), pa.string(), pa.bool_())
    )


def _damaged(name: str) -> SchemaError:
    return SchemaError(f"Part {name!r} is damaged or cut short; write or copy it again.")
