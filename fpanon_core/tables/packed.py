"""What is packed in gzip or zip, unpacked within its budget."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from typing import IO

from ..model.budgets import Budget
from ..model.errors import SchemaError

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    NotImplementedError,
    ValueError,
    RuntimeError,
    LookupError,
)
_BLOCK = 1 << 20
_DAMAGED = "The zip file is damaged; pack or download it again."


def is_gzip(data: bytes) -> bool:
    """By the first bytes."""
    return data[:2] == b"\x1f\x8b"


def is_zip(data: bytes) -> bool:
    """By the first bytes; of workbooks, too."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def gunzipped(data: bytes, budget: Budget) -> bytes:
    """The content of a gz file.

    Raises
    ------
    SchemaError
        Cut short, damaged, or beyond the budget.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            content = _read(stream, budget)
    except (OSError, EOFError, zlib.error, struct.error):
        raise SchemaError(
            "The gz file is cut short or damaged; copy or download it again."
        ) from None
    return content


def opened_zip(data: bytes, budget: Budget) -> zipfile.ZipFile:
    """A zip file whose members all together are within the budget.

    Raises
    ------
    SchemaError
        Damaged, or beyond the budget.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        budget.check_bytes(sum(info.file_size for info in archive.infolist()))
    except _BROKEN:
        raise SchemaError(_DAMAGED) from None
    return archive


def only_member(archive: zipfile.ZipFile, budget: Budget) -> bytes:
    """The content of a zip file's one file; what systems add to it does not count.

    Raises
    ------
    SchemaError
        Several or none; protected; damaged.
    """
    members = [info for info in archive.infolist() if not _is_litter(info.filename)]
    if len(members) != 1:
        raise SchemaError(
            f"The zip file holds {len(members)} files; give one with exactly one file in it."
        )
    if members[0].flag_bits & 1:
        raise SchemaError("The zip file is protected by a password; unpack it first.")
    try:
        with archive.open(members[0]) as stream:
            content = _read(stream, budget)
    except _BROKEN:
        raise SchemaError(_DAMAGED) from None
    return content


def _read(stream: IO[bytes] | gzip.GzipFile, budget: Budget) -> bytes:
    """All of a stream, piece by piece: to read with a limit takes the room of the limit at once."""
    content = io.BytesIO()
    while block := stream.read(_BLOCK):
        content.write(block)
        budget.check_bytes(content.tell())
    return content.getvalue()


def _is_litter(name: str) -> bool:
    # Not is_dir(), which takes it for granted that there is a name.
    return name.endswith(("/", ".DS_Store")) or name.startswith("__MACOSX/")
