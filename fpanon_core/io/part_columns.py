"""What does a column say as a whole, of which only a piece is seen at a time?

Order of dates, decimal comma, fractions of seconds and how numbers are written as text are decided
by all rows: what the pieces say is added up, and they are looked at again where it says otherwise
than was taken for granted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from ..tables.columns import decimal_marks, holds_whole_numbers, numbers_of
from ..tables.table import SourceTable
from ..tables.times import DateOrder, ParsedTimes, has_fractions, parse_times
from .roles import time_column
from .search import Roles


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
