"""Antenna clusters of a stated approximate size, and the Voronoi cells of antennas.

Clusters have about equally many antennas, and are found by frequency-sensitive competitive learning
(de Montjoye et al., *Unique in the Crowd*, 2013, Methods, "Spatial aggregation"). Plain k-means
would give a city centre one crowded cluster, and the countryside many clusters of one antenna each.

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

from ..kernels.antenna_clusters import assign, compete
from ..model.arrays import FloatArray, IntArray
from ..model.checks import positive, whole
from ..model.errors import ConfigError, InfeasibleError

_PASSES = 20
_FIRST_RATE, _LAST_RATE = 0.3, 0.03
_WINS_KEPT = 0.8
_SETTLING, _HASTE = 3, 0.2


def cluster_antennas(
    x_m: npt.ArrayLike, y_m: npt.ArrayLike, size: int, *, seed: int = 0
) -> IntArray:
    """Divide antennas into ⌈M/size⌉ clusters of about ``size`` neighbours each.

    The method is frequency-sensitive competitive learning. The centroids start at antennas drawn at
    random. In each of 20 passes, the antennas come in random order. Each antenna is won by the
    centroid j with the smallest ``n_j · ‖x − c_j‖²``, where n_j is the number of j's wins so far.
    The winner moves towards the antenna at a rate that falls geometrically from 0.3 to 0.03 over
    all passes. Then every antenna is assigned once more by the same rule, with centroids and wins
    fixed.

    The source leaves some choices open. Before each further pass, the wins are multiplied by 0.8,
    and 0.2 is added. Early wins date from other positions, but wins should show how crowded a
    centroid is now. Before the last assignment, the wins settle in three rounds. In each round all
    antennas are assigned, and n_j is multiplied by the 0.2th power of (cluster size + ½)/(mean size
    + ½). The last assignment counts no wins. So it does not depend on the order of antennas, and
    each cluster is a cell of a weighted Voronoi diagram. Counting further wins, or settling for
    longer, evens out the sizes further but tears clusters apart. If a cluster stays empty (antennas
    may share a position), it gets the antenna of the largest cluster that is farthest from that
    cluster's centroid.

    The result does not depend on the order of the antennas: clusters are numbered from west to east
    by their westernmost antenna. ``np.bincount`` of the result gives the sizes.

    Parameters
    ----------
    x_m, y_m : array_like (M,)
        Projected positions, in metres.
    size : int
        Approximate number of antennas per cluster, 1 … M.
    seed : int
        The same seed gives the same clusters.

    Returns
    -------
    int64 ndarray (M,)
        Cluster of each antenna, 0 … ⌈M/size⌉ − 1; every cluster has at least one antenna.

    Raises
    ------
    ConfigError
        ``size`` is not a whole number of at least 1, or the seed is not a whole number of at least
        0. It is also raised if the positions are not two equally long lists of finite numbers.
    InfeasibleError
        There is no antenna, or ``size`` exceeds the number of antennas.

    Examples
    --------
    >>> cluster_antennas([0, 100, 5000, 5100], [0, 0, 0, 0], 2).tolist()
    [0, 0, 1, 1]
    """
    x, y = positions(x_m, y_m)
    size = whole("Cluster size", size, 1, of="antennas")
    if size > len(x):
        raise InfeasibleError(
            f"A cluster size of {size} exceeds the number of antennas, {len(x)}; choose a size "
            f"of at most {len(x)}."
        )
    count = -(-len(x) // size)
    seed = whole("seed", seed, 0)
    order = np.lexsort((y, x))
    x, y = x[order] - x.mean(), y[order] - y.mean()
    cluster = np.arange(len(x)) if count == len(x) else _learned(x, y, count, seed)
    first = np.unique(cluster, return_index=True)[1]
    number = np.empty(count, np.int64)
    number[cluster[np.sort(first)]] = np.arange(count)
    out = np.empty(len(x), np.int64)
    out[order] = number[cluster]
    return out


def positions(x_m: npt.ArrayLike, y_m: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the positions of antennas as two checked arrays, in metres.

    Raises
    ------
    ConfigError
        The positions are not two equally long lists of finite numbers.
    InfeasibleError
        There is no position.
    """
    try:
        x, y = np.asarray(x_m, np.float64), np.asarray(y_m, np.float64)
    except (TypeError, ValueError):
        raise ConfigError("Positions of antennas must be numbers, in metres.") from None
    if x.ndim != 1 or x.shape != y.shape:
        raise ConfigError(
            f"x_m has the shape {x.shape} and y_m {y.shape}; give one x and one y per antenna."
        )
    if len(x) == 0:
        raise InfeasibleError("There are no antennas; give at least one.")
    if bad := int((~(np.isfinite(x) & np.isfinite(y))).sum()):
        raise ConfigError(f"Antennas without a finite position: {bad}; leave them out.")
    return x, y


def _learned(x: FloatArray, y: FloatArray, count: int, seed: int) -> IntArray:
    rng = np.random.default_rng(seed)
    start = rng.choice(len(x), count, replace=False)
    cx, cy, wins = x[start], y[start], np.ones(count)
    fade = (_LAST_RATE / _FIRST_RATE) ** (1 / (_PASSES * len(x)))
    for turn in range(_PASSES):
        if turn:
            # Never 0: a centroid without wins would win everything, wherever it is.
            wins *= _WINS_KEPT
            wins += 1 - _WINS_KEPT
        rate = _FIRST_RATE * fade ** (turn * len(x))
        compete(x, y, cx, cy, wins, rng.permutation(len(x)), rate, fade)
    for _ in range(_SETTLING):
        sizes = np.bincount(assign(x, y, cx, cy, wins), minlength=count)
        # Half an antenna is added to both, so that the cost of an empty cluster never becomes 0.
        wins *= ((sizes + 0.5) / (len(x) / count + 0.5)) ** _HASTE
    return _filled(assign(x, y, cx, cy, wins), x, y, cx, cy)


def _filled(
    cluster: IntArray, x: FloatArray, y: FloatArray, cx: FloatArray, cy: FloatArray
) -> IntArray:
    """Fill empty clusters and return the result; needs at least as many antennas as clusters."""
    sizes = np.bincount(cluster, minlength=len(cx))
    for empty in np.flatnonzero(sizes == 0):
        donor = int(np.argmax(sizes))
        members = np.flatnonzero(cluster == donor)
        far = (x[members] - cx[donor]) ** 2 + (y[members] - cy[donor]) ** 2
        cluster[members[np.argmax(far)]] = empty
        sizes[donor] -= 1
        sizes[empty] += 1
    return cluster


Area: TypeAlias = Polygon | MultiPolygon

_STEP_M = 0.001
"""One millimetre: precision to which positions are compared and united corners are rounded."""


def voronoi_cells(
    x_m: npt.ArrayLike, y_m: npt.ArrayLike, *, margin_m: float = 1000.0, land: Area | None = None
) -> list[Area]:
    """Return, for each antenna, the part of the clip area nearer to it than to any other antenna.

    Parameters
    ----------
    x_m, y_m : array_like (M,)
        Projected positions, in metres.
    margin_m : float
        Distance by which the antennas' convex hull is widened; cells are clipped to the widened
        hull.
    land : Polygon or MultiPolygon, optional
        Area to clip to instead, in the same projection; ``margin_m`` is then ignored.

    Returns
    -------
    list of shapely Polygon or MultiPolygon, length M
        One cell per antenna, in order. The cells tile the clip area. Antennas at one position (to a
        millimetre) all get the same cell; a cell wholly off the land is empty.

    Raises
    ------
    ConfigError
        A position or the margin is invalid, or ``land`` is not a valid area.
    InfeasibleError
        There is no antenna.

    Notes
    -----
    Each cell is cut from the clip area's bounding rectangle by the bisectors between its antenna
    and the others. The nearest antennas come first, until all others are too far away to cut it.
    Coordinates are measured from the cell's own antenna, so antennas a millimetre apart keep their
    border even in a country a thousand kilometres wide. A diagram of the whole country at once
    would be off by centimetres.

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
        # Rounding may leave a corner slightly inside, so the cell is the hull of the corners.
        cell = shapely.convex_hull(shapely.multipoints(corners))
        cells.append(_areas_of(shapely.intersection(cell, clip)))
    return [cells[number] for number in site.reshape(-1)]


def _cut_out(tree: cKDTree, sites: FloatArray, number: int, area: FloatArray) -> FloatArray:
    """Return the part of a convex area that is nearer to one site than to any other site.

    ``sites`` are in whole millimetres, so that differences between them are exact. The area is in
    metres, measured from the site; the part may be empty.
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
            break  # all later bisectors are beyond every corner
        known, wanted = wanted, wanted * 4
    return area


def _behind(area: FloatArray, to: FloatArray, half: float) -> FloatArray:
    """Return the part of a convex polygon (corners in order) where ``to · p ≤ half``."""
    over = area @ to - half
    after = np.roll(over, -1)
    crossing = (over > 0) != (after > 0)
    share = np.divide(over, over - after, out=np.zeros(len(over)), where=crossing)
    cut = area + share[:, None] * (np.roll(area, -1, axis=0) - area)
    both = np.stack([area, cut], axis=1).reshape(-1, 2)
    corners: FloatArray = both[np.column_stack([over <= 0, crossing]).reshape(-1)]
    return corners


def merged_regions(cells: Sequence[Area], cluster: npt.ArrayLike) -> list[Area]:
    """Return the area of each cluster: the union of its antennas' cells.

    Parameters
    ----------
    cells : sequence of Polygon or MultiPolygon, length M
        From :func:`voronoi_cells`.
    cluster : array_like of int (M,)
        Numbers from :func:`cluster_antennas`, or any other whole numbers from 0 on.

    Returns
    -------
    list of shapely Polygon or MultiPolygon
        Entry j is the area of cluster j; empty if no antenna has that number. A MultiPolygon is a
        cluster in several pieces. Corners are rounded to a millimetre, so that no gap remains
        between neighbours.

    Raises
    ------
    ConfigError
        ``cluster`` does not have one whole number from 0 on for each cell.

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
        raise ConfigError("Cluster numbers must be whole numbers of 0 or more.")
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
    """Return the areas in a shape; clipping may leave points and lines where borders touch."""
    if isinstance(shape, (Polygon, MultiPolygon)):
        return shape
    parts = [p for p in shapely.get_parts(shape) if isinstance(p, (Polygon, MultiPolygon))]
    pieces = [piece for p in parts for piece in shapely.get_parts(p)]
    return pieces[0] if len(pieces) == 1 else MultiPolygon(pieces) if pieces else Polygon()
