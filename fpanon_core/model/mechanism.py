"""What does an outsider know, and what does the stated method make of a true point?

The outsider knows a release's method and its parameters, never its draws. So a true point stands
beside the cell that the method carries it to, the noise it may have been moved by, and the chance
that it was exchanged for another.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .arrays import FloatArray, IntArray
from .cells import CELL, Cells
from .ragged import offsets_of

Density = Literal["none", "planar_laplace", "laplace", "gaussian"]
DENSITIES: tuple[Density, ...] = ("none", "planar_laplace", "laplace", "gaussian")


@dataclass(frozen=True)
class Spread:
    """How far from the truth a published place, or time, may be.

    Attributes
    ----------
    density : {"none", "planar_laplace", "laplace", "gaussian"}
    scale : float
        As of :class:`AddNoise`, metres or minutes; 0 of none.
    """

    density: Density = "none"
    scale: float = 0.0

    @property
    def variance(self) -> float:
        """Along one axis: of planar Laplace noise 3 b², of Laplace noise 2 b²."""
        return {"planar_laplace": 3.0, "laplace": 2.0}.get(self.density, 1.0) * self.scale**2

    def and_then(self, other: Spread) -> Spread:
        """Of both, one after the other: the shape of the wider, the variance of the two together.

        Exact for Gaussian noise, close where one is much wider.

        Examples
        --------
        >>> Spread("gaussian", 3.0).and_then(Spread("gaussian", 4.0))
        Spread(density='gaussian', scale=5.0)
        """
        wide, narrow = (self, other) if self.variance >= other.variance else (other, self)
        if narrow.variance == 0:
            return wide
        return Spread(wide.density, wide.scale * (1 + narrow.variance / wide.variance) ** 0.5)


@dataclass(frozen=True)
class Mechanism:
    """The stated method, as far as it tells how a true point is published.

    Attributes
    ----------
    space, time : Spread
        Noise, and the outsider's own error.
    boxes : bool
        Whether what is published are boxes around several samples, of which a point may be in any;
        else a point is in the one bin that is its own.
    by_middle : bool
        Whether noise leads to the place whose middle is nearest, so that its density is taken
        there; else over the cell.
    share : float
        Of the people, those who were drawn into the release; 1 where nobody was drawn.
    timeless : bool
        Whether places are known without any time.
    by_count : bool
        Whether points are known in proportion to the events behind a sample; else all samples of a
        record are known alike.
    """

    space: Spread = Spread()
    time: Spread = Spread()
    boxes: bool = False
    by_middle: bool = False
    share: float = 1.0
    timeless: bool = False
    by_count: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class KnownPoints(Cells):
    """Points as the method carries them into the release. Arrays are read-only.

    A point whose cell is NaN is nowhere in what the method can publish.

    Attributes
    ----------
    offsets : int64 ndarray (n_targets + 1,)
        Points of target i are rows ``offsets[i]:offsets[i+1]``.
    x_m, y_m, t_min, dx_m, dy_m, dt_min : float64 ndarray (n_points,)
        The cell that noise and exchange start from, metres and minutes.
    same_place, same_time : float64 ndarray (n_points,)
        Chance that the point's place, or time, was exchanged for itself; 1 without exchange.
    place_share, time_share : float64 ndarray (n_points,)
        Of the places (times) it may have been exchanged for, the share that are the point's own.
    """

    offsets: IntArray
    same_place: FloatArray
    place_share: FloatArray
    same_time: FloatArray
    time_share: FloatArray

    @property
    def n_targets(self) -> int:
        """How many targets."""
        return len(self.offsets) - 1

    @classmethod
    def unexchanged(cls, offsets: IntArray, cells: dict[str, FloatArray]) -> KnownPoints:
        """Points of a method that exchanges nothing."""
        one = np.ones(int(offsets[-1]))
        return cls(
            offsets=offsets, same_place=one, place_share=one, same_time=one, time_share=one,
            **cells,
        )  # fmt: skip

    def chosen(self, rows: IntArray, sizes: IntArray) -> KnownPoints:
        """Some of the points as those of other targets, of which each has the next of ``sizes``."""
        names = (*CELL, "same_place", "place_share", "same_time", "time_share")
        return KnownPoints(
            offsets=offsets_of(sizes), **{name: getattr(self, name)[rows] for name in names}
        )
