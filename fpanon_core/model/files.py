"""How is a file opened that others may have put there? By no link, and without waiting.

A folder is opened once, and what is in it is opened from there, part by part: a file or folder that
was exchanged for a link after it was listed is not followed. A pipe, a socket or a device is no
file to read; opening one could wait for ever, or set something in motion.

How does a file say which data it is of, to us alone?

A digest lets everybody who has it test guesses at the data: is it these people, with these places?
What goes into a file is the digest under a key of 256 bits that lies among the user's own files and
is in no export. The same data have the same keyed digest here, and nobody else can compute it.

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

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def folder_opened(path: str | os.PathLike[str], below: Iterable[str] = ()) -> Iterator[int]:
    """Descriptor of a folder; neither it nor a folder on the way ``below`` may be a link.

    Raises
    ------
    OSError
        There is no such folder, or a link is there.
    """
    here = os.open(path, _FOLDER)
    try:
        for part in below:
            above, here = here, os.open(part, _FOLDER, dir_fd=here)
            os.close(above)
        yield here
    finally:
        os.close(here)


def file_opened(name: str | os.PathLike[str], folder: int | None = None) -> int:
    """Descriptor of a plain file in an open folder.

    Raises
    ------
    OSError
        There is no such file; with ``errno`` ``ELOOP``, a link, pipe, socket or device is there.
    """
    if is_plain(os.stat(name, dir_fd=folder, follow_symlinks=False)):
        descriptor = os.open(name, _FILE, dir_fd=folder)
        if is_plain(os.fstat(descriptor)):  # it may have been exchanged meanwhile
            return descriptor
        os.close(descriptor)
    raise OSError(errno.ELOOP, "no plain file")


def is_plain(found: os.stat_result) -> bool:
    """Whether it is a file, and neither a link nor a folder, pipe, socket or device."""
    return stat.S_ISREG(found.st_mode)


PREFIX = "keyed:"
_BYTES = 32


def keyed(digest: str) -> str:
    """A digest of the input as it goes into a file; one that is keyed already, as it is.

    The empty one, of no data, stays empty. Where the user has no place for files, the key is drawn
    for this process alone: its files know each other, and are not known again later.

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
    """Digest of some content under the user's key; of another ``use`` it is another.

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
    """Where the user's own files of ours are; it need not exist."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(state) / "fpanon"


def _place() -> Path:
    return state_folder() / "digests.key"


@cache
def _key(place: Path) -> bytes:
    """The user's key, made at its first use; one of this process where it cannot be kept."""
    with suppress(OSError):
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        if not place.exists():
            _make(place)
        if (kept := _read(place)) is not None:
            return kept
    return secrets.token_bytes(_BYTES)


def _make(place: Path) -> None:
    """A new key, whole or not at all; of two processes that make one, the first prevails."""
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
    """The key, if it is this user's and nobody else may read it."""
    with open(file_opened(place), "rb") as file:
        found = os.fstat(file.fileno())
        own = found.st_uid == os.geteuid() and not found.st_mode & 0o077
        key = file.read(_BYTES + 1) if own else b""
    return key if len(key) == _BYTES else None
