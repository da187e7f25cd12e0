"""Results of the re-linking attack and of the composition of two releases.

:class:`RelinkResult` is what :func:`fpanon_core.relink_periods` returns: which records of different
periods an attacker attributes to the same person. :class:`Crossing` says how small the groups
become when two releases of the same people are combined.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from . import checks
from .periods import days_text

ATTACKERS = {
    "likeness": "habits alone",
    "likeness and continuity": "habits, and the move from the end of one period to the next",
}
"""The attackers of the battery, and the information that each uses."""


@dataclass(frozen=True)
class RelinkConfig:
    """Parameters of the re-linking attack.

    Attributes
    ----------
    candidates : int
        Number of people among whom the attacker looks for each record's person, 1 or more. The
        record is compared with the most similar records of the other period, until these stand
        for that many people. If this is at least the number of all people, all are compared.
    seed : int
        Seed of the draws among similar records when records are followed over all periods, and of
        the random matching for comparison.
    """

    candidates: int = 512
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("candidates", 1), ("seed", 0)):
            object.__setattr__(self, name, checks.whole(name, getattr(self, name), least))


@dataclass(frozen=True, eq=False)
class RelinkResult:
    """Share of people whose records of different periods an attacker links from the release alone.

    The figures are those of the strongest attacker of a battery. ``likeness`` compares places and
    hours. ``likeness and continuity`` also weighs how likely the move is between the last cell of a
    period and the first of the next.

    Records that are alike cannot be distinguished. One of them is drawn, and a correct link counts
    by its probability.

    Attributes
    ----------
    share : float
        Share of the people with a record in a period and in the next whose two records are linked,
        over all such pairs of periods.
    low, high : float
        95% Wilson interval of ``share``, as wide as if each person were asked once.
    alike : float
        Share of these people whose record is linked to their own next record, or to one with the
        same places and hours. The attacker then reads the person's own cells. The highest value of
        the battery, and no less than ``share``.
    alike_low, alike_high : float
        95% Wilson interval of ``alike``, computed likewise.
    alike_chance : float
        ``alike`` of a random matching; large where many records are alike.
    precision : float
        Share of the links made that are correct; NaN where none is made.
    chance : float
        ``share`` of a random matching.
    chained : float
        Largest share of a person's records that ends in one chain when the same attacker follows
        all periods in order, as a mean over the people with two records or more. Never 0: a single
        record is a chain.
    chained_low, chained_high : float
        95% Wilson interval of ``chained``.
    chained_chance : float
        ``chained`` of random chains, mean of 20 draws.
    n_people : int
        People with a record in a period and in the next, in any pair of periods.
    n_chained : int
        People with two records or more.
    per_pair : DataFrame
        A row for each period and the next: ``period``, ``next_period`` (numbers from 0), ``people``
        and ``next_people`` in them, ``both`` (people in both), ``links`` made, ``linked`` (people
        linked correctly, by probability), ``share``, ``low``, ``high``, ``alike``,
        ``alike_chance``, ``precision``, ``chance``. NaN where nobody is in both.
    method : str
        Techniques applied to the data, in words.
    period_days : int
    config : RelinkConfig
    digest : str
        Digest of the original.
    attacker : str
        The strongest attacker of the battery, whose interval of ``share`` has the highest upper
        end.
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

    def __repr__(self) -> str:
        return (
            f"RelinkResult({self.method}: {self.share:.1%} of {self.n_people} people linked from "
            f"one period of {days_text(self.period_days)} to the next, {self.chance:.1%} by chance)"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`per_pair`, a row for each period and the next."""
        return self.per_pair


@dataclass(frozen=True)
class Crowd:
    """Group sizes, counting people with the same data, over the people who are in both releases.

    Attributes
    ----------
    smallest : int
        People in the smallest group.
    alone : int
        People with a unique record, who are a group of their own.
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
class Crossing:
    """Group sizes left by two releases of the same people, as :func:`cross_releases` returns them.

    All people are counted and none is drawn, so no figure has an interval. With periods, a person's
    group is the smallest in any two periods that share a day.

    Attributes
    ----------
    together : Crowd
        Groups of the people who are in the same group in both releases.
    first, second : Crowd
        Groups of the same people in each release alone.
    n_first, n_second, n_both : int
        People in each release, and in both.
    newly_alone : int
        People with a unique record in the composition but in neither release alone.
    sizes : DataFrame
        A row for each group size: ``size``, and the number of people in groups of that size:
        ``together``, ``first``, ``second``.
    periods : DataFrame
        A row for each two periods that share a day and people, numbered from 1 in each release;
        without periods one row of 1 and 1. Columns: ``first_period``, ``second_period``,
        ``people``, ``smallest``, ``alone``, ``naming``.
    per_person : DataFrame
        A row for each person in both, in the order of the first: ``pseudonym``, and the group sizes
        ``first``, ``second``, ``together``. Not for release.
    followed : (Crowd, Crowd, Crowd) or None
        Where a person has several records in a release: the groups of people in the same groups in
        *all* periods, for both releases together and for each alone. They hold for an attacker who
        follows a person through the periods. ``per_person`` then also has ``followed``,
        ``first_followed`` and ``second_followed``.
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

    def __repr__(self) -> str:
        return (
            f"Crossing({self.together.alone} of {self.n_both} people alone, smallest group "
            f"{self.together.smallest}; {self.first.smallest} and {self.second.smallest} by itself)"
        )

    @property
    def only_first(self) -> int:
        """People in the first release who are not in the second."""
        return self.n_first - self.n_both

    @property
    def only_second(self) -> int:
        """People in the second release who are not in the first."""
        return self.n_second - self.n_both

    @property
    def guessing(self) -> float:
        """Chance of picking a person's record by guessing among the people in both."""
        return 1 / self.n_both

    @property
    def smaller(self) -> int:
        """Number of people whose group is smaller in the composition than in either release."""
        table = self.per_person
        return int((table["together"] < table[["first", "second"]].min(axis=1)).sum())

    @property
    def followed_smaller(self) -> int:
        """:attr:`smaller`, for people followed through all periods; 0 without periods."""
        if self.followed is None:
            return 0
        table = self.per_person
        alone = table[["first_followed", "second_followed"]].min(axis=1)
        return int((table["followed"] < alone).sum())

    @property
    def falls(self) -> bool:
        """Whether anybody's group is smaller in the composition than in either release alone."""
        return self.smaller > 0 or self.followed_smaller > 0

    def to_frame(self) -> pd.DataFrame:
        """Return a row per ``release`` (together, first, second) with the figures of its groups.

        ``published`` is the number of people in the release, and ``people`` the number in both. All
        other figures are over the people in both.
        """
        rows = {"together": self.together, "first": self.first, "second": self.second}
        published = {"together": self.n_both, "first": self.n_first, "second": self.n_second}
        return pd.DataFrame(
            [
                {
                    "release": name,
                    "published": published[name],
                    "people": self.n_both,
                    **vars(crowd),
                }
                for name, crowd in rows.items()
            ]
        )


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseMatch:
    """Share of the people whose group in a second release an attacker finds from the first.

    Attributes
    ----------
    first : float
        Share of the people whose group in the second release is the best match of their group in
        the first, for the strongest attacker. If several groups match equally well, a person counts
        by the probability that a record drawn from these groups is in the person's own.
    first_low, first_high : float
        95% Wilson interval of ``first``.
    guessing : float
        The same share for a record drawn at random from the second release.
    n_targets : int
        Number of people attacked, drawn from those in both.
    names : (str, str)
        Techniques applied for each release, in words.
    seed : int
        Seed of the draw.
    digest : str
        Digest of the original.
    attacker : str
        The strongest attacker of the battery, whose interval has the highest upper end.
    by_attacker : DataFrame
        A row for each attacker of the battery: ``attacker``, ``first``, ``first_low``,
        ``first_high``.
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
