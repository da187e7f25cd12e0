"""Whose homes are found: by the strongest attacker, and by each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import pandas as pd

from .arrays import FloatArray, IntArray
from .intervals import wilson_interval


class HomesFound(pd.DataFrame):
    """Homes found within each distance: a table, with that of every attacker beside it.

    What is made of it by selecting or copying is a plain DataFrame.

    Attributes
    ----------
    by_attacker : DataFrame
        A row for each attacker and distance: ``attacker``, ``within_m``, ``found``, ``low``,
        ``high`` (95 % Wilson interval).
    """

    _metadata: ClassVar[list[str]] = ["by_attacker"]

    by_attacker: pd.DataFrame

    @classmethod
    def of(
        cls, off: Mapping[str, FloatArray], guessing: FloatArray, weight: IntArray,
        distances: Sequence[float], unknown: int,
    ) -> HomesFound:  # fmt: skip
        """Of how far guesses are from the homes.

        Parameters
        ----------
        off : mapping of str to float64 ndarray (n,)
            Of each attacker's guesses, metres.
        guessing : float64 ndarray (n,)
            Of the guess of an attacker without records.
        weight : int64 ndarray (n,)
            People whose home is there.
        distances : sequence of float
            How near a guess must be, metres.
        unknown : int
            People in the release whose home is not known.

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
        # All are asked of the same people: whose share is largest, that one's interval is highest.
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
