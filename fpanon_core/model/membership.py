"""Results of attacks on releases without records: who is in the data, and where they go."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True, eq=False)
class MembershipResult:
    """Result of :func:`fpanon_core.membership`.

    Attributes
    ----------
    advantage, low, high : float
        Advantage of the strongest attacker, with its 95% interval. It is the share of targets
        rightly said to be in the data minus the share wrongly said to be there. Guessing has an
        advantage of 0.
    bound : float
        (e^ε − 1)/(e^ε + 1), which no attacker exceeds; 1 without ε.
    attacker : str
    n_targets : int
    by_attacker : DataFrame
        ``attacker``, ``advantage``, ``low``, ``high``, ``true_positives``, ``false_positives``.
    differencing, differencing_low, differencing_high : float
        Share of targets whose presence is revealed, with its 95% interval: some cell differs
        between two published tables, with and without the target. NaN with ε, because noise differs
        from table to table.
    """

    advantage: float
    low: float
    high: float
    bound: float
    attacker: str
    n_targets: int
    by_attacker: pd.DataFrame = field(repr=False)
    differencing: float = math.nan
    differencing_low: float = math.nan
    differencing_high: float = math.nan


@dataclass(frozen=True, eq=False)
class TableRecovery:
    """Result of :func:`fpanon_core.table_recovery`.

    Attributes
    ----------
    recovered, low, high : float
        Share of recorded slots whose area is recovered with the strongest reading of blanks, with
        the share's 95% interval over people.
    guessing : float
    exact : float
        Share recovered from the tables without a threshold.
    n_users, n_slots : int
    table : DataFrame
        A row for each reading of blanks: ``blanks`` ("none", "0", "half"; "all" uses no count at
        all), ``recovered``, ``low``, ``high``, ``random`` (share recovered by random linking).
    """

    recovered: float
    low: float
    high: float
    guessing: float
    exact: float
    n_users: int
    n_slots: int
    table: pd.DataFrame = field(repr=False)
