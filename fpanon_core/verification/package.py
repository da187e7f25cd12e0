"""What a release consists of, byte by byte: its members, its description, its data.

Reads a folder or a zip by itself; nothing is taken over from what writes releases.

Source: docs/science.md, “A release, as it leaves”.

Are README and description, byte for byte, those that the stated facts make?

Both are made again with the templates of what writes releases, and compared. A template is not what
is verified: the facts are, against the data and the original (:mod:`.facts`). So nothing can stand
in either file that the facts do not decide.

Source: docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model.budgets import MAX_BYTES, MAX_RELEASE_BYTES, Budget
from ..model.data_package import data_package, described
from ..model.errors import ConfigError, SchemaError
from ..model.facts import ReleaseFacts
from ..model.release_page import README, readme, sections
from ..model.release_page import README as PAGE
from ..model.version import __version__
from .faults import Faults
from .zip_layout import is_tight, only_sizes

DATA = ("data.csv", "data.parquet")
MOST_PAGE, MOST_DESCRIPTION = 64 << 10, 1 << 20
"""Bytes of the page and of the description that are looked at; longer ones are a fault."""
_MAPPED = 64 << 20  # bytes: larger data files are looked at where they lie, not read
_BLOCK = 1 << 20
Content = bytes | mmap.mmap
"""Of a member."""


@dataclass
class Package:
    """A release as found.

    Attributes
    ----------
    members : dict of str to bytes or mmap
        A large data file is mapped; all others are read.
    data_name : str or None
        The member with the data; None where there is not exactly one.
    facts : ReleaseFacts or None
        What ``datapackage.json`` states; None where it cannot be read.
    """

    members: dict[str, Content]
    data_name: str | None = None
    facts: ReleaseFacts | None = None
    _digest: str = ""

    @property
    def data(self) -> Content:
        """The data file's bytes; none where there is not exactly one."""
        return b"" if self.data_name is None else self.members[self.data_name]

    @property
    def data_digest(self) -> str:
        """SHA-256 of the data file, in hexadecimal digits; of a large one it takes a while."""
        self._digest = self._digest or digest(self.data)
        return self._digest


def read_package(source: str | os.PathLike[str] | bytes, faults: Faults) -> Package:
    """The members of a release, and faults in its make-up.

    Raises
    ------
    SchemaError
        There is no folder and no zip file there.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        members = _zip_members(bytes(source), faults)
    else:
        members = _members_at(Path(source), faults)
    package = Package(members)
    found = [name for name in DATA if name in members]
    for name in (DESCRIPTION, PAGE):
        if name not in members:
            faults.add("members", f"{name} is missing.")
    if len(found) != 1:
        faults.add("members", "There must be exactly one data file, data.csv or data.parquet.")
    else:
        package.data_name = found[0]
    extra = len(set(members) - {DESCRIPTION, PAGE, *DATA})
    for _ in range(extra):
        faults.add("members", "There is a member that does not belong to a release.")
    for name, most in ((PAGE, MOST_PAGE), (DESCRIPTION, MOST_DESCRIPTION)):
        if len(members.get(name, b"")) > most:
            faults.add("members", f"{name} is longer than a release's.")
            members[name] = members[name][:most]
    data = package.data_name
    if data is not None and DESCRIPTION in members:
        page = bytes(members[PAGE]) if PAGE in members else None
        package.facts = rebuilt(
            bytes(members[DESCRIPTION]), page, data, len(package.data), package.data_digest, faults
        )
    return package


def _members_at(place: Path, faults: Faults) -> dict[str, Content]:
    try:
        if place.is_dir():
            return _folder_members(place, faults)
        if place.is_file():
            _check_size(place.stat().st_size, MAX_RELEASE_BYTES)
            return _zip_members(_content_of(place), faults)
    except (OSError, ValueError):  # not to be opened; or a NUL in its name
        raise SchemaError("The release cannot be opened; check its path and permissions.") from None
    raise SchemaError("There is no release at that place; give its folder or zip file.")


def _folder_members(place: Path, faults: Faults) -> dict[str, Content]:
    members: dict[str, Content] = {}
    read = 0
    for entry in sorted(place.iterdir()):
        if entry.is_symlink() or not entry.is_file():
            faults.add("members", "There is a folder or a link inside the release.")
            continue
        size = entry.stat().st_size
        if entry.name in DATA:
            _check_size(size, MAX_RELEASE_BYTES)
            members[entry.name] = _content_of(entry)
        else:
            _check_size(read := read + size, MAX_BYTES)
            members[entry.name] = entry.read_bytes()
    return members


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise SchemaError(f"The release has more than {most >> 30} GB; give one of fewer people.")


def _content_of(place: Path) -> Content:
    """A file's bytes, of a large one where they lie."""
    if place.stat().st_size < _MAPPED:
        return place.read_bytes()
    with place.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _zip_members(content: Content, faults: Faults) -> dict[str, Content]:
    members: dict[str, Content] = {}
    file = io.BytesIO(content) if isinstance(content, bytes) else _Mapped(content)
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.comment:
                faults.add("members", "The zip file carries a comment.")
            listed = archive.infolist()
            Budget(len(content), MAX_RELEASE_BYTES).check_bytes(sum(i.file_size for i in listed))
            Budget(len(content)).check_bytes(
                sum(i.file_size for i in listed if i.filename not in DATA)
            )
            for info in listed:
                if info.filename in members:
                    faults.add("members", "A member occurs twice.")
                if "/" in info.filename or "\\" in info.filename:
                    faults.add("members", "A member is a folder, or inside one.")
                if info.comment or not only_sizes(info) or not _is_plain(info):
                    faults.add("members", "A member of the zip file carries a comment or more.")
                members[info.filename] = _unpacked(archive, info)
            names = [info.filename for info in listed]
            if names != sorted(names, key=lambda name: (name != PAGE, name)):
                faults.add("members", "The members of the zip file are in another order.")
            if not is_tight(content, listed):
                text = "The zip file holds a time, or bytes that belong to no member."
                faults.add("members", text)
    except (
        zipfile.BadZipFile,
        struct.error,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        LookupError,
        OSError,
    ):
        faults.add("members", "The zip file is damaged, or no zip file.")
    return members


def _is_plain(info: zipfile.ZipInfo) -> bool:
    """Whether a member's entry is as a release's: packed, its owner's, with no mark of its own."""
    head = info.create_system, info.external_attr, info.internal_attr, info.volume, info.reserved
    versions = {info.create_version, info.extract_version}
    return (
        head == (3, 0o600 << 16, 0, 0, 0)
        and versions <= {20, 45}
        and (info.flag_bits, info.compress_type) == (0, zipfile.ZIP_DEFLATED)
    )


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Content:
    """A member; large data go to a file without a name, which ends with its last use."""
    if info.filename not in DATA or info.file_size < _MAPPED:
        return archive.read(info)
    with tempfile.TemporaryFile() as file, archive.open(info) as packed:
        if shutil.disk_usage(tempfile.gettempdir()).free < info.file_size:
            raise SchemaError(
                f"The release unpacks to {info.file_size / 1e9:,.1f} GB, and the folder for "
                "temporary files has less room; unpack it yourself and give the folder."
            )
        shutil.copyfileobj(packed, file, _BLOCK)
        file.flush()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class _Mapped(io.RawIOBase):
    """A file that is mapped, as a stream: a map alone does not say that it can be sought in."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content, self._at = content, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, to: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self._content)}[whence]
        if begin + to < 0:
            raise OSError
        self._at = begin + to
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = None if size is None or size < 0 else self._at + size
        found = self._content[self._at : end]
        self._at += len(found)
        return found


def digest(content: Content) -> str:
    """SHA-256, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


DESCRIPTION = "datapackage.json"
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,3}")


def rebuilt(
    description: bytes, page: bytes | None, data_file: str, size: int, sha256: str, faults: Faults
) -> ReleaseFacts | None:
    """The facts that a release states; None, with a fault, where they cannot be read.

    Parameters
    ----------
    description, page : bytes
        ``datapackage.json`` and ``README.md`` as they lie there; None where there is no page.
    data_file : str
    size : int
        Of the data file, bytes.
    sha256 : str
        Of its bytes.
    faults : Faults
        Takes what differs, by name and without a word of the release's own.
    """
    try:
        plain = json.loads(description)
        ours = plain["fpanon"]
        version = ours["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        faults.add("description", f"{DESCRIPTION} does not describe one data file and its facts.")
        return None
    if version != __version__:
        _tell_version(version, faults)
        return None
    try:
        facts = ReleaseFacts.from_dict(ours)
    except ConfigError as fault:
        faults.add("facts", f"The facts in {DESCRIPTION} are none. {fault}")
        return None
    if description != described(facts, data_file, size, sha256):
        _tell_difference(plain, data_package(facts, data_file, size, sha256), faults)
    if page is not None:
        _check_page(page, readme(facts, data_file, sha256), faults)
    return facts


def _tell_version(version: Any, faults: Faults) -> None:
    by = version if isinstance(version, str) and _VERSION.fullmatch(version) else "another version"
    faults.add(
        "version",
        f"fpanon {by} wrote this release, and this is fpanon {__version__}. Verify it with the "
        "version that wrote it, or publish it anew.",
    )


def _tell_difference(found: Any, due: Mapping[str, Any], faults: Faults) -> None:
    """Say where a description is not the one that its facts make."""
    wrong = list(_differences(found, due, ""))
    for kind, where in wrong:
        if kind == "hash" and where.endswith(("bytes", "hash")):
            faults.add("hash", "The data file's size or hash is not the one in the description.")
        else:
            faults.add("description", f"{DESCRIPTION} {_WORDS.get(kind, '')}{where}.")
    if not wrong:
        faults.add(
            "description",
            f"{DESCRIPTION} says what it should, written otherwise: in its order, escapes, white "
            "space or numbers, or with a key twice.",
        )


_WORDS = {
    "unknown": "has a key that no release has, in ",
    "missing": "does not say ",
    "hash": "says something else of ",
}


def _differences(found: Any, due: Any, where: str) -> Any:
    """Kind and place of each difference; places are named by our own keys alone."""
    if isinstance(due, Mapping) and isinstance(found, Mapping):
        if set(found) - set(due):
            yield "unknown", where or "its first level"
        for key, value in due.items():
            place = f"{where}.{key}" if where else key
            if key in found:
                yield from _differences(found[key], value, place)
            else:
                yield "missing", place
    elif isinstance(due, list) and isinstance(found, list) and len(due) == len(found):
        for at, (one, other) in enumerate(zip(found, due, strict=True)):
            yield from _differences(one, other, f"{where}[{at}]")
    elif found != due or type(found) is not type(due):
        yield "hash", where


def _check_page(page: bytes, due: str, faults: Faults) -> None:
    """Say which part of a page is not the one that the facts make."""
    if page == due.encode():
        return
    found = sections(page.decode("utf-8", "replace"))
    wrong = [head for head, text in sections(due).items() if found.get(head) != text]
    parts = f" Not as it should be: {', '.join(wrong)}." if wrong else " Something is added to it."
    faults.add("page", f"{README} is not the page that the facts make.{parts}")
