"""Which coasts, lakes, borders and towns lie around the data? From the shipped outlines alone.

Public geography (Natural Earth, see ``basemap/README.md``), clipped to a box of longitudes and
latitudes so that little is sent to the browser. Boxes may reach beyond ±180°.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import shapely

from fpanon_core.model import geography

_ROUGH_FROM_DEGREES = 30.0  # no eye sees the fine coast at this scale
Path2D = list[tuple[float, float]]


@dataclass(frozen=True)
class Box:
    """West, south, east, north, in degrees."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        """From west to east, degrees."""
        return self.east - self.west

    @property
    def height(self) -> float:
        """From south to north, degrees."""
        return self.north - self.south

    def grown(self, share: float) -> Box:
        """Wider by ``share`` of the larger side all around, within the map projection's reach."""
        by = share * max(self.width, self.height)
        return Box(
            self.west - by,
            max(self.south - by, -85.0),
            self.east + by,
            min(self.north + by, 85.0),
        )

    def with_(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box(
            min(self.west, other.west),
            min(self.south, other.south),
            max(self.east, other.east),
            max(self.north, other.north),
        )

    @property
    def ring(self) -> Path2D:
        """The corners, closed."""
        w, s, e, n = self.west, self.south, self.east, self.north
        return [(w, s), (e, s), (e, n), (w, n), (w, s)]


@dataclass(frozen=True)
class Outlines:
    """What lies in a box: rings of land and lakes, lines of coast and borders, towns."""

    land: list[Path2D]
    lakes: list[Path2D]
    coast: list[Path2D]
    borders: list[Path2D]
    places: list[tuple[str, float, float]]


@lru_cache(maxsize=32)
def outlines(box: Box, max_places: int = 12) -> Outlines:
    """The outlines within a box, simplified to what a screen can show."""
    tolerance = max(box.width, box.height) / 3000
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
        places=_places(box, max_places),
    )


def _land(area: Any, coast: Any, rough: Any) -> Any:
    """The box cut along the fine coast; a piece is land if the rough land covers most of it.

    An island too small for the rough land is the inside of a closed coastline and touches no side
    of the box.
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
    lines = shapely.linestrings(np.concatenate(near), indices=number)
    clipped = shapely.clip_by_rect(lines, box.west, box.south, box.east, box.north)
    return shapely.get_parts(clipped[~shapely.is_empty(clipped)])


def _polygons(layer: str, box: Box) -> Any:
    rings = [r for r in _near(layer, box) if len(r) >= 4]
    return shapely.make_valid(np.array([shapely.Polygon(r) for r in rings], dtype=object))


def _near(layer: str, box: Box) -> list[np.ndarray]:
    """The layer's lines whose bounds meet the box, each turned by ±360° where that brings it in."""
    points, offsets, low, high = _layer(layer)
    found = []
    for turn in (-360.0, 0.0, 360.0):
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


def _places(box: Box, at_most: int) -> list[tuple[str, float, float]]:
    data = geography.outlines()
    found = []
    for turn in (-360.0, 0.0, 360.0):
        lon, lat = data["place_lonlat"].T + np.array([[turn], [0.0]])
        inside = (lon > box.west) & (lon < box.east) & (lat > box.south) & (lat < box.north)
        found += [
            (int(data["place_rank"][i]), str(data["place_name"][i]), float(lon[i]), float(lat[i]))
            for i in np.flatnonzero(inside)
        ]
    return [(name, lon, lat) for _, name, lon, lat in sorted(found)[:at_most]]


@lru_cache(maxsize=8)
def _layer(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A layer's points in degrees, its offsets, and the bounds of each of its lines."""
    points, offsets = geography.lines_of(name)
    low = np.minimum.reduceat(points, offsets[:-1])
    high = np.maximum.reduceat(points, offsets[:-1])
    return points, offsets, low, high
