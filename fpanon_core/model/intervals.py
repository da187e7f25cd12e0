"""How sure is an estimate? Intervals that results carry."""

from __future__ import annotations

import math

_Z = 1.959963984540054  # the normal distribution's 97.5 % point


def wilson_interval(found: int, of: int) -> tuple[float, float]:
    """95 % Wilson score interval of a share.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(0, 10)]
    [0.0, 0.2775]
    """
    share, spread = found / of, _Z**2 / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt((share * (1 - share) + spread / 4) / of)
    # At the ends the interval's end is exactly 0 or 1; rounding must not cross them.
    low = 0.0 if found == 0 else max(0.0, middle - half)
    high = 1.0 if found == of else min(1.0, middle + half)
    return low, high
