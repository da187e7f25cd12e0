"""Where does each antenna, or each cluster of antennas, serve? Voronoi cells.

Source: docs/science.md, “Antenna clusters”.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]
from shapely.geometry import MultiPolygon, Polygon

from ..model.arrays import FloatArray
from ..model.checks import positive
from ..model.errors import ConfigError
from .clusters import positions

Area: TypeAlias = Polygon | MultiPolygon

_STEP_M = 0.001
"""Positions within a millimetre are one; and to it corners are rounded where cells are united."""


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
    Each cell is cut from the clip area's surroundings by the bisectors between its antenna and the
    others, nearest first, until the rest are too far away to cut. Coordinates count from the cell's
    own antenna, so that antennas a millimetre apart keep their border in a country of a thousand
    kilometres, where a diagram of the whole country at once loses centimetres.

    Examples
    --------
    >>> west, east = voronoi_cells([0, 1000], [0, 0], margin_m=500)
    >>> round(west.bounds[2], 6), round(east.bounds[0], 6)
    (500.0, 500.0)
    """
    x, y = positions(x_m, y_m)
    sites, site = np.unique(np.rint(np.column_stack([x, y]) / _STEP_M), axis=0, return_inverse=True)
    clip = _clip_area(sites * _STEP_M, margin_m, land)
    west, south, east, north = clip.bounds
    frame = np.array([[west, south], [east, south], [east, north], [west, north]])
    tree = cKDTree(sites)
    cells = []
    for number, own in enumerate(sites):
        corners = _cut_out(tree, sites, number, frame - own * _STEP_M) + own * _STEP_M
        # Rounding may leave a corner a hair inside: the hull of the corners is the cell.
        cell = shapely.convex_hull(shapely.multipoints(corners))
        cells.append(_areas_of(shapely.intersection(cell, clip)))
    return [cells[number] for number in site.reshape(-1)]


def _cut_out(tree: cKDTree, sites: FloatArray, number: int, area: FloatArray) -> FloatArray:
    """Of a convex area around a site, at 0, what is nearer to it than to any other site.

    ``sites`` are whole millimetres, so that differences between them are exact; the area is in
    metres. It may end up empty.
    """
    known, wanted = 1, 32
    while known < len(sites) and len(area):
        wanted = min(wanted, len(sites))
        near = tree.query(sites[number], k=wanted)[1][known:]
        to = (sites[near] - sites[number]) * _STEP_M
        half = (to**2).sum(axis=1) / 2
        while len(area) and len(to):
            beyond = (to @ area.T > half[:, None]).any(axis=1)
            if not beyond.any():
                break
            first = int(np.argmax(beyond))
            area = _behind(area, to[first], half[first])
            to, half = to[first + 1 :], half[first + 1 :]
        seen_m = np.hypot(*(sites[near[-1]] - sites[number])) * _STEP_M
        if len(area) and 2 * np.hypot(*area.T).max() < seen_m:
            break  # whoever comes now has its bisector beyond every corner
        known, wanted = wanted, wanted * 4
    return area


def _behind(area: FloatArray, to: FloatArray, half: float) -> FloatArray:
    """Cut a convex polygon (corners in order) at the line ``to · p = half``: the side of 0."""
    over = area @ to - half
    after = np.roll(over, -1)
    crossing = (over > 0) != (after > 0)
    share = np.divide(over, over - after, out=np.zeros(len(over)), where=crossing)
    cut = area + share[:, None] * (np.roll(area, -1, axis=0) - area)
    both = np.stack([area, cut], axis=1).reshape(-1, 2)
    corners: FloatArray = both[np.column_stack([over <= 0, crossing]).reshape(-1)]
    return corners


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
    margin_m = positive("margin_m", margin_m, of="metres")
    hull = shapely.convex_hull(shapely.multipoints(sites))
    return _areas_of(shapely.buffer(hull, margin_m, quad_segs=16))


def _areas_of(shape: shapely.Geometry) -> Area:
    """What of a shape is area: clipping may leave points and lines where borders touch."""
    if isinstance(shape, (Polygon, MultiPolygon)):
        return shape
    parts = [p for p in shapely.get_parts(shape) if isinstance(p, (Polygon, MultiPolygon))]
    pieces = [piece for p in parts for piece in shapely.get_parts(p)]
    return pieces[0] if len(pieces) == 1 else MultiPolygon(pieces) if pieces else Polygon()
