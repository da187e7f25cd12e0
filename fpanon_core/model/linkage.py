"""Whose record does an attacker pick who knows true points, and what does the record reveal?

Results of :func:`fpanon_core.link`, :func:`fpanon_core.reidentification` and
:func:`fpanon_core.expected_error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from . import checks
from .configs import KnowledgeConfig

ATTACKERS = ("best_sample", "bayes")
"""Who scores the records by known points, in the order in which the kernels count them."""


@dataclass(frozen=True)
class LinkConfig(KnowledgeConfig):
    """As :class:`KnowledgeConfig`, and how exactly points are known.

    Attributes
    ----------
    blur_m, blur_min : float
        Standard deviation of the attacker's error along x and along y, metres, and in time,
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
    """What one attacker's score finds.

    Attributes
    ----------
    first : float
        Share of the targets in the release whose own record ranks first; where several are level,
        the chance is 1 over the people whose records they are.
    among_10 : float
        Share whose own record is among the first ten, likewise.
    posterior : float
        Mean probability that the attacker gives the own record.
    accused : float
        Share of the targets *not* in the release for whom the attacker takes another person's
        record; NaN where everybody is in it.
    first_low, first_high, …
        95% Wilson interval of each.
    n_accused : int
        Number of targets accused.
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
    """How many records an attacker picks who knows true points and the stated method.

    ``first``, ``first_low``, ``first_high``, ``among_10``, ``posterior`` and ``accused`` of the
    strongest attacker are also attributes of the result itself.

    Attributes
    ----------
    readings : mapping of str to LinkReading
        By attacker: ``"best_sample"`` and ``"bayes"``.
    attacker : str
        The strongest: whose interval of ``first`` reaches highest; of two alike, the larger value.
    guessing : float
        Chance of picking the right record by guessing: 1 over the people in the release; with
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
        ``points`` known; of the strongest attacker ``better`` (people whose record fits better),
        ``level`` (people whose record fits as well, the target included), ``first``, ``among_10``,
        ``posterior``, ``accused``; ``best_sample`` and ``bayes`` (``first`` of each attacker). NaN
        where it does not apply.
    method : str
        What was done to the data, in words.
    config : LinkConfig
    digest : str
        Of the original.
    """

    readings: Mapping[str, LinkReading]
    attacker: str
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
    def strongest(self) -> LinkReading:
        """The reading of the strongest attacker."""
        return self.readings[self.attacker]

    @property
    def first(self) -> float:
        """Share picked out by the strongest attacker (:attr:`LinkReading.first`)."""
        return self.strongest.first

    @property
    def first_low(self) -> float:
        """Lower end of its 95% interval."""
        return self.strongest.first_low

    @property
    def first_high(self) -> float:
        """Upper end of its 95% interval."""
        return self.strongest.first_high

    @property
    def among_10(self) -> float:
        """Share among the strongest attacker's first ten (:attr:`LinkReading.among_10`)."""
        return self.strongest.among_10

    @property
    def posterior(self) -> float:
        """Mean posterior of the strongest attacker (:attr:`LinkReading.posterior`)."""
        return self.strongest.posterior

    @property
    def accused(self) -> float:
        """Share accused by the strongest attacker (:attr:`LinkReading.accused`)."""
        return self.strongest.accused

    @property
    def by_attacker(self) -> pd.DataFrame:
        """A row for each attacker: ``attacker``, ``first``, ``low``, ``high``."""
        rows = [(name, r.first, r.first_low, r.first_high) for name, r in self.readings.items()]
        return pd.DataFrame(rows, columns=["attacker", "first", "low", "high"])

    def __repr__(self) -> str:
        return (
            f"LinkResult({self.method}: {self.first:.1%} picked out by {self.attacker}, "
            f"{self.n_present} targets)"
        )

    def to_frame(self) -> pd.DataFrame:
        """A row for each attacker: ``attacker``, its figures, ``guessing``, how many targets."""
        rows: list[dict[str, Any]] = [
            {"attacker": name, **asdict(reading)} for name, reading in self.readings.items()
        ]
        return pd.DataFrame(rows).assign(
            guessing=self.guessing, n_present=self.n_present, n_absent=self.n_absent
        )


def strongest(intervals: Mapping[str, tuple[float, float, float]]) -> str:
    """Name of the attacker whose interval (value, low, high) reaches highest.

    Where two reach alike the larger value counts, then the earlier name; NaN counts least.

    Examples
    --------
    >>> strongest({"a": (0.2, 0.1, 0.3), "b": (0.1, 0.0, 0.4)})
    'b'
    """

    def reach(name: str) -> tuple[float, float]:
        value, _, high = intervals[name]
        return (high, value) if high == high else (-1.0, -1.0)

    return max(intervals, key=reach)


@dataclass(frozen=True, eq=False)
class RiskResult:
    """The re-identification risk: the share of targets whose record the strongest attacker picks.

    Attributes
    ----------
    value, low, high : float
        Of the strongest attacker, with its 95% interval. No interval reaches above what the
        people who share a record leave possible.
    attacker : str
        The strongest: ``"best_sample"`` or ``"bayes"`` with true points, or ``"bayes_published"``
        with points as published.
    by_attacker : DataFrame
        A row for each attacker: ``attacker``, ``value``, ``low``, ``high``, ``targets``.
    guessing : float
        Chance of picking the right record by guessing.
    method : str
        What was done to the data, in words.
    config : LinkConfig
    digest : str
        Of the original.
    """

    value: float
    low: float
    high: float
    attacker: str
    by_attacker: pd.DataFrame
    guessing: float
    method: str
    config: LinkConfig
    digest: str

    def of_attacker(self, name: str) -> tuple[float, float, float]:
        """Value and interval of one attacker of the battery."""
        rows = self.by_attacker[self.by_attacker["attacker"] == name]
        value, low, high = rows[["value", "low", "high"]].to_numpy(np.float64)[0].tolist()
        return value, low, high

    @property
    def by_true_points(self) -> tuple[float, float, float]:
        """Value and interval of the stronger of the two attackers who know true points."""
        intervals = {name: self.of_attacker(name) for name in ATTACKERS}
        return intervals[strongest(intervals)]

    def __repr__(self) -> str:
        return f"RiskResult({self.method}: {self.value:.1%} by {self.attacker})"

    def to_frame(self) -> pd.DataFrame:
        """:attr:`by_attacker`, with ``guessing`` and whether the attacker is the ``strongest``."""
        return self.by_attacker.assign(
            guessing=self.guessing, strongest=self.by_attacker["attacker"] == self.attacker
        )


@dataclass(frozen=True, eq=False)
class ExpectedError:
    """How far off the attacker's best guess of a person's place is.

    Attributes
    ----------
    metres : float
        Mean distance over the targets, after linkage.
    low, high : float
        Its 95% interval, for any distribution within the extent of the data.
    median_m : float
        Half the guesses are no further off.
    guessing_m : float
        Mean distance of the one place that suits all that is published best, for who links nothing.
    points_m : float
        Mean distance of the place that suits the points known best, for who has no release.
    n_targets : int
    attacker : str
        Whose posterior gives the smaller mean: ``"best_sample"`` or ``"bayes"``.
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
    attacker: str
    per_target: pd.DataFrame
    method: str
    config: LinkConfig
    digest: str
