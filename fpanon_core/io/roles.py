"""Which column is the user, which the time, which the place?

Told by the caller, else by the columns' names where the content agrees, else by content alone. What
was decided, and how, is reported; a guess that would be silently wrong (a track number taken for a
person) is refused instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..model.errors import ConfigError, SchemaError
from .columns import is_nested, missing_in, numbers_of, text_of
from .names import ROLES, normal, rank, says_something_else
from .tables import SourceTable
from .times import SMALLEST_EPOCH, ParsedTimes, is_bare_date, is_time_of_day, parse_times

_CGI = (
    ("mcc",),
    ("net", "mnc"),
    ("area", "lac", "tac"),
    ("cell", "cid", "ci", "cellid", "cell_id"),
)


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
        The whole table is one person's.
    notes : list of str
    """

    where: dict[str, tuple[int, ...]] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)
    one_user: bool = False
    notes: list[str] = field(default_factory=list)

    def put(self, role: str, where: tuple[int, ...], how: str) -> None:
        """Give a role its column or columns."""
        self.where[role] = where
        self.found[role] = how


def find_roles(
    table: SourceTable,
    columns: Mapping[str, Any] | None = None,
    antenna_ids: Collection[str] | None = None,
) -> Roles:
    """The roles of a table of events.

    Parameters
    ----------
    table : SourceTable
    columns : mapping, optional
        Role -> column name, position from 0, tuple of columns to be joined, or None for "there is
        none" (``{"user": None}``: the whole table is one user's). Roles left out are found out.
    antenna_ids : collection of str, optional
        Ids of the antenna table, if there is one.

    Raises
    ------
    ConfigError
        ``columns`` names an unknown role or a column that does not exist.
    SchemaError
        A role that is needed has no column; the message names it and the way out.
    """
    roles = Roles()
    given = _check_given(table, columns or {})
    for role, where in given.items():
        if where is not None:
            roles.put(role, where, "given")
    roles.one_user = "user" in given and given["user"] is None
    if not {"user", "time"} & set(given) and _is_headerless_opencellid(table):
        raise SchemaError(_ANTENNAS)
    search = _Search(table, roles, given, antenna_ids or ())
    search.run()
    missing = search.missing()
    if missing:
        raise SchemaError(_sentence(table, search, missing))
    return roles


def joined_text(table: SourceTable, where: tuple[int, ...], separator: str) -> pa.ChunkedArray:
    """One text column from several."""
    parts = [_date_part(table.columns[i]) if separator == " " else text_of(table.columns[i])
             for i in where]  # fmt: skip
    if len(parts) == 1:
        return parts[0]
    whole = [part.cast(pa.large_string()).combine_chunks() for part in parts]
    mark = pa.scalar(separator, pa.large_string())
    return pa.chunked_array([pc.binary_join_element_wise(*whole, mark)])


def time_column(table: SourceTable, where: tuple[int, ...]) -> pa.ChunkedArray:
    """The column of times, typed if it is one column, joined text if there are several."""
    return table.columns[where[0]] if len(where) == 1 else joined_text(table, where, " ")


def _date_part(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text; of a stored timestamp at midnight (a spreadsheet's date) the date alone."""
    if pa.types.is_timestamp(column.type) and column.type.tz is None:
        return text_of(column.cast(pa.date32(), safe=False))
    return text_of(column)


# --- what the caller said ----------------------------------------------------------------------


def _check_given(
    table: SourceTable, columns: Mapping[str, Any]
) -> dict[str, tuple[int, ...] | None]:
    if not isinstance(columns, Mapping):
        raise ConfigError("columns must be a mapping such as {'user': 'msisdn', 'time': 0}.")
    out: dict[str, tuple[int, ...] | None] = {}
    for role, where in columns.items():
        if role not in ROLES:
            known = ", ".join(ROLES)
            raise ConfigError(f"Unknown role {role!r} in columns; the roles are {known}.")
        if where is None:
            if role == "time":
                raise ConfigError("The role 'time' needs a column; events without time are none.")
            out[role] = None
            continue
        parts = where if isinstance(where, (tuple, list)) else (where,)
        if (len(parts) != 1 and role not in ("time", "antenna")) or not parts:
            raise ConfigError(f"The role {role!r} takes one column, not {len(parts)}.")
        out[role] = tuple(_position(table, role, part) for part in parts)
    taken = [i for where in out.values() if where for i in where]
    if len(set(taken)) != len(taken):
        raise ConfigError("columns gives one column to two roles; give each role its own.")
    return out


def _position(table: SourceTable, role: str, where: Any) -> int:
    if where in table.labels and not isinstance(where, bool):
        if sum(label == where for label in table.labels) > 1:
            raise ConfigError(f"Column {where!r} occurs several times; give its position instead.")
        return table.labels.index(where)
    if isinstance(where, (int, np.integer)) and not isinstance(where, bool):
        if 0 <= where < len(table.labels):
            return int(where)
        raise ConfigError(
            f"columns[{role!r}] = {where}, but there are {len(table.labels)} columns, 0 to "
            f"{len(table.labels) - 1}. Columns: {table.names()}."
        )
    same = [i for i, label in enumerate(table.labels) if normal(label) == normal(where)]
    if isinstance(where, str) and table.named and len(same) == 1 and normal(where):
        return same[0]
    raise ConfigError(f"columns[{role!r}] = {where!r} is no column. Columns: {table.names()}.")


# --- the search --------------------------------------------------------------------------------


class _Search:
    """Fill the roles that were not given, from names and a sample of the content."""

    def __init__(
        self,
        table: SourceTable,
        roles: Roles,
        given: Mapping[str, tuple[int, ...] | None],
        antenna_ids: Collection[str],
    ) -> None:
        self.table, self.roles, self.given = table, roles, given
        self.antenna_ids = antenna_ids
        self.sample = [_Column(c) for c in table.sample()]

    def run(self) -> None:
        named, roles = self.table.named, self.roles.where
        if named:
            self._by_name("lat", lambda c: c.is_degrees(90))
            self._by_name("lon", lambda c: c.is_degrees(180))
            self._by_name("time", lambda c: c.is_time or c.is_clock)
            self._by_name("time", lambda c: c.is_partly_time)
        self._time_by_content()
        if named:
            self._by_name("offset", lambda c: c.is_offset)
            self._by_name("antenna", self._is_antenna)
            self._by_name("user", self._is_id)
        self._join_date_and_clock()
        self._degrees_by_content()
        self._offset_by_content()
        self._antenna_by_parts()
        self._user_by_content()
        if "lat" not in roles or "lon" not in roles:
            self._antenna_by_content()

    def missing(self) -> list[str]:
        at = self.roles.where
        lacks = [] if self.roles.one_user or "user" in at else ["user"]
        lacks += [] if "time" in at else ["time"]
        placed = "lat" in at and "lon" in at
        if not placed and "antenna" not in at:
            half = ("lat" in at) != ("lon" in at)
            lacks += [role for role in ("lat", "lon") if role not in at] if half else ["position"]
        return lacks

    def _wanted(self, role: str) -> bool:
        return role not in self.roles.where and role not in self.given

    def _free(self) -> list[int]:
        taken = {i for where in self.roles.where.values() for i in where}
        return [i for i in range(len(self.sample)) if i not in taken]

    def _by_name(self, role: str, fits: Callable[[_Column], bool]) -> None:
        if not self._wanted(role):
            return
        ranked = sorted((rank(self.table.labels[i], role), i) for i in self._free())
        for score, i in ranked:
            if score < float("inf") and fits(self.sample[i]):
                self.roles.put(role, (i,), "by name")
                return

    def _is_id(self, column: _Column) -> bool:
        """A user column by name; the weak names (id, code) only if the ids recur."""
        i = self.sample.index(column)
        if column.is_written_time or column.is_fractional or column.nested:
            return False
        score = rank(self.table.labels[i], "user")
        return score < 2000 or self._recurs(i)

    def _is_antenna(self, column: _Column) -> bool:
        """An antenna column by name; the weak names (place, id) only if the ids are antennas'."""
        if column.is_time or column.is_fractional or column.nested:
            return False
        weak = rank(self.table.labels[self.sample.index(column)], "antenna") >= 2000
        return not weak or self._share_of_antennas(column) > 0.5

    def _share_of_antennas(self, column: _Column) -> float:
        if not self.antenna_ids or not column.filled:
            return 0.0
        known = pa.array(sorted(self.antenna_ids), pa.large_string())
        hits = pc.is_in(column.texts.cast(pa.large_string()), value_set=known)
        return float(pc.mean(hits).as_py() or 0.0)

    def _recurs(self, i: int) -> bool:
        column = self.sample[i]
        if column.distinct < column.filled:
            return True
        whole = self.table.columns[i]
        return bool(pc.count_distinct(text_of(whole)).as_py() < len(whole))

    # time

    def _time_by_content(self) -> None:
        if not self._wanted("time"):
            return
        good = [i for i in self._free() if self.sample[i].is_time]
        # An epoch could be any large number, such as a telephone's: a form that only a time has
        # goes first, then the numbers that are closest together.
        good.sort(key=lambda i: (self.sample[i].epoch_spread, i))
        banned = [i for i in good if self.table.named and self._not_an_event_time(i)]
        good = [i for i in good if i not in banned]
        if good:
            self.roles.put("time", (good[0],), "by content")

    def _not_an_event_time(self, i: int) -> bool:
        """Columns such as created or updated of an antenna table; phone numbers, ids."""
        words = set(normal(self.table.labels[i]).split("_"))
        return bool(words & {"created", "updated", "changed", "modified", "birth", "end"}) or (
            self.sample[i].is_epoch and rank(self.table.labels[i], "user") < 2000
        )

    def _join_date_and_clock(self) -> None:
        """A date in one column and the time of day in another."""
        where = self.roles.where.get("time")
        if where is None or len(where) > 1 or self.roles.found["time"] == "given":
            return
        this = self.sample[where[0]]
        if this.is_clock:
            dates = [i for i in self._free() if self.sample[i].is_date]
            if dates:
                self.roles.put("time", (dates[0], where[0]), self.roles.found["time"])
            else:
                del self.roles.where["time"], self.roles.found["time"]
        elif this.is_date:
            clocks = [i for i in self._free() if self.sample[i].is_clock]
            if clocks:
                self.roles.put("time", (where[0], clocks[0]), self.roles.found["time"])

    # place

    def _degrees_by_content(self) -> None:
        if not (self._wanted("lat") and self._wanted("lon")) or (
            "antenna" in self.roles.where and self.antenna_ids
        ):
            return
        good = [i for i in self._free() if self.sample[i].is_position and not self._is_else(i)]
        pairs = [(i, j) for i, j in pairwise(good) if j == i + 1]
        if not pairs:
            return
        first, second = pairs[0]
        beyond = [self.sample[i].share_beyond_90 for i in (first, second)]
        lat, lon = (second, first) if beyond[0] > max(beyond[1], 0.005) else (first, second)
        self.roles.put("lat", (lat,), "by content")
        self.roles.put("lon", (lon,), "by content")
        if max(beyond) <= 0.005:
            self.roles.notes.append(
                "Latitude and longitude have no names and both lie within ±90°; latitude is taken "
                "to come first, which is a guess. If the map is wrong, give columns={'lat': …, "
                "'lon': …}."
            )

    def _is_else(self, i: int) -> bool:
        """Whether a column's name claims another meaning than a position."""
        label = self.table.labels[i]
        others = (role for role in ROLES if role not in ("lat", "lon"))
        return self.table.named and (
            says_something_else(label) or any(rank(label, role) < 2000 for role in others)
        )

    def _antenna_by_parts(self) -> None:
        """mcc, net, area, cell in four columns."""
        if self.given.get("antenna", ()) != () or "antenna" not in self.roles.where:
            return
        names = {normal(label): i for i, label in enumerate(self.table.labels)}
        parts = [next((names[n] for n in options if n in names), None) for options in _CGI]
        if None not in parts and self.roles.where["antenna"] == (parts[3],):
            self.roles.put("antenna", tuple(i for i in parts if i is not None), "by name")

    def _antenna_by_content(self) -> None:
        if not self._wanted("antenna") or not self.antenna_ids:
            return
        shares = {i: self._share_of_antennas(self.sample[i]) for i in self._free()}
        best = max(shares, key=lambda i: (shares[i], -i), default=None)
        if best is not None and shares[best] > 0.5:
            self.roles.put("antenna", (best,), "by content")

    def _offset_by_content(self) -> None:
        if not self._wanted("offset") or self.table.named:
            return
        for i in self._free():
            if i and self.sample[i].is_offset and self.sample[i].largest >= 60:
                self.roles.put("offset", (i,), "by content")
                return

    # user

    def _user_by_content(self) -> None:
        if not self._wanted("user") or self.roles.one_user:
            return
        for i in self._free():
            column = self.sample[i]
            if self.table.named and says_something_else(self.table.labels[i]):
                continue
            if column.is_fractional or column.nested or column.filled == 0:
                continue
            if column.is_written_time:
                continue
            several = i == 0 or column.distinct > 2
            if several and (self._recurs(i) or (i == 0 and not self.table.named)):
                self.roles.put("user", (i,), "by content")
                self.roles.notes.append(
                    f"{_label(self.table, i)} is taken for the user by its content, which is a "
                    "guess. If it is wrong, give columns={'user': …}."
                )
                return


class _Column:
    """What a sample of a column looks like."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.column = column
        self.nested = is_nested(column)

    @cached_property
    def texts(self) -> pa.ChunkedArray:
        texts = text_of(self.column)
        return texts.filter(pa.array(~missing_in(texts)))

    @cached_property
    def filled(self) -> int:
        return len(self.texts)

    @cached_property
    def distinct(self) -> int:
        return int(pc.count_distinct(self.texts).as_py())

    @cached_property
    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The numbers; empty when the column is mostly something else."""
        if self.nested or self.filled == 0:
            return np.empty(0)
        values = numbers_of(self.column)
        values = values[~np.isnan(values)]
        return values if len(values) > 0.8 * self.filled else np.empty(0)

    @cached_property
    def times(self) -> ParsedTimes:
        """Parsed where filled; numbers and timestamps as such, not by their text."""
        kind = self.column.type
        if pa.types.is_floating(kind) or self._typed:
            return parse_times(self.column.drop_null())
        return parse_times(self.texts)

    @property
    def _typed(self) -> bool:
        kind = self.column.type
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))

    @cached_property
    def is_time(self) -> bool:
        if self.nested or self.filled == 0 or pa.types.is_boolean(self.column.type):
            return False
        if self.is_clock or self.times.share < 0.5:
            return False
        return self._is_plausible_number()

    @cached_property
    def is_partly_time(self) -> bool:
        """For a column so named: some of it can be read as times, or as times of day."""
        if self.nested or self.filled == 0 or pa.types.is_boolean(self.column.type):
            return False
        return self.is_clock or bool(self.times.ok.any() and self._is_plausible_number())

    def _is_plausible_number(self) -> bool:
        """Numbers as times: dates such as 20120403, and epochs between 1973 and 2100."""
        epochs = sum(n for name, n in self.times.formats.items() if name.startswith("epoch"))
        if 2 * epochs <= self.times.ok.sum():
            return True
        typical = float(np.median(self.times.us[self.times.ok])) / 1e6
        return SMALLEST_EPOCH <= typical < 4_102_444_800

    @cached_property
    def is_epoch(self) -> bool:
        return self.is_time and len(self.numbers) > 0

    @property
    def is_written_time(self) -> bool:
        """A time in a form that no number has."""
        return self.is_time and not self.is_epoch

    @property
    def epoch_spread(self) -> float:
        """Of epochs, the distance of their quartiles in seconds; −1 for written times."""
        if not self.is_epoch:
            return -1.0
        low, high = np.percentile(self.times.us[self.times.ok], [25, 75])
        return float(high - low) / 1e6

    @cached_property
    def is_clock(self) -> bool:
        return not self.nested and self.filled > 0 and is_time_of_day(self.texts)

    @cached_property
    def is_date(self) -> bool:
        if self.nested or self.filled == 0 or self.is_clock:
            return False
        us = self.times.us[self.times.ok]
        if self._typed:
            return bool(len(us) and np.all(us % 86_400_000_000 == 0))
        return is_bare_date(self.times)

    @cached_property
    def is_fractional(self) -> bool:
        values = self.numbers
        return bool(len(values) and np.mean(values != np.floor(values)) > 0.02)

    def is_degrees(self, limit: float) -> bool:
        """For a column so named: some of its numbers are degrees, or it is empty."""
        if self.nested or self.filled == 0:
            return not self.nested
        values = numbers_of(self.column)
        return bool(np.any(np.abs(values[~np.isnan(values)]) <= limit))

    @cached_property
    def is_position(self) -> bool:
        """Fractional numbers in the range of degrees."""
        return self.is_fractional and bool(np.mean(np.abs(self.numbers) <= 180) > 0.8)

    @property
    def share_beyond_90(self) -> float:
        return float(np.mean((np.abs(self.numbers) > 90) & (np.abs(self.numbers) <= 180)))

    @property
    def largest(self) -> float:
        return float(np.abs(self.numbers).max()) if len(self.numbers) else 0.0

    @cached_property
    def is_offset(self) -> bool:
        """Minutes (whole quarters of an hour) from UTC, or hours."""
        step = 0.25 if self.largest <= 14 else 15.0
        return bool(len(self.numbers) and np.all(self.numbers % step == 0) and self.largest <= 900)


# --- what to say when it fails -----------------------------------------------------------------


def _label(table: SourceTable, i: int) -> str:
    return f"Column {table.labels[i]!r}" if table.named else f"Column {i}"


_ANTENNAS = (
    "This looks like a table of antennas (OpenCellID), not of events: it has no column for a user. "
    "Give it as antennas=, beside a file of events."
)
_NEEDS = {
    "user": "a user (who)",
    "time": "a time (when)",
    "position": "a position (latitude and longitude, or an antenna)",
    "lat": "a latitude",
    "lon": "a longitude",
}


def _sentence(table: SourceTable, search: _Search, missing: list[str]) -> str:
    at = search.roles.where
    lacks = ", ".join(_NEEDS[role] for role in missing)
    names = {normal(label) for label in table.labels}
    cells = all(names & set(options) for options in _CGI)
    if cells and ("user" in missing or "time" in missing):
        return _ANTENNAS
    if {"user", "time"} <= set(missing) and "position" not in missing:
        return (
            "This looks like a table of antennas or places, not of events: it has positions but "
            f"no user and no time. Columns: {table.names()}. Give it as antennas=, beside a file "
            "of events, or say which columns hold them, such as columns={'user': …, 'time': …}."
        )
    parts = [f"No column was found for {lacks}. Columns: {table.names()}."]
    if at:
        known = [f"{role} = {'+'.join(str(table.labels[i]) for i in at[role])}" for role in at]
        parts.append(f"Found: {', '.join(known)}.")
    parts += [note for note in table.notes if "index" in note]
    if "time" in missing:
        named = [i for i, label in enumerate(table.labels) if rank(label, "time") < 1000]
        if named:
            parts.append(
                f"{_label(table, named[0])} is named like a time but holds none; expected a "
                "date and time such as 2012-04-03 18:00:09, or epoch seconds."
            )
        else:
            parts.append("Say which column holds the time, such as columns={'time': …}.")
    if "user" in missing:
        tracks = [
            repr(label)
            for i, label in enumerate(table.labels)
            if table.named and {"track", "trip", "trajectory", "traj", "session"}
            & set(normal(label).split("_"))
        ]  # fmt: skip
        if tracks:
            parts.append(
                f"{tracks[0]} numbers journeys, not people; if each is a person to you, give "
                f"columns={{'user': {tracks[0]}}}."
            )
        parts.append(
            "Say which column is the user, such as columns={'user': …}; if the whole file is one "
            "user's, columns={'user': None}. If the users are in another table, join the two first."
        )
    if set(missing) & {"position", "lat", "lon"}:
        claim = [
            i
            for i, label in enumerate(table.labels)
            if min(rank(label, "lat"), rank(label, "lon")) < 1000
        ]
        if claim:
            names_there = " and ".join(repr(table.labels[i]) for i in claim[:2])
            parts.append(
                f"{names_there} are named like a position but hold no degrees; are they in metres "
                "on a map, or empty?"
            )
        parts.append(
            "Give latitude and longitude in degrees (columns={'lat': …, 'lon': …}), or an antenna "
            "column (columns={'antenna': …}) and the antennas' positions as antennas=."
        )
    return " ".join(parts)


def _is_headerless_opencellid(table: SourceTable) -> bool:
    if len(table.labels) != 14 or table.named:
        return False
    radios = pa.array(["GSM", "UMTS", "LTE", "NR", "CDMA"], pa.large_string())
    first = text_of(table.sample(100)[0]).cast(pa.large_string())
    return bool(pc.all(pc.is_in(first, value_set=radios)).as_py())
