"""Which part of the world is a map to show? All of it, or where nearly everything is.

One person who travelled far would else make a map on which the city of all others is a dot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray

CENTRAL = 0.98
"""Of what lies on a map, the share along each axis that decides what is shown."""
_CLOSE = 0.25
_MUCH_SMALLER = 0.5  # a view that is hardly smaller would only leave something out


@dataclass(frozen=True)
class Extent:
    """West, south, east and north ends, in the unit of the positions."""

    west: float
    south: float
    east: float
    north: float

    def outside(self, x: FloatArray, y: FloatArray) -> npt.NDArray[np.bool_]:
        """Which positions lie beyond it."""
        found: npt.NDArray[np.bool_] = (x < self.west) | (x > self.east)
        return found | (y < self.south) | (y > self.north)

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The positions of its two corners."""
        return np.array([self.west, self.east]), np.array([self.south, self.north])


def central(x: FloatArray, y: FloatArray, weight: npt.ArrayLike | None = None) -> Extent:
    """Where the central 98 % along each axis are, and what is close, if that is much less than all.

    Close is a quarter of the width of the central ones; much less, at most half as wide or high.

    Parameters
    ----------
    x, y : float64 ndarray (n,)
        Positions, at least one.
    weight : array_like (n,), optional
        How many lie at each; one if not given.

    Examples
    --------
    A hundred people within a kilometre, and one who went far.

    >>> x = np.append(np.linspace(0, 1, 101), 5000)
    >>> central(x, np.zeros(102)).east
    1.0
    >>> central(np.array([0.0, 1.0]), np.array([0.0, 3.0]))
    Extent(west=0.0, south=0.0, east=1.0, north=3.0)
    """
    many = np.ones(len(x)) if weight is None else np.asarray(weight, np.float64)
    (west, east), (south, north) = _ends(x, many), _ends(y, many)
    wide, high = float(np.ptp(x)), float(np.ptp(y))
    if east - west > _MUCH_SMALLER * wide and north - south > _MUCH_SMALLER * high:
        west, east = float(x.min()), float(x.max())
        south, north = float(y.min()), float(y.max())
    return Extent(west, south, east, north)


def _ends(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Between which the central share lies and what is close to it, both among the values."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    tail = (1 - CENTRAL) / 2
    low = int(np.searchsorted(share, tail, side="right"))
    high = int(np.searchsorted(share, 1 - tail, side="left"))
    last = len(values) - 1
    begin, end = float(values[order[min(low, last)]]), float(values[order[min(high, last)]])
    close = _CLOSE * (end - begin)
    inside = values[(values >= begin - close) & (values <= end + close)]
    return float(inside.min()), float(inside.max())
