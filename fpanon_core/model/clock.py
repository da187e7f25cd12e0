"""Conversion between elapsed minutes of the data and local time on the wall clock.

A fingerprint's ``t_min`` counts *elapsed* minutes since the data set's epoch, local midnight of its
first day, so that differences are true durations. Hours of the day, nights, day boundaries and the
windows of a generalization profile are *local*. The two diverge when a daylight-saving change falls
within the data. Only this module converts between the two, except that the verification of releases
has its own conversion, to stay independent.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from .arrays import FloatArray
from .errors import ConfigError

_DAY = 1440.0
_HORIZON_DAYS = 40 * 366
_STEP_DAYS = 7


@dataclass(frozen=True)
class LocalClock:
    """A data set's epoch and display time zone.

    Parameters
    ----------
    epoch : datetime.datetime
        Local midnight of the first day, as an aware instant in UTC.
    timezone : str
        IANA name, such as ``"America/Los_Angeles"``.

    Raises
    ------
    ConfigError
        The epoch has no offset from UTC, or the name is unknown.
    """

    epoch: dt.datetime
    timezone: str

    def __post_init__(self) -> None:
        if self.epoch.tzinfo is None:
            raise ConfigError("A clock's epoch needs an offset from UTC; give an aware datetime.")
        zone_of(self.timezone)

    @classmethod
    def starting_on(cls, first: dt.datetime, timezone: str) -> LocalClock:
        """Return a clock whose epoch is local midnight on the day of ``first``, an aware time."""
        zone = zone_of(timezone)
        local = first.astimezone(zone)
        midnight = dt.datetime(local.year, local.month, local.day, tzinfo=zone)
        return cls(midnight.astimezone(dt.UTC), timezone)

    @property
    def first_day(self) -> dt.date:
        """Local date of the epoch."""
        return self.epoch.astimezone(zone_of(self.timezone)).date()

    @cached_property
    def _shifts(self) -> tuple[FloatArray, FloatArray]:
        """Elapsed minutes at which the local offset changes, and the offset from then on, minutes.

        Offsets are relative to the epoch's. They are found by bisection within weeks, as zoneinfo
        lists no transitions.
        """
        zone = zone_of(self.timezone)

        def offset(minutes: float) -> float:
            delta = (self.epoch + dt.timedelta(minutes=minutes)).astimezone(zone).utcoffset()
            assert delta is not None
            return delta.total_seconds() / 60.0

        base = offset(0.0)
        starts, shifts = [-np.inf], [0.0]
        known = base
        for day in range(_STEP_DAYS, _HORIZON_DAYS, _STEP_DAYS):
            now = offset(day * _DAY)
            if now == known:
                continue
            low, high = (day - _STEP_DAYS) * 1440, day * 1440
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == known else (low, middle)
            starts.append(float(high))
            shifts.append(now - base)
            known = now
        return np.asarray(starts), np.asarray(shifts)

    def wall_minutes(self, t_min: npt.ArrayLike) -> FloatArray:
        """Return wall-clock minutes since the epoch's midnight, for elapsed minutes ``t_min``."""
        t = np.asarray(t_min, dtype=np.float64)
        starts, shifts = self._shifts
        return t + shifts[np.searchsorted(starts, t, side="right") - 1]

    def elapsed_minutes(self, wall_min: npt.ArrayLike) -> FloatArray:
        """Return when the wall clock first reaches ``wall_min``, in elapsed minutes.

        The function is monotone. A wall time skipped in spring maps to the change itself; one that
        occurs twice in autumn maps to its first occurrence.
        """
        wall = np.asarray(wall_min, dtype=np.float64)
        starts, shifts = self._shifts
        reached = np.full(wall.shape, np.inf)
        latest = wall.max(initial=0.0) + 2 * _DAY  # every offset is shorter than two days
        for i, shift in enumerate(shifts):
            begin = starts[i]
            if begin > latest:
                break
            end = starts[i + 1] if i + 1 < len(starts) else np.inf
            first = np.maximum(wall - shift, begin)
            np.minimum(reached, np.where(first < end, first, np.inf), out=reached)
        return reached

    def window(self, t_min: npt.ArrayLike, minutes: float) -> tuple[FloatArray, FloatArray]:
        """Return the start and length, in elapsed minutes, of the local window of each ``t_min``.

        Windows are ``minutes`` long, counted from local midnight of the first day. If every offset
        change is a whole number of windows, elapsed and local windows coincide. Otherwise, a window
        in which the clock changes is shorter or longer than ``minutes``.
        """
        t = np.asarray(t_min, dtype=np.float64)
        starts, shifts = self._shifts
        if t.size:
            # A window begins before the instants it holds, under the offset at its beginning; no
            # clock change lengthens it by a day.
            first = t.min() - minutes - _DAY
            inside = (starts > first) & (starts <= t.max() + minutes)
            inside |= np.arange(len(starts)) == np.searchsorted(starts, first, side="right") - 1
            shifts = shifts[inside]
        if np.all(shifts % minutes == 0):
            return np.floor(t / minutes) * minutes, np.full(t.shape, float(minutes))
        index = np.floor(self.wall_minutes(t) / minutes)
        # In an hour that occurs twice, the wall clock goes back; a boundary, once passed, counts.
        while (passed := self.elapsed_minutes((index + 1) * minutes) <= t).any():
            index += passed
        begin = self.elapsed_minutes(index * minutes)
        return begin, self.elapsed_minutes((index + 1) * minutes) - begin


def zone_of(timezone: str) -> ZoneInfo:
    """Return the time zone of an IANA name.

    Raises
    ------
    ConfigError
        The name is unknown.
    """
    try:
        return ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as fault:
        raise ConfigError(
            f"Unknown time zone {timezone!r}; give an IANA name such as 'Africa/Dakar' or 'UTC'."
        ) from fault


def instants(clock: LocalClock | None, minutes: FloatArray) -> pd.Series[Any]:
    """Return elapsed minutes as times in the display zone; without a clock, return the minutes.

    Times are rounded to the microsecond.
    """
    if clock is None:
        return pd.Series(minutes)
    epoch = np.datetime64(clock.epoch.replace(tzinfo=None), "us")
    times = epoch + np.rint(minutes * 60e6).astype("m8[us]")
    utc = pd.Series(times).dt.tz_localize("UTC")
    local: pd.Series[Any] = utc.dt.tz_convert(clock.timezone)
    return local
