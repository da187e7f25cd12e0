"""Files on the server that may be opened: those in one folder named by the operator.

Files too large to upload are picked from a list, so that nobody types a path. No link is followed,
whether it is the file or a folder on the way to the file. The folder is opened once, and everything
below is opened from there, part by part. So a link that later replaces a listed or chosen file is
not followed either. A chosen file is identified by its number on the disk, so another file in its
place is rejected.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from ..model.errors import SchemaError
from ..model.files import file_opened, folder_opened
from ..model.mapped import is_folder_of_fingerprints

SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".gz", ".zip", ".parquet", ".xlsx"),
    *(".json", ".jsonl", ".ndjson", ".geojson"),
)


@dataclass(frozen=True)
class _Chosen:
    folder: Path = field(repr=False)
    name: str = field(repr=False)
    number: tuple[int, int] = field(repr=False)

    def check(self, descriptor: int) -> int:
        """Return the descriptor; raise SchemaError if it is not for the chosen file or folder."""
        if _number_of(descriptor) != self.number:
            raise _gone()
        return descriptor


class FolderFile(_Chosen):
    """A chosen file; every reader, in any process, opens it with :meth:`opened` or :meth:`read`.

    Attributes
    ----------
    folder : Path
        The operator's folder.
    name : str
        Name relative to the folder, its parts separated by ``/``.
    number : (int, int)
        Numbers of the device and of the file on it at the time of the choice.
    """

    @contextlib.contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file for reading.

        Raises
        ------
        SchemaError
            The file is gone or may not be read, or another file or a link is in its place.
        """
        with os.fdopen(_opened(self.folder, self.name), "rb") as file:
            self.check(file.fileno())
            yield file

    def read(self, most: int) -> bytes:
        """Return the file's content.

        Raises
        ------
        SchemaError
            The file is gone or may not be read, another file or a link is in its place, or the file
            has more than ``most`` bytes.
        """
        with self.opened() as file:
            if os.fstat(file.fileno()).st_size > most:
                raise SchemaError(
                    f"The file is larger than {most >> 30} GB; convert it to Parquet, or keep "
                    "only some of the people or days."
                )
            try:
                return file.read()
            except OSError:
                raise _gone() from None


class KeptFolder(_Chosen):
    """A chosen folder of fingerprints, which keeps the result of an earlier reading.

    Attributes
    ----------
    folder, name, number
        As in :class:`FolderFile`.
    """

    @property
    def path(self) -> Path:
        """Path of the folder; its content is read through :meth:`opened`."""
        return self.folder / self.name

    @contextlib.contextmanager
    def opened(self) -> Iterator[int]:
        """Open the folder and yield its descriptor, from which its files are opened.

        Raises
        ------
        SchemaError
            The folder is gone or may not be read, or another folder or a link is in its place.
        """
        with _below(self.folder, _parts(self.name)) as here:
            yield self.check(here)


def data_files(folder: Path) -> list[str]:
    """Return the sorted names, relative to the folder, of the data files in it and below.

    Links, files below links, and files of a folder of fingerprints are left out. The folder itself
    may be a link.
    """
    paths = (here / name for here, files, kept in _walked(folder) for name in files if not kept)
    named = (path for path in paths if path.name.endswith(SUFFIXES))
    found = (path for path in named if os.path.isfile(path) and not os.path.islink(path))
    return sorted(path.relative_to(folder).as_posix() for path in found)


def kept_folders(folder: Path) -> list[str]:
    """Return the sorted relative names of the folders of fingerprints below ``folder``.

    Links are not followed.
    """
    found = (here for here, _, kept in _walked(folder) if kept and here != folder)
    return sorted(here.relative_to(folder).as_posix() for here in found)


def _walked(folder: Path) -> Iterator[tuple[Path, list[str], bool]]:
    """Yield each folder, its files, and whether it keeps fingerprints; if so, go no deeper."""
    for below, folders, files in os.walk(folder, followlinks=False):
        kept = is_folder_of_fingerprints(Path(below))
        if kept:
            folders.clear()
        yield Path(below), files, kept


def kept_in(folder: Path, name: str) -> KeptFolder:
    """Return the folder of fingerprints that has this name in the given folder.

    Raises
    ------
    SchemaError
        There is no such folder, it may not be read, or the name or a link leads out of the given
        folder.
    """
    root = folder.resolve()
    with _below(root, _parts(name)) as here:
        if not is_folder_of_fingerprints(root / name):
            raise _gone()
        return KeptFolder(root, name, _number_of(here))


def file_in(folder: Path, name: str) -> FolderFile:
    """Return the file that has this name in the given folder.

    Raises
    ------
    SchemaError
        There is no such file, it may not be read, or the name or a link leads out of the folder.
    """
    root = folder.resolve()
    with os.fdopen(_opened(root, name), "rb") as file:
        return FolderFile(root, name, _number_of(file.fileno()))


def _opened(folder: Path, name: str) -> int:
    """Open a plain file below a folder and return its descriptor.

    Raises
    ------
    SchemaError
        The file is gone, is not a plain file, may not be read, or a link is in its place.
    """
    *folders, last = _parts(name)
    with _below(folder, folders) as here:
        return file_opened(last, here)


@contextlib.contextmanager
def _below(folder: Path, parts: Sequence[str]) -> Iterator[int]:
    """Yield the descriptor of a folder below ``folder``; raise SchemaError if it is missing."""
    try:
        with folder_opened(folder, parts) as here:
            yield here
    except OSError as fault:
        if fault.errno in (errno.EACCES, errno.EPERM):
            raise SchemaError(
                "The server has no permission to read this file; the file's owner can grant it."
            ) from None
        raise _gone() from None


def _number_of(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino


def _parts(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise _gone()
    return path.parts


def _gone() -> SchemaError:
    return SchemaError(
        "This file is not, or no longer, in the server's data folder; choose a file from the list."
    )
