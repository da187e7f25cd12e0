"""Conversion of clock times to instants: offsets, zones, and implausible times.

A file may state its zone in its times, or in a column of offsets.
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa

from ..model.arrays import BoolArray, FloatArray, IntArray, pieces
from ..model.clock import LocalClock, zone_of
from ..model.errors import ConfigError
from ..tables.names import normal
from ..tables.table import SourceTable, text_of
from ..tables.times import DAY, ParsedTimes
from .hints import AS_LOCAL, Message, give
from .roles import time_column
from .search import Roles

_UNIX = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_QUARTER_MIN = 15
_QUARTER = _QUARTER_MIN * 60_000_000
_EARLIEST_DAY, _LATEST_DAY = -25_567, 84_006  # 1900-01-01 and 2200-01-01, in days since 1970
_GAP_DAYS = 365
_FALLBACKS = (
    "1900-01-01 1904-01-01 1970-01-01 1980-01-01 1980-01-06 2000-01-01 2036-02-07 2038-01-19"
    " 2099-01-01 2099-12-31 2100-01-01 1999-12-31 1899-12-30"
)
_DEFAULT_DAYS = np.add.outer(np.array(_FALLBACKS.split(), "M8[D]").astype(np.int64), (-1, 0, 1))


def datetime_of(us: int) -> dt.datetime:
    """Return microseconds since 1970 as an aware datetime (UTC)."""
    return _UNIX + dt.timedelta(microseconds=int(us))


def local_of(us: int, zone: dt.tzinfo) -> dt.datetime:
    """Return microseconds since 1970 as a time in ``zone``; in UTC near the calendar's ends."""
    instant = datetime_of(us)
    try:
        return instant.astimezone(zone)
    except OverflowError:
        return instant


def microseconds_of(instant: dt.datetime) -> int:
    """Return an aware datetime as microseconds since 1970."""
    return (instant - _UNIX) // dt.timedelta(microseconds=1)


def stray_days(days: IntArray, rows: IntArray) -> list[tuple[int, int]]:
    """Return the ranges of days, both ends included, whose times are outliers.

    Wrong clocks or default values cause such times. Days with data are divided into groups at gaps
    of more than a year. The *bulk* is the group with the most rows, if it has more than half of all
    rows; otherwise no group is an outlier. A group is set aside if it is small and far from the
    bulk. Small means at most 1% of the rows (one row is always allowed). Far means farther away
    than both a year and the bulk's own span. A group is also set aside if all its rows have default
    dates of devices. Such dates lie in 1900, 1904, 1970, 1980, 2000, 2036, 2038, 2099 and 2100;
    adjacent days count as well. Sparse data, pauses, and a campaign years later are therefore kept.
    Times before 1900 and from 2200 on are always outliers.

    Parameters
    ----------
    days, rows : int64 ndarray (n,)
        Days with data (counted from 1970, ascending), and the number of rows on each day.
    """
    out = [(-(2**62), _EARLIEST_DAY - 1), (_LATEST_DAY, 2**62)]
    inside = (days >= _EARLIEST_DAY) & (days < _LATEST_DAY)
    n_rows = int(rows.sum())
    days, rows = days[inside], rows[inside]
    cuts = np.flatnonzero(np.diff(days) > _GAP_DAYS) + 1
    if not len(cuts):
        return out
    groups = np.split(days, cuts)
    sizes = [int(part.sum()) for part in np.split(rows, cuts)]
    bulk = int(np.argmax(sizes))
    if sizes[bulk] * 2 <= sum(sizes):
        return out
    low, high = groups.pop(bulk)[[0, -1]].tolist()
    del sizes[bulk]
    for group, size in zip(groups, sizes, strict=True):
        first, last = group[[0, -1]].tolist()
        stray = size <= max(1, 0.01 * n_rows) and max(low - last, first - high) > high - low
        if stray or np.isin(group, _DEFAULT_DAYS).all():
            out.append((first, last))
    return out


def on_days(us: IntArray, ranges: list[tuple[int, int]]) -> BoolArray:
    """Return a mask of the times that lie on the days of some ranges, both ends included.

    Times are microseconds since 1970, and days are counted from 1970.
    """
    day = us // DAY
    out = np.zeros(len(us), bool)
    for first, last in ranges:
        out |= (day >= first) & (day <= last)
    return out


def said_of_clocks(skipped: int, twice: int) -> list[str]:
    """Return notes on the numbers of clock times that did not exist, or existed twice."""
    what = {
        "skipped when the clock was put forward, and read as if it had not been": skipped,
        "that occurred twice when the clock was put back, and read as the first": twice,
    }
    return [f"Clock times {said}: {count:,}." for said, count in what.items() if count]


def instants_in(
    parsed: ParsedTimes, rows: BoolArray, zone: str | FloatArray
) -> tuple[IntArray, int, int]:
    """Return the times as UTC instants, with the clock times of ``rows`` read in ``zone``.

    Instants are microseconds since 1970. A time skipped in spring is read as if the clock had not
    yet been put forward. A time that occurs twice is read as the first of the two. No row is lost.
    Clock times outside ``rows`` stay as they are, and have no meaning. Also return the number of
    skipped times, and the number that occurred twice; both are 0 if ``zone`` holds minutes.

    Parameters
    ----------
    parsed : ParsedTimes
    rows : bool ndarray (n,)
        Mask of the rows whose times are needed.
    zone : str or float64 ndarray (n,)
        IANA zone, or each row's minutes ahead of UTC.
    """
    naive = rows & ~parsed.aware
    if not naive.any():
        return parsed.us, 0, 0
    if not isinstance(zone, str):
        us = parsed.us.copy()
        us[naive] -= np.round(zone[naive] * 60_000_000).astype(np.int64)
        return us, 0, 0
    shown = parsed.us if naive.all() else parsed.us[naive]
    midnight = int(shown.min()) // DAY * DAY
    local = datetime_of(midnight).replace(tzinfo=zone_of(zone))
    clock = LocalClock(local.astimezone(dt.UTC), zone)
    wall_min = np.arange((int(shown.max()) - midnight) // _QUARTER + 1) * float(_QUARTER_MIN)
    elapsed_min = clock.elapsed_minutes(wall_min)
    start = microseconds_of(clock.epoch)
    begin = start + np.round(elapsed_min * 60_000_000).astype(np.int64)
    shift = begin - midnight - np.arange(len(begin)) * _QUARTER
    skipped = clock.wall_minutes(elapsed_min) != wall_min
    twice = (clock.wall_minutes(elapsed_min + 60) == wall_min) & ~skipped
    if not (shift.any() or skipped.any() or twice.any()):
        return parsed.us, 0, 0
    us, n_skipped, n_twice = parsed.us.copy(), 0, 0
    for part in pieces(len(us)):
        here = np.flatnonzero(naive[part]) + part.start
        quarter = (us[here] - midnight) // _QUARTER
        us[here] += shift[quarter]
        n_skipped += int(skipped[quarter].sum())
        n_twice += int(twice[quarter].sum())
    return us, n_skipped, n_twice


# --- what the file says about its zone -----------------------------------------------------------

_MOST_HOURS = 14  # no zone is 14 minutes from UTC


def zone_of_clocks(
    table: SourceTable,
    roles: Roles,
    all_aware: bool,
    offsets: FloatArray | None,
    rows: BoolArray,
    asked: str | None,
    display: str,
    notes: list[str],
) -> str | FloatArray:
    """Return how clock times without an offset are read: the zone's name, or minutes by row.

    The name is that of the display zone if the times of all ``rows`` carry an offset
    (``all_aware``). Findings are added to ``notes``.

    Parameters
    ----------
    offsets : float64 ndarray (n,) or None
        Offset column, as read.
    asked : str or None
        Zone that the caller states, or ``"offset"``.
    display : str
        Display time zone.

    Raises
    ------
    ConfigError
        ``asked`` is ``"offset"``, but there is no offset column.
    """
    if asked == "offset" and offsets is None:
        raise ConfigError(
            Message(
                "Clock times are to be read with the offset column, but no column holds offsets; "
                f"{give('offset')}."
            )
        )
    if all_aware:
        if offsets is not None:
            notes.append("Times carry their own offset; the offset column is not needed.")
        return display
    if asked is not None and asked != "offset":
        return asked
    if offsets is None or roles.found["offset"] == "by content":
        notes.append(f"Times carry no offset; they are read as clock times in {display}.")
        return display
    if asked is None and not any("local" in normal(table.labels[i]) for i in roles.where["time"]):
        said = "Times carry no offset, but there is an offset column; they are read as UTC. "
        notes.append(Message(f"{said}If they are local times, {AS_LOCAL}."))
        return "UTC"
    notes.append("Times carry no offset; they are local times, read with the offset column.")
    minutes = minutes_of(offsets)
    if minutes is not offsets:
        notes.append("The offset column is read as hours.")
    if unknown := int(np.isnan(minutes[rows]).sum()):
        notes.append(f"Rows without an offset, read as UTC: {unknown:,}.")
    return np.nan_to_num(minutes)


def minutes_of(offsets: FloatArray) -> FloatArray:
    """Return offsets as minutes ahead of UTC; if none exceeds 14, all are taken as hours."""
    hours = np.nanmax(np.abs(offsets), initial=0) <= _MOST_HOURS
    return offsets * 60 if hours else offsets


def told_minutes(
    few: SourceTable, roles: Roles, parsed: ParsedTimes, minutes: FloatArray | None
) -> FloatArray:
    """Return the minutes ahead of UTC that the file states for a few rows.

    The result comes from the offset column ``minutes`` if it is given, otherwise from the times. It
    is NaN where the file states none or states 0, because programs without a time zone also write
    0.
    """
    if minutes is None:
        times = time_column(few, roles.where["time"])
        zone = times.type.tz if pa.types.is_timestamp(times.type) else None
        minutes = _of_zone(zone, parsed.us) if zone else _written(times)
    return np.where(minutes == 0, np.nan, minutes)


def _of_zone(zone: str, us: IntArray) -> FloatArray:
    """Return the offsets, in minutes, of times in a column with a zone, as in Parquet files."""
    if zone[0] in "+-":
        return _written(pa.chunked_array([[f"00:00{zone}"]])).repeat(len(us))
    try:
        clock = zone_of(zone)
    except ConfigError:  # the times are still instants
        return np.full(len(us), np.nan)
    ahead = [local_of(int(each), clock).utcoffset() for each in us]
    return np.array([np.nan if a is None else a.total_seconds() / 60 for a in ahead])


def _written(texts: pa.ChunkedArray) -> FloatArray:
    """Return the offsets, in minutes, at the end of times such as 18:00:09-04:00; else NaN."""
    found = text_of(texts).to_pandas().str.extract(_OFFSET)
    minutes = found[1].astype("Float64") * 60 + found[2].astype("Float64")
    minutes = minutes.where(found[0] != "-", -minutes)
    out: FloatArray = minutes.to_numpy(dtype=np.float64, na_value=np.nan)
    return out


_OFFSET = r":\d\d(?:[.,]\d+)? ?([+-])(\d\d):?(\d\d)$"
