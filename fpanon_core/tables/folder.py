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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from ..model.errors import SchemaError
from ..model.files import file_opened, folder_opened, is_plain
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
        """The descriptor; SchemaError where it is of another than was chosen."""
        if _number_of(descriptor) != self.number:
            raise _gone()
        return descriptor


class FolderFile(_Chosen):
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

    @contextlib.contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The file, open for reading.

        Raises
        ------
        SchemaError
            It is no longer there, or another file, or a link is.
        """
        with os.fdopen(_opened(self.folder, self.name), "rb") as file:
            self.check(file.fileno())
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


class KeptFolder(_Chosen):
    """A folder of fingerprints that was chosen, in which a reading was kept.

    Attributes
    ----------
    folder, name, number
        As of a :class:`FolderFile`.
    """

    @property
    def path(self) -> Path:
        """Where it is; what is in it is read by :meth:`opened`."""
        return self.folder / self.name

    @contextlib.contextmanager
    def opened(self) -> Iterator[int]:
        """Its descriptor, by which what is in it is opened.

        Raises
        ------
        SchemaError
            It is no longer there, or another, or a link leads to it.
        """
        with _below(self.folder, _parts(self.name)) as here:
            yield self.check(here)


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
    with _below(root, _parts(name)) as here:
        if not is_folder_of_fingerprints(root / name):
            raise _gone()
        return KeptFolder(root, name, _number_of(here))


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
        return FolderFile(root, name, _number_of(opened))
    finally:
        os.close(opened)


def _opened(folder: Path, name: str) -> int:
    """Descriptor of a plain file below a folder.

    Raises
    ------
    SchemaError
    """
    *folders, last = _parts(name)
    with _below(folder, folders) as here:
        return file_opened(last, here)


@contextlib.contextmanager
def _below(folder: Path, parts: Sequence[str]) -> Iterator[int]:
    """Descriptor of a folder below the operator's; whatever is not there is a SchemaError."""
    try:
        with folder_opened(folder, parts) as here:
            yield here
    except OSError as fault:
        if fault.errno in (errno.EACCES, errno.EPERM):
            raise SchemaError(
                "The server may not read this file; its owner can allow it."
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


def _is_plain(path: Path) -> bool:
    try:
        return is_plain(path.lstat())
    except OSError:
        return False


def _gone() -> SchemaError:
    return SchemaError(
        "This is not, or no longer, in the server's data folder; choose one from the list."
    )
