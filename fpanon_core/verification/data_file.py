"""The rows of a release, read from its bytes as they say they are; nothing is guessed.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from ..model.budgets import Budget, check_columns
from .degrees import COLUMNS as DEGREES
from .faults import Faults
from .records import BOUNDS

_TIMES = ("start", "end")
_TEXTS = ("pseudonym", *_TIMES)
_WIDTH = 8  # bytes of a field, at least
_LONGEST = 256  # characters of a pseudonym; ours have 16
_OFFSET = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$")


def read_rows(name: str, content: bytes, faults: Faults) -> tuple[pd.DataFrame | None, bytes]:
    """The table in a data file, and what else its format carries.

    None, with a fault, where it is no such table. Times come out in UTC.

    Raises
    ------
    SchemaError
        It would become far larger than it is.
    """
    budget = Budget(len(content))
    extra = b""
    try:
        if name.endswith(".parquet"):
            file = parquet.ParquetFile(io.BytesIO(content))
            _check_size(file.metadata, budget)
            file = parquet.ParquetFile(io.BytesIO(content), read_dictionary=list(_TEXTS))
            schema = file.schema_arrow
            found = [schema.metadata, *(of for field in schema for of in _told_of(field))]
            extra = b"\n".join(part for of in found if of for pair in of.items() for part in pair)
            extra += b"\n" + str(file.metadata.created_by).encode()
            table = _spelt_out(file.read(), budget)
        else:
            head = content.split(b"\n", 1)[0].decode("utf-8").strip("\r").split(",")
            check_columns(len(head))
            texts = csv.ConvertOptions(
                column_types={column.strip('"'): pa.string() for column in head},
                strings_can_be_null=True, null_values=[""], quoted_strings_can_be_null=False,
            )  # fmt: skip
            table = csv.read_csv(io.BytesIO(content), convert_options=texts)
        names = table.column_names
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError):
        faults.add("data file", "The data file is damaged or of another kind.")
        return None, extra
    if not _columns_are_right(names, faults):
        return None, extra
    out: dict[str, Any] = {}
    try:
        out["pseudonym"] = table["pseudonym"].cast(pa.string()).to_pandas().astype(object)
        if out["pseudonym"].astype(str).str.len().max() > _LONGEST:
            raise ValueError
        if "group" in table.column_names:
            out["group"] = _numbers(table["group"], pa.int64())
        for column in (*BOUNDS, *DEGREES):
            if column in table.column_names:
                out[column] = _numbers(table[column], pa.float64())
        for column in _TIMES:
            out[column] = _times(table[column], faults)
    except MemoryError:
        raise
    except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError, OSError):
        faults.add("data file", "A bound, group or time in the data file is none.")
        return None, extra
    return pd.DataFrame(out), extra


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


def _times(column: pa.ChunkedArray, faults: Faults) -> Any:
    """Instants in UTC, whose offsets are those of the original's zone; or minutes as numbers."""
    clock = faults.original.clock
    if column.null_count:
        raise ValueError
    if clock is None:
        return _numbers(column, pa.float64())
    if pa.types.is_timestamp(column.type):
        if column.type.tz is None:
            raise ValueError
        if column.type.tz != clock.timezone:
            faults.add("clock", "The times are in another zone than the original's.")
        return column.cast(pa.timestamp("us", tz="UTC")).to_pandas()
    texts = column.cast(pa.string()).to_pandas()
    codes, distinct = pd.factorize(texts)
    plain = pd.Series(distinct.astype(str))
    if not plain.str.match(_OFFSET).all():
        raise ValueError
    instants = pd.to_datetime(plain, utc=True, format="ISO8601").dt.as_unit("us")
    on_the_wall = pd.to_datetime(plain.str.slice(0, -6), format="ISO8601").dt.as_unit("us")
    expected = instants.dt.tz_convert(clock.timezone).dt.tz_localize(None)
    wrong = int((on_the_wall.to_numpy() != expected.to_numpy()).sum())
    if wrong:
        text = f"{wrong} times have an offset that is not that of the original's zone."
        faults.add("clock", text)
    return instants.take(codes).reset_index(drop=True)
