"""Results of attacks on releases without records: who is in the data, and where they go."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd


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
