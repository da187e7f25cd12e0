"""Generalization profiles: how coarse the places and times of a release are."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import dataclass

from .checks import positive
from .errors import ConfigError
from .spaces import AntennaClusters, Grid, Hexagons, Origin, Regions, Space, plain, size_of

__all__ = [
    "AntennaClusters",
    "GeneralizationProfile",
    "Grid",
    "Hexagons",
    "Origin",
    "Regions",
    "Space",
    "fine_to_coarse",
    "parse_profile",
    "window_text",
]

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
    """A space and a time window of ``minutes`` aligned to local midnight.

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
        """The profile in few letters, for an address or a command; :func:`parse_profile` reads it.

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
        """What tells, in any table, which profile a row is of.

        ``profile`` in words; ``space_size`` (metres of a grid's side or of a hexagon's mean edge,
        antennas of a cluster, NaN of regions); ``window_min``; ``origin_x_m`` and ``origin_y_m``, a
        corner of the grid, NaN of what is no grid or whose origin is not chosen yet.
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
        """A corner of the grid, metres east and north of the projection's centre.

        Raises
        ------
        ConfigError
            The space is no grid, or its origin is not chosen yet: see :func:`fpanon_core.resolve`.
        """
        if (found := self._origin) is None:
            raise ConfigError(f"The profile {self} has no origin; lay it over data by resolve().")
        return found

    @property
    def _origin(self) -> Origin | None:
        return self.space.origin if isinstance(self.space, Grid) else None

    def columns_laid(self, laid: GeneralizationProfile) -> dict[str, object]:
        """:attr:`columns` of a profile as it was ``laid`` over data, called as it was asked for.

        So results keep the short name of a grid whose origin was chosen, and state the origin.
        """
        return {**laid.columns, "profile": str(self)}

    @property
    def grid_m(self) -> float:
        """Side of the square grid, metres, for whoever can deal with nothing else.

        Raises
        ------
        ConfigError
            The space is no grid.
        """
        if not isinstance(self.space, Grid):
            raise ConfigError(f"The profile {self} is no square grid; give one such as Grid(2500).")
        return float(self.space.metres)


def parse_profile(text: str) -> GeneralizationProfile:
    """A profile from words as it is shown, or in the few letters of its code.

    Parameters
    ----------
    text : str
        ``"2.5 km · 1 h"`` (for the dot also a comma, an x or a blank), ``"2500:60"`` or
        ``"2500x60"`` (metres and minutes), ``"hexagons of H3 resolution 8 · 1 h"`` or ``"h8x60"``,
        ``"about 7 antennas · 1 h"`` or ``"a7x60"``, ``"regions by district · 1 h"`` or
        ``"@districtx60"``. A grid of a stated origin: ``"2.5 km from 250 m east, 500 m south ·
        1 h"`` or ``"2500e250s500x60"``.

    Raises
    ------
    ConfigError
        It is none of these, or a number is out of its range.

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
        "letters: 2500:60, h8:60, a7:60, @district:60."
    )


def fine_to_coarse(profile: GeneralizationProfile) -> tuple[str, float, float, Origin]:
    """Sorts profiles: grids first, each kind by its size, then by the time window."""
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
    """A time window as people say it.

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
