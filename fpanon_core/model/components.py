"""Why is a fingerprint hard to hide? As :func:`fpanon_core.stretch_components` gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .arrays import FloatArray
from .configs import StretchConfig
from .errors import InfeasibleError
from .fingerprints import FingerprintSet
from .kgap import KGapResult

FIGURES = (
    "temporal_share",
    "gini_space",
    "gini_time",
    "gini_total",
    "tail_space",
    "tail_time",
    "tail_total",
    "space_m",
    "time_min",
    "beyond_space",
    "beyond_time",
)


@dataclass(frozen=True, eq=False)
class StretchComponents:
    """What the stretch efforts of each measured user are made of; all arrays (n_measured,).

    Attributes
    ----------
    temporal_share : float64 ndarray
        ΣT / (ΣS + ΣT), in [0, 1]; NaN where both are 0, the user being hidden already.
    gini_space, gini_time, gini_total : float64 ndarray
        Gini coefficient of S, T, D.
    tail_space, tail_time, tail_total : float64 ndarray
        Tail weight index of S, T, D; NaN where it is undefined.
    space_m, time_min : float64 ndarray
        Mean distance and mean time between matched samples, each pair's capped at the threshold;
        NaN where space, or time, has no weight, so that nothing is known of it.
    beyond_space, beyond_time : float64 ndarray
        Share of the matched samples whose distance, or time, is at the threshold or beyond, and so
        counts for less than it is; NaN likewise.
    fs : FingerprintSet
    result : KGapResult
        What the components are of; it has the configuration and the data's digest.
    matched_samples : callable
        :func:`fpanon_core.matched_samples`, for :meth:`of`.
    """

    temporal_share: FloatArray
    gini_space: FloatArray
    gini_time: FloatArray
    gini_total: FloatArray
    tail_space: FloatArray
    tail_time: FloatArray
    tail_total: FloatArray
    space_m: FloatArray
    time_min: FloatArray
    beyond_space: FloatArray
    beyond_time: FloatArray
    fs: FingerprintSet
    result: KGapResult
    matched_samples: Callable[[FingerprintSet, int, int, StretchConfig], pd.DataFrame]

    def of(self, user: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(S, T, D) of one measured user, given by row number, each ascending."""
        at = np.flatnonzero(self.result.users == user)
        if len(at) == 0:
            raise InfeasibleError("This user was not measured; measure them first.")
        parts = [
            self.matched_samples(self.fs, user, int(b), self.result.config)
            for b in self.result.neighbours[at[0]]
        ]
        space, time, total = (
            np.sort(np.concatenate([p[name].to_numpy() for p in parts]))
            for name in ("space", "time", "total")
        )
        return space, time, total
