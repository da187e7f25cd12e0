"""Is a release of use, whatever its risk? How coarse half of it is, beside the data.

One rule for every page and the report: a release is of little use where the typical area is more
than half as wide as the data, the typical time longer than a day, or less than half of it is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.fingerprints import FingerprintSet
from ..model.options import SampleUsers
from ..model.released import Origin
from .option_result import OptionResult
from .release_facts import accuracy_of

_DAY_MIN = 24 * 60


@dataclass(frozen=True)
class Size:
    """How coarse the typical published sample is, beside the data.

    Attributes
    ----------
    side_m, span_min : float
        Medians of (width + height)/2 and of the time span; NaN where nothing is published.
    data_side_m : float
        Of the box that holds most of the data; see :func:`typical_side_m`.
    granularity_m : float
        Side of a raw sample.
    days, days_lost : float
        Days on which the data have samples, and those of them on which nothing is published.

    Examples
    --------
    >>> Size(6_000, 60, 10_000, 100).wide, Size(6_000, 1_441, 20_000, 100).long
    (True, True)
    >>> Size(5_000, 1_440, 10_000, 100).wide
    False
    """

    side_m: float
    span_min: float
    data_side_m: float
    granularity_m: float
    days: float = 0
    days_lost: float = 0

    @property
    def wide(self) -> bool:
        """Whether the typical area is wider than half of the data."""
        return self.side_m > max(self.data_side_m / 2, self.granularity_m)

    @property
    def long(self) -> bool:
        """Whether the typical span of time is longer than a day."""
        return self.span_min > _DAY_MIN


def sizes(origin: Origin) -> dict[str, float]:
    """The fields of :class:`Size` of a release, by name; empty where nothing is published."""
    accuracy = accuracy_of(origin)
    if accuracy is None:
        return {}
    return {
        "side_m": accuracy.median_side_m,
        "span_min": accuracy.median_span_min,
        "data_side_m": typical_side_m(origin.original),
        "granularity_m": float(origin.original.granularity_m),
        "days": float(len(origin.original.days)),
        "days_lost": float(_days_lost(origin)),
    }


def _days_lost(origin: Origin) -> int:
    """Days on which the data have samples and nothing is published.

    A published time window counts for every day that it touches.
    """
    published = origin.released if origin.hidden is None else origin.hidden.published
    first = np.floor(published.t_min / _DAY_MIN).astype(np.int64)
    last = np.ceil((published.t_min + published.dt_min) / _DAY_MIN).astype(np.int64) - 1
    days, base = origin.original.days, min(first.min(), origin.original.days[0])
    begun = np.bincount(first - base)
    ended = np.bincount(last - base + 1)
    length = max(len(begun), len(ended), days[-1] - base + 1)
    begun, ended = (np.pad(each, (0, length - len(each))) for each in (begun, ended))
    return int((np.cumsum(begun - ended)[days - base] == 0).sum())


def size(result: OptionResult) -> Size | None:
    """Of an option that was measured; None where it is not known."""
    return Size(**result.size) if result.size else None


def thin(result: OptionResult) -> bool:
    """Whether less than half of the samples or of the people are left; a draw of people is whole.

    Who draws people leaves none of the others' days out of what is published.
    """
    drawn = any(isinstance(step, SampleUsers) for step in result.option.steps)
    return result.suppressed_share > 0.5 or (result.users_share < 0.5 and not drawn)


def typical_side_m(fs: FingerprintSet) -> float:
    """(width + height)/2 of the box between the 2.5 % and 97.5 % quantiles of the samples, metres.

    Not of all samples: one journey to the other end of the country would make any area look small.

    Examples
    --------
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 5, 9])
    >>> typical_side_m(fs)
    550.0
    """
    ends = (
        np.quantile(at + size, 0.975, method="higher") - np.quantile(at, 0.025, method="lower")
        for at, size in ((fs.x_m, fs.dx_m), (fs.y_m, fs.dy_m))
    )
    return float(sum(ends)) / 2
