"""Estimates of the time and memory that a study will take, before it runs.

Each study registers its measured cost with :func:`costs`. Memory follows directly from the size of
the data; time is measured on some people drawn at random. A study that would exceed the memory
available to a computation is refused, and the refusal says what would fit.

Memory was measured on generated call records of 2,000 to 32,000 people over 14 days, at k = 2 (23
November 2026, tests/benchmarks/estimates.py). The data sets had 123,000 to 2 million samples. What
was measured is the peak of a child process's own memory. It is modelled as a fixed part plus a
number of bytes for each sample, within a factor of 1.5 of the measurements. For larger data the
same model is assumed. A million people in shards, and the recovery attack on 100,000 people, were
also measured (RESULTS.md).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, Unpack

import numpy as np

from ..engines.limits import Limits, needs_too_much
from ..engines.local import Engine, LocalEngine
from ..engines.progress import tell
from ..model.budgets import clock, gigabytes
from ..model.errors import FpanonError, InfeasibleError
from ..model.fingerprints import FingerprintSet
from .tabled import Work

START_BYTES = 180_000_000
"""Bytes of a child process without data: Python, its libraries and the compiled kernels."""
_SEED = 0
_MANY = 1 << 62

Study = Callable[..., Any]
S = TypeVar("S", bound=Study)


# --- what studies register -----------------------------------------------------------------------


@dataclass(frozen=True)
class Growth:
    """Extrapolation of time from some people to all, as a power of their number.

    Attributes
    ----------
    people : tuple of int
        Numbers of people drawn at random, measured one after another.
    powers : (float, float)
        Smallest and largest power; after only one measurement, the power in this range that is
        nearest to 1 is used.
    warming : int or None
        Number of people in a first run whose time is ignored, as the first call of a kernel also
        loads the kernel; the first of ``people`` when None.
    enough_s : float
        Least measured time in seconds at which the growth over the preceding measurement is
        accepted.
    alone_s : float
        Least measured time in seconds at which one measurement is accepted alone.
    beyond : float
        Least power beyond the number of targets, where only the number of people searched grows.
    """

    people: tuple[int, ...] = tuple(300 * 4**i for i in range(16))
    powers: tuple[float, float] = (0.0, 2.0)
    warming: int | None = None
    enough_s: float = 1.0
    alone_s: float = 4.0
    beyond: float = 0.65


@dataclass(frozen=True)
class Cost:
    """Memory and time that a study takes, as measured.

    Attributes
    ----------
    bytes_a_sample : float, callable or None
        Bytes for each sample at the peak, or a function that returns them for the data, the
        settings and the engine. They include the data, copies that are passed on, and what is
        derived from the data. None where not measured.
    beside : int
        Bytes that do not grow with the data.
    growth : Growth
    seconds : callable or None
        The study's own estimate of time: a function of the data, the settings, the engine, and
        whether the preceding results exist already.
    part : callable or None
        Function that selects the part of the data that the study is about; all data when None.
    way_out : callable or None
        Function that says in a sentence what else would fit. Its arguments are the data, the
        settings, and a function that says whether settings fit.
    """

    bytes_a_sample: float | Callable[[FingerprintSet, Any, Engine | None], float] | None = None
    beside: int = 0
    growth: Growth = Growth()
    seconds: Callable[[FingerprintSet, Any, Engine, bool], float] | None = None
    part: Callable[[FingerprintSet, Any], FingerprintSet] | None = None
    way_out: Callable[[FingerprintSet, Any, Callable[[Any], bool]], str] | None = None


_COSTS: dict[Study, Cost] = {}


def costs(bytes_a_sample: Any = None, **more: Any) -> Callable[[S], S]:
    """Return a decorator that registers the :class:`Cost` of a study."""

    def registered(study: S) -> S:
        _COSTS[study] = Cost(bytes_a_sample, **more)
        return study

    return registered


# --- what is asked -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Config:
    """The study whose cost is estimated, and its settings.

    Attributes
    ----------
    study : callable
        Study of a module of this package, such as :func:`fpanon_core.studies.hiding.study`.
    config : Config
        Settings of that module.
    made : bool
        Whether what the study makes first, such as a release, exists already.
    """

    study: Study
    config: Any
    made: bool = False


@dataclass(frozen=True)
class Estimate:
    """Time and memory that a study is likely to take on this machine, now.

    Attributes
    ----------
    seconds : float or None
        Time; None where it was not asked for, or where the study cannot be run on the people drawn
        to measure the time.
    needs_bytes : int or None
        Memory of the process at its peak; None where it was not measured.
    limit_bytes : int or None
        Memory that a computation may take here; None without a limit.
    """

    seconds: float | None = None
    needs_bytes: int | None = None
    limit_bytes: int | None = None

    @property
    def fits(self) -> bool:
        """Whether the memory needed is within the limit; true where need or limit is not known."""
        if self.needs_bytes is None or self.limit_bytes is None:
            return True
        return self.needs_bytes <= self.limit_bytes

    def __str__(self) -> str:
        parts, most = [], ""
        if self.seconds is not None:
            parts.append(f"about {clock(self.seconds)}")
        if self.needs_bytes is not None:
            if self.limit_bytes is not None:
                most = f" (at most {gigabytes(self.limit_bytes)} may be used)"
            parts.append(f"about {gigabytes(self.needs_bytes)} of memory{most}")
        return " and ".join(parts) or "not known"


def study(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> Estimate:
    """Estimate the time and memory that a study of these data is likely to take."""
    tell(work.get("progress"), 0.0)
    engine = work.get("engine")
    seconds = seconds_of(config.study, fs, config.config, made=config.made, engine=engine)
    return replace(estimate(config.study, fs, config.config, engine=engine), seconds=seconds)


def estimate(
    study: Study, fs: FingerprintSet, config: Any, *, engine: Engine | None = None
) -> Estimate:
    """Estimate the memory that ``study(fs, config)`` takes, to within a factor of about 1.5.

    Parameters
    ----------
    study, fs, config
        The study, the data, and the settings of the study.
    engine : LocalEngine, optional

    Examples
    --------
    >>> from fpanon_core.studies import hiding
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 9, 4])
    >>> estimate(hiding.study, fs, hiding.Config(2)).needs_bytes
    180001350
    """
    needs = needed_bytes(study, fs, config, engine)
    return Estimate(None, needs, Limits.of_server().memory_bytes)


# --- memory --------------------------------------------------------------------------------------


def needed_bytes(
    study: Study, fs: FingerprintSet | None, config: Any = None, engine: Engine | None = None
) -> int | None:
    """Estimate the bytes that a study's process takes; None without data, or if not measured.

    Examples
    --------
    >>> from fpanon_core.studies import hiding
    >>> fs = FingerprintSet.from_samples([1, 1, 2], [0, 900, 0], [0, 0, 0], [0, 9, 4])
    >>> needed_bytes(hiding.study, fs) - START_BYTES
    1350
    """
    if fs is None or (known := _bytes(study, fs, config, engine)) is None:
        return None
    beside, each = known
    return beside + int(each * fs.n_samples)


def _bytes(
    study: Study, fs: FingerprintSet, config: Any, engine: Engine | None
) -> tuple[int, float] | None:
    """Return the fixed bytes and the bytes for each sample; None where they were not measured."""
    cost = _COSTS.get(study)
    if cost is None or cost.bytes_a_sample is None:
        return None
    each = cost.bytes_a_sample
    return START_BYTES + cost.beside, each(fs, config, engine) if callable(each) else each


def refuse_what_does_not_fit(
    study: Study, fs: FingerprintSet, config: Any, *, engine: Engine | None = None
) -> None:
    """Refuse a run that would not fit in memory, and say what would fit.

    Raises
    ------
    InfeasibleError
        The run would need more memory than a computation may take.
    """
    found = estimate(study, fs, config, engine=engine)
    if found.fits or found.needs_bytes is None or found.limit_bytes is None:
        return
    would_fit = ways_out(study, fs, config, found.limit_bytes, engine)
    raise InfeasibleError(
        needs_too_much(found.needs_bytes, found.limit_bytes, would_fit, in_session=False)
    )


def ways_out(
    study: Study, fs: FingerprintSet, config: Any, limit_bytes: int, engine: Engine | None = None
) -> str:
    """Say how many people, drawn at random, would fit, and how everybody could.

    Return "" if neither is known. The memory of the study must have been measured.
    """
    known = _bytes(study, fs, config, engine)
    assert known is not None
    beside, each = known
    people = int(max(limit_bytes - beside, 0) / each / fs.n_samples * fs.n_users)
    people = people if people < 100 else people // 10 * 10

    def fits(other: Any) -> bool:
        return (needed_bytes(study, fs, other, engine) or 0) <= limit_bytes

    some = f"About {people:,} of the {fs.n_users:,} people would fit." if people >= 2 else ""
    way_out = _COSTS[study].way_out
    return " ".join(filter(None, (some, way_out(fs, config, fits) if way_out else "")))


def describe_memory(study: Study, fs: FingerprintSet, config: Any = None) -> str:
    """Describe for the screen the memory a study needs and, if that is too much, what would fit.

    Return "" where the memory was not measured.
    """
    found = estimate(study, fs, config)
    if found.needs_bytes is None:
        return ""
    needs = describe_need(found.needs_bytes, found.limit_bytes)
    if found.limit_bytes is None or found.fits:
        return needs
    return f"{needs} {ways_out(study, fs, config, found.limit_bytes)}".rstrip()


def describe_need(needs_bytes: int, limit_bytes: int | None) -> str:
    """Describe for the screen how much memory is needed, and how much may be used."""
    needs = f"About {gigabytes(needs_bytes)} of memory is needed"
    if limit_bytes is None:
        return f"{needs}."
    may = f"a computation may take {gigabytes(limit_bytes)} here"
    if needs_bytes <= limit_bytes:
        return f"{needs}; {may}."
    return f"{needs}, which is too much: {may}."


# --- time ----------------------------------------------------------------------------------------


def seconds_of(
    study: Study,
    fs: FingerprintSet,
    config: Any,
    *,
    made: bool = False,
    engine: Engine | None = None,
) -> float | None:
    """Estimate the seconds that ``study(fs, config)`` takes on this machine, now.

    The estimate is good to within a factor of about two, and takes a few seconds at most on data of
    ordinary density. Return None where the study cannot be run on the people drawn to measure the
    time.
    """
    engine, cost = engine or LocalEngine(), _COSTS.get(study, Cost())
    try:
        if cost.seconds is not None:
            return cost.seconds(fs, config, engine, made)
        some = fs if cost.part is None else cost.part(fs, config)
        return carried_on(
            some,
            lambda users: timed(lambda: study(users, config, engine=engine)),
            cost.growth,
            _asked(config),
        )
    except FpanonError:
        return None


def carried_on(
    fs: FingerprintSet,
    seconds: Callable[[FingerprintSet], float],
    growth: Growth,
    asked: int = _MANY,
) -> float:
    """Extrapolate the seconds for all people from those for some; measure all of a small data set.

    The growth between the last two measurements is continued, with a power within
    ``growth.powers``. At most ``asked`` people are targets. Beyond that number of people, the power
    is lower by one, but at least ``growth.beyond``.
    """
    n, order = fs.n_users, np.random.default_rng(_SEED).permutation(fs.n_users)

    def taken(many: int) -> float:
        return seconds(fs if many >= n else fs.subset(np.sort(order[:many])))

    if growth.warming is None:
        taken(growth.people[0])
    elif n > growth.people[0]:
        taken(growth.warming)
    took, some, power = 0.0, 0, 1.0
    for many in growth.people:
        before, fewer = took, some
        some = min(many, n)
        took = taken(some)
        if some == n:
            return took
        if fewer:
            power = math.log(max(took, 1e-6) / max(before, 1e-6)) / math.log(some / fewer)
        if took >= growth.alone_s or (fewer and took >= growth.enough_s):
            break
    least, most = growth.powers
    power = min(max(power, least), most)
    within = min(n, max(asked, some))
    beyond = (n / within) ** max(power - 1.0, growth.beyond)
    return float(took * (within / some) ** power * beyond)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _asked(config: Any) -> int:
    """Return the largest number of targets of a study; a very large number if it has no limit."""
    users = getattr(config, "users", None) or getattr(
        getattr(config, "knowledge", None), "users", None
    )
    return int(users) if users else _MANY
