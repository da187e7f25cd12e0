"""User, time and place of each row, interpreted piece by piece and stored as columns.

A table in memory is one piece. For a source in parts, interpreted columns are spilled to a private
folder. Some decisions concern a column as a whole (order of day and month, decimal comma, fractions
of seconds, how numbers are written as text). Each piece first decides for itself; if pieces
differ, all rows are interpreted again with a common decision.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.arrays import BoolArray, FloatArray, IntArray, SmallInts
from ..model.mapped import ColumnFile, mapped_rows, rows_in
from ..tables.parts import BATCH, Parts
from ..tables.table import (
    SourceTable,
    decimal_comma_in,
    holds_whole_numbers,
    missing_in,
    numbers_of,
    text_of,
)
from ..tables.times import DateOrder, ParsedTimes, has_fractions, parse_times
from . import report as why
from .antennas import locate
from .fate import Fate
from .positions import position_faults
from .roles import joined_text, time_column
from .search import Roles
from .turns import Turn

_T = TypeVar("_T")
_DAY_FIRST, _FRACTIONS = "day first", "fractions"


class Rows:
    """All rows of a source: their interpreted content, in a store, and the fate of each.

    Parameters
    ----------
    source : SourceTable or Parts
    roles : Roles
        Columns of user, time and place.
    turn : Turn
        Way to read degrees.
    own : Path or None
        Private folder for temporary data; None keeps all data in memory.
    tell : callable
        Called with the share of the rows interpreted so far.

    Attributes
    ----------
    source, roles
    placed : bool
        Whether rows have their own degrees; otherwise they name antennas.
    slices : list of slice
        Slices of rows, each processed as one piece.
    store : Store
        User: ``code``. Time: ``us``, ``ok`` and ``aware``. Place: ``lat`` and ``lon``, or
        ``antenna``. Offset, if there is one: ``offset``.
    users, antenna_ids : list of str
        Texts by code.
    formats : Counter
        Number of rows with each time format.
    order_note : str
        Note on the order of day and month; empty if there is none.
    fate : Fate
    """

    def __init__(
        self,
        source: SourceTable | Parts,
        roles: Roles,
        turn: Turn,
        own: Path | None,
        tell: Callable[[float], object],
    ) -> None:
        self.source, self.roles, self._turn, self._tell = source, roles, turn, tell
        self.placed = roles.has_degrees
        n_rows = source.n_rows
        self.slices = [slice(at, min(at + BATCH, n_rows)) for at in range(0, n_rows, BATCH)]
        self._settled: dict[str, bool] = {}
        self._decided: dict[str, set[bool]] = defaultdict(set)
        self._order = DateOrder()
        self._look(own and own / "rows")
        self.order_note = self._order.decided()[1] if self._decided[_DAY_FIRST] else ""
        for what, found in self._decided.items():
            if len(found) > 1:
                whole = what == _FRACTIONS or (what == _DAY_FIRST and self._order.decided()[0])
                self._settled[what] = whole
        if self._settled:
            self.store.remove()
            self._look(own and own / "rows again")

    def _look(self, own: Path | None) -> None:
        roles = self.roles
        self.store, self.formats = Store(own), Counter[str]()
        self._whole_ids = False
        users, antennas = Numbering(), Numbering()
        used = {"time", "user", "offset", *(("lat", "lon") if self.placed else ("antenna",))}
        used &= roles.where.keys()
        columns = sorted({i for role in used for i in roles.where[role]})
        texts = {i for role in ("user", "antenna") if role in used for i in roles.where[role]}
        texts |= set(roles.where["time"]) if len(roles.where["time"]) > 1 else set()
        codes, done = [], 0
        with ThreadPoolExecutor(2) as pool:  # three columns at a time: work outside Python
            for table in self.source.batches(columns):
                table = self._written_out(table, texts)
                when = pool.submit(self._times, table)
                where = pool.submit(self._places, table, antennas)
                who, nobody = np.zeros(table.n_rows, np.int32), np.zeros(table.n_rows, bool)
                if not roles.one_user:
                    column = table.columns[roles.where["user"][0]]
                    whole = pa.types.is_integer(column.type) and not column.null_count
                    self._whole_ids = table.kind == "DataFrame" and whole
                    who, nobody = users.of(column)
                parsed, (places, faults) = when.result(), where.result()
                fate = Fate(np.full(table.n_rows, -1, np.int8))
                faults = {why.NO_USER: nobody, why.UNPARSEABLE_TIME: ~parsed.ok, **faults}
                for reason, at_fault in faults.items():
                    fate.set_aside(reason, at_fault)
                codes.append(fate.codes)
                self.formats.update(parsed.formats)
                times = {"us": parsed.us, "ok": parsed.ok, "aware": parsed.aware}
                self.store.append(code=who, **times, **places)
                if "offset" in used:
                    self.store.append(offset=self._numbers(table, "offset"))
                done += table.n_rows
                self._tell(done / self.source.n_rows)
        self.store.close()
        self.users = ["1"] if roles.one_user else list(users.known)
        self.antenna_ids = list(antennas.known)
        n_malformed = sum(len(table.malformed) for table in self.source.tables)
        self.fate = Fate(np.concatenate(codes), n_malformed)

    def _written_out(self, table: SourceTable, texts: set[int]) -> SourceTable:
        """Return the table; columns in ``texts`` that hold fractions become text in every piece."""
        columns = list(table.columns)
        for i in texts:
            whole = partial(holds_whole_numbers, columns[i])
            if pa.types.is_floating(columns[i].type) and self._decide(f"whole {i}", whole) is False:
                columns[i] = columns[i].cast(pa.large_string())
        return replace(table, columns=tuple(columns))

    def _times(self, table: SourceTable) -> ParsedTimes:
        column = time_column(table, self.roles.where["time"])
        if pa.types.is_floating(column.type):
            fractional = self._decide(_FRACTIONS, partial(has_fractions, numbers_of(column)))
            return parse_times(column, fractional=fractional)
        day_first = self._settled.get(_DAY_FIRST)
        parsed = parse_times(column, day_first=day_first)
        if day_first is None:
            self._order.add(parsed.order or DateOrder(parsed, parsed))
            if parsed.order is not None:
                self._decided[_DAY_FIRST].add(parsed.order.decided()[0])
        return parsed

    def _places(
        self, table: SourceTable, antennas: Numbering
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, BoolArray]]:
        if not self.placed:
            where = self.roles.where["antenna"]
            names = joined_text(table, where, "-") if len(where) > 1 else table.columns[where[0]]
            return {"antenna": antennas.of(names)[0]}, {}
        lat, lon = self._turn.apply(self._numbers(table, "lat"), self._numbers(table, "lon"))
        return {"lat": lat, "lon": lon}, position_faults(lat, lon)

    def _numbers(self, table: SourceTable, role: str) -> FloatArray:
        column = table.columns[self.roles.where[role][0]]
        comma = self._decide(f"comma {role}", partial(decimal_comma_in, column))
        return numbers_of(column, decimal_comma=comma)

    def _decide(self, what: str, own: Callable[[], bool | None]) -> bool | None:
        """Return the common decision of all pieces, or this piece's own if there is none yet."""
        if what in self._settled:
            return self._settled[what]
        decided = own()
        if decided is not None:
            self._decided[what].add(decided)
        return decided

    def user_ids(self, codes: IntArray) -> npt.NDArray[Any]:
        """Return the ids of some users: as text, but as integers for a DataFrame's integer ids."""
        ids = [self.users[i] for i in codes.tolist()]
        return np.array([int(i) for i in ids]) if self._whole_ids else np.array(ids, object)

    # --- what is known ---------------------------------------------------------------------------

    def place_antennas(self, sites: pd.DataFrame) -> list[str]:
        """Locate the antennas that events name, set faulty rows aside, and return notes."""
        self._site_lat, self._site_lon, remarks = locate(self.antenna_ids, sites)
        missing = missing_in(pa.chunked_array([pa.array(self.antenna_ids, pa.string())]))
        for rows in self.slices:
            part, at = self.fate.part(rows), self.store.read("antenna", rows)
            part.set_aside(why.MISSING_COORDINATES, missing[at])
            part.set_aside(why.UNKNOWN_ANTENNA, np.isnan(self._site_lat)[at])
        return [*sites.attrs.get("notes", ()), *remarks]

    def degrees(self, rows: slice | IntArray) -> tuple[FloatArray, FloatArray]:
        """Return latitude and longitude of rows: the rows' own, or their antennas'."""
        if self.placed:
            return self.store.read("lat", rows), self.store.read("lon", rows)
        at = self.store.read("antenna", rows)
        return self._site_lat[at], self._site_lon[at]

    def used_degrees(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Return latitude and longitude of the rows in use."""
        part = self.fate.part(rows)
        lat, lon = self.degrees(rows)
        return part.pick(lat), part.pick(lon)

    def parsed(self, rows: slice | IntArray) -> ParsedTimes:
        """Return the parsed times of some rows, before clock times are converted to instants."""
        us, ok, aware = (self.store.read(name, rows) for name in ("us", "ok", "aware"))
        return ParsedTimes(us, ok, aware, self.formats)

    @property
    def all_aware(self) -> bool:
        """Whether the times of all rows in use carry an offset."""
        aware = (self.fate.part(r).pick(self.store.read("aware", r)).all() for r in self.slices)
        return all(aware)

    def over(self, work: Callable[[slice], _T]) -> Iterator[_T]:
        """Yield the result of a function for each slice of rows, in order; two threads compute."""
        with ThreadPoolExecutor(2) as pool:
            yield from in_order(pool, work, self.slices)


class Store:
    """Columns, in memory or in a private folder, that are written and then read in pieces.

    Files are read, not mapped, because mapped pages count as memory in use. Only scattered rows are
    read through a memory map.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files: dict[str, ColumnFile] = {}
        self._held: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
        if folder is not None:
            folder.mkdir(0o700)

    def append(self, **columns: npt.NDArray[Any]) -> None:
        """Add rows to some columns; a column keeps the type with which it begins."""
        for name, values in columns.items():
            if self._folder is None:
                self._held[name].append(values)
                continue
            if name not in self._files:
                self._files[name] = ColumnFile(self._folder / f"{name}.npy", values.dtype)
            self._files[name].append(values)

    def close(self) -> None:
        """Finish writing."""
        for file in self._files.values():
            file.close()

    def parts(self, *names: str) -> list[tuple[npt.NDArray[Any], ...]]:
        """Return some columns in the pieces in which memory holds them; a file is one piece."""
        if self._folder is None:
            return list(zip(*(self._held[name] for name in names), strict=True))
        return [tuple(self.read(name) for name in names)]

    def read(self, name: str, rows: slice | IntArray | None = None) -> npt.NDArray[Any]:
        """Return some or all rows of a column; they must not be modified."""
        if self._folder is None:
            held = self._held[name]
            if len(held) > 1:
                held[:] = [np.concatenate(held)]
            return held[0][slice(None) if rows is None else rows]
        place = self._folder / f"{name}.npy"
        if isinstance(rows, np.ndarray):
            return np.array(mapped_rows(place)[rows])
        return rows_in(place, rows)

    def remove(self, *names: str) -> None:
        """Delete some or all columns to free space before the folder is removed."""
        for name in names or (*self._files, *self._held):
            self._held.pop(name, None)
            if self._files.pop(name, None) and self._folder:
                (self._folder / f"{name}.npy").unlink(missing_ok=True)


class Numbering:
    """Numbers given to texts in order of first appearance, across the pieces of a column."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def of(self, column: pa.ChunkedArray) -> tuple[SmallInts, BoolArray]:
        """Return the number of each row's text, and a mask of the rows without a text."""
        # Each distinct whole number is written out once, not row by row.
        if not (pa.types.is_string(column.type) or pa.types.is_integer(column.type)):
            column = text_of(column)
        encoded = column.dictionary_encode(null_encoding="encode")
        written = text_of(pa.chunked_array([encoded.chunk(encoded.num_chunks - 1).dictionary]))
        known = self.known
        texts = [known.setdefault(text, len(known)) for text in written.to_pylist()]
        numbers, missing = np.array(texts, np.int32), missing_in(written)
        out, gaps, at = np.empty(len(column), np.int32), np.empty(len(column), bool), 0
        for chunk in encoded.chunks:
            codes = chunk.indices.to_numpy(zero_copy_only=False)
            rows = slice(at, at := at + len(codes))
            out[rows], gaps[rows] = numbers[codes], missing[codes]
        return out, gaps


def in_order(pool: ThreadPoolExecutor, work: Callable[[Any], _T], items: list[Any]) -> Iterator[_T]:
    """Yield a pool's results for some items, in order; submit at most two in advance."""
    waiting = []
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > 2:
            yield waiting.pop(0).result()
    yield from (each.result() for each in waiting)
