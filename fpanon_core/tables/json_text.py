"""JSON that is a table: an array of records, one record a line, or GeoJSON points.

Other JSON is refused by its name. It is parsed as text and as nothing else (:mod:`json`); numbers,
texts and truth values become fields, what is nested within a record is no field that can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..model.budgets import MAX_COLUMNS, Budget
from ..model.errors import SchemaError
from .table import SourceTable

MAX_JSON_BYTES = 256 << 20
"""JSON is read no larger than this: parsed, it takes ten times the room."""
_BEGINS = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"\]0-9-])')
_READABLE = (
    "To be read: an array of records, one record a line, or GeoJSON with points; or save it as CSV"
)


def is_json(data: bytes) -> bool:
    """Whether text, of any encoding, begins as JSON does that holds more than one bare value."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe").replace(b"\0", b"")
    return _BEGINS.match(head) is not None


def read_json(
    data: bytes, as_column: Callable[[pd.Series], pa.ChunkedArray], budget: Budget
) -> SourceTable:
    """The table in the bytes of UTF-8 JSON.

    Parameters
    ----------
    as_column : callable
        Makes a typed column, or one of text, of values of any kind.
    budget : Budget

    Raises
    ------
    SchemaError
        Too large, damaged, or no table.
    """
    if len(data) > MAX_JSON_BYTES:
        raise SchemaError(
            f"The file is JSON of more than {MAX_JSON_BYTES >> 20} MB; save it as CSV or Parquet."
        )
    budget.check_cells(sum(data.count(mark) for mark in (b",", b"[", b"{")))
    lines = _lines(data)
    if lines is not None:
        return _table_of_lines(lines, as_column, budget)
    whole = _parsed(data)
    if isinstance(whole, dict) and whole.get("type") == "FeatureCollection":
        return _table_of_features(whole, as_column, budget)
    if isinstance(whole, list) and any(isinstance(each, dict) for each in whole):
        if all(isinstance(each, dict) and each.get("type") == "Feature" for each in whole):
            return _table_of_features({"features": whole}, as_column, budget)
        return _table(whole, "JSON", as_column, budget)
    raise _no_table()


def _no_table() -> SchemaError:
    return SchemaError(f"The file is JSON, but not a table. {_READABLE}.")


def _parsed(text: bytes | str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # cut short, nested without end, a number without end
        raise SchemaError(
            f"The file looks like JSON, but is damaged or cut short. {_READABLE}."
        ) from None


# --- one record a line ---------------------------------------------------------------------------


def _lines(data: bytes) -> list[tuple[int, bytes]] | None:
    """Numbered lines if the first is a record of its own; None if it all is one document."""
    if not data.lstrip().startswith(b"{"):
        return None
    lines = [(i, line) for i, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    try:
        first = json.loads(lines[0][1])
    except (ValueError, RecursionError):
        return None
    if not isinstance(first, dict) or first.get("type") == "FeatureCollection":
        return None
    if len(lines) == 1 and first.get("type") != "Feature" and _is_nested(first):
        return None
    return lines


def _is_nested(record: dict[str, Any]) -> bool:
    return any(isinstance(value, (dict, list)) for value in record.values())


def _table_of_lines(
    lines: list[tuple[int, bytes]],
    as_column: Callable[[pd.Series], pa.ChunkedArray],
    budget: Budget,
) -> SourceTable:
    records: list[Any] = []
    for _, line in lines:
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError):
            records.append(None)
    numbers = np.array([number for number, _ in lines], np.int64)
    if all(r is None or (isinstance(r, dict) and r.get("type") == "Feature") for r in records):
        return _table_of_features(
            {"features": records}, as_column, budget, "GeoJSON lines", numbers
        )
    return _table(records, "JSON lines", as_column, budget, numbers)


# --- GeoJSON -------------------------------------------------------------------------------------


def _table_of_features(
    collection: dict[str, Any],
    as_column: Callable[[pd.Series], pa.ChunkedArray],
    budget: Budget,
    kind: str = "GeoJSON",
    numbers: Any = None,
) -> SourceTable:
    """Properties as columns; longitude and latitude from the points (RFC 7946: in that order)."""
    check_degrees(collection.get("crs"))
    features = collection.get("features")
    if not isinstance(features, list) or not features:
        raise SchemaError("The file is GeoJSON without features; give one point per event.")
    records = [_flat(feature) for feature in features]
    if not any(record and record["lat"] is not None for record in records):
        raise SchemaError(
            "The file is GeoJSON, but holds no points; give one feature with a point per event."
        )
    return _table(records, kind, as_column, budget, numbers)


def check_degrees(crs: Any) -> None:
    """Refuse what an old file says to be in metres; without a word it is degrees."""
    if crs is not None and not re.search(r"CRS84|EPSG:+4326", json.dumps(crs)[:1000]):
        raise SchemaError(
            "The file is GeoJSON on another map projection; save it in degrees (WGS 84)."
        )


def _flat(feature: Any) -> dict[str, Any] | None:
    if not isinstance(feature, dict):
        return None
    geometry, properties = feature.get("geometry"), feature.get("properties")
    lon = lat = None
    if isinstance(geometry, dict) and geometry.get("type") == "Point":
        at = geometry.get("coordinates")
        if isinstance(at, list) and len(at) >= 2:
            lon, lat = at[:2]
    record = dict(properties) if isinstance(properties, dict) else {}
    taken = {name: f"{name} (property)" for name in ("lon", "lat") if name in record}
    return {taken.get(name, name): value for name, value in record.items()} | {
        "lon": lon,
        "lat": lat,
    }


# --- records -------------------------------------------------------------------------------------


def _fields(record: dict[str, Any]) -> dict[str, Any]:
    """What can be a field; text that no file can hold, half a character, is made one that can."""
    return {
        _text(name): _text(value) if isinstance(value, str) else value
        for name, value in record.items()
        if not isinstance(value, (dict, list))
    }


def _text(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _table(
    records: list[Any],
    kind: str,
    as_column: Callable[[pd.Series], pa.ChunkedArray],
    budget: Budget,
    numbers: Any = None,
) -> SourceTable:
    """Columns by the records' names, in the order in which they first appear."""
    good = [_fields(r) for r in records if isinstance(r, dict)]
    names = dict.fromkeys(name for r in good for name in r)
    if not names:
        raise _no_table()
    if len(names) > MAX_COLUMNS:
        raise SchemaError(
            f"The file is JSON whose records have more than {MAX_COLUMNS:,} different names; that "
            f"is no table of events. {_READABLE}."
        )
    # Records need not have all the names, nor any: fields are what is filled in, too.
    budget.check_cells(len(names) * len(good))
    columns = [as_column(pd.Series([r.get(name) for r in good], dtype=object)) for name in names]
    malformed = [i for i, r in enumerate(records) if not isinstance(r, dict)]
    return SourceTable(
        tuple(str(name).strip() or f"column {i + 1}" for i, name in enumerate(names)),
        tuple(columns),
        kind,
        malformed=np.array(malformed, np.int64),
        numbers=numbers,
    )
