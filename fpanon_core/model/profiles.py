"""Generalization profiles: how coarse the places and times of a release are."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from .checks import positive, whole
from .errors import ConfigError

_DAY_MIN, _WEEK_MIN = 1_440, 10_080
_MINUTES = {"min": 1, "h": 60, "day": _DAY_MIN, "week": _WEEK_MIN}
_WINDOW = re.compile(r"(\d+(?:\.\d+)?)\s*(min|h|days?|weeks?)", re.IGNORECASE)
_SIDE = re.compile(r"(\d+(?:\.\d+)?)\s*(k?m)", re.IGNORECASE)
_ANTENNAS = re.compile(r"about (\d+) antennas", re.IGNORECASE)


@dataclass(frozen=True)
class Grid:
    """Square grid of ``metres`` a side, laid from the projection's origin."""

    metres: float

    def __post_init__(self) -> None:
        positive("Grid metres", self.metres)

    def __str__(self) -> str:
        return f"{self.metres / 1000:g} km" if self.metres >= 1000 else f"{self.metres:g} m"


@dataclass(frozen=True)
class AntennaClusters:
    """Clusters of about ``size`` antennas; see :func:`fpanon_core.cluster_antennas`."""

    size: int

    def __post_init__(self) -> None:
        size = whole("AntennaClusters size", self.size, 1, of="antennas")
        object.__setattr__(self, "size", size)

    def __str__(self) -> str:
        return f"about {self.size} antennas" if self.size > 1 else "single antennas"


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


Space: TypeAlias = Grid | AntennaClusters | Regions


@dataclass(frozen=True)
class GeneralizationProfile:
    """A space and a time window of ``minutes`` aligned to local midnight.

    Examples
    --------
    >>> str(GeneralizationProfile(Grid(2500), 60))
    '2.5 km · 1 h'
    >>> str(GeneralizationProfile(AntennaClusters(7), 120))
    'about 7 antennas · 2 h'
    >>> str(GeneralizationProfile(Regions("district"), 10_080))
    'regions by district · 1 week'
    """

    space: Space
    minutes: float

    def __post_init__(self) -> None:
        if not isinstance(self.space, (Grid, AntennaClusters, Regions)):
            raise ConfigError(
                "A profile's space is a Grid, AntennaClusters or Regions, not "
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
        >>> GeneralizationProfile(AntennaClusters(7), 120).code
        'a7x120'
        >>> GeneralizationProfile(Regions("district"), 60).code
        '@districtx60'
        """
        match self.space:
            case Grid(metres):
                space = f"{metres:.15g}"
            case AntennaClusters(size):
                space = f"a{size}"
            case Regions(column):
                space = f"@{column}"
        return f"{space}x{self.minutes:.15g}"

    @property
    def columns(self) -> dict[str, object]:
        """What tells, in any table, which profile a row is of.

        ``profile`` in words, ``space_size`` (metres of a grid's side, antennas of a cluster, NaN of
        regions) and ``window_min``.
        """
        size = getattr(self.space, "metres", getattr(self.space, "size", math.nan))
        return {
            "profile": str(self),
            "space_size": float(size),
            "window_min": float(self.minutes),
        }

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
        ``"2500x60"`` (metres and minutes), ``"about 7 antennas · 1 h"`` or ``"a7x60"``,
        ``"regions by district · 1 h"`` or ``"@districtx60"``.

    Raises
    ------
    ConfigError
        It is none of these, or a number is out of its range.

    Examples
    --------
    >>> parse_profile("2.5 km · 60 min") == parse_profile("2500:60") == parse_profile("2500x60")
    True
    >>> [str(parse_profile(t)) for t in ("a7x120", "@districtx1440", "single antennas · 1 week")]
    ['about 7 antennas · 2 h', 'regions by district · 24 h', 'single antennas · 1 week']
    """
    with contextlib.suppress(ValueError):
        if (found := _in_letters(text.strip()) or _in_words(text.strip())) is not None:
            return GeneralizationProfile(*found)
    raise ConfigError(
        f"The profile “{text}” could not be read; write it like “2.5 km · 60 min” or 2500:60."
    )


def fine_to_coarse(profile: GeneralizationProfile) -> tuple[str, float, float]:
    """Sorts profiles: grids first, each kind by its size, then by the time window."""
    size = float(profile.columns["space_size"])  # type: ignore[arg-type]
    kind = "" if isinstance(profile.space, Grid) else type(profile.space).__name__
    return kind, 0.0 if math.isnan(size) else size, float(profile.minutes)


def _in_letters(text: str) -> tuple[Space, float] | None:
    found = re.fullmatch(r"(?s)(@.+|a\d+|\d+(?:\.\d+)?)\s*[:x]\s*(\d+(?:\.\d+)?)", text)
    if found is None:
        return None
    space, minutes = found.groups()
    if space.startswith("@"):
        return Regions(space[1:]), float(minutes)
    if space.startswith("a"):
        return AntennaClusters(int(space[1:])), float(minutes)
    return Grid(float(space)), float(minutes)


def _in_words(text: str) -> tuple[Space, float] | None:
    found = re.fullmatch(rf"(?s)(.+?)\s*[·,x ]\s*{_WINDOW.pattern}", text, re.IGNORECASE)
    if found is None:
        return None
    space, window, unit = found.groups()
    minutes = float(window) * _MINUTES[unit.lower().rstrip("s")]
    if side := _SIDE.fullmatch(space):
        return Grid(float(side[1]) * (1000 if side[2].lower() == "km" else 1)), minutes
    if space.lower() == "single antennas":
        return AntennaClusters(1), minutes
    if antennas := _ANTENNAS.fullmatch(space):
        return AntennaClusters(int(antennas[1])), minutes
    if space.lower().startswith("regions by "):
        return Regions(space[len("regions by ") :]), minutes
    return None


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
