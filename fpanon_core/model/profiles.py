"""Generalization profiles: the coarseness of a release's places and times, and the kinds of space.

Source: docs/science.md, “Generalization profiles”.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .checks import number, positive, whole
from .errors import ConfigError
from .limits import HEXAGON_RESOLUTION

_DAY_MIN, _WEEK_MIN = 1_440, 10_080
_MINUTES = {"min": 1, "h": 60, "day": _DAY_MIN, "week": _WEEK_MIN}
_NUMBER = r"(\d+(?:\.\d+)?)"
_WINDOW = rf"{_NUMBER}\s*(min|h|days?|weeks?)"
_LENGTH = rf"{_NUMBER}\s*(k?m)"
_LETTERS = re.compile(
    rf"(?s)(@.+|[ah]\d+|{_NUMBER}(?:([ew]){_NUMBER}([ns]){_NUMBER})?)\s*[:x]\s*{_NUMBER}"
)
_SIDE = re.compile(
    rf"{_LENGTH}(?:\s+from\s+{_LENGTH}\s+(east|west),\s*{_LENGTH}\s+(north|south))?",
    re.IGNORECASE,
)
_HEXAGONS = re.compile(r"(?:hexagons of )?H3(?: resolution)? (\d+)", re.IGNORECASE)
_ANTENNAS = re.compile(r"about (\d+) antennas", re.IGNORECASE)


@dataclass(frozen=True)
class GeneralizationProfile:
    """A kind of space, and a time window of ``minutes`` aligned to local midnight.

    Examples
    --------
    >>> str(GeneralizationProfile(Grid(2500), 60))
    '2.5 km · 1 h'
    >>> str(GeneralizationProfile(AntennaClusters(7), 120))
    'about 7 antennas · 2 h'
    >>> str(GeneralizationProfile(Hexagons(8), 60))
    'hexagons of H3 resolution 8 · 1 h'
    >>> str(GeneralizationProfile(Regions("district"), 10_080))
    'regions by district · 1 week'
    """

    space: Space
    minutes: float

    def __post_init__(self) -> None:
        if not isinstance(self.space, (Grid, Hexagons, AntennaClusters, Regions)):
            raise ConfigError(
                "A profile's space is a Grid, Hexagons, AntennaClusters or Regions, not "
                f"{type(self.space).__name__}."
            )
        positive("Profile minutes", self.minutes)

    def __str__(self) -> str:
        return f"{self.space} · {window_text(self.minutes)}"

    @property
    def code(self) -> str:
        """Short code of the profile for an address or a command; :func:`parse_profile` reads it.

        Examples
        --------
        >>> GeneralizationProfile(Grid(2500), 60).code
        '2500x60'
        >>> GeneralizationProfile(Grid(2500, origin=(250, -500)), 60).code
        '2500e250s500x60'
        >>> GeneralizationProfile(Hexagons(8), 60).code
        'h8x60'
        >>> GeneralizationProfile(AntennaClusters(7), 120).code
        'a7x120'
        >>> GeneralizationProfile(Regions("district"), 60).code
        '@districtx60'
        """
        return f"{self.space.code}x{plain(self.minutes)}"

    @property
    def columns(self) -> dict[str, object]:
        """Columns by which the rows of any table identify their profile.

        ``profile`` in words; ``space_size`` (metres of a grid's side or of a hexagon's mean edge,
        antennas of a cluster, NaN for regions); ``window_min``; ``origin_x_m`` and ``origin_y_m``,
        a corner of the grid, NaN for other spaces and for a grid whose origin has not been chosen.
        """
        x, y = self._origin or (math.nan, math.nan)
        return {
            "profile": str(self),
            "space_size": size_of(self.space),
            "window_min": float(self.minutes),
            "origin_x_m": x,
            "origin_y_m": y,
        }

    @property
    def origin(self) -> Origin:
        """A corner of the grid, in metres east and north of the projection's centre.

        Raises
        ------
        ConfigError
            The space is not a grid, or its origin has not been chosen: see
            :func:`fpanon_core.resolve`.
        """
        if (found := self._origin) is None:
            raise ConfigError(f"The profile {self} has no origin; resolve() gives one to a grid.")
        return found

    @property
    def _origin(self) -> Origin | None:
        return self.space.origin if isinstance(self.space, Grid) else None

    def columns_laid(self, laid: GeneralizationProfile) -> dict[str, object]:
        """Return :attr:`columns` of ``laid``, but with this profile's own words as ``profile``.

        ``laid`` is this profile with an origin, which may have been chosen from data. Results thus
        keep the short name of the grid, and state the origin.
        """
        return {**laid.columns, "profile": str(self)}

    @property
    def grid_m(self) -> float:
        """Side of the square grid in metres, for code that supports no other space.

        Raises
        ------
        ConfigError
            The space is not a grid.
        """
        if not isinstance(self.space, Grid):
            raise ConfigError(
                f"The profile {self} is not a square grid; give one such as Grid(2500)."
            )
        return float(self.space.metres)


def parse_profile(text: str) -> GeneralizationProfile:
    """Parse a profile from the words in which it is shown, or from its short code.

    Parameters
    ----------
    text : str
        ``"2.5 km · 1 h"`` (a comma, an x or a blank may replace the “·”), ``"2500:60"`` or
        ``"2500x60"`` (metres and minutes), ``"hexagons of H3 resolution 8 · 1 h"`` or ``"h8x60"``,
        ``"about 7 antennas · 1 h"`` or ``"a7x60"``, ``"regions by district · 1 h"`` or
        ``"@districtx60"``. A grid with a stated origin is written ``"2.5 km from 250 m east, 500 m
        south · 1 h"`` or ``"2500e250s500x60"``.

    Raises
    ------
    ConfigError
        The text is none of these, or a number is out of its range.

    Examples
    --------
    >>> parse_profile("2.5 km · 60 min") == parse_profile("2500:60") == parse_profile("2500x60")
    True
    >>> parse_profile("2.5 km from 250 m east, 0.5 km south · 1 h").code
    '2500e250s500x60'
    >>> [str(parse_profile(t)) for t in ("a7x120", "@districtx1440", "single antennas · 1 week")]
    ['about 7 antennas · 2 h', 'regions by district · 24 h', 'single antennas · 1 week']
    """
    with contextlib.suppress(ValueError):
        if (found := _in_letters(text.strip()) or _in_words(text.strip())) is not None:
            return GeneralizationProfile(*found)
    raise ConfigError(
        f"The profile “{text}” could not be read; write it like “2.5 km · 60 min”, “hexagons of H3 "
        "resolution 8 · 1 h”, “about 7 antennas · 1 h” or “regions by district · 1 h”, or in "
        "short: 2500:60, h8:60, a7:60, @district:60."
    )


def fine_to_coarse(profile: GeneralizationProfile) -> tuple[str, float, float, Origin]:
    """Return a sort key for profiles: grids first, each kind by size, then by time window."""
    space, size = profile.space, size_of(profile.space)
    kind = "" if isinstance(space, Grid) else type(space).__name__
    origin = space.origin if isinstance(space, Grid) else None
    return (
        kind,
        0.0 if math.isnan(size) else size,
        float(profile.minutes),
        origin or (-math.inf, -math.inf),
    )


def _in_letters(text: str) -> tuple[Space, float] | None:
    found = _LETTERS.fullmatch(text)
    if found is None:
        return None
    space, side, east, x, north, y, minutes = found.groups()
    if space.startswith("@"):
        return Regions(space[1:]), float(minutes)
    if space.startswith("a"):
        return AntennaClusters(int(space[1:])), float(minutes)
    if space.startswith("h"):
        return Hexagons(int(space[1:])), float(minutes)
    if east is None:
        return Grid(float(side)), float(minutes)
    origin = _signed(float(x), east == "w"), _signed(float(y), north == "s")
    return Grid(float(side), origin), float(minutes)


def _in_words(text: str) -> tuple[Space, float] | None:
    found = re.fullmatch(rf"(?s)(.+?)\s*[·,x ]\s*{_WINDOW}", text, re.IGNORECASE)
    if found is None:
        return None
    space, window, unit = found.groups()
    minutes = float(window) * _MINUTES[unit.lower().rstrip("s")]
    if side := _SIDE.fullmatch(space):
        return _grid_in_words(side), minutes
    if hexagons := _HEXAGONS.fullmatch(space):
        return Hexagons(int(hexagons[1])), minutes
    if space.lower() == "single antennas":
        return AntennaClusters(1), minutes
    if antennas := _ANTENNAS.fullmatch(space):
        return AntennaClusters(int(antennas[1])), minutes
    if space.lower().startswith("regions by "):
        return Regions(space[len("regions by ") :]), minutes
    return None


def _grid_in_words(found: re.Match[str]) -> Grid:
    side, unit, x, x_unit, east, y, y_unit, north = found.groups()
    metres = _metres(side, unit)
    if east is None:
        return Grid(metres)
    origin = (
        _signed(_metres(x, x_unit), east.lower() == "west"),
        _signed(_metres(y, y_unit), north.lower() == "south"),
    )
    return Grid(metres, origin)


def _metres(figure: str, unit: str) -> float:
    return float(figure) * (1000 if unit.lower() == "km" else 1)


def _signed(value: float, negative: bool) -> float:
    return -value if negative else value


def window_text(minutes: float) -> str:
    """Return a time window of ``minutes`` in words.

    Examples
    --------
    >>> [window_text(m) for m in (1, 90, 1440, 4320, 10_080, 20_160)]
    ['1 min', '1.5 h', '24 h', '3 days', '1 week', '2 weeks']
    """
    if minutes % _WEEK_MIN == 0:
        weeks = minutes / _WEEK_MIN
        return f"{weeks:g} week{'' if weeks == 1 else 's'}"
    if minutes > _DAY_MIN and minutes % _DAY_MIN == 0:
        return f"{minutes / _DAY_MIN:g} days"
    return f"{minutes / 60:g} h" if minutes >= 60 else f"{minutes:g} min"


Origin: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Grid:
    """Grid of squares with sides of ``metres``.

    Attributes
    ----------
    metres : float
        Side of a cell.
    origin : (x_m, y_m) or None
        A corner of the grid, in metres east and north of the projection's centre; any other corner
        makes the same grid. If None, :func:`fpanon_core.resolve` chooses it from the data. Two
        grids nest if the side of one is a multiple of the side of the other, and both have the same
        stated origin, such as (0, 0).

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
        """Origin in words, such as "250 m east, 500 m south"; empty if there is none yet."""
        if self.origin is None:
            return ""
        x, y = self.origin
        east, north = "west" if x < 0 else "east", "south" if y < 0 else "north"
        return f"{length_text(abs(x))} {east}, {length_text(abs(y))} {north}"

    @property
    def code(self) -> str:
        """Short code, such as "2500" or "2500e250s500"."""
        if self.origin is None:
            return plain(self.metres)
        x, y = self.origin
        east, north = "w" if x < 0 else "e", "s" if y < 0 else "n"
        return f"{plain(self.metres)}{east}{plain(abs(x))}{north}{plain(abs(y))}"


@dataclass(frozen=True)
class Hexagons:
    """Hexagons of H3, a grid over the globe, at a ``resolution`` from 0 to 15.

    From one resolution to the next, their area falls to about a seventh. Hexagons need data read in
    degrees.

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
        import h3  # needed for few profiles, so it is imported late

        return float(h3.average_hexagon_edge_length(self.resolution, unit="m"))

    @property
    def area_m2(self) -> float:
        """Mean area over the globe, square metres."""
        import h3

        return float(h3.average_hexagon_area(self.resolution, unit="m^2"))

    @property
    def code(self) -> str:
        """Short code, such as "h8"."""
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
        """Short code, such as "a7"."""
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
        """Short code, such as "@district"."""
        return f"@{self.column}"


Space: TypeAlias = Grid | Hexagons | AntennaClusters | Regions
Areas: TypeAlias = float | Hexagons | Regions | None
"""Areas for comparing releases: a side in metres, hexagons, regions, or the usual squares."""
StatedAreas: TypeAlias = float | str | None
"""Areas as a file or a screen states them: regions by the column that names them."""


def checked_areas(stated: Any) -> StatedAreas:
    """Return stated areas, as stored in a file, if they are valid.

    Raises
    ------
    ConfigError
        The areas are neither None, a text nor a positive number.
    """
    if stated is None or isinstance(stated, str):
        return stated
    return positive("areas", stated, of="metres", otherwise="a column")


def as_areas(stated: StatedAreas) -> Areas:
    """Return regions for the name of a column of the antenna table; other areas are unchanged."""
    return Regions(stated) if isinstance(stated, str) else stated


def size_of(space: Space) -> float:
    """Return a grid's side or hexagons' mean edge in metres, antennas in a cluster, or else NaN."""
    match space:
        case Grid(metres):
            return float(metres)
        case Hexagons():
            return space.edge_m
        case AntennaClusters(size):
            return float(size)
    return math.nan


def corners_text(spaces: Iterable[Space]) -> str:
    """Return the corners of grids in words; empty if no space is a grid with an origin.

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
        f"Corners of the grids, from the projection’s centre: {told}. Unless a corner was "
        "given, it is the one, of those tried, that puts the most people into a cell on average. "
        "With another corner, results can differ."
    )


def length_text(metres: float) -> str:
    """Return a length in metres as text that parses to exactly the same number.

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
    """Return a number in the fewest digits that identify it, without an exponent."""
    return str(np.format_float_positional(float(value), trim="-"))


def _point(origin: object) -> Origin:
    if isinstance(origin, Sequence) and not isinstance(origin, str) and len(origin) == 2:
        x, y = (number("Grid origin", value) + 0.0 for value in origin)  # no −0
        return x, y
    raise ConfigError(
        f"Grid origin = {origin!r}; give (x_m, y_m), metres east and north of the projection's "
        "centre, or None to have it chosen."
    )
