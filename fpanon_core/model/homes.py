"""Results of home inference, and times and areas of people's records.

Functions of :mod:`fpanon_core.studies.learnt` and :mod:`fpanon_core.measures.unicity` return these
results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from .arrays import Closed, FloatArray, IntArray
from .intervals import wilson_interval


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


QUANTILES = 2_001
"""Number of stored quantiles of a distribution: values at even steps of rank."""


def quantiles(values: FloatArray) -> FloatArray:
    """Return values at even steps of rank, ascending, shape (:data:`QUANTILES`,); NaN if empty."""
    if not len(values):
        return np.full(QUANTILES, np.nan)
    rank = np.linspace(0, len(values) - 1, QUANTILES).round().astype(np.int64)
    return np.sort(values)[rank].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Intervals(Closed):
    """Times between consecutive samples of each person.

    Attributes
    ----------
    user : int64 ndarray (n,)
        Row number of the fingerprint of each person with two samples or more.
    median_min : float64 ndarray (n,)
        Median interval of each of these people, minutes.
    interval_min : float64 ndarray (QUANTILES,)
        Quantiles of the intervals of all people together, minutes.
    n_intervals : int
    too_few : int
        Number of people with only one sample, and so without an interval.
    """

    user: IntArray
    median_min: FloatArray
    interval_min: FloatArray
    n_intervals: int
    too_few: int


@dataclass(frozen=True, eq=False)
class Areas(Closed):
    """Antennas and residents of square areas; areas with neither are left out.

    Attributes
    ----------
    side_m : float
        Side of the squares, metres. One corner of the grid is the projection's origin (0, 0).
    x_m, y_m : float64 ndarray (n,)
        Lower corner of each area, metres.
    people, antennas : int64 ndarray (n,)
        Number of people with a home in each area, and number of antennas (or recorded places) in
        the area.
    homeless : int
        Number of people whose home is unknown.
    """

    side_m: float
    x_m: FloatArray
    y_m: FloatArray
    people: IntArray
    antennas: IntArray
    homeless: int

    @property
    def r2(self) -> float:
        """Squared correlation of the numbers of people and antennas over the areas.

        NaN for fewer than 3 areas, or if either number is the same in all areas.
        """
        if len(self.people) < 3 or np.ptp(self.people) == 0 or np.ptp(self.antennas) == 0:
            return float("nan")
        return float(np.corrcoef(self.people, self.antennas)[0, 1] ** 2)
