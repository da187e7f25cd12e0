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
from typing import BinaryIO, Literal, get_args

import pandas as pd

from ..model.errors import ConfigError
from ..model.facts import ReleaseFacts
from ..model.release_page import README, described, readme
from ..tables.whole import told_plainly, whole_file
from ..tables.writing import table_bytes, write_bytes, write_table

Format = Literal["csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
DATA_PACKAGE = "datapackage.json"

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


def describe(facts: ReleaseFacts, data: Path) -> None:
    """Write the page and the data package beside the data file."""
    sha256 = sha256_of(data)
    write_bytes(readme(facts, data.name, sha256).encode(), data.parent / README)
    package = described(facts, data.name, data.stat().st_size, sha256)
    write_bytes(package, data.parent / DATA_PACKAGE)


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
