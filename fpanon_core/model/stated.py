"""Was it stated how records were read, or did the records themselves decide it?

A promise of differential privacy compares data sets with and without a person. Both must be read
alike: where the records decide on which grid positions and times are snapped, one person more can
move the grid, and with it everybody's snapped place.

Source: docs/science.md, “Counts and trajectory recovery”.
"""

from __future__ import annotations

from .fingerprints import FingerprintSet
from .projection import is_stated

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
