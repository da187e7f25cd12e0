"""How unevenly is something spread? Gini, Lorenz curve, tail weight.

Source: docs/science.md, “Why a fingerprint is hard to hide”.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..kernels.effort_spread import gini_of_sorted, tail_weight_of_sorted
from ..model.arrays import FloatArray
from ..model.errors import ConfigError


def gini(values: npt.ArrayLike) -> float:
    """Gini coefficient of non-negative values; 0 for equal (or all zero) ones.

    ``G = 2·Σ i·s_i / (N·Σ s_i) − (N+1)/N`` for ascending s_i; eq. 6 of Gramaglia & Fiore 2015 has a
    sign misprint.

    Raises
    ------
    ConfigError
        If there is no value, or one is negative or no number.

    Examples
    --------
    >>> gini([0, 0, 0, 1]), gini([3, 3, 3])
    (0.75, 0.0)
    """
    return float(gini_of_sorted(_checked(values, negative=False)))


def lorenz(values: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Lorenz curve of non-negative values: what share of the total do the least of them have?

    Its distance from the diagonal is the :func:`gini` coefficient: twice the area between them.

    Parameters
    ----------
    values : array_like (n,)

    Returns
    -------
    share_of_users, share_of_total : float64 ndarray (n + 1,)
        From (0, 0) to (1, 1), values ascending. Values that are all zero lie on the diagonal.

    Raises
    ------
    ConfigError
        If there is no value, or one is negative or no number.

    Examples
    --------
    >>> users, total = lorenz([1, 0, 3])
    >>> users.round(3).tolist(), total.tolist()
    ([0.0, 0.333, 0.667, 1.0], [0.0, 0.0, 0.25, 1.0])
    """
    numbers = _checked(values, negative=False)
    users = np.arange(len(numbers) + 1) / len(numbers)
    upto = np.concatenate([[0.0], np.cumsum(numbers)])
    return users, upto / upto[-1] if upto[-1] > 0 else users.copy()


def tail_weight_index(values: npt.ArrayLike) -> float:
    """Weight of the upper tail, as a multiple of the normal distribution's.

    Gramaglia & Fiore 2015, eq. 7.

    Normal → 1, exponential → 1.6, Pareto of shape 1 → 14; NaN where it is undefined, the third
    quartile being the median.

    Raises
    ------
    ConfigError
        If there is no value, or one is no number.

    Examples
    --------
    >>> round(tail_weight_index(range(101)), 3)
    0.568
    """
    return float(tail_weight_of_sorted(_checked(values, negative=True)))


def _checked(values: npt.ArrayLike, *, negative: bool) -> FloatArray:
    numbers = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if len(numbers) == 0:
        raise ConfigError("There is no value; give at least one.")
    if not np.isfinite(numbers).all():
        raise ConfigError("A value is missing or infinite; leave such values out.")
    if not negative and numbers[0] < 0:
        raise ConfigError("A value is negative; a share of the total needs values of 0 or more.")
    return numbers
