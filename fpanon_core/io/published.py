"""A release as files: written, described, and read back to be verified.

The release is one table of pseudonyms, cells and times, for whoever receives it. Beside it go a
dictionary of its columns and, for the operator alone, the list of suppressed samples: row numbers
and reasons, without places and times. Equal results give equal bytes. No file holds a user id.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from ..model.errors import SchemaError
from ..model.glove import GloveResult
from ..tables.writing import table_bytes, write_table

_TEXT = ("pseudonym", "start", "end", "reason")
_COLUMNS = (
    ("pseudonym", "text", "", "Running number of the person; not the id in the original data."),
    ("group", "whole number", "", "People of one group are published with identical samples."),
    ("x_min_m", "number", "m", "Western bound of the sample on the projection."),
    ("x_max_m", "number", "m", "Eastern bound."),
    ("y_min_m", "number", "m", "Southern bound."),
    ("y_max_m", "number", "m", "Northern bound."),
    ("lat_min", "number", "degree", "Southernmost latitude of the sample's rectangle, WGS 84."),
    ("lat_max", "number", "degree", "Northernmost latitude."),
    ("lon_min", "number", "degree", "Westernmost longitude."),
    ("lon_max", "number", "degree", "Easternmost longitude."),
    ("start", "time", "", "From when on the person was, at some time, somewhere in the rectangle."),
    ("end", "time", "", "Until when; the sample does not include this moment."),
)


def data_dictionary(result: GloveResult) -> pd.DataFrame:
    """What each column of the release means: ``column``, ``type``, ``unit``, ``meaning``."""
    frame = pd.DataFrame(_COLUMNS, columns=["column", "type", "unit", "meaning"])
    clock, crs = result.published.clock, result.published.crs
    times = frame["type"] == "time"
    if clock is None:
        frame.loc[times, ["type", "unit"]] = ["number", "min since midnight of the first day"]
    else:
        frame.loc[times, "unit"] = f"local time of {clock.timezone} with its offset from UTC"
    frame.loc[frame["unit"] == "m", "unit"] = "m" if crs is None else f"m on {crs}"
    return frame


def write_published(result: GloveResult, path: str | os.PathLike[str]) -> int:
    """Write the release, and beside it ``NAME_dictionary.csv``; the number of rows written.

    Raises
    ------
    ConfigError
        If the name ends in none of ``.csv``, ``.csv.gz``, ``.parquet``, or the place cannot be
        written to.
    """
    rows = write_table(_pieces(result), path)
    write_table([data_dictionary(result)], dictionary_path(path))
    return rows


def published_bytes(result: GloveResult, name: str) -> bytes:
    """The release as :func:`write_published` would write it to a file of that name."""
    return table_bytes(_pieces(result), name)


def _pieces(result: GloveResult) -> Iterator[pd.DataFrame]:
    return result.frames() if result.published.n_groups else iter([result.to_frame()])


def dictionary_path(path: str | os.PathLike[str]) -> Path:
    """Where the dictionary of a release goes."""
    target = Path(path)
    stem = target.name
    for ending in (".gz", ".csv", ".parquet"):
        stem = stem[: -len(ending)] if stem.lower().endswith(ending) else stem
    return target.with_name(f"{stem}_dictionary.csv")


def write_suppressed(result: GloveResult, path: str | os.PathLike[str]) -> int:
    """Write pseudonym, row number and reason of every suppressed sample; how many."""
    return write_table([result.suppressed_frame()], path)


def read_published(path: str | os.PathLike[str]) -> pd.DataFrame:
    """A release that somebody brings back, as :meth:`GloveResult.to_frame` gives it.

    Raises
    ------
    SchemaError
        If the file is missing or damaged, or is no release.
    """
    table = _read(path)
    needed = [name for name, *_ in _COLUMNS]
    missing = [name for name in needed if name not in table.column_names]
    if missing:
        raise SchemaError(
            f"The file lacks the columns {', '.join(missing)}; give a release as GLOVE writes it."
        )
    frame: pd.DataFrame = table.select(needed).to_pandas()
    try:
        for name in ("start", "end"):
            if not isinstance(frame[name].dtype, pd.DatetimeTZDtype):
                numbers = pd.to_numeric(frame[name], errors="coerce")
                if numbers.isna().any():
                    times = pd.to_datetime(frame[name], utc=True, format="ISO8601")
                    frame[name] = times.dt.as_unit("us")
                else:
                    frame[name] = numbers.astype(np.float64)
        frame["group"] = frame["group"].astype(np.int64)
        bounds = needed[2:10]
        frame[bounds] = frame[bounds].astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        raise SchemaError(
            "A bound, group or time in the file is not a number or a time; give a release as GLOVE "
            "writes it."
        ) from None
    frame["pseudonym"] = frame["pseudonym"].astype(str)
    return frame


def read_suppressed(path: str | os.PathLike[str]) -> pd.DataFrame:
    """A list of suppressed samples that somebody brings back.

    Raises
    ------
    SchemaError
        If the file is missing or damaged, or is no such list.
    """
    table = _read(path)
    if not {"pseudonym", "sample"} <= set(table.column_names):
        raise SchemaError("The file lacks pseudonym or sample; give the list as GLOVE writes it.")
    frame: pd.DataFrame = table.to_pandas()
    try:
        frame["sample"] = frame["sample"].astype(np.int64)
    except (ValueError, TypeError, OverflowError):
        raise SchemaError("A sample in the file is not a row number.") from None
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
