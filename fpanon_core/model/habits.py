"""How often are people seen, where do they live, how regular are they? The answers, as measured.

Results of :mod:`fpanon_core.measures.rhythm` and :mod:`fpanon_core.attacks.habits`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import FloatArray, IntArray
from .closed import Closed

QUANTILES = 2_001
"""Quantiles kept of a distribution, at even steps from the smallest value to the largest."""


def quantiles(values: FloatArray) -> FloatArray:
    """Values at even steps of rank, ascending, (:data:`QUANTILES`,); all NaN of no value."""
    if not len(values):
        return np.full(QUANTILES, np.nan)
    rank = np.linspace(0, len(values) - 1, QUANTILES).round().astype(np.int64)
    return np.sort(values)[rank].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Intervals(Closed):
    """Times between consecutive samples of a person.

    Attributes
    ----------
    user : int64 ndarray (n,)
        Row number of each subscriber with two samples or more.
    median_min : float64 ndarray (n,)
        Their median interval, minutes.
    interval_min : float64 ndarray (QUANTILES,)
        Quantiles of the intervals of all people together, minutes.
    n_intervals : int
    too_few : int
        Subscribers with one sample, and so no interval.
    """

    user: IntArray
    median_min: FloatArray
    interval_min: FloatArray
    n_intervals: int
    too_few: int

    def __post_init__(self) -> None:
        self._close()


@dataclass(frozen=True, eq=False)
class Areas(Closed):
    """Antennas and residents of square areas; those with neither are left out.

    Attributes
    ----------
    side_m : float
        Of the squares, which start at 0, 0 of the projection, metres.
    x_m, y_m : float64 ndarray (n,)
        Lower corner of each, metres.
    people, antennas : int64 ndarray (n,)
        Subscribers whose home is in it, and antennas (or places seen) in it.
    homeless : int
        Subscribers without a home, as nothing of them was recorded at night.
    """

    side_m: float
    x_m: FloatArray
    y_m: FloatArray
    people: IntArray
    antennas: IntArray
    homeless: int

    def __post_init__(self) -> None:
        self._close()

    @property
    def r2(self) -> float:
        """Squared correlation of people and antennas, in [0, 1]; NaN where either is constant."""
        if len(self.people) < 3 or np.ptp(self.people) == 0 or np.ptp(self.antennas) == 0:
            return float("nan")
        return float(np.corrcoef(self.people, self.antennas)[0, 1] ** 2)


@dataclass(frozen=True, eq=False)
class Habits(Closed):
    """How regular people are, of whom the attack on counts asks it; NaN where it is not defined.

    Attributes
    ----------
    top, top_night : float64 ndarray (n_people, 5)
        Share of each person's events, and of those at night, at their 1 … 5 most frequent places.
    night_places : int64 ndarray (n_people,)
        Places at which each person was recorded at night.
    next_night_m, next_day_m : float64 ndarray (QUANTILES,)
        Quantiles of the distance from the predicted to the recorded next place, metres.
    n_night, n_day : int
        Steps predicted.
    same_bits, other_bits : float64 ndarray (n_pairs,)
        Information gain of a day and the next of one person, and of two people, ascending, bits.
    """

    top: FloatArray
    top_night: FloatArray
    night_places: IntArray
    next_night_m: FloatArray
    next_day_m: FloatArray
    n_night: int
    n_day: int
    same_bits: FloatArray
    other_bits: FloatArray

    def __post_init__(self) -> None:
        self._close()
