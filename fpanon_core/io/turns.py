"""Ways to read two numbers as a position: the order of latitude and longitude, and their signs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.arrays import FloatArray
from ..model.errors import ConfigError


@dataclass(frozen=True)
class Turn:
    """Way to read two numbers as a position.

    Attributes
    ----------
    exchanged : bool
        Whether the first number is the longitude.
    south, west : bool
        Whether all latitudes are south, or all longitudes west, but lost their sign; applies after
        the exchange.
    """

    exchanged: bool = False
    south: bool = False
    west: bool = False

    def apply(self, lat: FloatArray, lon: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the latitudes and longitudes that two numbers mean if read this way."""
        first, second = (lon, lat) if self.exchanged else (lat, lon)
        return (-first if self.south else first), (-second if self.west else second)

    def explains(self, lat: FloatArray, lon: FloatArray, share: float) -> bool:
        """Return whether at least ``share`` of the numbers fit the assumed faults.

        A number that lost its sign is not negative.
        """
        turned = zip(self.apply(lat, lon), (self.south, self.west), strict=True)
        return all(float(np.mean(values <= 0)) >= share for values, lost in turned if lost)

    @property
    def changes(self) -> int:
        """Number of faults that this way assumes."""
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
"""Ways to read positions, by the name that selects them."""


def turn_of(positions: str | None) -> Turn:
    """Return the way of reading positions that has this name; None changes nothing.

    Raises
    ------
    ConfigError
        There is no way of that name.
    """
    if positions is not None and positions not in TURNS:
        raise ConfigError(
            f"Positions cannot be read as {positions!r}; choose one of {', '.join(TURNS)}."
        )
    return TURNS[positions or AS_THEY_ARE]


def said_of(turn: Turn) -> str:
    """Describe in words a way to read positions."""
    if not turn.changes:
        return "used as they are"
    signs = ["the latitudes as south"] if turn.south else []
    signs += ["the longitudes as west"] if turn.west else []
    doing = ["exchange latitude and longitude"] if turn.exchanged else []
    doing += [f"read {' and '.join(signs)}"] if signs else []
    return ", and ".join(doing)
