"""How does a table reach a file? Piece by piece, so that any size does.

CSV has times in ISO 8601 with their offset, so that nobody has to guess the zone. A gzipped file
carries no time of writing: the same table gives the same bytes. A file appears under its name only
when it is whole (:mod:`.whole`). In CSV, text that a spreadsheet would run is defused
(:mod:`.leaving`); Parquet is opened by none, and its texts stay as they are.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from ..model.errors import ConfigError, SchemaError
from .leaving import defused, defused_column

_TIMES_SMALLER = 20  # a reader allows 100 (model/budgets.py)
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
    with whole_file(target) as into, _Writer(into, target.name) as writer:
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


def parquet_bytes(table: pa.Table) -> bytes:
    """An Arrow table as the bytes of a Parquet file."""
    content = BytesIO()
    parquet.write_table(table, content)
    return content.getvalue()


def write_bytes(content: bytes, path: str | os.PathLike[str], *, new: bool = False) -> None:
    """Write a whole file, which appears only when it is whole.

    Parameters
    ----------
    content : bytes
    path : path
        An existing file is replaced, unless ``new``.
    new : bool
        Refuse to replace anything.

    Raises
    ------
    ConfigError
        The place cannot be written to.
    """
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ConfigError("The output's folder does not exist, or the name is a folder's own.")
    with whole_file(target, new=new) as into:
        into.write(content)


def write_json(plain: Any, path: str | os.PathLike[str]) -> None:
    """Write plain values to a file, which appears only when it is whole.

    Raises
    ------
    ConfigError
        The place cannot be written to.
    """
    text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
    with whole_file(Path(path)) as into:
        into.write(f"{text}\n".encode())


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


class _Writer:
    """One open file; the first piece settles the columns."""

    def __init__(self, target: BinaryIO, name: str) -> None:
        self._target = target
        self._parquet = name.lower().endswith(".parquet")
        self._zipped = name.lower().endswith(".gz")
        self._open: list[Any] = []

    def __enter__(self) -> _Writer:
        return self

    def write(self, piece: pd.DataFrame) -> None:
        table = pa.table({self._name(name): self._column(piece[name]) for name in piece.columns})
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
            self._open.append(parquet.ParquetWriter(_Kept(self._target), schema))
            return
        self._open.append(_Kept(self._target))
        if self._zipped:
            # No name and no time in the header: equal tables, equal bytes.
            raw = self._open[-1]
            self._open.append(gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0))

    def _name(self, name: object) -> str:
        return str(name) if self._parquet else defused(str(name))

    def _column(self, column: pd.Series[Any]) -> Any:
        values = self._values(column)
        return values if self._parquet else defused_column(values)

    def _values(self, column: pd.Series[Any]) -> Any:
        if isinstance(column.dtype, pd.DatetimeTZDtype) and not self._parquet:
            return pa.array(iso_with_offset(column))
        if isinstance(column.dtype, pd.CategoricalDtype):
            return pa.array(column.astype(object), type=pa.string())
        return pa.array(column, from_pandas=True)


class _Kept:
    """A stream that stays open when what writes to it is closed."""

    def __init__(self, stream: BinaryIO) -> None:
        self.write, self.flush = stream.write, stream.flush
        self.closed = False

    def close(self) -> None:
        self.closed = True


def column_bytes(column: Any) -> bytes:
    """One column, ``v``, as the bytes of a Parquet file; for programs, not for spreadsheets.

    Where it would pack too well for a reader that bounds what may come of a file, it is not packed.
    """
    plainly: dict[str, Any] = {"compression": "none", "use_dictionary": False}
    for packing in ({"compression": "zstd"}, plainly):
        into = BytesIO()
        parquet.write_table(pa.table({"v": column}), into, **packing)
        if column.nbytes <= _TIMES_SMALLER * into.tell():
            break
    return into.getvalue()


def _delicate(column: Any) -> bool:
    """Whether a text of the column needs quotes in CSV."""
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return False
    return bool(pc.any(pc.match_substring_regex(column, '[",\r\n]')).as_py())


def iso_with_offset(times: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Times with a zone as texts such as ``2024-03-04T19:10:45+01:00``.

    To the second, or to the microsecond where a time is no whole second.
    """
    local = times.dt.tz_localize(None).to_numpy().astype("M8[us]")
    instant = times.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype("M8[us]")
    minutes = (local - instant).astype(np.int64) // 60_000_000
    offset, which = np.unique(minutes, return_inverse=True)
    seconds = local.astype("M8[s]")
    texts = np.datetime_as_string(seconds)
    if not (whole := local == seconds).all():
        texts = np.where(whole, texts, np.datetime_as_string(local))
    suffix = np.array(
        [f"{'-' if m < 0 else '+'}{abs(m) // 60:02d}:{abs(m) % 60:02d}" for m in offset],
        dtype=np.str_,  # of no times, too
    )
    return np.char.add(texts, suffix[which])


# --- How does a file come to its place? Whole, readable by its owner alone, or not at all.

_UNFINISHED = re.compile(r"\.fpanon-([1-9][0-9]{0,8})-[0-9a-f]{16}\.part")
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def whole_file(target: Path, *, new: bool = False) -> Iterator[BinaryIO]:
    """A file to write to; takes the target's name at the end, or is gone after a failure.

    Parameters
    ----------
    target : Path
        A file or link that is there is replaced, unless ``new``.
    new : bool
        Refuse to replace anything.

    Raises
    ------
    ConfigError
        The place cannot be written to, or the disk is full; nothing has changed there.
    """
    with told_plainly():
        unfinished = _own_name(target.parent)
        descriptor = os.open(unfinished, _NEW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as into:
                _hold(descriptor)
                yield into
                into.flush()
                os.fsync(descriptor)  # some disks say only now that they are full
                if new:
                    os.close(os.open(target, _NEW, 0o600))
                os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)


@contextmanager
def staged(parent: Path) -> Iterator[Path]:
    """A folder, readable by nobody else, in which files are put together; removed afterwards.

    Raises
    ------
    ConfigError
        It cannot be written to, or the disk is full.
    """
    with told_plainly():
        folder = _own_name(parent)
        folder.mkdir(0o700)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _hold(descriptor)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)


def sweep(folder: Path) -> int:
    """Remove what killed processes of ours have left half-written in a folder; how many there were.

    Only what has a name that we give, is a file or folder of this user, and whose process has
    ended: its number is nobody's, and nobody holds its lock (a process of another machine, or of
    another container, has numbers of its own).
    """
    removed = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            named = _UNFINISHED.fullmatch(entry.name)
            if named and not _runs(int(named[1])):
                with suppress(OSError):
                    removed += _removed(Path(entry.path))
    return removed


@contextmanager
def told_plainly() -> Iterator[None]:
    """A fault of writing as a ConfigError that says what to do; no name and no content in it."""
    try:
        yield
    except OSError as fault:
        if fault.errno in _FULL:
            raise ConfigError(
                "The disk is full, or a file may not grow so large there "
                f"({os.strerror(fault.errno)}); what was begun is removed. Make room, or choose "
                "another place."
            ) from fault
        raise ConfigError(
            f"The output could not be written ({fault.strerror}); check the folder and its space."
        ) from fault


def _own_name(parent: Path) -> Path:
    """A name that nobody can foresee; beside it, what is left of the dead is swept up first."""
    sweep(parent)
    return parent / f".fpanon-{os.getpid()}-{secrets.token_hex(8)}.part"


def _hold(descriptor: int) -> None:
    """Lock what is being written, for as long as this process lives; not every disk can."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _removed(path: Path) -> bool:
    """Whether it was a file or folder of this user that nobody holds, and is gone now."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid():
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISREG(found.st_mode):
            path.unlink()
        elif stat.S_ISDIR(found.st_mode):
            shutil.rmtree(path)
        else:
            return False
    finally:
        os.close(descriptor)
    return True
