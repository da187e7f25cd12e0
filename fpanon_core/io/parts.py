"""From parts that together are larger than memory to fingerprints in a folder.

The rules are those of :func:`fpanon_core.read_cdr`, asked piece by piece: what a row says is
decided by the same functions, and what the table as a whole decides (order of dates, decimal
comma, strays, centre, zone, epoch) is added up over the pieces before it is asked. Between two
looks at the rows what is known of them is spilled, as columns, to a private folder that is removed
in the end.

What is listed of many parts: rows set aside, and the first ones as they were understood.

What do all rows of many parts decide together? Doubt, strays, the middle, the time zone.

Added up over pieces, by the functions that decide it of a table in memory.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..model.arrays import CELL, FloatArray, IntArray
from ..model.clock import LocalClock
from ..model.configs import Screening
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.fingerprints import FingerprintSet
from ..model.mapped import moved, seal
from ..tables.parts import Parts
from ..tables.times import DAY, ParsedTimes
from ..tables.whole import staged
from . import report as why
from .account import account, checked, remarks_on
from .antennas import antennas_of, nearer_sites, read_antennas, turned_sites
from .distinct_parts import Buckets, Columns, screened
from .doubts import ASK, DoubtfulPositions, as_chosen, doubt_of, rows_to_try
from .events import without_antennas
from .fate import TIME_OR_PLACE, Fate
from .instants import datetime_of, instants_in, on_days, stray_days
from .offsets import minutes_of, told_minutes, zone_of_clocks
from .part_placed import Placed, identical, placed
from .part_rows import PartRows
from .positions import Centre, centre_of_counts, degree_counts, nearest_to, stated_centre, zone_at
from .preview import ROWS, first_rows, with_users_and_fates
from .report import IngestReport, PositionDoubt
from .roles import find_roles
from .search import Roles
from .turns import AS_THEY_ARE, Turn, turn_of


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
    how = _How(
        columns,
        timezone,
        naive_timezone,
        positions,
        turn,
        stated,
        rule,
        (float(granularity_m), float(granularity_min)),
    )
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


class _Reading:
    """One run, step by step."""

    def __init__(
        self,
        parts: Parts,
        own: Path,
        how: _How,
        sites: pd.DataFrame | None,
        tell: Callable[[float], object],
    ) -> None:
        self.parts, self.own, self.how, self.tell = parts, own, how, tell
        ids = frozenset() if sites is None else frozenset(sites["antenna"])
        self.roles: Roles = find_roles(parts.sample(), how.columns, ids)
        placed = "lat" in self.roles.where and "lon" in self.roles.where
        self.sites = sites if sites is None or placed else turned_sites(sites, how.turn)
        if self.sites is None and not placed:
            raise without_antennas()
        self.notes = [*parts.about.notes, *self.roles.notes]
        tell(0.02)

    def run(self, made: Path) -> tuple[FingerprintSet, IngestReport]:
        """The set, in a folder below ``made``, and the account."""
        how, notes, tell = self.how, self.notes, self.tell
        known = PartRows(self.parts, self.roles, how.turn, self.own, tell)
        doubt = self._understood(known)
        known.fate.check_some_left()
        set_strays_aside(known)
        known.fate.check_some_left()
        middle = middle_of(known)
        projection = how.stated or middle
        if self.sites is not None and known.placed:
            self.sites = nearer_sites(self.sites, how.turn, projection, notes)
        zone = how.timezone or zone_in(known, middle)
        if how.timezone is None:
            notes.append(f"The time zone {zone} is guessed from the middle of the data.")
        parsed = ParsedTimes(
            np.empty(0, np.int64), known.spill.read("ok"), known.spill.read("aware"), known.formats
        )
        naive_zone, reader = zone_of_clocks(
            known.with_offsets(),
            self.roles,
            parsed,
            known.fate.used,
            how.naive_timezone,
            zone,
            notes,
        )
        tell(0.45)
        buckets = Buckets(self.own, len(known.users), self.parts.n_rows)
        second = placed(known, projection, reader, buckets, notes, self.own, tell)
        same = identical(known, second.mixtures, second.lost)
        tell(0.65)
        shown = np.flatnonzero(known.fate.part(slice(0, ROWS)).used)
        clock = LocalClock.starting_on(datetime_of(second.first_us), zone)
        everyone, fs, span = self._kept(made, known, second, buckets, clock, projection)
        tell(0.95)
        listed = rejects(known, notes)
        table = replace(self.parts.about, columns=())
        notes += remarks_on(self.roles, self.sites, parsed, middle, known.fate)
        result = account(table, self.roles, known.fate, listed, fs, parsed, tuple(notes), span)
        asked = how.positions not in (None, ASK)
        report = replace(
            result,
            timezone=zone,
            timezone_guessed=how.timezone is None,
            naive_timezone=naive_zone,
            screening=how.rule,
            users_screened_out=everyone.n_users - fs.n_users,
            rows_identical=sum(Fate.of_codes(known.fate.codes[rows]).n_used for rows in same),
            positions=AS_THEY_ARE if not asked else how.positions or AS_THEY_ARE,
            centre_stated=how.stated is not None,
            doubts=() if doubt is None else (doubt,),
            first_rows=first_rows_of(known, zone, reader, second.user, everyone.pseudonyms, shown),
        )
        tell(1.0)
        return fs, report

    def _understood(self, known: PartRows) -> PositionDoubt | None:
        """Where antennas stand, and whether positions may be meant in another way; notes."""
        how = self.how
        asked = how.positions not in (None, ASK)
        self.notes += as_chosen(self.roles, how.turn) if asked else []
        self.notes += [known.order_note] if known.order_note else []
        if not known.placed:
            assert self.sites is not None
            self.notes += known.place_antennas(self.sites)
        doubt = None if asked else doubt_in(known)
        if doubt is not None and (how.positions == ASK or not known.fate.n_used):
            raise DoubtfulPositions(doubt)
        return doubt

    def _kept(
        self,
        made: Path,
        known: PartRows,
        second: Placed,
        buckets: Buckets,
        clock: LocalClock,
        projection: Centre,
    ) -> tuple[FingerprintSet, FingerprintSet, tuple[float, float]]:
        """Everybody, and who is left by the screening, in folders below ``made``; their span."""
        how, tell = self.how, self.tell
        n_users = int(second.user.max()) + 1
        seen = np.argsort(second.user)[len(second.user) - n_users :]
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
        ids = np.array([known.users[i] for i in seen.tolist()], object)
        (folder := made / "fingerprints").mkdir(0o700)
        columns = Columns(folder)
        span = buckets.distinct(
            n_users, clock, how.sizes, columns, lambda done: tell(0.65 + 0.2 * done)
        )
        columns.close()
        everyone = seal(shell, ids, folder)
        if not how.rule.active:
            return everyone, everyone, span
        (folder := made / "screened").mkdir(0o700)
        columns = Columns(folder)
        keep, _, span = screened(everyone, how.rule, columns, lambda done: tell(0.85 + 0.1 * done))
        columns.close()
        if not keep.any():
            raise SchemaError(
                f"The screening rule leaves none of the {everyone.n_users:,} users; choose a "
                "weaker rule."
            )
        for rows in known.slices:
            part = known.fate.part(rows)
            user = second.user[part.pick(known.spill.read("code", rows))]
            part.set_aside_used(why.SCREENED_OUT, ~keep[user])
        return everyone, seal(shell, ids[keep], folder), span


MOST_LISTED = 100_000
"""Rows set aside that the account lists; all are counted."""


def rejects(known: PartRows, notes: list[str]) -> pd.DataFrame:
    """The first rows that were set aside, with part and number; of malformed lines these."""
    rows: IntArray = np.empty(0, np.int64)
    for each in known.slices:
        if len(rows) >= MOST_LISTED:
            break
        rows = np.append(rows, each.start + np.flatnonzero(~known.fate.part(each).used))
    rows = rows[:MOST_LISTED]
    shown = [i for role in (*TIME_OR_PLACE, "user") for i in known.roles.where.get(role, ())]
    part, number = known.parts.places(rows)
    table = replace(known.parts.taken(rows, sorted(set(shown))), numbers=number)
    frame = Fate.of_codes(known.fate.codes[rows]).rejects(table, known.roles)
    frame.insert(0, "part", part)
    lines = [
        pd.DataFrame({"part": i + 1, "row": each.table.malformed_numbers()})
        for i, each in enumerate(known.parts.parts)
        if len(each.table.malformed)
    ]
    if lines:
        more = pd.concat(lines).assign(reason=why.MALFORMED)
        frame = pd.concat([frame, more]).sort_values(["part", "row"], kind="stable").fillna("")
    n = sum(known.fate.counts().values())
    if n > MOST_LISTED:
        notes.append(f"Of the {n:,} rows set aside, the first {MOST_LISTED:,} are listed.")
    return frame[:MOST_LISTED].reset_index(drop=True)


def first_rows_of(
    known: PartRows,
    zone: str,
    reader: str | FloatArray,
    remap: IntArray,
    pseudonyms: list[str],
    used: IntArray,
) -> pd.DataFrame:
    """The first rows as they were understood, for whoever wants to see that."""
    rows = slice(0, min(ROWS, known.parts.n_rows))
    at = np.arange(rows.stop)
    table = replace(known.parts.taken(at), numbers=known.parts.places(at)[1])
    parsed = known.parsed(rows)
    parsed.formats = known.formats
    fate = Fate.of_codes(known.fate.codes[rows])
    ok = parsed.ok & (known.fate.codes[rows] < 0)
    us, *_ = instants_in(parsed, ok, reader if isinstance(reader, str) else reader[rows])
    head = first_rows(table, known.roles, parsed, us, known.degrees(rows), zone)
    codes = remap[known.spill.read("code", rows)][used]
    return with_users_and_fates(head, codes, used, pseudonyms, fate)


def doubt_in(known: PartRows) -> PositionDoubt | None:
    """Whether the positions may be meant in another way."""
    rows = rows_to_try(known.fate)
    if not len(rows):
        return None
    minutes = None
    if "offset" in known.roles.where:
        minutes = minutes_of(known.with_offsets().columns[known.roles.where["offset"][0]])[0]
        minutes = minutes[rows]
    where = known.roles.where["time"]
    texts = len(where) > 1 or not pa.types.is_timestamp(known.parts.types[where[0]])
    few = known.parts.taken(rows, where) if texts else known.no_times(len(rows))
    parsed = known.parsed(rows)
    return doubt_of(
        *known.degrees(rows), told_minutes(few, known.roles, parsed, minutes), parsed.us
    )


def set_strays_aside(known: PartRows) -> None:
    """Days far from all others are mistakes of a clock."""
    found: Counter[int] = Counter()

    def days(rows: slice) -> tuple[IntArray, IntArray]:
        us = known.fate.part(rows).pick(known.spill.read("us", rows))
        return np.unique(us // DAY, return_counts=True)

    for day, n in known.over(days):
        found.update(dict(zip(day.tolist(), n.tolist(), strict=True)))
    each = np.array(sorted(found), np.int64)
    strays = stray_days(each, np.array([found[day] for day in each.tolist()], np.int64))
    hit = any(((each >= low) & (each <= high)).any() for low, high in strays)
    for rows in known.slices if hit else ():
        part = known.fate.part(rows)
        us = part.pick(known.spill.read("us", rows))
        part.set_aside_used(why.TIME_OUTLIER, on_days(us, strays))


def middle_of(known: PartRows) -> Centre:
    """Of the rows in use, on the earth."""
    each = known.over(lambda rows: degree_counts(*known.used_degrees(rows)))
    lat, lon = next(each)
    for more_lat, more_lon in each:
        lat, lon = lat + more_lat, lon + more_lon
    return centre_of_counts(lat, lon)


def zone_in(known: PartRows, middle: Centre) -> str:
    """Time zone at the row in use that is nearest to the middle."""
    return zone_at(min(known.over(lambda r: nearest_to(*known.used_degrees(r), middle))))
