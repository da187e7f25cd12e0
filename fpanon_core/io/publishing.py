"""Writing of releases and counts as a folder or a zip, and reading of a release.

A release holds ``data.csv`` or ``data.parquet``, with a row for each published sample of each
person. It also holds ``README.md``, which is one page. ``datapackage.json`` describes every column
with its type and unit (Frictionless Data Package, version 2). Recipients do not need fpanon.
Nothing in a release says when or where it was made.

Counts are one zip of ``counts.csv`` (or Parquet), ``places.csv`` and the same two documents. The
zip contains no path, no id and no digest of the input. It states only the frame, the settings and
the published counts. The numbers of people and of records left out are not stated, because exact
figures would undo suppression and noise.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, BinaryIO, Literal, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv, parquet

from ..model.budgets import Budget, check_columns
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.facts import ReleaseFacts
from ..model.published import CELL_COLUMNS
from ..model.release_page import MEDIA_TYPES, README, SCHEMA, described, readme
from ..model.version import __version__
from ..tables.parquet import read_parquet, refusing
from ..tables.sources import bytes_of, gunzipped
from ..tables.writing import table_bytes, told_plainly, whole_file, write_bytes, write_table

Format = Literal["csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
DATA_PACKAGE = "datapackage.json"

_NO_TIME = (1980, 1, 1, 0, 0, 0)  # of a zip's members: the earliest possible
_BLOCK = 1 << 20


def data_file(form: Format) -> str:
    """Return the name of a release's data file in this format."""
    return f"data.{form}"


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the path for writing a release: a ``.zip``, or a folder that is new or empty.

    Raises
    ------
    ConfigError
        The path is neither a ``.zip`` nor such a folder, or cannot be made.
    """
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise ConfigError("The folder that the release is to be in does not exist; make it first.")
    if target.suffix.lower() == ".zip":
        if target.is_dir():
            raise ConfigError("The release's zip has the name of a folder; choose another name.")
        return target
    if re.fullmatch(r"\.[A-Za-z]\w*", target.suffix):  # not a version, as in release-1.2
        raise ConfigError(
            f"A release is a folder or a .zip, and this name ends in {target.suffix!r}; end it in "
            ".zip, or give the name of a folder."
        )
    if target.exists() and not target.is_dir():
        raise ConfigError(
            "The release's folder has the name of an existing file; choose another name."
        )
    if target.is_dir() and any(target.iterdir()):
        raise ConfigError(
            "The release's folder is not empty, and its content might be taken for the release; "
            "give the name of a new folder."
        )
    return target


def check_beside(path: str | os.PathLike[str], release: Path, what: str) -> Path:
    """Return the path for a file that is not for release: a new ``.csv`` outside the release.

    ``what`` names the file in messages.

    Raises
    ------
    ConfigError
        The path is inside the release, is not a ``.csv``, exists already, or cannot be made.
    """
    file, whole = Path(path), release.resolve()
    if file.resolve() == whole or whole in file.resolve().parents:
        raise ConfigError(f"{what} is not for release; give it a place outside the release.")
    if file.suffix.lower() != ".csv":
        raise ConfigError(f"{what} is a table; end its name in .csv.")
    if not file.absolute().parent.is_dir():
        raise ConfigError(
            f"The folder that {what[0].lower()}{what[1:]} is to be in does not exist; "
            "make it first."
        )
    if file.exists():
        raise ConfigError(
            f"{what} would replace an existing file, perhaps that of another release; choose "
            "another name."
        )
    return file


# --- the members ---------------------------------------------------------------------------------


def write_data(
    pieces: Iterable[pd.DataFrame], folder: Path, form: Format, *, projected: bool
) -> Path:
    """Write the data file into a folder, and return its path.

    The file has columns of degrees only if there is a projection.

    Raises
    ------
    ConfigError
        ``form`` is not a format, or the file cannot be written.
    """
    if form not in FORMATS:
        raise ConfigError(f"The data's format is {form!r}; it must be csv or parquet.")
    target = folder / data_file(form)
    degrees = [] if projected else list(CELL_COLUMNS[4:8])
    write_table((piece.drop(columns=degrees) for piece in pieces), target)
    return target


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def describe(facts: ReleaseFacts, data: Path) -> None:
    """Write README.md and datapackage.json next to the data file."""
    sha256 = sha256_of(data)
    write_bytes(readme(facts, data.name, sha256).encode(), data.parent / README)
    package = described(facts, data.name, data.stat().st_size, sha256)
    write_bytes(package, data.parent / DATA_PACKAGE)


# --- folder and zip ------------------------------------------------------------------------------


def put(folder: Path, target: Path) -> None:
    """Move a complete release to its place, as a folder or as a zip, readable by its owner alone.

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
    """Write the folder's files to a zip, at the top level, without the time of writing."""
    members = sorted(folder.iterdir(), key=lambda member: (member.name != README, member.name))
    with _archive(into) as archive:
        for member in members:
            with member.open("rb") as content:
                _add(archive, member.name, content, member.stat().st_size)


def _archive(into: IO[bytes]) -> zipfile.ZipFile:
    return zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED, compresslevel=6)


def _add(archive: zipfile.ZipFile, name: str, content: IO[bytes], size: int) -> None:
    entry = zipfile.ZipInfo(name, _NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = 3, 0o600 << 16
    entry.file_size = size
    with archive.open(entry, "w") as packed:
        shutil.copyfileobj(content, packed, _BLOCK)


def secret_bytes(table: pd.DataFrame) -> bytes:
    """Return a table that is not for release, as CSV."""
    return table_bytes([table], ".csv")


# --- tables, synthetic people --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PackedTable:
    """Table in a package of tables or synthetic people.

    Attributes
    ----------
    name : str
        Name of the file, without its ending.
    title : str
    frame : DataFrame
    fields : sequence of mapping
        ``name``, ``type``, ``title`` and ``description`` of each column, and any ``unit``.
    """

    name: str
    title: str
    frame: pd.DataFrame
    fields: Sequence[Mapping[str, str]]


def package_bytes(
    tables: Sequence[PackedTable],
    *,
    name: str,
    title: str,
    readme: Sequence[str],
    about: Mapping[str, Any],
    ending: str = "csv",
    more: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    """Return the bytes of a zip of tables and their description; equal input gives equal bytes.

    Parameters
    ----------
    tables : sequence of PackedTable
        Tables, the data first.
    name, title : str
    readme : sequence of str
        Paragraphs in Markdown; a list of the files is appended.
    about : mapping
        Machine-readable facts, under "fpanon" in ``datapackage.json``.
    ending : {"csv", "parquet"}
        Format of the tables; the table of places is always CSV.
    more : mapping of str to bytes
        Additional files by name.
    """
    members: dict[str, bytes] = dict(more)
    resources: list[dict[str, Any]] = []
    for table in tables:
        form = "csv" if table.name == "places" else ending
        file = f"{table.name}.{form}"
        members[file] = table_bytes([table.frame], file)
        resources.append(
            {
                "name": table.name,
                "title": table.title,
                "path": file,
                "format": form,
                "mediatype": MEDIA_TYPES[form],
                "encoding": "utf-8",
                "bytes": len(members[file]),
                "hash": "sha256:" + hashlib.sha256(members[file]).hexdigest(),
                "schema": {"fields": [dict(field) for field in table.fields]},
            }
        )
    plain = {
        "$schema": SCHEMA,
        "name": name,
        "title": title,
        "resources": resources,
        "fpanon": {"version": __version__, **about},
    }
    page = _readme(title, readme, tables, resources).encode()
    package = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    packed = io.BytesIO()
    with _archive(packed) as archive:
        for file, body in {README: page, DATA_PACKAGE: package.encode(), **members}.items():
            _add(archive, file, io.BytesIO(body), len(body))
    return packed.getvalue()


def _readme(
    title: str,
    paragraphs: Sequence[str],
    tables: Sequence[PackedTable],
    resources: Sequence[Mapping[str, Any]],
) -> str:
    parts = [f"# {title}", *paragraphs, "## Files"]
    for table, resource in zip(tables, resources, strict=True):
        columns = "\n".join(f"- `{each['name']}`: {each['description']}" for each in table.fields)
        parts.append(
            f"`{resource['path']}`: {table.title} ({len(table.frame):,} rows; "
            f"{resource['hash'].replace(':', ' ')})\n\n{columns}"
        )
    parts.append(f"Made with fpanon {__version__}. `datapackage.json` says the same for programs.")
    return "\n\n".join(parts) + "\n"


# --- reading a release: its data file as a table.

_DAMAGED = "The file is damaged or of another kind; give the data file of a release."
_PIECE_ROWS, _PIECE_BYTES = 250_000, 32 << 20
_TEXT = ("pseudonym", "start", "end")
_NEEDED = tuple(name for name in CELL_COLUMNS if name[:4] not in ("lat_", "lon_"))
_POSSIBLE = ("pseudonym", "group", *CELL_COLUMNS)


@only_ours("release")
def read_published(path: str | os.PathLike[str] | BinaryIO) -> pd.DataFrame:
    """Read the data file of a release, with the columns of :meth:`GloveResult.to_frame`.

    Parameters
    ----------
    path : path or open file
        ``data.csv`` or ``data.parquet`` of a release.

    Returns
    -------
    DataFrame
        ``pseudonym``, ``group`` if there are groups, and bounds in metres; with a projection, also
        bounds in degrees. ``start`` and ``end`` are in UTC, or in minutes if there is no clock.

    Raises
    ------
    SchemaError
        The file is missing or damaged, or is not the data file of a release.
    """
    return _as_published(_read(path))


def published_pieces(path: Path) -> Iterator[pd.DataFrame]:
    """Yield the content of a trusted data file in pieces, in the form of :func:`read_published`.

    A piece has a few hundred thousand rows.

    Raises
    ------
    SchemaError
        The file is damaged, or is not the data file of a release.
    """
    with refusing(_DAMAGED), pa.memory_map(str(path)) as source:
        if path.suffix == ".parquet":
            batches = parquet.ParquetFile(source).iter_batches(_PIECE_ROWS)
        else:
            kinds = dict.fromkeys(_TEXT, pa.string()) | {"group": pa.int64()}
            kinds |= dict.fromkeys(CELL_COLUMNS[:-2], pa.float64())
            options = csv.ConvertOptions(column_types=kinds)
            blocks = csv.ReadOptions(block_size=_PIECE_BYTES)
            batches = csv.open_csv(source, blocks, convert_options=options)
        for batch in batches:
            yield _as_published(pa.Table.from_batches([batch]))


def _as_published(table: pa.Table) -> pd.DataFrame:
    names = table.column_names
    missing = [name for name in ("pseudonym", *_NEEDED) if name not in names]
    if missing:
        raise SchemaError(
            f"Missing columns: {', '.join(missing)}. Give the data file of a release."
        )
    there = [name for name in _POSSIBLE if name in names]
    if any(names.count(name) > 1 for name in there):
        raise SchemaError(
            "A column occurs twice in the file; give the data file of a release as it was written."
        )
    wrong = "A bound, group or time in the file is not valid; give the data file of a release."
    with refusing(wrong):
        return pd.DataFrame({name: _values(name, table[name]) for name in there})


def _values(name: str, column: pa.ChunkedArray) -> Any:
    """Convert a column to the type that its name requires."""
    if name == "pseudonym":
        return column.cast(pa.string()).to_pandas().astype(str)
    if name in ("start", "end"):
        return _times(column)
    if pa.types.is_boolean(column.type):
        raise ValueError(name)
    values = column.to_pandas()
    return values.astype(np.int64 if name == "group" else np.float64)


def _times(column: pa.ChunkedArray) -> Any:
    """Return a column's times as instants in UTC, or as minutes if they are numbers."""
    if pa.types.is_timestamp(column.type):
        if column.type.tz is None:
            raise ValueError("a time without its zone")
        return column.cast(pa.timestamp("us", "UTC")).to_pandas()  # an instant, whatever its zone
    values = column.to_pandas()
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.isna().any():
        return pd.to_datetime(values, utc=True, format="ISO8601").dt.as_unit("us")
    return numbers.astype(np.float64)


def _read(path: str | os.PathLike[str] | BinaryIO) -> pa.Table:
    if isinstance(path, (str, os.PathLike)) and not Path(path).is_file():
        raise SchemaError("The file of the release does not exist; check its name.")
    data = bytes_of(path)
    budget = Budget(len(data))
    if data[:4] == b"PAR1":
        names, columns = read_parquet(data, budget)
        return pa.table(list(columns), names=list(names))
    data = gunzipped(data, budget)
    with refusing(_DAMAGED):
        head = data.split(b"\n", 1)[0].decode("utf-8")
        check_columns(head.count(",") + 1)
        # As text: what was written as text must not become something else.
        options = csv.ConvertOptions(column_types=dict.fromkeys(_TEXT, pa.string()))
        return csv.read_csv(pa.BufferReader(data), convert_options=options)
