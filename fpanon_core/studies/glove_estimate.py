"""How long will a GLOVE run take? From a small sample of the same data, before the run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..anonymize.glove import glove
from ..engines.local import Engine
from ..engines.progress import Progress, nth_part
from ..measures.kgap import check_k
from ..model import checks
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet
from .tabled import Tabled

_SAMPLE = 1_200
_POWER = 1.35  # of the growth beyond the sample, see estimate_glove_s
_SEED = 0


@dataclass(frozen=True)
class Config:
    """Of which runs: for each k of ``ks``, under a stretch effort."""

    ks: tuple[int, ...] = (2, 5, 10)
    stretch: StretchConfig = field(default_factory=StretchConfig)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ks", tuple(checks.whole("k", k, 2) for k in self.ks))


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
    """Estimates for each k, one after the other, by :func:`estimate_glove_s`."""
    seconds = {}
    for number, k in enumerate(config.ks):
        if (told := nth_part(progress, number, len(config.ks))) is not None:
            told(0.0)
        seconds[k] = estimate_glove_s(fs, k, config=config.stretch, engine=engine)
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
    check_k(k, int(fs.weight.sum()))
    n = fs.n_users
    if n <= _SAMPLE:
        return _seconds(fs, k, config, engine)
    users = np.random.default_rng(_SEED).permutation(n)[:_SAMPLE]
    return float(_seconds(fs.subset(users), k, config, engine) * (n / _SAMPLE) ** _POWER)


def _seconds(
    fs: FingerprintSet, k: int, config: StretchConfig | None, engine: Engine | None
) -> float:
    started = time.perf_counter()
    glove(fs, min(k, int(fs.weight.sum())), config=config, engine=engine)
    return time.perf_counter() - started
