"""A release that somebody brings back: its data file as a table."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from ..model.errors import SchemaError
from ..model.records import CELL_COLUMNS

_TEXT = ("pseudonym", "start", "end")
_NEEDED = tuple(name for name in CELL_COLUMNS if name[:4] not in ("lat_", "lon_"))
_POSSIBLE = ("pseudonym", "group", *CELL_COLUMNS)


def read_published(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The data file of a release, as :meth:`GloveResult.to_frame` gives it.

    Parameters
    ----------
    path : path
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
    table = _read(path)
    missing = [name for name in ("pseudonym", *_NEEDED) if name not in table.column_names]
    if missing:
        raise SchemaError(
            f"The file lacks the columns {', '.join(missing)}; give the data file of a release."
        )
    there = [name for name in _POSSIBLE if name in table.column_names]
    frame: pd.DataFrame = table.select(there).to_pandas()
    try:
        for name in ("start", "end"):
            if not isinstance(frame[name].dtype, pd.DatetimeTZDtype):
                numbers = pd.to_numeric(frame[name], errors="coerce")
                if numbers.isna().any():
                    times = pd.to_datetime(frame[name], utc=True, format="ISO8601")
                    frame[name] = times.dt.as_unit("us")
                else:
                    frame[name] = numbers.astype(np.float64)
        if "group" in there:
            frame["group"] = frame["group"].astype(np.int64)
        bounds = [name for name in CELL_COLUMNS[:8] if name in there]
        frame[bounds] = frame[bounds].astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        raise SchemaError(
            "A bound, group or time in the file is not a number or a time; give the data file of a "
            "release."
        ) from None
    frame["pseudonym"] = frame["pseudonym"].astype(str)
    return frame


def _read(path: str | os.PathLike[str]) -> pa.Table:
    source = Path(path)
    if not source.is_file():
        raise SchemaError("The file of the release does not exist; check its name.")
    try:
        if source.name.lower().endswith(".parquet"):
            return parquet.ParquetFile(source).read()
        # As text: what was written as text is not to be taken for something else.
        options = csv.ConvertOptions(column_types=dict.fromkeys(_TEXT, pa.string()))
        return csv.read_csv(source, convert_options=options)
    except (pa.ArrowException, OSError, ValueError):
        raise SchemaError("The file of the release is damaged or of another kind.") from None
