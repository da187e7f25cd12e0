"""Who, when and where: what each row of many parts says, looked at once and spilled.

What a row says is decided by the functions that read a table in memory.

What does a column say as a whole, of which only a piece is seen at a time?

Order of dates, decimal comma, fractions of seconds and how numbers are written as text are decided
by all rows: what the pieces say is added up, and they are looked at again where it says otherwise
than was taken for granted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..tables.parts import BATCH, Parts
from ..tables.table import SourceTable, decimal_marks, holds_whole_numbers, numbers_of
from ..tables.times import DateOrder, ParsedTimes, has_fractions, parse_times
from . import report as why
from .antennas import locate
from .distinct_parts import in_order
from .events import Numbering, antenna_faults, antenna_names, own_positions
from .fate import Fate
from .roles import time_column
from .search import Roles
from .spill import Spill
from .turns import Turn

_T = TypeVar("_T")


class PartRows:
    """All rows of the parts: what they say, in a spill, and what becomes of each.

    Parameters
    ----------
    parts : Parts
    roles : Roles
        Which columns say who, when and where.
    turn : Turn
        How degrees are to be turned.
    own : Path
        A private folder, to spill into.
    tell : callable
        Told the share of the whole reading that is done, 0.02 to 0.32.

    Attributes
    ----------
    parts, roles
    placed : bool
        Whether rows have degrees of their own; else they name antennas.
    slices : list of slice
        Rows that are looked at at a time.
    spill : Spill
        ``code`` of the user, ``us``, ``ok`` and ``aware`` of the time; ``lat`` and ``lon``, or
        ``antenna``; ``offset`` where there is one.
    users, antenna_ids : list of str
        By their codes.
    formats : Counter
        Of the times, how many rows have each.
    order_note : str
        What is to be said of the order of day and month; empty for nothing.
    fate : Fate
    """

    def __init__(
        self, parts: Parts, roles: Roles, turn: Turn, own: Path, tell: Callable[[float], object]
    ) -> None:
        self.parts, self.roles, self._turn, self._tell = parts, roles, turn, tell
        self.placed = "lat" in roles.where and "lon" in roles.where
        self.slices = [
            slice(at, min(at + BATCH, parts.n_rows)) for at in range(0, parts.n_rows, BATCH)
        ]
        self._first_look(own)

    def _first_look(self, own: Path) -> None:
        """Users, times and places of all rows, spilled; again where a column decides otherwise."""
        settled = Settled()
        for attempt in range(3):
            folder = own / f"rows-{attempt}"
            folder.mkdir(0o700)
            self.spill = Spill(folder)
            seen = self._look(settled)
            self.spill.close()
            wanted = seen.settled()
            self.order_note = seen.order.decided()[1] if seen.either_order else ""
            if replace(wanted, day_first=wanted.day_first is not False) == replace(
                settled, day_first=settled.day_first is not False
            ):
                break
            settled = wanted
            self.spill.remove()

    def _look(self, settled: Settled) -> Seen:
        roles, seen = self.roles, Seen()
        self.formats: Counter[str] = Counter()
        users, antennas = Numbering(), Numbering()
        codes = []
        used = {"time": roles.where["time"]}
        if not roles.one_user:
            used["user"] = roles.where["user"]
        for role in ("lat", "lon") if self.placed else ("antenna",):
            used[role] = roles.where[role]
        if "offset" in roles.where:
            used["offset"] = roles.where["offset"]
        columns = sorted({i for where in used.values() for i in where})
        texts = {i for role in ("user", "antenna") for i in used.get(role, ())}
        texts |= set(used["time"]) if len(used["time"]) > 1 else set()
        done = 0
        with ThreadPoolExecutor(2) as pool:
            for table in self.parts.batches(columns):
                table = written_out(table, texts, settled, seen)
                fate = Fate(table)
                when = pool.submit(times_of, table, roles, settled, seen)
                where = pool.submit(self._places, table, antennas, settled, seen)
                if roles.one_user:
                    who, none = np.zeros(table.n_rows, np.int64), np.zeros(table.n_rows, bool)
                else:
                    who, none = users.of(table.columns[roles.where["user"][0]])
                parsed = when.result()
                self.formats.update(parsed.formats)
                places, faults = where.result()
                fate.set_aside(why.NO_USER, none)
                fate.set_aside(why.UNPARSEABLE_TIME, ~parsed.ok)
                for reason, at_fault in faults.items():
                    fate.set_aside(reason, at_fault)
                codes.append(fate.codes)
                self.spill.append(
                    code=who.astype(np.int32),
                    us=parsed.us,
                    ok=parsed.ok,
                    aware=parsed.aware,
                    **places,
                )
                if "offset" in roles.where:
                    offset = table.columns[roles.where["offset"][0]]
                    mark(seen, "offset", offset)
                    self.spill.append(
                        offset=numbers_of(offset, decimal_comma="offset" in settled.commas)
                    )
                done += table.n_rows
                self._tell(0.02 + 0.3 * done / self.parts.n_rows)
        self.users = ["1"] if roles.one_user else users.texts
        self.antenna_ids = antennas.texts
        self.fate = Fate.of_codes(np.concatenate(codes), self.parts.n_malformed)
        return seen

    def _places(
        self, table: SourceTable, antennas: Numbering, settled: Settled, seen: Seen
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, BoolArray]]:
        if not self.placed:
            at, _ = antennas.of(antenna_names(table, self.roles))
            return {"antenna": at.astype(np.int32)}, {}
        for role in ("lat", "lon"):
            mark(seen, role, table.columns[self.roles.where[role][0]])
        lat, lon, faults = own_positions(table, self.roles, self._turn, settled.commas)
        return {"lat": lat, "lon": lon}, faults

    def place_antennas(self, sites: pd.DataFrame) -> list[str]:
        """Where the antennas stand that events name; what is wrong with them; notes."""
        if self.placed:
            return []
        self._site_lat, self._site_lon, remarks = locate(self.antenna_ids, sites)
        ids = pa.chunked_array([pa.array(self.antenna_ids, pa.string())])
        for reason, hit in antenna_faults(ids, self._site_lat).items():
            for rows in self.slices:
                self.fate.part(rows).set_aside(reason, hit[self.spill.read("antenna", rows)])
        return [*sites.attrs.get("notes", ()), *remarks]

    def degrees(self, rows: slice | IntArray) -> tuple[FloatArray, FloatArray]:
        """Latitude and longitude as their rows, or their antennas, say them."""
        read = self.spill.read if isinstance(rows, slice) else self.spill.at
        if self.placed:
            return read("lat", rows), read("lon", rows)  # type: ignore[arg-type]
        at = read("antenna", rows)  # type: ignore[arg-type]
        return self._site_lat[at], self._site_lon[at]

    def parsed(self, rows: slice | IntArray) -> ParsedTimes:
        """Times of some rows as they were written: not yet on one clock."""
        read = self.spill.read if isinstance(rows, slice) else self.spill.at
        us, ok, aware = (read(name, rows) for name in ("us", "ok", "aware"))  # type: ignore[arg-type]
        return ParsedTimes(us, ok, aware)

    def over(self, work: Callable[[slice], _T]) -> Iterator[_T]:
        """Some work on all rows, piece by piece, on two threads."""
        with ThreadPoolExecutor(2) as pool:
            yield from in_order(pool, work, self.slices, 2)

    def used_degrees(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        """The same of rows in use."""
        lat, lon = self.degrees(rows)
        part = self.fate.part(rows)
        return part.pick(lat), part.pick(lon)

    def no_times(self, n: int) -> SourceTable:
        """A table of so many rows that says nothing."""
        nulls = tuple(pa.chunked_array([pa.nulls(n, kind)]) for kind in self.parts.types)
        return replace(self.parts.about, columns=nulls)

    def with_offsets(self) -> SourceTable:
        """The table with nothing in it but offsets, where there are any."""
        where = self.roles.where.get("offset", ())
        columns = [pa.chunked_array([pa.nulls(0)])] * len(self.parts.types)
        for i in where:
            columns[i] = pa.chunked_array([pa.array(self.spill.read("offset"))])
        return replace(self.parts.about, columns=tuple(columns))


@dataclass(frozen=True)
class Settled:
    """What a column decides as a whole; at first what is commonest."""

    day_first: bool | None = None
    fractional: bool | None = None
    commas: frozenset[str] = frozenset()
    written: frozenset[int] = frozenset()
    """Columns of floats that are not whole throughout, though some part's are."""


@dataclass
class Seen:
    """What the pieces of a column say of it, added up."""

    order: DateOrder = field(default_factory=DateOrder)
    either_order: int = 0
    fractions: set[bool] = field(default_factory=set)
    marks: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    whole: dict[int, set[bool]] = field(default_factory=dict)

    def settled(self) -> Settled:
        """What the pieces together decide."""
        return Settled(
            self.order.decided()[0] if self.either_order else None,
            True if self.fractions == {True, False} else None,
            frozenset(r for r, (comma, point) in self.marks.items() if comma and not point),
            frozenset(i for i, found in self.whole.items() if found == {True, False}),
        )


def times_of(table: SourceTable, roles: Roles, settled: Settled, seen: Seen) -> ParsedTimes:
    """The times of a piece; what it says of the whole column is added up."""
    column = time_column(table, roles.where["time"])
    if pa.types.is_floating(column.type):
        numbers = numbers_of(column)
        if np.isfinite(numbers).any():
            seen.fractions.add(has_fractions(numbers))
        return parse_times(column, day_first=True, fractional=settled.fractional)
    parsed = parse_times(column, day_first=settled.day_first is not False)
    other = parsed
    if parsed.either_order:
        seen.either_order += parsed.either_order
        other = parse_times(column, day_first=settled.day_first is False)
    seen.order.add(*((other, parsed) if settled.day_first is False else (parsed, other)))
    return parsed


def mark(seen: Seen, role: str, column: pa.ChunkedArray) -> None:
    """Whether numbers of a role have commas, until it is known that some have points."""
    comma, point = seen.marks.get(role, (False, False))
    kind = column.type
    if not point and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        more = decimal_marks(column)
        seen.marks[role] = (comma or more[0], more[1])


def written_out(table: SourceTable, texts: set[int], settled: Settled, seen: Seen) -> SourceTable:
    """With floats that serve as text written alike in all pieces."""
    columns = list(table.columns)
    for i in texts:
        if pa.types.is_floating(columns[i].type):
            if (whole := holds_whole_numbers(columns[i])) is not None:
                seen.whole.setdefault(i, set()).add(whole)
            if i in settled.written:
                columns[i] = columns[i].cast(pa.large_string())
    return replace(table, columns=tuple(columns))
