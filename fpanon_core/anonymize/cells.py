"""Samples brought together again after a technique has moved them.

Every technique gives back fingerprints as sets: samples of one user that have come to coincide are
one, and their counts add up; so no event is lost on the way.

Which hexagon of H3 does each sample fall into, and which rectangle stands for it?

H3 lays hexagons (and twelve pentagons) over the globe; its cells are the grid that people who
receive mobility data use already.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import h3.api.basic_int as h3
import numpy as np
import pandas as pd

from ..model.arrays import BY_TIME, FloatArray, IntArray, distinct_rows
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import Hexagons
from ..model.projection import Unprojection, project
from .regions import own_corners


def gathered(
    fs: FingerprintSet, user: IntArray, cells: dict[str, Any], count: IntArray
) -> FingerprintSet:
    """The fingerprints of the same users with these samples, in any order, as sets.

    Parameters
    ----------
    fs : FingerprintSet
        Gives everything but the samples.
    user : int64 ndarray (n,)
        Row number of the user of each sample; every user has at least one.
    cells : dict of str to float64 ndarray (n,)
        ``x_m``, ``y_m``, ``dx_m``, ``dy_m`` (metres), ``t_min``, ``dt_min`` (minutes).
    count : int64 ndarray (n,)
        Events in each.
    """
    first, which = distinct_rows(user, *(cells[name] for name in BY_TIME))
    events = np.zeros(len(first), np.int64)
    np.add.at(events, which, count)
    return replace(
        fs,
        offsets=np.searchsorted(user[first], np.arange(fs.n_users + 1)),
        count=events,
        **{name: values[first] for name, values in cells.items()},
    )


def windows_at(fs: FingerprintSet, t_min: FloatArray, minutes: float) -> tuple[FloatArray, ...]:
    """Start and length of the window that holds each time; windows begin at local midnight."""
    if fs.clock is not None:
        return fs.clock.window(t_min, minutes)
    return np.floor(t_min / minutes) * minutes, np.full(len(t_min), float(minutes))


_EARTH_M = 6_371_000.0


@dataclass(frozen=True, eq=False)
class HexagonMap:
    """The hexagons of a data set, in ascending order of their rectangles' lower corners.

    Attributes
    ----------
    cell : uint64 ndarray (n_hexagons,)
        H3's index of each.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_hexagons,)
        The rectangle that stands for each hexagon, metres. No two have the same lower corner.
    sample_region : int64 ndarray (n_samples,)
        Hexagon of each sample.
    """

    cell: np.ndarray[tuple[int], np.dtype[np.uint64]]
    x_m: FloatArray
    y_m: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray
    sample_region: IntArray


def hexagon_map(fs: FingerprintSet, space: Hexagons) -> HexagonMap:
    """The hexagons that hold the middle of any sample's place, and the hexagon of every sample.

    A hexagon is represented by a rectangle on the projection that holds all of it, whoever was
    where in it: the bounding rectangle of its corners, wider on each side by half a raw cell
    (places whose middle is inside reach out by as much) and by what an edge may bulge, and rounded
    outwards to whole metres. Unlike a rectangle around the samples it says nothing of where in the
    hexagon anybody was, and it is the same in every data set of that projection.

    Raises
    ------
    ConfigError
        The data carry no projection, so that nobody knows where on the globe they are.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fpanon_core.model.projection import equal_area_around
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 300, 9000], [0, 0, 0], [0, 5, 9])
    >>> hexagons = hexagon_map(replace(fs, crs=equal_area_around(14.7, -17.4)), Hexagons(7))
    >>> hexagons.sample_region.tolist()
    [0, 0, 1]
    """
    if fs.crs is None:
        raise ConfigError(
            "Hexagons need places in degrees, and these data came in metres without a projection; "
            "choose a square grid, or read data with latitudes and longitudes."
        )
    first, place = distinct_rows(fs.x_m, fs.y_m)
    left, bottom, width, height = (values[first] for values in (fs.x_m, fs.y_m, fs.dx_m, fs.dy_m))
    lon, lat = Unprojection(fs.crs).lon_lat(left + width / 2, bottom + height / 2)
    lon = (lon + 180.0) % 360.0 - 180.0
    cells = np.fromiter(
        (
            h3.latlng_to_cell(a, b, space.resolution)
            for a, b in zip(lat.tolist(), lon.tolist(), strict=True)
        ),
        np.uint64,
        len(first),
    )
    mine, distinct = pd.factorize(cells)
    x0, y0, x1, y1 = _rectangles(distinct, fs.crs, max(width.max(), height.max()) / 2)
    # Far from the projection's centre an edge may bulge more: no place is left outside.
    np.minimum.at(x0, mine, left)
    np.minimum.at(y0, mine, bottom)
    np.maximum.at(x1, mine, left + width)
    np.maximum.at(y1, mine, bottom + height)
    apart = own_corners(x0, y0, 1.0)
    order = np.lexsort((y0, apart))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return HexagonMap(
        cell=distinct[order],
        x_m=apart[order],
        y_m=y0[order],
        dx_m=(x1 - apart)[order],
        dy_m=(y1 - y0)[order],
        sample_region=rank[mine[place]],
    )


def _rectangles(
    cells: np.ndarray[tuple[int], np.dtype[np.uint64]], crs: str, reach_m: float
) -> tuple[FloatArray, ...]:
    """West, south, east and north of the rectangle around each hexagon, metres."""
    rings = [np.array(h3.cell_to_boundary(int(cell))) for cell in cells]
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings[:-1]])]).astype(np.int64)
    lat, lon = np.concatenate(rings).T
    x, y = project(np.ascontiguousarray(lat), np.ascontiguousarray(lon), crs)
    # An edge is part of a great circle: of length e, it leaves its chord by about e² / 8R.
    edge = h3.average_hexagon_edge_length(h3.get_resolution(int(cells[0])), unit="m")
    margin = reach_m + 2 * edge**2 / (8 * _EARTH_M)
    west, south = (np.floor(np.minimum.reduceat(v, starts) - margin) for v in (x, y))
    east, north = (np.ceil(np.maximum.reduceat(v, starts) + margin) for v in (x, y))
    return west, south, east, north
