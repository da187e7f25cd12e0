"""What will a question take? Its time and its memory, told before it is asked.

Memory is known from the size of the data at once (:mod:`.memory`); time from samples of the data
that are really measured. What would not fit the memory that a computation may take here is refused,
with what would fit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..engines.limits import Limits, needs_too_much
from ..engines.local import Engine, LocalEngine
from ..engines.progress import Progress
from ..model.budgets import clock, gigabytes
from ..model.errors import FpanonError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from . import anonymizability, attack, attack_estimate, estimates, glove_estimate, hiding
from .memory import needed_bytes, people_that_fit
from .recovery import Counting, drawn_rows
from .tabled import Tabled
from .under_profiles import as_read, generalized

_FIRST, _TIMES = 300, 4  # people of the first sample, and how many times more in each next one
# A shorter run says little of how time grows.
_LONG_ENOUGH_S, _LONG_ENOUGH_OF = 1.0, {"look": 2.0}
# Assignments of the recovery attack grow faster than small samples show, as do k-gaps, links and
# what is hidden; counts less slowly.
_LEAST_POWER = {
    "comparison": 1.25,
    "counts_release": 0.85,
    "look": 1.5,
    "recovery": 1.2,
    "relinking": 2.2,
}
# Of the links between two periods all pairs are looked at, of more and more points.
_MOST_POWER, _MOST_POWER_OF = 2.0, {"relinking": 2.3}
_SEED = 0
_MANY = 1 << 62
_LEAST_BEYOND = 0.65  # as indexes of all people are made, whoever is asked about
PEOPLE_A_SHARD = 5_000
"""A good size: larger ones take longer a person, smaller ones cost accuracy."""
SHARDED_FROM = 2 * PEOPLE_A_SHARD
"""People; of fewer all had better be hidden at once."""
_FEWEST_A_SHARD = 500


@dataclass(frozen=True)
class Config:
    """Of which question: a study of a module of this package, and its settings."""

    study: Callable[..., Any]
    config: Any


@dataclass(frozen=True)
class Foretold(Tabled):
    """What a question is likely to take on this machine, now.

    Attributes
    ----------
    seconds : float or None
        None where it was not asked for, or samples of the data are too small for the question.
    needs_bytes : int or None
        Memory of the process at its peak; None where nobody measured it.
    limit_bytes : int or None
        Memory that a computation may take here.
    """

    seconds: float | None = None
    needs_bytes: int | None = None
    limit_bytes: int | None = None

    MAY_LEAVE = frozenset({"foretold"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """``foretold``, of one row."""
        return {"foretold": pd.DataFrame([asdict(self)])}

    @property
    def fits(self) -> bool:
        """Whether it stays within the memory it may take, as far as that is known."""
        if self.needs_bytes is None or self.limit_bytes is None:
            return True
        return self.needs_bytes <= self.limit_bytes

    def __str__(self) -> str:
        parts, most = [], ""
        if self.seconds is not None:
            parts.append(f"about {clock(self.seconds)}")
        if self.needs_bytes is not None:
            if self.limit_bytes is not None:
                most = f" (it may take {gigabytes(self.limit_bytes)})"
            parts.append(f"about {gigabytes(self.needs_bytes)} of memory{most}")
        return " and ".join(parts) or "not known"


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Foretold:
    """As :func:`foretell`, of a question put to these data."""
    if progress is not None:
        progress(0.0)
    return foretell(config.study, fs, config.config, engine=engine)


def foretell(
    study: Callable[..., Any],
    fs: FingerprintSet,
    config: Any,
    *,
    timed: bool = True,
    limits: Limits | None = None,
    engine: Engine | None = None,
) -> Foretold:
    """What ``study(fs, config)`` is likely to take.

    Time is good to a factor of about two, memory to one of about one and a half.

    Parameters
    ----------
    study : callable
        Of a module of this package, as :func:`fpanon_core.studies.hiding.study`.
    fs : FingerprintSet
    config : Config
        Of that module.
    timed : bool
        Whether to measure samples; a few seconds at most on data of ordinary density.
    limits : Limits, optional
        Those of this machine, as the environment has them, when None.
    engine : LocalEngine, optional

    Examples
    --------
    >>> from fpanon_core.studies import hiding
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 9, 4])
    >>> limits = Limits(memory_bytes=100_000_000)
    >>> told = foretell(hiding.study, fs, hiding.Config(2), timed=False, limits=limits)
    >>> str(told), told.fits
    ('about 180 MB of memory (it may take 100 MB)', False)
    """
    limits = limits or Limits.of_server()
    needs = needed_bytes(study, fs, config, engine)
    seconds = seconds_of(study, fs, config, engine=engine) if timed else None
    return Foretold(seconds, needs, limits.memory_bytes)


def refuse_what_does_not_fit(
    study: Callable[..., Any],
    fs: FingerprintSet,
    config: Any,
    *,
    limits: Limits | None = None,
    engine: Engine | None = None,
) -> None:
    """Say so before a run that would not fit in memory, with what would.

    Raises
    ------
    InfeasibleError
    """
    told = foretell(study, fs, config, timed=False, limits=limits, engine=engine)
    if told.fits or told.needs_bytes is None or told.limit_bytes is None:
        return
    would_fit = ways_out(study, fs, config, told.limit_bytes, engine)
    raise InfeasibleError(
        needs_too_much(told.needs_bytes, told.limit_bytes, would_fit, in_session=False)
    )


def ways_out(
    study: Callable[..., Any],
    fs: FingerprintSet,
    config: Any,
    limit_bytes: int,
    engine: Engine | None = None,
) -> str:
    """How many of the people would fit, or in how many shards all would; "" where nothing does."""
    said, people = [], people_that_fit(study, fs, config, limit_bytes, engine)
    if people >= 2:
        said.append(f"About {people:,} of the {fs.n_users:,} people would fit.")
    if study is hiding.study and fs.n_users >= SHARDED_FROM:
        config = hiding.Config() if config is None else config
        if (shards := _shards_that_fit(fs, config, limit_bytes, engine)) is not None:
            said.append(f"All of them would, hidden in {shards:,} shards.")
    return " ".join(said)


def _shards_that_fit(
    fs: FingerprintSet, config: hiding.Config, limit_bytes: int, engine: Engine | None
) -> int | None:
    """The fewest, of a good size or of halves of it, by which everybody can be hidden."""
    people = PEOPLE_A_SHARD
    while people >= _FEWEST_A_SHARD:
        shards, people = math.ceil(fs.n_users / people), people // 2
        if shards > hiding.most_shards(fs, config.k):
            break
        if shards <= (config.shards or 1):
            continue
        within = needed_bytes(hiding.study, fs, replace(config, shards=shards), engine)
        if within is not None and within <= limit_bytes:
            return shards
    return None


def memory_told(
    study: Callable[..., Any],
    fs: FingerprintSet,
    config: Any = None,
    *,
    limits: Limits | None = None,
    engine: Engine | None = None,
) -> str:
    """For the screen, beside a button: what a question needs, and what would fit if that does not.

    "" where nobody measured it.
    """
    told = foretell(study, fs, config, timed=False, limits=limits, engine=engine)
    if told.needs_bytes is None:
        return ""
    needs = needed(told.needs_bytes, told.limit_bytes)
    if told.limit_bytes is None or told.fits:
        return needs
    return f"{needs} {ways_out(study, fs, config, told.limit_bytes, engine)}".rstrip()


def needed(needs_bytes: int, limit_bytes: int | None) -> str:
    """For the screen: memory that something needs, beside what it may take."""
    needs = f"It needs about {gigabytes(needs_bytes)} of memory"
    if limit_bytes is None:
        return f"{needs}."
    may = f"a computation may take {gigabytes(limit_bytes)} here"
    if needs_bytes <= limit_bytes:
        return f"{needs}; {may}."
    return f"{needs}, more than there is: {may}."


def seconds_of(
    study: Callable[..., Any], fs: FingerprintSet, config: Any, *, engine: Engine | None = None
) -> float | None:
    """Seconds that ``study(fs, config)`` is likely to take on this machine, now.

    What has an estimate of its own has that one: k-gaps, hiding, attacks. Otherwise samples of 300
    people, 1,200 and so on are put to the question until one takes a second, and the growth
    between the last two is carried on to all, as a power of the number of people of at most 2. None
    where the question has no answer for so few people.
    """
    engine = engine or LocalEngine()
    try:
        if study is anonymizability.study:
            return sum(
                estimates.estimate_k_gap_s(
                    generalized(fs, profile), max(config.ks), config=config.stretch, engine=engine
                )
                for profile in config.profiles or (as_read(fs),)
            )
        if study is hiding.study:
            return _hiding_s(fs, config, engine)
        if study is attack.study:
            return attack_estimate.estimate_attack_s(fs, config, engine=engine)
        return _carried_on(study, fs, config, engine)
    except FpanonError:
        return None


def _hiding_s(fs: FingerprintSet, config: hiding.Config, engine: Engine) -> float:
    estimate = (
        glove_estimate.estimate_aligned_s
        if config.method == "aligned"
        else glove_estimate.estimate_glove_s
    )
    if config.shards is None:
        return estimate(fs, config.k, config=config.stretch, engine=engine)
    # One shard is on one core; people of one are near to each other, those drawn here are not.
    many = min(fs.n_users, max(config.k, fs.n_users // config.shards))
    one = fs.subset(np.sort(np.random.default_rng(_SEED).permutation(fs.n_users)[:many]))
    alone = estimate(one, config.k, config=config.stretch, engine=LocalEngine(1))
    return alone * math.ceil(config.shards / min(engine.workers, config.shards))


def _carried_on(
    study: Callable[..., Any], fs: FingerprintSet, config: Any, engine: Engine
) -> float:
    if isinstance(config, Counting):
        fs = fs.subset(drawn_rows(fs, config))  # the others have no part in it
    name = study.__module__.rpartition(".")[2]
    long_enough_s = _LONG_ENOUGH_OF.get(name, _LONG_ENOUGH_S)
    order = np.random.default_rng(_SEED).permutation(fs.n_users)
    before, many = (0, 0.0), _FIRST
    asked = _asked(config)
    while True:
        some = min(many, fs.n_users)
        users = fs if some == fs.n_users else fs.subset(np.sort(order[:some]))
        if before[0] == 0:
            study(users, config, engine=engine)  # compiles, and fills what is cached
        started = time.perf_counter()
        study(users, config, engine=engine)
        took = time.perf_counter() - started
        if some == fs.n_users:
            return took
        if (took >= long_enough_s and before[0]) or took >= 4 * long_enough_s:
            break
        before, many = (some, took), _TIMES * some
    power = 1.0
    if before[0]:
        power = math.log(max(took, 1e-6) / max(before[1], 1e-6)) / math.log(some / before[0])
    power = max(power, _LEAST_POWER.get(name, 0.0))
    power = min(power, _MOST_POWER_OF.get(name, _MOST_POWER))
    # Beyond those who are asked about, only the people grow among whom they are looked for.
    within = min(fs.n_users, max(asked, some))
    beyond = (fs.n_users / within) ** max(power - 1.0, _LEAST_BEYOND)
    return float(took * (within / some) ** power * beyond)


def _asked(config: Any) -> int:
    """How many people a question asks about, at most."""
    users = getattr(config, "users", None) or getattr(
        getattr(config, "knowledge", None), "users", None
    )
    return int(users) if users else _MANY
