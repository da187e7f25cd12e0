"""Background of the maps: public geography, degrees, a scale bar, and lines from a file.

The geography is public (Natural Earth, see ``basemap/README.md``). It is clipped to a box of
longitudes and latitudes, so that little is sent to the browser. Boxes may reach beyond ±180°.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pydeck as pdk
import shapely

from fpanon_core.model import geography
from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.projection import Extent

from .style import Colour, Theme

_ROUGH_FROM_DEGREES = 30.0  # no eye sees the fine coast at this scale
_OF_A_SCREEN = 3_000
_MOST_PLACES = 12  # towns
_MOST_VERTICES = 8_000  # of lines from a file: some 150 kB
_TURNS = (-360.0, 0.0, 360.0)
_KM_PER_DEGREE = 111.195
PIXELS = pdk.types.String("pixels")
Path2D = list[tuple[float, float]]


class Box(Extent):
    """A box, given by its west, south, east and north edges, in degrees."""

    @property
    def width(self) -> float:
        """Return the width from west to east, degrees."""
        return self.east - self.west

    @property
    def height(self) -> float:
        """Return the height from south to north, degrees."""
        return self.north - self.south

    def grown(self, share: float) -> Box:
        """Return the box enlarged in each direction by ``share`` of its longer side.

        Latitudes stay within ±85°, the range that the map projection can show.
        """
        by = share * max(self.width, self.height)
        return Box(
            self.west - by, max(self.south - by, -85.0), self.east + by, min(self.north + by, 85.0)
        )

    def with_(self, other: Box) -> Box:
        """Return the smallest box that holds both boxes."""
        return Box(
            min(self.west, other.west),
            min(self.south, other.south),
            max(self.east, other.east),
            max(self.north, other.north),
        )

    @property
    def ring(self) -> Path2D:
        """Return the corners as a closed ring."""
        w, s, e, n = self.west, self.south, self.east, self.north
        return [(w, s), (e, s), (e, n), (w, n), (w, s)]


@dataclass(frozen=True)
class Outlines:
    """Geography in a box: rings of land and lakes, lines of coast and borders, towns."""

    land: list[Path2D]
    lakes: list[Path2D]
    coast: list[Path2D]
    borders: list[Path2D]
    places: list[tuple[str, float, float]]


@lru_cache(maxsize=32)
def outlines(box: Box) -> Outlines:
    """Return the outlines within a box, simplified to what a screen can show."""
    tolerance = max(box.width, box.height) / _OF_A_SCREEN
    area = shapely.box(box.west, box.south, box.east, box.north)
    if max(box.width, box.height) > _ROUGH_FROM_DEGREES:
        land = shapely.intersection(_polygons("land", box), area)
        coast = shapely.boundary(land)
    else:
        coast = _clipped_lines("coastline", box)
        land = _land(area, coast, _polygons("land", box))
    lakes = shapely.intersection(_polygons("lakes", box), area)
    return Outlines(
        land=_rings(land, tolerance),
        lakes=_rings(lakes, tolerance),
        coast=_paths(coast, tolerance),
        borders=_paths(_clipped_lines("borders", box), tolerance),
        places=_places(box),
    )


def _land(area: Any, coast: Any, rough: Any) -> Any:
    """Cut the box along the fine coast; a piece is land if the rough land covers most of it.

    A piece that touches no side of the box is land, too: it lies within a closed coastline, as a
    small island does.
    """
    edges = shapely.union_all([*coast, area.exterior])
    pieces = shapely.get_parts(shapely.polygonize([edges]))
    rough = shapely.union_all(rough)
    covered = shapely.area(shapely.intersection(pieces, rough)) > 0.5 * shapely.area(pieces)
    inside = ~shapely.intersects(pieces, area.exterior)
    return pieces[covered | inside]


def _clipped_lines(layer: str, box: Box) -> Any:
    near = _near(layer, box)
    if not near:
        return np.empty(0, dtype=object)
    number = np.repeat(np.arange(len(near)), [len(line) for line in near])
    return _within(shapely.linestrings(np.concatenate(near), indices=number), box)


def _within(lines: Any, box: Box) -> Any:
    parts = shapely.clip_by_rect(lines, box.west, box.south, box.east, box.north)
    return shapely.get_parts(parts[~shapely.is_empty(parts)])


def _polygons(layer: str, box: Box) -> Any:
    rings = [r for r in _near(layer, box) if len(r) >= 4]
    return shapely.make_valid(np.array([shapely.Polygon(r) for r in rings], dtype=object))


def _near(layer: str, box: Box) -> list[np.ndarray]:
    """Return the layer's lines whose bounds meet the box, each shifted by ±360° if need be."""
    points, offsets, low, high = _layer(layer)
    found = []
    for turn in _TURNS:
        meets = (low[:, 0] + turn <= box.east) & (high[:, 0] + turn >= box.west)
        meets &= (low[:, 1] <= box.north) & (high[:, 1] >= box.south)
        found += [
            points[offsets[i] : offsets[i + 1]] + np.array([turn, 0.0])
            for i in np.flatnonzero(meets)
        ]
    return found


def _rings(polygons: Any, tolerance: float) -> list[Path2D]:
    parts = [p for p in shapely.get_parts(polygons) if p.geom_type.endswith("Polygon")]
    simple = shapely.simplify(shapely.get_parts(parts), tolerance) if parts else []
    return [_rounded(p.exterior.coords) for p in simple if not p.is_empty]


def _paths(lines: Any, tolerance: float) -> list[Path2D]:
    simple = shapely.simplify(shapely.get_parts(lines), tolerance)
    return [_rounded(line.coords) for line in simple if not line.is_empty]


def _rounded(coordinates: Any) -> Path2D:
    return [(round(x, 4), round(y, 4)) for x, y in coordinates]


def _places(box: Box) -> list[tuple[str, float, float]]:
    data = geography.outlines()
    found = []
    for turn in _TURNS:
        lon, lat = data["place_lonlat"].T + np.array([[turn], [0.0]])
        inside = (lon > box.west) & (lon < box.east) & (lat > box.south) & (lat < box.north)
        found += [
            (int(data["place_rank"][i]), str(data["place_name"][i]), float(lon[i]), float(lat[i]))
            for i in np.flatnonzero(inside)
        ]
    return [(name, lon, lat) for _, name, lon, lat in sorted(found)[:_MOST_PLACES]]


@lru_cache(maxsize=8)
def _layer(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a layer's points in degrees, its offsets, and the bounds of each of its lines."""
    points, offsets = geography.lines_of(name)
    low = np.minimum.reduceat(points, offsets[:-1])
    high = np.maximum.reduceat(points, offsets[:-1])
    return points, offsets, low, high


def under(seen: Box, around: Box, of: Theme) -> tuple[list[pdk.Layer], list[pdk.Layer]]:
    """Return the layers under the data, bottom first, and the layers above, which stay readable.

    Parameters
    ----------
    seen : Box
        The part shown at first, where the degrees and the scale bar are drawn.
    around : Box
        Extent of the ground.
    """
    found = outlines(around)
    grid, labels = _graticule(seen, around)
    bar, bar_label = _scale_bar(seen)
    coast, towns = [*of.coast, 255], [{"p": [x, y], "t": name} for name, x, y in found.places]
    below = [
        _filled("water", [around.ring], of.water),
        _filled("land", found.land, of.land),
        _filled("lakes", found.lakes, of.water),
        lines("graticule", grid, [*of.coast, 90], 1),
        lines("coast", found.coast, coast, 1),
        lines("borders", found.borders, coast, 1.5),
    ]
    above = [
        lines("scale-bar", bar, [*of.ink, 255], 3),
        texts("degrees", labels, of, 12),
        texts("scale-text", [bar_label], of, 13, anchor="start", offset=(0, -12)),
        texts("towns", towns, of, 14, offset=(0, -14)),
    ]
    return below, above


def _graticule(box: Box, around: Box) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return meridians and parallels at round degrees, labelled along the upper and left edges."""
    # Labels are some 70 pixels wide; the map is at least 330 pixels wide.
    step = _round_down(max(box.width, box.height) / 1.8, (1, 2, 5))
    decimals = max(0, -math.floor(math.log10(step)))
    lines: list[Any] = []
    labels: list[dict[str, Any]] = []
    for lon in np.arange(math.ceil(around.west / step), around.east / step) * step:
        lines.append([[_short(lon), around.south], [_short(lon), around.north]])
        if box.west + 0.15 * box.width <= lon <= box.east - 0.06 * box.width:
            value = (lon + 180) % 360 - 180
            text = f"{abs(value):.{decimals}f}° {'E' if value >= 0 else 'W'}"
            labels.append({"p": [_short(lon), _short(box.north - 0.03 * box.height)], "t": text})
    for lat in np.arange(math.ceil(around.south / step), around.north / step) * step:
        lines.append([[around.west, _short(lat)], [around.east, _short(lat)]])
        if box.south + 0.05 * box.height <= lat <= box.north - 0.08 * box.height:
            text = f"{abs(lat):.{decimals}f}° {'N' if lat >= 0 else 'S'}"
            labels.append({"p": [_short(box.west + 0.08 * box.width), _short(lat)], "t": text})
    return lines, labels


def _scale_bar(box: Box) -> tuple[list[Any], dict[str, Any]]:
    """Return a scale bar, which is true at its own latitude, and its label.

    The bar has a round length, and lies at the lower right of the picture.
    """
    lat = box.south + 0.04 * box.height
    east = box.east - 0.05 * box.width
    km_per_degree = _KM_PER_DEGREE * math.cos(math.radians(lat))
    length = _round_down(box.width * km_per_degree / 4, (1, 2, 5))
    west = east - length / km_per_degree
    text = f"{length:g} km" if length >= 1 else f"{length * 1000:g} m"
    return [[[west, lat], [east, lat]]], {"p": [west, lat], "t": text}


def _round_down(value: float, steps: tuple[int, ...]) -> float:
    unit = 10.0 ** math.floor(math.log10(value))
    return max(s for s in steps if s * unit <= value) * unit


def _short(degrees: float) -> float:
    return round(float(degrees), 5)


def clipped(background: geography.Background, box: Box) -> list[Path2D]:
    """Return a background's lines in a box, simplified to what a screen can show.

    If all lines together have too many corners for a page, they are simplified further, and short
    ones are dropped.
    """
    number = np.repeat(np.arange(background.n_lines), np.diff(background.offsets))
    found: list[Path2D] = []
    for turn in _TURNS:
        if background.lon.max() + turn < box.west or background.lon.min() + turn > box.east:
            continue
        whole = shapely.linestrings(
            np.column_stack([background.lon + turn, background.lat]), indices=number
        )
        parts = _within(whole, box)
        tolerance = max(box.width, box.height) / _OF_A_SCREEN
        simple = shapely.simplify(parts, tolerance)
        while shapely.get_num_coordinates(simple).sum() > _MOST_VERTICES:
            tolerance *= 2
            parts = parts[shapely.length(parts) > tolerance]
            simple = shapely.simplify(parts, tolerance)
        found += [[(round(x, 5), round(y, 5)) for x, y in line.coords] for line in simple]
    return found


# --- layers --------------------------------------------------------------------------------------


def _filled(name: str, rings: list[Any], colour: Colour) -> pdk.Layer:
    data = [{"g": ring} for ring in rings]
    return pdk.Layer(
        "SolidPolygonLayer", id=name, data=data, get_polygon="g", get_fill_color=list(colour)
    )


def lines(name: str, paths: list[Any], colour: list[int], width: float) -> pdk.Layer:
    """Return a layer of lines; ``width`` in pixels."""
    return pdk.Layer(
        "PathLayer",
        id=name,
        data=[{"g": path} for path in paths],
        get_path="g",
        get_color=colour,
        get_width=width,
        width_units=PIXELS,
    )


def texts(
    name: str,
    words: list[dict[str, Any]],
    of: Theme,
    size: int,
    *,
    anchor: str = "middle",
    offset: tuple[int, int] = (0, 0),
    inverted: bool = False,
) -> pdk.Layer:
    """Return a layer of labels, each on a plain rectangle, readable on any background.

    Parameters
    ----------
    words : list of dict
        Position ``p`` and text ``t`` of each label.
    inverted : bool
        Whether the colours of text and rectangle are exchanged.
    """
    ink, paper = (of.paper, of.ink) if inverted else (of.ink, of.paper)
    return pdk.Layer(
        "TextLayer",
        id=name,
        data=words,
        get_position="p",
        get_text="t",
        get_color=list(ink),
        background=True,
        get_background_color=[*paper, 200],
        background_padding=[3, 1],
        get_size=size,
        get_text_anchor=pdk.types.String(anchor),
        get_pixel_offset=list(offset),
        character_set=pdk.types.String("auto"),
        font_family=pdk.types.String("Source Sans, Segoe UI, Helvetica, Arial, sans-serif"),
    )


def dots(name: str, data: list[dict[str, Any]], colour: Any, radius: Any, **more: Any) -> pdk.Layer:
    """Return a layer of discs; radius in pixels.

    Parameters
    ----------
    data : list of dict
        Position ``p`` and tooltip ``tip`` of each disc.
    colour, radius
        One value for all discs, or the key under which each has its own.
    """
    return pdk.Layer(
        "ScatterplotLayer",
        id=name,
        data=data,
        get_position="p",
        get_fill_color=colour,
        get_radius=radius,
        radius_units=PIXELS,
        **{"pickable": True} | more,
    )


def discs(
    name: str, places: FloatArray, colour: Colour, radius: float, tip: str = "", opacity: int = 230
) -> pdk.Layer:
    """Return equal discs at places (longitude, latitude); ``tip`` is the text of their tooltip."""
    data = [{"p": place} | ({"tip": tip} if tip else {}) for place in np.round(places, 5).tolist()]
    return dots(name, data, [*colour, opacity], radius, pickable=bool(tip))


def areas(name: str, data: list[dict[str, Any]], fill: Any, line: Any, width: Any) -> pdk.Layer:
    """Return a layer of polygons in the order given, the first at the bottom.

    Parameters
    ----------
    data : list of dict
        Outline ``g`` and tooltip ``tip`` of each polygon.
    fill, line, width
        One value for all polygons, or an expression of other keys in ``data``, such as
        ``"[c[0], c[1], c[2], o]"``.
    """
    return pdk.Layer(
        "PolygonLayer",
        id=name,
        data=data,
        get_polygon="g",
        get_fill_color=fill,
        get_line_color=line,
        line_width_units=PIXELS,
        get_line_width=width,
        filled=True,
        stroked=True,
        pickable=True,
    )


def rectangle(bounds: Iterable[float]) -> list[list[float]]:
    """Return the outline of an area, given its west, south, east and north."""
    west, south, east, north = map(_short, bounds)
    return [[west, south], [east, south], [east, north], [west, north]]


def sizes(bounds: FloatArray) -> FloatArray:
    """Return the sizes of areas in square degrees, so that large areas can be drawn first."""
    found: FloatArray = np.prod(bounds[:, 2:] - bounds[:, :2], axis=1)
    return found


def rgb(colour: str) -> list[int]:
    """Return red, green and blue of a colour such as ``"#0072B2"``."""
    return list(bytes.fromhex(colour[1:]))
