"""Confidence intervals of shares and means, which results carry."""

from __future__ import annotations

import math

_NATS = math.log(2 / 0.05)  # for a probability of 2.5% beyond each end
_Z = 1.959963984540054  # the normal distribution's 97.5% point


def wilson_interval(found: float, of: int) -> tuple[float, float]:
    """Return the 95% Wilson score interval of a share ``found / of``.

    The function also serves for a mean of ``of`` values from 0 to 1 whose sum is ``found``.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(0, 10)]
    [0.0, 0.2775]
    """
    share, spread = found / of, _Z**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt((share * (1 - share) + spread / 4) / of)
    # For shares of 0 and 1, the end is exactly 0 or 1; rounding must not cross it.
    low = 0.0 if found == 0 else max(0.0, middle - half)
    high = 1.0 if found == of else min(1.0, middle + half)
    return low, high


def mean_interval(mean: float, of: int, most: float = 1.0) -> tuple[float, float]:
    """Return the 95% interval of a mean of values from 0 to ``most``, for any distribution.

    Each end is where the relative entropy of ``mean/most`` from ``end/most`` is ``ln(40)/of``
    (Hoeffding 1963, theorem 1). If the values are drawn independently, or without replacement
    (section 6 of the same paper), the true mean is beyond each end with probability at most 1/40.
    So the interval is also valid if the drawn values are few or all alike.

    Parameters
    ----------
    mean : float
        Mean of the drawn values, from 0 to ``most``.
    of : int
        Number of drawn values.
    most : float
        Upper bound on the values.

    Examples
    --------
    For a mean of 0 over 10 values, the upper end is 1 − 40^(−1/10).

    >>> [round(end, 4) for end in mean_interval(0.0, 10)]
    [0.0, 0.3085]
    """
    if most <= 0:
        return mean, mean
    share, left = min(1.0, max(0.0, mean / most)), _NATS / of
    low, high = _end(share, left, 0.0), _end(share, left, 1.0)
    return min(mean, low * most), max(mean, high * most)


def _end(share: float, left: float, outer: float) -> float:
    """Return the end, towards ``outer``, at which the relative entropy of ``share`` is ``left``."""
    inner = share
    while inner < (middle := (inner + outer) / 2) < outer or outer < middle < inner:
        if _relative_entropy(share, middle) < left:
            inner = middle
        else:
            outer = middle
    return outer


def _relative_entropy(share: float, end: float) -> float:
    """Return the relative entropy of ``share`` from ``end``, which is neither 0 nor 1, in nats."""
    here = share * math.log(share / end) if share > 0 else 0.0
    return here + (1 - share) * math.log((1 - share) / (1 - end)) if share < 1 else here
