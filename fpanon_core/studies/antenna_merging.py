"""Antenna merging: regions of about v antennas, and their effect on unicity.

The study coarsens space as de Montjoye et al. 2013 do: neighbouring antennas are joined, and their
Voronoi cells form one region.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import pandas as pd

from ..anonymize.clusters import merged_regions, voronoi_cells
from ..anonymize.regions import region_map
from ..engines.progress import tell
from ..model.arrays import IntArray
from ..model.configs import KnowledgeConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import AntennaClusters, GeneralizationProfile
from ..model.projection import lon_lat
from .tabled import Tabled, Work, part_of
from .under_profiles import unicity_grid
from .unicity import GRID_POINTS, WINDOWS_MIN

_REGIONS_SHARE = 0.3  # of the progress, for the regions
_DIGITS = 5  # decimals kept of outlines in degrees


@dataclass(frozen=True)
class Config:
    """Size of the regions, and settings for measuring unicity with the regions as places.

    Attributes
    ----------
    size : int
        Approximate number of antennas in a region.
    users : int
        Largest number of targets, drawn at random.
    seed : int
        Seed of the regions and of all draws.
    windows_min : tuple of float
        Time windows, minutes; those finer than the data are skipped.
    points : tuple of int
        Numbers of known points; the points are drawn at random.
    """

    size: int = 7
    users: int = 2_500
    seed: int = 0
    windows_min: tuple[float, ...] = WINDOWS_MIN
    points: tuple[int, ...] = GRID_POINTS

    def __post_init__(self) -> None:
        if not (self.windows_min and self.points):
            raise ConfigError("Give at least one time window and one number of points.")
        space = AntennaClusters(self.size)
        for minutes in self.windows_min:
            GeneralizationProfile(space, minutes)
        for p in self.points:
            KnowledgeConfig(p, "random", self.users, self.seed)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Antenna clusters, their outlines in degrees, and unicity with the clusters as places.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data.
    rings : list of list of [longitude, latitude]
        Outlines of the clusters, one for each connected part of a cluster; empty where the data
        have no projection.
    region : list of int
        Number of the cluster that each outline belongs to.
    sizes : int64 ndarray (n_clusters,)
        Number of places with antennas in each cluster; for data without an antenna table, number of
        distinct places.
    grid : DataFrame
        Table of :func:`fpanon_core.unicity_grid`, over time windows.
    antennas : bool
        Whether the data have a table of antennas.
    """

    config: Config
    digest: str
    rings: list[list[list[float]]]
    region: list[int]
    sizes: IntArray
    grid: pd.DataFrame
    antennas: bool = True

    MAY_LEAVE = frozenset({"merged_antennas", "merged_unicity"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the size of each region (``merged_antennas``) and unicity (``merged_unicity``).

        The size is the number of places with antennas, in the column ``antennas``. Without an
        antenna table, it is the number of distinct places of the data, in the column ``places``.
        """
        noun = "antennas" if self.antennas else "places"
        regions = {"region": np.arange(len(self.sizes)), noun: self.sizes}
        return {"merged_antennas": pd.DataFrame(regions), "merged_unicity": self.grid}


def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Form clusters of about ``config.size`` antennas; measure unicity with clusters as places.

    Raises
    ------
    ConfigError
        All time windows are finer than the data, or the data have an antenna table and are already
        generalized.
    InfeasibleError
        There are fewer places with antennas than ``config.size`` or, without an antenna table,
        fewer places in the data.
    """
    tell(work.get("progress"), 0.0)
    space = AntennaClusters(config.size)
    found = region_map(fs, space, seed=config.seed)
    half = fs.granularity_m / 2
    cells = voronoi_cells(found.site_x_m + half, found.site_y_m + half)
    rings, region = [], []
    for number, area in enumerate(merged_regions(cells, found.site_region)):
        for piece in getattr(area, "geoms", [area]):
            lon, lat = lon_lat(fs.crs, *np.array(piece.exterior.coords).T)
            if len(lon):
                rings.append(np.column_stack([lon, lat]).round(_DIGITS).tolist())
                region.append(number)
    profiles = [
        GeneralizationProfile(space, minutes)
        for minutes in config.windows_min
        if minutes >= fs.granularity_min
    ]
    grid = unicity_grid(
        fs,
        profiles,
        config.points,
        users=config.users,
        seed=config.seed,
        **part_of(work, _REGIONS_SHARE, 1.0),
    )
    sizes = np.bincount(found.site_region)
    return Result(config, fs.digest, rings, region, sizes, grid, fs.antennas is not None)
