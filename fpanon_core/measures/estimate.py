"""How long will a k-gap run take? From two small samples of the same data, before the run."""

from __future__ import annotations

import math
import time

import numpy as np

from ..engines.local import Engine
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from .kgap import check_k, k_gap

_SMALL, _LARGE = 400, 1_200
_SEED = 0


def estimate_k_gap_s(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    engine: Engine | None = None,
) -> float:
    """Seconds that ``k_gap(fs, k)`` is likely to take on this machine, now.

    Two samples of users are measured, and the growth between them is carried on to the whole set,
    as a power of the number of users between 1 and 2: pairs grow with the square, but the more
    users there are, the nearer the nearest, and the more pairs are left out. An estimate, good to a
    factor of about two; takes a second or two itself, and nothing where the set is small.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`k_gap`.
    """
    check_k(k, fs.n_users)
    n = fs.n_users
    users = np.random.default_rng(_SEED).permutation(n)
    crowd = min(k, _SMALL)
    small = _seconds(fs.subset(users[: min(n, _SMALL)]), crowd, config, engine)
    if n <= _SMALL:
        return small
    large = _seconds(fs.subset(users[: min(n, _LARGE)]), crowd, config, engine)
    if n <= _LARGE:
        return large
    power = math.log(max(large, 1e-6) / max(small, 1e-6)) / math.log(_LARGE / _SMALL)
    return float(large * (n / _LARGE) ** min(max(power, 1.0), 2.0))


def _seconds(
    fs: FingerprintSet, k: int, config: StretchConfig | None, engine: Engine | None
) -> float:
    started = time.perf_counter()
    k_gap(fs, k, config=config, engine=engine)
    return time.perf_counter() - started
