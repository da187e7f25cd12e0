"""From whatever holds the data (path, file object, DataFrame) to tables, by content, not by name.

Nothing here runs code from a file: pickles are refused, XLSX formulas are not computed.
"""

from __future__ import annotations

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..model.errors import ConfigError, FpanonError, SchemaError
from .delimited import as_utf8, has_header, read_delimited
from .json_text import is_json, read_json
from .table import SourceTable

MAX_BYTES = 4 << 30
"""No file is unpacked, or read as text, beyond this size."""
MAX_RATIO = 250
"""Nor beyond this multiple of its packed size once it exceeds 64 MB: tables pack 3 to 30 times."""
_ALWAYS_FINE = 64 << 20
_DEPTH = 3

_ACCEPTED = "give CSV (plain, gz or a zip of one file), Parquet, XLSX or JSON records"
_REFUSED = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save it as .xlsx or CSV"),
    (b"ARROW1", "an Arrow/Feather file; save it as Parquet"),
    (b"FEA1", "a Feather file; save it as Parquet"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
    (b"BZh", "packed with bzip2; pack it with gzip"),
    (b"\xfd7zXZ", "packed with xz; pack it with gzip"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd; pack it with gzip"),
    (b"7z\xbc\xaf", "a 7-Zip archive; pack it with gzip"),
    (b"Rar!", "a RAR archive; pack it with gzip"),
    (b"\x89HDF", "an HDF5 file; save it as Parquet"),
    (b"Obj\x01", "an Avro file; save it as Parquet"),
)


def read_source(source: Any) -> list[SourceTable]:
    """The tables in a source: one, or every sheet of a workbook that holds rows.

    Parameters
    ----------
    source : path, binary or text file object, or DataFrame
        A file object is read from its beginning. A DataFrame is not modified.

    Raises
    ------
    SchemaError
        The file is missing, a directory, damaged, too large, empty, or of a kind not known.
    ConfigError
        The source is something else altogether.
    """
    if isinstance(source, pd.DataFrame):
        return [_from_frame(source)]
    return _tables(_bytes_of(source), None, 0)


# --- bytes -------------------------------------------------------------------------------------


def _bytes_of(source: Any) -> bytes:
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
    return _small_enough(bytes(content))


def _bytes_at(name: str | bytes) -> bytes:
    if isinstance(name, str) and "://" in name:
        raise SchemaError("The source is a web address; download the file and give its path.")
    try:
        path = Path(os.fsdecode(name))
        if path.is_dir():
            raise SchemaError(f"{path.name!r} is a directory; give one file in it.")
        if not path.exists():
            raise SchemaError(f"There is no file {path.name!r} at the path given; check the path.")
        if path.stat().st_size > MAX_BYTES:
            raise _too_large()
        return path.read_bytes()
    except (OSError, ValueError) as fault:
        raise SchemaError(
            f"The file cannot be opened ({type(fault).__name__}); check its path and permissions."
        ) from None


def _small_enough(data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise _too_large()
    return data


def _too_large() -> SchemaError:
    return SchemaError(
        f"The file has more than {MAX_BYTES >> 30} GB of unpacked text; give Parquet, or a part of "
        "the users or days."
    )


# --- kinds -------------------------------------------------------------------------------------


def _tables(data: bytes, packed: str | None, depth: int) -> list[SourceTable]:
    """Recognize the kind by the first bytes and read it."""
    if not data:
        raise SchemaError("The file is empty; give a table with one row per event.")
    for magic, what in _REFUSED:
        if data.startswith(magic):
            raise SchemaError(f"The file is {what}. To be read: {_ACCEPTED}.")
    if len(data) > 2 and data[0] == 0x80 and data[1] in range(2, 6) and data.rstrip()[-1:] == b".":
        raise SchemaError(
            "The file is a Python pickle. Opening one can run any program hidden in it, so fpanon "
            f"does not; export the table instead: {_ACCEPTED}."
        )
    if data[257:262] == b"ustar":
        raise SchemaError(f"The file is a tar archive; {_ACCEPTED}.")
    if data[:2] == b"\x1f\x8b" or data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        if depth >= _DEPTH:
            raise SchemaError("The file is packed several times over; pack it once, or not at all.")
        if data[:2] == b"\x1f\x8b":
            return _tables(_gunzipped(data), packed or "gzip", depth + 1)
        return _from_zip(data, packed, depth)
    table = _from_parquet(data) if data[:4] == b"PAR1" else _from_text(data)
    return [replace(table, packed=packed)]


def _from_text(data: bytes) -> SourceTable:
    if not is_json(data):
        return read_delimited(data)
    text, encoding = as_utf8(data)
    return replace(read_json(text, _column), encoding=encoding)


def _gunzipped(data: bytes) -> bytes:
    limit = _limit(len(data))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error):
        raise SchemaError(
            "The gz file is cut short or damaged; copy or download it again."
        ) from None
    if len(content) > limit:
        raise _bomb()
    return content


def _limit(packed_size: int) -> int:
    return min(MAX_BYTES, max(_ALWAYS_FINE, packed_size * MAX_RATIO))


def _bomb() -> SchemaError:
    return SchemaError(
        f"The packed file unpacks to more than {MAX_BYTES >> 30} GB or {MAX_RATIO} times its size, "
        "which no table of events does; unpack it yourself and check what it holds."
    )


def _from_zip(data: bytes, packed: str | None, depth: int) -> list[SourceTable]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [
            info
            for info in archive.infolist()
            if not info.is_dir()
            and not info.filename.startswith("__MACOSX/")
            and not info.filename.endswith(".DS_Store")
        ]
        limit = _limit(len(data))
        if sum(info.file_size for info in members) > limit:
            raise _bomb()
        if "xl/workbook.xml" in archive.namelist():
            return _from_workbook(data)
        if len(members) != 1:
            raise SchemaError(
                f"The zip file holds {len(members)} files; give one with exactly one file in it."
            )
        if members[0].flag_bits & 1:
            raise SchemaError("The zip file is protected by a password; unpack it first.")
        with archive.open(members[0]) as stream:
            content = stream.read(limit + 1)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError,
            RuntimeError, KeyError):  # fmt: skip
        raise SchemaError("The zip file is damaged; pack or download it again.") from None
    if len(content) > limit:
        raise _bomb()
    return _tables(content, packed or "zip", depth + 1)


# --- Parquet, XLSX, DataFrame ------------------------------------------------------------------


def _from_parquet(data: bytes) -> SourceTable:
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        groups = range(file.metadata.num_row_groups)
        if sum(file.metadata.row_group(i).total_byte_size for i in groups) > MAX_BYTES:
            raise _bomb()
        table = file.read()
        table.validate(full=True)  # a flipped bit in a text is not UTF-8, and is found only so
    except FpanonError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, NotImplementedError):
        raise SchemaError("The Parquet file is damaged or cut short; write it again.") from None
    if table.num_rows == 0:
        raise SchemaError("The Parquet file has no rows; give one row per event.")
    columns = tuple(_plain_column(column) for column in table.columns)
    return SourceTable(tuple(table.column_names), columns, "Parquet")


def _plain_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([c.storage for c in column.chunks], type=kind.storage_type)
    if pa.types.is_string_view(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            column = column.cast(pa.large_string())
        except pa.ArrowException:
            texts = [None if v is None else repr(v) for v in column.to_pylist()]
            column = pa.chunked_array([pa.array(texts, pa.string())])
    return column


def _from_workbook(data: bytes) -> list[SourceTable]:
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = []
        for sheet in book.worksheets:
            if hasattr(sheet, "reset_dimensions"):
                sheet.reset_dimensions()  # the size a sheet claims may be wrong, or absurd
            rows = [
                (number, row)
                for number, row in enumerate(sheet.iter_rows(values_only=True), 1)
                if any(cell is not None and cell != "" for cell in row)
            ]
            sheets.append(rows)
    except Exception:  # openpyxl lets through whatever its parsers raise on a damaged file
        raise SchemaError("The XLSX file is damaged; save it again, or as CSV.") from None
    tables = [_from_sheet(rows) for rows in sheets if len(rows) > 1]
    if not tables:
        raise SchemaError("No sheet of the XLSX file has rows below a header; give one per event.")
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
    body = rows[1:] if header else rows
    columns = []
    for i in range(width):
        values = [row[i] if i < len(row) else None for _, row in body]
        columns.append(_column(pd.Series(values, dtype=object)))
    numbers = np.array([number for number, _ in body], np.int64)
    return SourceTable(labels, tuple(columns), "XLSX", header=header, numbers=numbers)


def _from_frame(frame: pd.DataFrame) -> SourceTable:
    if len(frame.columns) == 0 or len(frame) == 0:
        raise SchemaError("The DataFrame is empty; give one row per event.")
    names: list[Any] = list(frame.columns)
    labels = tuple("_".join(map(str, n)) if isinstance(n, tuple) else n for n in names)
    columns = tuple(_column(frame.iloc[:, i]) for i in range(frame.shape[1]))
    notes: tuple[str, ...] = ()
    if frame.index.name is not None or frame.index.nlevels > 1:
        notes = ("The DataFrame's index is not read; reset_index() makes it a column.",)
    return SourceTable(labels, columns, "DataFrame", notes=notes)


def _column(series: pd.Series) -> pa.ChunkedArray:
    """A typed column where the values agree on a type, otherwise text."""
    if isinstance(series.dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    try:
        column = pa.chunked_array([pa.array(series, from_pandas=True)])
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        column = None
    if column is not None and not pa.types.is_null(column.type):
        return _plain_column(column)
    texts: list[str | None] = [_cell(value) for value in series.tolist()]
    return pa.chunked_array([pa.array(texts, pa.string())])


_CELLS: dict[type, Callable[[Any], str]] = {bytes: lambda b: b.decode("utf-8", "replace")}


def _cell(value: Any) -> str | None:
    """Text of one cell of a column of mixed types; whole floats without ``.0``."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return _CELLS.get(type(value), str)(value)
