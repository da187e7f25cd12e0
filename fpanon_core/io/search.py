"""Search for the column of each role, by name if the content agrees, else by content alone.

:class:`Likeness` tests whether a sample of a column looks like times, positions, offsets or ids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..model.arrays import FloatArray
from ..tables.names import ROLES, normal, rank, says_something_else
from ..tables.table import SourceTable, is_nested, missing_in, numbers_of, text_of
from ..tables.times import SMALLEST_EPOCH, ParsedTimes, is_bare_date, is_time_of_day, parse_times
from .hints import Message, column_at, give

CELL_PARTS = (
    ("mcc",),
    ("net", "mnc"),
    ("area", "lac", "tac"),
    ("cell", "cid", "ci", "cellid", "cell_id"),
)
OPENCELLID_COLUMNS = 14
_RADIOS = {"GSM", "UMTS", "LTE", "NR", "CDMA"}
_LATEST_EPOCH = 4_102_444_800  # the year 2100
_NO_EVENTS = {"created", "updated", "changed", "modified", "birth", "end"}


def cell_parts(labels: Collection[object]) -> list[int] | None:
    """Return the columns of mcc, net, area and cell, found by name; None if one is missing."""
    names = {normal(label): i for i, label in enumerate(labels)}
    found = [next((names[n] for n in options if n in names), None) for options in CELL_PARTS]
    return None if None in found else [i for i in found if i is not None]


def is_opencellid(table: SourceTable) -> bool:
    """Return whether a table without column names has the layout of OpenCellID."""
    if len(table.labels) != OPENCELLID_COLUMNS or table.named:
        return False
    return set(text_of(table.columns[0].slice(0, 100)).to_pylist()) <= _RADIOS


@dataclass
class Roles:
    """Columns by role, as positions in the table.

    Attributes
    ----------
    where : dict of str to tuple of int
        Role -> position; several positions are joined (date and time of day; parts of a cell id).
    found : dict of str to str
        Role -> ``"given"``, ``"by name"`` or ``"by content"``.
    one_user : bool
        Whether the whole table is one user's.
    notes : list of str
    """

    where: dict[str, tuple[int, ...]] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    one_user: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def has_degrees(self) -> bool:
        """Whether rows have their own positions, rather than antennas."""
        return "lat" in self.where and "lon" in self.where

    def put(self, role: str, where: tuple[int, ...], how: str) -> None:
        """Assign a column, or several, to a role."""
        self.where[role] = where
        self.found[role] = how


class Search:
    """Search for columns of the roles that were not given, by name and a sample of the content."""

    def __init__(
        self,
        table: SourceTable,
        roles: Roles,
        given: Mapping[str, tuple[int, ...] | None],
        antenna_ids: Collection[str],
    ) -> None:
        self.table, self.roles, self.given = table, roles, given
        self.antenna_ids = antenna_ids
        self.sample = [Likeness(c) for c in table.sample()]

    def run(self) -> None:
        """Assign columns to the roles for which none was given."""
        named, roles = self.table.named, self.roles.where
        if named:
            self._by_name("lat", lambda i: self.sample[i].is_degrees(90))
            self._by_name("lon", lambda i: self.sample[i].is_degrees(180))
            if "lon" in roles:  # beyond 90°, but degrees: perhaps exchanged; checked later
                self._by_name("lat", lambda i: self.sample[i].is_position)
            self._by_name("time", lambda i: self.sample[i].is_time or self.sample[i].is_clock)
            self._by_name("time", lambda i: self.sample[i].holds_times)
        self._time_by_content()
        if named:
            self._by_name("offset", lambda i: self.sample[i].is_offset)
            self._by_name("antenna", self._is_antenna)
            self._by_name("user", self._is_id)
        self._join_date_and_clock()
        self._degrees_by_content()
        self._offset_by_content()
        self._antenna_by_parts()
        self._user_by_content()
        if not self.roles.has_degrees:
            self._antenna_by_content()

    def missing(self) -> list[str]:
        """Return the required roles without a column, by the names that the error message uses."""
        at = self.roles.where
        needed = ("time",) if self.roles.one_user else ("user", "time")
        lacks = [role for role in needed if role not in at]
        if not self.roles.has_degrees and "antenna" not in at:
            half = [role for role in ("lat", "lon") if role not in at]
            lacks += half if len(half) == 1 else ["position"]
        return lacks

    def _wanted(self, role: str) -> bool:
        return role not in self.roles.where and role not in self.given

    def _free(self) -> list[int]:
        taken = {i for where in self.roles.where.values() for i in where}
        return [i for i in range(len(self.sample)) if i not in taken]

    def _rank(self, i: int, role: str) -> float:
        return rank(self.table.labels[i], role)

    def _by_name(self, role: str, fits: Callable[[int], bool]) -> None:
        if self._wanted(role):
            ranked = sorted((self._rank(i, role), i) for i in self._free())
            best = (i for score, i in ranked if score < float("inf") and fits(i))
            if (i := next(best, None)) is not None:
                self.roles.put(role, (i,), "by name")

    def _is_id(self, i: int) -> bool:
        """Return whether a column with a name for users can hold users' ids.

        If the name is weak (id, code), some id must occur twice.
        """
        column = self.sample[i]
        if column.is_written_time or column.is_fractional or column.nested:
            return False
        return self._rank(i, "user") < 2000 or self._recurs(i)

    def _is_antenna(self, i: int) -> bool:
        """Return whether a column with a name for antennas can hold antennas' ids.

        If the name is weak (place, id), most of the ids must be in the antenna table.
        """
        column = self.sample[i]
        if column.is_time or column.is_fractional or column.nested:
            return False
        return self._rank(i, "antenna") < 2000 or self._share_of_antennas(i) > 0.5

    def _share_of_antennas(self, i: int) -> float:
        column = self.sample[i]
        if not self.antenna_ids or not column.filled:
            return 0.0
        known = pa.array(sorted(self.antenna_ids), pa.large_string())
        hits = pc.is_in(column.texts.cast(pa.large_string()), value_set=known)
        return float(pc.mean(hits).as_py() or 0.0)

    def _recurs(self, i: int) -> bool:
        return self.sample[i].distinct < self.sample[i].filled or self.table.recurs(i)

    # time

    def _time_by_content(self) -> None:
        if not self._wanted("time"):
            return
        good = [i for i in self._free() if self.sample[i].is_time]
        if self.table.named:
            good = [i for i in good if not self._is_no_event_time(i)]
        # Any large number, such as a phone number, could be an epoch: a form that only a time has
        # goes first, then the numbers that are closest together.
        if good:
            best = min(good, key=lambda i: (self.sample[i].epoch_spread, i))
            self.roles.put("time", (best,), "by content")

    def _is_no_event_time(self, i: int) -> bool:
        """Return whether a column does not hold times of events.

        It may hold times of changes (created, updated), phone numbers or ids instead.
        """
        words = set(normal(self.table.labels[i]).split("_"))
        return bool(words & _NO_EVENTS) or (
            self.sample[i].is_epoch and self._rank(i, "user") < 2000
        )

    def _join_date_and_clock(self) -> None:
        """Join a date in one column with the time of day in another."""
        roles = self.roles
        if "time" not in roles.where or roles.found["time"] == "given":
            return
        (at,), how = roles.where["time"], roles.found["time"]
        if self.sample[at].is_clock:
            if dates := [i for i in self._free() if self.sample[i].is_date]:
                roles.put("time", (dates[0], at), how)
            else:
                del roles.where["time"], roles.found["time"]
        elif self.sample[at].is_date:
            clocks = [i for i in self._free() if self.sample[i].is_clock]
            roles.put("time", (at, *clocks[:1]), how)

    # place

    def _degrees_by_content(self) -> None:
        if not (self._wanted("lat") and self._wanted("lon")) or (
            "antenna" in self.roles.where and self.antenna_ids
        ):
            return
        good = [i for i in self._free() if self.sample[i].is_position and not self._is_else(i)]
        pair = next(((i, j) for i, j in pairwise(good) if j == i + 1), None)
        if pair is None:
            return
        beyond = [self.sample[i].share_beyond_90 for i in pair]
        exchanged = beyond[0] > max(beyond[1], 0.005)
        for role, at in zip(("lat", "lon"), pair[::-1] if exchanged else pair, strict=True):
            self.roles.put(role, (at,), "by content")
        if max(beyond) <= 0.005:
            self.roles.notes.append(
                Message(
                    "No column name says which is the latitude, and the values in both columns lie "
                    "within ±90°. The program guesses that latitude comes first. If the map is "
                    f"wrong, {give('lat', 'lon')}."
                )
            )

    def _is_else(self, i: int) -> bool:
        """Return whether a column's name claims a meaning other than a position."""
        others = (role for role in ROLES if role not in ("lat", "lon"))
        return self.table.named and (
            says_something_else(self.table.labels[i])
            or any(self._rank(i, role) < 2000 for role in others)
        )

    def _antenna_by_parts(self) -> None:
        """Take mcc, net, area and cell as the antenna if the cell was found by name."""
        if self.given.get("antenna", ()) == () and "antenna" in self.roles.where:
            parts = cell_parts(self.table.labels)
            if parts and self.roles.where["antenna"] == (parts[3],):
                self.roles.put("antenna", tuple(parts), "by name")

    def _antenna_by_content(self) -> None:
        free = self._free() if self._wanted("antenna") and self.antenna_ids else []
        share, best = max(((self._share_of_antennas(i), -i) for i in free), default=(0.0, 0))
        if share > 0.5:
            self.roles.put("antenna", (-best,), "by content")

    def _offset_by_content(self) -> None:
        for i in self._free() if self._wanted("offset") and not self.table.named else ():
            if i and self.sample[i].is_offset and self.sample[i].largest >= 60:
                self.roles.put("offset", (i,), "by content")
                return

    # user

    def _user_by_content(self) -> None:
        named = self.table.named
        for i in self._free() if self._wanted("user") and not self.roles.one_user else ():
            column = self.sample[i]
            if named and says_something_else(self.table.labels[i]):
                continue
            if column.is_fractional or column.empty or column.is_written_time:
                continue
            several = i == 0 or column.distinct > 2
            if several and (self._recurs(i) or (i == 0 and not named)):
                self.roles.put("user", (i,), "by content")
                told = self.table.told(i, begins=True) if named else column_at(i, "Column")
                guess = f"{told} is read as the person because of its content; this is a guess."
                self.roles.notes.append(Message(f"{guess} If it is wrong, {give('user')}."))
                return


class Likeness:
    """Tests of a column's content, on a sample of its fields."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.column = column
        self.nested = is_nested(column)

    @cached_property
    def texts(self) -> pa.ChunkedArray:
        """Fields that are filled, as trimmed text."""
        texts = text_of(self.column)
        return texts.filter(pa.array(~missing_in(texts)))

    @property
    def filled(self) -> int:
        """Number of filled fields."""
        return len(self.texts)

    @property
    def empty(self) -> bool:
        """Whether nothing in the column can be read."""
        return self.nested or not self.filled

    @cached_property
    def distinct(self) -> int:
        """Number of different texts."""
        return int(pc.count_distinct(self.texts).as_py())

    @cached_property
    def numbers(self) -> FloatArray:
        """Numbers of the column; empty unless over 80% of its filled fields are numbers."""
        if self.empty:
            return np.empty(0)
        values = numbers_of(self.column)
        values = values[~np.isnan(values)]
        return values if len(values) > 0.8 * self.filled else np.empty(0)

    @cached_property
    def times(self) -> ParsedTimes:
        """Times parsed from filled fields; numbers and timestamps by value, not from their text."""
        plain = pa.types.is_floating(self.column.type) or self._is_typed
        return parse_times(self.column.drop_null() if plain else self.texts)

    @property
    def _is_typed(self) -> bool:
        return bool(pa.types.is_timestamp(self.column.type) or pa.types.is_date(self.column.type))

    @property
    def is_time(self) -> bool:
        """Whether at least half of the fields can be read as times, and epochs are plausible.

        Times of day without a date do not count.
        """
        return not self.is_clock and self.holds_times and self.times.share >= 0.5

    @cached_property
    def holds_times(self) -> bool:
        """Whether some field can be read as a time.

        If most times are epochs, their median must lie between 1973 and 2100.
        """
        if self.empty or pa.types.is_boolean(self.column.type) or not self.times.ok.any():
            return False
        epochs = sum(n for name, n in self.times.formats.items() if name.startswith("epoch"))
        typical = float(np.median(self.times.us[self.times.ok])) / 1e6
        return 2 * epochs <= self.times.ok.sum() or SMALLEST_EPOCH <= typical < _LATEST_EPOCH

    @property
    def is_epoch(self) -> bool:
        """Whether the column holds times as numbers, counted from 1970."""
        return self.is_time and len(self.numbers) > 0

    @property
    def is_written_time(self) -> bool:
        """Whether the column holds times that are not written as numbers."""
        return self.is_time and not self.is_epoch

    @property
    def epoch_spread(self) -> float:
        """Interquartile range of epochs, seconds; −1 for written times."""
        if not self.is_epoch:
            return -1.0
        low, high = np.percentile(self.times.us[self.times.ok], [25, 75])
        return float(high - low) / 1e6

    @cached_property
    def is_clock(self) -> bool:
        """Whether the column holds times of day, without a date."""
        return not self.empty and is_time_of_day(self.texts)

    @property
    def is_date(self) -> bool:
        """Whether the column holds dates, without a time of day."""
        if self.empty or self.is_clock:
            return False
        us = self.times.us[self.times.ok]
        if self._is_typed:
            return bool(len(us) and np.all(us % 86_400_000_000 == 0))
        return is_bare_date(self.times)

    @cached_property
    def is_fractional(self) -> bool:
        """Whether the column holds numbers, more than 2% of which are not whole."""
        values = self.numbers
        return bool(len(values) and np.mean(values != np.floor(values)) > 0.02)

    def is_degrees(self, limit: float) -> bool:
        """Return whether some number is within ±``limit`` degrees, or no field is filled.

        The test is for columns whose names suggest degrees.
        """
        if self.empty:
            return not self.nested
        values = numbers_of(self.column)
        return bool(np.any(np.abs(values[~np.isnan(values)]) <= limit))

    @property
    def is_position(self) -> bool:
        """Whether the column holds fractional numbers, over 80% of them in the range of degrees."""
        return self.is_fractional and bool(np.mean(np.abs(self.numbers) <= 180) > 0.8)

    @property
    def share_beyond_90(self) -> float:
        """Share of the numbers that can only be longitudes: beyond ±90, up to ±180."""
        return float(np.mean((np.abs(self.numbers) > 90) & (np.abs(self.numbers) <= 180)))

    @property
    def largest(self) -> float:
        """Largest absolute value; 0 if there is no number."""
        return float(np.abs(self.numbers).max()) if len(self.numbers) else 0.0

    @property
    def is_offset(self) -> bool:
        """Whether the column holds offsets from UTC: hours, or minutes in multiples of 15."""
        step = 0.25 if self.largest <= 14 else 15.0
        return bool(len(self.numbers) and np.all(self.numbers % step == 0) and self.largest <= 900)
