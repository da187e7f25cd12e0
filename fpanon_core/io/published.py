"""A release that somebody brings back: its data file as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from ..model.budgets import Budget, check_columns
from ..model.errors import SchemaError, only_ours
from ..model.records import CELL_COLUMNS
from ..tables.parquet import read_parquet
from ..tables.sources import bytes_of, gunzipped

_PIECE_ROWS, _PIECE_BYTES = 250_000, 32 << 20
_TEXT = ("pseudonym", "start", "end")
_NEEDED = tuple(name for name in CELL_COLUMNS if name[:4] not in ("lat_", "lon_"))
_POSSIBLE = ("pseudonym", "group", *CELL_COLUMNS)


@only_ours("release")
def read_published(path: str | os.PathLike[str] | BinaryIO) -> pd.DataFrame:
    """The data file of a release, as :meth:`GloveResult.to_frame` gives it.

    Parameters
    ----------
    path : path or open file
        Of the ``data.csv`` or ``data.parquet`` of a release.

    Returns
    -------
    DataFrame
        ``pseudonym``, ``group`` where there are groups, bounds in metres and, where there is a
        projection, in degrees; ``start`` and ``end``, in UTC, or in minutes without a clock.

    Raises
    ------
    SchemaError
        If the file is missing or damaged, or is no release.
    """
    return _as_published(_read(path))


def published_pieces(path: Path) -> Iterator[pd.DataFrame]:
    """The same as :func:`read_published`, some hundred thousand rows at a time, of one's own file.

    Raises
    ------
    SchemaError
        If the file is damaged, or is no release.
    """
    try:
        with pa.memory_map(str(path)) as source:
            if path.suffix == ".parquet":
                file = parquet.ParquetFile(source)
                for batch in file.iter_batches(_PIECE_ROWS):
                    yield _as_published(pa.Table.from_batches([batch]))
                return
            kinds = dict.fromkeys(_TEXT, pa.string()) | {"group": pa.int64()}
            kinds |= dict.fromkeys(CELL_COLUMNS[:-2], pa.float64())
            reader = csv.open_csv(
                source,
                csv.ReadOptions(block_size=_PIECE_BYTES),
                convert_options=csv.ConvertOptions(column_types=kinds),
            )
            for batch in reader:
                yield _as_published(pa.Table.from_batches([batch]))
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SchemaError("The file of the release is damaged or of another kind.") from None


def _as_published(table: pa.Table) -> pd.DataFrame:
    names = table.column_names
    missing = [name for name in ("pseudonym", *_NEEDED) if name not in names]
    if missing:
        raise SchemaError(
            f"The file lacks the columns {', '.join(missing)}; give the data file of a release."
        )
    there = [name for name in _POSSIBLE if name in names]
    if any(names.count(name) > 1 for name in there):
        raise SchemaError(
            "A column occurs twice in the file; give the data file of a release as it was written."
        )
    out: dict[str, Any] = {}
    try:
        for name in there:
            out[name] = _values(name, table[name])
    except MemoryError:
        raise
    except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError, OSError):
        raise SchemaError(
            "A bound, group or time in the file is not a number or a time; give the data file of a "
            "release."
        ) from None
    return pd.DataFrame(out)


def _values(name: str, column: pa.ChunkedArray) -> Any:
    """A column as its name says it is."""
    if name == "pseudonym":
        return column.cast(pa.string()).to_pandas().astype(str)
    if name in ("start", "end"):
        return _times(column)
    if pa.types.is_boolean(column.type):
        raise ValueError(name)
    values = column.to_pandas()
    return values.astype(np.int64 if name == "group" else np.float64)


def _times(column: pa.ChunkedArray) -> Any:
    """Instants in UTC, or minutes as numbers."""
    if pa.types.is_timestamp(column.type):
        if column.type.tz is None:
            raise ValueError("a time without its zone")
        instants = column.cast(pa.timestamp("us", "UTC"))  # whatever zone: it is an instant
        return instants.to_pandas()
    values = column.to_pandas()
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.isna().any():
        return pd.to_datetime(values, utc=True, format="ISO8601").dt.as_unit("us")
    return numbers.astype(np.float64)


def _read(path: str | os.PathLike[str] | BinaryIO) -> pa.Table:
    if isinstance(path, (str, os.PathLike)) and not _is_there(path):
        raise SchemaError("The file of the release does not exist; check its name.")
    data = bytes_of(path)
    budget = Budget(len(data))
    if data[:4] == b"PAR1":
        names, columns = read_parquet(data, budget)
        return pa.table(list(columns), names=list(names))
    data = gunzipped(data, budget)
    try:
        head = data.split(b"\n", 1)[0].decode("utf-8")
        check_columns(head.count(",") + 1)
        # As text: what was written as text is not to be taken for something else.
        options = csv.ConvertOptions(column_types=dict.fromkeys(_TEXT, pa.string()))
        return csv.read_csv(pa.BufferReader(data), convert_options=options)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise SchemaError("The file of the release is damaged or of another kind.") from None


def _is_there(path: str | os.PathLike[str]) -> bool:
    try:
        return Path(path).is_file()
    except ValueError:  # no file has a NUL in its name
        return False
