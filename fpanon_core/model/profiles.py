"""Generalization profiles: how coarse the places and times of a release are (science.md §1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .errors import ConfigError


@dataclass(frozen=True)
class Grid:
    """Square grid of ``metres`` a side, laid from the projection's origin."""

    metres: float

    def __post_init__(self) -> None:
        _positive("Grid metres", self.metres)

    def __str__(self) -> str:
        return f"{self.metres / 1000:g} km" if self.metres >= 1000 else f"{self.metres:g} m"


Space = Grid


@dataclass(frozen=True)
class GeneralizationProfile:
    """A space and a time window of ``minutes`` aligned to local midnight.

    Examples
    --------
    >>> str(GeneralizationProfile(Grid(2500), 60))
    '2.5 km · 1 h'
    """

    space: Space
    minutes: float

    def __post_init__(self) -> None:
        if not isinstance(self.space, Grid):
            raise ConfigError(f"A profile's space is a Grid, not {type(self.space).__name__}.")
        _positive("Profile minutes", self.minutes)

    def __str__(self) -> str:
        h = self.minutes / 60
        return f"{self.space} · " + (f"{h:g} h" if h >= 1 else f"{self.minutes:g} min")


def _positive(name: str, value: float) -> None:
    if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0):
        raise ConfigError(f"{name} = {value!r}; it must be a positive number.")
