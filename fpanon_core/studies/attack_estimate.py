"""How long will it take to attack a release? From two small samples of the same people."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..anonymize.chain import release
from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..model.fingerprints import FingerprintSet
from . import attack
from .tabled import Tabled

_SMALL, _LARGE = 300, 1_200
_WARMING = 60  # people; what is loaded when a kernel is first called is no part of the growth
_POWERS = (1.0, 2.0)
_SEED = 0


@dataclass(frozen=True)
class Config:
    """Of which attack; ``made``: whether the release is there already."""

    attack: attack.Config = field(default_factory=attack.Config)
    made: bool = False


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Seconds that the attack is likely to take on this machine."""

    config: Config
    digest: str
    seconds: float

    MAY_LEAVE = frozenset({"attack_estimate"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """``attack_estimate``: ``option`` and ``seconds``."""
        row = {"option": self.config.attack.option.text, "seconds": self.seconds}
        return {"attack_estimate": pd.DataFrame([row])}


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Result:
    """An estimate by :func:`estimate_attack_s`."""
    if progress is not None:
        progress(0.0)
    seconds = estimate_attack_s(fs, config.attack, made=config.made, engine=engine)
    return Result(config, fs.digest, seconds)


def estimate_attack_s(
    fs: FingerprintSet,
    config: attack.Config,
    *,
    made: bool = False,
    engine: Engine | None = None,
) -> float:
    """Seconds that ``attack.study(fs, config)`` is likely to take on this machine, now.

    The release is made of two samples of users and attacked with everybody in them as a target; the
    growth between the two is carried on as a power of the number of users between 1 and 2, and
    beyond the targets asked for by one less, as then only the people grow. An estimate, good to a
    factor of about two; a small set is simply attacked. Of data that were attacked before, what is
    known of them as they are is counted again.

    Parameters
    ----------
    fs : FingerprintSet
    config : attack.Config
    made : bool
        Whether making the release is left out, as where it is there already.
    engine : LocalEngine, optional

    Raises
    ------
    ConfigError, InfeasibleError
        As the attack itself would, on a sample.
    """
    n, engine = fs.n_users, engine or LocalEngine()
    users = np.random.default_rng(_SEED).permutation(n)
    if n > _SMALL:
        _seconds(fs.subset(np.sort(users[:_WARMING])), config, made, engine)
    small = _seconds(fs.subset(np.sort(users[: min(n, _SMALL)])), config, made, engine)
    if n <= _SMALL:
        return small
    many = min(n, _LARGE)
    large = _seconds(fs.subset(np.sort(users[:many])), config, made, engine)
    if n <= _LARGE:
        return large
    power = math.log(max(large, 1e-6) / max(small, 1e-6)) / math.log(_LARGE / _SMALL)
    low, high = _POWERS
    power = min(max(power, low), high)
    asked = min(n, max(config.users, _LARGE))
    return float(large * (asked / _LARGE) ** power * (n / asked) ** max(1.0, power - 1.0))


def _seconds(fs: FingerprintSet, config: attack.Config, made: bool, engine: Engine) -> float:
    known = replace(config, users=min(config.users, fs.n_users))
    started = time.perf_counter()
    given = release(fs, config.option, seed=config.seed, engine=engine)
    if made:
        started = time.perf_counter()
    attack.found(fs, given, known, engine)
    attack.found(fs, release(fs, []), known, engine)
    return time.perf_counter() - started
