"""How does a table reach a file? Piece by piece, so that any size does.

CSV has times in ISO 8601 with their offset, so that nobody has to guess the zone. A gzipped file
carries no time of writing: the same table gives the same bytes. A file appears under its name only
when it is whole.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from ..model.errors import ConfigError, SchemaError

_FORMATS = (".csv", ".csv.gz", ".parquet")


def write_table(pieces: Iterable[pd.DataFrame], path: str | os.PathLike[str]) -> int:
    """Write pieces of a table, one after the other, to one file.

    Parameters
    ----------
    pieces : iterable of DataFrame
        Columns in time with a zone are written as local time with its offset.
    path : path
        Ending in ``.csv``, ``.csv.gz`` or ``.parquet``, which says the format. An existing file is
        replaced.

    Returns
    -------
    int
        Rows written.

    Raises
    ------
    ConfigError
        Another ending, or the place cannot be written to.
    """
    target = check_writable(path)
    rows = 0
    with _whole(target) as unfinished, _Writer(unfinished, target.name) as writer:
        for piece in pieces:
            writer.write(piece)
            rows += len(piece)
    return rows


def table_bytes(pieces: Iterable[pd.DataFrame], name: str) -> bytes:
    """What :func:`write_table` would write to a file of that name, without any file."""
    content = BytesIO()
    with _Writer(content, name) as writer:
        for piece in pieces:
            writer.write(piece)
    return content.getvalue()


def write_bytes(content: bytes, path: str | os.PathLike[str]) -> None:
    """Write a whole file, which appears only when it is whole.

    Raises
    ------
    ConfigError
        The place cannot be written to.
    """
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ConfigError("The output's folder does not exist, or the name is a folder's own.")
    with _whole(target) as unfinished:
        unfinished.write_bytes(content)


def write_json(plain: Any, path: str | os.PathLike[str]) -> None:
    """Write plain values to a file, which appears only when it is whole.

    Raises
    ------
    ConfigError
        The place cannot be written to.
    """
    with _whole(Path(path)) as unfinished:
        text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
        unfinished.write_text(text + "\n", encoding="utf-8")


def read_json(path: str | os.PathLike[str]) -> Any:
    """The plain values in a file.

    Raises
    ------
    SchemaError
        The file is missing, or no JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise SchemaError(
            f"The file {Path(path).name!r} is missing or no JSON; check its name and content."
        ) from None


def check_writable(path: str | os.PathLike[str]) -> Path:
    """The path, if its ending names a format and its folder exists; ConfigError if not."""
    target = Path(path)
    if not target.name.lower().endswith(_FORMATS):
        raise ConfigError(
            f"The output's name ends in {target.suffix!r}; end it in .csv, .csv.gz or .parquet."
        )
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ConfigError("The output's folder does not exist, or the name is a folder's own.")
    return target


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """A path to write to; takes the target's name at the end, or is removed after a failure."""
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield unfinished
        os.replace(unfinished, target)
    except OSError as fault:
        raise ConfigError(
            f"The output could not be written ({fault.strerror}); check the folder and its space."
        ) from fault
    finally:
        unfinished.unlink(missing_ok=True)


class _Writer:
    """One open file; the first piece settles the columns."""

    def __init__(self, target: Path | BytesIO, name: str) -> None:
        self._target = target
        self._parquet = name.lower().endswith(".parquet")
        self._zipped = name.lower().endswith(".gz")
        self._open: list[Any] = []

    def __enter__(self) -> _Writer:
        return self

    def write(self, piece: pd.DataFrame) -> None:
        table = pa.table({str(name): self._column(piece[name]) for name in piece.columns})
        first = not self._open
        if first:
            self._start(table.schema)
        if self._parquet:
            self._open[-1].write_table(table)
            return
        # Text is quoted where it must be, by column of a piece: arrow knows only all or none.
        style = "needed" if any(_delicate(column) for column in table.columns) else "none"
        head = "needed" if _delicate(pa.array(table.column_names)) else "none"
        options = {"include_header": first, "quoting_style": style, "quoting_header": head}
        csv.write_csv(table, self._open[-1], csv.WriteOptions(**options))

    def __exit__(self, *fault: object) -> None:
        for opened in reversed(self._open):
            opened.close()

    def _start(self, schema: Any) -> None:
        if self._parquet:
            self._open.append(parquet.ParquetWriter(self._target, schema))
            return
        into = self._target
        self._open.append(into.open("wb") if isinstance(into, Path) else _Kept(into))
        if self._zipped:
            # No name and no time in the header: equal tables, equal bytes.
            raw = self._open[-1]
            self._open.append(gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0))

    def _column(self, column: pd.Series[Any]) -> Any:
        if isinstance(column.dtype, pd.DatetimeTZDtype) and not self._parquet:
            return pa.array(iso_with_offset(column))
        if isinstance(column.dtype, pd.CategoricalDtype):
            return pa.array(column.astype(object), type=pa.string())
        return pa.array(column, from_pandas=True)


class _Kept:
    """A stream in memory that is not emptied by closing what writes to it."""

    def __init__(self, stream: BytesIO) -> None:
        self.write, self.flush = stream.write, stream.flush
        self.closed = False

    def close(self) -> None:
        self.closed = True


def _delicate(column: Any) -> bool:
    """Whether a text of the column needs quotes in CSV."""
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return False
    return bool(pc.any(pc.match_substring_regex(column, '[",\r\n]')).as_py())


def iso_with_offset(times: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Times with a zone as texts such as ``2024-03-04T19:10:45+01:00``.

    To the second, or to the microsecond where a time of the column is no whole second.
    """
    local = times.dt.tz_localize(None).to_numpy().astype("M8[us]")
    instant = times.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype("M8[us]")
    minutes = (local - instant).astype(np.int64) // 60_000_000
    offset, which = np.unique(minutes, return_inverse=True)
    if (local == local.astype("M8[s]")).all():
        local = local.astype("M8[s]")
    suffix = np.array(
        [f"{'-' if m < 0 else '+'}{abs(m) // 60:02d}:{abs(m) % 60:02d}" for m in offset],
        dtype=np.str_,  # of no times, too
    )
    return np.char.add(np.datetime_as_string(local), suffix[which])
