"""Which number is the latitude, and which way does it count? The ways to read two numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.arrays import FloatArray
from ..model.errors import ConfigError


@dataclass(frozen=True)
class Turn:
    """A way to read two numbers as a position.

    Attributes
    ----------
    exchanged : bool
        The first number is the longitude.
    south, west : bool
        The latitudes, or longitudes, have lost their sign and are all south, or west; told after
        the exchange.
    """

    exchanged: bool = False
    south: bool = False
    west: bool = False

    def apply(self, lat: FloatArray, lon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The positions so read."""
        first, second = (lon, lat) if self.exchanged else (lat, lon)
        return (-first if self.south else first), (-second if self.west else second)

    def explains(self, lat: FloatArray, lon: FloatArray, share: float) -> bool:
        """Whether the numbers may have come to be so: a lost sign leaves none below 0.

        ``share`` of them must be so.
        """
        first, second = (lon, lat) if self.exchanged else (lat, lon)
        return (not self.south or float(np.mean(first >= 0)) >= share) and (
            not self.west or float(np.mean(second >= 0)) >= share
        )

    @property
    def changes(self) -> int:
        """How much it assumes to be wrong."""
        return self.exchanged + self.south + self.west


AS_THEY_ARE = "as-they-are"
TURNS: dict[str, Turn] = {
    AS_THEY_ARE: Turn(),
    "exchanged": Turn(exchanged=True),
    "lon-turned": Turn(west=True),
    "lat-turned": Turn(south=True),
    "both-turned": Turn(south=True, west=True),
    "exchanged-lon-turned": Turn(exchanged=True, west=True),
    "exchanged-lat-turned": Turn(exchanged=True, south=True),
    "exchanged-both-turned": Turn(exchanged=True, south=True, west=True),
}
"""The ways to read positions, by the name that chooses them."""


def turn_of(positions: str | None) -> Turn:
    """The way to read positions of that name; as they are for None.

    Raises
    ------
    ConfigError
        There is none of that name.
    """
    if positions is None:
        return TURNS[AS_THEY_ARE]
    if positions not in TURNS:
        raise ConfigError(
            f"Positions cannot be read {positions!r}; choose one of {', '.join(TURNS)}."
        )
    return TURNS[positions]


def said_of(turn: Turn) -> str:
    """What a way of reading does, in words."""
    if not turn.changes:
        return "used as they are"
    signs = ["the latitudes as south"] if turn.south else []
    signs += ["the longitudes as west"] if turn.west else []
    doing = ["exchange latitude and longitude"] if turn.exchanged else []
    doing += [f"read {' and '.join(signs)}"] if signs else []
    return ", and ".join(doing)
