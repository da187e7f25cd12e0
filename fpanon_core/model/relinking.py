"""Whose records of different periods belong together? The answer of the re-linking attack.

As :func:`fpanon_core.relink_periods` gives it.
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
        Its 95 % Wilson interval, as wide as if each person were asked once.
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
        Its 95 % Wilson interval.
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
