"""How does a file come to its place? Whole, readable by its owner alone, or not at all.

It is written beside its place under a name of our own, made by nobody else before, and takes its
own name when it is whole. What a killed process has left half-written is swept up by whoever writes
to the same folder next.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..model.errors import ConfigError

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
