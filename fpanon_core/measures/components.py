"""Parts of the stretch effort, which show why a fingerprint is hard to hide.

A user a is compared with each of the k − 1 nearest fingerprints b. The samples of the longer
fingerprint (a's if both are equally long) are matched to the samples of the other. Three pools
hold, for all matched pairs, the part ``w_s·δ_s`` for space (``S``), the part ``w_t·δ_t`` for time
(``T``), and the sum of both parts (``D``).

Source: Gramaglia & Fiore 2015, §4.3; docs/science.md, “Why a fingerprint is hard to hide”.

*Unevenness* is measured by the Gini coefficient, the Lorenz curve and the tail weight index.

Source: docs/science.md, “Why a fingerprint is hard to hide”.

*Mean loss* states in one number how coarse a release is. It is a mean over the original samples
that are published.

Source: docs/science.md, “Hiding everyone in step: aligned publishing”.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..engines.local import Engine, fill
from ..engines.progress import Progress
from ..engines.work import Work, working
from ..kernels import stretch as kernel
from ..model.arrays import FloatArray
from ..model.configs import StretchConfig
from ..model.errors import ConfigError, InfeasibleError, SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.kgap import FIGURES, KGapResult, StretchComponents
from .packing import pack

_USERS_A_BLOCK = 256
_FULL = 1 - 1e-12  # relative to a weight; rounding may leave a small remainder


def stretch_components(
    fs: FingerprintSet,
    result: KGapResult,
    *,
    engine: Engine | None = None,
    progress: Progress = None,
) -> StretchComponents:
    """Return the components of each measured user's stretch efforts to the k − 1 nearest users.

    Parameters
    ----------
    fs : FingerprintSet
        Fingerprints on which ``result`` was measured.
    result : KGapResult
    engine, progress
        As in :func:`k_gap`.

    Raises
    ------
    ConfigError
        ``result`` was measured on other fingerprints.
    """
    return components_by_k(fs, result, (result.k,), **working(engine, progress))[result.k]


def components_by_k(
    fs: FingerprintSet, result: KGapResult, ks: Sequence[int], **work: Unpack[Work]
) -> dict[int, StretchComponents]:
    """Return :func:`stretch_components` of ``result.at(k)`` for several k.

    Computing all k together costs as much as the largest k alone. The neighbours for a smaller k
    are the first neighbours for a larger k. So every pair is matched once, and the pool for the
    smaller k is the beginning of the larger pool.

    Raises
    ------
    ConfigError
        ``result`` was measured on other fingerprints, ``ks`` is empty, or one of ``ks`` is not an
        integer in 2 … ``result.k``.
    """
    if result.digest != fs.digest:
        raise ConfigError("The result was measured on other fingerprints; measure these first.")
    results = {k: result.at(k) for k in sorted(set(ks))}
    if not results:
        raise ConfigError("No k is asked for; give at least one.")
    widest = results[max(results)]
    packed = pack(fs, result.config)
    lengths = fs.lengths
    n = len(result.users)
    out = np.full((len(results), n, len(FIGURES)), np.nan)

    def summarize(first: int, last: int) -> None:
        for i in range(first, last):
            near = np.ascontiguousarray(widest.neighbours[i])
            space, time = kernel.pooled_components(packed, result.users[i], near)
            ends = np.cumsum(np.maximum(lengths[result.users[i]], lengths[near]))
            for at, k in enumerate(results):
                end = ends[k - 2]
                out[at, i] = _summary(space[:end], time[:end], result.config)

    do = working(**work)
    fill(do["engine"], n, _USERS_A_BLOCK, summarize, progress=do["progress"])
    return {
        k: StretchComponents(
            **dict(zip(FIGURES, np.ascontiguousarray(figures.T), strict=True)),
            fs=fs,
            result=each,
            matched_samples=matched_samples,
        )
        for (k, each), figures in zip(results.items(), out, strict=True)
    }


def matched_samples(
    fs: FingerprintSet, a: int, b: int, config: StretchConfig | None = None
) -> pd.DataFrame:
    """Return the samples of the longer fingerprint (a's if both are equally long), with matches.

    Returns
    -------
    DataFrame
        ``row`` and ``matched_row`` (sample rows of ``fs``), ``dist_m`` and ``gap_min`` (the stretch
        in space and in time, not capped), ``space``, ``time`` (parts of δ) and ``total`` (δ).

    Raises
    ------
    ConfigError
        The weights of ``config`` are 1 and 1.
    InfeasibleError
        ``a`` and ``b`` are equal, or one of them is not a row number of ``fs``.
    """
    config = config or StretchConfig()
    if a == b:
        raise InfeasibleError(
            "A fingerprint can only be matched with a different one; choose two people."
        )
    pair = fs.check_users([a, b])
    longer, shorter = (0, 1) if fs.lengths[a] >= fs.lengths[b] else (1, 0)
    packed = pack(fs.subset(pair), config)
    rows = np.concatenate([np.arange(fs.offsets[u], fs.offsets[u + 1]) for u in pair])
    length = int(fs.lengths[pair[longer]])
    matched, space, time = np.empty(length, np.int64), np.empty(length), np.empty(length)
    kernel.match_samples(packed, longer, shorter, matched, space, time)
    own = np.arange(packed.offsets[longer], packed.offsets[longer + 1])
    share = packed.weight[[longer, shorter]] / packed.weight.sum()
    axes = ((packed.x, packed.dx), (packed.y, packed.dy), (packed.t, packed.dt))
    apart = (_stretch(at[own], d[own], at[matched], d[matched], share) for at, d in axes)
    across, up, gap_min = apart
    found = {"row": rows[own], "matched_row": rows[matched], "dist_m": across + up}
    efforts = {"space": space, "time": time, "total": space + time}
    return pd.DataFrame(found | {"gap_min": gap_min} | efforts)


def _summary(space: FloatArray, time: FloatArray, config: StretchConfig) -> FloatArray:
    """Return the figures of one user, in the order of ``FIGURES``."""
    pools = [np.sort(space), np.sort(time), np.sort(space + time)]
    sums = [float(p.sum()) for p in pools]
    share = sums[1] / (sums[0] + sums[1]) if sums[0] + sums[1] > 0 else math.nan
    space_m, beyond_space = _capped(space, config.w_space, config.max_space_m)
    time_min, beyond_time = _capped(time, config.w_time, config.max_time_min)
    ginis, tails = map(kernel.gini_of_sorted, pools), map(kernel.tail_weight_of_sorted, pools)
    return np.array([share, *ginis, *tails, space_m, time_min, beyond_space, beyond_time])


def _capped(parts: FloatArray, weight: float, cap: float) -> tuple[float, float]:
    """Return the parts' mean in the cap's unit, and their share at or above the cap.

    Both are NaN for weight 0.
    """
    if weight == 0:  # with weight 0, the parts do not show the distance
        return math.nan, math.nan
    return float(parts.mean()) / weight * cap, float((parts >= weight * _FULL).mean())


def _stretch(
    a: FloatArray, da: FloatArray, b: FloatArray, db: FloatArray, share: FloatArray
) -> FloatArray:
    """Return φ* along one axis, for arrays; see :func:`fpanon_core.kernels.stretch.stretch_1d`."""
    span: FloatArray = np.maximum(a + da, b + db) - np.minimum(a, b)
    span -= share[0] * da + share[1] * db
    return span


def gini(values: npt.ArrayLike) -> float:
    """Return the Gini coefficient of non-negative values; 0 for equal (or all zero) values.

    ``G = 2·Σ i·s_i / (N·Σ s_i) − (N+1)/N`` for ascending s_i; eq. 6 of Gramaglia & Fiore 2015 has a
    sign misprint.

    Raises
    ------
    ConfigError
        There is no value, or a value is negative, infinite or NaN.

    Examples
    --------
    >>> gini([0, 0, 0, 1]), gini([3, 3, 3])
    (0.75, 0.0)
    """
    return float(kernel.gini_of_sorted(_checked(values, negative=False)))


def lorenz(values: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the Lorenz curve of non-negative values: shares of the smallest values in the total.

    The :func:`gini` coefficient is twice the area between the curve and the diagonal.

    Parameters
    ----------
    values : array_like (n,)

    Returns
    -------
    share_of_users, share_of_total : float64 ndarray (n + 1,)
        Points of the curve, from (0, 0) to (1, 1), for values in ascending order. If all values are
        zero, the curve is the diagonal.

    Raises
    ------
    ConfigError
        There is no value, or a value is negative, infinite or NaN.

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
    """Return the weight of the upper tail, as a multiple of the weight for a normal distribution.

    The source is Gramaglia & Fiore 2015, eq. 7.

    The index is 1 for normal, 1.6 for exponential, and 14 for Pareto values of shape 1. It is NaN
    if the third quartile equals the median.

    Raises
    ------
    ConfigError
        There is no value, or a value is infinite or NaN.

    Examples
    --------
    >>> round(tail_weight_index(range(101)), 3)
    0.568
    """
    return float(kernel.tail_weight_of_sorted(_checked(values, negative=True)))


def _checked(values: npt.ArrayLike, *, negative: bool) -> FloatArray:
    numbers = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if len(numbers) == 0:
        raise ConfigError("There is no value; give at least one.")
    if not np.isfinite(numbers).all():
        raise ConfigError("A value is missing or infinite; leave such values out.")
    if not negative and numbers[0] < 0:
        raise ConfigError("A value is negative; a share of the total needs values of 0 or more.")
    return numbers


def mean_loss(
    result_or_frame: GloveResult | pd.DataFrame, *, config: StretchConfig | None = None
) -> float:
    """Return the mean loss in place and time of the original samples that are published.

    The loss is w_space · side/max_space + w_time · span/max_time. The side, (dx + dy)/2, and the
    span, dt, are those of the published sample that holds the original sample; neither is capped.

    Parameters
    ----------
    result_or_frame : GloveResult or DataFrame
        A result, the table of its accuracy (``space_m``, ``time_min``), or the blocks of
        :func:`align` (``dx_m``, ``dy_m``, ``dt_min``, ``n_samples``). Rows without a value for
        accuracy are left out.
    config : StretchConfig
        Weights and thresholds; weights of 1 and 1 give the plain sum of both parts.

    Returns
    -------
    float
        NaN if nothing is published.

    Raises
    ------
    SchemaError
        The table has neither set of columns.

    Examples
    --------
    >>> table = pd.DataFrame({"space_m": [20_000.0, 0.0, None], "time_min": [0.0, 480.0, None]})
    >>> mean_loss(table)
    0.5
    """
    config = config or StretchConfig()
    table = (
        result_or_frame.accuracy if isinstance(result_or_frame, GloveResult) else result_or_frame
    )
    if {"space_m", "time_min"} <= set(table.columns):
        table = table[["space_m", "time_min"]].dropna()
        side, span = table["space_m"].to_numpy(np.float64), table["time_min"].to_numpy(np.float64)
        times = np.ones(len(table))
    elif {"dx_m", "dy_m", "dt_min", "n_samples"} <= set(table.columns):
        side = (table["dx_m"] + table["dy_m"]).to_numpy(np.float64) / 2
        span, times = table["dt_min"].to_numpy(np.float64), table["n_samples"].to_numpy(np.float64)
    else:
        raise SchemaError(
            "The table has neither space_m and time_min nor dx_m, dy_m, dt_min and n_samples; give "
            "the accuracy of a result, or the blocks of a group."
        )
    if not times.sum():
        return float("nan")
    loss = config.w_space * side / config.max_space_m + config.w_time * span / config.max_time_min
    return float((loss * times).sum() / times.sum())
