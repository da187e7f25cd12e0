"""Results of the re-linking attack and of the composition of two releases.

:class:`RelinkResult` is what :func:`fpanon_core.relink_periods` returns: which records of different
periods an attacker attributes to the same person. :class:`Crossing` says how small the groups
become when two releases of the same people are combined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pandas as pd

from .arrays import Brief
from .checks import AT_LEAST_0, AT_LEAST_1, Checked

ATTACKERS = {
    "likeness": "habits alone",
    "likeness and continuity": "habits, and the move from the end of one period to the next",
}
"""The attackers that are tried, and the information that each uses."""


@dataclass(frozen=True)
class RelinkConfig(Checked):
    """Parameters of the re-linking attack.

    Attributes
    ----------
    candidates : int
        Number of people that each record is compared with, 1 or more. The attacker takes the most
        similar records of the other period, until they stand for this number of people. If there
        are no more people than this, all records are compared.
    seed : int
        Seed of the draws among equal records when records are followed over all periods, and of the
        random matching for comparison.
    """

    candidates: Annotated[int, AT_LEAST_1] = 512
    seed: Annotated[int, AT_LEAST_0] = 0


@dataclass(frozen=True, eq=False, repr=False)
class RelinkResult(Brief):
    """Share of people whose records of different periods an attacker links from the release alone.

    The figures are for the strongest of several attackers. ``likeness`` compares places and
    hours. ``likeness and continuity`` also weighs how likely the move is from the last cell of one
    period to the first cell of the next.

    Records that are alike cannot be distinguished. One of them is drawn, and the link counts by its
    probability of being correct.

    Attributes
    ----------
    share : float
        Share of people whose records of two consecutive periods are linked, among the people with a
        record in both. All pairs of consecutive periods count.
    low, high : float
        95% Wilson interval of ``share``, computed as if each person counted once.
    alike : float
        Share of these people whose record is linked to their own next record, or to one with the
        same places and hours. Either way, the attacker reads the person's own cells. This is the
        highest value of any attacker, at least ``share``.
    alike_low, alike_high : float
        95% Wilson interval of ``alike``, computed in the same way.
    alike_chance : float
        Value of ``alike`` for a random matching; large if many records are alike.
    precision : float
        Share of the links made that are correct; NaN if none is made.
    chance : float
        Value of ``share`` for a random matching.
    chained : float
        Largest share of a person's records in one chain, if the same attacker follows all periods
        in order. It is a mean over the people with two records or more. It is never 0, because a
        single record is a chain.
    chained_low, chained_high : float
        95% Wilson interval of ``chained``.
    chained_chance : float
        Value of ``chained`` for random chains, mean of 20 draws.
    n_people : int
        Number of people with a record in both periods of at least one pair of consecutive periods.
    n_chained : int
        Number of people with two records or more.
    per_pair : DataFrame
        A row for each pair of consecutive periods: ``period``, ``next_period`` (numbers from 0),
        ``people`` and ``next_people`` in them, ``both`` (people in both), ``links`` made,
        ``linked`` (people linked correctly, by probability), ``share``, ``low``, ``high``,
        ``alike``, ``alike_chance``, ``precision``, ``chance``. Shares are NaN where nobody is in
        both; ``precision`` is NaN where no link is made.
    method : str
        Techniques applied to the data, in words.
    period_days : int
    config : RelinkConfig
    digest : str
        Digest of the original.
    attacker : str
        The strongest attacker, whose interval of ``share`` has the highest upper end.
    by_attacker : DataFrame
        A row for each attacker: ``attacker``, ``share``, ``low``, ``high``, ``alike``,
        ``alike_low``, ``alike_high``, ``precision``.
    """

    share: float
    low: float
    high: float
    alike: float
    alike_low: float
    alike_high: float
    alike_chance: float
    precision: float
    chance: float
    chained: float
    chained_low: float
    chained_high: float
    chained_chance: float
    n_people: int
    n_chained: int
    per_pair: pd.DataFrame
    method: str
    period_days: int
    config: RelinkConfig
    digest: str
    attacker: str
    by_attacker: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`per_pair`, a row for each pair of consecutive periods."""
        return self.per_pair


@dataclass(frozen=True)
class Crowd:
    """Sizes of groups of people with the same data, among the people who are in two releases.

    Attributes
    ----------
    smallest : int
        Number of people in the smallest group.
    alone : int
        Number of people with a unique record; each of them is a group of one.
    alone_share : float
        Share of the people with a unique record.
    naming : float
        Mean over people of 1 / the size of their group.
    """

    smallest: int
    alone: int
    alone_share: float
    naming: float


@dataclass(frozen=True, eq=False, repr=False)
class Crossing(Brief):
    """Group sizes in two releases of the same people, and in the composition of both.

    :func:`fpanon_core.cross_releases` returns this result. All people are counted and nobody
    is sampled, so no figure has an interval. With periods, a person's group is the smallest over
    all pairs of periods that share a day.

    Attributes
    ----------
    together : Crowd
        Groups of people who share a group in both releases.
    first, second : Crowd
        Groups of the same people in each single release.
    n_first, n_second, n_both : int
        Numbers of people in each release, and in both.
    newly_alone : int
        Number of people whose record is unique in the composition, but in neither single release.
    sizes : DataFrame
        A row for each group size: ``size``, and the number of people in groups of that size:
        ``together``, ``first``, ``second``.
    periods : DataFrame
        A row for each pair of periods that share a day and people. The periods of each release that
        occur in a pair are numbered from 1; a release without periods is one period, number 1.
        Columns: ``first_period``, ``second_period``, ``people``, ``smallest``, ``alone``,
        ``naming``.
    per_person : DataFrame
        A row for each person in both releases, in the order of the first release: ``pseudonym``,
        and the group sizes ``first``, ``second``, ``together``. Not for release.
    followed : (Crowd, Crowd, Crowd) or None
        Groups of people who share a group in *all* periods: for both releases together, for the
        first and for the second. They apply to an attacker who follows a person through the
        periods. None unless a person has several records in a release. If they are given,
        ``per_person`` also has ``followed``, ``first_followed`` and ``second_followed``.
    names : (str, str)
        Techniques applied for each release, in words.
    ks : (int or None, int or None)
        Group size that each release promises; None where it promises none.
    digests : (str, str)
        Digests of the original's fingerprints, or of the data file that was read.
    """

    together: Crowd
    first: Crowd
    second: Crowd
    n_first: int
    n_second: int
    n_both: int
    newly_alone: int
    sizes: pd.DataFrame
    periods: pd.DataFrame
    per_person: pd.DataFrame
    names: tuple[str, str]
    ks: tuple[int | None, int | None]
    digests: tuple[str, str]
    followed: tuple[Crowd, Crowd, Crowd] | None = None

    @property
    def only_first(self) -> int:
        """Number of people in the first release who are not in the second."""
        return self.n_first - self.n_both

    @property
    def only_second(self) -> int:
        """Number of people in the second release who are not in the first."""
        return self.n_second - self.n_both

    @property
    def guessing(self) -> float:
        """Chance of picking a person's record by guessing among the people in both releases."""
        return 1 / self.n_both

    @property
    def smaller(self) -> int:
        """Number of people with a smaller group in the composition than in either release alone."""
        table = self.per_person
        return int((table["together"] < table[["first", "second"]].min(axis=1)).sum())

    @property
    def followed_smaller(self) -> int:
        """Like :attr:`smaller`, but for the groups of :attr:`followed` only; 0 if there is none."""
        if self.followed is None:
            return 0
        table = self.per_person
        alone = table[["first_followed", "second_followed"]].min(axis=1)
        return int((table["followed"] < alone).sum())

    @property
    def falls(self) -> bool:
        """Whether anybody has a smaller group in the composition than in either release alone."""
        return self.smaller > 0 or self.followed_smaller > 0

    def to_frame(self) -> pd.DataFrame:
        """Return a row per ``release`` (together, first, second) with the figures of its groups.

        ``published`` is the number of people in the release, and ``people`` the number in both. All
        other figures are over the people in both.
        """
        rows = {"together": self.together, "first": self.first, "second": self.second}
        table = pd.DataFrame([{"release": name, **vars(crowd)} for name, crowd in rows.items()])
        table.insert(1, "published", [self.n_both, self.n_first, self.n_second])
        table.insert(2, "people", self.n_both)
        return table


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseMatch:
    """Share of people whose group in one release leads an attacker to their group in another.

    Attributes
    ----------
    first : float
        Share of the people whose group in the second release is the strongest attacker's best
        match for their group in the first. If several groups match equally well, a person counts
        by the probability that a record drawn from these groups is in the person's own group.
    first_low, first_high : float
        95% Wilson interval of ``first``.
    guessing : float
        Value of ``first`` for a record drawn at random from the second release.
    n_targets : int
        Number of people attacked, drawn from the people in both releases.
    names : (str, str)
        Techniques applied for each release, in words.
    seed : int
        Seed of the draw.
    digest : str
        Digest of the original.
    attacker : str
        The strongest attacker, whose interval has the highest upper end.
    by_attacker : DataFrame
        A row for each attacker: ``attacker``, ``first``, ``first_low``, ``first_high``.
    """

    first: float
    first_low: float
    first_high: float
    guessing: float
    n_targets: int
    names: tuple[str, str]
    seed: int
    digest: str
    attacker: str
    by_attacker: pd.DataFrame

    def __repr__(self) -> str:
        return (
            f"ReleaseMatch({self.first:.1%} of {self.n_targets} by {self.attacker}, guessing "
            f"{self.guessing:.1%})"
        )
