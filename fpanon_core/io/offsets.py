"""What does the file itself say of its zone? Offsets in its times, and in a column of their own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.clock import zone_of
from ..model.errors import ConfigError
from ..tables.names import normal
from ..tables.table import SourceTable, numbers_of, text_of
from ..tables.times import ParsedTimes
from .hints import AS_LOCAL, Message, give
from .instants import local_of
from .roles import time_column
from .search import Roles

_MOST_HOURS = 14  # no zone is 14 minutes from UTC


def zone_of_clocks(
    table: SourceTable,
    roles: Roles,
    parsed: ParsedTimes,
    rows: BoolArray,
    asked: str | None,
    display: str,
    notes: list[str],
) -> tuple[str | None, str | FloatArray]:
    """Name of the zone of clock times without offset, and how to read them."""
    where = roles.where.get("offset")
    if asked == "offset" and where is None:
        raise ConfigError(
            Message(
                "Clock times are to be local times of the offset column, but no column holds "
                "offsets; ",
                give("offset"),
                ".",
            )
        )
    if parsed.aware[rows].all():
        if where is not None:
            notes.append("Times carry their own offset; the offset column is not needed.")
        return None, display
    if asked is not None and asked != "offset":
        return asked, asked
    if where is not None and roles.found["offset"] != "by content":
        labels = [normal(table.labels[i]) for i in roles.where["time"]]
        if asked is None and not any("local" in label for label in labels):
            notes.append(
                Message(
                    "Times carry no offset, but there is an offset column; they are read as UTC. "
                    "If they are local times, ",
                    AS_LOCAL,
                    ".",
                )
            )
            return "UTC", "UTC"
        notes.append("Times carry no offset; they are read as local times of the offset column.")
        minutes, hours = minutes_of(table.columns[where[0]])
        if hours:
            notes.append("The offset column is read as hours.")
        if (unknown := np.isnan(minutes[rows]).sum()) and parsed.ok.any():
            notes.append(f"{int(unknown):,} rows have no offset; they are read as UTC.")
        return "offset", np.nan_to_num(minutes)
    notes.append(f"Times carry no offset; they are read as clock times of {display}.")
    return display, display


def minutes_of(column: pa.ChunkedArray) -> tuple[FloatArray, bool]:
    """A column of offsets in minutes ahead of UTC, NaN where there is none; whether it is hours."""
    values = numbers_of(column)
    hours = bool(np.nanmax(np.abs(values), initial=0) <= _MOST_HOURS)
    return (values * 60 if hours else values), hours


def told_minutes(
    few: SourceTable, roles: Roles, parsed: ParsedTimes, minutes: FloatArray | None
) -> FloatArray:
    """Minutes ahead of UTC that the file tells of a few rows, in their times or beside them.

    ``minutes`` are those of the offset column, where there is one.

    NaN where it tells nothing, and where it tells 0, which is also what programs write whose clocks
    know no zone.
    """
    told = np.full(len(parsed.us), np.nan)
    if minutes is not None:
        told = minutes.copy()
    elif parsed.aware.any():
        times = time_column(few, roles.where["time"])
        zone = times.type.tz if pa.types.is_timestamp(times.type) else None
        told = _of_zone(zone, parsed.us) if zone else _written(times)
    told[told == 0] = np.nan
    return told


def _of_zone(zone: str, us: IntArray) -> FloatArray:
    """Offsets of a column of timestamps with a zone, such as Parquet has."""
    if zone[0] in "+-":
        return _written(pa.chunked_array([[f"00:00{zone}"]])).repeat(len(us))
    try:
        clock = zone_of(zone)
    except ConfigError:  # the times are instants all the same
        return np.full(len(us), np.nan)
    ahead = [local_of(int(each), clock).utcoffset() for each in us]
    return np.array([np.nan if a is None else a.total_seconds() / 60 for a in ahead])


def _written(texts: pa.ChunkedArray) -> FloatArray:
    """Offsets at the end of times, such as 18:00:09-04:00; NaN where there is none."""
    found = text_of(texts).to_pandas().str.extract(_OFFSET)
    minutes = found[1].astype("Float64") * 60 + found[2].astype("Float64")
    minutes = minutes.where(found[0] != "-", -minutes)
    out: FloatArray = minutes.to_numpy(dtype=np.float64, na_value=np.nan)
    return out


_OFFSET = r":\d\d(?:[.,]\d+)? ?([+-])(\d\d):?(\d\d)$"
