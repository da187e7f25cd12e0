"""Fingerprints in a folder: columns that several processes read from one memory.

A folder holds a NumPy file for each column and ``about.json`` with the rest. The columns are
mapped, not read: every process that opens the folder shares the pages that the system keeps of it,
and what is not looked at takes no memory. Nothing in it is a pickle. A set so opened crosses to
another process as the folder's name and the state of its files; it is refused where these have
changed since.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer

from .antennas import Antennas
from .cells import CELL
from .clock import LocalClock
from .column_file import ColumnFile, blocks_of, mapped_rows
from .errors import ConfigError, FpanonError, SchemaError

if TYPE_CHECKING:
    from .fingerprints import FingerprintSet

COLUMNS = ("offsets", *CELL, "count", "weight", "number")
"""The columns of a set, in the order in which its digest takes them."""
_WHOLE = {"offsets", "count", "weight", "number"}
_ABOUT, _FORMAT = "about.json", 1
_CHANGED = SchemaError(
    "The folder of fingerprints is damaged or was altered since it was written; read the data "
    "again."
)

Stamp = tuple[tuple[str, int, int, int], ...]


def save(fs: FingerprintSet, folder: str | os.PathLike[str]) -> Path:
    """Write a set into a folder of its own: see :meth:`FingerprintSet.save`."""
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


def load(folder: str | os.PathLike[str]) -> FingerprintSet:
    """The set in a folder, mapped: see :meth:`FingerprintSet.load`."""
    path = Path(folder)
    about, stamp = _about(path), _stamp(path)
    fs = _mapped(path, about, stamp)
    if about["digest"] != digest_of(fs, lambda name: blocks_of(path / about["files"][name])):
        raise _CHANGED
    if stamp != _stamp(path):
        raise _CHANGED
    fs.__dict__["digest"] = about["digest"]
    return fs


def moved(fs: FingerprintSet, folder: Path) -> FingerprintSet:
    """The same after its folder was given another name."""
    return reopen(str(folder), fs.__dict__["_folder"][1])


def seal(fs: FingerprintSet, user_ids: npt.NDArray[Any], folder: Path) -> FingerprintSet:
    """The set of columns that were written to a folder by :class:`ColumnFile`.

    ``fs`` has everything but the columns: its own are those of no sample.
    """
    files = {name: f"{name}.npy" for name in COLUMNS} | {"dy_m": "dx_m.npy"}
    with told(folder):
        _write_rest(folder, fs, user_ids, files, "")
        made = _mapped(folder, _about(folder), ())
        digest = digest_of(made, lambda name: blocks_of(folder / files[name]))
        (folder / _ABOUT).unlink()
        (folder / "user_ids.txt").unlink()
        _write_rest(folder, fs, user_ids, files, digest)
    return reopen(str(folder), _stamp(folder))


def is_folder_of_fingerprints(path: Path) -> bool:
    """Whether :func:`save` wrote this folder, by the look of it."""
    return (path / _ABOUT).is_file() and (path / "offsets.npy").is_file()


def reopen(folder: str, stamp: Stamp) -> FingerprintSet:
    """A set that this or another process has checked; refused where a file is another since."""
    path = Path(folder)
    if _stamp(path) != stamp:
        raise _CHANGED
    about = _about(path)
    fs = _mapped(path, about, stamp)
    fs.__dict__["digest"] = about["digest"]
    return fs


def digest_of(fs: FingerprintSet, blocks: Callable[[str], Iterable[Buffer]]) -> str:
    """The digest of a set whose columns come in blocks of bytes."""
    h = hashlib.blake2b(digest_size=16)
    h.update(repr((fs.granularity_m, fs.granularity_min, fs.crs, fs.clock)).encode())
    h.update("\x00".join(map(str, fs.user_ids.tolist())).encode())
    for name in COLUMNS:
        for block in blocks(name):
            h.update(block)
    if fs.antennas is not None:
        h.update(fs.antennas.digest.encode())
    return h.hexdigest()


def new_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder that nobody else may read; ConfigError where there is something already."""
    path = Path(folder)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        raise ConfigError(
            "There is a file or folder of that name already; give a folder that is not there yet."
        ) from None
    except OSError as fault:
        raise ConfigError(
            f"The folder cannot be made ({fault.strerror}); check its place and permissions."
        ) from None
    return path


class told:
    """A fault of writing as a ConfigError that says what to do; what was begun is removed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, fault: BaseException | None, _: Any) -> None:
        if fault is not None:
            remove(self.path)
        if isinstance(fault, OSError):
            raise ConfigError(
                f"The folder of fingerprints could not be written ({fault.strerror}); what was "
                "begun is removed. Make room, or choose another place."
            ) from None


def remove(path: Path) -> None:
    """Remove what was written of a set, and nothing else that may stand in the folder."""
    for name in (*(f"{n}.npy" for n in COLUMNS), _ABOUT, "user_ids.txt", "account.json"):
        (path / name).unlink(missing_ok=True)
    try:
        path.rmdir()
    except OSError:
        return


def _write_rest(
    path: Path, fs: FingerprintSet, user_ids: npt.NDArray[Any], files: dict[str, str], digest: str
) -> None:
    """What is no column: ids, clock, projection, antennas, digest."""
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
    for name, text in (("user_ids.txt", ids), (_ABOUT, json.dumps(about))):
        opened = os.open(path / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(text)


# --- what stands in the folder ------------------------------------------------------------------


def _files(fs: FingerprintSet) -> dict[str, str]:
    """For each column the one in whose file it stands: equal extents are written once."""
    found = {name: f"{name}.npy" for name in COLUMNS}
    if fs.dy_m.ctypes.data == fs.dx_m.ctypes.data or np.array_equal(fs.dy_m, fs.dx_m):
        found["dy_m"] = "dx_m.npy"
    return found


def _about(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise SchemaError("There is no such folder of fingerprints; check the path.")
    try:
        about: dict[str, Any] = json.loads((path / _ABOUT).read_text("utf-8"))
        if about["format"] != _FORMAT or set(about["files"]) != set(COLUMNS):
            raise _CHANGED
        if not set(about["files"].values()) <= {f"{name}.npy" for name in COLUMNS}:
            raise _CHANGED
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise SchemaError(
            "The folder holds no fingerprints; give one that fpanon wrote, or a folder of data."
        ) from None
    return about


def _mapped(path: Path, about: dict[str, Any], stamp: Stamp) -> FingerprintSet:
    from .fingerprints import FingerprintSet

    try:
        ids = json.loads((path / "user_ids.txt").read_text("utf-8"))
        whole = about["whole_ids"]
        clock = about["clock"]
        columns = {}
        for name in COLUMNS:
            values = mapped_rows(path / about["files"][name])
            if values.ndim != 1 or values.dtype != (np.int64 if name in _WHOLE else np.float64):
                raise _CHANGED
            columns[name] = values
        fs = FingerprintSet(
            user_ids=np.array(ids, np.int64 if whole else object),
            granularity_m=float(about["granularity_m"]),
            granularity_min=float(about["granularity_min"]),
            crs=about["crs"],
            clock=clock and LocalClock(dt.datetime.fromisoformat(clock[0]), clock[1]),
            antennas=about["antennas"] and _antennas(about["antennas"]),
            **columns,
        )
    except FpanonError:
        raise _CHANGED from None
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        raise _CHANGED from None
    fs.__dict__["_folder"] = (str(path.resolve()), stamp)
    return fs


def _stamp(path: Path) -> Stamp:
    """State of every file: name, number, size, time of the last change."""
    try:
        found = sorted((e.name, e.stat(follow_symlinks=False)) for e in os.scandir(path))
    except OSError:
        raise _CHANGED from None
    return tuple((name, s.st_ino, s.st_size, s.st_mtime_ns) for name, s in found)


def _plain(antennas: Antennas) -> dict[str, Any]:
    return {
        "granularity_m": antennas.granularity_m,
        **{name: getattr(antennas, name).tolist() for name in ("x_m", "y_m", "lon", "lat")},
        "columns": {name: texts.tolist() for name, texts in antennas.columns.items()},
    }


def _antennas(plain: dict[str, Any]) -> Antennas:
    """As they were: not snapped again, which need not give the same floating-point number."""
    made = Antennas.__new__(Antennas)
    made.__setstate__(
        {
            "granularity_m": float(plain["granularity_m"]),
            **{n: np.array(plain[n], np.float64) for n in ("x_m", "y_m", "lon", "lat")},
            "columns": {n: np.array(texts, object) for n, texts in plain["columns"].items()},
        }
    )
    return made
