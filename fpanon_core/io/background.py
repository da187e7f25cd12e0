"""Reading of an operator's background lines for maps, such as roads or a coast, from GeoJSON.

Only the shapes are kept, without names and other properties. The number of vertices is limited, as
a map is sent to a browser each time it is drawn.

Source: RFC 7946 (GeoJSON): positions are longitude and latitude, in degrees.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely

from ..model.arrays import FloatArray
from ..model.errors import SchemaError, only_ours
from ..model.geography import Background
from ..tables.json_text import check_degrees

MAX_BYTES = 20 << 20
"""Largest size of the file, bytes."""
MAX_POSITIONS = 1_000_000
"""Largest number of positions in the file, before simplification."""
MAX_VERTICES = 20_000
"""Largest number of vertices that are kept."""
_MOST_NESTED = 8  # collections within collections
_FINEST = 20_000  # of the longer side: no screen shows less
_DEPTH = {"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}
_READABLE = "Give GeoJSON with lines or areas, in degrees (WGS 84)"


@only_ours("GeoJSON file")
def read_background(body: bytes) -> Background:
    """Return the lines, and the outlines of areas, from the bytes of a GeoJSON file.

    Raises
    ------
    SchemaError
        The file is too large, damaged, not GeoJSON, not in degrees, or without a line or area.

    Examples
    --------
    >>> road = b'{"type": "LineString", "coordinates": [[2.1, 41.3], [2.2, 41.4]]}'
    >>> read_background(road).n_lines
    1
    """
    if len(body) > MAX_BYTES:
        raise SchemaError(
            f"The file has more than {MAX_BYTES >> 20} MB; a background needs far less. Make it "
            "simpler, or cut it to the region."
        )
    if body.count(b"[") > MAX_POSITIONS:
        raise SchemaError(
            f"The file has more than {MAX_POSITIONS:,} positions; make it simpler, or cut it to "
            "the region."
        )
    lines: list[FloatArray] = []
    n_points = 0
    for kind, coordinates in _geometries(_parsed(body), 0):
        if kind in ("Point", "MultiPoint"):
            n_points += 1
        elif kind in _DEPTH:
            lines += _lines(coordinates, _DEPTH[kind])
        else:
            raise SchemaError(f"The file is not valid GeoJSON. {_READABLE}.")
    if not lines:
        raise SchemaError(f"The file has no line and no area to be drawn. {_READABLE}.")
    kept = _simpler(lines)
    if not kept:
        raise SchemaError("All lines of the file are single points; there is nothing to draw.")
    return Background(
        lon=np.concatenate([line[:, 0] for line in kept]),
        lat=np.concatenate([line[:, 1] for line in kept]),
        offsets=np.concatenate([[0], np.cumsum([len(line) for line in kept])]).astype(np.int64),
        n_read=sum(map(len, lines)),
        n_points=n_points,
        n_small=len(lines) - len(kept),
    )


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # cut short, nested without end, a number without end
        raise SchemaError(f"The file is damaged, cut short, or not JSON. {_READABLE}.") from None


def _geometries(part: Any, nested: int) -> Iterator[tuple[str, Any]]:
    """Yield the kind and the coordinates of each shape in any GeoJSON object."""
    if not isinstance(part, dict) or nested > _MOST_NESTED:
        raise SchemaError(f"The file is JSON, but not valid GeoJSON. {_READABLE}.")
    check_degrees(part.get("crs"))
    kind = part.get("type")
    inside = {"FeatureCollection": "features", "GeometryCollection": "geometries"}
    if kind == "Feature":
        if part.get("geometry") is not None:  # a feature may have no place
            yield from _geometries(part["geometry"], nested + 1)
    elif isinstance(kind, str) and kind in inside:
        several = part.get(inside[kind])
        if not isinstance(several, list):
            raise SchemaError(f"The file is JSON, but not valid GeoJSON. {_READABLE}.")
        for each in several:
            yield from _geometries(each, nested + 1)
    else:
        yield str(kind), part.get("coordinates")


def _lines(coordinates: Any, depth: int) -> list[FloatArray]:
    """Return the lines of a shape whose coordinates are nested to this depth."""
    if not isinstance(coordinates, list):
        raise SchemaError(f"A shape in the file has no coordinates. {_READABLE}.")
    if depth:
        return [line for each in coordinates for line in _lines(each, depth - 1)]
    return [_line(coordinates)] if coordinates else []


def _line(coordinates: list[Any]) -> FloatArray:
    pairs = [each[:2] if isinstance(each, list) else each for each in coordinates]
    try:
        positions = np.asarray(pairs)  # some may have a height, which is left out
    except ValueError:
        positions = np.empty(0, object)
    if positions.dtype.kind not in "iuf" or positions.ndim != 2 or positions.shape[1] < 2:
        raise SchemaError(
            f"A line in the file is not made of pairs of longitude and latitude. {_READABLE}."
        )
    line: FloatArray = positions.astype(np.float64)
    if not np.isfinite(line).all() or (np.abs(line) > (360.0, 90.0)).any():
        raise SchemaError(
            "A position in the file lies beyond the globe: longitudes go from −180 to 180, "
            "latitudes from −90 to 90. Perhaps it is in metres; save it in degrees (WGS 84)."
        )
    return line


def _simpler(lines: list[FloatArray]) -> list[FloatArray]:
    """Simplify the lines to at most :data:`MAX_VERTICES`; the shortest are dropped first."""
    long_enough = [line for line in lines if len(line) > 1]
    if not long_enough:
        return []
    number = np.repeat(np.arange(len(long_enough)), [len(line) for line in long_enough])
    all_of_them = np.concatenate(long_enough)
    drawn = shapely.linestrings(all_of_them, indices=number)
    length = shapely.length(drawn)
    drawn = drawn[length > 0]
    length = length[length > 0]
    tolerance = float(np.ptp(all_of_them, axis=0).max()) / _FINEST
    while len(drawn):
        simple = shapely.simplify(drawn, tolerance, preserve_topology=False)
        if shapely.get_num_coordinates(simple).sum() <= MAX_VERTICES:
            parts, whose = shapely.get_coordinates(simple, return_index=True)
            return np.split(parts, np.flatnonzero(np.diff(whose)) + 1)
        tolerance *= 2
        much = length > tolerance  # shorter than what may be left out of a line
        drawn, length = drawn[much], length[much]
    return []
