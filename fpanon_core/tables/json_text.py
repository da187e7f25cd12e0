"""JSON tables: an array of records, one record per line, or GeoJSON points.

Other JSON is refused. JSON is parsed by :mod:`json`, which makes only plain values. Numbers, texts
and truth values become fields; nested values within a record are not read.
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
"""Largest size of a JSON file that is read, bytes; parsed JSON takes over ten times its size."""
_BEGINS = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"\]0-9-])')
_READABLE = (
    "fpanon reads an array of records, one record per line, or GeoJSON with points; otherwise, "
    "save the file as CSV"
)


def is_json(data: bytes) -> bool:
    """Return whether text, in any encoding, begins like a JSON object or array."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe").replace(b"\0", b"")
    return _BEGINS.match(head) is not None


def read_json(
    data: bytes, as_column: Callable[[pd.Series], pa.ChunkedArray], budget: Budget
) -> SourceTable:
    """Return the table in the bytes of UTF-8 JSON.

    Parameters
    ----------
    as_column : callable
        Function that makes a typed column, or a text column, from values of any kind.
    budget : Budget

    Raises
    ------
    SchemaError
        The JSON is too large, damaged, not a table, or not in degrees (WGS 84).
    """
    if len(data) > MAX_JSON_BYTES:
        raise SchemaError(
            f"The file is JSON of more than {MAX_JSON_BYTES >> 20} MB; save it as CSV or Parquet."
        )
    budget.check_cells(sum(data.count(mark) for mark in (b",", b"[", b"{")))
    numbers, kind = None, ""
    if (lines := _lines(data)) is not None:
        numbers, kind = np.array([number for number, _ in lines], np.int64), " lines"
        records = [parsed(line) for _, line in lines]
        features = all(each is None or _is(each, "Feature") for each in records)
    elif (whole := parsed(data)) is None:
        raise SchemaError(f"The file looks like JSON, but is damaged or cut short. {_READABLE}.")
    elif features := _is(whole, "FeatureCollection"):
        check_degrees(whole.get("crs"))
        records = whole.get("features")
    elif isinstance(whole, list) and any(isinstance(each, dict) for each in whole):
        records, features = whole, all(_is(each, "Feature") for each in whole)
    else:
        raise _no_table()
    if features:
        records = _flattened(records)
    name = ("GeoJSON" if features else "JSON") + kind
    return _table(records, name, as_column, budget, numbers)


def check_degrees(crs: Any) -> None:
    """Refuse positions in a stated coordinate system other than degrees (WGS 84).

    Old files may state a system. If a file states no system, its positions are in degrees.

    Raises
    ------
    SchemaError
        ``crs``, the stated system, is neither None nor WGS 84.
    """
    if crs is not None and not re.search(r"CRS84|EPSG:+4326", json.dumps(crs)[:1000]):
        raise SchemaError(
            "The file is GeoJSON in another map projection; save it in degrees (WGS 84)."
        )


def _no_table() -> SchemaError:
    return SchemaError(f"The file is JSON, but not a table. {_READABLE}.")


def parsed(text: bytes) -> Any:
    """Return the value that a JSON text holds; None if the text is damaged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # cut short, nested too deeply, or with too long a number
        return None


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind


def _lines(data: bytes) -> list[tuple[int, bytes]] | None:
    """Return numbered lines if the first line is a record by itself; None for a single document."""
    if not data.lstrip().startswith(b"{"):
        return None
    lines = [(i, line) for i, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    first = parsed(lines[0][1])
    if not isinstance(first, dict) or _is(first, "FeatureCollection"):
        return None
    nested = any(isinstance(value, (dict, list)) for value in first.values())
    return None if len(lines) == 1 and nested and not _is(first, "Feature") else lines


def _flattened(features: Any) -> list[dict[str, Any] | None]:
    """Return the properties of the points, with ``lon`` and ``lat`` from their coordinates."""
    if not isinstance(features, list) or not features:
        raise SchemaError("The file is GeoJSON without features; give one point per event.")
    records = [_flat(feature) for feature in features]
    if not any(record and record["lat"] is not None for record in records):
        raise SchemaError(
            "The file is GeoJSON, but holds no points; give one feature with a point per event."
        )
    return records


def _flat(feature: Any) -> dict[str, Any] | None:
    if not isinstance(feature, dict):
        return None
    geometry, properties = feature.get("geometry"), feature.get("properties")
    at = geometry.get("coordinates") if geometry and _is(geometry, "Point") else None
    lon, lat = at[:2] if isinstance(at, list) and len(at) >= 2 else (None, None)
    record = properties if isinstance(properties, dict) else {}
    own = {f"{n} (property)" if n in ("lon", "lat") else n: v for n, v in record.items()}
    return own | {"lon": lon, "lat": lat}


def _text(text: str) -> str:
    """Return the text with lone surrogates, which no UTF-8 file can hold, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _table(
    records: list[Any],
    kind: str,
    as_column: Callable[[pd.Series], pa.ChunkedArray],
    budget: Budget,
    numbers: Any,
) -> SourceTable:
    """Return a table with the records' field names as columns, in the order of first appearance."""
    good = [
        {
            _text(name): _text(value) if isinstance(value, str) else value
            for name, value in record.items()
            if not isinstance(value, (dict, list))
        }
        for record in records
        if isinstance(record, dict)
    ]
    names = dict.fromkeys(name for record in good for name in record)
    if not names:
        raise _no_table()
    if len(names) > MAX_COLUMNS:
        raise SchemaError(
            f"The file is JSON whose records have more than {MAX_COLUMNS:,} different field names; "
            f"that is not a table of events. {_READABLE}."
        )
    # Records may lack names, even all of them: fields that are filled in count, too.
    budget.check_cells(len(names) * len(good))
    columns = [as_column(pd.Series([r.get(name) for r in good], dtype=object)) for name in names]
    malformed = [i for i, record in enumerate(records) if not isinstance(record, dict)]
    return SourceTable(
        tuple(str(name).strip() or f"column {i + 1}" for i, name in enumerate(names)),
        tuple(columns),
        kind,
        malformed=np.array(malformed, np.int64),
        numbers=numbers,
    )
