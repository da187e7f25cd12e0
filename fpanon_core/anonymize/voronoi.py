"""Where does each antenna, or each cluster of antennas, serve? Voronoi cells (science.md §7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import Voronoi  # type: ignore[import-untyped,unused-ignore]
from shapely.geometry import MultiPolygon, Polygon

from ..model.errors import ConfigError
from .clusters import positions

FloatArray = npt.NDArray[np.float64]
Area: TypeAlias = Polygon | MultiPolygon

_STEP_M = 0.001
"""Positions within a millimetre are one; and to it corners are rounded where cells are united."""
_FAR = 20.0


def voronoi_cells(
    x_m: npt.ArrayLike,
    y_m: npt.ArrayLike,
    *,
    margin_m: float = 1000.0,
    land: Area | None = None,
) -> list[Area]:
    """The area nearer to each antenna than to any other, clipped.

    Parameters
    ----------
    x_m, y_m : array_like (M,)
        Projected positions, metres.
    margin_m : float
        Cells are clipped to the antennas' convex hull widened by this much.
    land : Polygon or MultiPolygon, optional
        Clip to this instead, on the same projection; then ``margin_m`` does not matter.

    Returns
    -------
    list of shapely Polygon or MultiPolygon, length M
        One per antenna, in order. They tile the clip area. Antennas at one position (to a
        millimetre) all get the same cell; a cell wholly off the land is empty.

    Raises
    ------
    ConfigError
        A position or the margin is not as it should be, or ``land`` is no valid area.
    InfeasibleError
        There is no antenna.

    Notes
    -----
    Eight far points around the clip area close every cell, so that one antenna, two, or many in a
    line need no case of their own. They are too far away to win any of the clip area.

    Examples
    --------
    >>> west, east = voronoi_cells([0, 1000], [0, 0], margin_m=500)
    >>> round(west.bounds[2], 6), round(east.bounds[0], 6)
    (500.0, 500.0)
    """
    x, y = positions(x_m, y_m)
    sites, site = np.unique(np.rint(np.column_stack([x, y]) / _STEP_M), axis=0, return_inverse=True)
    sites = sites * _STEP_M
    clip = _clip_area(sites, margin_m, land)
    west, south, east, north = clip.bounds
    middle = np.array([(west + east) / 2, (south + north) / 2])
    low = np.minimum(sites.min(axis=0), [west, south])
    high = np.maximum(sites.max(axis=0), [east, north])
    reach = _FAR * float(np.hypot(*(high - low)))
    angle = np.arange(8) * (math.pi / 4) + 0.1  # no symmetry with regular positions
    far = middle + reach * np.column_stack([np.cos(angle), np.sin(angle)])
    # Small numbers around 0 keep their digits; metres of a projection may be large.
    diagram = Voronoi(np.vstack([sites, far]) - middle)
    cells = []
    for number in range(len(sites)):
        corners = diagram.vertices[diagram.regions[diagram.point_region[number]]] + middle
        cell = shapely.convex_hull(shapely.multipoints(corners))
        cells.append(_areas_of(shapely.intersection(cell, clip)))
    return [cells[number] for number in site.reshape(-1)]


def merged_regions(cells: Sequence[Area], cluster: npt.ArrayLike) -> list[Area]:
    """The area of each cluster: the union of its antennas' cells.

    Parameters
    ----------
    cells : sequence of Polygon or MultiPolygon, length M
        From :func:`voronoi_cells`.
    cluster : array_like of int (M,)
        From :func:`cluster_antennas`, or any numbers from 0 on.

    Returns
    -------
    list of shapely Polygon or MultiPolygon
        Entry j is the area of cluster j; empty where a number has no antenna. A MultiPolygon is a
        cluster in several pieces. Corners are rounded to a millimetre, so that no hair's breadth
        stays open between neighbours.

    Raises
    ------
    ConfigError
        There is not one whole number from 0 on for each cell.

    Examples
    --------
    >>> cells = voronoi_cells([0, 1000, 2000], [0, 0, 0], margin_m=500)
    >>> [area.geom_type for area in merged_regions(cells, [0, 1, 1])]
    ['Polygon', 'Polygon']
    """
    number = np.asarray(cluster)
    if number.shape != (len(cells),):
        raise ConfigError(f"There are {len(cells)} cells but {number.size} cluster numbers.")
    if len(number) == 0:
        return []
    if not np.issubdtype(number.dtype, np.integer) or number.min() < 0:
        raise ConfigError("Cluster numbers must be whole numbers from 0 on.")
    members: list[list[Area]] = [[] for _ in range(int(number.max()) + 1)]
    for cell, j in zip(cells, number.tolist(), strict=True):
        members[j].append(cell)
    return [_areas_of(shapely.union_all(part, grid_size=_STEP_M)) for part in members]


def _clip_area(sites: FloatArray, margin_m: float, land: Area | None) -> Area:
    if land is not None:
        if not isinstance(land, (Polygon, MultiPolygon)) or land.is_empty or not land.is_valid:
            raise ConfigError("land must be a valid shapely Polygon or MultiPolygon, not empty.")
        return land
    number = isinstance(margin_m, (int, float)) and not isinstance(margin_m, bool)
    if not (number and math.isfinite(margin_m) and margin_m > 0):
        raise ConfigError(f"margin_m = {margin_m!r}; it must be a positive number of metres.")
    hull = shapely.convex_hull(shapely.multipoints(sites))
    return _areas_of(shapely.buffer(hull, margin_m, quad_segs=16))


def _areas_of(shape: shapely.Geometry) -> Area:
    """What of a shape is area: clipping may leave points and lines where borders touch."""
    if isinstance(shape, (Polygon, MultiPolygon)):
        return shape
    parts = [p for p in shapely.get_parts(shape) if isinstance(p, (Polygon, MultiPolygon))]
    pieces = [piece for p in parts for piece in shapely.get_parts(p)]
    return pieces[0] if len(pieces) == 1 else MultiPolygon(pieces) if pieces else Polygon()
