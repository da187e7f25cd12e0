"""A column as a NumPy file of one dimension: written piece by piece, read in part, or mapped.

The head of such a file is a line of Python. NumPy has it parsed as such, and two threads that parse
at once may disturb each other in Python 3.11 (SystemError, “AST constructor recursion depth
mismatch”): rare, and it ended a reading all the same. The files that are read here have numbers or
truth values only; their heads are matched, not parsed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

_BLOCK = 8 << 20
_MAGIC = b"\x93NUMPY\x01\x00"
_LENGTH_BYTES = 2
_HEAD = re.compile(
    rb"\{'descr': '([<|][biuf][1248])', 'fortran_order': False, 'shape': \((\d{1,18}),\), \} *\n"
)


class ColumnFile:
    """A column that is written piece by piece."""

    def __init__(self, path: Path, kind: npt.DTypeLike) -> None:
        self._file: BinaryIO = os.fdopen(
            os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600), "wb"
        )
        self._kind = np.dtype(kind)
        self.rows = 0
        self._header()

    def append(self, values: npt.NDArray[Any]) -> None:
        """Write further rows."""
        self._file.write(np.ascontiguousarray(values, self._kind).data)
        self.rows += len(values)

    def close(self) -> None:
        """Say at the beginning how many rows there are; NumPy keeps room for that."""
        self._file.seek(0)
        self._header()
        self._file.close()

    def __del__(self) -> None:
        """Of a reading that failed or was stopped."""
        if hasattr(self, "_file"):
            self._file.close()

    def _header(self) -> None:
        np.lib.format.write_array_header_1_0(
            self._file,
            {"descr": self._kind.str, "fortran_order": False, "shape": (self.rows,)},
        )


def rows_in(place: Path | int, rows: slice | None = None) -> npt.NDArray[Any]:
    """Some rows of a column's file, or all, read into memory.

    Parameters
    ----------
    place : Path or int
        Its path, in a folder of our own; or its descriptor, which is closed.
    rows : slice, optional

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is no such file.
    """
    with open(place, "rb") as file:
        count, kind = _head(file)
        begin, end = (0, count) if rows is None else (rows.start, rows.stop)
        file.seek(begin * kind.itemsize, os.SEEK_CUR)
        return np.fromfile(file, kind, end - begin)


def mapped_rows(place: Path | int) -> npt.NDArray[Any]:
    """All rows of a column's file, mapped; errors as of :func:`rows_in`."""
    with open(place, "rb") as file:
        count, kind = _head(file)
        if not count:
            return np.empty(0, kind)  # nothing cannot be mapped
        return np.memmap(file, kind, "r", file.tell(), (count,))


def blocks_of(place: Path | int) -> Iterator[bytes]:
    """A column's bytes, read and not mapped: a page that is mapped counts as memory in use."""
    with open(place, "rb") as file:
        _head(file)
        while block := file.read(_BLOCK):
            yield block


def _head(file: BinaryIO) -> tuple[int, np.dtype[Any]]:
    """How many rows there are, and of what; the file is then at the first."""
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("no NumPy file of version 1")
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    found = _HEAD.fullmatch(file.read(length))
    if found is None:
        raise ValueError("no NumPy file of one column of numbers")
    return int(found[2]), np.dtype(found[1].decode())
