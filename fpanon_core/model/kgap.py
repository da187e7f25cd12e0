"""Results of the k-gap and of its components.

:func:`fpanon_core.k_gap` returns :class:`KGapResult`: how far each user is from being hidden.
:func:`fpanon_core.stretch_components` returns :class:`StretchComponents`: why a fingerprint is hard
to hide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from .arrays import FloatArray, IntArray
from .checks import is_whole
from .configs import StretchConfig
from .errors import ConfigError, InfeasibleError
from .fingerprints import FingerprintSet


@dataclass(frozen=True, eq=False)
class KGapResult:
    """The k-gap of each user (Gramaglia & Fiore 2015, eq. 5).

    Attributes
    ----------
    values : float64 ndarray (n_measured,)
        Mean stretch effort to the k − 1 nearest fingerprints, in [0, 1]. If space and time both
        have a weight, 0 means that the user is k-anonymous already.
    neighbours : int64 ndarray (n_measured, k − 1)
        Row numbers of these k − 1 fingerprints, nearest first, and of equally near ones the lower
        row number first.
    stretch : float64 ndarray (n_measured, k − 1)
        Fingerprint stretch efforts to these neighbours.
    k : int
    users : int64 ndarray (n_measured,)
        Row numbers of the users measured.
    config : StretchConfig
    digest : str
        Digest of the fingerprints measured.
    """

    values: FloatArray
    neighbours: IntArray
    stretch: FloatArray
    k: int
    users: IntArray
    config: StretchConfig
    digest: str

    def at(self, k: int) -> KGapResult:
        """Return the result for the same or a smaller k, without a new run.

        Raises
        ------
        ConfigError
            k is not an integer in 2 … self.k.
        """
        if not (is_whole(k) and 2 <= k <= self.k):
            raise ConfigError(
                f"k = {k!r}; this result covers 2 … {self.k}. Run again for a larger k."
            )
        if k == self.k:
            return self
        stretch = self.stretch[:, : k - 1]
        return replace(
            self,
            k=int(k),
            stretch=stretch,
            neighbours=self.neighbours[:, : k - 1],
            values=stretch.mean(axis=1),
        )


@dataclass(frozen=True, eq=False)
class StretchComponents:
    """Components of the stretch efforts of each measured user; all arrays have shape (n_measured,).

    S, T and D are the efforts of the user's matched samples in space, in time and in total, over
    all k − 1 neighbours.

    Attributes
    ----------
    temporal_share : float64 ndarray
        ΣT / (ΣS + ΣT), in [0, 1]; NaN where both are 0, because the user is hidden already.
    gini_space, gini_time, gini_total : float64 ndarray
        Gini coefficients of S, T, D.
    tail_space, tail_time, tail_total : float64 ndarray
        Tail weight indices of S, T, D; NaN where undefined.
    space_m, time_min : float64 ndarray
        Mean distance in metres and mean time in minutes between matched samples. Each distance and
        time is capped at ``max_space_m`` or ``max_time_min``. NaN if space, or time, has no weight,
        as the mean is then unknown.
    beyond_space, beyond_time : float64 ndarray
        Share of the matched samples whose distance, or time, reaches this cap. NaN if space, or
        time, has no weight.
    fs : FingerprintSet
    result : KGapResult
        Result that the components belong to; it has the configuration and the data's digest.
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
        """Return the efforts S (space), T (time) and D (total) of the samples of one measured user.

        Each array holds the efforts of the samples matched with any of the k − 1 neighbours, in
        ascending order.

        Parameters
        ----------
        user : int
            Row number.

        Raises
        ------
        InfeasibleError
            The user was not measured.
        """
        at = np.flatnonzero(self.result.users == user)
        if len(at) == 0:
            raise InfeasibleError("This person was not measured; measure them first.")
        parts = [
            self.matched_samples(self.fs, user, int(b), self.result.config)
            for b in self.result.neighbours[at[0]]
        ]
        space, time, total = (
            np.sort(np.concatenate([p[name].to_numpy() for p in parts]))
            for name in ("space", "time", "total")
        )
        return space, time, total


FIGURES = tuple(field.name for field in fields(StretchComponents))[:-3]
