"""Reading of tables from a path, file object or DataFrame; the content shows the kind.

Nothing here runs code from a file: pickles are refused, and XLSX formulas are not computed.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..model import budgets
from ..model.budgets import Budget, check_columns
from ..model.errors import ConfigError, SchemaError, only_ours
from .delimited import as_utf8, has_header, read_delimited
from .json_text import is_json, read_json
from .parquet import read_parquet, refusing
from .table import SourceTable
from .workbook import WORKBOOK, read_sheets

_GZIP, _ZIP = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06")
_DEPTH = 3
_BLOCK = 1 << 20
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, LookupError),
    *(NotImplementedError, ValueError, RuntimeError),
)
"""Exceptions that unpacking a damaged file may raise."""

_DAMAGED_ZIP = "The zip file is damaged; pack or download it again."
_ACCEPTED = "give CSV (plain, gz or a zip of one file), Parquet, XLSX or JSON records"
_REFUSED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@only_ours("table")
def read_source(source: Any) -> list[SourceTable]:
    """Return the tables in a source: one, or, for a workbook, one per sheet that holds rows.

    Parameters
    ----------
    source : path, binary or text file object, or DataFrame
        A file object is read from its beginning if it is seekable. A DataFrame is not modified.

    Raises
    ------
    SchemaError
        The source is missing, a directory, damaged, too large, empty, or of an unknown kind.
    ConfigError
        The source is of an unsupported type.
    OutOfMemory
        Reading needs more memory than there is.
    """
    if isinstance(source, pd.DataFrame):
        return [_from_frame(source)]
    data = bytes_of(source)
    return _tables(data, Budget(len(data)))


# --- bytes -------------------------------------------------------------------------------------


def bytes_of(source: Any) -> bytes:
    """Return the content of the file at a path, or of a file object; text is encoded as UTF-8.

    Raises
    ------
    SchemaError
        The file is missing, a directory or too large, or cannot be opened or read.
    ConfigError
        The source is of an unsupported type, or gives neither bytes nor text.
    """
    if isinstance(source, (str, os.PathLike)):
        return _bytes_at(os.fspath(source))
    if not hasattr(source, "read"):
        raise ConfigError(
            f"A source of type {type(source).__name__} cannot be read; give a path, an open file "
            "or a DataFrame."
        )
    try:
        if getattr(source, "seekable", lambda: False)():
            source.seek(0)
        content = source.read()
    except (OSError, ValueError) as fault:
        raise SchemaError("The file object cannot be read; is it open for reading?") from fault
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise ConfigError("The file object gives neither bytes nor text; give an ordinary file.")
    _check_size(len(content))
    return bytes(content)


def _bytes_at(name: str | bytes) -> bytes:
    if isinstance(name, str) and "://" in name:
        raise SchemaError("The source is a web address; download the file and give its path.")
    try:
        path = Path(os.fsdecode(name))
        if path.is_dir():
            raise SchemaError(f"{path.name!r} is a directory; give one file in it.")
        if not path.exists():
            raise SchemaError(f"There is no file {path.name!r} at the path given; check the path.")
        _check_size(path.stat().st_size)
        return path.read_bytes()
    except (OSError, ValueError) as fault:
        raise SchemaError(
            f"The file cannot be opened ({type(fault).__name__}); check its path and permissions."
        ) from None


def _check_size(size: int) -> None:
    if size > budgets.MAX_BYTES:
        raise SchemaError(
            f"The file is larger than {budgets.MAX_BYTES >> 30} GB; convert it to Parquet, or keep "
            "only some of the people or days."
        )


# --- kinds -------------------------------------------------------------------------------------


def _tables(
    data: bytes, budget: Budget, packed: str | None = None, depth: int = 0
) -> list[SourceTable]:
    """Return the tables in some bytes; the first bytes show the kind."""
    if not data:
        raise SchemaError("The file is empty; give a table with one row per event.")
    for magic, what in _REFUSED.items():
        if data.startswith(bytes.fromhex(magic)):
            raise SchemaError(f"The file is {what}; {_ACCEPTED}.")
    if len(data) > 2 and data[0] == 0x80 and data[1] in range(2, 6) and data.rstrip()[-1:] == b".":
        raise SchemaError(
            "The file is a Python pickle. A pickle can run a hidden program when it is opened, so "
            f"fpanon does not open it. Export the table instead: {_ACCEPTED}."
        )
    if data[257:262] == b"ustar":
        raise SchemaError(f"The file is a tar archive; {_ACCEPTED}.")
    if data.startswith((_GZIP, *_ZIP)):
        if depth >= _DEPTH:
            raise SchemaError("The file is packed several times over; pack it once, or not at all.")
        if data.startswith(_GZIP):
            return _tables(gunzipped(data, budget), budget, packed or "gzip", depth + 1)
        archive = _opened_zip(data, budget)
        if WORKBOOK in archive.namelist():
            return _from_workbook(archive, budget)
        return _tables(_only_member(archive, budget), budget, packed or "zip", depth + 1)
    if data.startswith(b"PAR1"):
        labels, columns = read_parquet(data, budget)
        table = SourceTable(labels, tuple(map(plain_column, columns)), "Parquet")
    elif is_json(data):
        text, encoding = as_utf8(data)
        table = replace(read_json(text, _column, budget), encoding=encoding)
    else:
        table = read_delimited(data)
    return [replace(table, packed=packed)]


# --- packed files, within their budget ------------------------------------------------------------


def gunzipped(data: bytes, budget: Budget) -> bytes:
    """Return the unpacked content of a gz file, or any other data unchanged.

    Raises
    ------
    SchemaError
        The file is cut short, damaged, or beyond the budget.
    """
    if not data.startswith(_GZIP):
        return data
    damaged = "The gz file is cut short or damaged; copy or download it again."
    with refusing(damaged, BROKEN), gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return _unpacked(stream, budget)


def _opened_zip(data: bytes, budget: Budget) -> zipfile.ZipFile:
    """Open a zip file whose members together are within the budget."""
    with refusing(_DAMAGED_ZIP, BROKEN):
        archive = zipfile.ZipFile(io.BytesIO(data))
        budget.check_bytes(sum(info.file_size for info in archive.infolist()))
        return archive


def _only_member(archive: zipfile.ZipFile, budget: Budget) -> bytes:
    """Return the content of a zip's only file; files added by the operating system do not count."""
    # Not is_dir(), which assumes that there is a name.
    members = [
        info
        for info in archive.infolist()
        if not info.filename.endswith(("/", ".DS_Store"))
        and not info.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise SchemaError(
            f"The zip file holds {len(members)} files; give a zip file that holds exactly one."
        )
    if members[0].flag_bits & 1:
        raise SchemaError("The zip file is protected by a password; unpack it first.")
    with refusing(_DAMAGED_ZIP, BROKEN), archive.open(members[0]) as stream:
        return _unpacked(stream, budget)


def _unpacked(stream: IO[bytes] | gzip.GzipFile, budget: Budget) -> bytes:
    """Read a whole stream piece by piece.

    A single read with a limit would allocate the limit at once.
    """
    content = io.BytesIO()
    while block := stream.read(_BLOCK):
        content.write(block)
        budget.check_bytes(content.tell())
    return content.getvalue()


# --- Parquet, XLSX, DataFrame ------------------------------------------------------------------


def plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column without an extension type; bytes become text."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([c.storage for c in column.chunks], type=kind.storage_type)
    if pa.types.is_string_view(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            column = column.cast(pa.large_string())
        except MemoryError:
            raise
        except pa.ArrowException:
            texts = [None if v is None else repr(v) for v in column.to_pylist()]
            column = pa.chunked_array([pa.array(texts, pa.string())])
    return column


def _from_workbook(archive: zipfile.ZipFile, budget: Budget) -> list[SourceTable]:
    sheets = read_sheets(archive, budget)
    tables = [_from_sheet(rows) for rows in sheets if len(rows) > 1]
    if not tables:
        raise SchemaError(
            "No sheet of the XLSX file has rows below a header; give one row per event."
        )
    if len(sheets) > 1:
        note = f"The workbook has {len(sheets)} sheets; the first that can be read is used."
        tables = [table.with_note(note) for table in tables]
    return tables


def _from_sheet(rows: list[tuple[int, tuple[Any, ...]]]) -> SourceTable:
    width = max(len(row) for _, row in rows)
    texts = [["" if v is None else str(v) for v in row] for _, row in rows[:50]]
    texts = [row + [""] * (width - len(row)) for row in texts]
    header = has_header(texts)
    labels: tuple[str | int, ...] = tuple(range(width))
    if header:
        labels = tuple(name.strip() or f"column {i + 1}" for i, name in enumerate(texts[0]))
    body = rows[header:]
    columns = []
    for i in range(width):  # one at a time: of many rows, only some may be wide
        values = [row[i] if i < len(row) else None for _, row in body]
        columns.append(_column(pd.Series(values, dtype=object)))
    numbers = np.array([number for number, _ in body], np.int64)
    return SourceTable(labels, tuple(columns), "XLSX", header=header, numbers=numbers)


def _from_frame(frame: pd.DataFrame) -> SourceTable:
    if len(frame.columns) == 0 or len(frame) == 0:
        raise SchemaError("The DataFrame is empty; give one row per event.")
    check_columns(frame.shape[1])
    names: list[Any] = list(frame.columns)
    labels = tuple("_".join(map(str, n)) if isinstance(n, tuple) else n for n in names)
    columns = tuple(_column(frame.iloc[:, i]) for i in range(frame.shape[1]))
    notes: tuple[str, ...] = ()
    if frame.index.name is not None or frame.index.nlevels > 1:
        notes = ("The DataFrame's index is not read; reset_index() makes it a column.",)
    return SourceTable(labels, columns, "DataFrame", notes=notes)


def _column(series: pd.Series) -> pa.ChunkedArray:
    """Return a typed column if the values agree on a type, otherwise a text column."""
    if isinstance(series.dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    try:
        column = pa.chunked_array([pa.array(series, from_pandas=True)])
    except MemoryError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        column = None
    if column is not None and not pa.types.is_null(column.type):
        return plain_column(column)
    texts: list[str | None] = [_cell(value) for value in series.tolist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


_WRITTEN_OUT = 1e30
_CELLS: dict[type, Callable[[Any], str]] = {bytes: lambda b: b.decode("utf-8", "replace")}


def _cell(value: Any) -> str | None:
    """Return the text of one cell of a column of mixed types; whole floats without ``.0``."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    # Larger numbers are not written out: 1e308, five characters, has 309 digits.
    if isinstance(value, float) and value.is_integer() and abs(value) < _WRITTEN_OUT:
        return str(int(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return _CELLS.get(type(value), str)(value)
