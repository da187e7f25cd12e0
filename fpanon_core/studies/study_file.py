"""A study as one file: a zip of JSON and Parquet, written and read within bounds.

``manifest.json`` names the version of the program, the members of the zip and the digest of each.
``study.json`` holds the study (:mod:`.study_codec`), ``arrays/`` its long arrays, and ``data/`` the
files of the data, if the study is to hold them. A seal under this machine's key
(:mod:`fpanon_core.model.files`) shows whether the file is as it was saved here. Digests alone
reveal damage, not deliberate changes.

The file holds figures about individual people by row number. It is personal data, and not for
release.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from ..engines.progress import Progress, tell
from ..model.budgets import MAX_BYTES, Budget
from ..model.errors import SchemaError
from ..model.files import keyed
from ..model.version import __version__, versions
from ..tables.parquet import read_parquet
from ..tables.writing import column_bytes
from ..verification.package import is_tight
from .exploration import check
from .option_result import FIGURES
from .options_table import OptionsTable
from .reading import Source
from .study import Kept, Study
from .study_codec import KINDS, Column, Damaged, NotKept, decode, encode, fits, result_type

FORMAT = 2
"""Version of the file's format, raised whenever older files can no longer be read."""
_MANIFEST, _STUDY = "manifest.json", "study.json"
_EVENTS = "data/events"
_TABLES = {"file": _EVENTS, "antennas": "data/antennas", "regions": "data/regions"}
"""Members with the files of the data, by the attributes of :class:`.reading.Source`."""
_NAMED_BY = "regions named by"
_ARRAY = re.compile(r"arrays/[0-9]{5}\.parquet")
_MOST_MEMBERS, _MOST_JSON, _MOST_MANIFEST = 20_000, 64 << 20, 4 << 20
# What zipfile may raise, whatever is in the bytes.
_FAULTS: tuple[type[Exception], ...] = (zipfile.BadZipFile, struct.error, zlib.error, EOFError)
_FAULTS += (ValueError, RuntimeError, OSError, LookupError, OverflowError)
_DAMAGED = "The study is damaged or has been changed since it was saved; use it as it was saved."
_NO_STUDY = "The file is not a study; open one saved by “Study (zip)”."


@dataclass(frozen=True, eq=False)
class Opened:
    """A study that was read.

    Attributes
    ----------
    study : Study
    sealed : bool
        Whether the file is, byte for byte, what this machine's user saved. Otherwise its figures
        may have been written by hand.
    """

    study: Study = field(repr=False)
    sealed: bool


def save(study: Study) -> bytes:
    """Return the bytes of a study's file, without answers and settings that no file can keep.

    Parameters
    ----------
    study : Study
    """
    members: dict[str, bytes] = {}
    known: dict[bytes, int] = {}

    def put(array: Column) -> int:
        """Store an array, equal arrays only once, and return its number."""
        column = pa.array(array)
        told = hashlib.sha256(f"{column.type} ".encode())
        for buffer in column.buffers():
            told.update(b"" if buffer is None else buffer)
        number = known.setdefault(told.digest(), len(known))
        if (name := f"arrays/{number:05d}.parquet") not in members:
            members[name] = column_bytes(column)
        return number

    kept = tuple(each for each in study.answers if _can_be_kept(each))
    settings = {name: value for name, value in study.settings.items() if _encodes(value)}
    bare = replace(study, answers=kept, settings=settings, source=None)
    members[_STUDY] = _json(encode(bare, put))
    source = study.source
    data: dict[str, str | None] = {}
    if source is not None:
        data = {"label": source.label, "note": source.note, _NAMED_BY: source.region_name}
        for attribute, name in _TABLES.items():
            table = getattr(source, attribute)
            if table is not None and isinstance(table[1], bytes):
                data[name], members[name] = table[0], table[1]
    manifest = {
        "study": FORMAT,
        "fpanon": study.version,
        "figures": study.figures,
        "versions": versions(),
        "digest": study.digest,
        "data": data,
        "members": _digests(members),
    }
    manifest["seal"] = _seal(manifest)
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for name, content in ({_MANIFEST: _json(manifest)} | members).items():
            archive.writestr(zipfile.ZipInfo(name), content)  # dated 1980: no time is kept
    return into.getvalue()


def open_study(content: bytes, *, progress: Progress | None = None) -> Opened:
    """Read the study in a file's bytes.

    Parameters
    ----------
    content : bytes
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Raises
    ------
    SchemaError
        The file is not a study, is from another version, was damaged or changed, or is too large.
    """
    members = _members(content)
    manifest = _loads(members.pop(_MANIFEST, b""), _NO_STUDY)
    if not isinstance(manifest, dict) or "study" not in manifest:
        raise SchemaError(_NO_STUDY)
    _check_version(manifest)
    if manifest.get("members") != _digests(members) or _STUDY not in members:
        raise SchemaError(_DAMAGED)
    tell(progress, 0.2)
    try:
        get = _reader(members, Budget(len(content)))
        study = decode(_loads(members[_STUDY], _DAMAGED), get)
        _check(study, manifest)
        study = replace(study, source=_source(manifest.get("data"), members))
    except (Damaged, TypeError, LookupError, AttributeError, RecursionError):
        raise SchemaError(_DAMAGED) from None
    seal = manifest.pop("seal", "")
    return Opened(study, seal == _seal(manifest))


# --- writing -------------------------------------------------------------------------------------


def _can_be_kept(answer: Kept) -> bool:
    return answer.kind in KINDS and _encodes(answer.settings) and _encodes(answer.result)


def _encodes(value: Any) -> bool:
    try:
        encode(value, lambda _: 0)
    except NotKept:
        return False
    return True


def _json(plain: Any) -> bytes:
    return json.dumps(plain, allow_nan=False, separators=(",", ":")).encode()


def _digests(members: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}


def _seal(manifest: Mapping[str, Any]) -> str:
    """Return the seal under this machine's key, over the manifest and so over every member."""
    told = json.dumps({k: v for k, v in manifest.items() if k != "seal"}, sort_keys=True)
    return keyed(f"study {hashlib.sha256(told.encode()).hexdigest()}")


# --- reading -------------------------------------------------------------------------------------


def _members(content: bytes) -> dict[str, bytes]:
    """Return the members of the zip; compressed members are refused, so sizes are as stated."""
    if len(content) > MAX_BYTES:
        raise SchemaError("The file is larger than any study; open one saved by “Study (zip)”.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            names = [info.filename for info in infos]
            if _MANIFEST not in names:
                raise SchemaError(_NO_STUDY)
            tight = (
                len(infos) <= _MOST_MEMBERS
                and len(set(names)) == len(names)
                and all(map(_known, infos))
                and is_tight(content, infos, zipfile.ZIP_STORED)
            )
            if not tight:
                raise SchemaError(_DAMAGED)
            return {info.filename: archive.read(info) for info in infos}
    except _FAULTS:
        raise SchemaError(
            "The file is not a study, or was cut short; open one saved by “Study (zip)”."
        ) from None


def _known(info: zipfile.ZipInfo) -> bool:
    """Return whether the member is a known one, and within its size limit."""
    most = {_MANIFEST: _MOST_MANIFEST, _STUDY: _MOST_JSON}
    most |= dict.fromkeys(_TABLES.values(), MAX_BYTES)
    known = _ARRAY.fullmatch(info.filename) is not None
    return known or info.file_size <= most.get(info.filename, -1)


def _loads(content: bytes, otherwise: str) -> Any:
    try:
        return json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise SchemaError(otherwise) from None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _check_version(manifest: Mapping[str, Any]) -> None:
    if manifest["study"] != FORMAT or isinstance(manifest["study"], bool):
        raise SchemaError(
            f"The study has format {str(manifest['study'])[:20]}, but this program reads format "
            f"{FORMAT}; use the version of the program that saved it."
        )
    if manifest.get("fpanon") != __version__ or manifest.get("figures") != FIGURES:
        raise SchemaError(
            f"Version {str(manifest.get('fpanon'))[:20]} saved the study, and this version "
            f"({__version__}) may measure differently. Open the study with the version that saved "
            "it, or measure again with its report's recipe."
        )


def _reader(members: Mapping[str, bytes], budget: Budget) -> Callable[[int], Column]:
    """Return a function that takes a number and returns the array of that number, read-only.

    Each array is decoded once, and all together are within the budget.
    """
    total = 0

    @lru_cache(maxsize=None, typed=True)
    def get(number: int) -> Column:
        nonlocal total
        if isinstance(number, bool) or number < 0:
            raise Damaged("a number")
        names, columns = read_parquet(members[f"arrays/{number:05d}.parquet"], budget)
        if names != ("v",) or columns[0].null_count:
            raise Damaged("an array")
        total += columns[0].nbytes
        budget.check_bytes(total)
        array = np.ascontiguousarray(columns[0].to_numpy())
        texts = array.dtype == object and all(isinstance(x, str) for x in array.tolist())
        if not texts and array.dtype.kind not in "biuf":
            raise Damaged("an array")
        array.flags.writeable = False
        return array

    return get


def _check(study: Any, manifest: Mapping[str, Any]) -> None:
    """Check that each answer fits its study, and that the manifest agrees with the study."""
    if not isinstance(study, Study):
        raise Damaged("a study")
    told = [manifest.get("digest"), manifest["fpanon"], manifest["figures"]]
    if repr(told) != repr([study.digest, study.version, study.figures]):  # 6 is not 6.0
        raise Damaged("what the manifest says")
    for each in study.answers:
        if each.kind not in KINDS or not fits(each.result, result_type(each.kind)):
            raise Damaged("an answer")
        if each.digest not in ("", study.digest):
            raise Damaged("other data")
    tables = [each.result for each in study.answers if isinstance(each.result, OptionsTable)]
    if study.weighing is not None:
        tables.append(study.weighing.table)
    for table in tables:
        if table.digest != study.digest:
            raise Damaged("other data")
        check(table)


def _source(data: Any, members: Mapping[str, bytes]) -> Source | None:
    """Return the files of the data, where the study holds them."""
    if _EVENTS not in members:
        return None
    held = {attribute: name for attribute, name in _TABLES.items() if name in members}
    named_by, texts = data[_NAMED_BY], [data["label"], data["note"], *map(data.get, held.values())]
    named = named_by is None or isinstance(named_by, str)
    if not named or not all(isinstance(text, str) for text in texts):
        raise Damaged("a name")
    tables: dict[str, Any] = {at: (data[name], members[name]) for at, name in held.items()}
    return Source(data["label"], **tables, region_name=named_by, note=data["note"])
