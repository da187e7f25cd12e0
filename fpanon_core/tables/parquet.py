"""Reading of a Parquet file within its budget, the largest decoded size that is accepted.

The size of a Parquet file does not bound its decoded size: runs of equal values and dictionary
indices take almost no space. So its metadata are checked against the budget first (rows × columns ×
the width of each type, 8 bytes at least). Texts are then decoded as dictionaries, a few row groups
at a time, and expanded only if the result is within the budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..model.budgets import Budget, check_columns
from ..model.errors import SchemaError

FAULTS = (
    *(pa.ArrowException, OSError, ValueError, KeyError, TypeError),
    *(NotImplementedError, OverflowError),
)
"""Exceptions that reading a damaged file may raise."""
_ROWS_AT_A_TIME = 1 << 18
_LEAST_WIDTH = 8  # bytes that a field takes, at least, in anything computed from it
_DAMAGED = "The Parquet file is damaged or cut short; write it again."


@contextmanager
def refusing(text: str, faults: tuple[type[Exception], ...] = FAULTS) -> Iterator[None]:
    """Turn the exceptions of a damaged file into a SchemaError with this text."""
    try:
        yield
    except MemoryError:  # Arrow's memory errors, too
        raise
    except faults:
        raise SchemaError(text) from None


def read_parquet(
    data: bytes, budget: Budget
) -> tuple[tuple[str, ...], tuple[pa.ChunkedArray, ...]]:
    """Return names and columns; nested columns, which cannot be read, hold only nulls.

    Raises
    ------
    SchemaError
        The file is damaged, has no rows or too many columns, or exceeds the budget.
    """
    with refusing(_DAMAGED):
        found = _read(data, budget)
    if not found[1] or len(found[1][0]) == 0:
        raise SchemaError("The Parquet file has no rows; give one row per event.")
    return found


def _read(data: bytes, budget: Budget) -> tuple[tuple[str, ...], tuple[pa.ChunkedArray, ...]]:
    described = pq.ParquetFile(pa.BufferReader(data))
    check_columns(described.metadata.num_columns)
    schema = described.schema_arrow
    flat = [field.name for field in schema if not is_nested_type(field.type)]
    checked_description(described.metadata, budget)
    texts = [field.name for field in schema if _is_text(field.type)]
    file = pq.ParquetFile(pa.BufferReader(data), metadata=described.metadata, read_dictionary=texts)
    groups: list[pa.Table] = []
    spelt = 0
    for some in together(described.metadata):
        group = file.read_row_groups(some, columns=flat)
        spelt += group.nbytes + sum(_spelt_bytes(column) for column in group.columns)
        budget.check_bytes(spelt)
        groups.append(plain_group(group).combine_chunks())
    table = pa.concat_tables(groups) if groups else schema.empty_table().select(flat)
    table.validate(full=True)  # only this finds text that a flipped bit made invalid
    if table.column_names != flat:  # two names with the same path
        raise SchemaError(_DAMAGED)
    n_rows = table.num_rows if flat else described.metadata.num_rows
    unread = pa.chunked_array([pa.nulls(n_rows, pa.string())])
    columns = iter(table.columns)
    return tuple(schema.names), tuple(
        unread if is_nested_type(field.type) else next(columns) for field in schema
    )


def together(about: pq.FileMetaData) -> Iterator[list[int]]:
    """Yield lists of row groups, by number, to read together; a group may be a single row."""
    some: list[int] = []
    rows = 0
    for i in range(about.num_row_groups):
        n_rows = max(about.row_group(i).num_rows, 0)
        if some and rows + n_rows > _ROWS_AT_A_TIME:
            yield some
            some, rows = [], 0
        some.append(i)
        rows += n_rows
    if some:
        yield some


def checked_description(about: pq.FileMetaData, budget: Budget) -> None:
    """Refuse a file whose decoded size, according to its own metadata, exceeds the budget.

    Raises
    ------
    SchemaError
        The decoded size is above the budget.
    """
    wide = sum(_width(about.schema.column(j)) for j in range(about.num_columns))
    # The groups' statements about columns are not read here: if they contradict themselves, Arrow
    # ends the whole process. When it reads the data, it only raises an error.
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    rows = max(about.num_rows, sum(max(group.num_rows, 0) for group in groups))
    budget.check_bytes(rows * wide)
    budget.check_bytes(sum(max(group.total_byte_size, 0) for group in groups))


def _width(column: pq.ColumnSchema) -> int:
    known = {"INT96": 12, "FIXED_LEN_BYTE_ARRAY": int(column.length)}
    return max(_LEAST_WIDTH, known.get(column.physical_type, 0))


def is_nested_type(kind: pa.DataType) -> bool:
    """Return whether a type is a list, map or structure, even within a wrapping type."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_nested_type(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return is_nested_type(kind.value_type)
    return bool(pa.types.is_nested(kind))


def _is_text(kind: pa.DataType) -> bool:
    texts = (pa.string(), pa.large_string(), pa.string_view())
    return kind in (*texts, pa.binary(), pa.large_binary(), pa.binary_view())


def _spelt_bytes(column: pa.ChunkedArray) -> int:
    """Return the size in bytes of a column of texts when expanded; 0 unless it is a dictionary."""
    if not (pa.types.is_dictionary(column.type) and _is_text(column.type.value_type)):
        return 0
    size = 0
    for chunk in column.chunks:
        lengths = pc.fill_null(pc.binary_length(chunk.dictionary), 0).to_numpy(zero_copy_only=False)
        numbers = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
        often = np.bincount(numbers, minlength=len(lengths))
        size += int(np.dot(often.astype(np.int64), lengths.astype(np.int64)))
    return size


def plain_group(group: pa.Table) -> pa.Table:
    """Return the group with plain values in place of dictionary indices."""
    columns = []
    for column in group.columns:
        if pa.types.is_dictionary(column.type):
            kind = column.type.value_type
            wide = _is_text(kind) and _spelt_bytes(column) >= 1 << 31
            kind = pa.large_string() if wide and not pa.types.is_binary(kind) else kind
            column = column.cast(kind)
        columns.append(column)
    return pa.table(columns, names=group.column_names)
