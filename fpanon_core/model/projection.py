"""Map projection of a data set in both directions, extents of maps, and places for labels.

Data read in degrees are projected around their middle, or around a stated point (docs/science.md,
“Samples and fingerprints”). Data that came in metres have no projection, and so no degrees.

A map shows all positions, or the part that holds nearly all of them. Otherwise one person who
travelled far would shrink everybody else's city to a dot.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pyproj import CRS, Proj, Transformer

from .arrays import FloatArray, pieces

_STATED = "+title=stated"  # PROJ reads a title as a remark
_DECIMALS = 7  # of degrees: about a centimetre
THREADS = min(4, os.cpu_count() or 1)
"""Number of threads that convert long lists of positions."""


def equal_area_around(lat: float, lon: float, *, stated: bool = False) -> str:
    """Return a PROJ string for the Lambert azimuthal equal-area projection around a point.

    The point is given in degrees, and the projection is in metres. A mark in the string
    distinguishes a projection around a stated point from one around the middle of the records. The
    mark stays with the projection and does not affect the map.
    """
    plain = f"+proj=laea +lat_0={lat:g} +lon_0={lon:g} +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs"
    return f"{plain} {_STATED}" if stated else plain


def is_stated(crs: str | None) -> bool:
    """Return whether the projection is independent of the records; True without a projection."""
    return crs is None or _STATED in crs.split()


def project(lat: FloatArray, lon: FloatArray, crs: str) -> tuple[FloatArray, FloatArray]:
    """Project positions in degrees to metres east and north of the projection's centre.

    The point opposite the centre on the globe has no place on the map; it becomes NaN.
    """
    x, y = np.empty(len(lon)), np.empty(len(lat))

    def work(parts: list[slice]) -> None:
        forward: Callable[..., Any]
        if crs.startswith("+proj=laea") and "+datum=WGS84" in crs:
            forward = Proj(crs)  # equal to the last bit, and a fifth faster
        else:
            forward = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform
        for part in parts:
            x[part], y[part] = forward(lon[part], lat[part])

    parts = list(pieces(len(lon)))
    shares = [share for i in range(THREADS) if (share := parts[i::THREADS])]
    with ThreadPoolExecutor(THREADS) as pool:  # a transformer belongs to one thread
        for done in [pool.submit(work, share) for share in shares]:
            done.result()
    lost = ~(np.isfinite(x) & np.isfinite(y))
    if lost.any():
        x[lost] = y[lost] = np.nan
    return x, y


def lon_lat(crs: str | None, x_m: FloatArray, y_m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return positions in metres as longitudes and latitudes in degrees; empty without ``crs``.

    Longitudes continue across the antimeridian, within 180° of the projection's centre, so that
    neighbours on a map stay neighbours.
    """
    return (np.empty(0), np.empty(0)) if crs is None else Unprojection(crs).lon_lat(x_m, y_m)


def degrees_of(
    crs: str | None, x0: FloatArray, x1: FloatArray, y0: FloatArray, y1: FloatArray
) -> pd.DataFrame:
    """Return a table of rectangles in degrees: ``lat_min``, ``lat_max``, ``lon_min``, ``lon_max``.

    The rectangles are given in metres on the projection. The values are the extremes over each
    rectangle's corners, the middles of its sides and its centre, to seven decimals. Longitudes
    continue across the antimeridian. All values are NaN without a projection.
    """
    names = ("lat_min", "lat_max", "lon_min", "lon_max")
    if crs is None:
        return pd.DataFrame({name: np.full(len(x0), np.nan) for name in names})
    back = Unprojection(crs)
    low, high = np.full((2, len(x0)), np.inf), np.full((2, len(x0)), -np.inf)
    for x in (x0, (x0 + x1) / 2, x1):
        for y in (y0, (y0 + y1) / 2, y1):
            for i, values in enumerate(reversed(back.lon_lat(x, y))):
                np.minimum(low[i], values, out=low[i])
                np.maximum(high[i], values, out=high[i])
    columns = (low[0], high[0], low[1], high[1])
    return pd.DataFrame(
        {name: np.round(v, _DECIMALS) for name, v in zip(names, columns, strict=True)}
    )


class Unprojection:
    """Converter from metres on one projection to degrees; made once for many positions."""

    def __init__(self, crs: str) -> None:
        self._back = Transformer.from_crs(CRS.from_user_input(crs), "EPSG:4326", always_xy=True)
        self._centre = float(self._back.transform(0.0, 0.0)[0])

    def lon_lat(self, x_m: FloatArray, y_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return longitudes (within 180° of the projection's centre) and latitudes, in degrees."""
        lon, lat = (np.asarray(part, np.float64) for part in self._back.transform(x_m, y_m))
        return (lon - self._centre + 180.0) % 360.0 - 180.0 + self._centre, lat


CENTRAL = 0.98
"""Share of the positions along each axis that determines the extent of a map."""
_CLOSE = 0.25
_MUCH_SMALLER = 0.5  # a view that is hardly smaller would omit positions for no benefit


@dataclass(frozen=True)
class Extent:
    """Rectangle: its western, southern, eastern and northern ends, in the unit of the positions."""

    west: float
    south: float
    east: float
    north: float

    def outside(self, x: FloatArray, y: FloatArray) -> npt.NDArray[np.bool_]:
        """Return whether each position lies outside the rectangle."""
        found: npt.NDArray[np.bool_] = (x < self.west) | (x > self.east)
        return found | (y < self.south) | (y > self.north)

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The x and the y of the south-western and north-eastern corners, two arrays (2,)."""
        return np.array([self.west, self.east]), np.array([self.south, self.north])


def central(x: FloatArray, y: FloatArray, weight: npt.ArrayLike | None = None) -> Extent:
    """Return the extent of the central positions, or of all positions if that is hardly larger.

    Along each axis, the central extent holds the range of the central 98% of the positions, and all
    positions no farther from this range than a quarter of its width. The central extent is returned
    only if it is at most half as wide or half as high as the extent of all positions.

    Parameters
    ----------
    x, y : float64 ndarray (n,)
        Positions, at least one.
    weight : array_like (n,), optional
        Number of items at each position; one if not given.

    Examples
    --------
    101 people are within a kilometre, and one went far.

    >>> x = np.append(np.linspace(0, 1, 101), 5000)
    >>> central(x, np.zeros(102)).east
    1.0
    >>> central(np.array([0.0, 1.0]), np.array([0.0, 3.0]))
    Extent(west=0.0, south=0.0, east=1.0, north=3.0)
    """
    many = np.ones(len(x)) if weight is None else np.asarray(weight, np.float64)
    (west, east), (south, north) = _ends(x, many), _ends(y, many)
    wide, high = float(np.ptp(x)), float(np.ptp(y))
    if east - west > _MUCH_SMALLER * wide and north - south > _MUCH_SMALLER * high:
        west, east = float(x.min()), float(x.max())
        south, north = float(y.min()), float(y.max())
    return Extent(west, south, east, north)


def _ends(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Return the least and the greatest of the central values and of the values close to them."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    tail = (1 - CENTRAL) / 2
    low = int(np.searchsorted(share, tail, side="right"))
    high = int(np.searchsorted(share, 1 - tail, side="left"))
    last = len(values) - 1
    begin, end = float(values[order[min(low, last)]]), float(values[order[min(high, last)]])
    close = _CLOSE * (end - begin)
    inside = values[(values >= begin - close) & (values <= end + close)]
    return float(inside.min()), float(inside.max())


_SHARES = (1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_APART = 0.09  # of the axis, between two ticks
_SHORT = 0.001  # labels of smaller shares take more room


def root_ticks(top: float) -> list[float]:
    """Return the shares from 0 to ``top`` that are labelled on an axis of square roots.

    Such an axis gives more room to small shares, where thresholds are.

    Examples
    --------
    >>> root_ticks(1.0)
    [0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> root_ticks(0.05)
    [0.0, 0.001, 0.005, 0.01, 0.02, 0.05]
    """
    found, apart = [0.0], _APART * math.sqrt(top)
    for share in _SHARES:
        inside = min(_SHORT, top / 10) <= share <= top * (1 + 1e-9)
        if inside and math.sqrt(share) >= math.sqrt(found[-1]) + apart:
            found.append(share)
    return found
