"""The kinds of space of a generalization profile: what a place is made coarser to.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .checks import number, positive, whole
from .errors import ConfigError
from .limits import HEXAGON_RESOLUTION

Origin: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Grid:
    """Square grid of ``metres`` a side.

    Attributes
    ----------
    metres : float
        Side of a cell.
    origin : (x_m, y_m) or None
        A corner of the grid, metres east and north of the projection's centre; any other corner
        makes the same grid. None: chosen from the data, by :func:`fpanon_core.resolve`. With one
        explicit origin, such as (0, 0), for all, grids whose sides are multiples of each other
        nest.

    Examples
    --------
    >>> str(Grid(2500)), str(Grid(2500, origin=(250, -500)))
    ('2.5 km', '2.5 km from 250 m east, 500 m south')
    """

    metres: float
    origin: Origin | None = None

    def __post_init__(self) -> None:
        positive("Grid metres", self.metres)
        if self.origin is not None:
            object.__setattr__(self, "origin", _point(self.origin))

    def __str__(self) -> str:
        side = length_text(self.metres)
        return side if self.origin is None else f"{side} from {self.where}"

    @property
    def where(self) -> str:
        """Its origin in words, such as "250 m east, 500 m south"; empty where there is none yet."""
        if self.origin is None:
            return ""
        x, y = self.origin
        east, north = "west" if x < 0 else "east", "south" if y < 0 else "north"
        return f"{length_text(abs(x))} {east}, {length_text(abs(y))} {north}"

    @property
    def code(self) -> str:
        """In few letters, as in "2500" or "2500e250s500"."""
        if self.origin is None:
            return plain(self.metres)
        x, y = self.origin
        east, north = "w" if x < 0 else "e", "s" if y < 0 else "n"
        return f"{plain(self.metres)}{east}{plain(abs(x))}{north}{plain(abs(y))}"


@dataclass(frozen=True)
class Hexagons:
    """The hexagons of H3, a grid laid over the globe, at a ``resolution`` from 0 to 15.

    Each step makes hexagons of about a seventh of the area. They need data read in degrees.

    Examples
    --------
    >>> str(Hexagons(8)), round(Hexagons(8).edge_m)
    ('hexagons of H3 resolution 8', 531)
    """

    resolution: int

    def __post_init__(self) -> None:
        low, high = HEXAGON_RESOLUTION.low, HEXAGON_RESOLUTION.high
        of_h3 = whole("Hexagons resolution", self.resolution, low, high)
        object.__setattr__(self, "resolution", of_h3)

    def __str__(self) -> str:
        return f"hexagons of H3 resolution {self.resolution}"

    @property
    def edge_m(self) -> float:
        """Mean length of an edge over the globe, metres."""
        import h3  # asked of few profiles; the others need not wait for it

        return float(h3.average_hexagon_edge_length(self.resolution, unit="m"))

    @property
    def area_m2(self) -> float:
        """Mean area over the globe, square metres."""
        import h3

        return float(h3.average_hexagon_area(self.resolution, unit="m^2"))

    @property
    def code(self) -> str:
        """In few letters, as in "h8"."""
        return f"h{self.resolution}"


@dataclass(frozen=True)
class AntennaClusters:
    """Clusters of about ``size`` antennas; see :func:`fpanon_core.cluster_antennas`."""

    size: int

    def __post_init__(self) -> None:
        size = whole("AntennaClusters size", self.size, 1, of="antennas")
        object.__setattr__(self, "size", size)

    def __str__(self) -> str:
        return f"about {self.size} antennas" if self.size > 1 else "single antennas"

    @property
    def code(self) -> str:
        """In few letters, as in "a7"."""
        return f"a{self.size}"


@dataclass(frozen=True)
class Regions:
    """Regions named in a ``column`` of the antenna table, such as districts."""

    column: str

    def __post_init__(self) -> None:
        if not (isinstance(self.column, str) and self.column.strip()):
            raise ConfigError(
                f"Regions column = {self.column!r}; it must be the name of a column of the "
                "antenna table."
            )

    def __str__(self) -> str:
        return f"regions by {self.column}"

    @property
    def code(self) -> str:
        """In few letters, as in "@district"."""
        return f"@{self.column}"


Space: TypeAlias = Grid | Hexagons | AntennaClusters | Regions


def size_of(space: Space) -> float:
    """A grid's side and a hexagon's mean edge, metres; antennas in a cluster; NaN of regions."""
    match space:
        case Grid(metres):
            return float(metres)
        case Hexagons():
            return space.edge_m
        case AntennaClusters(size):
            return float(size)
    return math.nan


def corners_text(spaces: Iterable[Space]) -> str:
    """Where grids begin, in words; empty where none of the spaces is a grid with an origin.

    Examples
    --------
    >>> corners_text([Grid(1000, (250, 500)), Hexagons(8), Grid(1000, (250, 500))])[:81]
    'Corners of the grids, from the projection’s centre: 1 km: 250 m east, 500 m north'
    """
    laid = {s for s in spaces if isinstance(s, Grid) and s.origin is not None}
    if not laid:
        return ""
    told = "; ".join(
        f"{length_text(grid.metres)}: {grid.where}"
        for grid in sorted(laid, key=lambda grid: (grid.metres, grid.origin))
    )
    return (
        f"Corners of the grids, from the projection’s centre: {told}. Unless it was given, a "
        "corner is chosen so that people share their cells with many others."
    )


def length_text(metres: float) -> str:
    """A length as people say it; read back, it is the very same number.

    Examples
    --------
    >>> [length_text(m) for m in (0, 250, 2500, 1_234_567.8)]
    ['0 m', '250 m', '2.5 km', '1234567.8 m']
    """
    km = f"{metres / 1000:g}"
    if metres >= 1000 and "e" not in km and float(km) * 1000 == metres:
        return f"{km} km"
    return f"{plain(metres)} m"


def plain(value: float) -> str:
    """A number in as few digits as tell it from every other, without an exponent."""
    return str(np.format_float_positional(float(value), trim="-"))


def _point(origin: object) -> Origin:
    if isinstance(origin, Sequence) and not isinstance(origin, str) and len(origin) == 2:
        x, y = (number("Grid origin", value) + 0.0 for value in origin)  # no −0
        return x, y
    raise ConfigError(
        f"Grid origin = {origin!r}; give (x_m, y_m), metres east and north of the projection's "
        "centre, or None to have it chosen."
    )
