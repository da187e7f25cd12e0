"""Data cut into periods; each person's part in each period is a separate fingerprint.

Source: docs/science.md, “Periods”.

:func:`decided_by_records` says how the records affected the way they were read. A promise of
differential privacy compares data sets with and without a person, and both must be read in the same
way. If the records decide the grid for positions and times, one more person can move the grid, and
with it everybody's cells.

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
    """Fingerprints of a data set, cut into pieces: one for each person and period.

    Attributes
    ----------
    pieces : FingerprintSet
        A fingerprint for each person and period with a sample, under an id drawn at random, in
        random order. Neither the id nor the order shows which pieces belong to one person.
    person : int64 ndarray (n_pieces,)
        Row number in the original of the person behind each piece. Not for release.
    period : int64 ndarray (n_pieces,)
        Number of the period; 0 begins at local midnight of the first day.
    sample : int64 ndarray (n_samples,) or None
        Row number in the original of each sample of the pieces; None if the samples were changed.
    days : int
        Days in a period.
    n_people : int
        Number of people in the original.
    digest : str
        Digest of the original fingerprints.
    """

    pieces: FingerprintSet
    person: IntArray
    period: IntArray
    sample: IntArray | None
    days: int
    n_people: int
    digest: str

    @property
    def periods(self) -> IntArray:
        """Periods in which anybody has a sample, in order."""
        return np.unique(self.period)

    def rows_of(self, period: int) -> IntArray:
        """Return the row numbers of the pieces of a period."""
        return np.flatnonzero(self.period == period)

    def changed(self, pieces: FingerprintSet) -> PeriodSet:
        """Return the set with pieces changed by a technique, which may drop or reorder some.

        Pieces are identified by their running numbers, which techniques keep.
        """
        order = np.argsort(self.pieces.number, kind="stable")
        rows = order[np.searchsorted(self.pieces.number, pieces.number, sorter=order)]
        return replace(
            self, pieces=pieces, person=self.person[rows], period=self.period[rows], sample=None
        )


def days_text(days: int) -> str:
    """Return the length of a period in words.

    Examples
    --------
    >>> days_text(1), days_text(7), days_text(10)
    ('1 day', '1 week', '10 days')
    """
    number, noun = (days // 7, "week") if days % 7 == 0 else (days, "day")
    return f"{number} {noun}{'s' * (number > 1)}"


_SHIFTS_MIN = 15.0  # clocks are changed, and zones differ, by whole quarters of an hour

UNSTATED_CENTRE = (
    "The centre of the data's map projection is the middle of the records. One more person can "
    "move it, and with it everybody's cells, and no noise hides that."
)
UNSTATED_CLOCK = (
    "Samples of a length that does not divide 15 minutes begin at times that depend on the first "
    "day in the records. One more person can move everybody's samples. Read the data again with a "
    "granularity in time of 1, 3, 5 or 15 minutes."
)


def decided_by_records(fs: FingerprintSet) -> str:
    """Return sentences on how the records affected the way they were read; "" if they did not.

    Data that came in metres, or without a calendar, are used as given.
    """
    if not is_stated(fs.crs):
        return UNSTATED_CENTRE
    parts = _SHIFTS_MIN / fs.granularity_min
    if fs.clock is not None and abs(parts - round(parts)) > 1e-9:
        return UNSTATED_CLOCK
    return ""
