"""Safe opening of files that others may have placed, and keyed digests of the data.

A folder is opened once, and its contents are opened from its descriptor, one folder of the path at
a time. A link that later replaces a listed file or folder is not followed. A pipe, a socket or a
device is refused, because opening one could take forever or have side effects.

A plain digest lets everybody who has it test guesses at the data, such as their people and places.
Files therefore hold the digest under a key of 256 bits, which is stored among the user's own files
and is in no export. For one user, the same data always have the same keyed digest. Nobody without
the key can compute it.

Source: Krawczyk et al. 1997 (HMAC), with SHA-256.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

Place = str | os.PathLike[str]
"""Path of a file or folder."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def folder_opened(path: Place, below: Iterable[str] = ()) -> Iterator[int]:
    """Open a folder and yield its descriptor.

    If ``below`` names folders, each inside the one before, the last of them is opened. Neither
    ``path`` nor any of them may be a link.

    Raises
    ------
    OSError
        There is no such folder, or a link is in its place.
    """
    here = os.open(path, _FOLDER)
    try:
        for part in below:
            above, here = here, os.open(part, _FOLDER, dir_fd=here)
            os.close(above)
        yield here
    finally:
        os.close(here)


def file_opened(name: Place, folder: int | None = None) -> int:
    """Open a plain file by its path, or by its name in an open folder; return its descriptor.

    Raises
    ------
    OSError
        There is no such file; with ``errno`` ``ELOOP``, a link, folder, pipe, socket or device is
        in its place.
    """
    if is_plain(os.stat(name, dir_fd=folder, follow_symlinks=False)):
        descriptor = os.open(name, _FILE, dir_fd=folder)
        if is_plain(os.fstat(descriptor)):  # it may have been replaced in the meantime
            return descriptor
        os.close(descriptor)
    raise OSError(errno.ELOOP, "not a plain file")


def is_plain(found: os.stat_result) -> bool:
    """Return whether this is the state of a plain file, not of a link, folder, pipe or the like."""
    return stat.S_ISREG(found.st_mode)


PREFIX = "keyed:"
_BYTES = 32


def keyed(digest: str) -> str:
    """Return the keyed digest that files hold in place of a digest; a keyed digest stays as it is.

    The empty digest, of no data, stays empty. If the user has no place for files, the key is drawn
    for this process alone. The digests in its files then match one another, but later processes
    do not recognize them.

    Examples
    --------
    >>> keyed("ab") == keyed("ab") != keyed("ac"), keyed(keyed("ab")) == keyed("ab"), keyed("")
    (True, True, '')
    >>> keyed("ab").startswith(PREFIX), len(keyed("ab"))
    (True, 38)
    """
    if not digest or digest.startswith(PREFIX):
        return digest
    return PREFIX + sealed(b"fpanon digest", digest.encode()).hex()[:32]


def sealed(use: bytes, content: bytes) -> bytes:
    """Return a digest of some content under the user's key; each ``use`` gives another digest.

    Examples
    --------
    >>> sealed(b"one", b"x") == sealed(b"one", b"x"), sealed(b"one", b"x") == sealed(b"other", b"x")
    (True, False)
    >>> len(sealed(b"one", b"x"))
    32
    """
    of = hmac.new(_key(_place()), use + b"\0", hashlib.sha256)
    of.update(content)
    return of.digest()


def state_folder() -> Path:
    """Return the folder for this user's fpanon files; the folder need not exist."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(state) / "fpanon"


def _place() -> Path:
    return state_folder() / "digests.key"


@cache
def _key(place: Path) -> bytes:
    """Return the user's key, made at first use; if none can be stored, a key for this process."""
    with suppress(OSError):
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        if not place.exists():
            _make(place)
        if (kept := _read(place)) is not None:
            return kept
    return secrets.token_bytes(_BYTES)


def _make(place: Path) -> None:
    """Write a new key in one step; if two processes write one, the first prevails."""
    unfinished = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(unfinished, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as into:
            into.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(unfinished, place)
    finally:
        unfinished.unlink()


def _read(place: Path) -> bytes | None:
    """Return the stored key; None unless it belongs to this user and nobody else may read it."""
    with open(file_opened(place), "rb") as file:
        found = os.fstat(file.fileno())
        own = found.st_uid == os.geteuid() and not found.st_mode & 0o077
        key = file.read(_BYTES + 1) if own else b""
    return key if len(key) == _BYTES else None
