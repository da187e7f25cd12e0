"""Can an attacker tell who is in the data behind a release without records, and where they go?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True, eq=False)
class MembershipResult:
    """As :func:`fpanon_core.membership` gives it.

    Attributes
    ----------
    advantage, low, high : float
        Share rightly said to be in the data less the share wrongly said so, by the strongest
        attacker, with its 95% interval. 0 is what guessing finds.
    bound : float
        (e^ε − 1)/(e^ε + 1), which no attacker passes; 1 without ε.
    attacker : str
    n_targets : int
    by_attacker : DataFrame
        ``attacker``, ``advantage``, ``low``, ``high``, ``true_positives``, ``false_positives``.
    differencing, differencing_low, differencing_high : float
        Share of targets that two tables give away, as published with and without the target: some
        cell differs. With its 95% interval; NaN with ε, where noise differs from table to table.
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
    """As :func:`fpanon_core.table_recovery` gives it.

    Attributes
    ----------
    recovered, low, high : float
        Share of recorded slots whose area is recovered, by the strongest reading of blanks; its
        95% interval, over people.
    guessing : float
    exact : float
        The share without a threshold.
    n_users, n_slots : int
    table : DataFrame
        A row for each reading: ``blanks`` ("none", "0", "half"; "all", of no count at all),
        ``recovered``, ``low``, ``high``, ``random`` (linked at random).
    """

    recovered: float
    low: float
    high: float
    guessing: float
    exact: float
    n_users: int
    n_slots: int
    table: pd.DataFrame = field(repr=False)
