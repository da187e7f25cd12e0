"""Where is land, and which town is near? From the outlines that are shipped with the program.

Public geography (Natural Earth, see ``pages/charts/basemap/README.md``): the maps draw it, and
positions that cannot be meant are told by it. Nothing is asked of another machine.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from .arrays import BoolArray, FloatArray, IntArray
from .shipped import SHIPPED

_FILE = SHIPPED / "pages" / "charts" / "basemap" / "natural_earth.npz"
_UNITS_PER_DEGREE = 10_000
_EARTH_KM = 6371.0


@lru_cache(maxsize=1)
def outlines() -> dict[str, npt.NDArray[Any]]:
    """The arrays as they are packed: lines as differences, names and positions of towns."""
    with np.load(_FILE) as file:
        return dict(file)


@lru_cache(maxsize=8)
def lines_of(layer: str) -> tuple[FloatArray, IntArray]:
    """Points of a layer's lines or rings, longitude and latitude, and where each one begins.

    Parameters
    ----------
    layer : str
        ``"coastline"``, ``"land"``, ``"lakes"`` or ``"borders"``.
    """
    points = np.cumsum(outlines()[f"{layer}_delta"], axis=0) / _UNITS_PER_DEGREE
    return points, outlines()[f"{layer}_offsets"]


def on_land(lat: FloatArray, lon: FloatArray) -> BoolArray:
    """Whether each position is on land; lakes count as land, the Caspian Sea too."""
    found = np.zeros(len(lat), bool)
    for ring, (west, south, east, north) in zip(*_land(), strict=True):
        open_yet = ~found & (lon >= west) & (lon <= east) & (lat >= south) & (lat <= north)
        if open_yet.any():
            found[open_yet] = shapely.contains_xy(ring, lon[open_yet], lat[open_yet])
    return found


def km_to_coast(lat: FloatArray, lon: FloatArray) -> FloatArray:
    """Kilometres from each position to the nearest coast.

    To the nearest point that a coastline is drawn by: half of them lie less than 2 km from the
    next, the farthest 55 km.
    """
    far, _ = _coast().query(_on_sphere(lat, lon))
    return _km(far)


def nearest_town(lat: FloatArray, lon: FloatArray) -> tuple[FloatArray, IntArray]:
    """Kilometres from each position to the nearest town of the outlines, and its number."""
    far, which = _towns().query(_on_sphere(lat, lon))
    return _km(far), which


def town(number: int) -> str:
    """The name of a town."""
    return str(outlines()["place_name"][number])


@lru_cache(maxsize=1)
def _land() -> tuple[npt.NDArray[Any], FloatArray]:
    """The rings of land, the largest first, made fast to ask, and their bounds."""
    points, offsets = lines_of("land")
    rings = [points[a:b] for a, b in pairwise(offsets) if b - a >= 4]
    land = shapely.make_valid(np.array([shapely.Polygon(ring) for ring in rings], dtype=object))
    land = land[np.argsort(-shapely.area(land), kind="stable")]
    shapely.prepare(land)
    return land, shapely.bounds(land)


@lru_cache(maxsize=1)
def _coast() -> Any:
    points, _ = lines_of("coastline")
    return cKDTree(_on_sphere(points[:, 1], points[:, 0]))


@lru_cache(maxsize=1)
def _towns() -> Any:
    lonlat = outlines()["place_lonlat"]
    return cKDTree(_on_sphere(lonlat[:, 1], lonlat[:, 0]))


def _on_sphere(lat: FloatArray, lon: FloatArray) -> FloatArray:
    """Positions on the unit sphere, where straight distances compare as those along the ground."""
    phi, lam = np.radians(lat), np.radians(lon)
    return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def _km(chord: FloatArray) -> FloatArray:
    along: FloatArray = 2 * _EARTH_KM * np.arcsin(np.minimum(chord / 2, 1.0))
    return along
