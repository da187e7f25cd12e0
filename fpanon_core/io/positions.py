"""Checks of degrees, and their projection around the middle of the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from tzfpy import get_tz

from ..model.arrays import BoolArray, FloatArray, pieces
from ..model.checks import number
from ..model.errors import ConfigError
from ..model.projection import equal_area_around, project
from .report import IMPOSSIBLE_COORDINATES, MISSING_COORDINATES, ZERO_COORDINATES

_STEP = 100  # histogram cells per degree
_FEW = 10_000  # rows that show whether positions are repeated
_ODD = np.int64(0x1E3779B97F4A7C15)


@dataclass(frozen=True)
class Centre:
    """Middle of the data, in degrees rounded to hundredths, or a stated point."""

    lat: float
    lon: float
    reach_deg: float = 0.0
    """Degrees of longitude from the western to the eastern end of the data."""
    stated: bool = False

    @property
    def crs(self) -> str:
        """Lambert azimuthal equal-area projection around the centre, in metres (PROJ string)."""
        return equal_area_around(self.lat, self.lon, stated=self.stated)


def position_faults(lat: FloatArray, lon: FloatArray) -> dict[str, BoolArray]:
    """Return masks of the unusable positions, by reason; the reasons exclude one another."""
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
    """Return the median position, with longitudes unwrapped around their circular mean.

    Medians are used so that a few outlying positions do not move the centre. They are computed from
    a histogram of hundredths of a degree, so that the order of the rows has no effect. Data on both
    sides of the antimeridian count as one cluster, not two.
    """
    return centre_of_counts(*degree_counts(lat, lon))


Counts = npt.NDArray[np.int64]


def degree_counts(lat: FloatArray, lon: FloatArray) -> tuple[Counts, Counts]:
    """Return the numbers of rows by hundredth of a degree of latitude and of longitude.

    The arrays, of 18,001 and 36,001 numbers, begin at −90° and −180°. Counts of parts can be added.
    """
    return _histogram(lat, 90, 180 * _STEP + 1), _histogram(lon, 180, 360 * _STEP + 1)


def centre_of_counts(lat: Counts, lon: Counts) -> Centre:
    """Return the centre as :func:`centre_of` does, from counts of :func:`degree_counts`."""
    turn = 360 * _STEP
    cells = lon.copy()
    cells[0] += cells[turn]  # ±180° are one meridian
    weight = np.roll(cells[:turn], -turn // 2)
    angle = np.arange(turn) * (2 * np.pi / turn)
    mean = np.arctan2((weight * np.sin(angle)).sum(), (weight * np.cos(angle)).sum())
    start = (round(float(mean) / (2 * np.pi) * turn) - turn // 2) % turn
    middle_lon = (start + _median(np.roll(weight, -start))) % turn / _STEP
    middle_lat = _median(lat) / _STEP - 90
    wrapped = middle_lon - 360 if middle_lon >= 180 else middle_lon
    gaps = np.flatnonzero(np.tile(weight, 2))
    empty = float(np.diff(gaps).max()) / _STEP
    return Centre(round(middle_lat, 2) + 0.0, round(wrapped, 2) + 0.0, round(360 - empty, 2) + 0.0)


def project_repeated(lat: FloatArray, lon: FloatArray, crs: str) -> tuple[FloatArray, FloatArray]:
    """Project as :func:`project` does, but convert a repeated position (an antenna's) only once."""
    few = lat[:_FEW].view(np.int64) * _ODD ^ lon[:_FEW].view(np.int64)
    if len(np.unique(few)) * 4 > len(few):
        return project(lat, lon, crs)
    codes, distinct = pd.factorize(lat.view(np.int64) * _ODD ^ lon.view(np.int64))
    first = np.empty(len(distinct), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    lat_of, lon_of = lat[first], lon[first]
    if not (np.array_equal(lat_of[codes], lat) and np.array_equal(lon_of[codes], lon)):
        return project(lat, lon, crs)  # two positions share a hash
    x, y = project(lat_of, lon_of, crs)
    return x[codes], y[codes]


def middle_of(antennas: pd.DataFrame) -> tuple[float, float]:
    """Return latitude and longitude of the middle of an antenna table, without regard to events."""
    centre = centre_of(antennas["lat"].to_numpy(float), antennas["lon"].to_numpy(float))
    return centre.lat, centre.lon


def stated_centre(centre: Any) -> Centre | None:
    """Return the centre stated as latitude and longitude in degrees; None if none is stated.

    Raises
    ------
    ConfigError
        The centre is neither None nor a possible latitude and longitude.
    """
    if centre is None:
        return None
    if isinstance(centre, str) or not isinstance(centre, Sequence) or len(centre) != 2:
        raise ConfigError(
            f"centre = {centre!r}; give latitude and longitude in degrees, such as (14.7, -17.4)."
        )
    lat = number("The latitude of the centre", centre[0], least=-90.0, most=90.0)
    lon = number("The longitude of the centre", centre[1], least=-180.0, most=180.0)
    return Centre(lat + 0.0, lon + 0.0, stated=True)


def _histogram(degrees: FloatArray, below: int, size: int) -> npt.NDArray[np.int64]:
    """Return numbers of rows by nearest hundredth of a degree, starting at −``below`` degrees."""
    cells = np.zeros(size, np.int64)
    for part in pieces(len(degrees)):
        cell = ((degrees[part] + (below + 0.5 / _STEP)) * _STEP).astype(np.int64)
        cells += np.bincount(cell, minlength=size)
    return cells


def _median(weight: npt.NDArray[np.int64]) -> int:
    total = np.cumsum(weight)
    return int(np.searchsorted(total, (total[-1] + 1) // 2))


Nearest = tuple[float, float, float]


def zone_at(nearest: Nearest) -> str:
    """Return the IANA time zone at a position from :func:`nearest_to`; at sea, a nautical zone."""
    return str(get_tz(*nearest[1:])) or "UTC"


def nearest_to(lat: FloatArray, lon: FloatArray, centre: Centre) -> Nearest:
    """Return the squared distance, longitude and latitude of the position nearest to the centre.

    Longitude and latitude are in degrees. The squared distance is in squared degrees of latitude.
    Of several equally near positions, the westernmost is returned, then the southernmost. The order
    of the rows thus has no effect, and the minimum of the parts' results is the whole's result.
    """
    squeeze = math.cos(math.radians(centre.lat))
    nearest = (math.inf, 0.0, 0.0)
    for part in pieces(len(lon)):
        apart = np.abs(lon[part] - centre.lon)
        apart = np.minimum(apart, 360 - apart) * squeeze
        far = apart**2 + (lat[part] - centre.lat) ** 2
        least = float(far.min())
        if least <= nearest[0]:
            ties = np.flatnonzero(far == least)
            first = ties[np.lexsort((lat[part][ties], lon[part][ties]))[0]]
            nearest = min(nearest, (least, float(lon[part][first]), float(lat[part][first])))
    return nearest
