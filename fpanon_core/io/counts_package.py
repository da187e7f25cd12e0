"""Counts as they leave: one zip that its reader understands without us.

In it: ``counts.csv`` (or Parquet), ``places.csv``, ``datapackage.json`` (Frictionless Data Package)
and a README of one page. No path, no id and no digest of the input is in any of them, and nothing
that the frame, the settings and the published counts do not say already: the number of people and
of what was left out are exact figures, and would undo suppression and noise.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pandas as pd

from ..model.version import __version__
from ..tables.writing import table_bytes

_SCHEMA = "https://datapackage.org/profiles/2.0/datapackage.json"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # of every member: when it was packed is nobody's business
_MEDIA = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


@dataclass(frozen=True, eq=False)
class PackedTable:
    """A table of the package.

    Attributes
    ----------
    name : str
        Of the file, without ending.
    title : str
    frame : DataFrame
    fields : sequence of mapping
        ``name``, ``type``, ``title``, ``description`` and ``unit`` of each column.
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
    """The zip; equal content gives equal bytes.

    Parameters
    ----------
    tables : sequence of PackedTable
        The data first.
    name, title : str
    readme : sequence of str
        Paragraphs in Markdown; what is in the files is added.
    about : mapping
        What machines are to know, under "fpanon" in ``datapackage.json``.
    ending : {"csv", "parquet"}
        Of the data.
    more : mapping of str to bytes
        Further files by name.
    """
    members: dict[str, bytes] = dict(more)
    resources = []
    for nth, table in enumerate(tables):
        form = "csv" if nth and table.name == "places" else ending
        file = f"{table.name}.{form}"
        members[file] = table_bytes([table.frame], file)
        resources.append(
            {
                "name": table.name,
                "title": table.title,
                "path": file,
                "format": form,
                "mediatype": _MEDIA[form],
                "encoding": "utf-8",
                "bytes": len(members[file]),
                "hash": "sha256:" + hashlib.sha256(members[file]).hexdigest(),
                "schema": {"fields": [dict(field) for field in table.fields]},
            }
        )
    described = {
        "$schema": _SCHEMA,
        "name": name,
        "title": title,
        "resources": resources,
        "fpanon": {"version": __version__, **about},
    }
    text = json.dumps(described, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    members["datapackage.json"] = text.encode()
    members["README.md"] = _readme(title, readme, tables, resources).encode()
    return _zipped(members)


def _readme(
    title: str,
    paragraphs: Sequence[str],
    tables: Sequence[PackedTable],
    resources: Sequence[Mapping[str, Any]],
) -> str:
    parts = [f"# {title}", *paragraphs, "## Files"]
    for table, resource in zip(tables, resources, strict=True):
        columns = "\n".join(
            f"- `{field['name']}`: {field['description']}" for field in table.fields
        )
        parts.append(
            f"`{resource['path']}`: {table.title} ({len(table.frame):,} rows; "
            f"{resource['hash'].replace(':', ' ')})\n\n{columns}"
        )
    parts.append(f"Made with fpanon {__version__}. `datapackage.json` says the same to machines.")
    return "\n\n".join(parts) + "\n"


def _zipped(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for name in ("README.md", "datapackage.json", *members):
            if name not in into.namelist():
                entry = zipfile.ZipInfo(name, _LONG_AGO)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o600 << 16
                into.writestr(entry, members[name])
    return packed.getvalue()
