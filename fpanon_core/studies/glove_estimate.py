"""How long will it take to hide everyone? From a small sample of the same data, before the run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..anonymize.aligned import aligned
from ..anonymize.glove import glove
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..measures.kgap import check_k
from ..model import checks
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from ..model.glove import Method
from .tabled import Tabled

_SAMPLE = 1_200
_WARMING = 30  # people; what is loaded when a kernel is first called is no part of the growth
# Of the growth beyond the sample, see estimate_glove_s and estimate_aligned_s.
_POWER, _ALIGNED_POWER = 1.35, 1.15
_SEED = 0


@dataclass(frozen=True)
class Config:
    """Of which runs: for each k of ``ks``, under a stretch effort, by a method."""

    ks: tuple[int, ...] = (2, 5, 10)
    stretch: StretchConfig = field(default_factory=StretchConfig)
    method: Method = "glove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "ks", tuple(checks.whole("k", k, 2) for k in self.ks))
        checks.one_of("method", self.method, ("glove", "aligned"))


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Seconds that a run is likely to take, by k."""

    config: Config
    digest: str
    seconds: dict[int, float]

    MAY_LEAVE = frozenset({"glove_estimate"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """``glove_estimate``: ``k`` and ``seconds``."""
        rows = {"k": list(self.seconds), "seconds": list(self.seconds.values())}
        return {"glove_estimate": pd.DataFrame(rows)}


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Result:
    """Estimates for each k, by :func:`estimate_glove_s` or :func:`estimate_aligned_s`."""
    estimate = estimate_aligned_s if config.method == "aligned" else estimate_glove_s
    seconds = {}
    for number, k in enumerate(config.ks):
        if (told := nth_part(progress, number, len(config.ks))) is not None:
            told(0.0)
        seconds[k] = estimate(fs, k, config=config.stretch, engine=engine)
    return Result(config, fs.digest, seconds)


def estimate_glove_s(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    engine: Engine | None = None,
) -> float:
    """Seconds that ``glove(fs, k)`` is likely to take on this machine, now.

    A sample of users is merged, and its time carried on to the whole set as a power of the number
    of users, 1.35, taken from measurements: of 20,000 generated users it foretells 26 s at k = 2
    and 59 s at k = 5, which take 19 s and 61 s (2 cores). A small set is simply merged.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`glove`.
    """
    return _estimate(fs, k, config, engine, "glove", _POWER)


def estimate_aligned_s(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    engine: Engine | None = None,
) -> float:
    """Seconds that ``aligned(fs, k)`` is likely to take on this machine, now.

    As :func:`estimate_glove_s`, with the power 1.15. Of data in periods it is an estimate for whole
    fingerprints, which take no less.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`aligned`.
    """
    return _estimate(fs, k, config, engine, "aligned", _ALIGNED_POWER)


def _estimate(
    fs: FingerprintSet,
    k: int,
    config: StretchConfig | None,
    engine: Engine | None,
    method: Method,
    power: float,
) -> float:
    check_k(k, int(fs.weight.sum()))
    n = fs.n_users
    if n <= _SAMPLE:
        return _seconds(fs, k, config, engine, method)
    users = np.random.default_rng(_SEED).permutation(n)[:_SAMPLE]
    _seconds(fs.subset(users[:_WARMING]), 2, config, engine, method)
    return float(_seconds(fs.subset(users), k, config, engine, method) * (n / _SAMPLE) ** power)


def _seconds(
    fs: FingerprintSet, k: int, config: StretchConfig | None, engine: Engine | None, method: Method
) -> float:
    hide = aligned if method == "aligned" else glove
    started = time.perf_counter()
    hide(fs, min(k, int(fs.weight.sum())), config=config, engine=engine)
    return time.perf_counter() - started
