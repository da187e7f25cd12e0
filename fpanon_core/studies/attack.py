"""Attack on a release: what an attacker finds in it, and in the data as they are.

The threat: an attacker knows where a person was, and when, and has the release and its description.
The attacker looks for the record, the home and the places of that person. The attack runs on the
data as they are and on a release made from them, with the same draws.

Source: docs/science.md, “An attacker who knows the truth”.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Unpack

import numpy as np
import pandas as pd

from ..anonymize.chain import release
from ..engines.local import Engine
from ..engines.progress import tell
from ..model.checks import NOT_BELOW_0, Checked, whole
from ..model.configs import Strategy
from ..model.errors import InfeasibleError
from ..model.fingerprints import FingerprintSet
from ..model.limits import POINTS, SEED, TARGETS
from ..model.linkage import ExpectedError, LinkConfig, LinkResult, RiskResult
from ..model.options import ReleaseOption
from ..model.released import AnyRelease, ReleasedSet
from ..model.shelf import Shelf
from . import releases
from .estimates import Growth, carried_on, costs
from .learnt import Example, distances, examples, expected_error, home_found
from .linkage import FIRST_FEW, attacked, link
from .reidentification import groups_of, strongest_of
from .tabled import Tabled, Work, nth_of, part_of, working

_MOST_KEPT = 4
_RAW = ReleaseOption()
_NAN, _ERROR = float("nan"), "expected error"


@dataclass(frozen=True)
class Config(Checked):
    """The release that is attacked, and the attacker's knowledge.

    Attributes
    ----------
    option : ReleaseOption
        Option that makes the release, where no release is given; by default, the data as they are.
    p : int
        Number of known points of each target; the points are samples of the original.
    strategy : {"random", "uniform", "top", "consecutive"}
        How the points are chosen; see :func:`fpanon_core.draw_knowledge`.
    users : int
        Largest number of targets drawn from each of two groups: the people in the release, and all
        others.
    seed : int
        Seed of the draws of targets, points and errors, and of the release if it is made here.
    blur_m, blur_min : float
        Standard deviation of the attacker's error along x and along y (metres) and in time
        (minutes); 0 for none.
    within_m : tuple of float
        Largest distances in metres from the true home at which a guess counts as found; kept in
        ascending order.
    nights : int
        Fewest nights (22:00 to 6:00, local time) on which the original must have a record of the
        person, for the home to be known.
    """

    option: ReleaseOption = field(default_factory=ReleaseOption)
    p: Annotated[int, POINTS.check] = 4
    strategy: Strategy = "random"
    users: Annotated[int, TARGETS.check] = 2500
    seed: Annotated[int, SEED.check] = 0
    blur_m: Annotated[float, NOT_BELOW_0] = 0.0
    blur_min: Annotated[float, NOT_BELOW_0] = 0.0
    within_m: tuple[float, ...] = (500.0, 1000.0, 2000.0)
    nights: Annotated[int, partial(whole, least=1, of="nights")] = 1

    def __post_init__(self) -> None:
        _ = self.knowledge  # building it checks the attacker's knowledge
        super().__post_init__()
        object.__setattr__(self, "within_m", tuple(sorted({*distances(self.within_m)})))

    @property
    def knowledge(self) -> LinkConfig:
        """The attacker's knowledge of each target, and the errors in it."""
        return LinkConfig(self.p, self.strategy, self.users, self.seed, self.blur_m, self.blur_min)


@dataclass(frozen=True, eq=False)
class Found:
    """What the attacker finds in one version of the data.

    Attributes
    ----------
    risk : RiskResult
        Re-identification risk, by the strongest attacker.
    link : LinkResult
        Result of the linkage attack with true points.
    home : DataFrame or None
        Homes found, as :func:`fpanon_core.home_found` gives them; None where homes cannot be
        measured.
    home_fault : str
        Why homes cannot be measured; empty where they can.
    error : ExpectedError
        Error of the best guess of a person's position.
    shared_least : int
        Smallest number of people who share a record; 0 where not known.
    """

    risk: RiskResult
    link: LinkResult
    home: pd.DataFrame | None
    home_fault: str
    error: ExpectedError
    shared_least: int = 0


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """What the attacker finds before and after the release, compared with guessing.

    Attributes
    ----------
    config : Config
        The settings.
    digest : str
        Digest of the original.
    option : ReleaseOption
        The option that made the attacked data, with the origins of its grids.
    crowd : int or None
        The k of the k-anonymous groups, within each period if the release has periods; None where
        no group is promised.
    period_days : int or None
        Days in a period; None without periods. With periods, every record is attacked separately.
    before, after : Found
        Results for the data as they are, and for the release.
    examples : tuple of Example
        People to follow step by step, by :func:`.followed.follow`.
    """

    config: Config
    digest: str
    option: ReleaseOption
    crowd: int | None
    period_days: int | None
    before: Found
    after: Found
    examples: tuple[Example, ...] = ()

    MAY_LEAVE = frozenset({"attack"})

    @property
    def method(self) -> str:
        """The option that made the attacked data, in words."""
        return self.option.text

    @property
    def moved(self) -> bool:
        """Whether noise or exchange moves points, so that what is published need not be true."""
        return self.option.moved

    @property
    def leading(self) -> float:
        """Share of the targets in the release for whom no record fits better than their own.

        It is NaN where no target is in the release. The record may be shared: an attacker who takes
        it reads the person's cells in any case.
        """
        table = self.after.link.per_target
        better = table.loc[table["present"].astype(bool), "better"]
        return float((better == 0).mean()) if len(better) else _NAN

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the figures for everyone together, and for each target.

        - ``attack``: ``measure``, ``unit`` ("share" or "m"), ``before``, ``before_low``,
          ``before_high``, ``before_guessing``, ``before_asked``, ``after``, ``after_low``,
          ``after_high``, ``guessing``, ``asked`` (number of targets; with periods, records),
          ``points_alone`` (the error with the known points and no release), ``method``; NaN where
          a figure does not apply. Accusations have no ``guessing``: an attacker without a release
          accuses nobody.
        - ``targets``, ``targets_before``: tables of :attr:`fpanon_core.LinkResult.per_target`.
        """
        was, now = (
            pd.DataFrame.from_dict(_figures(each, self.config.within_m), "index", columns=names)
            for each, names in ((self.before, _WAS), (self.after, _NOW))
        )
        table = pd.concat([was, now], axis=1).rename_axis("measure").reset_index()
        error = table["measure"] == _ERROR
        table.insert(1, "unit", ["m" if each else "share" for each in error])
        table["points_alone"] = np.where(error, self.after.error.points_m, _NAN)
        return {
            "attack": table.assign(method=self.method),
            "targets": self.after.link.per_target,
            "targets_before": self.before.link.per_target,
        }


_GROWTH = Growth((300, 1_200), (1.0, 2.0), warming=60, alone_s=math.inf, beyond=1.0)


def _seconds(fs: FingerprintSet, config: Config, engine: Engine, made: bool) -> float:
    """Estimate the seconds to make the release, unless it is already made, and to attack it.

    Time is measured on small groups of people drawn at random. In each group, everyone is a target,
    up to the number of targets in the settings. The attack on the data as they are is always
    counted, even if its result is kept from an earlier run.
    """

    def attacked_one(users: FingerprintSet) -> float:
        known, begun = replace(config, users=min(config.users, users.n_users)), time.perf_counter()
        given = release(users, config.option, seed=config.seed, engine=engine)
        begun = time.perf_counter() if made else begun
        for form in (given, release(users, [])):
            found(users, form, known, working(engine))
        return time.perf_counter() - begun

    return carried_on(fs, attacked_one, _GROWTH, config.users)


@costs(700, seconds=_seconds)
def study(
    fs: FingerprintSet, config: Config, released: AnyRelease | None = None, **work: Unpack[Work]
) -> Result:
    """Attack a release and the data as they are, with true points.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    config : Config
    released : ReleasedSet or GloveResult, optional
        A release already made from these data; the configuration's option is then ignored. When
        None, a release is made with the option and the seed, as in a comparison of options.
    engine : LocalEngine, optional
        All local cores when None. The result does not depend on it.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Returns
    -------
    Result

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.link` and :func:`fpanon_core.release`.

    Examples
    --------
    Two of three people are always together; one published area and time window hides all three.

    >>> from fpanon_core import GeneralizationProfile, Grid, as_option
    >>> x, t = [0, 0, 0, 0, 9000, 9000], [60, 600] * 3
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2, 3, 3], x, [0] * 6, t)
    >>> option = as_option(GeneralizationProfile(Grid(20_000), 1_440))
    >>> table = study(fs, Config(option, p=1)).to_frame()
    >>> table.loc[0, ["before", "after", "guessing"]].astype(float).round(3).tolist()
    [0.667, 0.333, 0.333]
    """
    work = working(**work)
    given = made(fs, config, **_tenths(work, 0, 4)) if released is None else released
    target = attacked(fs, given)
    origin = target.origin
    before = _before(fs, config, _tenths(work, 4, 6))
    raw = not origin.option.steps
    after = before if raw else found(fs, given, config, _tenths(work, 6, 9))
    asked = after.link.per_target, config.within_m, config.nights
    some = examples(target, config.knowledge, *asked, engine=work["engine"])
    tell(work["progress"], 1.0)
    return Result(
        config, fs.digest, origin.option, origin.k, origin.period_days, before, after, some
    )


def made(fs: FingerprintSet, config: Config, **work: Unpack[Work]) -> ReleasedSet:
    """Make the release with the settings' option and seed; keep each step's result in the cache."""
    option = config.option
    kept = releases.released(fs, option.steps, config.seed, **work)
    name = None if option.name == option.text else option.name
    return ReleasedSet.of(kept.origin(name))


_BEFORE: Shelf[Found] = Shelf(_MOST_KEPT, _MOST_KEPT, lambda _: 1)


def _tenths(work: Work, begin: int, end: int) -> Work:
    """Return the keywords for work between two tenths of the progress; report that it begins."""
    stretch = part_of(work, begin / 10, end / 10)
    tell(stretch["progress"], 0.0)
    return stretch


def _before(fs: FingerprintSet, config: Config, work: Work) -> Found:
    """Attack the data as they are; keep the result, as it is the same for every release."""
    key = (fs.digest, replace(config, option=_RAW))
    return _BEFORE.made(key, lambda: found(fs, release(fs, _RAW), config, work))


def found(fs: FingerprintSet, released: AnyRelease, config: Config, work: Work) -> Found:
    """Return what all attacks find in one version of the data."""
    known = vars(config.knowledge)
    target = attacked(fs, released)
    alike = groups_of(target)
    records = link(fs, released, **known, **nth_of(work, 0, 3))
    risk = strongest_of(target, config.knowledge, alike, working(work["engine"]))
    error = expected_error(fs, released, **known, **nth_of(work, 1, 3))
    home, fault = None, ""
    try:
        last = nth_of(work, 2, 3)
        homes = home_found(fs, released, config.within_m, nights=config.nights, **last)
        home = pd.DataFrame({name: homes[name] for name in homes})  # a plain table can be passed on
    except InfeasibleError as why:
        fault = str(why)
    return Found(risk, records, home, fault, error, alike.least)


# --- the table -----------------------------------------------------------------------------------


_Figure = tuple[float, float, float, float, int]
"""One measure of one version of the data: value, interval, guessing, number of targets."""
_WAS = ("before", "before_low", "before_high", "before_guessing", "before_asked")
_NOW = ("after", "after_low", "after_high", "guessing", "asked")

ATTACKERS = {
    "best_sample": "by the samples that best match the points",
    "bayes": "by the likeliest record",
    "bayes_published": "by the likeliest record, points as published",
}
"""Name of each attacker in the tables."""


def _figures(found: Found, within_m: Sequence[float]) -> dict[str, _Figure]:
    """Return every measure by name, in the order of the table."""
    link, best, guessing = found.link, found.link.strongest, found.link.guessing
    error = found.error

    def figure(name: str, guess: float, asked: int = link.n_present) -> _Figure:
        value, low, high = (getattr(best, f"{name}{end}") for end in ("", "_low", "_high"))
        return value, low, high, guess, asked

    targets = found.risk.by_attacker.set_index("attacker")["targets"]
    by_name: dict[str, _Figure] = {
        name: (*found.risk.of_attacker(name), guessing, int(targets[name])) for name in ATTACKERS
    }
    return {
        "re-identification risk": by_name[found.risk.attacker],
        **{ATTACKERS[name]: each for name, each in by_name.items()},
        f"record among the first {FIRST_FEW}": figure("among_10", min(1.0, FIRST_FEW * guessing)),
        "posterior of the right record": figure("posterior", guessing),
        "accused, not in the release": figure("accused", _NAN, link.n_absent),
        **{f"home within {metres:g} m": _home(found.home, metres) for metres in within_m},
        _ERROR: (error.metres, error.low, error.high, error.guessing_m, error.n_targets),
    }


def _home(table: pd.DataFrame | None, metres: float) -> _Figure:
    if table is None:
        return _NAN, _NAN, _NAN, _NAN, 0
    row = table[table["within_m"] == metres].iloc[0]
    found, low, high, guessing = map(float, row[["found", "low", "high", "guessing"]])
    return found, low, high, guessing, int(row["people"])
