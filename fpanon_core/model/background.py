"""What an operator lays under the maps: lines of roads, of districts, and nothing else of them.

It is drawn only; nothing is ever measured by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import FloatArray, IntArray
from .errors import SchemaError


@dataclass(frozen=True, eq=False)
class Background:
    """Lines in degrees.

    Attributes
    ----------
    lon, lat : float64 ndarray (n_vertices,)
    offsets : int64 ndarray (n_lines + 1,)
        Vertices of line i are ``offsets[i]:offsets[i + 1]``.
    n_read : int
        Vertices in the file, before it was made simpler.
    n_points : int
        Single points in the file, which are not drawn.
    n_small : int
        Lines too short to be seen, which are not drawn.
    """

    lon: FloatArray
    lat: FloatArray
    offsets: IntArray
    n_read: int = 0
    n_points: int = 0
    n_small: int = 0

    def __post_init__(self) -> None:
        whole = len(self.offsets) and self.offsets[0] == 0 and np.all(np.diff(self.offsets) >= 2)
        if not whole or not len(self.lon) == len(self.lat) == self.offsets[-1]:
            raise SchemaError("The offsets of a background must divide its vertices into lines.")

    @property
    def n_lines(self) -> int:
        """How many there are."""
        return len(self.offsets) - 1
