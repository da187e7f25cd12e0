"""Areas on which a release is compared with its original: squares, hexagons, or named regions.

Squares have no natural corner, so nine grids of equal squares are used, shifted against each other.
The shifts are a rank-1 lattice (Sloan & Joe 1994): along either axis, the nine shifts are 0 to 8
ninths of a side. A three-by-three arrangement would give only three different shifts along an axis.
The edges of a cell and of a square would then coincide in three of the nine grids or in none.
Hexagons and regions are not shifted.

Source: docs/science.md, “Techniques, utility and the front of release options”.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import h3.api.basic_int as h3
import numpy as np
import numpy.typing as npt
import shapely

from ..kernels.utility_grid import Laid, used_squares
from ..model.arrays import FloatArray, IntArray, distinct_rows, offsets_of
from ..model.checks import positive
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.profiles import Areas, Hexagons, Regions, length_text
from ..model.projection import Unprojection, project

_SQUARES_ALONG = 50
_CENTRAL = 0.025, 0.975
_MOST_ENTRIES = 5_000_000
_SHIFTS = tuple((i / 9, 2 * i % 9 / 9) for i in range(9))
_NO_INTS, _NO_FLOATS = np.empty(0, np.int64), np.empty(0)


@dataclass(frozen=True)
class Squares:
    """Nine shifted grids of squares; the first grid has a corner at (x_m, y_m).

    ``side_m`` is the side of the squares in metres.
    """

    x_m: float
    y_m: float
    side_m: float

    def __str__(self) -> str:
        return f"squares of {length_text(self.side_m)}"

    def unused(self, places: Places) -> list[Laid]:
        """Return the places on each of the nine grids, with no square marked as used yet."""
        left, right = ((v - self.x_m) / self.side_m for v in (places.x_m, places.x_m + places.dx_m))
        low, high = ((v - self.y_m) / self.side_m for v in (places.y_m, places.y_m + places.dy_m))
        ends, none = (left, right, low, high), (_NO_INTS, _NO_INTS, _NO_FLOATS)
        return [Laid(_NO_INTS, 1, x, y, *ends, *none) for x, y in _SHIFTS]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Areas made of pieces that do not overlap.

    ``shape[i]`` is the polygon of piece i, and ``area[i]`` the number of the area that it belongs
    to. ``text`` describes the areas in words.
    """

    text: str
    shape: npt.NDArray[np.object_]
    area: IntArray

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Places:
    """Distinct rectangles that hold the samples of a data set: south-west corners and sides."""

    x_m: FloatArray
    y_m: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray

    @classmethod
    def of(cls, fs: FingerprintSet) -> tuple[Places, IntArray]:
        """Return the distinct places of a data set, and the place of each sample."""
        columns = fs.x_m, fs.y_m, fs.dx_m, fs.dy_m
        first, place = distinct_rows(*columns)
        return cls(*(values[first] for values in columns)), place


Ground: TypeAlias = Squares | Pieces


def ground(fs: FingerprintSet, areas: Areas, places: Places) -> Ground:
    """Return the areas for an original data set: grids of squares, or pieces.

    If ``areas`` is None, the side of the squares follows from the data.

    Raises
    ------
    ConfigError
        ``areas`` is neither None nor a side above 0 (metres), :class:`Hexagons` or
        :class:`Regions`; or the areas cannot be laid over the data.
    """
    if isinstance(areas, Hexagons):
        return _hexagons(fs, areas, places)
    if isinstance(areas, Regions):
        return _regions(fs, areas)
    (left, right), (low, high) = _central(fs)
    if areas is None:
        side = round_below(min(right - left, high - low) / _SQUARES_ALONG)
        # Never finer than the data, so that a trip spreads over at most 16 pairs of squares.
        side = max(side, float(fs.dx_m.max()), float(fs.dy_m.max()))
    else:
        side = positive("areas", areas, of="metres", otherwise="Hexagons or Regions")
    return Squares(left, low, side)


def used(where: Ground, places: Places) -> list[Laid]:
    """Return the original's places laid over each grid or the pieces, with the areas they use.

    Raises
    ------
    ConfigError
        The places meet too many squares or pieces.
    """
    if isinstance(where, Pieces):
        return [_laid_on(where, places)]
    found = []
    for grid in where.unused(places):
        many = used_squares(grid, _NO_INTS, _NO_INTS)
        if many > _MOST_ENTRIES:
            raise ConfigError(
                f"The places in these data overlap more than {_MOST_ENTRIES:,} {where}; choose "
                "larger squares."
            )
        column, row = np.empty(many, np.int64), np.empty(many, np.int64)
        used_squares(grid, column, row)
        west, south = int(column.min()), int(row.min())
        rows = int(row.max()) - south + 1
        keys = np.unique((column - west) * rows + row - south)
        found.append(grid._replace(keys=keys, rows=rows, x=grid.x + west, y=grid.y + south))
    return found


def laid(where: Ground, known: list[Laid], places: Places) -> list[Laid]:
    """Return the places of a release or a table, laid over the areas that the original uses.

    Raises
    ------
    ConfigError
        The places meet too many pieces.
    """
    if isinstance(where, Pieces):
        return [_laid_on(where, places)]
    return [
        grid._replace(keys=old.keys, rows=old.rows, x=old.x, y=old.y)
        for grid, old in zip(where.unused(places), known, strict=True)
    ]


def _central(fs: FingerprintSet) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the bounds (west, east) and (south, north) of the central 95% of the events."""
    events = events_of(fs)
    ends = [
        float(np.quantile(values, at, weights=events, method="inverted_cdf"))
        for corner, size in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m))
        for values, at in zip((corner, corner + size), _CENTRAL, strict=True)
    ]
    return (ends[0], ends[1]), (ends[2], ends[3])


def events_of(fs: FingerprintSet) -> FloatArray:
    """Return each sample's events times the number of people behind it, (n_samples,)."""
    return (fs.count * fs.weight[fs.sample_user]).astype(np.float64)


def round_below(value: float) -> float:
    """Return the largest m × 10^n, with m = 1, 2 or 5, that is at most the value.

    The result is 0 for a value of 0 or less.
    """
    if value <= 0:
        return 0.0
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (5.0, 2.0, 1.0) if m * power <= value or m == 1.0)


# --- hexagons and regions -----------------------------------------------------------------------


def _hexagons(fs: FingerprintSet, space: Hexagons, places: Places) -> Pieces:
    """Return the hexagons that the data's places meet."""
    if fs.crs is None:
        raise ConfigError(
            "Hexagons need places in degrees, but these data came in metres without a projection; "
            "give the side of a square instead."
        )
    # Points of each place, closer together than an edge is long: if a hexagon that the place meets
    # holds none of them, one of its neighbours does.
    along = 2 + int(max(places.dx_m.max(), places.dy_m.max()) / (space.edge_m / 2))
    if len(places.x_m) * along**2 > _MOST_ENTRIES:
        raise ConfigError(
            f"The places in these data are too large for {space}; choose larger hexagons."
        )
    across, up = (g.ravel() for g in np.meshgrid(*[np.linspace(0, 1, along)] * 2))
    x = (places.x_m[:, None] + across * places.dx_m[:, None]).ravel()
    y = (places.y_m[:, None] + up * places.dy_m[:, None]).ravel()
    met = set(hexagons_at(fs.crs, space.resolution, x, y).tolist())
    near = sorted({other for cell in met for other in h3.grid_disk(cell, 1)})
    rings = [np.array(h3.cell_to_boundary(cell)) for cell in near]
    of = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    lats, lons = np.concatenate(rings).T
    corners = project(np.ascontiguousarray(lats), np.ascontiguousarray(lons), fs.crs)
    shape = shapely.polygons(shapely.linearrings(np.column_stack(corners), indices=of))
    return _kept(Pieces(str(space), shape, np.arange(len(shape))), places)


def hexagons_at(
    crs: str, resolution: int, x_m: FloatArray, y_m: FloatArray
) -> npt.NDArray[np.uint64]:
    """Return the H3 index of the hexagon that holds each projected position."""
    lon, lat = Unprojection(crs).lon_lat(x_m, y_m)
    lon = (lon + 180.0) % 360.0 - 180.0
    points = zip(lat.tolist(), lon.tolist(), strict=True)
    return np.array([h3.latlng_to_cell(*at, resolution) for at in points], np.uint64)


def _regions(fs: FingerprintSet, space: Regions) -> Pieces:
    """Return the area nearest to each antenna, and the number of the antenna's region.

    On every side, the areas reach beyond the data and the antennas by at least the longer side of
    the rectangle around both.
    """
    if fs.antennas is None:
        raise ConfigError(
            f"The {space} need an antenna table with that column; read the data with such a table, "
            "or give the side of a square."
        )
    texts = fs.antennas.column(space.column)
    # The first antenna of a cell that has a region in the table determines the region.
    given = np.argsort(texts == "", kind="stable")
    first = given[distinct_rows(fs.antennas.x_m[given], fs.antennas.y_m[given])[0]]
    half = fs.antennas.granularity_m / 2
    x, y = fs.antennas.x_m[first] + half, fs.antennas.y_m[first] + half
    right, top = float((fs.x_m + fs.dx_m).max()), float((fs.y_m + fs.dy_m).max())
    west, south = min(float(fs.x_m.min()), x.min()), min(float(fs.y_m.min()), y.min())
    east, north = max(right, x.max()), max(top, y.max())
    reach = max(east - west, north - south)
    frame = shapely.box(west - reach, south - reach, east + reach, north + reach)
    sites = shapely.multipoints(shapely.points(x, y))
    cells = shapely.get_parts(shapely.voronoi_polygons(sites, extend_to=frame, ordered=True))
    if len(x) == 1:
        cells = np.array([frame])
    return Pieces(str(space), cells, np.unique(texts[first].astype(str), return_inverse=True)[1])


def _kept(where: Pieces, places: Places) -> Pieces:
    """Return only the pieces that places meet, renumbered."""
    met = np.unique(_shares(where, places)[1])
    return Pieces(where.text, where.shape[met], np.arange(len(met)))


def _shares(where: Pieces, places: Places) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all pairs of a place and a piece that overlap, and the place's share in the piece."""
    west, south = places.x_m, places.y_m
    east, north = west + places.dx_m, south + places.dy_m
    boxes = shapely.box(west, south, east, north)
    tree = shapely.STRtree(where.shape)
    at, piece = tree.query(boxes)
    if len(at) > 4 * _MOST_ENTRIES:
        raise ConfigError(
            f"The places in these data overlap too many {where}; choose larger areas to compare."
        )
    left, low, right, high = shapely.bounds(where.shape).T[:, piece]
    part = shapely.area(where.shape)[piece]
    cut = ~((left >= west[at]) & (low >= south[at]) & (right <= east[at]) & (high <= north[at]))
    part[cut] = shapely.area(shapely.intersection(boxes[at[cut]], where.shape[piece[cut]]))
    share = part / (places.dx_m * places.dy_m)[at]
    some = share > 1e-12
    return at[some], piece[some], np.minimum(share[some], 1.0)


def _laid_on(where: Pieces, places: Places) -> Laid:
    place, piece, share = _shares(where, places)
    areas = int(where.area.max()) + 1
    key, pair = np.unique(place * areas + where.area[piece], return_inverse=True)
    starts = offsets_of(np.bincount(key // areas, minlength=len(places.x_m)))
    shares: FloatArray = np.bincount(pair, share, len(key)).astype(np.float64)
    none = _NO_FLOATS
    whole = np.arange(areas), 1, 0.0, 0.0
    return Laid(*whole, none, none, none, none, starts, key % areas, shares)
