"""Which region does each sample fall into? Antenna clusters and named regions.

Data know a place no better than to its raw cell. The *site* of a region is therefore such a cell:
antennas in one cell are one site, and belong to one region. A sample belongs to the region of the
site it was recorded at or, where events have positions of their own, of the nearest site, in whose
Voronoi cell it lies.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.antenna_clusters import assign
from ..model.antennas import Antennas
from ..model.arrays import FloatArray, IntArray, distinct_rows
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import AntennaClusters, Regions
from .clusters import cluster_antennas


@dataclass(frozen=True, eq=False)
class RegionMap:
    """The regions of a data set, in ascending order of their rectangles' lower corners.

    Attributes
    ----------
    site_x_m, site_y_m : float64 ndarray (n_sites,)
        Lower corner of each site's cell, metres.
    site_region : int64 ndarray (n_sites,)
        Region of each site.
    names : tuple of str, length n_regions
        The regions' names in the antenna table; empty texts for clusters.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_regions,)
        The rectangle that stands for each region, metres. No two have the same lower corner.
    sample_region : int64 ndarray (n_samples,)
        Region of each sample.
    widened : int
        How many rectangles are wider than their members need, to have a corner of their own.
    """

    site_x_m: FloatArray
    site_y_m: FloatArray
    site_region: IntArray
    names: tuple[str, ...]
    x_m: FloatArray
    y_m: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray
    sample_region: IntArray
    widened: int


def region_map(fs: FingerprintSet, space: AntennaClusters | Regions, *, seed: int = 0) -> RegionMap:
    """The regions of a space, their sites, and the region of every sample.

    Sites are the cells of the antenna table or, where there is none, the distinct places of the
    data (then another choice of users may make other clusters). A region is represented by the
    bounding rectangle of the cells of its sites, and of the samples that fell to it from elsewhere.

    Rectangles of different regions may overlap, and two may even have the same lower corner, by
    which bins are told apart. Then the region that comes first (by number of the cluster, or by
    name) keeps it, and the others' rectangles are widened to the west, by whole raw cells, to the
    first corner that is free. A widened rectangle still covers its region, none ever equals
    another, and ``widened`` says how many there are.

    Raises
    ------
    ConfigError
        There is no antenna table or no such column for named regions; an antenna that is needed
        has no region; or the data are generalized already, so that a sample may lie in several
        regions.
    InfeasibleError
        Clusters are to have more antennas than there are sites.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 100, 5000], [0, 0, 0], [0, 5, 9])
    >>> regions = region_map(fs, AntennaClusters(2))
    >>> regions.sample_region.tolist(), regions.dx_m.tolist()
    ([0, 0, 1], [200.0, 100.0])
    """
    sites = _sites_of_table(fs, fs.antennas) if fs.antennas is not None else _sites_of_samples(fs)
    names: list[str] = []
    if isinstance(space, Regions):
        region, names = _named(fs, space, sites)
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
    apart = own_corners(left, bottom, fs.granularity_m)
    order = np.lexsort((bottom, apart))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return RegionMap(
        site_x_m=sites.x,
        site_y_m=sites.y,
        site_region=np.where(known, rank[region], -1),
        names=tuple(names[j] for j in order) if names else (),
        x_m=apart[order],
        y_m=bottom[order],
        dx_m=(right - apart)[order],
        dy_m=(top - bottom)[order],
        sample_region=rank[mine],
        widened=int((apart != left).sum()),
    )


@dataclass(frozen=True, eq=False)
class _Sites:
    """Cells in ascending order of their corners, and the one each sample belongs to."""

    x: FloatArray
    y: FloatArray
    dx: FloatArray
    dy: FloatArray
    of_sample: IntArray


def _sites_of_table(fs: FingerprintSet, antennas: Antennas) -> _Sites:
    side = antennas.granularity_m
    if fs.granularity_m != side or np.any(fs.dx_m != side) or np.any(fs.dy_m != side):
        raise ConfigError(
            "The places of these data are generalized already, and one may lie in several regions; "
            f"take the data as read, with places of {side:g} m."
        )
    first, _ = distinct_rows(antennas.x_m, antennas.y_m)
    x, y = antennas.x_m[first], antennas.y_m[first]
    place, of_sample = distinct_rows(fs.x_m, fs.y_m)
    # The nearest site, the first of equals; all cells are alike, so that corners will do.
    site = assign(fs.x_m[place], fs.y_m[place], x, y, np.ones(len(x)))
    return _Sites(x, y, np.full(len(x), side), np.full(len(x), side), site[of_sample])


def _sites_of_samples(fs: FingerprintSet) -> _Sites:
    first, of_sample = distinct_rows(fs.x_m, fs.y_m, fs.dx_m, fs.dy_m)
    return _Sites(fs.x_m[first], fs.y_m[first], fs.dx_m[first], fs.dy_m[first], of_sample)


def _clustered(size: int, seed: int, sites: _Sites) -> IntArray:
    if size > len(sites.x):
        raise InfeasibleError(
            f"Clusters of about {size} antennas are larger than all there are: the antennas stand "
            f"at {len(sites.x)} distinct places. Choose a size of at most {len(sites.x)}."
        )
    x, y = sites.x + sites.dx / 2, sites.y + sites.dy / 2
    return cluster_antennas(x, y, size, seed=seed)


def _named(fs: FingerprintSet, space: Regions, sites: _Sites) -> tuple[IntArray, list[str]]:
    """Region of each site, −1 where it has no name; and the names."""
    if fs.antennas is None:
        raise ConfigError(
            f"The profile's {space} need an antenna table with that column; read the data with it, "
            "or choose a grid or antenna clusters."
        )
    texts = fs.antennas.column(space.column)
    # Of the antennas in one cell, the first in the table that has a region gives it.
    given = np.argsort(texts == "", kind="stable")
    first, _ = distinct_rows(fs.antennas.x_m[given], fs.antennas.y_m[given])
    of_site = texts[given[first]]
    names, region = np.unique(of_site.astype(str), return_inverse=True)
    region = np.where(of_site == "", -1, region - int(names[0] == ""))
    lost = np.unique(sites.of_sample[region[sites.of_sample] < 0])
    if len(lost):
        raise ConfigError(
            f"{len(lost)} antennas that the data name have no {space.column!r} in the antenna "
            "table; fill it in, or choose another column."
        )
    return region, [name for name in names.tolist() if name]


def _extreme(
    of: np.ufunc, region: IntArray, mine: IntArray, at_site: FloatArray, at_sample: FloatArray
) -> FloatArray:
    """The least or greatest value of each region, over its sites and its samples."""
    out = np.full(int(region.max()) + 1, np.inf if of is np.minimum else -np.inf)
    of.at(out, region, at_site)
    of.at(out, mine, at_sample)
    return out


def own_corners(x: FloatArray, y: FloatArray, step: float) -> FloatArray:
    """The corners' x, moved west by whole steps where an earlier region has the same corner."""
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
