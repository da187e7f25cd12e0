"""Which places does a data set speak of, and how often? For maps and summaries."""

from __future__ import annotations

import pandas as pd

from ..model import projection
from ..model.arrays import FloatArray, IntArray
from ..model.fingerprints import FingerprintSet


def visited_places(fs: FingerprintSet) -> pd.DataFrame:
    """One row per distinct cell, by its centre: ``x_m``, ``y_m``, ``samples``, ``users``.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    >>> visited_places(fs).to_dict("list")
    {'x_m': [50.0, 250.0], 'y_m': [50.0, 50.0], 'samples': [2, 1], 'users': [2, 1]}
    """
    centre = pd.DataFrame({"x_m": fs.x_m + fs.dx_m / 2, "y_m": fs.y_m + fs.dy_m / 2})
    grouped = centre.assign(user=fs.sample_user).groupby(["x_m", "y_m"], sort=True)["user"]
    return grouped.agg(samples="size", users="nunique").reset_index()


def visited_cells(fs: FingerprintSet, person: IntArray | None = None) -> pd.DataFrame:
    """One row per distinct place with its extent: ``x_m``, ``y_m``, ``dx_m``, ``dy_m``, ``users``.

    Users are subscribers: a fingerprint that stands for several counts as many; where several are
    one ``person``'s, they count once.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    >>> visited_cells(fs)[["x_m", "dx_m", "users"]].values.tolist()
    [[0.0, 100.0, 2.0], [200.0, 100.0, 1.0]]
    """
    names = ["x_m", "y_m", "dx_m", "dy_m"]
    cells = pd.DataFrame({name: getattr(fs, name) for name in names} | {"user": fs.sample_user})
    whose = fs.sample_user if person is None else person[fs.sample_user]
    once = cells[~cells.assign(user=whose).duplicated()]
    weighted = once.assign(users=fs.weight[once["user"].to_numpy()])
    return weighted.groupby(names, sort=True)["users"].sum().reset_index()


def lon_lat(fs: FingerprintSet, x_m: FloatArray, y_m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Longitudes and latitudes of projected positions; both empty when ``fs`` has no projection.

    Longitudes run on across the antimeridian, within 180° of the projection's centre, so that
    neighbours on a map stay neighbours.
    """
    return projection.lon_lat(fs.crs, x_m, y_m)
