"""What a sample says: that somebody was in a cell of place and time. The six numbers of cells.

A cell is ``[x, x + dx) × [y, y + dy) × [t, t + dt)``: x, y, dx, dy in metres on a map projection, t
and dt in minutes since the data set's epoch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import FloatArray
from .closed import Closed

CELL = ("x_m", "y_m", "t_min", "dx_m", "dy_m", "dt_min")
"""The six numbers of a cell, in the order in which kernels take them."""

PLACE = ("x_m", "y_m", "dx_m", "dy_m")
TIME = ("t_min", "dt_min")

BY_TIME = ("t_min", "x_m", "y_m", "dx_m", "dy_m", "dt_min")
"""The order of samples within a fingerprint."""


@dataclass(frozen=True, eq=False, repr=False)
class Cells(Closed):
    """Base of what consists of cells. Arrays are read-only.

    Attributes
    ----------
    x_m, y_m, dx_m, dy_m : float64 ndarray (n,)
        Lower corner and extent, metres.
    t_min, dt_min : float64 ndarray (n,)
        Start and length, minutes.
    """

    x_m: FloatArray
    y_m: FloatArray
    t_min: FloatArray
    dx_m: FloatArray
    dy_m: FloatArray
    dt_min: FloatArray

    def __post_init__(self) -> None:
        self._close()

    def arrays(self, names: Iterable[str] = CELL) -> dict[str, Any]:
        """Some of the six, by name."""
        return {name: getattr(self, name) for name in names}

    def _make_contiguous(self) -> None:
        """Numbers as kernels read them; for a subclass to begin its checks with."""
        for name, values in self.arrays().items():
            object.__setattr__(self, name, np.ascontiguousarray(values, np.float64))
