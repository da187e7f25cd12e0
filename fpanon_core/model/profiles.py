"""Generalization profiles: how coarse the places and times of a release are (science.md §1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .errors import ConfigError

_DAY_MIN, _WEEK_MIN = 1_440, 10_080


@dataclass(frozen=True)
class Grid:
    """Square grid of ``metres`` a side, laid from the projection's origin."""

    metres: float

    def __post_init__(self) -> None:
        _positive("Grid metres", self.metres)

    def __str__(self) -> str:
        return f"{self.metres / 1000:g} km" if self.metres >= 1000 else f"{self.metres:g} m"


@dataclass(frozen=True)
class AntennaClusters:
    """Clusters of about ``size`` antennas; see :func:`fpanon_core.cluster_antennas`."""

    size: int

    def __post_init__(self) -> None:
        whole = isinstance(self.size, (int, np.integer)) and not isinstance(self.size, bool)
        if not whole or self.size < 1:
            raise ConfigError(
                f"AntennaClusters size = {self.size!r}; it must be a whole number of antennas, at "
                "least 1."
            )
        object.__setattr__(self, "size", int(self.size))

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
        _positive("Profile minutes", self.minutes)

    def __str__(self) -> str:
        return f"{self.space} · {window_text(self.minutes)}"

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


def _positive(name: str, value: float) -> None:
    if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0):
        raise ConfigError(f"{name} = {value!r}; it must be a positive number.")
