"""Heads of tables: kind, number of rows and size, estimated from the beginning of a file.

The head is read first, because reading the whole table can be slow. It comes from the metadata
and first rows of Parquet, or from the first few megabytes of text, unpacked if necessary. For a
workbook, it comes from the archive's directory. A damaged file has no head; reading the whole table
then reports the damage.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from .json_text import is_json
from .parquet import FAULTS, is_nested_type
from .sources import BROKEN
from .workbook import WORKBOOK

Kind = Literal["text", "JSON", "Parquet", "XLSX"]
_LOOKED_AT = 24 << 20  # bytes of text
_ROWS = 1 << 18  # rows of Parquet
_FILES = 8  # files looked at, of many similar ones
_SHEETS = "xl/worksheets/"
_FAULTS = (*FAULTS, *BROKEN)


@dataclass(frozen=True)
class Head:
    """Estimates about a table from its beginning.

    Attributes
    ----------
    kind : {"text", "JSON", "Parquet", "XLSX"}
    packed_bytes : int
        Size of the file as stored.
    decoded_bytes : int
        Estimated unpacked size; for Parquet, the size of its columns in memory.
    rows : int
        Estimated number of rows, or of lines of text; 0 for a workbook.
    """

    kind: Kind
    packed_bytes: int
    decoded_bytes: int
    rows: int


def head_of(file: IO[bytes]) -> Head | None:
    """Return the head of a table, or None if its beginning cannot be understood.

    Parameters
    ----------
    file : binary file object
        Seekable file; it stays open, at an arbitrary position.
    """
    try:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        magic = file.read(4)
        if magic == b"PAR1":
            return _of_parquet(file, size)
        if magic[:2] == b"\x1f\x8b":
            return _of_gzip(file, size)
        if magic == b"PK\x03\x04":
            return _of_zip(file, size)
        file.seek(0)
        return _of_text(file.read(_LOOKED_AT), size, size)
    except _FAULTS:
        return None


def heads_of(paths: Sequence[Path]) -> list[Head]:
    """Return the heads of several similar files, extrapolated from a few of them.

    The list is empty if there are no files, or if none of these few can be understood.
    """
    at = sorted({round(i * (len(paths) - 1) / (_FILES - 1)) for i in range(_FILES)})
    seen: dict[int, Head] = {}
    for i in at if paths else ():
        with suppress(OSError), paths[i].open("rb") as file:
            if (head := head_of(file)) is not None:
                seen[i] = head
    if not seen:
        return []
    packed, decoded, rows = (
        max(sum(getattr(head, name) for head in seen.values()), 1)
        for name in ("packed_bytes", "decoded_bytes", "rows")
    )
    kind = next(iter(seen.values())).kind
    sizes = map(_size_of, paths)
    others = (Head(kind, n, round(n * decoded / packed), round(n * rows / packed)) for n in sizes)
    return [seen.get(i, other) for i, other in enumerate(others)]


def _size_of(path: Path) -> int:
    with suppress(OSError):  # a file may go at any moment
        return path.stat().st_size
    return 0


def _of_parquet(file: IO[bytes], size: int) -> Head:
    file.seek(0)
    opened = pq.ParquetFile(file)
    rows = opened.metadata.num_rows
    flat = [field.name for field in opened.schema_arrow if not is_nested_type(field.type)]
    some = next(opened.iter_batches(_ROWS, columns=flat), None)
    if some is None or not some.num_rows:
        return Head("Parquet", size, 0, rows)
    table = pa.Table.from_batches([some])
    decoded = int(table.nbytes / table.num_rows * rows)
    return Head("Parquet", size, decoded, rows)


def _of_gzip(file: IO[bytes], size: int) -> Head | None:
    file.seek(0)
    with gzip.GzipFile(fileobj=file) as stream:
        head = stream.read(_LOOKED_AT)
        # The file is read at most one buffer ahead of what was unpacked.
        times = size / max(file.tell(), 1) if len(head) == _LOOKED_AT else 1
        return _of_text(head, int(times * len(head)), size)


def _of_zip(file: IO[bytes], size: int) -> Head | None:
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if any(member.filename == WORKBOOK for member in members):
            sheets = [m.file_size for m in members if m.filename.startswith(_SHEETS)]
            return Head("XLSX", size, sum(sheets), 0)
        largest = max(members, key=lambda member: member.file_size)
        with archive.open(largest) as stream:
            return _of_text(stream.read(_LOOKED_AT), largest.file_size, size)


def _of_text(head: bytes, decoded: int, size: int) -> Head | None:
    """Return the head from a text's first bytes; ``decoded`` is the size of the whole text."""
    if not head or (b"\0" in head[:4096] and not head.startswith((b"\xff\xfe", b"\xfe\xff"))):
        return None
    whole = len(head) >= decoded
    cut = head if whole else head[: head.rfind(b"\n") + 1]
    lines = cut.count(b"\n") + (whole and not cut.endswith(b"\n"))
    rows = round(lines * decoded / len(cut)) if cut else 0
    return Head("JSON" if is_json(head) else "text", size, decoded, rows)
