"""Where was it? Degrees checked, and projected around the middle of the data (science.md §1)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pyproj import Transformer
from tzfpy import get_tz

from .report import IMPOSSIBLE_COORDINATES, MISSING_COORDINATES, ZERO_COORDINATES

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_STEP = 100  # histogram cells a degree
_PIECE = 65_536
_THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class Centre:
    """The middle of the data, degrees, rounded to hundredths."""

    lat: float
    lon: float
    reach_deg: float = 0.0
    """Degrees of longitude from the data's western to its eastern end."""

    @property
    def crs(self) -> str:
        """Lambert azimuthal equal-area around the centre, metres, as a PROJ string."""
        return (
            f"+proj=laea +lat_0={self.lat:g} +lon_0={self.lon:g} +x_0=0 +y_0=0 +datum=WGS84 "
            "+units=m +no_defs"
        )


def position_faults(lat: FloatArray, lon: FloatArray) -> dict[str, BoolArray]:
    """Which positions cannot be, by reason; the reasons exclude one another."""
    clean = len(lat) > 0 and all(  # False where there is a NaN
        -limit <= values.min() and values.max() <= limit
        for values, limit in ((lat, 90), (lon, 180))
    )
    if clean:
        return {ZERO_COORDINATES: (lat == 0) & (lon == 0)}
    missing = np.isnan(lat) | np.isnan(lon)
    impossible = (np.abs(lat) > 90) | (np.abs(lon) > 180)  # False where either is NaN
    return {
        MISSING_COORDINATES: missing,
        IMPOSSIBLE_COORDINATES: impossible & ~missing,
        ZERO_COORDINATES: (lat == 0) & (lon == 0),
    }


def centre_of(lat: FloatArray, lon: FloatArray) -> Centre:
    """Median position, with longitudes unwrapped around their circular mean.

    Medians, because a few strays must not move the map; computed from a histogram of hundredths of
    a degree, so that the order of the rows cannot matter. Data on both sides of the antimeridian
    are one cluster, not two.
    """
    turn = 360 * _STEP
    cells = _histogram(lon, 180, turn + 1)
    cells[0] += cells[turn]  # ±180° are one
    weight = np.roll(cells[:turn], -turn // 2)
    angle = np.arange(turn) * (2 * np.pi / turn)
    mean = np.arctan2((weight * np.sin(angle)).sum(), (weight * np.cos(angle)).sum())
    start = (round(float(mean) / (2 * np.pi) * turn) - turn // 2) % turn
    middle_lon = (start + _median(np.roll(weight, -start))) % turn / _STEP
    middle_lat = _median(_histogram(lat, 90, turn // 2 + 1)) / _STEP - 90
    wrapped = middle_lon - 360 if middle_lon >= 180 else middle_lon
    gaps = np.flatnonzero(np.tile(weight, 2))
    empty = float(np.diff(gaps).max()) / _STEP
    return Centre(round(middle_lat, 2) + 0.0, round(wrapped, 2) + 0.0, round(360 - empty, 2) + 0.0)


def _slices(n: int) -> Iterator[slice]:
    """Pieces that fit a processor's cache: big temporary arrays cost more than the arithmetic."""
    return (slice(at, at + _PIECE) for at in range(0, n, _PIECE))


def _histogram(degrees: FloatArray, below: int, size: int) -> npt.NDArray[np.int64]:
    """Rows by hundredth of a degree, from −``below`` degrees on, rounded to the nearest."""
    cells = np.zeros(size, np.int64)
    for part in _slices(len(degrees)):
        cell = ((degrees[part] + (below + 0.5 / _STEP)) * _STEP).astype(np.int64)
        cells += np.bincount(cell, minlength=size)
    return cells


def _median(weight: npt.NDArray[np.int64]) -> int:
    total = np.cumsum(weight)
    return int(np.searchsorted(total, (total[-1] + 1) // 2))


def project(lat: FloatArray, lon: FloatArray, centre: Centre) -> tuple[FloatArray, FloatArray]:
    """Positions in metres east and north of the centre.

    The point opposite to the centre on the globe has no place on this map; it comes out as NaN.
    """
    x, y = np.empty(len(lon)), np.empty(len(lat))

    def work(parts: list[slice]) -> None:
        transformer = Transformer.from_crs("EPSG:4326", centre.crs, always_xy=True)
        for part in parts:
            x[part], y[part] = transformer.transform(lon[part], lat[part])

    parts = list(_slices(len(lon)))
    shares = [share for i in range(_THREADS) if (share := parts[i::_THREADS])]
    with ThreadPoolExecutor(_THREADS) as pool:  # a transformer belongs to one thread
        for done in [pool.submit(work, share) for share in shares]:
            done.result()
    lost = ~(np.isfinite(x) & np.isfinite(y))
    if lost.any():
        x[lost] = y[lost] = np.nan
    return x, y


def guess_timezone(lat: FloatArray, lon: FloatArray, centre: Centre) -> str:
    """IANA zone of the data's position nearest to the centre; on the open sea a nautical zone."""
    squeeze = math.cos(math.radians(centre.lat))
    nearest = (math.inf, 0.0, 0.0)
    for part in _slices(len(lon)):
        apart = np.abs(lon[part] - centre.lon)
        apart = np.minimum(apart, 360 - apart) * squeeze
        far = apart**2 + (lat[part] - centre.lat) ** 2
        at = int(np.argmin(far))
        nearest = min(nearest, (float(far[at]), float(lon[part][at]), float(lat[part][at])))
    return str(get_tz(*nearest[1:])) or "UTC"
