"""Is uniqueness a surprise? The sparsity model.

In an n × d matrix of independent Bernoulli(π) entries two rows agree with probability
``q = (π² + (1 − π)²)^d``; a given row is unique with probability ``(1 − q)^(n−1)``.

Source: Noriega Campero 2015, eq. 3.1–3.4; docs/science.md, “The scaling law and the sparsity
model”.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..model.arrays import FloatArray
from ..model.checks import share, whole
from ..model.errors import ConfigError
from ..model.sparsity import SparsityModel


def sparsity_model(n_users: int, n_bins: npt.ArrayLike, density: float = 0.5) -> SparsityModel:
    """Probability that a user is unique, and that all are 2-anonymous, by sparsity alone.

    Parameters
    ----------
    n_users : int
        n, 1 or more.
    n_bins : int or array_like of int
        d, 0 or more.
    density : float
        π in [0, 1].

    Returns
    -------
    SparsityModel

    Raises
    ------
    ConfigError
        A parameter is out of its range.

    Notes
    -----
    Noriega Campero 2015, eq. 3.1–3.4, in logarithms throughout: q itself is below the smallest
    number there is from about d = 1 000 on, and (1 − q)^(n−1) is 1 in floating point long before it
    matters.

    Examples
    --------
    1.6 million users: 16 bins tell hardly anyone apart, 31 nearly everyone.

    >>> [round(float(v), 3) for v in sparsity_model(1_600_000, [16, 24, 31]).p_unique]
    [0.0, 0.909, 0.999]
    """
    whole("n_users", n_users, 1)
    bins = np.asarray(n_bins)
    if bins.size == 0 or not np.issubdtype(bins.dtype, np.integer) or bins.min() < 0:
        raise ConfigError("n_bins must be one or more integers of 0 or more.")
    share("density", density)
    # π² + (1−π)² = 1 − 2π(1−π); it is at least ½, so that the logarithm is finite.
    log_q = bins * math.log1p(-2 * density * (1 - density))
    # A lone user is unique whatever q: 0 · log 0 is 0 here.
    log_unique = (n_users - 1) * _log_of_rest(log_q) if n_users > 1 else np.zeros(bins.shape)
    unique = np.exp(log_unique)
    anonymous = np.exp(n_users * _log_of_rest(log_unique))
    scalar = bins.ndim == 0
    return SparsityModel(
        p_unique=float(unique) if scalar else unique,
        p_anonymous=float(anonymous) if scalar else anonymous,
        n_users=int(n_users),
        n_bins=int(bins) if scalar else bins,
        density=float(density),
    )


def _log_of_rest(log_p: npt.NDArray[np.float64]) -> FloatArray:
    """log(1 − e^log_p) without cancellation; −inf where p is 1."""
    log_p = np.asarray(log_p, np.float64)
    with np.errstate(divide="ignore"):  # log 0
        near_one, near_zero = np.log(-np.expm1(log_p)), np.log1p(-np.exp(log_p))
    rest: FloatArray = np.where(log_p > -math.log(2), near_one, near_zero)
    return rest
