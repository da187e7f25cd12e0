"""Numbers of people recorded in each H3 hexagon, and numbers expected from a release.

Hexagons with few people are left out, because the map would otherwise single out the only
person in a hexagon.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Unpack

import h3.api.basic_int as h3
import numpy as np
from scipy import sparse  # type: ignore[import-untyped,unused-ignore]
from scipy.spatial import cKDTree  # type: ignore[import-untyped,unused-ignore]

from ..anonymize.chain import Chained
from ..anonymize.regions import hexagon_map
from ..engines.progress import Progress, nth_part, part, tell
from ..model.arrays import PLACE, FloatArray, IntArray, distinct_rows
from ..model.checks import Checked, whole
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.limits import SEED
from ..model.options import ReleaseOption
from ..model.profiles import Hexagons
from ..model.projection import central, lon_lat, project
from .estimates import costs
from .releases import released
from .tabled import Work, part_of

Hexes = np.ndarray[tuple[int], np.dtype[np.uint64]]

RESOLUTIONS = range(3, 11)
"""Resolutions of H3, coarse to fine: edges of 69 km to 76 m."""
_AREAS_AT_ONCE, _PEOPLE_AT_ONCE = 2_000, 2_000
_SURE = 1 - 1e-12


@dataclass(frozen=True)
class Config(Checked):
    """Fineness of the map, the least number of people shown, and the option that is compared.

    Attributes
    ----------
    least : int
        Smallest number of people with which a hexagon is shown.
    across : int
        Largest number of hexagons, approximately, along the longer side of the area that holds
        nearly all samples.
    most : int
        Largest number of hexagons shown; those with the most people are kept.
    option : ReleaseOption
        Option that publishes records. The result also shows people as this option publishes them,
        unless the option has no steps.
    seed : int
        Seed of the option's techniques.
    """

    least: Annotated[int, partial(whole, least=2, of="people")] = 5
    across: Annotated[int, partial(whole, least=1, of="hexagons")] = 50
    most: Annotated[int, partial(whole, least=1, of="hexagons")] = 2_000
    option: ReleaseOption = field(default_factory=ReleaseOption)
    seed: Annotated[int, SEED.check] = 0


@dataclass(frozen=True, eq=False)
class Result:
    """Number of people recorded at least once in each hexagon.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the data.
    edge_m : float
        Average length of a hexagon's edge, metres.
    people : int64 ndarray (n,)
        People recorded at least once in each hexagon shown, the largest number first: at least
        ``config.least``, or 0 where only ``after`` has people.
    after : float64 ndarray (n,)
        Expected number of people who were there at least once according to the release. A person
        is taken to be at a uniformly random place in each published area. The number is 0 where
        fewer than ``config.least`` people may have been there, and everywhere without an option.
    lon, lat : float64 ndarray (n_corners,)
        Corners of the hexagons, degrees; longitudes are continuous across the antimeridian.
    offsets : int64 ndarray (n + 1,)
        The corners of hexagon i are elements ``offsets[i]:offsets[i + 1]`` of ``lon`` and ``lat``.
    """

    config: Config
    digest: str
    edge_m: float
    people: IntArray
    after: FloatArray
    lon: FloatArray
    lat: FloatArray
    offsets: IntArray


@costs(450)
def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Result:
    """Count the people recorded in each hexagon, and those expected there from a release, if any.

    Raises
    ------
    ConfigError
        The data carry no projection, so their place on the globe is unknown, or the option
        publishes no records.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fpanon_core.model.projection import equal_area_around
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 3], [0, 0, 0, 90_000], [0] * 4, [0, 5, 9, 9])
    >>> found = study(replace(fs, crs=equal_area_around(14.7, -17.4)), Config(least=2))
    >>> found.people.tolist()
    [2]
    """
    if fs.crs is None:
        raise ConfigError("There is no map: the data carry no map projection.")
    if config.option.recordless is not None:
        raise ConfigError("The option publishes no records; choose one that does.")
    progress, resolution = work.get("progress"), _resolution(fs, config)
    hexagons = hexagon_map(fs, Hexagons(resolution))
    user = np.repeat(np.arange(fs.n_users), fs.lengths)
    first, _ = distinct_rows(user.astype(np.float64), hexagons.sample_region.astype(np.float64))
    who, where = fs.weight[user[first]], hexagons.sample_region[first]
    count = np.bincount(where, who, len(hexagons.cell)).astype(np.int64)
    people, after = np.where(count >= config.least, count, 0), np.zeros(len(count))
    cell = hexagons.cell
    if config.option.steps:
        release = released(fs, config.option.steps, config.seed, **part_of(work, 0.0, 0.6))
        every, counted = np.union1d(cell, _shown(fs, resolution)), people
        people = np.zeros(len(every), np.int64)
        people[np.searchsorted(every, cell)] = counted
        after, may = _spread(release, every, fs.crs, part(progress, 0.6, 0.95))
        cell, after = every, np.where(may >= config.least, after, 0.0)
    rank = np.lexsort((-after, -people))
    told = rank[(people > 0)[rank] | (after > 0)[rank]][: config.most]
    lon, lat, offsets = _corners(cell[told])
    tell(progress, 1.0)
    return Result(
        config=config,
        digest=fs.digest,
        edge_m=float(h3.average_hexagon_edge_length(resolution, unit="m")),
        people=people[told],
        after=after[told],
        lon=lon,
        lat=lat,
        offsets=offsets,
    )


def _shown(fs: FingerprintSet, resolution: int) -> Hexes:
    """Return the hexagons that cover nearly all samples, even those where nobody was recorded."""
    seen = central(fs.x_m + fs.dx_m / 2, fs.y_m + fs.dy_m / 2)
    edge = h3.average_hexagon_edge_length(resolution, unit="m")  # the area may be a point or a line
    x = np.array([seen.west - edge, seen.east + edge])[[0, 1, 1, 0]]
    y = np.array([seen.south - edge, seen.north + edge])[[0, 0, 1, 1]]
    lon, lat = lon_lat(fs.crs, x, y)
    around = h3.LatLngPoly(list(zip(lat.tolist(), lon.tolist(), strict=True)))
    return np.array(h3.h3shape_to_cells(around, resolution), np.uint64)


def _spread(
    release: Chained, cells: Hexes, crs: str | None, progress: Progress | None
) -> tuple[FloatArray, FloatArray]:
    """Return the expected and the largest possible number of people in each hexagon.

    All hexagons with their centres in a published area get equal shares of it. An area that holds
    no centre is assigned to the hexagon with the nearest centre, if that centre is near. See
    :class:`Result`.
    """
    assert crs is not None
    fs, original = release.fs, release.original
    lat, lon = np.array([h3.cell_to_latlng(int(cell)) for cell in cells]).T
    x, y = project(np.ascontiguousarray(lat), np.ascontiguousarray(lon), crs)
    first, which = distinct_rows(*fs.arrays(PLACE).values())
    areas = np.column_stack([values[first] for values in fs.arrays(PLACE).values()])
    person = release.person[fs.sample_user]
    pairs, _ = distinct_rows(person.astype(np.float64), which.astype(np.float64))
    shares = _shares(areas, x, y, h3.average_hexagon_area(h3.get_resolution(int(cells[0])), "m^2"))
    shape = (original.n_users, len(areas))
    own = sparse.csr_array((np.ones(len(pairs)), (person[pairs], which[pairs])), shape)
    found, may = np.zeros((2, len(cells)))
    for at in range(0, original.n_users, _PEOPLE_AT_ONCE):
        some = slice(at, at + _PEOPLE_AT_ONCE)
        nowhere = (own[some] @ shares).tocsr()  # logarithms add up
        nowhere.data = -np.expm1(nowhere.data)
        found += original.weight[some] @ nowhere
        may += original.weight[some] @ (nowhere > 0)
        tell(nth_part(progress, at, original.n_users), 1.0)
    return np.round(found, 6), may  # near-certain presence counts as whole


def _shares(areas: FloatArray, x: FloatArray, y: FloatArray, hexagon_m2: float) -> sparse.csr_array:
    """Return the logarithm of one minus each hexagon's share of each area, (areas, hexagons)."""
    rows, columns = [], []
    low, size = areas[:, :2], areas[:, 2:]
    for at in range(0, len(areas), _AREAS_AT_ONCE):
        west, south = low[at : at + _AREAS_AT_ONCE].T[:, :, None]
        east, north = (low + size)[at : at + _AREAS_AT_ONCE].T[:, :, None]
        row, column = np.nonzero((x >= west) & (x < east) & (y >= south) & (y < north))
        rows.append(row + at)
        columns.append(column)
    row, column = np.concatenate(rows), np.concatenate(columns)
    inside = np.bincount(row, minlength=len(areas))
    # The people of an area that reaches beyond the map are not squeezed into the map.
    many = np.maximum(np.maximum(inside, size.prod(axis=1) / hexagon_m2), 1.0)
    none = np.flatnonzero(inside == 0)
    away, nearest = cKDTree(np.column_stack([x, y])).query((low + size / 2)[none])
    near = away <= np.sqrt(hexagon_m2)
    each = np.concatenate([1 / many[row], np.ones(int(near.sum()))])
    row = np.concatenate([row, none[near]])
    column = np.concatenate([column, nearest[near]])
    values = np.log1p(-np.minimum(each, _SURE))
    return sparse.csr_array((values, (row, column)), (len(areas), len(x)))


def _resolution(fs: FingerprintSet, config: Config) -> int:
    """Return the finest resolution with at most about ``across`` hexagons side by side.

    Hexagons are never finer than a sample.
    """
    x, y = fs.x_m + fs.dx_m / 2, fs.y_m + fs.dy_m / 2
    shown = central(x, y)
    side = max(shown.east - shown.west, shown.north - shown.south)
    width = max(side / config.across, float(np.median(np.maximum(fs.dx_m, fs.dy_m))))
    wide = (r for r in RESOLUTIONS if 2 * h3.average_hexagon_edge_length(r, unit="m") >= width)
    return max(wide, default=RESOLUTIONS[0])


def _corners(cells: Hexes) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the corners of all hexagons: longitudes (no jump at ±180°), latitudes, offsets."""
    rings = [np.array(h3.cell_to_boundary(int(cell))) for cell in cells]
    offsets = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])]).astype(np.int64)
    if not rings:
        return np.empty(0), np.empty(0), offsets
    lat, lon = np.concatenate(rings).T
    middle = rings[0][0, 1]
    near = (lon - middle + 180.0) % 360.0 - 180.0 + middle
    return near, np.ascontiguousarray(lat), offsets
