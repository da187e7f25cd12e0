"""Named regions from GeoJSON, such as districts, and the region of each antenna.

Each antenna gets the region that contains it, in a column of the antenna table. This column is then
treated like any other, except that the regions' own outlines are drawn and published. The user
states a public file of regions, so no record affects the regions.

Source: RFC 7946 (GeoJSON): positions are longitude and latitude, in degrees (WGS 84).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

from ..model.antennas import REGION
from ..model.arrays import FloatArray, IntArray, TextArray
from ..model.errors import ConfigError, SchemaError, only_ours
from ..tables.json_text import check_degrees
from ..tables.sources import bytes_of
from .background import MAX_BYTES, MAX_POSITIONS
from .hints import Message, Way

MAX_VERTICES = 20_000
"""Approximate largest number of vertices of all outlines together, as drawn and published."""
_FINEST_DEG = 1e-5
_MOST_LISTED = 12
_AREAS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)
_NAMING = Way("region_name='…'", "--region-name NAME", "the property that names the regions")
_EXPECTED = (
    "Give GeoJSON (a FeatureCollection) of polygons with names, in degrees (WGS 84), longitude "
    "before latitude"
)


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
        Property that names the regions. Features with equal names are one region. If not given: the
        first property whose values are all different, non-empty texts.

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
    notes = [f"The regions are named by {column!r}."]
    if n_others:
        notes.append(f"Features of the regions' file left out, as they are no areas: {n_others:,}.")
    broken = ~shapely.is_valid(areas)
    if broken.any():
        areas[broken] = shapely.make_valid(areas[broken], method="structure", keep_collapsed=False)
        notes.append(f"Outlines mended, as they cross themselves: {int(broken.sum()):,}.")
    names = tuple(dict.fromkeys(texts))
    if len(names) < len(texts):
        numbers = np.array([names.index(text) for text in texts])
        parts = [shapely.union_all(areas[numbers == at]) for at in range(len(names))]
        areas = np.array(parts, object)
        notes.append(f"{len(texts):,} areas have {len(names):,} names; equal names are one region.")
    return NamedRegions(names, areas, tuple(notes))


def in_regions(
    lat: FloatArray,
    lon: FloatArray,
    columns: Mapping[str, TextArray],
    regions: NamedRegions,
    notes: list[str],
) -> tuple[dict[str, TextArray], dict[str, str]]:
    """Return the antennas' columns with :data:`REGION` added, and the outlines of their regions.

    Outlines are by name, as hexadecimal WKB in degrees; regions without an antenna have none.
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
            "overlap or share a border there; the one that comes first in the file counts."
        )
    own = dict(columns)
    if REGION in own:
        own[f"{REGION} (table)"] = own.pop(REGION)
        notes.append(f"The antenna table's own column {REGION!r} is now '{REGION} (table)'.")
    texts: TextArray = np.array([*regions.names, ""], object)[found]
    drawn = shapely.to_wkb(_simpler(regions.shapes[used]), hex=True).tolist()
    outlines = {regions.names[at]: outline for at, outline in zip(used, drawn, strict=True)}
    return {REGION: texts} | own, outlines


# --- the file ------------------------------------------------------------------------------------


def _content(source: Any) -> Any:
    body = source if isinstance(source, bytes) else bytes_of(source)
    if len(body) > MAX_BYTES or body.count(b"[") > MAX_POSITIONS:
        raise SchemaError(
            f"The file of regions has more than {MAX_BYTES >> 20} MB or {MAX_POSITIONS:,} "
            "positions. Simplify the outlines, or cut the file to the country."
        )
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # cut short, nested without end
        raise SchemaError(
            f"The file of regions is damaged, cut short, or not JSON. {_EXPECTED}."
        ) from None


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
                f"Feature {number:,} of the regions' file is not a valid {kind} in GeoJSON: rings "
                "of four or more positions, the last equal to the first. Export the file again."
            )
        shapes.append(shapely.force_2d(shape))
        given = feature.get("properties")
        properties.append(given if isinstance(given, dict) else {})
    if not shapes:
        raise SchemaError(
            f"The file of regions has {len(features):,} features and no polygon among them. "
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
        else "Perhaps it is in metres: save it in degrees (WGS 84)."
    )
    raise SchemaError(
        "A position in the file of regions lies beyond the globe: longitudes come first, from −180 "
        f"to 180, then latitudes, from −90 to 90. {why}"
    )


def _names(properties: list[dict[str, Any]], name: str | None) -> tuple[str, list[str]]:
    """Return the property that names the areas, and the names, made of its texts or numbers."""
    known = list(dict.fromkeys(key for each in properties for key in each))
    more = ", …" if len(known) > _MOST_LISTED else ""
    listed = (", ".join(map(repr, known[:_MOST_LISTED])) or "none") + more
    if name is None:
        for key in known:
            texts = [each.get(key) for each in properties]
            if all(isinstance(text, str) and text.strip() for text in texts):
                stripped = [str(text).strip() for text in texts]
                if len(set(stripped)) == len(stripped):
                    return key, stripped
        raise SchemaError(
            Message(
                "No property of the regions is a text that is present and different for every "
                f"region. Properties: {listed}. Give {_NAMING}."
            )
        )
    if name not in known:
        raise ConfigError(f"The regions have no property {name!r}; they have: {listed}.")
    given = [each.get(name) for each in properties]
    plain = [str(v).strip() if type(v) in (str, int, float) else "" for v in given]
    if "" in plain:
        raise SchemaError(
            f"{plain.count(''):,} of {len(plain):,} areas have no text or number as {name!r}; fill "
            "it in, or name another property."
        )
    return name, plain


def _apart(lat: FloatArray, lon: FloatArray, regions: NamedRegions) -> str:
    """Return a sentence on why no antenna is in a region, as far as the positions show."""
    said = f"None of the {len(lat):,} antennas is in any of the {len(regions.names):,} regions"
    turned = int((regions.holding(lon, lat)[0] >= 0).sum())
    if turned:
        return (
            f"{said}; with latitude and longitude exchanged {turned:,} are. GeoJSON has the "
            "longitude first: exchange the two in the file of regions, or in the antenna table if "
            "it has them wrong."
        )
    return f"{said}. Give regions of the country in which the antennas stand, in degrees (WGS 84)."


def _simpler(shapes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Simplify outlines to about :data:`MAX_VERTICES`; common borders stay common."""
    simple, tolerance = shapes, _FINEST_DEG
    while shapely.get_num_coordinates(simple).sum() > MAX_VERTICES and tolerance < 1.0:
        simple = shapely.coverage_simplify(shapes, tolerance)
        tolerance *= 2
    return simple
