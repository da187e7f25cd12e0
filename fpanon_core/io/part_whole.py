"""What do all rows of many parts decide together? Doubt, strays, the middle, the time zone.

Added up over pieces, by the functions that decide it of a table in memory.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from ..model.arrays import IntArray
from ..tables.times import DAY
from . import report as why
from .doubts import doubt_of, rows_to_try
from .instants import on_days, stray_days
from .offsets import minutes_of, told_minutes
from .part_rows import PartRows
from .positions import Centre, centre_of_counts, degree_counts, nearest_to, zone_at
from .report import PositionDoubt


def doubt_in(known: PartRows) -> PositionDoubt | None:
    """Whether the positions may be meant in another way."""
    rows = rows_to_try(known.fate)
    if not len(rows):
        return None
    minutes = None
    if "offset" in known.roles.where:
        minutes = minutes_of(known.with_offsets().columns[known.roles.where["offset"][0]])[0]
        minutes = minutes[rows]
    where = known.roles.where["time"]
    texts = len(where) > 1 or not pa.types.is_timestamp(known.parts.types[where[0]])
    few = known.parts.taken(rows, where) if texts else known.no_times(len(rows))
    parsed = known.parsed(rows)
    return doubt_of(
        *known.degrees(rows), told_minutes(few, known.roles, parsed, minutes), parsed.us
    )


def set_strays_aside(known: PartRows) -> None:
    """Days far from all others are mistakes of a clock."""
    found: Counter[int] = Counter()

    def days(rows: slice) -> tuple[IntArray, IntArray]:
        us = known.fate.part(rows).pick(known.spill.read("us", rows))
        return np.unique(us // DAY, return_counts=True)

    for day, n in known.over(days):
        found.update(dict(zip(day.tolist(), n.tolist(), strict=True)))
    each = np.array(sorted(found), np.int64)
    strays = stray_days(each, np.array([found[day] for day in each.tolist()], np.int64))
    hit = any(((each >= low) & (each <= high)).any() for low, high in strays)
    for rows in known.slices if hit else ():
        part = known.fate.part(rows)
        us = part.pick(known.spill.read("us", rows))
        part.set_aside_used(why.TIME_OUTLIER, on_days(us, strays))


def middle_of(known: PartRows) -> Centre:
    """Of the rows in use, on the earth."""
    each = known.over(lambda rows: degree_counts(*known.used_degrees(rows)))
    lat, lon = next(each)
    for more_lat, more_lon in each:
        lat, lon = lat + more_lat, lon + more_lon
    return centre_of_counts(lat, lon)


def zone_in(known: PartRows, middle: Centre) -> str:
    """Time zone at the row in use that is nearest to the middle."""
    return zone_at(min(known.over(lambda r: nearest_to(*known.used_degrees(r), middle))))
