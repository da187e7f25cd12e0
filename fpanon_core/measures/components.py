"""Why is a fingerprint hard to hide? The parts of its stretch effort.

For a user a and each of the k − 1 nearest fingerprints b, the samples of the longer fingerprint (of
a, when they are equally long) are matched to the other's; ``S``, ``T`` and ``D`` pool the matched
pairs' parts ``w_s·δ_s``, ``w_t·δ_t`` and their sum.

Source: Gramaglia & Fiore 2015, §4.3; docs/science.md, “Why a fingerprint is hard to hide”.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..kernels.effort_spread import gini_of_sorted, tail_weight_of_sorted
from ..kernels.stretch import match_samples, pooled_components
from ..model.arrays import FloatArray
from ..model.components import FIGURES, StretchComponents
from ..model.configs import StretchConfig
from ..model.errors import ConfigError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.kgap import KGapResult
from .packing import pack, scale_of

_FULL = 1 - 1e-12  # of a weight: rounding may leave a trifle


def stretch_components(
    fs: FingerprintSet,
    result: KGapResult,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> StretchComponents:
    """Components of every measured user's stretch efforts to the k − 1 nearest.

    Parameters
    ----------
    fs : FingerprintSet
        The one ``result`` was measured on.
    result : KGapResult
    engine, progress
        As in :func:`k_gap`.

    Raises
    ------
    ConfigError
        If ``result`` was measured on other fingerprints.
    """
    return components_by_k(fs, result, (result.k,), engine=engine, progress=progress)[result.k]


def components_by_k(
    fs: FingerprintSet,
    result: KGapResult,
    ks: Sequence[int],
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> dict[int, StretchComponents]:
    """As :func:`stretch_components` of ``result.at(k)`` for several k, at the cost of the largest.

    The neighbours of a smaller k are the first of those of a larger, so every pair is matched once
    and what is pooled for the smaller k is the beginning of the rest.

    Raises
    ------
    ConfigError
        If ``result`` was measured on other fingerprints, or does not serve one of ``ks``.
    """
    if result.digest != fs.digest:
        raise ConfigError("The result was measured on other fingerprints; measure these first.")
    results = {k: result.at(k) for k in sorted(set(ks))}
    if not results:
        raise ConfigError("No k is asked for; give at least one.")
    widest = results[max(results)]
    packed, scale = pack(fs), scale_of(result.config)
    lengths = fs.lengths
    n = len(result.users)
    out = np.full((len(results), n, len(FIGURES)), np.nan)

    def block(first: int) -> float:
        last = min(first + 256, n)
        for i in range(first, last):
            near = np.ascontiguousarray(widest.neighbours[i])
            space, time = pooled_components(packed, scale, result.users[i], near)
            ends = np.cumsum(np.maximum(lengths[result.users[i]], lengths[near]))
            for at, k in enumerate(results):
                end = ends[k - 2]
                out[at, i] = _summary(space[:end], time[:end], result.config)
        return float(last - first)

    (engine or LocalEngine()).run(block, range(0, n, 256), n, progress)
    return {
        k: StretchComponents(
            **dict(zip(FIGURES, np.ascontiguousarray(figures.T), strict=True)),
            fs=fs,
            result=each,
            matched_samples=matched_samples,
        )
        for (k, each), figures in zip(results.items(), out, strict=True)
    }


def mean_components(
    fs: FingerprintSet,
    result: KGapResult,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Mean matched distance (m) and time (min) of each measured user; the k-gap put in words."""
    parts = stretch_components(fs, result, engine=engine, progress=progress)
    return parts.space_m, parts.time_min


def matched_samples(
    fs: FingerprintSet, a: int, b: int, config: StretchConfig | None = None
) -> pd.DataFrame:
    """The samples of the longer of two fingerprints (equal lengths: of a), each with its match.

    Returns
    -------
    DataFrame
        ``row`` and ``matched_row`` (sample rows of ``fs``), ``dist_m`` and ``gap_min`` (the stretch
        in space and in time, not capped), ``space``, ``time``, ``total`` (parts of δ).
    """
    config = config or StretchConfig()
    if a == b:
        raise InfeasibleError("A fingerprint is matched with another one; choose two users.")
    pair = fs.check_users([a, b])
    longer, shorter = (0, 1) if fs.lengths[a] >= fs.lengths[b] else (1, 0)
    packed = pack(fs.subset(pair))
    rows = np.concatenate([np.arange(fs.offsets[u], fs.offsets[u + 1]) for u in pair])
    length = int(fs.lengths[pair[longer]])
    matched, space, time = np.empty(length, np.int64), np.empty(length), np.empty(length)
    match_samples(packed, scale_of(config), longer, shorter, matched, space, time)
    own = np.arange(packed.offsets[longer], packed.offsets[longer + 1])
    share = packed.weight[[longer, shorter]] / packed.weight.sum()
    stretch = [
        _stretch(start[own], extent[own], start[matched], extent[matched], share)
        for start, extent in (
            (packed.x, packed.dx),
            (packed.y, packed.dy),
            (packed.t, packed.dt),
        )
    ]
    return pd.DataFrame(
        {
            "row": rows[own],
            "matched_row": rows[matched],
            "dist_m": stretch[0] + stretch[1],
            "gap_min": stretch[2],
            "space": space,
            "time": time,
            "total": space + time,
        }
    )


def _summary(space: FloatArray, time: FloatArray, config: StretchConfig) -> FloatArray:
    """The figures of one user, in the order of ``FIGURES``."""
    pools = [np.sort(space), np.sort(time), np.sort(space + time)]
    sums = [float(p.sum()) for p in pools]
    share = sums[1] / (sums[0] + sums[1]) if sums[0] + sums[1] > 0 else math.nan
    space_m, beyond_space = _capped(space, config.w_space, config.max_space_m)
    time_min, beyond_time = _capped(time, config.w_time, config.max_time_min)
    return np.array(
        [
            share,
            *(gini_of_sorted(p) for p in pools),
            *(tail_weight_of_sorted(p) for p in pools),
            space_m,
            time_min,
            beyond_space,
            beyond_time,
        ]
    )


def _capped(parts: FloatArray, weight: float, cap: float) -> tuple[float, float]:
    """Mean in the cap's unit, and the share that the cap made smaller or met; NaN of no weight."""
    if weight == 0:  # leaves no trace of the distance in the parts
        return math.nan, math.nan
    return float(parts.mean()) / weight * cap, float((parts >= weight * _FULL).mean())


def _stretch(
    a: FloatArray, da: FloatArray, b: FloatArray, db: FloatArray, share: FloatArray
) -> FloatArray:
    """φ* along one axis, as :func:`fpanon_core.kernels.stretch.stretch_1d`, for arrays."""
    span: FloatArray = np.maximum(a + da, b + db) - np.minimum(a, b)
    span -= share[0] * da + share[1] * db
    return span
