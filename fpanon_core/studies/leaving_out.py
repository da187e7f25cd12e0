"""What do all others gain when the few whom it costs most to hide are left out?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.arrays import FloatArray
from ..model.errors import ConfigError
from ..model.glove import GloveResult


@dataclass(frozen=True)
class Gain:
    """The same samples in two releases: with a tail of people left out, and with nobody left out.

    Attributes
    ----------
    samples : int
        Original samples that both publish. The means are over these, NaN if there are none.
    side_m, span_min : float
        Mean side, metres, and span, minutes, with the tail left out.
    whole_side_m, whole_span_min : float
        The same with nobody left out.
    """

    samples: int
    side_m: float
    span_min: float
    whole_side_m: float
    whole_span_min: float


def gain(whole: GloveResult, tail_out: GloveResult) -> Gain:
    """What leaving out a tail of the people gives all others, on their own samples.

    Parameters
    ----------
    whole, tail_out : GloveResult
        Of the same data, in the same periods if any: with nobody left out, and with a tail.

    Raises
    ------
    ConfigError
        They are of other data.
    """
    ours, others = _by_sample(tail_out), _by_sample(whole)
    if ours.shape != others.shape:
        raise ConfigError("The two releases are of other data; give two of the same.")
    both = np.isfinite(ours[0]) & np.isfinite(others[0])
    if not both.any():
        return Gain(0, *[float("nan")] * 4)
    side, span = ours[:, both].mean(axis=1).tolist()
    whole_side, whole_span = others[:, both].mean(axis=1).tolist()
    return Gain(int(both.sum()), side, span, whole_side, whole_span)


def _by_sample(release: GloveResult) -> FloatArray:
    """Side and span of every original sample, (2, n), person by person in order of time.

    Pieces of periods stand in an order of their own in every result.
    """
    table = release.accuracy
    user = table["user"].to_numpy(np.int64)
    keys = [table["sample"].to_numpy(), release.people[user]]
    if release.period is not None:
        keys.insert(1, release.period[user])
    order = np.lexsort(keys)
    found: FloatArray = table[["space_m", "time_min"]].to_numpy(np.float64)[order].T
    return found
