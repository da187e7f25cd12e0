"""Fate of each row of a source: used, or set aside for a reason; and display of the first rows.

A row is set aside for the first reason that applies. The first rows are shown as they were
understood, with only the columns that have a role. Any other column may hold a telephone number,
whatever its name. The user is shown as a pseudonym. A number read as a time is not shown as
written, because it could be an id.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.arrays import BoolArray, Codes, FloatArray, IntArray, pieces
from ..model.clock import zone_of
from ..model.errors import SchemaError
from ..tables.parts import Parts
from ..tables.table import SourceTable, text_of
from ..tables.times import ParsedTimes
from . import report as why
from .hints import Message, namely
from .instants import local_of
from .report import REASONS
from .roles import joined_text, time_column
from .search import Roles

_REASONS = list(REASONS)
_TIME_OR_PLACE = ("time", "offset", "lat", "lon", "antenna")
_WAY_OUT: dict[str, str] = {
    why.UNPARSEABLE_TIME: Message(
        "Write times as 2012-04-03T18:00:09Z or as epoch seconds, or say which column holds them"
        f"{namely('time')}."
    ),
    why.NO_USER: Message(f"Say which column names the person{namely('user')}."),
    why.TIME_OUTLIER: "Times must lie between 1900 and 2200.",
    why.MALFORMED: "Check the separator.",
    why.UNKNOWN_ANTENNA: "Give the antenna table that belongs to these events.",
    why.IMPOSSIBLE_COORDINATES: Message(
        "Positions must be degrees, not metres. If latitude and longitude are exchanged, say which "
        f"is which{namely('lat', 'lon')}."
    ),
}
_OTHER_WAY_OUT = Message(f"Say which columns hold the positions{namely('lat', 'lon')}.")


class Fate:
    """Fate of each row: the number of the reason for setting it aside; −1 if the row is used.

    ``codes`` is not copied.
    """

    def __init__(self, codes: Codes, n_malformed: int = 0) -> None:
        self.codes, self.n_malformed = codes, n_malformed

    def part(self, rows: slice) -> Fate:
        """Return a view of some rows; setting rows aside in it also affects the whole."""
        return Fate(self.codes[rows])

    def set_aside(self, reason: str, rows: BoolArray) -> None:
        """Set aside the rows that a mask over all rows selects, unless already set aside."""
        if rows.any():
            self.codes[rows & (self.codes < 0)] = _REASONS.index(reason)

    def set_aside_used(self, reason: str, hit: BoolArray) -> None:
        """Set aside the rows that a mask over the rows in use selects."""
        if hit.any():
            self.codes[np.flatnonzero(self.codes < 0)[hit]] = _REASONS.index(reason)

    @property
    def used(self) -> BoolArray:
        """Mask of the rows in use."""
        return self.codes < 0

    def pick(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values of the rows in use; not copied if all are in use."""
        used = self.used
        return values if used.all() else values[used]

    def evenly_but_for(self, reason: str, most: int) -> IntArray:
        """Return up to ``most`` evenly spaced rows that are in use or set aside for this reason."""
        mask = (self.codes < 0) | (self.codes == _REASONS.index(reason))
        n = int(np.count_nonzero(mask))
        return _ranked(mask, np.linspace(0, n - 1, min(n, most)).astype(np.int64))

    @property
    def n_read(self) -> int:
        """Number of rows in the source."""
        return len(self.codes) + self.n_malformed

    @property
    def n_used(self) -> int:
        """Number of rows in use."""
        return int(np.count_nonzero(self.codes < 0))

    def counts(self) -> dict[str, int]:
        """Return the number of rows set aside for each reason that occurs.

        The reasons are in the order of :data:`REASONS`.
        """
        numbers = np.bincount(self.codes[self.codes >= 0], minlength=len(_REASONS))
        numbers[_REASONS.index(why.MALFORMED)] += self.n_malformed
        return {r: int(n) for r, n in zip(_REASONS, numbers, strict=True) if n}

    def check_some_left(self) -> None:
        """Refuse a table without any usable row.

        Raises
        ------
        SchemaError
            No row is left; the message has the reasons, and the remedy for the commonest one.
        """
        if self.n_used:
            return
        counts = self.counts()
        found = ", ".join(f"{reason} in {n:,} ({REASONS[reason]})" for reason, n in counts.items())
        way_out = _WAY_OUT.get(max(counts, key=lambda reason: counts[reason]), _OTHER_WAY_OUT)
        raise SchemaError(
            Message(f"None of the {self.n_read:,} rows can be used: {found}. ", way_out)
        )

    def rejects(
        self, source: SourceTable | Parts, roles: Roles, most: int | None = None
    ) -> pd.DataFrame:
        """Return the rows set aside: part and row number, reason, and the fields of time and place.

        No other field is included, whatever its column is called, as no list of names can cover
        every column that identifies a person. At most the first ``most`` are returned.
        """
        mask = self.codes >= 0
        n = int(np.count_nonzero(mask))
        rows = _ranked(mask, np.arange(n if most is None else min(n, most)))
        known = {i for role in _TIME_OR_PLACE for i in roles.where.get(role, ())}
        columns = sorted(known - set(roles.where.get("user", ())))
        table = source.taken(rows, columns)
        frame = text_frame(table, columns)
        places = ["part", "row"] if isinstance(source, Parts) else ["row"]
        labels = [str(table.labels[i]) for i in columns]
        frame.columns = pd.Index(_distinct_labels(labels, [*places, "reason"]))
        frame.insert(0, "reason", np.array(_REASONS, dtype=object)[self.codes[rows]])
        frame.insert(0, "row", table.row_numbers(np.arange(len(rows))))
        if isinstance(source, Parts):
            frame.insert(0, "part", source.part_of(rows))
        lines = [
            pd.DataFrame({"part": i, "row": each.malformed_numbers(), "reason": why.MALFORMED})
            for i, each in enumerate(source.tables, 1)
            if len(each.malformed)
        ]
        if lines:
            names = [*places, "reason", *frame.columns.drop([*places, "reason"])]
            frame = pd.concat([frame, *lines])[names].sort_values(places, kind="stable").fillna("")
        return frame[:most].reset_index(drop=True)


def _ranked(mask: BoolArray, ranks: IntArray) -> IntArray:
    """Return the positions of some true values of a mask, given by their ascending ranks from 0."""
    found, before = [np.empty(0, np.int64)], 0
    for part in pieces(len(mask)):
        true = np.flatnonzero(mask[part])
        low, high = np.searchsorted(ranks, [before, before + len(true)])
        found.append(part.start + true[ranks[low:high] - before])
        before += len(true)
    return np.concatenate(found)


def text_frame(table: SourceTable, columns: Iterable[int]) -> pd.DataFrame:
    """Return some columns as text, named by position; text in the source stays as written."""
    frame = {i: _raw_text(table.columns[i]).to_pandas() for i in columns}
    return pd.DataFrame(frame, index=range(table.n_rows))


def _raw_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pa.types.is_string(column.type) else text_of(column)


def _distinct_labels(labels: Iterable[str], before: list[str]) -> list[str]:
    """Return labels that differ from one another and from the labels in ``before``."""
    out = list(before)
    for label in labels:
        name, i = label, 1
        while name in out:
            i += 1
            name = f"{label} ({i})"
        out.append(name)
    return out[len(before) :]


# --- the first rows ------------------------------------------------------------------------------


def first_rows(
    table: SourceTable,
    roles: Roles,
    parsed: ParsedTimes,
    us: IntArray,
    degrees: tuple[FloatArray, FloatArray],
    zone: str,
) -> pd.DataFrame:
    """Return the first rows without users or fates: ``row``, ``time``, ``lat`` and so on.

    ``us``: instants, microseconds since 1970; ``degrees``: latitudes and longitudes as used.
    """
    frame = pd.DataFrame({"row": table.row_numbers(np.arange(table.n_rows))})
    epochs = any(name.startswith("epoch") for name in parsed.formats)
    times = text_of(time_column(table, roles.where["time"]))
    frame["time"] = "a number" if epochs else times.to_pylist()
    frame["local_time"] = [
        local_of(at, zone_of(zone)).replace(tzinfo=None).isoformat(" ", "minutes") if ok else ""
        for at, ok in zip(us.tolist(), parsed.ok.tolist(), strict=True)
    ]
    with np.errstate(over="ignore"):  # for numbers that are no positions
        frame["lat"], frame["lon"] = (values.round(5) for values in degrees)
    if "antenna" in roles.where and not roles.has_degrees:  # else it could be anything
        frame["antenna"] = joined_text(table, roles.where["antenna"], "-").to_pylist()
    if "offset" in roles.where:
        frame["offset"] = text_of(table.columns[roles.where["offset"][0]]).to_pylist()
    return frame


def with_users_and_fates(
    frame: pd.DataFrame, users: IntArray, pseudonyms: list[str], fates: Codes
) -> pd.DataFrame:
    """Add the columns user and fate to a frame of rows.

    ``users``: indices into ``pseudonyms``, −1 for none; ``fates``: the codes of the rows, negative
    for rows that are used.
    """
    frame.insert(1, "user", [pseudonyms[i] if i >= 0 else "" for i in users.tolist()])
    return frame.assign(fate=[_REASONS[i] if i >= 0 else why.USED for i in fates.tolist()])
