"""Finding the column of each role: by name where the content agrees, else by content alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from ..tables.names import ROLES, normal, rank, says_something_else
from ..tables.table import SourceTable
from .hints import Message, column_at, give
from .likeness import Likeness

CELL_PARTS = (
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

    @property
    def has_degrees(self) -> bool:
        """Whether rows have positions of their own, rather than antennas."""
        return "lat" in self.where and "lon" in self.where

    def put(self, role: str, where: tuple[int, ...], how: str) -> None:
        """Give a role its column or columns."""
        self.where[role] = where
        self.found[role] = how


class Search:
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
        self.sample = [Likeness(c) for c in table.sample()]

    def run(self) -> None:
        """Give columns to the roles that none was named for."""
        named, roles = self.table.named, self.roles.where
        if named:
            self._by_name("lat", lambda c: c.is_degrees(90))
            self._by_name("lon", lambda c: c.is_degrees(180))
            if "lon" in roles:  # beyond 90°, but degrees: exchanged perhaps, which is asked about
                self._by_name("lat", lambda c: c.is_position)
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
        """What has no column and must have one, in the words of the refusal."""
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

    def _by_name(self, role: str, fits: Callable[[Likeness], bool]) -> None:
        if not self._wanted(role):
            return
        ranked = sorted((rank(self.table.labels[i], role), i) for i in self._free())
        for score, i in ranked:
            if score < float("inf") and fits(self.sample[i]):
                self.roles.put(role, (i,), "by name")
                return

    def _is_id(self, column: Likeness) -> bool:
        """A user column by name; the weak names (id, code) only if the ids recur."""
        i = self.sample.index(column)
        if column.is_written_time or column.is_fractional or column.nested:
            return False
        score = rank(self.table.labels[i], "user")
        return score < 2000 or self._recurs(i)

    def _is_antenna(self, column: Likeness) -> bool:
        """An antenna column by name; the weak names (place, id) only if the ids are antennas'."""
        if column.is_time or column.is_fractional or column.nested:
            return False
        weak = rank(self.table.labels[self.sample.index(column)], "antenna") >= 2000
        return not weak or self._share_of_antennas(column) > 0.5

    def _share_of_antennas(self, column: Likeness) -> float:
        if not self.antenna_ids or not column.filled:
            return 0.0
        known = pa.array(sorted(self.antenna_ids), pa.large_string())
        hits = pc.is_in(column.texts.cast(pa.large_string()), value_set=known)
        return float(pc.mean(hits).as_py() or 0.0)

    def _recurs(self, i: int) -> bool:
        column = self.sample[i]
        if column.distinct < column.filled:
            return True
        return self.table.recurs(i)

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
                Message(
                    "Latitude and longitude have no names and both lie within ±90°; latitude is "
                    "taken to come first, which is a guess. If the map is wrong, ",
                    give("lat", "lon"),
                    ".",
                )
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
        parts = [next((names[n] for n in options if n in names), None) for options in CELL_PARTS]
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
                    Message(
                        self.table.told(i, begins=True)
                        if self.table.named
                        else column_at(i, "Column"),
                        " is taken for the user by its content, which is a guess. If it is wrong, ",
                        give("user"),
                        ".",
                    )
                )
                return
