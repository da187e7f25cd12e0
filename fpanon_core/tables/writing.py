"""Writing of tables to files, piece by piece, for tables of any size.

In CSV, times with a zone are written in ISO 8601 with their offset, so that nobody has to guess.
A gzipped file carries no time of writing: the same table gives the same bytes. A file appears under
its name only when it is whole. In CSV, text that a spreadsheet would run is defused
(:mod:`.leaving`). No spreadsheet opens Parquet, so its texts stay unchanged.
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
from contextlib import ExitStack, contextmanager, suppress
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
        In CSV, columns of times with a zone are written as local times with their offset.
    path : path
        Path that ends in ``.csv``, ``.csv.gz`` or ``.parquet``, which sets the format. An existing
        file is replaced.

    Returns
    -------
    int
        Number of rows written.

    Raises
    ------
    ConfigError
        The path has another ending, or the place cannot be written to.
    """
    target = check_writable(path)
    with whole_file(target) as into:
        return _write(pieces, into, target.name)


def table_bytes(pieces: Iterable[pd.DataFrame], name: str) -> bytes:
    """Return the bytes that :func:`write_table` would write to a file of this name."""
    content = BytesIO()
    _write(pieces, content, name)
    return content.getvalue()


def write_bytes(content: bytes, path: str | os.PathLike[str], *, new: bool = False) -> None:
    """Write bytes to a file, which appears only when it is whole.

    Parameters
    ----------
    content : bytes
    path : path
        An existing file is replaced, unless ``new``.
    new : bool
        Whether to refuse to replace anything.

    Raises
    ------
    ConfigError
        The place cannot be written to; or, with ``new``, something is there already.
    """
    with whole_file(check_place(path), new=new) as into:
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
    """Return the plain values in a JSON file.

    Raises
    ------
    SchemaError
        The file is missing or is not JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise SchemaError(
            f"The file {Path(path).name!r} is missing or is not JSON; check its name and content."
        ) from None


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the path of an output file after a check of its ending and folder.

    Raises
    ------
    ConfigError
        The ending is unknown, the folder is missing, or the path is that of a folder.
    """
    target = Path(path)
    if not target.name.lower().endswith(_FORMATS):
        raise ConfigError(
            f"The output's name ends in {target.suffix!r}; end it in .csv, .csv.gz or .parquet."
        )
    return check_place(target)


def check_place(path: str | os.PathLike[str]) -> Path:
    """Return the path of an output file after a check of its folder.

    Raises
    ------
    ConfigError
        The folder is missing, or the path is that of a folder.
    """
    target = Path(path)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise ConfigError(
            "The output's folder does not exist, or the name is that of a folder; check the path."
        )
    return target


def _write(pieces: Iterable[pd.DataFrame], into: BinaryIO, name: str) -> int:
    """Write pieces to an open file whose name sets the format; return the number of rows.

    The first piece sets the columns.
    """
    is_parquet, rows = name.lower().endswith(".parquet"), 0
    writer: Any = None
    with ExitStack() as opened:
        for piece in pieces:
            table, first = _arrow(piece, is_parquet), writer is None
            rows += len(piece)
            if first:
                writer = _writer(into, name.lower(), table.schema)
                if writer is not into:  # the file itself stays open
                    opened.callback(writer.close)
            if is_parquet:
                writer.write_table(table)
                continue
            # Text is quoted only in pieces that need it; Arrow quotes all texts of a piece or none.
            style = "needed" if any(_delicate(column) for column in table.columns) else "none"
            head = "needed" if _delicate(pa.array(table.column_names)) else "none"
            options = {"include_header": first, "quoting_style": style, "quoting_header": head}
            csv.write_csv(table, writer, csv.WriteOptions(**options))
    return rows


def _writer(into: BinaryIO, name: str, schema: pa.Schema) -> Any:
    if name.endswith(".parquet"):
        return parquet.ParquetWriter(into, schema)
    if name.endswith(".gz"):
        # No name and no time in the header: equal tables, equal bytes.
        return gzip.GzipFile("", "wb", compresslevel=6, fileobj=into, mtime=0)
    return into


def _arrow(piece: pd.DataFrame, is_parquet: bool) -> pa.Table:
    columns = {str(name): _values(piece[name], is_parquet) for name in piece.columns}
    if is_parquet:
        return pa.table(columns)
    return pa.table({defused(name): defused_column(values) for name, values in columns.items()})


def _values(column: pd.Series[Any], is_parquet: bool) -> Any:
    if isinstance(column.dtype, pd.DatetimeTZDtype) and not is_parquet:
        return pa.array(iso_with_offset(column))
    if isinstance(column.dtype, pd.CategoricalDtype):
        return pa.array(column.astype(object), type=pa.string())
    return pa.array(column, from_pandas=True)


def column_bytes(column: Any) -> bytes:
    """Return the bytes of a Parquet file with one column, named ``v``, for programs to read.

    The column is stored without compression if compression would make it more than 20 times
    smaller. A reader refuses files with much higher ratios.
    """
    plainly: dict[str, Any] = {"compression": "none", "use_dictionary": False}
    for packing in ({"compression": "zstd"}, plainly):
        into = BytesIO()
        parquet.write_table(pa.table({"v": column}), into, **packing)
        if column.nbytes <= _TIMES_SMALLER * into.tell():
            break
    return into.getvalue()


def _delicate(column: Any) -> bool:
    """Return whether a text of the column needs quotes in CSV."""
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return False
    return bool(pc.any(pc.match_substring_regex(column, '[",\r\n]')).as_py())


def iso_with_offset(times: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Return times with a zone as texts such as ``2024-03-04T19:10:45+01:00``.

    A time is written to the second, or to the microsecond if it is not a whole second.
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
        dtype=np.str_,  # also if there are no times
    )
    return np.char.add(texts, suffix[which])


# --- A file appears whole and readable by its owner alone, or not at all.

_UNFINISHED = re.compile(r"\.fpanon-([1-9][0-9]{0,8})-[0-9a-f]{16}\.part")
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def whole_file(target: Path, *, new: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing; it takes the target's name at the end, or vanishes on failure.

    Parameters
    ----------
    target : Path
        Path of the file; an existing file or link is replaced, unless ``new``.
    new : bool
        Whether to refuse to replace anything.

    Raises
    ------
    ConfigError
        The place cannot be written to, or the disk is full; or, with ``new``, something is there
        already. Nothing there has changed.
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
    """Create a private folder in ``parent``, in which files are assembled; remove it afterwards.

    Raises
    ------
    ConfigError
        ``parent`` cannot be written to, or the disk is full.
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
    """Remove half-written files and folders of killed fpanon processes; return their number.

    An entry of ``folder`` is removed only if its name is one that fpanon gives, it belongs to this
    user, and its process has ended. A process counts as ended if no process has its number, and
    none holds the entry's lock. The lock matters because another machine or container has process
    numbers of its own.
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
    """Turn a write error into a ConfigError that states a remedy, without any name or content."""
    try:
        yield
    except OSError as fault:
        if fault.errno in _FULL:
            raise ConfigError(
                "The disk is full, or a file may not grow that large there "
                f"({os.strerror(fault.errno)}); the unfinished file is removed. Make room, or "
                "choose another place."
            ) from fault
        raise ConfigError(
            f"The output could not be written ({fault.strerror}); check the folder and your "
            "rights there."
        ) from fault


def _own_name(parent: Path) -> Path:
    """Return an unpredictable name; first remove leftovers of ended processes from the folder."""
    sweep(parent)
    return parent / f".fpanon-{os.getpid()}-{secrets.token_hex(8)}.part"


def _hold(descriptor: int) -> None:
    """Lock the file being written while this process lives; not every disk supports locks."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as fault:  # another user's process, if there is one
        return not isinstance(fault, ProcessLookupError)
    return True


def _removed(path: Path) -> bool:
    """Remove an unlocked file or folder of this user; return whether it was removed."""
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
