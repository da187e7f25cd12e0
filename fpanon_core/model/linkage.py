"""Who is found by true points, and what is learnt? The answers of the outsider who knows the truth.

As :func:`fpanon_core.link` and :func:`fpanon_core.expected_error` give them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from . import checks
from .configs import KnowledgeConfig


@dataclass(frozen=True)
class LinkConfig(KnowledgeConfig):
    """As :class:`KnowledgeConfig`, and how exactly points are known.

    Attributes
    ----------
    blur_m, blur_min : float
        Standard deviation of the outsider's error along x and along y, metres, and in time,
        minutes; 0 for none.
    """

    blur_m: float = 0.0
    blur_min: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("blur_m", "blur_min"):
            object.__setattr__(self, name, checks.number(name, getattr(self, name), least=0.0))

    @property
    def knowledge(self) -> KnowledgeConfig:
        """What is known, apart from how exactly."""
        return KnowledgeConfig(self.p, self.strategy, self.users, self.seed)


@dataclass(frozen=True)
class LinkReading:
    """What linkage finds, by one way of reading the release.

    Attributes
    ----------
    first : float
        Share of the targets in the release whose own record is the best fit; where several are,
        each is so with the chance 1 over how many people's they are.
    among_10 : float
        Share whose own record is among the first ten, likewise.
    posterior : float
        Mean probability that the outsider has reason to give the own record.
    accused : float
        Share of the targets *not* in the release for whom a record is taken, of somebody else; NaN
        where everybody is in it.
    first_low, first_high, …
        95 % Wilson interval of each.
    n_accused : int
        How many are accused, of those asked.
    """

    first: float
    first_low: float
    first_high: float
    among_10: float
    among_10_low: float
    among_10_high: float
    posterior: float
    posterior_low: float
    posterior_high: float
    accused: float
    accused_low: float
    accused_high: float
    n_accused: int


@dataclass(frozen=True, eq=False)
class LinkResult:
    """How many an outsider finds who knows true points, and the stated method.

    The figures of the tolerant reading are also attributes of the result itself.

    Attributes
    ----------
    tolerant : LinkReading
        Every record scored by how likely the stated method makes it of the points known.
    strict : LinkReading
        The records that hold every point exactly as the method would publish it without noise or
        exchange; all of them fit alike, and where there is none, nobody is found.
    guessing : float
        Chance of naming somebody's record by guessing: 1 over the people in the release; with
        periods, over those in the record's period, on average.
    n_present, n_absent : int
        Targets whose record is in the release, and targets without one.
    n_users : int
        People in the release.
    too_few : int
        Targets with fewer than p points, of whom all are known.
    per_target : DataFrame
        A row for each target: ``user`` (row number in the original), ``pseudonym``, ``period``
        (of a release in periods, each of which is asked for by itself), ``present``,
        ``points`` known; tolerant: ``better`` (people whose record fits better), ``level`` (people
        whose record fits as well as the own, which is one of them), ``first``, ``among_10``,
        ``posterior``, ``accused``; strict: ``fitting`` (people whose record holds every point),
        ``strict_first``, ``strict_among_10``, ``strict_accused``. NaN where it does not apply.
    method : str
        What was done to the data, in words.
    config : LinkConfig
    digest : str
        Of the original.
    """

    tolerant: LinkReading
    strict: LinkReading
    guessing: float
    n_present: int
    n_absent: int
    n_users: int
    too_few: int
    per_target: pd.DataFrame
    method: str
    config: LinkConfig
    digest: str

    @property
    def first(self) -> float:
        """Of the tolerant reading, as :attr:`LinkReading.first`."""
        return self.tolerant.first

    @property
    def first_low(self) -> float:
        """Lower end of its 95 % interval."""
        return self.tolerant.first_low

    @property
    def first_high(self) -> float:
        """Upper end of its 95 % interval."""
        return self.tolerant.first_high

    @property
    def among_10(self) -> float:
        """Of the tolerant reading, as :attr:`LinkReading.among_10`."""
        return self.tolerant.among_10

    @property
    def posterior(self) -> float:
        """Of the tolerant reading, as :attr:`LinkReading.posterior`."""
        return self.tolerant.posterior

    @property
    def accused(self) -> float:
        """Of the tolerant reading, as :attr:`LinkReading.accused`."""
        return self.tolerant.accused

    def __repr__(self) -> str:
        return (
            f"LinkResult({self.method}: {self.first:.1%} found, {self.strict.first:.1%} strictly, "
            f"{self.n_present} targets)"
        )

    def to_frame(self) -> pd.DataFrame:
        """A row for each reading: ``reading``, its figures, ``guessing``, how many were asked."""
        rows: list[dict[str, Any]] = [
            {"reading": name, **asdict(reading)}
            for name, reading in (("tolerant", self.tolerant), ("strict", self.strict))
        ]
        return pd.DataFrame(rows).assign(
            guessing=self.guessing, n_present=self.n_present, n_absent=self.n_absent
        )


@dataclass(frozen=True, eq=False)
class ExpectedError:
    """How far off the outsider's best guess of somebody's place is.

    Attributes
    ----------
    metres : float
        Mean distance over the targets, after linkage.
    low, high : float
        Its 95 % interval, for any distribution within the extent of the data.
    median_m : float
        Half the guesses are no further off.
    guessing_m : float
        Mean distance of the one place that suits all that is published best, for who links nothing.
    points_m : float
        Mean distance of the place that suits the points known best, for who has no release.
    n_targets : int
    per_target : DataFrame
        A row for each target: ``user``, ``pseudonym``, ``t_min`` (the moment), ``error_m``,
        ``guessing_m``, ``points_m``.
    method : str
    config : LinkConfig
    digest : str
        Of the original.
    """

    metres: float
    low: float
    high: float
    median_m: float
    guessing_m: float
    points_m: float
    n_targets: int
    per_target: pd.DataFrame
    method: str
    config: LinkConfig
    digest: str

    @property
    def least_m(self) -> float:
        """The smallest of the means: who does better without linking, or the release, does so."""
        return min(self.metres, self.guessing_m, self.points_m)
