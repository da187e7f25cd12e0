"""Region or hexagon of each sample, and the rectangle that represents it.

Data locate a place only to within its raw cell. So a *site* of a region is a raw cell. Antennas in
one cell are one site and belong to one region. A sample belongs to the region of the site at which
it was recorded. If events have their own positions, a sample belongs to the region of the nearest
site, whose Voronoi cell holds the sample.

H3 lays hexagons (and twelve pentagons) over the globe; recipients of mobility data already use its
cells as a grid.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import h3.api.basic_int as h3
import numpy as np
import numpy.typing as npt
import pandas as pd

from ..kernels.antenna_clusters import assign
from ..measures.areas import hexagons_at
from ..model.antennas import Antennas
from ..model.arrays import FloatArray, IntArray, distinct_rows, offsets_of
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import AntennaClusters, Hexagons, Regions
from ..model.projection import project
from .clusters import cluster_antennas

Hexes = npt.NDArray[np.uint64]

_EARTH_M = 6_371_000.0


@dataclass(frozen=True, eq=False)
class PlaceMap:
    """Regions of a data set, in ascending order of their rectangles' lower corners.

    Attributes
    ----------
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_regions,)
        Rectangle that represents each region, in metres. No two rectangles share a lower corner.
    sample_region : int64 ndarray (n_samples,)
        Region of each sample.
    """

    x_m: FloatArray
    y_m: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray
    sample_region: IntArray


@dataclass(frozen=True, eq=False)
class RegionMap(PlaceMap):
    """Antenna clusters or named regions of a data set.

    Attributes
    ----------
    site_x_m, site_y_m : float64 ndarray (n_sites,)
        Lower corner of each site's cell, in metres.
    site_region : int64 ndarray (n_sites,)
        Region of each site.
    """

    site_x_m: FloatArray
    site_y_m: FloatArray
    site_region: IntArray


@dataclass(frozen=True, eq=False)
class HexagonMap(PlaceMap):
    """Hexagons of a data set; ``cell``, uint64 ndarray (n_hexagons,), has their H3 indices."""

    cell: Hexes


def region_map(fs: FingerprintSet, space: AntennaClusters | Regions, *, seed: int = 0) -> RegionMap:
    """Return a profile's regions, their sites, and the region of every sample.

    Sites are the cells of the antenna table. Without a table, they are the distinct places of the
    data; a different choice of users may then give different clusters. A region is represented by
    the bounding rectangle of the cells of its sites, and of the samples assigned to it from
    elsewhere.

    Rectangles of different regions may overlap, and two may even have the same lower corner, which
    identifies a bin. Then the region that comes first (by number of the cluster, or by name) keeps
    the corner. The other rectangles are widened to the west, by whole raw cells, to the first free
    corner. A widened rectangle still covers its region, and all rectangles differ.

    Raises
    ------
    ConfigError
        The data lack the antenna table or the column that named regions need, or an antenna that
        the data name has no region. It is also raised if data with an antenna table are generalized
        already, so that a sample may lie in several regions.
    InfeasibleError
        The cluster size exceeds the number of sites.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 100, 5000], [0, 0, 0], [0, 5, 9])
    >>> regions = region_map(fs, AntennaClusters(2))
    >>> regions.sample_region.tolist(), regions.dx_m.tolist()
    ([0, 0, 1], [200.0, 100.0])
    """
    sites = _sites_of_table(fs, fs.antennas) if fs.antennas is not None else _sites_of_samples(fs)
    if isinstance(space, Regions):
        region = _named(fs, space, sites)
    else:
        region = _clustered(space.size, seed, sites)
    mine = region[sites.of_sample]
    known = region >= 0
    left, bottom, right, top = (
        _extreme(of, region[known], mine, at_site[known], at_sample)
        for of, at_site, at_sample in (
            (np.minimum, sites.x, fs.x_m),
            (np.minimum, sites.y, fs.y_m),
            (np.maximum, sites.x + sites.dx, fs.x_m + fs.dx_m),
            (np.maximum, sites.y + sites.dy, fs.y_m + fs.dy_m),
        )
    )
    _, rank, laid = _laid_out((left, bottom, right, top), mine, fs.granularity_m)
    of_site = np.where(known, rank[region], -1)
    return RegionMap(**laid, site_x_m=sites.x, site_y_m=sites.y, site_region=of_site)


@dataclass(frozen=True, eq=False)
class _Sites:
    """Cells in ascending order of their corners, and the site of each sample."""

    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    of_sample: IntArray


def _sites_of_table(fs: FingerprintSet, antennas: Antennas) -> _Sites:
    side = antennas.granularity_m
    if fs.granularity_m != side or np.any(fs.dx_m != side) or np.any(fs.dy_m != side):
        raise ConfigError(
            "The places of these data are generalized already, and each may lie in several "
            f"regions; use the data as they were read, with places of {side:g} m."
        )
    first, _ = distinct_rows(antennas.x_m, antennas.y_m)
    x, y = antennas.x_m[first], antennas.y_m[first]
    place, of_sample = distinct_rows(fs.x_m, fs.y_m)
    # The nearest site, the first among equals; all cells have one size, so corners suffice.
    site = assign(fs.x_m[place], fs.y_m[place], x, y, np.ones(len(x)))
    return _Sites(x, y, np.full(len(x), side), np.full(len(x), side), site[of_sample])


def _sites_of_samples(fs: FingerprintSet) -> _Sites:
    first, of_sample = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    return _Sites(fs.x_m[first], fs.y_m[first], fs.dx_m[first], fs.dy_m[first], of_sample)


def _clustered(size: int, seed: int, sites: _Sites) -> IntArray:
    if size > len(sites.x):
        raise InfeasibleError(
            f"Clusters of about {size} antennas are larger than the network. Choose a size of at "
            f"most {len(sites.x)}, the number of distinct places at which antennas stand."
        )
    x, y = sites.x + sites.dx / 2, sites.y + sites.dy / 2
    return cluster_antennas(x, y, size, seed=seed)


def _named(fs: FingerprintSet, space: Regions, sites: _Sites) -> IntArray:
    """Return each site's region, numbered in order of the regions' names; −1 without a name."""
    if fs.antennas is None:
        raise ConfigError(
            f"The profile's {space} need an antenna table with that column; read the data with "
            "such a table, or choose a grid or antenna clusters."
        )
    texts = fs.antennas.column(space.column)
    # The first antenna of a cell that has a region in the table determines the region.
    given = np.argsort(texts == "", kind="stable")
    first, _ = distinct_rows(fs.antennas.x_m[given], fs.antennas.y_m[given])
    of_site = texts[given[first]]
    names, region = np.unique(of_site.astype(str), return_inverse=True)
    region = np.where(of_site == "", -1, region - int(names[0] == ""))
    lost = np.unique(sites.of_sample[region[sites.of_sample] < 0])
    if len(lost):
        raise ConfigError(
            f"The antenna table has no {space.column!r} for {len(lost)} of the antennas that the "
            "data name; fill in the column, or choose another column."
        )
    return region


def _extreme(
    of: np.ufunc, region: IntArray, mine: IntArray, at_site: FloatArray, at_sample: FloatArray
) -> FloatArray:
    """Return the least or greatest value of each region, over its sites and its samples."""
    out = np.full(int(region.max()) + 1, np.inf if of is np.minimum else -np.inf)
    of.at(out, region, at_site)
    of.at(out, mine, at_sample)
    return out


def _laid_out(
    sides: tuple[FloatArray, ...], mine: IntArray, step: float
) -> tuple[IntArray, IntArray, dict[str, Any]]:
    """Return the order of the rectangles, the inverse of this order, and a map's columns.

    ``sides`` are the rectangles' left, bottom, right and top; ``mine`` is the region of each
    sample.
    """
    left, bottom, right, top = sides
    apart = _own_corners(left, bottom, step)
    order = np.lexsort((bottom, apart))
    rank = np.argsort(order)
    columns = {"x_m": apart, "y_m": bottom, "dx_m": right - apart, "dy_m": top - bottom}
    laid: dict[str, Any] = {name: values[order] for name, values in columns.items()}
    return order, rank, laid | {"sample_region": rank[mine]}


def _own_corners(x: FloatArray, y: FloatArray, step: float) -> FloatArray:
    """Return the corners' x, moved west by whole steps if an earlier region has the same corner."""
    out = x.copy()
    taken = set(zip(x.tolist(), y.tolist(), strict=True))
    seen: set[tuple[float, float]] = set()
    for j, corner in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        if corner in seen:
            cell = round(corner[0] / step)
            while corner in taken:
                cell -= 1
                corner = (cell * step, corner[1])
            out[j] = corner[0]
            taken.add(corner)
        seen.add(corner)
    return out


def hexagon_map(fs: FingerprintSet, space: Hexagons) -> HexagonMap:
    """Return the hexagons that hold the middle of a sample's place, and each sample's hexagon.

    A hexagon is represented by a rectangle, in projected metres, that holds the whole hexagon,
    wherever people were in it. The rectangle bounds the hexagon's corners. It is widened on each
    side by the possible bulge of an edge and by half a raw cell, then rounded outwards to whole
    metres. A place whose middle is inside the hexagon may reach out of it by half a raw cell.
    Unlike a rectangle around the samples, this rectangle does not reveal where in the hexagon
    people were. It is the same in every data set with the same projection and the same size of raw
    cells. It may be wider only far from the projection's centre, to hold a place that reaches out
    further.

    Raises
    ------
    ConfigError
        The data carry no projection, so their position on the globe is unknown.

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
            "Hexagons need places in degrees, but these data came in metres without a projection; "
            "choose a square grid, or read data with latitudes and longitudes."
        )
    first, place = distinct_rows(fs.x_m, fs.y_m)
    left, bottom, width, height = (values[first] for values in (fs.x_m, fs.y_m, fs.dx_m, fs.dy_m))
    middle = left + width / 2, bottom + height / 2
    cells = hexagons_at(fs.crs, space.resolution, *middle)
    mine, distinct = pd.factorize(cells)
    x0, y0, x1, y1 = _rectangles(distinct, fs.crs, max(width.max(), height.max()) / 2)
    # Far from the projection's centre, an edge may bulge more: no place is left outside.
    np.minimum.at(x0, mine, left)
    np.minimum.at(y0, mine, bottom)
    np.maximum.at(x1, mine, left + width)
    np.maximum.at(y1, mine, bottom + height)
    order, _, laid = _laid_out((x0, y0, x1, y1), mine[place], 1.0)
    return HexagonMap(**laid, cell=distinct[order])


def _rectangles(cells: Hexes, crs: str, reach_m: float) -> tuple[FloatArray, ...]:
    """Return the west, south, east and north sides, in metres, of each hexagon's rectangle."""
    rings = [np.array(h3.cell_to_boundary(int(cell))) for cell in cells]
    starts = offsets_of([len(ring) for ring in rings])[:-1]
    lat, lon = np.concatenate(rings).T
    x, y = project(np.ascontiguousarray(lat), np.ascontiguousarray(lon), crs)
    # An edge is part of a great circle; if its length is e, it leaves its chord by about e² / 8R.
    edge = h3.average_hexagon_edge_length(h3.get_resolution(int(cells[0])), unit="m")
    margin = reach_m + 2 * edge**2 / (8 * _EARTH_M)
    west, south = (np.floor(np.minimum.reduceat(v, starts) - margin) for v in (x, y))
    east, north = (np.ceil(np.maximum.reduceat(v, starts) + margin) for v in (x, y))
    return west, south, east, north
