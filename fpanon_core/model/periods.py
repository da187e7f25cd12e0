"""Data cut into periods: everybody's part in each period is a fingerprint of its own.

Source: docs/science.md, “Periods”.

Was it stated how records were read, or did the records themselves decide it?

A promise of differential privacy compares data sets with and without a person. Both must be read
alike: where the records decide on which grid positions and times are snapped, one person more can
move the grid, and with it everybody's snapped place.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .arrays import Closed, IntArray
from .fingerprints import FingerprintSet
from .projection import is_stated


@dataclass(frozen=True, eq=False, repr=False)
class PeriodSet(Closed):
    """The pieces of the fingerprints of a data set, one for each person and period.

    Attributes
    ----------
    pieces : FingerprintSet
        A fingerprint for each person and period in which the person has a sample, under an id drawn
        at random, in random order: neither tells which pieces are one person's.
    person : int64 ndarray (n_pieces,)
        Row number in the original of the person behind each piece. Not for release.
    period : int64 ndarray (n_pieces,)
        Number of the period, 0 = that which begins at local midnight of the first day.
    sample : int64 ndarray (n_samples,) or None
        Row number in the original of each sample of the pieces; None where these were changed.
    days : int
        Days in a period.
    n_people : int
        People of the original, each of whom has at least one piece.
    digest : str
        Of the original fingerprints.
    """

    pieces: FingerprintSet
    person: IntArray
    period: IntArray
    sample: IntArray | None
    days: int
    n_people: int
    digest: str

    def __post_init__(self) -> None:
        self._close()

    def __repr__(self) -> str:
        return (
            f"PeriodSet({self.pieces.n_users} pieces of {self.n_people} people in "
            f"{len(self.periods)} periods of {days_text(self.days)})"
        )

    @property
    def periods(self) -> IntArray:
        """The periods in which anybody has a sample, in order."""
        return np.unique(self.period)

    def rows_of(self, period: int) -> IntArray:
        """Row numbers of the pieces of a period."""
        return np.flatnonzero(self.period == period)

    def changed(self, pieces: FingerprintSet) -> PeriodSet:
        """With what a technique made of the pieces; it may have dropped some, or put them in order.

        Known again by their running numbers, which techniques keep.
        """
        order = np.argsort(self.pieces.number, kind="stable")
        rows = order[np.searchsorted(self.pieces.number, pieces.number, sorter=order)]
        return replace(
            self, pieces=pieces, person=self.person[rows], period=self.period[rows], sample=None
        )


def days_text(days: int) -> str:
    """The length of a period.

    Examples
    --------
    >>> days_text(1), days_text(7), days_text(10)
    ('1 day', '1 week', '10 days')
    """
    number, noun = (days // 7, "week") if days % 7 == 0 else (days, "day")
    return f"{number} {noun}{'s' * (number > 1)}"


_SHIFTS_MIN = 15.0  # clocks are changed, and zones differ, by whole quarters of an hour

UNSTATED_CENTRE = (
    "The centre of the data's map projection is the middle of the records: one person more can "
    "move it, and with it everybody's snapped place, and no noise hides that."
)
UNSTATED_CLOCK = (
    "Samples of a length that does not divide 15 minutes begin at times that depend on the first "
    "day in the records: one person more can move everybody's. Read the data again with a "
    "granularity in time of 1, 3, 5 or 15 minutes."
)


def decided_by_records(fs: FingerprintSet) -> str:
    """What of the reading the records decided, in a sentence; "" where nothing.

    Data that came in metres, or without a calendar, are taken as they are given.
    """
    if not is_stated(fs.crs):
        return UNSTATED_CENTRE
    parts = _SHIFTS_MIN / fs.granularity_min
    if fs.clock is not None and abs(parts - round(parts)) > 1e-9:
        return UNSTATED_CLOCK
    return ""
