"""How long will a k-gap run take? From two small samples of the same data, before the run."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..engines.local import Engine
from ..engines.progress import Progress
from ..measures.kgap import check_k, k_gap
from ..model import checks
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from ..model.profiles import GeneralizationProfile
from .tabled import Tabled
from .under_profiles import as_read, generalized, laid

_SAMPLES = (400, 1_200, 4_800)  # people
_LONG_ENOUGH_S = 1.0
# Of the growth beyond the samples. Least: generated people, 8,000 to 300,000, grow with 1.6.
_POWERS = (1.5, 2.0)
_WARMING = 30  # people; what is loaded when a kernel is first called is no part of the growth
_SEED = 0


@dataclass(frozen=True)
class Config:
    """Which run: under one profile (the data as read for None), at one k."""

    profile: GeneralizationProfile | None = None
    k: int = 2
    stretch: StretchConfig = field(default_factory=StretchConfig)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", checks.whole("k", self.k, 2))


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Seconds that the run is likely to take on this machine; ``laid``: the profile's origin."""

    config: Config
    digest: str
    profile: GeneralizationProfile
    laid: GeneralizationProfile
    seconds: float

    MAY_LEAVE = frozenset({"k_gap_estimate"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """``k_gap_estimate``, of one row."""
        row = {**self.profile.columns_laid(self.laid), "k": self.config.k, "seconds": self.seconds}
        return {"k_gap_estimate": pd.DataFrame([row])}


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Result:
    """Estimate how long measuring under a profile takes, from small samples of the data.

    Raises
    ------
    ConfigError, InfeasibleError
        As the run itself would.
    """
    if progress is not None:
        progress(0.0)
    profile = config.profile or as_read(fs)
    seen = generalized(fs, profile)
    seconds = estimate_k_gap_s(seen, config.k, config=config.stretch, engine=engine)
    return Result(config, fs.digest, profile, laid(fs, profile), seconds)


def estimate_k_gap_s(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    engine: Engine | None = None,
) -> float:
    """Seconds that ``k_gap(fs, k)`` is likely to take on this machine, now.

    Samples of users are measured until one takes a second, and the growth between the last two is
    carried on to the whole set, as a power of the number of users between 1.5 and 2: pairs grow
    with the square, but the more users there are, the nearer the nearest, and the more pairs are
    left out. An estimate, good to a factor of about two; takes a second or two itself, and nothing
    where the set is small.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`k_gap`.
    """
    check_k(k, fs.n_users)
    n = fs.n_users
    users = np.random.default_rng(_SEED).permutation(n)
    crowd, took, some = min(k, _SAMPLES[0]), 0.0, 0
    if n > _SAMPLES[0]:
        _seconds(fs.subset(users[:_WARMING]), 2, config, engine)
    for many in _SAMPLES:
        before, fewer = took, some
        some = min(n, many)
        took = _seconds(fs.subset(users[:some]), crowd, config, engine)
        if some == n or (before and took >= _LONG_ENOUGH_S):
            break
    if some == n:
        return took
    power = math.log(max(took, 1e-6) / max(before, 1e-6)) / math.log(some / fewer)
    low, high = _POWERS
    return float(took * (n / some) ** min(max(power, low), high))


def _seconds(
    fs: FingerprintSet, k: int, config: StretchConfig | None, engine: Engine | None
) -> float:
    started = time.perf_counter()
    k_gap(fs, k, config=config, engine=engine)
    return time.perf_counter() - started
