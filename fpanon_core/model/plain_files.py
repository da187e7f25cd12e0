"""How is a file opened that others may have put there? By no link, and without waiting.

A folder is opened once, and what is in it is opened from there, part by part: a file or folder that
was exchanged for a link after it was listed is not followed. A pipe, a socket or a device is no
file to read; opening one could wait for ever, or set something in motion.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

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
