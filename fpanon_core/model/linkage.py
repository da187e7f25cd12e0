"""Results of attacks: linkage, what the picked record reveals, membership, recovery from tables.

The functions :func:`fpanon_core.link`, :func:`fpanon_core.reidentification`,
:func:`fpanon_core.expected_error`, :func:`fpanon_core.home_found`, :func:`fpanon_core.membership`
and :func:`fpanon_core.table_recovery` return these results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from .arrays import FloatArray, IntArray
from .checks import NOT_BELOW_0
from .configs import KnowledgeConfig
from .intervals import wilson_interval

ATTACKERS = ("best_sample", "bayes")
"""Attackers who score the records by known points, in the order that the kernels use."""


@dataclass(frozen=True)
class LinkConfig(KnowledgeConfig):
    """Parameters of :class:`KnowledgeConfig`, with the precision of the known points.

    Attributes
    ----------
    blur_m, blur_min : float
        Standard deviation of the attacker's error along x and along y (metres) and in time
        (minutes); 0 for none.
    """

    blur_m: Annotated[float, NOT_BELOW_0] = 0.0
    blur_min: Annotated[float, NOT_BELOW_0] = 0.0

    @property
    def knowledge(self) -> KnowledgeConfig:
        """Parameters of the knowledge, except its precision."""
        return KnowledgeConfig(self.p, self.strategy, self.users, self.seed)


@dataclass(frozen=True)
class LinkReading:
    """Results of one attacker in a linkage attack.

    Attributes
    ----------
    first : float
        Share of the targets in the release whose own record ranks first. If several records share
        the first rank, the target counts as 1 over the number of people with these records.
    among_10 : float
        Share of these targets whose own record is among the first ten; equal ranks count in the
        same way.
    posterior : float
        Mean probability that the attacker assigns to the target's own record.
    accused : float
        Share of the targets *not* in the release for which the attacker picks another person's
        record; NaN where everybody is in the release.
    first_low, first_high, …
        Ends of the 95% Wilson interval of each figure.
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
    """Share of people whose record is picked by an attacker who knows true points and the method.

    ``first``, ``first_low``, ``first_high``, ``among_10``, ``posterior`` and ``accused`` of the
    strongest attacker are also attributes of the result itself.

    Attributes
    ----------
    readings : mapping of str to LinkReading
        Results by attacker: ``"best_sample"`` and ``"bayes"``.
    attacker : str
        The strongest attacker, whose interval of ``first`` has the highest upper end; if two are
        equal, the one with the larger value.
    guessing : float
        Chance of picking the right record by guessing: 1 over the number of people in the release.
        With periods, the mean of 1 over the number of people in the record's period.
    n_present, n_absent : int
        Number of targets whose record is in the release, and of targets without one.
    n_users : int
        Number of people in the release.
    too_few : int
        Number of targets with fewer than p points; all their points are known.
    per_target : DataFrame
        A row for each target: ``user`` (row number in the original), ``pseudonym``, ``period`` (in
        a release with periods, each of which is attacked separately), ``present``, ``points``
        known. For the strongest attacker: ``better`` (people whose record fits better), ``level``
        (people whose record fits equally well, including the target), ``first``, ``among_10``,
        ``posterior``, ``accused``. For each attacker: ``best_sample`` and ``bayes`` (its
        ``first``). NaN where not applicable.
    method : str
        Techniques applied to the data, in words.
    config : LinkConfig
    digest : str
        Digest of the original.
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
        """Result of the strongest attacker."""
        return self.readings[self.attacker]

    @property
    def first(self) -> float:
        """Share of targets whose record the strongest attacker picks."""
        return self.strongest.first

    @property
    def first_low(self) -> float:
        """Lower end of the 95% interval of :attr:`first`."""
        return self.strongest.first_low

    @property
    def first_high(self) -> float:
        """Upper end of the 95% interval of :attr:`first`."""
        return self.strongest.first_high

    @property
    def among_10(self) -> float:
        """Share of targets whose record is among the strongest attacker's first ten."""
        return self.strongest.among_10

    @property
    def posterior(self) -> float:
        """Mean probability that the strongest attacker assigns to the target's own record."""
        return self.strongest.posterior

    @property
    def accused(self) -> float:
        """Share of targets accused by the strongest attacker (:attr:`LinkReading.accused`)."""
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
        """Return a row for each attacker: ``attacker``, and the fields of its :class:`LinkReading`.

        ``guessing``, ``n_present`` and ``n_absent`` are added, and are the same in all rows.
        """
        rows: list[dict[str, Any]] = [
            {"attacker": name, **asdict(reading)} for name, reading in self.readings.items()
        ]
        return pd.DataFrame(rows).assign(
            guessing=self.guessing, n_present=self.n_present, n_absent=self.n_absent
        )


def strongest(intervals: Mapping[str, tuple[float, float, float]]) -> str:
    """Return the name of the attacker whose interval (value, low, high) has the highest upper end.

    If two are equal, the larger value decides, then the order in the mapping; NaN ranks last.

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
    """Re-identification risk: share of targets whose record the strongest attacker picks.

    Attributes
    ----------
    value, low, high : float
        Share for the strongest attacker, with its 95% interval. No interval exceeds the largest
        share that is possible, given the people who share a record.
    attacker : str
        The strongest attacker: ``"best_sample"`` or ``"bayes"`` with true points, or
        ``"bayes_published"`` with points as published.
    by_attacker : DataFrame
        A row for each attacker: ``attacker``, ``value``, ``low``, ``high``, ``targets``.
    guessing : float
        Chance of picking the right record by guessing.
    method : str
        Techniques applied to the data, in words.
    config : LinkConfig
    digest : str
        Digest of the original.
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
        """Return value, low and high of the attacker with this name."""
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
        """Return :attr:`by_attacker` with ``guessing``, and ``strongest`` (True in one row)."""
        return self.by_attacker.assign(
            guessing=self.guessing, strongest=self.by_attacker["attacker"] == self.attacker
        )


@dataclass(frozen=True, eq=False)
class ExpectedError:
    """Distance between a person's true place at a moment and the attacker's best guess of it.

    Attributes
    ----------
    metres : float
        Mean distance over the targets, after linkage.
    low, high : float
        95% interval of the mean, for any distribution within the extent of the data.
    median_m : float
        Median distance.
    guessing_m : float
        Mean distance for an attacker who links nothing and guesses the one best place for all
        published data.
    points_m : float
        Mean distance for an attacker without the release, who guesses the best place for the known
        points.
    n_targets : int
    attacker : str
        Attacker whose posterior gives the smaller mean: ``"best_sample"`` or ``"bayes"``.
    per_target : DataFrame
        A row for each target: ``user``, ``pseudonym``, ``t_min`` (start of the sample at whose
        middle the place is guessed), ``error_m``, ``guessing_m``, ``points_m``.
    method : str
    config : LinkConfig
    digest : str
        Digest of the original.
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


class HomesFound(pd.DataFrame):
    """Share of homes found within each distance, by the strongest attacker for that distance.

    Selecting from the table or copying it gives a plain DataFrame.

    Attributes
    ----------
    by_attacker : DataFrame
        A row for each attacker and distance: ``attacker``, ``within_m``, ``found``, ``low``,
        ``high`` (95% Wilson interval).
    """

    _metadata: ClassVar[list[str]] = ["by_attacker"]

    by_attacker: pd.DataFrame

    @classmethod
    def of(
        cls,
        off: Mapping[str, FloatArray],
        guessing: FloatArray,
        weight: IntArray,
        distances: Sequence[float],
        unknown: int,
    ) -> HomesFound:
        """Make the table from the distances between guesses and homes.

        Parameters
        ----------
        off : mapping of str to float64 ndarray (n,)
            Distances from each attacker's guesses to the homes, metres.
        guessing : float64 ndarray (n,)
            Distances from the guess of an attacker without records to the homes, metres.
        weight : int64 ndarray (n,)
            Number of people behind each home.
        distances : sequence of float
            Distances within which a guess counts as found, metres.
        unknown : int
            Number of people in the release whose home is not known.

        Examples
        --------
        >>> import numpy as np
        >>> off = {"a": np.array([10.0, 900.0]), "b": np.array([300.0, 200.0])}
        >>> found = HomesFound.of(off, np.array([0.0, 500.0]), np.array([1, 1]), [100, 400], 0)
        >>> found[["within_m", "found", "guessing", "attacker"]].values.tolist()
        [[100, 0.5, 0.5, 'a'], [400, 1.0, 0.5, 'b']]
        >>> found.by_attacker["found"].tolist()
        [0.5, 0.5, 0.0, 1.0]
        """
        people = int(weight.sum())
        rows = []
        for attacker, metres in off.items():
            for distance in distances:
                right = int(weight[metres <= distance].sum())
                low, high = wilson_interval(right, people)
                rows.append((attacker, distance, right / people, low, high))
        each = pd.DataFrame(rows, columns=["attacker", "within_m", "found", "low", "high"])
        # All attackers have the same targets, so the largest share has the highest interval.
        best = [
            max(range(number, len(rows), len(distances)), key=lambda row: rows[row][2])
            for number in range(len(distances))
        ]
        table = cls(each.iloc[best].reset_index(drop=True))
        table.insert(4, "guessing", [int(weight[guessing <= d].sum()) / people for d in distances])
        table.insert(5, "people", people)
        table.insert(6, "unknown", unknown)
        table["attacker"] = table.pop("attacker")
        table.by_attacker = each
        return table


@dataclass(frozen=True, eq=False)
class MembershipResult:
    """Advantage of attackers who infer from a release without records who is in the data.

    :func:`fpanon_core.membership` returns this result.

    Attributes
    ----------
    advantage, low, high : float
        Advantage of the strongest attacker, with its 95% interval. Each target is tested twice, in
        the data and not in the data. The advantage is the share of targets rightly said to be in
        the data minus the share wrongly said to be there. Guessing has an advantage of 0.
    bound : float
        (e^ε − 1)/(e^ε + 1), which no attacker exceeds; 1 without ε.
    attacker : str
        The strongest attacker, whose interval has the highest upper end.
    n_targets : int
    by_attacker : DataFrame
        A row for each attacker: ``attacker``, ``advantage``, ``low``, ``high``,
        ``true_positives``, ``false_positives`` (shares of the targets).
    """

    advantage: float
    low: float
    high: float
    bound: float
    attacker: str
    n_targets: int
    by_attacker: pd.DataFrame = field(repr=False)


@dataclass(frozen=True, eq=False)
class TableRecovery:
    """Share of people's recorded slots whose area an attacker recovers from a presence table.

    :func:`fpanon_core.table_recovery` returns this result.

    Attributes
    ----------
    recovered, low, high : float
        Share of recorded slots whose area is recovered, with the share's 95% interval over people.
        With a threshold, the attacker replaces blank counts with 0 or with half the threshold; the
        stronger of the two is reported.
    guessing : float
        Share recovered by the better of two guesses: linking the same counts at random, or assuming
        that people are spread evenly over the areas and stay there.
    exact : float
        Share recovered from the table without a threshold.
    n_users, n_slots : int
    table : DataFrame
        A row for each number put in place of blank counts: ``blanks``, ``recovered``, ``low``,
        ``high``, ``random`` (share recovered by random linking). ``blanks`` is "none" for the table
        without a threshold, "0", "half" (of the threshold), or "all" if no count is used at all.
    """

    recovered: float
    low: float
    high: float
    guessing: float
    exact: float
    n_users: int
    n_slots: int
    table: pd.DataFrame = field(repr=False)
