"""Which files on the server may be opened? Those in one folder that its operator has named.

Files too large to upload are picked from a list; a path is never typed. No link is followed, not in
a file's name and not in a folder's on the way to it: the folder is opened once, and what is below
it is opened from there, part by part. So a file that is changed for a link after it was listed, or
after it was chosen, is not followed either; and what was chosen is told by its number on the disk,
so that another file put in its place is not taken for it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from ..model.errors import SchemaError
from ..model.mapped import is_folder_of_fingerprints

SUFFIXES = (
    *(".csv", ".tsv", ".txt", ".gz", ".zip", ".parquet", ".xlsx"),
    *(".json", ".jsonl", ".ndjson", ".geojson"),
)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe would keep us waiting


@dataclass(frozen=True)
class FolderFile:
    """A file that was chosen: whoever reads it, also in another process, opens it by :meth:`read`.

    Attributes
    ----------
    folder : Path
        The operator's.
    name : str
        Relative to it, its parts divided by ``/``.
    number : (int, int)
        Of the device, and of the file on it, when it was chosen.
    """

    folder: Path = field(repr=False)
    name: str = field(repr=False)
    number: tuple[int, int] = field(repr=False)

    @contextlib.contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The file, open for reading.

        Raises
        ------
        SchemaError
            It is no longer there, or another file, or a link is.
        """
        with os.fdopen(_opened(self.folder, self.name), "rb") as file:
            found = os.fstat(file.fileno())
            if (found.st_dev, found.st_ino) != self.number:
                raise _gone()
            yield file

    def read(self, most: int) -> bytes:
        """Its content.

        Raises
        ------
        SchemaError
            It is no longer there, or another file, or a link is; or it has more than ``most``
            bytes.
        """
        with self.opened() as file:
            if os.fstat(file.fileno()).st_size > most:
                raise SchemaError(
                    f"The file has more than {most >> 30} GB; give Parquet, or a part of the users "
                    "or days."
                )
            try:
                return file.read()
            except OSError:
                raise _gone() from None


@dataclass(frozen=True)
class KeptFolder:
    """A folder of fingerprints that was chosen, in which a reading was kept.

    Attributes
    ----------
    folder, name, number
        As of a :class:`FolderFile`.
    """

    folder: Path = field(repr=False)
    name: str = field(repr=False)
    number: tuple[int, int] = field(repr=False)

    def path(self) -> Path:
        """Where it is; to be asked again after what is in it was opened.

        Raises
        ------
        SchemaError
            It is no longer there, or another, or a link leads to it.
        """
        if _number_of(self.folder, self.name) != self.number:
            raise _gone()
        return self.folder / self.name


def data_files(folder: Path) -> list[str]:
    """Names, relative to the folder, of the readable data files in it and below, sorted.

    What is a link, or below one, is not among them; the folder itself may be one. Nor is what
    belongs to a folder of fingerprints.
    """
    found = []
    for below, folders, files in os.walk(folder, followlinks=False):
        if is_folder_of_fingerprints(Path(below)):
            folders.clear()
            continue
        for name in files:
            path = Path(below) / name
            if name.endswith(SUFFIXES) and _is_plain(path):
                found.append(path.relative_to(folder).as_posix())
    return sorted(found)


def kept_folders(folder: Path) -> list[str]:
    """Names, relative to the folder, of the folders of fingerprints below it, sorted; no links."""
    found = []
    for below, folders, _ in os.walk(folder, followlinks=False):
        here = Path(below)
        if here != folder and is_folder_of_fingerprints(here):
            found.append(here.relative_to(folder).as_posix())
            folders.clear()
    return sorted(found)


def kept_in(folder: Path, name: str) -> KeptFolder:
    """The folder of fingerprints of that name in the folder.

    Raises
    ------
    SchemaError
        There is none, or the name or a link leads out of the folder.
    """
    root = folder.resolve()
    number = _number_of(root, name)
    if not is_folder_of_fingerprints(root / name):
        raise _gone()
    return KeptFolder(root, name, number)


def file_in(folder: Path, name: str) -> FolderFile:
    """The file of that name in the folder.

    Raises
    ------
    SchemaError
        If there is no such file, or the name or a link leads out of the folder.
    """
    root = folder.resolve()
    opened = _opened(root, name)
    try:
        found = os.fstat(opened)
    finally:
        os.close(opened)
    return FolderFile(root, name, (found.st_dev, found.st_ino))


def _opened(folder: Path, name: str) -> int:
    """Descriptor of a plain file, opened from the folder's own part by part; no link is followed.

    Raises
    ------
    SchemaError
    """
    parts = list(_parts(name))
    try:
        here = os.open(folder, _FOLDER)
        try:
            for part in parts[:-1]:
                below = os.open(part, _FOLDER, dir_fd=here)
                os.close(here)
                here = below
            file = os.open(parts[-1], _FILE, dir_fd=here)
        finally:
            os.close(here)
    except OSError as fault:
        if fault.errno in (errno.EACCES, errno.EPERM):
            raise SchemaError(
                "The server may not read this file; its owner can allow it."
            ) from None
        raise _gone() from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _gone()
    return file


def _number_of(folder: Path, name: str) -> tuple[int, int]:
    """Of a folder, opened from the operator's own part by part; no link is followed.

    Raises
    ------
    SchemaError
    """
    parts = list(_parts(name))
    try:
        here = os.open(folder, _FOLDER)
        try:
            for part in parts:
                below = os.open(part, _FOLDER, dir_fd=here)
                os.close(here)
                here = below
            found = os.fstat(here)
        finally:
            os.close(here)
    except OSError:
        raise _gone() from None
    return found.st_dev, found.st_ino


def _parts(name: str) -> Iterator[str]:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise _gone()
    yield from path.parts


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _gone() -> SchemaError:
    return SchemaError(
        "This is not, or no longer, in the server's data folder; choose one from the list."
    )
