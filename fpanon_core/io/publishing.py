"""A release as it leaves: a folder or a zip that its reader understands without us.

``data.csv`` or ``data.parquet``, a row for each published sample of each person; ``README.md``, the
one page; ``datapackage.json``, every column with its type and unit (Frictionless Data Package,
version 2). Nothing in it tells when or where it was made.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import pandas as pd

from ..model.errors import ConfigError
from ..model.facts import ReleaseFacts, Verdict
from ..model.version import __version__
from ..tables.whole import told_plainly, whole_file
from ..tables.writing import table_bytes, write_bytes, write_json, write_table
from .release_page import projection, readme, title, truth

Format = Literal["csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
README, DATA_PACKAGE = "README.md", "datapackage.json"

_SCHEMA = "https://datapackage.org/profiles/2.0/datapackage.json"
_MEDIA_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
_FIELDS: tuple[tuple[str, str, str, str, str], ...] = (
    ("pseudonym", "string", "Pseudonym", "", "Of the person, at random, in this release alone."),
    ("group", "integer", "Group", "", "People of one group have the same rows; a random number."),
    ("x_min_m", "number", "Western bound", "m", "Of the rectangle, on the projection."),
    ("x_max_m", "number", "Eastern bound", "m", "Of the rectangle, on the projection."),
    ("y_min_m", "number", "Southern bound", "m", "Of the rectangle, on the projection."),
    ("y_max_m", "number", "Northern bound", "m", "Of the rectangle, on the projection."),
    ("lat_min", "number", "Southernmost latitude", "degree", "Of the rectangle, WGS 84."),
    ("lat_max", "number", "Northernmost latitude", "degree", "Of the rectangle, WGS 84."),
    ("lon_min", "number", "Westernmost longitude", "degree", "Of the rectangle, WGS 84."),
    ("lon_max", "number", "Easternmost longitude", "degree", "Of the rectangle, WGS 84."),
    ("start", "datetime", "Start", "", "From when on, at some time, the person was there."),
    ("end", "datetime", "End", "", "Until when; the moment itself is not included."),
)  # fmt: skip
_DEGREES = ("lat_min", "lat_max", "lon_min", "lon_max")
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # of a zip's members: the earliest there is
_BLOCK = 1 << 20


def data_file(form: Format) -> str:
    """Name of the data file."""
    return f"data.{form}"


def check_target(path: str | os.PathLike[str]) -> Path:
    """Where a release may be written to: a ``.zip``, or a folder that is new or empty.

    Raises
    ------
    ConfigError
        It is neither, or cannot be made.
    """
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise ConfigError("The folder that the release is to be in does not exist; make it first.")
    if target.suffix.lower() == ".zip":
        if target.is_dir():
            raise ConfigError("The name of the release's zip is that of a folder; choose another.")
        return target
    if re.fullmatch(r"\.[A-Za-z]\w*", target.suffix):  # but for versions, such as release-1.2
        raise ConfigError(
            f"A release is a folder or a .zip, and this name ends in {target.suffix!r}; end it in "
            ".zip, or give the name of a folder."
        )
    if target.exists() and not target.is_dir():
        raise ConfigError("The release's folder is the name of a file; choose another name.")
    if target.is_dir() and any(target.iterdir()):
        raise ConfigError(
            "The release's folder is not empty, and what is in it might be taken for the release; "
            "give the name of a new one."
        )
    return target


def check_beside(path: str | os.PathLike[str], release: Path, what: str) -> Path:
    """Where what is not for release may be written to: a new ``.csv`` outside the release.

    Raises
    ------
    ConfigError
        It is inside the release, exists already, or cannot be made.
    """
    file, whole = Path(path), release.resolve()
    if file.resolve() == whole or whole in file.resolve().parents:
        raise ConfigError(f"{what} is not for release; give it a place outside the release.")
    if file.suffix.lower() != ".csv":
        raise ConfigError(f"{what} is a table; end its name in .csv.")
    if not file.absolute().parent.is_dir():
        raise ConfigError(
            f"The folder that {what[0].lower()}{what[1:]} is to be in does not exist."
        )
    if file.exists():
        raise ConfigError(
            f"{what} would replace a file that is there, perhaps of another release; choose "
            "another name."
        )
    return file


# --- the members ---------------------------------------------------------------------------------


def write_data(
    pieces: Iterable[pd.DataFrame], folder: Path, form: Format, *, projected: bool
) -> Path:
    """Write the data file; columns of degrees only where there is a projection."""
    if form not in FORMATS:
        raise ConfigError(f"The data's format is {form!r}; it must be csv or parquet.")
    target = folder / data_file(form)
    write_table((p if projected else p.drop(columns=list(_DEGREES)) for p in pieces), target)
    return target


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    found = hashlib.sha256()
    with path.open("rb") as content:
        while block := content.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def describe(facts: ReleaseFacts, verdict: Verdict, data: Path) -> None:
    """Write the page and the data package beside the data file."""
    sha256 = sha256_of(data)
    page = readme(facts, verdict, data.name, sha256)
    write_bytes(page.encode(), data.parent / README)
    write_json(data_package(facts, verdict, data, sha256), data.parent / DATA_PACKAGE)


def data_package(facts: ReleaseFacts, verdict: Verdict, data: Path, sha256: str) -> dict[str, Any]:
    """The descriptor, as plain values: Frictionless Data Package 2, and one property of ours."""
    form = data.suffix.removeprefix(".")
    name = re.sub("[^a-z0-9]+", "-", title(facts).lower()).strip("-")[:80].strip("-")
    resource: dict[str, Any] = {
        "name": "data",
        "path": data.name,
        "type": "table",
        "title": "Published samples",
        "description": f"A row for each published sample of each person. {truth(facts)}",
        "format": form,
        "mediatype": _MEDIA_TYPES[form],
        "encoding": "utf-8",
        "bytes": data.stat().st_size,
        "hash": f"sha256:{sha256}",
        "schema": {"fields": _fields(facts), "missingValues": [""]},
    }
    return {
        "$schema": _SCHEMA,
        "name": name,
        "title": title(facts),
        "description": f"What it is, and what is promised, is in {README}.",
        "resources": [resource],
        "fpanon": _ours(facts, verdict, sha256),
    }


def _fields(facts: ReleaseFacts) -> list[dict[str, str]]:
    left_out = set(() if facts.crs is not None else _DEGREES)
    left_out |= set(() if facts.groups is not None else ("group",))
    fields = []
    for name, kind, head, unit, meaning in _FIELDS:
        if name in left_out:
            continue
        if name == "pseudonym" and facts.period_days is not None:
            meaning = "Of the person in one period, at random, in this release alone."
        if kind == "datetime":
            if facts.timezone is None:
                kind, unit = "number", "min since midnight of the first day"
            else:
                meaning = f"{meaning} Local time of {facts.timezone} with its offset from UTC."
        elif name.endswith("_m"):
            words = projection(facts.crs)
            meaning = f"{meaning} {words[0].upper()}{words[1:]}."
        entry = {"name": name, "type": kind, "title": head, "description": meaning}
        fields.append(entry | ({"unit": unit} if unit else {}))
    return fields


def _ours(facts: ReleaseFacts, verdict: Verdict, sha256: str) -> dict[str, Any]:
    accuracy = facts.accuracy
    cut = {} if facts.period_days is None else {
        name: getattr(facts, name) for name in ("period_days", "periods", "pseudonyms")
    }  # fmt: skip
    return {
        "version": __version__,
        "steps": facts.option.to_dict()["steps"],
        "option": facts.option.text,
        "k": facts.k,
        "suppress_space_m": facts.suppress_space_m,
        "suppress_time_min": facts.suppress_time_min,
        "leftover": facts.leftover,
        "crs": facts.crs,
        "timezone": facts.timezone,
        "epoch": facts.epoch,
        "granularity_m": facts.granularity_m,
        "granularity_min": facts.granularity_min,
        "first_day": facts.first_day,
        "last_day": facts.last_day,
        "people": facts.people,
        "groups": facts.groups,
        "rows": facts.rows,
        "samples_left_out": facts.samples_left_out,
        "samples_in": facts.samples_in,
        "people_left_out": facts.people_left_out,
        "people_alone": facts.people_alone,
        "last_window_days": None
        if facts.last_window_days is None
        else list(facts.last_window_days),
        "phantom_share": facts.phantom_share,
        "accuracy": None if accuracy is None else dict(vars(accuracy)),
        **cut,
        "verified": {
            "passed": verdict.passed,
            "k": verdict.k,
            "text": verdict.text,
            "sha256": sha256,
        },
    }


# --- folder and zip ------------------------------------------------------------------------------


def put(folder: Path, target: Path) -> None:
    """Bring a release that is whole to its place, as a folder or as a zip, for its owner alone.

    Raises
    ------
    ConfigError
        The place cannot be written to, or the disk is full.
    """
    if target.suffix.lower() == ".zip":
        with whole_file(target) as into:
            write_zip(folder, into)
        return
    with told_plainly():
        if target.is_dir():
            target.rmdir()  # empty, or it is refused
        os.rename(folder, target)


def write_zip(folder: Path, into: BinaryIO) -> None:
    """Zip the members, at the top level, without the time of writing."""
    members = sorted(folder.iterdir(), key=lambda member: (member.name != README, member.name))
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for member in members:
            entry = zipfile.ZipInfo(member.name, _NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            entry.file_size = member.stat().st_size
            with archive.open(entry, "w") as packed, member.open("rb") as content:
                shutil.copyfileobj(content, packed, _BLOCK)


def write_secret(table: pd.DataFrame, path: Path) -> None:
    """Write what is not for release to a new file that nobody else may read."""
    write_bytes(secret_bytes(table), path, new=True)


def secret_bytes(table: pd.DataFrame) -> bytes:
    """A table that is not for release, as CSV."""
    return table_bytes([table], ".csv")
