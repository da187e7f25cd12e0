"""Is uniqueness a surprise? The answer, as :func:`fpanon_core.sparsity_model` gives it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray


@dataclass(frozen=True, eq=False)
class SparsityModel:
    """What chance alone makes of n users and d bins; arrays where ``n_bins`` was one.

    Attributes
    ----------
    p_unique : float or float64 ndarray
        P[a given user is unique] = (1 − q)^(n−1).
    p_anonymous : float or float64 ndarray
        P[everyone is 2-anonymous] = (1 − p_unique)^n, as if users were independent.
    n_users : int
    n_bins : int or ndarray
    density : float
        π, the probability that a user is present in a bin.
    """

    p_unique: float | FloatArray
    p_anonymous: float | FloatArray
    n_users: int
    n_bins: int | npt.NDArray[np.generic]
    density: float
