"""Content of a release, byte by byte: its members, its description, its data.

This module reads a folder or a zip with its own code, independent of the writers of releases. The
README and the description are made again from the stated facts, with the templates of the writers,
and compared. The headers of a zip are rebuilt and compared, too. The templates themselves are not
verified. The facts determine both documents, and :mod:`.release` verifies the facts against the
data and the original.

Source: docs/science.md, “A release, as it leaves”; for zip files, APPNOTE.TXT 6.3.10 (PKWARE),
sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 and 4.5.3.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model.budgets import MAX_BYTES, MAX_RELEASE_BYTES, Budget
from ..model.errors import ConfigError, SchemaError
from ..model.facts import ReleaseFacts
from ..model.release_page import README, described, readme
from ..model.version import __version__
from .faults import Faults

DATA = ("data.csv", "data.parquet")
DESCRIPTION = "datapackage.json"
_MOST = {README: 64 << 10, DESCRIPTION: 1 << 20}
"""Largest size of the page and of the description, bytes; longer ones are a fault."""
_MAPPED = 64 << 20  # bytes; larger data files are mapped, not read into memory
_BLOCK = 1 << 20
_VERSION = re.compile(r"\d{1,4}(\.\d{1,4}){1,3}")
_OWNERS_ALONE = 0o600 << 16
_BEYOND = 0xFFFFFFFF  # written in place of a number of more than 32 bits
_LARGE = 0x7FFFFFFF  # beyond this, sizes and places are stated in 64 bits
_OF_A_ZIP = (zipfile.BadZipFile, struct.error, zlib.error, EOFError)
_DAMAGED_ZIP = (*_OF_A_ZIP, RuntimeError, ValueError, LookupError, OSError)
Content = bytes | mmap.mmap
"""Bytes of a member."""


@dataclass
class Package:
    """Data and stated facts of a release, as read from its folder or zip file.

    Attributes
    ----------
    data_name : str or None
        Name of the member with the data; None if there is not exactly one.
    data : bytes or mmap
        Bytes of the data, mapped for a large file; empty if there is not exactly one data file.
    data_digest : str
        SHA-256 of the data, in hexadecimal digits.
    facts : ReleaseFacts or None
        Facts stated in ``datapackage.json``; None if it cannot be read.
    """

    data_name: str | None = None
    data: Content = b""
    data_digest: str = ""
    facts: ReleaseFacts | None = None


def read_package(source: str | os.PathLike[str] | bytes, faults: Faults) -> Package:
    """Read the members of a release, and add the faults found in its structure.

    Raises
    ------
    SchemaError
        There is neither a folder nor a file at ``source``, it cannot be opened, or it is too large.
        For a file that is not a zip file, a fault is added instead.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        members = _zip_members(bytes(source), io.BytesIO(source), faults)
    else:
        members = _members_at(Path(source), faults)
    for name, most in _MOST.items():
        if name not in members:
            faults.add("members", f"{name} is missing.")
        elif len(members[name]) > most:
            faults.add("members", f"{name} is longer than in any release.")
            members[name] = members[name][:most]
    text = "The release holds a file that does not belong in a release."
    faults.add("members", text, times=len(members.keys() - {*_MOST, *DATA}))
    found = [name for name in DATA if name in members]
    if len(found) != 1:
        faults.add("members", "There must be exactly one data file, data.csv or data.parquet.")
        return Package()
    package = Package(found[0], members[found[0]])
    package.data_digest = hashlib.sha256(package.data).hexdigest()
    if DESCRIPTION in members:
        package.facts = _facts(bytes(members[DESCRIPTION]), members.get(README), package, faults)
    return package


def _members_at(place: Path, faults: Faults) -> dict[str, Content]:
    try:
        if place.is_dir():
            return _folder_members(place, faults)
        if place.is_file():
            _check_size(place.stat().st_size, MAX_RELEASE_BYTES)
            with place.open("rb") as file:
                return _zip_members(_content_of(place), file, faults)
    except (OSError, ValueError):  # it cannot be opened, or its name has a NUL
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
        else:
            _check_size(read := read + size, MAX_BYTES)
        members[entry.name] = _content_of(entry)
    return members


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise SchemaError(
            f"The release is larger than {most >> 30} GB; give one with fewer people."
        )


def _content_of(place: Path) -> Content:
    """Return a file's bytes, mapped if it is large."""
    if place.stat().st_size < _MAPPED or not place.stat().st_size:
        return place.read_bytes()
    with place.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


# --- a zip ----------------------------------------------------------------------------------------


def _zip_members(content: Content, file: Any, faults: Faults) -> dict[str, Content]:
    members: dict[str, Content] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
            Budget(len(content), MAX_RELEASE_BYTES).check_bytes(sum(i.file_size for i in listed))
            beside = sum(info.file_size for info in listed if info.filename not in DATA)
            Budget(len(content)).check_bytes(beside)
            members = {info.filename: _unpacked(archive, info) for info in listed}
            names = [info.filename for info in listed]
            ordered = names == sorted(members, key=lambda name: (name != README, name))
            text = "The files in the zip file are in the wrong order, or one is there twice."
            faults.check(ordered, "members", text)
            tight = is_tight(content, listed, zipfile.ZIP_DEFLATED)
            text = "The zip file holds a time, a comment, or other bytes that no release has."
            faults.check(tight, "members", text)
    except _DAMAGED_ZIP:
        faults.add("members", "The file is damaged, or is not a zip file.")
    return members


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Content:
    """Return a member; large data go to a temporary file, which is removed after its last use."""
    if info.filename not in DATA or info.file_size < _MAPPED:
        return archive.read(info)
    with tempfile.TemporaryFile() as file, archive.open(info) as packed:
        if shutil.disk_usage(tempfile.gettempdir()).free < info.file_size:
            raise SchemaError(
                f"The unpacked release takes {info.file_size / 1e9:,.1f} GB, more than is free in "
                "the folder for temporary files. Unpack the release yourself, and give the folder "
                "that then holds it."
            )
        shutil.copyfileobj(packed, file, _BLOCK)
        file.flush()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def is_tight(content: Content, members: list[zipfile.ZipInfo], method: int) -> bool:
    """Return whether a zip is, byte by byte, determined by its members, all packed by one method.

    Both headers of each member, and the end of the file, are rebuilt from names and sizes, and
    compared. In a tight file, no bytes lie between, before or after the members, or after the end
    of compressed data. No member has a time, a comment or a mark of its own.

    Parameters
    ----------
    content : bytes or mmap
    members : list of ZipInfo
        Members in the order of the file's own list.
    method : int
        ``zipfile.ZIP_STORED`` or ``zipfile.ZIP_DEFLATED``.

    Raises
    ------
    struct.error, zlib.error
        The file is damaged.
    """
    at, heads = 0, {}
    for info in sorted(members, key=lambda one: one.header_offset):
        name = info.orig_filename.encode()
        flags = 0 if name.isascii() else 0x800
        sizes, wide, version = [info.compress_size, info.file_size], b"", 20
        if max(sizes) > _LARGE:
            wide, version = _in_64_bits(info.file_size, info.compress_size), 45
            sizes = [_BEYOND, _BEYOND]
        same = struct.pack("<3H2H3I", version, flags, method, 0, 33, info.CRC, *sizes)  # 1980-01-01
        head = b"PK\3\4" + same + struct.pack("<2H", len(name), len(wide)) + name + wide
        begin, end = at + len(head), at + len(head) + info.compress_size
        if content[at:begin] != head or not _ends_with_its_data(content, begin, end, method, info):
            return False
        heads[info.header_offset] = version, same, name, at
        at = end
    first = at
    for info in members:
        version, same, name, place = heads[info.header_offset]
        beyond = [info.file_size, info.compress_size] if version == 45 else []
        if place > _LARGE:
            beyond, version, place = [*beyond, place], 45, _BEYOND
        wide = _in_64_bits(*beyond) if beyond else b""
        head = b"PK\1\2" + struct.pack("<2BH", version, 3, version) + same[2:]
        rights = (len(name), len(wide), 0, 0, 0, _OWNERS_ALONE, place)
        head += struct.pack("<5H2I", *rights) + name + wide
        if content[at : at + len(head)] != head:
            return False
        at += len(head)
    return content[at:] == _end(at, first, len(members))


def _in_64_bits(*values: int) -> bytes:
    """Return the extra field for values of more than 32 bits."""
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)


def _end(at: int, first: int, count: int) -> bytes:
    """Return the bytes that must follow the list of members, which spans ``first`` to ``at``."""
    length, far = at - first, b""
    if first > _LARGE:
        far = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, first)
        far += struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
    near = 0, 0, count, count, length, min(first, _BEYOND), 0
    return far + struct.pack("<4s4H2IH", b"PK\5\6", *near)


def _ends_with_its_data(
    content: Content, begin: int, end: int, method: int, info: zipfile.ZipInfo
) -> bool:
    """Return whether unpacking a member uses all of its bytes."""
    if method == zipfile.ZIP_STORED:
        return end - begin == info.file_size
    unpack = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(begin, end, _BLOCK):
        if unpack.eof:
            return False
        rest = content[at : min(at + _BLOCK, end)]
        while len(rest):
            unpack.decompress(rest, _BLOCK)
            rest = unpack.unconsumed_tail
    while not unpack.eof and unpack.decompress(unpack.unconsumed_tail, _BLOCK):
        pass
    return unpack.eof and not unpack.unused_data


# --- page and description -------------------------------------------------------------------------


def _facts(
    description: bytes, page: Content | None, package: Package, faults: Faults
) -> ReleaseFacts | None:
    """Return the facts that a release states, or None, with a fault, if they cannot be read."""
    try:
        plain = json.loads(description)
        ours = plain["fpanon"]
        version = ours["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        faults.add("description", f"{DESCRIPTION} does not describe one data file and its facts.")
        return None
    if version != __version__:
        known = isinstance(version, str) and _VERSION.fullmatch(version)
        faults.add(
            "version",
            f"{f'fpanon {version}' if known else 'Another version'} wrote this release, but this "
            f"is fpanon {__version__}. Verify the release with the version that wrote it, or "
            "publish the release again.",
        )
        return None
    try:
        facts = ReleaseFacts.from_dict(ours)
    except ConfigError as fault:
        faults.add("facts", f"The facts in {DESCRIPTION} are not valid. {fault}")
        return None
    data = str(package.data_name), len(package.data), package.data_digest
    stated: Any = None
    match plain:
        case {"resources": [{"bytes": size, "hash": digest}]}:
            stated = size, digest
    text = "The data file's size or hash is not the one in the description."
    faults.check(stated == (data[1], f"sha256:{data[2]}"), "hash", text)
    same = description == described(facts, *data)
    text = f"{DESCRIPTION} is not, byte for byte, the one that follows from the facts and the data."
    faults.check(same, "description", text)
    same = page is None or bytes(page) == readme(facts, data[0], data[2]).encode()
    faults.check(same, "page", f"{README} is not the page that follows from the facts.")
    return facts
