"""What a release consists of, byte by byte: its members, its description, its data.

Reads a folder or a zip by itself; nothing is taken over from what writes releases.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..model.budgets import MAX_BYTES, MAX_RELEASE_BYTES, Budget
from ..model.errors import SchemaError
from .faults import Faults
from .page_figures import phantom_figures, wrong_figures
from .zip_layout import is_tight, only_sizes

DESCRIPTION, PAGE = "datapackage.json", "README.md"
DATA = ("data.csv", "data.parquet")
MOST_PAGE, MOST_DESCRIPTION = 64 << 10, 1 << 20
"""Bytes of the page and of the description that are looked at; longer ones are a fault."""
FACTS = (
    "version", "steps", "option", "k", "suppress_space_m", "suppress_time_min", "leftover", "crs",
    "timezone", "epoch", "granularity_m", "granularity_min", "first_day", "last_day", "people",
    "groups", "rows", "samples_left_out", "samples_in", "people_left_out", "people_alone",
    "last_window_days", "phantom_share", "verified",
)  # fmt: skip
"""What the description says under ``fpanon``."""
_MAPPED = 64 << 20  # bytes: larger data files are looked at where they lie, not read
_BLOCK = 1 << 20
Content = bytes | mmap.mmap
"""Of a member."""
_FORMATS = {"data.csv": ("csv", "text/csv"), "data.parquet": ("parquet", None)}
_PATH = re.compile(
    r"(?<![\w/.:])(?:~|\.\.)?/(?:home|Users|root|tmp|var|mnt|media|opt|srv|work|data|private)/"
    r"|\b[A-Za-z]:[\\/]|file:/|\\\\\w",
)


@dataclass
class Package:
    """A release as found.

    Attributes
    ----------
    members : dict of str to bytes or mmap
        A large data file is mapped; all others are read.
    data_name : str or None
        The member with the data; None where there is not exactly one.
    facts : dict
        What ``datapackage.json`` says under ``fpanon``; empty where it cannot be read.
    fields : list of str
        The columns that it names.
    """

    members: dict[str, Content]
    data_name: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
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

    def text(self, name: str) -> str:
        """A member as text; what is not UTF-8 is replaced."""
        return bytes(self.members.get(name, b"")).decode("utf-8", "replace")


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
            members[name] = members[name][:most]  # what is found by pattern takes its square
    if DESCRIPTION in members:
        _describe(package, faults)
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
                if info.comment or not only_sizes(info):
                    faults.add("members", "A member of the zip file carries a comment or more.")
                members[info.filename] = _unpacked(archive, info)
            if not is_tight(content, archive.infolist()):
                text = "The zip file holds a time, or bytes that belong to no member."
                faults.add("members", text)
    except (zipfile.BadZipFile, struct.error, zlib.error, EOFError, NotImplementedError,
            RuntimeError, ValueError, LookupError, OSError):  # fmt: skip
        faults.add("members", "The zip file is damaged, or no zip file.")
    return members


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


def _describe(package: Package, faults: Faults) -> None:
    """Reads the description, and holds it against the data file's bytes."""
    try:
        plain = json.loads(bytes(package.members[DESCRIPTION]))
        (resource,) = plain["resources"]
        package.fields = [str(of["name"]) for of in resource["schema"]["fields"]]
        facts = plain["fpanon"]
        if not isinstance(facts, dict):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        faults.add("description", f"{DESCRIPTION} does not describe one data file and its facts.")
        return
    package.facts = facts
    missing = [name for name in FACTS if name not in facts]
    if not missing:
        _check_words(resource, facts, faults)
    else:
        faults.add("description", f"{DESCRIPTION} does not say: {', '.join(missing)}.")
    name = package.data_name
    if name is None:
        return
    form, medium = _FORMATS[name]
    if resource.get("path") != name or resource.get("format") != form:
        faults.add("description", "The description names another data file, or format.")
    if medium is not None and resource.get("mediatype") != medium:
        faults.add("description", "The description names another kind of file.")
    if resource.get("bytes") != len(package.data):
        faults.add("hash", "The data file has another size than the description says.")
    if resource.get("hash") != f"sha256:{package.data_digest}":
        faults.add("hash", "The data file's hash is not the one in the description.")


def _check_words(resource: dict[str, Any], facts: dict[str, Any], faults: Faults) -> None:
    """Units of the columns, and how many rows are not true, are those of the facts."""
    for of in resource["schema"]["fields"]:
        name = str(of["name"])
        unit = "m" if name.endswith("_m") else None
        unit = "degree" if name.startswith(("lat_", "lon_")) else unit
        if name in ("start", "end") and facts["timezone"] is None:
            unit = "min since midnight of the first day"
        if of.get("unit") != unit:
            faults.add("description", "The description names another unit of a column.")
    try:
        right = phantom_figures(str(resource.get("description", "")), facts)
    except (TypeError, ValueError, ArithmeticError):
        right = False
    if not right:
        text = "The description's words on how many rows are not true are not as stated."
        faults.add("description", text)


def digest(content: Content) -> str:
    """SHA-256, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def check_page(package: Package, faults: Faults) -> None:
    """The one page names the data file's hash, and the figures and verdict of the description."""
    if PAGE not in package.members or package.data_name is None:
        return
    page = " ".join(package.text(PAGE).split())
    own = package.data_digest
    named = set(re.findall(r"(?<![0-9a-fA-F])[0-9a-fA-F]{64}(?![0-9a-fA-F])", page))
    if named != {own}:
        faults.add("page", f"{PAGE} does not name the data file's hash, or names another.")
    numbers = {number.replace(",", "") for number in re.findall(r"(?<![\w.,])\d[\d,]*", page)}
    for name in ("people", "rows", "groups"):
        value = package.facts.get(name)
        if isinstance(value, int) and str(value) not in numbers:
            faults.add("page", f"{PAGE} does not state the number that stands for {name}.")
    k = package.facts.get("k")
    told = {int(number) for number in re.findall(r"\bk ?= ?(\d+)", page)}
    if isinstance(k, int) and told != {k}:
        faults.add("page", f"{PAGE} does not state k, or another: write “k = {k}”.")
    if all(name in package.facts for name in FACTS):
        try:
            wrong = wrong_figures(page, package.facts)
        except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError):
            wrong = ["the facts, which are none"]
        for what in wrong:
            faults.add("page", f"{PAGE} does not state, once and as described, {what}.")
    verified = package.facts.get("verified")
    if isinstance(verified, dict):
        said = " ".join(str(verified.get("text", "")).split())
        if said not in page:
            faults.add("page", f"{PAGE} does not state the verdict of the description.")


def check_texts(package: Package, metadata: bytes, faults: Faults) -> None:
    """No member tells a path, or the digest of the input; see :mod:`.secrecy` for ids."""
    for text in texts(package, metadata):
        if _PATH.search(text):
            faults.add("path", "A member tells a place in somebody's file system.")
        if any(d.lower() in text.lower() for d in (faults.original.digest, faults.whole_digest)):
            faults.add("input digest", "A member tells the digest of the original data.")


def texts(package: Package, metadata: bytes) -> list[str]:
    """All that is text in a release but for the rows of the data: names, page, description."""
    named = " ".join(sorted(package.members))
    told = [package.text(name) for name in package.members if name not in DATA]
    # What JSON escapes is looked at as it reads, too.
    described = json.dumps(package.facts, ensure_ascii=False)
    return [named, *told, described, metadata.decode("utf-8", "replace")]
