"""Reading of an operator's GeoJSON: named regions, and background lines for maps.

Each antenna gets the named region that contains it, in a column of the antenna table. This column
is then treated like any other, except that the regions' own outlines are drawn and published. The
user gives a public file of regions, such as districts, so no record affects the regions.

Of background lines, such as roads or a coast, only the shapes are kept, without names and other
properties. The number of vertices is limited, as a map is sent to a browser each time it is drawn.

Source: RFC 7946 (GeoJSON): positions are longitude and latitude, in degrees (WGS 84).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

from ..model.antennas import REGION
from ..model.arrays import FloatArray, IntArray, TextArray
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.geography import Background
from ..tables.json_text import check_degrees
from ..tables.sources import bytes_of
from .hints import Message, Way

MAX_BYTES = 20 << 20
"""Largest size of a file, in bytes."""
MAX_POSITIONS = 1_000_000
"""Largest number of positions in a file, before simplification."""
MAX_VERTICES = 20_000
"""Largest number of vertices of background lines and, roughly, of all outlines of regions."""
_FINEST_DEG = 1e-5
_MOST_LISTED = 12
_AREAS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)
_NAMING = Way("region_name='…'", "--region-name NAME", "the property that names the regions")
_EXPECTED = (
    "Give GeoJSON (a FeatureCollection) of polygons with names, in degrees (WGS 84), longitude "
    "before latitude"
)


def _parsed(body: bytes, damaged: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # cut short, nested without end, a number without end
        raise SchemaError(damaged) from None


@dataclass(frozen=True, eq=False)
class NamedRegions:
    """Named regions in the order of their file.

    Attributes
    ----------
    names : tuple of str
        Names, all different.
    shapes : object ndarray (n_regions,)
        Polygons, degrees.
    notes : tuple of str
        Findings, and what was left out.
    """

    names: tuple[str, ...]
    shapes: npt.NDArray[Any]
    notes: tuple[str, ...]

    def holding(self, lat: FloatArray, lon: FloatArray) -> tuple[IntArray, int]:
        """Return the number of each point's first region, and how many points are in several.

        The number is −1 for a point in no region. A point on a border is in the regions on both
        sides.
        """
        point, region = shapely.STRtree(self.shapes).query(
            shapely.points(lon, lat), predicate="intersects"
        )
        first = np.full(len(lat), len(self.names))
        np.minimum.at(first, point, region)
        several = int((np.bincount(point, minlength=len(lat)) > 1).sum())
        return np.where(first < len(self.names), first, -1), several


@only_ours("file of regions")
def read_regions(source: Any, name: str | None = None) -> NamedRegions:
    """Read named regions from GeoJSON.

    Parameters
    ----------
    source : path, file object or bytes
        A FeatureCollection of Polygons or MultiPolygons, with or without holes. Features of other
        kinds are counted and left out.
    name : str, optional
        Property that names the regions. Features with equal names form one region. If None, it is
        the first property whose values are all different, non-empty texts.

    Raises
    ------
    SchemaError
        The file is too large, damaged, not GeoJSON, not in degrees, or without areas or names.
    ConfigError
        The file has no property ``name``, or the source is of an unsupported type.

    Examples
    --------
    >>> square = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]
    >>> north = {"type": "Feature", "properties": {"district": "North"},
    ...          "geometry": {"type": "Polygon", "coordinates": square}}
    >>> body = json.dumps({"type": "FeatureCollection", "features": [north]}).encode()
    >>> read_regions(body).names
    ('North',)
    """
    areas, properties, n_others = _areas(_features(_content(source)))
    _check_degrees(areas)
    column, texts = _names(properties, name)
    notes = [f"The names of the regions come from {column!r}."]
    if n_others:
        notes.append(f"Features left out because they are not areas: {n_others:,}.")
    broken = ~shapely.is_valid(areas)
    if broken.any():
        areas[broken] = shapely.make_valid(areas[broken], method="structure", keep_collapsed=False)
        notes.append(f"Outlines repaired because they crossed themselves: {int(broken.sum()):,}.")
    names = tuple(dict.fromkeys(texts))
    if len(names) < len(texts):
        numbers = np.array([names.index(text) for text in texts])
        parts = [shapely.union_all(areas[numbers == at]) for at in range(len(names))]
        areas = np.array(parts, object)
        notes.append(
            f"{len(texts):,} areas have {len(names):,} name{'s' * (len(names) > 1)}; areas with "
            "the same name form one region."
        )
    return NamedRegions(names, areas, tuple(notes))


def in_regions(
    lat: FloatArray,
    lon: FloatArray,
    columns: Mapping[str, TextArray],
    regions: NamedRegions,
    notes: list[str],
) -> tuple[dict[str, TextArray], dict[str, str]]:
    """Return the antennas' columns with :data:`REGION` added, and the outlines of their regions.

    Outlines are keyed by name, as hexadecimal WKB in degrees; regions without an antenna have none.
    Antennas outside all regions have an empty text in that column. If an antenna is in several
    regions, the first in the file counts. Findings are added to ``notes``.

    Raises
    ------
    SchemaError
        No antenna is in any region.
    """
    found, several = regions.holding(lat, lon)
    outside, used = int((found < 0).sum()), np.unique(found[found >= 0])
    if not len(used):
        raise SchemaError(_apart(lat, lon, regions))
    empty = len(regions.names) - len(used)
    notes += [
        *regions.notes,
        f"The antennas stand in {len(used):,} of {len(regions.names):,} regions (column "
        f"{REGION!r})." + (f" No antenna is in the other {empty:,}." if empty else ""),
    ]
    if outside:
        notes.append(
            f"{outside:,} of {len(lat):,} antennas stand{'s' * (outside == 1)} in no region."
        )
    if several:
        notes.append(
            f"{several:,} antenna{' is' if several == 1 else 's are'} in several regions, which "
            "overlap or share a border there; the region that comes first in the file counts."
        )
    own = dict(columns)
    if REGION in own:
        own[f"{REGION} (table)"] = own.pop(REGION)
        notes.append(f"The antenna table's own column {REGION!r} is now '{REGION} (table)'.")
    texts: TextArray = np.array([*regions.names, ""], object)[found]
    drawn = shapely.to_wkb(_simpler_areas(regions.shapes[used]), hex=True).tolist()
    outlines = {regions.names[at]: outline for at, outline in zip(used, drawn, strict=True)}
    return {REGION: texts} | own, outlines


# --- the file ------------------------------------------------------------------------------------


def _content(source: Any) -> Any:
    body = source if isinstance(source, bytes) else bytes_of(source)
    if len(body) > MAX_BYTES or body.count(b"[") > MAX_POSITIONS:
        raise SchemaError(
            f"The file of regions is larger than {MAX_BYTES >> 20} MB, or has over "
            f"{MAX_POSITIONS:,} positions. Simplify the outlines, or cut the file to the country."
        )
    damaged = "The file of regions is damaged, cut short, or not JSON."
    return _parsed(body, f"{damaged} {_EXPECTED}.")


def _features(content: Any) -> list[Any]:
    kind = content.get("type") if isinstance(content, dict) else None
    if kind != "FeatureCollection" or not isinstance(content.get("features"), list):
        found = f"of type {kind!r:.40}" if isinstance(kind, str) else "without a type"
        raise SchemaError(
            f"The file of regions is JSON {found}, not a FeatureCollection. {_EXPECTED}."
        )
    check_degrees(content.get("crs"))
    return [each if isinstance(each, dict) else {} for each in content["features"]]


def _areas(features: list[Any]) -> tuple[npt.NDArray[Any], list[dict[str, Any]], int]:
    """Return the polygons and properties of features that are areas, and the number of others."""
    shapes, properties = [], []
    for number, feature in enumerate(features, 1):
        geometry = feature.get("geometry")
        kind = geometry.get("type") if isinstance(geometry, dict) else None
        if kind not in ("Polygon", "MultiPolygon"):
            continue
        shape = shapely.from_geojson(json.dumps(geometry), on_invalid="ignore")
        if shape is None or shape.is_empty or shapely.get_type_id(shape) not in _AREAS:
            raise SchemaError(
                f"Feature {number:,} in the file of regions is not a valid {kind}: its rings need "
                "four or more positions, the last equal to the first (GeoJSON). Export the file "
                "again."
            )
        shapes.append(shapely.force_2d(shape))
        given = feature.get("properties")
        properties.append(given if isinstance(given, dict) else {})
    if not shapes:
        raise SchemaError(
            f"No feature in the file of regions is a polygon (features: {len(features):,}). "
            f"{_EXPECTED}."
        )
    return np.array(shapes, object), properties, len(features) - len(shapes)


def _check_degrees(areas: npt.NDArray[Any]) -> None:
    at = shapely.get_coordinates(areas)
    if np.isfinite(at).all() and (np.abs(at) <= (180.0, 90.0)).all():
        return
    turned = np.isfinite(at).all() and (np.abs(at) <= (90.0, 180.0)).all()
    why = (
        "Latitude seems to come first: exchange the two."
        if turned
        else "Perhaps the file is in metres: save it in degrees (WGS 84)."
    )
    raise SchemaError(
        "A position in the file of regions lies beyond the globe: longitudes come first, from −180 "
        f"to 180, then latitudes, from −90 to 90. {why}"
    )


def _names(properties: list[dict[str, Any]], name: str | None) -> tuple[str, list[str]]:
    """Return the property that names the areas, and its value for each area as text."""
    known = list(dict.fromkeys(key for each in properties for key in each))
    more = ", …" if len(known) > _MOST_LISTED else ""
    listed = (", ".join(map(repr, known[:_MOST_LISTED])) or "none") + more

    def texts_of(key: str, *kinds: type) -> list[str]:
        found = (each.get(key) for each in properties)
        return [str(value).strip() if type(value) in kinds else "" for value in found]

    if name is None:
        for key in known:
            texts = texts_of(key, str)
            if "" not in texts and len(set(texts)) == len(texts):
                return key, texts
        raise SchemaError(
            Message(
                "No property of the regions holds a different text for each region. Properties: "
                f"{listed}. Give {_NAMING}."
            )
        )
    if name not in known:
        raise ConfigError(f"The regions have no property {name!r}; they have: {listed}.")
    plain = texts_of(name, str, int, float)
    if "" in plain:
        raise SchemaError(
            f"{plain.count(''):,} of {len(plain):,} areas lack{'s' * (plain.count('') == 1)} a "
            f"text or number under {name!r}; fill in that property, or name another."
        )
    return name, plain


def _apart(lat: FloatArray, lon: FloatArray, regions: NamedRegions) -> str:
    """Return a sentence on why no antenna is in a region, as far as the positions show."""
    said = f"None of the {len(lat):,} antennas is in a region of the file"
    turned = int((regions.holding(lon, lat)[0] >= 0).sum())
    if turned:
        return (
            f"{said}; with latitude and longitude exchanged, {turned:,} would be. GeoJSON has "
            "the longitude first: exchange the two in the file of regions, or in the antenna table "
            "if the fault is there."
        )
    return f"{said}. Give regions of the country in which the antennas stand, in degrees (WGS 84)."


def _simpler_areas(shapes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Simplify outlines to about :data:`MAX_VERTICES`; common borders stay common."""
    simple, tolerance = shapes, _FINEST_DEG
    while shapely.get_num_coordinates(simple).sum() > MAX_VERTICES and tolerance < 1.0:
        simple = shapely.coverage_simplify(shapes, tolerance)
        tolerance *= 2
    return simple


# --- background lines ----------------------------------------------------------------------------

_MOST_NESTED = 8  # collections within collections
_FINEST = 20_000  # parts of the longer side: no screen shows finer detail
_DEPTH = {"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}
_INSIDE = {"FeatureCollection": "features", "GeometryCollection": "geometries"}
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
            f"The file is larger than {MAX_BYTES >> 20} MB; a background needs far less. Make it "
            "simpler, or cut it to the region."
        )
    if body.count(b"[") > MAX_POSITIONS:
        raise SchemaError(
            f"The file has more than {MAX_POSITIONS:,} positions; make it simpler, or cut it to "
            "the region."
        )
    damaged = "The file is damaged, cut short, or not JSON."
    lines: list[FloatArray] = []
    n_points = 0
    for kind, coordinates in _geometries(_parsed(body, f"{damaged} {_READABLE}."), 0):
        if kind in ("Point", "MultiPoint"):
            n_points += 1
        elif kind in _DEPTH:
            lines += _lines(coordinates, _DEPTH[kind])
        else:
            raise SchemaError(f"The file is not valid GeoJSON. {_READABLE}.")
    if not lines:
        raise SchemaError(f"The file has no line or area to draw. {_READABLE}.")
    kept = _simpler_lines(lines)
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


def _geometries(part: Any, nested: int) -> Iterator[tuple[str, Any]]:
    """Yield the kind and the coordinates of each shape in any GeoJSON object."""
    wrong = SchemaError(f"The file is JSON, but not valid GeoJSON. {_READABLE}.")
    if not isinstance(part, dict) or nested > _MOST_NESTED:
        raise wrong
    check_degrees(part.get("crs"))
    kind = str(part.get("type"))
    if kind == "Feature":
        place = part.get("geometry")  # a feature may have none
        several: Any = [] if place is None else [place]
    elif kind in _INSIDE:
        several = part.get(_INSIDE[kind])
    else:
        yield kind, part.get("coordinates")
        return
    if not isinstance(several, list):
        raise wrong
    for each in several:
        yield from _geometries(each, nested + 1)


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
            "latitudes from −90 to 90. Perhaps the file is in metres; save it in degrees (WGS 84)."
        )
    return line


def _simpler_lines(lines: list[FloatArray]) -> list[FloatArray]:
    """Simplify the lines to at most :data:`MAX_VERTICES`; the shortest are dropped first."""
    long_enough = [line for line in lines if len(line) > 1]
    if not long_enough:
        return []
    number = np.repeat(np.arange(len(long_enough)), [len(line) for line in long_enough])
    all_of_them = np.concatenate(long_enough)
    drawn = shapely.linestrings(all_of_them, indices=number)
    length = shapely.length(drawn)
    drawn, length = drawn[length > 0], length[length > 0]
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
