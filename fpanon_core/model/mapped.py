"""Storage of fingerprints in a folder, whose columns several processes share in memory.

A folder holds a NumPy file for each column and ``about.json`` with the rest. The columns are
mapped, not read: all processes that open the folder share the same pages of memory, and unread
parts take none. Nothing in the folder is a pickle. A set opened this way is passed to another
process as the folder's name and the state of its files. The set is refused if the files have
changed since. The folder may come from others. Its name may be a link, which is followed once.
Every file in it is opened from the folder's own descriptor, and a link, pipe or device is refused.

The header of a NumPy file is a line of Python, which NumPy parses as such. Two threads that parse
at once may disturb each other in Python 3.11 (SystemError, “AST constructor recursion depth
mismatch”). This is rare, but has caused a file read to fail. The files here hold only numbers or
truth values, so their headers are matched with a pattern, not parsed.
"""

from __future__ import annotations

import datetime as dt
import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

from .antennas import Antennas
from .arrays import CELL
from .checks import positive
from .clock import LocalClock
from .errors import ConfigError, FpanonError, SchemaError
from .files import file_opened, folder_opened
from .projection import Unprojection

_BLOCK = 8 << 20
_MAGIC = b"\x93NUMPY\x01\x00"
_LENGTH_BYTES = 2
_HEAD = re.compile(
    rb"\{'descr': '([<|][biuf][1248])', 'fortran_order': False, 'shape': \((\d{1,18}),\), \} *\n"
)


class ColumnFile:
    """A column file that is written piece by piece."""

    def __init__(self, path: Path, kind: npt.DTypeLike) -> None:
        self._file: BinaryIO = os.fdopen(
            os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600), "wb"
        )
        self._kind = np.dtype(kind)
        self.rows = 0
        self._header()

    def append(self, values: npt.NDArray[Any]) -> None:
        """Append rows, converted to the type of the column."""
        self._file.write(np.ascontiguousarray(values, self._kind).data)
        self.rows += len(values)

    def close(self) -> None:
        """Write the number of rows into the header, in space that NumPy reserves, and close."""
        self._file.seek(0)
        self._header()
        self._file.close()

    def __del__(self) -> None:
        """Close the file if it is still open, because writing failed or was stopped."""
        if hasattr(self, "_file"):
            self._file.close()

    def _header(self) -> None:
        np.lib.format.write_array_header_1_0(
            self._file,
            {"descr": self._kind.str, "fortran_order": False, "shape": (self.rows,)},
        )


def rows_in(place: Path | int, rows: slice | None = None) -> npt.NDArray[Any]:
    """Read some or all rows of a column file into memory.

    Parameters
    ----------
    place : Path or int
        Path in one of our own folders, or a file descriptor, which is closed afterwards.
    rows : slice, optional
        Rows to read; all rows if None.

    Raises
    ------
    OSError, ValueError
        The file cannot be read, or is not a column file.
    """
    with open(place, "rb") as file:
        count, kind = _head(file)
        begin, end = (0, count) if rows is None else (rows.start, rows.stop)
        file.seek(begin * kind.itemsize, os.SEEK_CUR)
        return np.fromfile(file, kind, end - begin)


def mapped_rows(place: Path | int) -> npt.NDArray[Any]:
    """Map all rows of a column file, read-only; raise the same errors as :func:`rows_in`."""
    with open(place, "rb") as file:
        count, kind = _head(file)
        if not count:
            return np.empty(0, kind)  # an empty file cannot be mapped
        return np.memmap(file, kind, "r", file.tell(), (count,))


def blocks_of(place: Path | int) -> Iterator[bytes]:
    """Iterate over a column's bytes by reading them, as mapped pages count as memory in use."""
    with open(place, "rb") as file:
        _head(file)
        while block := file.read(_BLOCK):
            yield block


def _head(file: BinaryIO) -> tuple[int, np.dtype[Any]]:
    """Read the number of rows and the type from a column file's header, up to the first row."""
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("not a NumPy file of version 1")
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    found = _HEAD.fullmatch(file.read(length))
    if found is None:
        raise ValueError("not a NumPy file with one column of numbers")
    return int(found[2]), np.dtype(found[1].decode())


S = TypeVar("S")
"""Class of the set, passed in by :mod:`.fingerprints`, which imports this module."""

COLUMNS = ("offsets", *CELL, "count", "weight", "number")
"""Columns of a set, in the order in which its digest includes them."""
_WHOLE = {"offsets", "count", "weight", "number"}
_ABOUT, _IDS, _FORMAT = "about.json", "user_ids.txt", 1
_CHANGED = SchemaError(
    "The folder of fingerprints is damaged, or was altered after it was written; read the data "
    "again."
)
_FAULTS = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    EOFError,
    RuntimeError,
)
"""Exceptions that reading damaged JSON, columns, clocks and projections may raise."""

Stamp = tuple[tuple[str, int, int, int], ...]


def save(fs: Any, folder: str | os.PathLike[str]) -> Path:
    """Write a set into a new folder: see :meth:`FingerprintSet.save`."""
    path = new_folder(folder)
    files = _files(fs)
    with told(path):
        for name, file_name in files.items():
            if file_name == f"{name}.npy":
                file = ColumnFile(path / file_name, getattr(fs, name).dtype)
                file.append(getattr(fs, name))
                file.close()
        _write_rest(path, fs, fs.user_ids, files, fs.digest)
    return path


def load(kind: Callable[..., S], folder: str | os.PathLike[str]) -> S:
    """Load a mapped set of the class ``kind`` from a folder: see :meth:`FingerprintSet.load`."""
    path = os.path.realpath(folder)
    with kept_opened(path) as here:
        return load_opened(kind, path, here)


def load_opened(kind: Callable[..., S], path: str | os.PathLike[str], folder: int) -> S:
    """Load a set as :func:`load` does, from an open folder whose ``path`` has no link."""
    kept = _Kept(str(path), folder)
    fs = kept.mapped(kind)
    if kept.digest != digest_of(fs, kept.checked_blocks) or kept.stamp != _stamp(folder):
        raise _CHANGED
    return fs


def moved(fs: Any, folder: Path) -> Any:
    """Return a set opened again after its folder was renamed to ``folder``."""
    return reopen(type(fs), os.path.realpath(folder), fs.by_name[1])


def seal(fs: Any, user_ids: npt.NDArray[Any], folder: Path) -> Any:
    """Complete a folder of columns that :class:`ColumnFile` wrote, and return its set.

    ``fs`` provides everything except the columns and the ids, and has no sample itself.
    """
    files = {name: f"{name}.npy" for name in COLUMNS} | {"dy_m": "dx_m.npy"}
    path = os.path.realpath(folder)
    with told(folder), kept_opened(path) as here:
        digest = digest_of(fs, lambda name: blocks_of(folder / files[name]), user_ids)
        _write_rest(folder, fs, user_ids, files, digest)
        return _Kept(path, here).mapped(type(fs))


def is_folder_of_fingerprints(path: Path) -> bool:
    """Return whether :func:`save` seems to have written this folder."""
    return all(os.path.lexists(path / name) for name in (_ABOUT, "offsets.npy"))


def reopen(kind: Callable[..., S], folder: str, stamp: Stamp) -> S:
    """Open a set that some process has checked; refuse it if a file has changed since.

    ``kind`` is the class of the set, and ``stamp`` the state of its files when it was checked.
    """
    with kept_opened(folder) as here:
        kept = _Kept(folder, here)
        if kept.stamp != stamp:
            raise _CHANGED
        return kept.mapped(kind)


def digest_of(
    fs: Any, blocks: Callable[[str], Iterable[Buffer]], user_ids: npt.NDArray[Any] | None = None
) -> str:
    """Return the digest of a set, with ``user_ids`` in place of its own ids if they are given.

    ``blocks`` gives the bytes of a column, by name, in one or more blocks.
    """
    ids = fs.user_ids if user_ids is None else user_ids
    h = hashlib.blake2b(digest_size=16)
    h.update(repr((fs.granularity_m, fs.granularity_min, fs.crs, fs.clock)).encode())
    h.update("\x00".join(map(str, ids.tolist())).encode())
    for name in COLUMNS:
        for block in blocks(name):
            h.update(block)
    if fs.antennas is not None:
        h.update(fs.antennas.digest.encode())
    return h.hexdigest()


def new_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder that nobody else may read; raise ConfigError if it cannot be made."""
    path = Path(folder)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        raise ConfigError(
            "There is a file or folder of that name already; give a folder that does not exist yet."
        ) from None
    except OSError as fault:
        raise ConfigError(
            f"The folder cannot be made ({fault.strerror}); check its place and permissions."
        ) from None
    return path


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Remove what was written if writing fails, and turn an OSError into a ConfigError."""
    try:
        yield
    except BaseException as fault:
        remove(path)
        if isinstance(fault, OSError):
            raise ConfigError(
                f"The folder of fingerprints could not be written ({fault.strerror}); its files "
                "were removed. Make room, or choose another place."
            ) from None
        raise


def remove(path: Path) -> None:
    """Remove the files of a set, and the folder if nothing else is in it."""
    for name in (*(f"{n}.npy" for n in COLUMNS), _ABOUT, _IDS, "account.json"):
        (path / name).unlink(missing_ok=True)
    try:
        path.rmdir()
    except OSError:
        return


def _write_rest(
    path: Path, fs: Any, user_ids: npt.NDArray[Any], files: dict[str, str], digest: str
) -> None:
    """Write everything except the columns: ids, clock, projection, antennas, digest."""
    about = {
        "format": _FORMAT,
        "digest": digest,
        "files": files,
        "granularity_m": fs.granularity_m,
        "granularity_min": fs.granularity_min,
        "crs": fs.crs,
        "clock": None if fs.clock is None else [fs.clock.epoch.isoformat(), fs.clock.timezone],
        "whole_ids": bool(np.issubdtype(user_ids.dtype, np.integer)),
        "antennas": None if fs.antennas is None else _plain(fs.antennas),
    }
    ids = json.dumps([str(each) for each in user_ids.tolist()])
    for name, text in ((_IDS, ids), (_ABOUT, json.dumps(about))):
        opened = os.open(path / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(text)


# --- content of the folder ----------------------------------------------------------------------


def _files(fs: Any) -> dict[str, str]:
    """Return the file name of each column; equal extents share one file."""
    found = {name: f"{name}.npy" for name in COLUMNS}
    if fs.dy_m.ctypes.data == fs.dx_m.ctypes.data or np.array_equal(fs.dy_m, fs.dx_m):
        found["dy_m"] = "dx_m.npy"
    return found


@contextmanager
def kept_opened(folder: str | os.PathLike[str]) -> Iterator[int]:
    """Yield the descriptor of a folder, not of a link; raise SchemaError if there is none."""
    with ExitStack() as stack:
        try:
            here = stack.enter_context(folder_opened(folder))
        except OSError:
            raise SchemaError("There is no such folder of fingerprints; check the path.") from None
        yield here


def opened_in(folder: int, name: str) -> int:
    """Open a file in a folder of fingerprints and return its descriptor.

    Raises
    ------
    SchemaError
        A link, pipe, socket or device is in its place.
    OSError
        The file is missing.
    """
    try:
        return file_opened(name, folder)
    except OSError as fault:
        if fault.errno != errno.ELOOP:
            raise
        raise SchemaError(
            f"{name} in the folder of fingerprints is not a plain file but a link, pipe or "
            "device, and was not opened. Put the file itself there, or read the data again."
        ) from None


class _Kept:
    """An open folder of fingerprints, whose files must not change while it is open."""

    def __init__(self, path: str, folder: int) -> None:
        self._path, self._folder = path, folder
        self.stamp = _stamp(folder)
        kept = {f"{name}.npy" for name in COLUMNS}
        try:
            for name, *_ in self.stamp:
                if name in kept | {_ABOUT, _IDS}:
                    os.close(opened_in(folder, name))  # reports a link before any other fault
            self._about = json.loads(self._text(_ABOUT))
            self._files = self._about["files"]
            self.digest = self._about["digest"]
            if not (
                self._about["format"] == _FORMAT
                and isinstance(self.digest, str)
                and self._files.keys() == set(COLUMNS)
                and kept.issuperset(self._files.values())
            ):
                raise ValueError
        except _FAULTS:
            raise SchemaError(
                "The folder holds no fingerprints; give a folder that fpanon wrote, or a folder of "
                "data."
            ) from None

    def mapped(self, kind: Callable[..., S]) -> S:
        """Return the set with mapped columns; raise SchemaError if the files are damaged."""
        about = self._about
        try:
            ids, clock = json.loads(self._text(_IDS)), about["clock"]
            if not all(isinstance(each, str) for each in ids):
                raise _CHANGED
            if about["crs"] is not None:
                Unprojection(about["crs"])
            fs = kind(
                user_ids=np.array(ids, np.int64 if about["whole_ids"] else object),
                granularity_m=positive("granularity_m", about["granularity_m"]),
                granularity_min=positive("granularity_min", about["granularity_min"]),
                crs=about["crs"],
                clock=clock and LocalClock(dt.datetime.fromisoformat(clock[0]), clock[1]),
                antennas=None if about["antennas"] is None else _antennas(about["antennas"]),
                **{name: self._column(name) for name in COLUMNS},
            )
        except (*_FAULTS, FpanonError):
            raise _CHANGED from None
        fs.__dict__["_folder"] = (self._path, self.stamp)
        fs.__dict__["digest"] = self.digest
        return fs

    def checked_blocks(self, name: str) -> Iterator[bytes]:
        """Iterate over a column's bytes; raise SchemaError at a number that no set may have."""
        try:
            for block in blocks_of(self._opened(self._files[name])):
                values = np.frombuffer(block, _kind(name))
                low = 1 if name in ("count", "weight") else 0 if name[0] == "d" else -np.inf
                if not np.all(np.isfinite(values) & (values >= low)):
                    raise _CHANGED
                yield block
        except (OSError, ValueError):
            raise _CHANGED from None

    def _column(self, name: str) -> npt.NDArray[Any]:
        values = mapped_rows(self._opened(self._files[name]))
        if values.dtype != _kind(name):
            raise _CHANGED
        return values

    def _text(self, name: str) -> str:
        with open(self._opened(name), encoding="utf-8") as file:
            return file.read()

    def _opened(self, name: str) -> int:
        descriptor = opened_in(self._folder, name)
        if _state(name, os.fstat(descriptor)) not in self.stamp:
            os.close(descriptor)
            raise _CHANGED
        return descriptor


def _kind(name: str) -> npt.DTypeLike:
    return np.int64 if name in _WHOLE else np.float64


def _stamp(folder: int) -> Stamp:
    """Return the state of every file in an open folder."""
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted(_state(e.name, e.stat(follow_symlinks=False)) for e in entries))
    except OSError:
        raise _CHANGED from None


def _state(name: str, found: os.stat_result) -> tuple[str, int, int, int]:
    """Return the name, inode number, size and time of the last change of a file."""
    return name, found.st_ino, found.st_size, found.st_mtime_ns


def _plain(antennas: Antennas) -> dict[str, Any]:
    return {
        "granularity_m": antennas.granularity_m,
        **{name: getattr(antennas, name).tolist() for name in ("x_m", "y_m", "lon", "lat")},
        "columns": {name: texts.tolist() for name, texts in antennas.columns.items()},
        **({"outlines": dict(antennas.outlines)} if antennas.outlines else {}),
    }


def _antennas(plain: dict[str, Any]) -> Antennas:
    """Restore antennas without snapping them again, which could change floating-point numbers."""
    own: dict[str, Any] = {n: np.array(plain[n], np.float64) for n in ("x_m", "y_m", "lon", "lat")}
    columns = {n: np.array(texts, object) for n, texts in plain["columns"].items()}
    side = float(plain["granularity_m"])
    outlines = dict(plain.get("outlines", {}))
    Antennas(granularity_m=side, columns=columns, outlines=outlines, **own)  # only for its checks
    every = [*columns.values(), np.array(list(outlines.values()), object)]
    if not all(isinstance(text, str) for texts in every for text in texts):
        raise _CHANGED
    made = Antennas.__new__(Antennas)
    made.__setstate__({"granularity_m": side, **own, "columns": columns, "outlines": outlines})
    return made
