"""Do latitudes and longitudes say the same as the metres?

Worked out anew, point by point; the release's own are not trusted, nor the code that wrote them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from pyproj import CRS, Transformer

from ..model.arrays import FloatArray
from .faults import Faults

COLUMNS = ("lat_min", "lat_max", "lon_min", "lon_max")
_DECIMALS = 7
_SLACK_DEG = 2e-7


def wrong_degrees(table: pd.DataFrame, cells: FloatArray, crs: str | None) -> int:
    """In how many rows the degrees stated are not the extremes over corners and middles of sides.

    Of data without a projection, none may be stated: −1.
    """
    if not set(COLUMNS) <= set(table.columns):
        return 0
    stated = table[list(COLUMNS)].to_numpy(np.float64)
    if crs is None:
        return 0 if np.isnan(stated).all() else -1
    places, which = np.unique(cells[:, :4], axis=0, return_inverse=True)
    back = Transformer.from_crs(CRS.from_user_input(crs), "EPSG:4326", always_xy=True)
    west, east, south, north = places.T
    lons, lats = [], []
    for x in (west, (west + east) / 2, east):
        for y in (south, (south + north) / 2, north):
            lon, lat = back.transform(x, y)
            lons.append(np.asarray(lon, np.float64))
            lats.append(np.asarray(lat, np.float64))
    # Longitudes may run on across the antimeridian: all are taken around the first one.
    around = [(lon - lons[0] + 180.0) % 360.0 - 180.0 for lon in lons]
    farthest = lons[0] + np.min(around, axis=0), lons[0] + np.max(around, axis=0)
    expected = np.column_stack([np.min(lats, axis=0), np.max(lats, axis=0), *farthest])
    gap = np.abs(stated - expected[which.reshape(-1)])
    gap[:, 2:] = np.minimum(gap[:, 2:], np.abs(gap[:, 2:] - 360.0))
    close = (gap <= _SLACK_DEG) & (stated == np.round(stated, _DECIMALS))
    return int((~close.all(axis=1)).sum())


def tell_degrees(wrong: int, faults: Faults) -> None:
    """A fault where rows were wrong."""
    if wrong < 0:
        text = "Latitudes and longitudes are given, and the original has no map projection."
        faults.add("degrees", text)
    elif wrong:
        text = f"In {wrong} rows the latitudes and longitudes are not those of the metres."
        faults.add("degrees", text)
