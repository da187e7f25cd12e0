"""Whose records of different periods belong together? The answer of the re-linking attack.

As :func:`fpanon_core.relink_periods` gives it.

What two releases of the same people leave of their crowds: the answer of their crossing.
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
"""The attackers of the battery, and what they go by."""


@dataclass(frozen=True)
class RelinkConfig:
    """How far the attacker's program looks.

    Attributes
    ----------
    candidates : int
        Records that are weighed for each record: of the other period, those that it is most like,
        until they stand for so many people; 1 or more. With as many as there are people none is
        left out.
    seed : int
        Of the draws among records that are alike, when records are followed over all periods, and
        of the random matching beside it.
    """

    candidates: int = 512
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("candidates", 1), ("seed", 0)):
            object.__setattr__(self, name, checks.whole(name, getattr(self, name), least))


@dataclass(frozen=True, eq=False)
class RelinkResult:
    """How much of what periods took apart an attacker brings together, from the release alone.

    By the strongest attacker of a battery: ``likeness`` of places and hours, or ``likeness and
    continuity``, which adds how likely the move is between the last cell of a period and the first
    of the next.

    Of records that are alike nobody can say whose is whose; which is taken is drawn, and counted by
    its chance.

    Attributes
    ----------
    share : float
        Of the people with a record in a period and in the next: those whose two records are linked,
        over all such pairs of periods.
    low, high : float
        Its 95% Wilson interval, as wide as if each person were asked once.
    alike : float
        Share of them whose record is linked to their next one, or to one that says the same of
        places and hours: whoever reads on there reads the person's own cells. No less than
        ``share``. Of the battery the highest.
    alike_low, alike_high : float
        Its interval, likewise.
    alike_chance : float
        ``alike`` of a random matching; not small where many records are alike.
    precision : float
        Share of the links made that are right; NaN where none is.
    chance : float
        ``share`` of a random matching.
    chained : float
        Mean over the people with two records or more of the largest share of their records that
        ends in one chain, when that attacker follows all periods one after the other. Never 0: one
        record by itself is a chain.
    chained_low, chained_high : float
        Its 95% Wilson interval.
    chained_chance : float
        ``chained`` of random chains, mean of 20 draws.
    n_people : int
        People with a record in a period and in the next, in any pair.
    n_chained : int
        People with two records or more.
    per_pair : DataFrame
        A row for each period and the next: ``period``, ``next_period`` (numbers from 0), ``people``
        and ``next_people`` in them, ``both`` (people in both), ``links`` made, ``linked`` (people
        linked rightly, by their chances), ``share``, ``low``, ``high``, ``alike``,
        ``alike_chance``, ``precision``, ``chance``. NaN where nobody is in both.
    method : str
        What was done to the data, in words.
    period_days : int
    config : RelinkConfig
    digest : str
        Of the original.
    attacker : str
        The strongest of the battery: the one whose interval of ``share`` reaches highest.
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
        """:attr:`per_pair`, a row for each period and the next."""
        return self.per_pair


@dataclass(frozen=True)
class Crowd:
    """How many people share all that is looked at, over the people who are in both releases.

    Attributes
    ----------
    smallest : int
        People in the smallest group that anybody is in.
    alone : int
        People who are a group of their own.
    alone_share : float
        The share of these.
    naming : float
        Mean over people of 1 / the size of the group.
    """

    smallest: int
    alone: int
    alone_share: float
    naming: float


@dataclass(frozen=True, eq=False, repr=False)
class Crossing:
    """Who is left in a crowd by two releases of the same people, as :func:`cross_releases` says.

    Everybody is counted, nobody drawn, so that no figure has an interval. With periods a person's
    group is the smallest in any two periods that share a day.

    Attributes
    ----------
    together : Crowd
        Of the people in the same group in both: the crossing of the groups.
    first, second : Crowd
        The same people in each release alone.
    n_first, n_second, n_both : int
        People in each release, and in both.
    newly_alone : int
        People alone in the crossing who are alone in neither release by itself.
    sizes : DataFrame
        A row for each size of a group: ``size``, and how many people are in such a group:
        ``together``, ``first``, ``second``.
    periods : DataFrame
        A row for each two periods that share a day and people, numbered from 1 in each release;
        one row of 1 and 1 without periods: ``first_period``, ``second_period``, ``people``,
        ``smallest``, ``alone``, ``naming``.
    per_person : DataFrame
        A row for each person in both, in the order of the first: ``pseudonym``, ``first``,
        ``second``, ``together``: the sizes. Not for release.
    followed : (Crowd, Crowd, Crowd) or None
        Where somebody has several records in a release: the crowds of people in the same groups in
        *all* periods, of both together and of either release by itself, for whoever follows a
        person through them. ``per_person`` has then also ``followed``, ``first_followed`` and
        ``second_followed``.
    names : (str, str)
        What was done to make each, in words.
    ks : (int or None, int or None)
        The crowd that each promises; None where it promises none.
    digests : (str, str)
        Of the original's fingerprints, or of the data file that was read.
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
        """The chance of naming somebody by guessing among the people in both."""
        return 1 / self.n_both

    @property
    def smaller(self) -> int:
        """People whose crowd in the crossing is smaller than in either release by itself."""
        table = self.per_person
        return int((table["together"] < table[["first", "second"]].min(axis=1)).sum())

    @property
    def followed_smaller(self) -> int:
        """The same of people who are followed through all periods; 0 without periods."""
        if self.followed is None:
            return 0
        table = self.per_person
        alone = table[["first_followed", "second_followed"]].min(axis=1)
        return int((table["followed"] < alone).sum())

    @property
    def falls(self) -> bool:
        """Whether anybody's crowd is smaller in the crossing than in either release by itself."""
        return self.smaller > 0 or self.followed_smaller > 0

    def to_frame(self) -> pd.DataFrame:
        """A row for each: ``release`` (together, first, second), ``published`` people, crowds.

        ``people`` are those in both, over whom all the other figures are.
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
    """How often two files lead an attacker from a person's group in the one to that in the other.

    Attributes
    ----------
    first : float
        Share of the people whose group in the second release is the best match of theirs in the
        first, by the strongest attacker; where several match equally well, the chance that a record
        drawn of these is in it.
    first_low, first_high : float
        Its 95% Wilson interval.
    guessing : float
        The same for a record of the second drawn at random.
    n_targets : int
        People asked about, drawn of those in both.
    names : (str, str)
        What was done to make each, in words.
    seed : int
        Of the draw.
    digest : str
        Of the original.
    attacker : str
        The strongest of the battery: the one whose interval reaches highest.
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
