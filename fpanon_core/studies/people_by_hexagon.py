"""Where are people? How many were recorded in each hexagon of H3, for a map of columns.

Places of few people are left out: who is alone at a place would be seen there by everybody who
looks at the wall.
"""

from __future__ import annotations

from dataclasses import dataclass

import h3.api.basic_int as h3
import numpy as np
import pandas as pd

from ..anonymize.regions import hexagon_map
from ..engines.local import Engine
from ..engines.progress import Progress, tell
from ..model.arrays import FloatArray, IntArray, distinct_rows
from ..model.checks import whole
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import Hexagons
from ..model.projection import central
from .tabled import Tabled

RESOLUTIONS = range(3, 11)
"""Of H3, coarse to fine: edges of 69 km to 76 m."""


@dataclass(frozen=True)
class Config:
    """How fine the map is, and who is too few for it.

    Attributes
    ----------
    least : int
        People that a hexagon must have to be told of.
    across : int
        Hexagons, about, along the longer side of where nearly everything is.
    most : int
        Hexagons that are told of, those of most people.
    """

    least: int = 5
    across: int = 50
    most: int = 2_000

    def __post_init__(self) -> None:
        whole("least", self.least, 2, of="people")
        whole("across", self.across, 1, of="hexagons")
        whole("most", self.most, 1, of="hexagons")


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """How many people were recorded at least once in each hexagon.

    Attributes
    ----------
    config : Config
    digest : str
        Of the data.
    resolution : int
        Of H3.
    edge_m : float
        Average length of a hexagon's edge, metres.
    cell : uint64 ndarray (n,)
        H3's index of each hexagon that is told of, the most people first.
    people : int64 ndarray (n,)
        Recorded there at least once; at least ``config.least``.
    lon, lat : float64 ndarray (n_corners,)
        Corners of the hexagons, degrees; longitudes run on across the antimeridian.
    offsets : int64 ndarray (n + 1,)
        Corners of hexagon i are ``offsets[i]:offsets[i + 1]``.
    few : int
        Hexagons with people, but too few.
    beyond : int
        Hexagons with people enough that are not among the ``config.most``.
    unseen : int
        People who were recorded in none of those told of.
    n_people : int
        All.
    """

    config: Config
    digest: str
    resolution: int
    edge_m: float
    cell: np.ndarray[tuple[int], np.dtype[np.uint64]]
    people: IntArray
    lon: FloatArray
    lat: FloatArray
    offsets: IntArray
    few: int
    beyond: int
    unseen: int
    n_people: int

    def tables(self) -> dict[str, pd.DataFrame]:
        """``hexagons``: ``cell`` (H3's index, hexadecimal), ``people``."""
        cells = [f"{cell:x}" for cell in self.cell.tolist()]
        return {"hexagons": pd.DataFrame({"cell": cells, "people": self.people})}


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,  # noqa: ARG001
    progress: Progress | None = None,
) -> Result:
    """Count the people of each hexagon.

    Raises
    ------
    ConfigError
        The data carry no projection, so that nobody knows where on the globe they are.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fpanon_core.model.projection import equal_area_around
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 0, 0, 90_000], [0] * 4, [0, 5, 9, 9])
    >>> found = study(replace(fs, crs=equal_area_around(14.7, -17.4)), Config(least=2))
    >>> found.people.tolist(), found.few, found.unseen
    ([2], 1, 1)
    """
    if fs.crs is None:
        raise ConfigError("There is no map: the data carry no map projection.")
    resolution = _resolution(fs, config)
    hexagons = hexagon_map(fs, Hexagons(resolution))
    tell(progress, 0.6)
    user = np.repeat(np.arange(fs.n_users), fs.lengths)
    first, _ = distinct_rows(user.astype(np.float64), hexagons.sample_region.astype(np.float64))
    who, where = user[first], hexagons.sample_region[first]
    count = np.bincount(where, fs.weight[who], len(hexagons.cell)).astype(np.int64)
    enough = np.flatnonzero(count >= config.least)
    told = enough[np.argsort(-count[enough], kind="stable")[: config.most]]
    seen = np.zeros(fs.n_users, bool)
    seen[who[np.isin(where, told)]] = True
    lon, lat, offsets = _corners(hexagons.cell[told])
    tell(progress, 1.0)
    return Result(
        config=config,
        digest=fs.digest,
        resolution=resolution,
        edge_m=float(h3.average_hexagon_edge_length(resolution, unit="m")),
        cell=hexagons.cell[told],
        people=count[told],
        lon=lon,
        lat=lat,
        offsets=offsets,
        few=int(((count > 0) & (count < config.least)).sum()),
        beyond=len(enough) - len(told),
        unseen=int(fs.weight[~seen].sum()),
        n_people=int(fs.weight.sum()),
    )


def _resolution(fs: FingerprintSet, config: Config) -> int:
    """The finest of which at most about ``across`` lie side by side, none finer than a sample."""
    x, y = fs.x_m + fs.dx_m / 2, fs.y_m + fs.dy_m / 2
    shown = central(x, y)
    side = max(shown.east - shown.west, shown.north - shown.south)
    width = max(side / config.across, float(np.median(np.maximum(fs.dx_m, fs.dy_m))))
    for resolution in reversed(RESOLUTIONS):
        if 2 * h3.average_hexagon_edge_length(resolution, unit="m") >= width:
            return resolution
    return RESOLUTIONS[0]


def _corners(
    cells: np.ndarray[tuple[int], np.dtype[np.uint64]],
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Of all hexagons: longitudes near those of the first, latitudes, and where each begins."""
    rings = [np.array(h3.cell_to_boundary(int(cell))) for cell in cells]
    offsets = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])]).astype(np.int64)
    if not rings:
        return np.empty(0), np.empty(0), offsets
    lat, lon = np.concatenate(rings).T
    middle = rings[0][0, 1]
    near = (lon - middle + 180.0) % 360.0 - 180.0 + middle
    return near, np.ascontiguousarray(lat), offsets
