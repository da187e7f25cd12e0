"""From parts that together are larger than memory to fingerprints in a folder.

The rules are those of :func:`fpanon_core.read_cdr`, asked piece by piece: what a row says is
decided by the same functions, and what the table as a whole decides (order of dates, decimal
comma, strays, centre, zone, epoch) is added up over the pieces before it is asked. Between two
looks at the rows what is known of them is spilled, as columns, to a private folder that is removed
in the end.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.cells import CELL
from ..model.clock import LocalClock
from ..model.configs import Screening
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.fingerprints import FingerprintSet
from ..model.mapped import moved, seal
from ..tables.columns import decimal_marks, holds_whole_numbers, numbers_of
from ..tables.parts import BATCH, Parts
from ..tables.table import SourceTable
from ..tables.times import DAY, DateOrder, ParsedTimes, has_fractions, parse_times
from ..tables.whole import staged
from . import report as why
from .account import account, checked, remarks_on
from .antennas import antennas_of, locate, nearer_sites, read_antennas, turned_sites
from .distinct_parts import Buckets, Columns, in_order, screened
from .doubts import ASK, DoubtfulPositions, as_chosen, doubt_of, rows_to_try
from .events import (
    Numbering,
    antenna_faults,
    antenna_names,
    equal_rows,
    mixture,
    own_positions,
    without_antennas,
)
from .fate import TIME_OR_PLACE, Fate
from .instants import (
    datetime_of,
    instants_in,
    on_days,
    said_of_clocks,
    stray_days,
)
from .offsets import minutes_of, told_minutes, zone_of_clocks
from .positions import (
    Centre,
    centre_of_counts,
    degree_counts,
    nearest_to,
    project_repeated,
    stated_centre,
    zone_at,
)
from .preview import ROWS, first_rows, with_users_and_fates
from .report import IngestReport, PositionDoubt
from .roles import find_roles, time_column
from .search import Roles
from .spill import Spill
from .turns import AS_THEY_ARE, Turn, turn_of

MOST_LISTED = 100_000
"""Rows set aside that the account lists; all are counted."""
_AT_ONCE = 2_000_000  # rows compared field by field at a time
_SORTED = 64 << 20  # rows sorted at a time
_T = TypeVar("_T")


@only_ours("parts of a table of events")
def read_parts(
    source: Any,
    into: str | os.PathLike[str],
    *,
    columns: Mapping[str, Any] | None = None,
    antennas: Any = None,
    timezone: str | None = None,
    granularity_m: float = 100.0,
    granularity_min: float = 1.0,
    screen: Any = None,
    naive_timezone: str | None = None,
    positions: str | None = None,
    centre: tuple[float, float] | None = None,
    progress: Callable[[float], object] | None = None,
    private: str | os.PathLike[str] | None = None,
) -> tuple[FingerprintSet, IngestReport]:
    """Read events in parts that need not fit into memory, and keep the fingerprints in a folder.

    Parameters
    ----------
    source : path, str or sequence of paths
        A folder with Parquet or text parts (and all below it, but for links), a glob, or files.
        Their rows follow one another in the order of the parts' names; in a sequence, in its own.
    into : path
        A folder that is not there yet, for :meth:`FingerprintSet.load`; its owner's alone.
    columns, antennas, timezone, naive_timezone, positions, centre
        As in :func:`fpanon_core.read_cdr`.
    granularity_m, granularity_min, screen, progress
        As there.
    private : path, optional
        Where to make the private folder for what is spilled: about 70 bytes a row, and what text
        parts come to as Parquet. The system's folder for temporary files when None.

    Returns
    -------
    (FingerprintSet, IngestReport)
        The same set, by its digest, as :func:`fpanon_core.read_cdr` makes of the rows as one table;
        its columns are mapped. In ``report.rejects`` each row has its ``part``, from 1, and its
        number in it; at most :data:`MOST_LISTED` are listed.

    Raises
    ------
    SchemaError
        As :func:`fpanon_core.read_cdr`; or a part cannot be read, or has other columns than the
        first: the part is named.
    ConfigError
        A parameter is wrong, or the folder is there already or cannot be written.

    Examples
    --------
    >>> events = pd.DataFrame({"user": ["a", "b"], "lat": [14.71, 14.69], "lon": [-17.45, -17.44],
    ...                        "time": ["2024-03-04T08:00Z", "2024-03-04T09:10Z"]})
    >>> with tempfile.TemporaryDirectory() as place:
    ...     events[:1].to_csv(place + "/1.csv"), events[1:].to_csv(place + "/2.csv")
    ...     fs, report = read_parts(place + "/*.csv", place + "/made")
    (None, None)
    >>> fs.n_users, report.rows_used
    (2, 2)
    """
    rule = checked(timezone, naive_timezone, granularity_m, granularity_min, screen)
    turn = turn_of(None if positions == ASK else positions)
    stated = stated_centre(centre)
    target = Path(into)
    if target.exists() or not target.parent.is_dir():
        raise ConfigError(
            "The folder for the fingerprints must not be there yet, and the one around it must; "
            "give another name."
        )
    how = _How(columns, timezone, naive_timezone, positions, turn, stated, rule,
               (float(granularity_m), float(granularity_min)))  # fmt: skip
    place = Path(private) if private is not None else Path(tempfile.gettempdir())
    with staged(place) as own, staged(target.parent) as made:
        sites = None if antennas is None else read_antennas(antennas)
        reading = _Reading(Parts(source, own), own, how, sites, progress or (lambda _: None))
        fs, report = reading.run(made)
        assert fs.folder is not None
        os.rename(fs.folder, target)
    return moved(fs, target), report


@dataclass(frozen=True)
class _How:
    columns: Mapping[str, Any] | None
    timezone: str | None
    naive_timezone: str | None
    positions: str | None
    turn: Turn
    stated: Centre | None
    rule: Screening
    sizes: tuple[float, float]


@dataclass(frozen=True)
class _Settled:
    """What a column decides as a whole; at first what is commonest."""

    day_first: bool | None = None
    fractional: bool | None = None
    commas: frozenset[str] = frozenset()
    written: frozenset[int] = frozenset()
    """Columns of floats that are not whole throughout, though some part's are."""


@dataclass
class _Seen:
    """What the pieces of a column say of it, added up."""

    order: DateOrder = field(default_factory=DateOrder)
    either_order: int = 0
    fractions: set[bool] = field(default_factory=set)
    marks: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    whole: dict[int, set[bool]] = field(default_factory=dict)

    def settled(self) -> _Settled:
        return _Settled(
            self.order.decided()[0] if self.either_order else None,
            True if self.fractions == {True, False} else None,
            frozenset(r for r, (comma, point) in self.marks.items() if comma and not point),
            frozenset(i for i, found in self.whole.items() if found == {True, False}),
        )


class _Reading:
    """One run, step by step."""

    def __init__(
        self, parts: Parts, own: Path, how: _How, sites: pd.DataFrame | None,
        tell: Callable[[float], object],
    ) -> None:  # fmt: skip
        self.parts, self.own, self.how, self.tell = parts, own, how, tell
        ids = frozenset() if sites is None else frozenset(sites["antenna"])
        self.roles: Roles = find_roles(parts.sample(), how.columns, ids)
        self.placed = "lat" in self.roles.where and "lon" in self.roles.where
        self.sites = sites if sites is None or self.placed else turned_sites(sites, how.turn)
        if self.sites is None and not self.placed:
            raise without_antennas()
        self.notes = [*parts.about.notes, *self.roles.notes]
        self.slices = [
            slice(at, min(at + BATCH, parts.n_rows)) for at in range(0, parts.n_rows, BATCH)
        ]
        tell(0.02)

    def run(self, made: Path) -> tuple[FingerprintSet, IngestReport]:
        """The set, in a folder below ``made``, and the account."""
        how, roles, notes, tell = self.how, self.roles, self.notes, self.tell
        self._first_look()
        asked = how.positions not in (None, ASK)
        notes += as_chosen(roles, how.turn) if asked else []
        notes += [*([self.order_note] if self.order_note else []), *self._place_antennas()]
        fate = self.fate
        doubt = None
        if not asked:
            doubt = self._doubt()
            if doubt is not None and (how.positions == ASK or not fate.n_used):
                raise DoubtfulPositions(doubt)
        fate.check_some_left()
        self._set_strays_aside()
        fate.check_some_left()
        middle = self._middle()
        projection = how.stated or middle
        if self.sites is not None and self.placed:
            self.sites = nearer_sites(self.sites, how.turn, projection, notes)
        zone = how.timezone or self._zone(middle)
        if how.timezone is None:
            notes.append(f"The time zone {zone} is guessed from the middle of the data.")
        parsed = ParsedTimes(
            np.empty(0, np.int64), self.spill.read("ok"), self.spill.read("aware"), self.formats
        )
        naive_zone, reader = zone_of_clocks(
            self._with_offsets(), roles, parsed, fate.used, how.naive_timezone, zone, notes
        )
        tell(0.45)
        buckets = Buckets(self.own, len(self.users), self.parts.n_rows)
        remap, first_us, lost = self._second_look(projection, reader, buckets)
        clock = LocalClock.starting_on(datetime_of(first_us), zone)
        identical = self._identical(lost)
        tell(0.65)
        n_users = int(remap.max()) + 1
        seen = np.argsort(remap)[len(remap) - n_users :]
        texts = self.users
        no_cells: dict[str, Any] = {name: np.empty(0) for name in CELL}
        shell = FingerprintSet(
            user_ids=np.empty(0, object),
            offsets=np.zeros(1, np.int64),
            count=np.empty(0, np.int64),
            **no_cells,
            granularity_m=how.sizes[0],
            granularity_min=how.sizes[1],
            clock=clock,
            crs=projection.crs,
            antennas=None
            if self.sites is None
            else antennas_of(self.sites, projection, how.sizes[0]),
        )
        ids = np.array([texts[i] for i in seen.tolist()], object)
        folder = made / "fingerprints"
        folder.mkdir(0o700)
        columns = Columns(folder)
        span = buckets.distinct(
            n_users, clock, how.sizes, columns, lambda done: tell(0.65 + 0.2 * done)
        )
        columns.close()
        fs = seal(shell, ids, folder)
        everyone, pseudonyms = fs.n_users, fs.pseudonyms
        keep = np.ones(everyone, bool)
        shown = np.flatnonzero(fate.part(slice(0, ROWS)).used)
        if how.rule.active:
            folder = made / "screened"
            folder.mkdir(0o700)
            columns = Columns(folder)
            keep, _, span = screened(fs, how.rule, columns, lambda done: tell(0.85 + 0.1 * done))
            columns.close()
            if not keep.any():
                raise SchemaError(
                    f"The screening rule leaves none of the {everyone:,} users; choose a weaker "
                    "rule."
                )
            fs = seal(shell, ids[keep], folder)
            self._set_screened_aside(keep, remap)
        tell(0.95)
        rejects = self._rejects()
        table = replace(self.parts.about, columns=())
        notes += remarks_on(roles, self.sites, parsed, middle, fate)
        result = account(table, roles, fate, rejects, fs, parsed, tuple(notes), span)
        report = replace(
            result,
            timezone=zone,
            timezone_guessed=how.timezone is None,
            naive_timezone=naive_zone,
            screening=how.rule,
            users_screened_out=everyone - fs.n_users,
            rows_identical=sum(Fate.of_codes(fate.codes[rows]).n_used for rows in identical),
            positions=AS_THEY_ARE if not asked else how.positions or AS_THEY_ARE,
            centre_stated=how.stated is not None,
            doubts=() if doubt is None else (doubt,),
            first_rows=self._first_rows(zone, reader, remap, pseudonyms, shown),
        )
        tell(1.0)
        return fs, report

    # --- first look: what each row says ---------------------------------------------------------

    def _first_look(self) -> None:
        """Users, times and places of all rows, spilled; again where a column decides otherwise."""
        settled = _Settled()
        for attempt in range(3):
            folder = self.own / f"rows-{attempt}"
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
        self.settled = settled

    def _look(self, settled: _Settled) -> _Seen:
        roles, seen = self.roles, _Seen()
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
                table = _written_out(table, texts, settled, seen)
                fate = Fate(table)
                when = pool.submit(_times, table, roles, settled, seen)
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
                    code=who.astype(np.int32), us=parsed.us, ok=parsed.ok, aware=parsed.aware,
                    **places,
                )  # fmt: skip
                if "offset" in roles.where:
                    offset = table.columns[roles.where["offset"][0]]
                    _mark(seen, "offset", offset)
                    self.spill.append(
                        offset=numbers_of(offset, decimal_comma="offset" in settled.commas)
                    )
                done += table.n_rows
                self.tell(0.02 + 0.3 * done / self.parts.n_rows)
        self.users = ["1"] if roles.one_user else users.texts
        self.antenna_ids = antennas.texts
        self.fate = Fate.of_codes(np.concatenate(codes), self.parts.n_malformed)
        return seen

    def _places(
        self, table: SourceTable, antennas: Numbering, settled: _Settled, seen: _Seen
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, BoolArray]]:
        if not self.placed:
            at, _ = antennas.of(antenna_names(table, self.roles))
            return {"antenna": at.astype(np.int32)}, {}
        for role in ("lat", "lon"):
            _mark(seen, role, table.columns[self.roles.where[role][0]])
        lat, lon, faults = own_positions(table, self.roles, self.how.turn, settled.commas)
        return {"lat": lat, "lon": lon}, faults

    def _place_antennas(self) -> list[str]:
        """Where the antennas stand that events name; what is wrong with them; notes."""
        if self.placed:
            return []
        assert self.sites is not None
        self.site_lat, self.site_lon, remarks = locate(self.antenna_ids, self.sites)
        ids = pa.chunked_array([pa.array(self.antenna_ids, pa.string())])
        for reason, hit in antenna_faults(ids, self.site_lat).items():
            for rows in self.slices:
                self.fate.part(rows).set_aside(reason, hit[self.spill.read("antenna", rows)])
        return [*self.sites.attrs.get("notes", ()), *remarks]

    # --- what all rows decide together ----------------------------------------------------------

    def _degrees(self, rows: slice | IntArray) -> tuple[FloatArray, FloatArray]:
        read = self.spill.read if isinstance(rows, slice) else self.spill.at
        if self.placed:
            return read("lat", rows), read("lon", rows)  # type: ignore[arg-type]
        at = read("antenna", rows)  # type: ignore[arg-type]
        return self.site_lat[at], self.site_lon[at]

    def _parsed(self, rows: slice | IntArray) -> ParsedTimes:
        read = self.spill.read if isinstance(rows, slice) else self.spill.at
        us, ok, aware = (read(name, rows) for name in ("us", "ok", "aware"))  # type: ignore[arg-type]
        return ParsedTimes(us, ok, aware)

    def _over(self, work: Callable[[slice], _T]) -> Iterator[_T]:
        """Some work on all rows, piece by piece, on two threads."""
        with ThreadPoolExecutor(2) as pool:
            yield from in_order(pool, work, self.slices, 2)

    def _doubt(self) -> PositionDoubt | None:
        rows = rows_to_try(self.fate)
        if not len(rows):
            return None
        minutes = None
        if "offset" in self.roles.where:
            minutes = minutes_of(self._with_offsets().columns[self.roles.where["offset"][0]])[0]
            minutes = minutes[rows]
        where = self.roles.where["time"]
        texts = len(where) > 1 or not pa.types.is_timestamp(self.parts.types[where[0]])
        few = self.parts.taken(rows, where) if texts else self._no_times(len(rows))
        parsed = self._parsed(rows)
        return doubt_of(
            *self._degrees(rows), told_minutes(few, self.roles, parsed, minutes), parsed.us
        )

    def _no_times(self, n: int) -> SourceTable:
        nulls = tuple(pa.chunked_array([pa.nulls(n, kind)]) for kind in self.parts.types)
        return replace(self.parts.about, columns=nulls)

    def _with_offsets(self) -> SourceTable:
        """The table with nothing in it but offsets, where there are any."""
        where = self.roles.where.get("offset", ())
        columns = [pa.chunked_array([pa.nulls(0)])] * len(self.parts.types)
        for i in where:
            columns[i] = pa.chunked_array([pa.array(self.spill.read("offset"))])
        return replace(self.parts.about, columns=tuple(columns))

    def _set_strays_aside(self) -> None:
        found: Counter[int] = Counter()

        def days(rows: slice) -> tuple[IntArray, IntArray]:
            us = self.fate.part(rows).pick(self.spill.read("us", rows))
            return np.unique(us // DAY, return_counts=True)

        for day, n in self._over(days):
            found.update(dict(zip(day.tolist(), n.tolist(), strict=True)))
        each = np.array(sorted(found), np.int64)
        strays = stray_days(each, np.array([found[day] for day in each.tolist()], np.int64))
        hit = any(((each >= low) & (each <= high)).any() for low, high in strays)
        for rows in self.slices if hit else ():
            part = self.fate.part(rows)
            us = part.pick(self.spill.read("us", rows))
            part.set_aside_used(why.TIME_OUTLIER, on_days(us, strays))

    def _used_degrees(self, rows: slice) -> tuple[FloatArray, FloatArray]:
        lat, lon = self._degrees(rows)
        part = self.fate.part(rows)
        return part.pick(lat), part.pick(lon)

    def _middle(self) -> Centre:
        each = self._over(lambda rows: degree_counts(*self._used_degrees(rows)))
        lat, lon = next(each)
        for more_lat, more_lon in each:
            lat, lon = lat + more_lat, lon + more_lon
        return centre_of_counts(lat, lon)

    def _zone(self, middle: Centre) -> str:
        return zone_at(min(self._over(lambda r: nearest_to(*self._used_degrees(r), middle))))

    # --- second look: when and where, on one clock and one map -----------------------------------

    def _second_look(
        self, projection: Centre, zone: str | FloatArray, buckets: Buckets
    ) -> tuple[IntArray, int, IntArray]:
        """Rows into buckets of users, numbered by first appearance among the rows in use.

        Each user's new number, −1 for those without a row; the first instant; rows without a
        place on the map.
        """
        remap = np.full(len(self.users), -1, np.int64)
        (folder := self.own / "mix").mkdir(0o700)
        self.spill_mix = Spill(folder)
        n_users, first_us = 0, 2**62
        skipped = twice = 0
        lost_rows = []
        for rows, (used, us, x, y, mixed, lost, clocks) in zip(
            self.slices, self._over(lambda r: self._placed(r, projection, zone)), strict=True
        ):
            skipped, twice = skipped + clocks[0], twice + clocks[1]
            self.spill_mix.append(mix=mixed)
            if len(lost):
                lost_rows.append(rows.start + lost)
            if len(used):
                fresh = pd.unique(used[remap[used] < 0])
                remap[fresh] = n_users + np.arange(len(fresh))
                n_users += len(fresh)
                first_us = min(first_us, int(us.min()))
                buckets.append(code=remap[used].astype(np.int32), us=us, x=x, y=y)
            self.tell(0.45 + 0.15 * rows.stop / self.parts.n_rows)
        self.spill_mix.close()
        self.fate.check_some_left()
        self.notes += said_of_clocks(skipped, twice)
        return remap, first_us, np.concatenate([np.empty(0, np.int64), *lost_rows])

    def _placed(self, rows: slice, projection: Centre, zone: str | FloatArray) -> tuple[Any, ...]:
        fate = self.fate.part(rows)
        reader = zone if isinstance(zone, str) else zone[rows]
        us, *clocks = instants_in(self._parsed(rows), fate.used, reader)
        code = self.spill.read("code", rows)
        lat, lon = self._degrees(rows)
        mixed = mixture(code.astype(np.int64), us, lat, lon)
        x, y = project_repeated(fate.pick(lat), fate.pick(lon), projection.crs)
        lost = np.flatnonzero(fate.used)[nowhere] if (nowhere := np.isnan(x)).any() else ()
        if len(lost):
            fate.set_aside_used(why.IMPOSSIBLE_COORDINATES, nowhere)
            x, y = x[~nowhere], y[~nowhere]
        return fate.pick(code).astype(np.int64), fate.pick(us), x, y, mixed, lost, clocks

    # --- afterwards -----------------------------------------------------------------------------

    def _identical(self, lost: IntArray) -> list[IntArray]:
        """Rows, of those in use before ``lost`` were found out, that equal an earlier one."""
        twins = self._twins(lost)
        if not len(twins):
            return []
        marks = np.zeros(1 << 24, bool)
        marks[(twins & np.uint64(0xFFFFFF)).astype(np.int64)] = True

        def suspects(rows: slice) -> tuple[IntArray, npt.NDArray[np.uint64]]:
            mix = self.spill_mix.read("mix", rows)
            hit = np.flatnonzero(marks[(mix & np.uint64(0xFFFFFF)).astype(np.int64)])
            at = np.minimum(np.searchsorted(twins, mix[hit]), len(twins) - 1)
            hit = hit[twins[at] == mix[hit]]
            hit = hit[self._was_used(rows, lost)[hit]]
            return rows.start + hit, mix[hit]

        found = list(self._over(suspects))
        rows = np.concatenate([r for r, _ in found])
        key = np.concatenate([k for _, k in found])
        out = []
        # Rows of one mixture stay together, a bounded number of rows at a time.
        order = np.argsort(key, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(key[order])) + 1, len(key))
        begin = 0
        while begin < len(key):
            upto = int(np.searchsorted(ends, begin + _AT_ONCE))
            end = int(ends[min(upto, len(ends) - 1)])
            some = np.sort(rows[order[begin:end]])
            out.append(some[equal_rows(self.parts.taken(some), np.arange(len(some)))])
            begin = end
        return out

    def _twins(self, lost: IntArray) -> npt.NDArray[np.uint64]:
        """The mixtures that several rows have, ascending; so many sorted at a time as fit."""
        n_passes = -(-self.parts.n_rows // _SORTED)
        out = []
        for turn in range(n_passes):
            some = []
            for rows in self.slices:
                mix = self.spill_mix.read("mix", rows)[self._was_used(rows, lost)]
                if n_passes > 1:
                    share = (mix >> np.uint64(32)) * np.uint64(n_passes)
                    mix = mix[share >> np.uint64(32) == turn]
                some.append(mix)
            key = np.concatenate(some)
            key.sort()
            out.append(np.unique(key[1:][key[1:] == key[:-1]]))
        return np.concatenate(out)

    def _was_used(self, rows: slice, lost: IntArray) -> BoolArray:
        used = self.fate.part(rows).used
        used[lost[(lost >= rows.start) & (lost < rows.stop)] - rows.start] = True
        return used

    def _set_screened_aside(self, keep: BoolArray, remap: IntArray) -> None:
        for rows in self.slices:
            part = self.fate.part(rows)
            user = remap[part.pick(self.spill.read("code", rows))]
            part.set_aside_used(why.SCREENED_OUT, ~keep[user])

    def _rejects(self) -> pd.DataFrame:
        """The first rows that were set aside, with part and number; of malformed lines these."""
        rows: IntArray = np.empty(0, np.int64)
        for each in self.slices:
            if len(rows) >= MOST_LISTED:
                break
            rows = np.append(rows, each.start + np.flatnonzero(~self.fate.part(each).used))
        rows = rows[:MOST_LISTED]
        known = [i for role in (*TIME_OR_PLACE, "user") for i in self.roles.where.get(role, ())]
        part, number = self.parts.places(rows)
        table = replace(self.parts.taken(rows, sorted(set(known))), numbers=number)
        frame = Fate.of_codes(self.fate.codes[rows]).rejects(table, self.roles)
        frame.insert(0, "part", part)
        lines = [
            pd.DataFrame({"part": i + 1, "row": each.table.malformed_numbers()})
            for i, each in enumerate(self.parts.parts)
            if len(each.table.malformed)
        ]
        if lines:
            more = pd.concat(lines).assign(reason=why.MALFORMED)
            frame = pd.concat([frame, more]).sort_values(["part", "row"], kind="stable").fillna("")
        n = sum(self.fate.counts().values())
        if n > MOST_LISTED:
            self.notes.append(f"Of the {n:,} rows set aside, the first {MOST_LISTED:,} are listed.")
        return frame[:MOST_LISTED].reset_index(drop=True)

    def _first_rows(
        self,
        zone: str,
        reader: str | FloatArray,
        remap: IntArray,
        pseudonyms: list[str],
        used: IntArray,
    ) -> pd.DataFrame:
        rows = slice(0, min(ROWS, self.parts.n_rows))
        at = np.arange(rows.stop)
        table = replace(self.parts.taken(at), numbers=self.parts.places(at)[1])
        parsed = self._parsed(rows)
        parsed.formats = self.formats
        fate = Fate.of_codes(self.fate.codes[rows])
        ok = parsed.ok & (self.fate.codes[rows] < 0)
        us, *_ = instants_in(parsed, ok, reader if isinstance(reader, str) else reader[rows])
        head = first_rows(table, self.roles, parsed, us, self._degrees(rows), zone)
        codes = remap[self.spill.read("code", rows)][used]
        return with_users_and_fates(head, codes, used, pseudonyms, fate)


def _times(table: SourceTable, roles: Roles, settled: _Settled, seen: _Seen) -> ParsedTimes:
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


def _mark(seen: _Seen, role: str, column: pa.ChunkedArray) -> None:
    """Whether numbers of a role have commas, until it is known that some have points."""
    comma, point = seen.marks.get(role, (False, False))
    kind = column.type
    if not point and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        more = decimal_marks(column)
        seen.marks[role] = (comma or more[0], more[1])


def _written_out(
    table: SourceTable, texts: set[int], settled: _Settled, seen: _Seen
) -> SourceTable:
    """With floats that serve as text written alike in all pieces."""
    columns = list(table.columns)
    for i in texts:
        if pa.types.is_floating(columns[i].type):
            if (whole := holds_whole_numbers(columns[i])) is not None:
                seen.whole.setdefault(i, set()).add(whole)
            if i in settled.written:
                columns[i] = columns[i].cast(pa.large_string())
    return replace(table, columns=tuple(columns))
