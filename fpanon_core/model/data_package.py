"""``datapackage.json`` of a release, to the last byte: every column with its type and unit.

Frictionless Data Package, version 2, and one property of ours. A function of the facts, so that a
verifier can make it again.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .facts import ReleaseFacts
from .release_page import README, projection, title, truth, verdict_text
from .version import __version__

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
    ("start", "datetime", "Start", "", "Of the time window."),
    ("end", "datetime", "End", "", "Of the time window; the moment itself is not included."),
)
_DEGREES = ("lat_min", "lat_max", "lon_min", "lon_max")


def described(facts: ReleaseFacts, data_file: str, size: int, sha256: str) -> bytes:
    """The file's bytes.

    Parameters
    ----------
    facts : ReleaseFacts
    data_file : str
        Name of the data file: ``data.csv`` or ``data.parquet``.
    size : int
        Of the data file, bytes.
    sha256 : str
        Of its bytes, in hexadecimal.
    """
    plain = data_package(facts, data_file, size, sha256)
    return f"{json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)}\n".encode()


def data_package(facts: ReleaseFacts, data_file: str, size: int, sha256: str) -> dict[str, Any]:
    """The descriptor, as plain values."""
    form = data_file.rpartition(".")[2]
    name = re.sub("[^a-z0-9]+", "-", title(facts).lower()).strip("-")[:80].strip("-")
    resource: dict[str, Any] = {
        "name": "data",
        "path": data_file,
        "type": "table",
        "title": "Published samples",
        "description": f"A row for each published sample of each person. {truth(facts)}",
        "format": form,
        "mediatype": _MEDIA_TYPES[form],
        "encoding": "utf-8",
        "bytes": size,
        "hash": f"sha256:{sha256}",
        "schema": {"fields": _fields(facts), "missingValues": [""]},
    }
    verified = {"passed": True, "k": facts.k, "text": verdict_text(facts), "sha256": sha256}
    return {
        "$schema": _SCHEMA,
        "name": name,
        "title": title(facts),
        "description": f"What it is, and what is promised, is in {README}.",
        "resources": [resource],
        "fpanon": {"version": __version__, **facts.to_dict(), "verified": verified},
    }


def columns_of(facts: ReleaseFacts) -> list[str]:
    """The columns of the data file, in their order."""
    left_out = set(() if facts.crs is not None else _DEGREES)
    left_out |= set(() if facts.groups is not None else ("group",))
    return [name for name, *_ in _FIELDS if name not in left_out]


def _fields(facts: ReleaseFacts) -> list[dict[str, str]]:
    there, fields = set(columns_of(facts)), []
    for name, kind, head, unit, meaning in _FIELDS:
        if name not in there:
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
