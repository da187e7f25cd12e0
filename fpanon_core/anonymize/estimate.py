"""How long will a GLOVE run take? From two small samples of the same data, before the run."""

from __future__ import annotations

import math
import time

import numpy as np

from ..engines.local import Engine
from ..measures.kgap import check_k
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from .glove import glove

_SMALL, _LARGE = 200, 600
_SEED = 0


def estimate_glove_s(
    fs: FingerprintSet,
    k: int = 2,
    *,
    config: StretchConfig | None = None,
    engine: Engine | None = None,
) -> float:
    """Seconds that ``glove(fs, k)`` is likely to take on this machine, now.

    Two samples of users are merged, and the growth between them is carried on to the whole set, as
    a power of the number of users between 1 and 2; a small set is simply merged. How good the
    estimate is has not been measured yet.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`glove`.
    """
    check_k(k, int(fs.weight.sum()))
    n = fs.n_users
    users = np.random.default_rng(_SEED).permutation(n)
    small = _seconds(fs.subset(users[: min(n, _SMALL)]), k, config, engine)
    if n <= _SMALL:
        return small
    large = _seconds(fs.subset(users[: min(n, _LARGE)]), k, config, engine)
    if n <= _LARGE:
        return large
    power = math.log(max(large, 1e-6) / max(small, 1e-6)) / math.log(_LARGE / _SMALL)
    return float(large * (n / _LARGE) ** min(max(power, 1.0), 2.0))


def _seconds(
    fs: FingerprintSet, k: int, config: StretchConfig | None, engine: Engine | None
) -> float:
    started = time.perf_counter()
    glove(fs, min(k, int(fs.weight.sum())), config=config, engine=engine)
    return time.perf_counter() - started
