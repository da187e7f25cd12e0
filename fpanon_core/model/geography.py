"""Land, coasts and towns, from the outlines that are shipped with the program; map backgrounds.

The outlines are public geography (Natural Earth, see ``pages/charts/basemap/README.md``). Maps show
the outlines, and checks use them to detect implausible positions. No other machine is contacted.

:class:`Background` holds an operator's own lines under the maps, such as roads or districts. They
are only drawn; nothing is measured with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from .arrays import BoolArray, FloatArray, IntArray
from .errors import SchemaError
from .version import SHIPPED

_FILE = SHIPPED / "pages" / "charts" / "basemap" / "natural_earth.npz"
_UNITS_PER_DEGREE = 10_000
_EARTH_KM = 6371.0


@lru_cache(maxsize=1)
def outlines() -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of the shipped outlines, by name.

    The arrays are the differences between consecutive points of each layer's lines, the offsets of
    the lines, and the names, positions and ranks of towns. Coordinates of lines are in 1/10,000
    degree; positions of towns are in degrees.
    """
    with np.load(_FILE) as file:
        return dict(file)


@lru_cache(maxsize=8)
def lines_of(layer: str) -> tuple[FloatArray, IntArray]:
    """Return the points of a layer's lines or rings, and the offsets of the lines.

    The points are longitudes and latitudes in degrees, shape (n_points, 2).

    Parameters
    ----------
    layer : str
        ``"coastline"``, ``"land"``, ``"lakes"`` or ``"borders"``.
    """
    points = np.cumsum(outlines()[f"{layer}_delta"], axis=0) / _UNITS_PER_DEGREE
    return points, outlines()[f"{layer}_offsets"]


def on_land(lat: FloatArray, lon: FloatArray) -> BoolArray:
    """Return whether each position is on land; lakes, even the Caspian Sea, count as land."""
    found = np.zeros(len(lat), bool)
    for ring, (west, south, east, north) in zip(*_land(), strict=True):
        open_yet = ~found & (lon >= west) & (lon <= east) & (lat >= south) & (lat <= north)
        if open_yet.any():
            found[open_yet] = shapely.contains_xy(ring, lon[open_yet], lat[open_yet])
    return found


def km_from(lat: float, lon: float, other_lat: FloatArray, other_lon: FloatArray) -> FloatArray:
    """Return the distance in kilometres from one position to each of the others."""
    here, others = _on_sphere(np.array([lat]), np.array([lon])), _on_sphere(other_lat, other_lon)
    return _km(np.linalg.norm(others - here, axis=1))


def km_to_coast(lat: FloatArray, lon: FloatArray) -> FloatArray:
    """Return the distance in kilometres from each position to the nearest coast.

    The distance is to the nearest vertex of a coastline. Half of the vertices lie less than 2 km
    from the next vertex; the largest gap is 55 km.
    """
    return _nearest("coastline", lat, lon)[0]


def nearest_town(lat: FloatArray, lon: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distance from each position to the nearest town, and the number of that town.

    Distances are in kilometres. :func:`town` takes the number.
    """
    return _nearest("place", lat, lon)


def town(number: int) -> str:
    """Return the name of the town with this number."""
    return str(outlines()["place_name"][number])


@lru_cache(maxsize=1)
def _land() -> tuple[npt.NDArray[Any], FloatArray]:
    """Return the rings of land, the largest first, prepared for queries, and their bounds."""
    points, offsets = lines_of("land")
    rings = [points[a:b] for a, b in pairwise(offsets) if b - a >= 4]
    land = shapely.make_valid(np.array([shapely.Polygon(ring) for ring in rings], dtype=object))
    land = land[np.argsort(-shapely.area(land), kind="stable")]
    shapely.prepare(land)
    return land, shapely.bounds(land)


def _nearest(what: str, lat: FloatArray, lon: FloatArray) -> tuple[FloatArray, IntArray]:
    far, which = _tree(what).query(_on_sphere(lat, lon))
    return _km(far), which


@lru_cache(maxsize=2)
def _tree(what: str) -> Any:
    """Return a tree of the towns, or of the vertices of a layer."""
    lonlat = outlines()["place_lonlat"] if what == "place" else lines_of(what)[0]
    return cKDTree(_on_sphere(lonlat[:, 1], lonlat[:, 0]))


def _on_sphere(lat: FloatArray, lon: FloatArray) -> FloatArray:
    """Return positions on the unit sphere; longer chords mean longer distances along the ground."""
    phi, lam = np.radians(lat), np.radians(lon)
    return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def _km(chord: FloatArray) -> FloatArray:
    return np.asarray(2 * _EARTH_KM * np.arcsin(np.minimum(chord / 2, 1.0)))


@dataclass(frozen=True, eq=False)
class Background:
    """Lines to draw under a map, in degrees.

    Attributes
    ----------
    lon, lat : float64 ndarray (n_vertices,)
    offsets : int64 ndarray (n_lines + 1,)
        Vertices of line i are ``offsets[i]:offsets[i + 1]``.
    n_read : int
        Number of vertices in the file, before simplification.
    n_points : int
        Number of single points in the file, which are not drawn.
    n_small : int
        Number of lines too short to be seen, which are not drawn.
    """

    lon: FloatArray
    lat: FloatArray
    offsets: IntArray
    n_read: int = 0
    n_points: int = 0
    n_small: int = 0

    def __post_init__(self) -> None:
        whole = len(self.offsets) and self.offsets[0] == 0 and np.all(np.diff(self.offsets) >= 2)
        if not whole or not len(self.lon) == len(self.lat) == self.offsets[-1]:
            raise SchemaError("The offsets of a background must divide its vertices into lines.")

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return len(self.offsets) - 1
