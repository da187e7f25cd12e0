"""Published fingerprints: one for each group of users who are to look the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .arrays import FloatArray, IntArray
from .cells import CELL, Cells
from .clock import LocalClock, instants
from .errors import SchemaError
from .fingerprints import FingerprintSet
from .projection import degrees_of
from .ragged import offsets_of, rows_of


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedFingerprintSet(Cells):
    """One fingerprint for each group; row g belongs to group g. Arrays are read-only.

    Attributes
    ----------
    offsets : int64 ndarray (n_groups + 1,)
        Samples of group g are rows ``offsets[g]:offsets[g+1]``, in order of time.
    x_m, y_m, dx_m, dy_m : float64 ndarray (n_samples,)
        Lower corner and extent of each sample's cell, metres.
    t_min, dt_min : float64 ndarray (n_samples,)
        Start and length, minutes.
    n_users : int64 ndarray (n_groups,)
        Users each fingerprint stands for.
    granularity_m, granularity_min : float
        Extent of the raw samples it was made from.
    clock : LocalClock or None
    crs : str or None
        As of a :class:`FingerprintSet`.
    """

    offsets: IntArray
    n_users: IntArray
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    clock: LocalClock | None = None
    crs: str | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("offsets", "n_users"):
            put(self, name, np.ascontiguousarray(getattr(self, name), np.int64))
        self._make_contiguous()
        if self.offsets.shape != (len(self.n_users) + 1,) or self.offsets[0] != 0:
            raise SchemaError("Offsets must start at 0 and number one more than the groups.")
        if np.any(self.offsets[1:] < self.offsets[:-1]):
            raise SchemaError("Offsets must not fall.")
        if any(len(getattr(self, name)) != self.n_samples for name in CELL):
            raise SchemaError(
                f"Every sample array must have the {self.n_samples} rows the offsets name."
            )
        self._close()

    def __repr__(self) -> str:
        return f"GeneralizedFingerprintSet({self.n_groups} groups, {self.n_samples} samples)"

    @property
    def n_groups(self) -> int:
        """Number of published fingerprints."""
        return len(self.n_users)

    @property
    def n_samples(self) -> int:
        """Number of published samples, each counted once for its group."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> IntArray:
        """Samples of each fingerprint, shape (n_groups,)."""
        return np.diff(self.offsets)

    def rows_of(self, group: int) -> slice:
        """The rows of one group's samples."""
        return slice(int(self.offsets[group]), int(self.offsets[group + 1]))

    def fingerprints(self, groups: npt.ArrayLike | None = None) -> FingerprintSet:
        """As a fingerprint set: one user per group, of the group's weight.

        Parameters
        ----------
        groups : array_like of int, optional
            Which groups, in this order, each as often as it is named, and then of weight 1: the
            published copies of a list of users. All groups once, by weight, when None.
        """
        chosen = np.arange(self.n_groups) if groups is None else np.asarray(groups, np.int64)
        lengths = self.lengths[chosen]
        rows = rows_of(self.offsets[chosen], lengths)
        cells = {name: values[rows] for name, values in self.arrays().items()}
        return FingerprintSet(
            user_ids=np.arange(1, len(chosen) + 1),
            offsets=offsets_of(lengths),
            count=np.ones(len(rows), np.int64),
            granularity_m=self.granularity_m,
            granularity_min=self.granularity_min,
            weight=self.n_users if groups is None else np.ones(len(chosen), np.int64),
            clock=self.clock,
            crs=self.crs,
            **cells,
        )

    def degrees(self) -> pd.DataFrame:
        """``lat_min``, ``lat_max``, ``lon_min``, ``lon_max`` of each sample's rectangle.

        The extremes over its corners and the middles of its sides, to seven decimals. Longitudes
        run on across the antimeridian. NaN where there is no projection.
        """
        return degrees_of(self.crs, self.x_m, self.x_m + self.dx_m, self.y_m, self.y_m + self.dy_m)

    def instants(self, minutes: FloatArray) -> pd.Series[Any]:
        """Times in the display zone, to the microsecond; the minutes themselves without a clock."""
        return instants(self.clock, minutes)
