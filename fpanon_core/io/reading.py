"""Reading of a table of events, in memory or in parts, into fingerprints and a report.

Rows are interpreted piece by piece. Results that depend on the table as a whole (time outliers,
centre, zone, epoch) are first gathered over all pieces.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.antennas import Antennas
from ..model.arrays import CELL, FloatArray, IntArray
from ..model.checks import positive
from ..model.clock import LocalClock, zone_of
from ..model.configs import Screening
from ..model.errors import ConfigError, SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.mapped import seal
from ..tables.names import ROLES
from ..tables.parts import Parts
from ..tables.table import SourceTable
from ..tables.times import DAY
from . import instants
from . import report as why
from .antennas import antennas_of, nearer_sites, turned_sites
from .distinct import Buckets, Columns, describe_machines, identical, mixture, screened
from .doubts import ASK, DoubtfulPositions, as_chosen, doubt_of
from .fate import Fate, first_rows, with_users_and_fates
from .geojson import NamedRegions
from .hints import AS_ANTENNAS, Message
from .positions import (
    Centre,
    centre_of_counts,
    degree_counts,
    nearest_to,
    project_repeated,
    stated_centre,
    zone_at,
)
from .report import OF_THE_SET, IngestReport, PositionDoubt
from .rows import Rows, Store
from .search import Roles
from .turns import AS_THEY_ARE, Turn, turn_of

MOST_LISTED = 100_000
"""Largest number of rows set aside that the report lists for a source in parts; all are counted."""
SHOWN = 5
"""Number of first rows that the report shows as they were understood."""
_TRIED = 4_000  # rows whose positions are checked for doubts, spread evenly over the file
_TABLE = ("kind", "packed", "delimiter", "encoding", "header")


@dataclass(frozen=True)
class How:
    """Parameters of :func:`read_cdr`, checked."""

    timezone: str | None = None
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screen: Any = None
    naive_timezone: str | None = None
    positions: str | None = None
    centre: tuple[float, float] | None = None
    regions: NamedRegions | None = None
    progress: Callable[[float], object] | None = None

    def __post_init__(self) -> None:
        for name in ("granularity_m", "granularity_min"):
            object.__setattr__(self, name, float(positive(name, getattr(self, name))))
        for zone in (self.timezone, self.naive_timezone):
            if zone is not None and zone != "offset":
                if not isinstance(zone, str):
                    raise ConfigError(
                        "A time zone must be an IANA name such as 'Africa/Dakar' or 'UTC'."
                    )
                zone_of(zone)
        if self.timezone == "offset":
            raise ConfigError("timezone = 'offset'; only naive_timezone can be 'offset'.")
        _ = self.rule, self.turn, self.stated  # these check what was given

    @cached_property
    def rule(self) -> Screening:
        """Conditions for keeping users."""
        return Screening.of(self.screen)

    @cached_property
    def turn(self) -> Turn:
        """How the two numbers of a position are read."""
        return turn_of(self.positions if self.chosen else None)

    @cached_property
    def stated(self) -> Centre | None:
        """Stated centre of the projection, if any."""
        return stated_centre(self.centre)

    @property
    def chosen(self) -> bool:
        """Whether the way to read positions was given."""
        return self.positions not in (None, ASK)

    def tell(self, share: float) -> None:
        """Report the completed share."""
        if self.progress:
            self.progress(share)


class Reading:
    """A run that reads events into fingerprints, step by step.

    Parameters
    ----------
    source : SourceTable or Parts
    roles : Roles
    how : How
    sites : DataFrame or None
        Antennas, from :func:`.antennas.read_antennas`.
    own : Path or None
        Private folder for temporary data; None keeps all data in memory.

    Raises
    ------
    SchemaError
        The events have no positions of their own, and no antennas are given.
    """

    def __init__(
        self,
        source: SourceTable | Parts,
        roles: Roles,
        how: How,
        sites: pd.DataFrame | None,
        own: Path | None = None,
    ) -> None:
        if sites is None and not roles.has_degrees:
            raise SchemaError(
                Message(
                    "The events name antennas, but there are no positions. Give the antennas' "
                    f"positions {AS_ANTENNAS} (a table of antenna, latitude, longitude)."
                )
            )
        self.roles, self.how, self.own = roles, how, own
        self.sites = sites if sites is None or roles.has_degrees else turned_sites(sites, how.turn)
        self.notes: list[str] = [*source.about.notes, *roles.notes]
        self.known = Rows(source, roles, how.turn, own, lambda done: how.tell(0.05 + 0.35 * done))

    def run(self, made: Path | None = None) -> tuple[FingerprintSet, IngestReport]:
        """Read events; return the set, in a folder below ``made`` or in memory, and the report."""
        how, known, notes = self.how, self.known, self.notes
        about, of_parts = known.source.about, isinstance(known.source, Parts)
        doubt = self._understood()
        known.fate.check_some_left()
        _set_strays_aside(known)
        known.fate.check_some_left()
        middle = _middle_of(known)
        projection = how.stated or middle
        antennas = self._antennas(projection)
        zone = how.timezone
        if zone is None:
            zone = zone_at(min(known.over(lambda r: nearest_to(*known.used_degrees(r), middle))))
            notes.append(f"The time zone {zone} is guessed from the middle of the data.")
        aware = known.all_aware
        offsets = known.store.read("offset") if "offset" in self.roles.where else None
        reader = instants.zone_of_clocks(
            about, self.roles, aware, offsets, known.fate.used, how.naive_timezone, zone, notes
        )
        how.tell(0.45)
        buckets = Buckets(self.own, len(known.users), known.source.n_rows)
        user, first_us, same = self._placed(projection, reader, buckets)
        how.tell(0.65)
        head, its_users = self._first_rows(zone, reader, user)
        listed = None
        if not how.rule.active:  # the source is no longer needed: free its memory
            listed = self._listed()
            known.source = about
            known.store.remove("us", "ok", "aware", "lat", "lon", "antenna", "offset")
        clock = LocalClock.starting_on(instants.datetime_of(first_us), zone)
        everyone, fs, span = self._kept(made, user, buckets, clock, projection, antennas)
        how.tell(0.95)
        head = with_users_and_fates(head, its_users, everyone.pseudonyms, known.fate.codes[:SHOWN])
        listed = self._listed() if listed is None else listed
        if of_parts and (n := sum(known.fate.counts().values())) > MOST_LISTED:
            notes.append(f"Of the {n:,} rows set aside, the first {MOST_LISTED:,} are listed.")
        report = IngestReport(
            rows_read=known.fate.n_read,
            rows_used=known.fate.n_used,
            set_aside=known.fate.counts(),
            rejects=listed,
            **self._of_the_table(about),
            **_of_the_samples(fs, span),
            timezone=zone,
            timezone_guessed=how.timezone is None,
            naive_timezone=None if aware else reader if isinstance(reader, str) else "offset",
            screening=how.rule,
            users_screened_out=everyone.n_users - fs.n_users,
            rows_identical=sum(Fate(known.fate.codes[rows]).n_used for rows in same),
            positions=how.positions if how.positions and how.chosen else AS_THEY_ARE,
            doubts=() if doubt is None else (doubt,),
            centre_stated=how.stated is not None,
            first_rows=head,
            sites=pd.DataFrame()
            if self.sites is None or known.placed
            else self.sites[["antenna", "lat", "lon"]],
            notes=tuple(dict.fromkeys([*notes, *self._remarks(middle)])),
        )
        how.tell(1.0)
        return fs, report

    def _of_the_table(self, about: SourceTable) -> dict[str, Any]:
        """Return the report's fields about the table."""
        where, found = self.roles.where, self.roles.found
        roles, formats = [role for role in ROLES if role in where], self.known.formats
        return {
            "columns": {r: " + ".join(str(about.labels[i]) for i in where[r]) for r in roles},
            "found": {role: found[role] for role in roles},
            "available": about.labels,
            **{name: getattr(about, name) for name in _TABLE},
            # Equally common formats by name: their order of arrival depends on the pieces.
            "time_format": ", ".join(sorted(formats, key=lambda f: (-formats[f], f))[:5]),
        }

    def _understood(self) -> PositionDoubt | None:
        """Locate antennas, and return any doubt about positions; add notes."""
        how, known = self.how, self.known
        self.notes += as_chosen(self.roles, how.turn) if how.chosen else []
        self.notes += [known.order_note] if known.order_note else []
        if not known.placed:
            assert self.sites is not None
            self.notes += known.place_antennas(self.sites)
        doubt = None if how.chosen else self._doubt()
        if doubt is not None and (how.positions == ASK or not known.fate.n_used):
            raise DoubtfulPositions(doubt)
        return doubt

    def _doubt(self) -> PositionDoubt | None:
        """Return the doubt about the positions, judged from evenly spaced rows, or None."""
        known = self.known
        rows = known.fate.evenly_but_for(why.IMPOSSIBLE_COORDINATES, _TRIED)
        if not len(rows):
            return None
        minutes = None
        if "offset" in self.roles.where:
            minutes = instants.minutes_of(known.store.read("offset"))[rows]
        few = known.source.taken(rows, self.roles.where["time"])
        parsed = known.parsed(rows)
        told = instants.told_minutes(few, self.roles, parsed, minutes)
        return doubt_of(*known.degrees(rows), told, parsed.us)

    def _placed(
        self, projection: Centre, zone: str | FloatArray, buckets: Buckets
    ) -> tuple[IntArray, int, list[IntArray]]:
        """Convert the rows in use to instants and projected positions, in buckets of users.

        Return the new number of each user's code, the first instant, and the rows that equal an
        earlier row. Users are numbered by first appearance among the rows in use; users without
        such a row have −1.
        """
        known = self.known

        def place(rows: slice) -> tuple[Any, ...]:
            fate = known.fate.part(rows)
            reader = zone if isinstance(zone, str) else zone[rows]
            us, *clocks = instants.instants_in(known.parsed(rows), fate.used, reader)
            code = known.store.read("code", rows)
            lat, lon = known.degrees(rows)
            mixed = mixture(code, us, lat, lon)
            x, y = project_repeated(fate.pick(lat), fate.pick(lon), projection.crs)
            if (nowhere := np.isnan(x)).any():
                fate.set_aside_used(why.IMPOSSIBLE_COORDINATES, nowhere)
                x, y = x[~nowhere], y[~nowhere]
            return fate.pick(code), fate.pick(us), x, y, mixed, clocks

        remap = np.full(len(known.users), -1, np.int32)
        mixtures = Store(self.own and self.own / "mix")
        n_users, first_us = 0, 2**62
        skipped = twice = 0
        for rows, (code, us, x, y, mixed, clocks) in zip(
            known.slices, known.over(place), strict=True
        ):
            skipped, twice = skipped + clocks[0], twice + clocks[1]
            mixtures.append(mix=mixed if self.own else mixed.astype(np.uint32))
            if len(code):
                user = remap[code]
                if (user < 0).any():
                    fresh = pd.unique(code[user < 0])
                    remap[fresh] = n_users + np.arange(len(fresh))
                    n_users += len(fresh)
                    user = remap[code]
                first_us = min(first_us, int(us.min()))
                buckets.append(code=user, us=us, x=x, y=y)
            self.how.tell(0.45 + 0.15 * rows.stop / known.source.n_rows)
        mixtures.close()
        known.fate.check_some_left()
        self.notes += instants.said_of_clocks(skipped, twice)
        return remap.astype(np.int64), first_us, identical(known, mixtures)

    def _first_rows(
        self, zone: str, reader: str | FloatArray, user: IntArray
    ) -> tuple[pd.DataFrame, IntArray]:
        """Return the first rows as they were understood, and their users."""
        known = self.known
        rows = slice(0, min(SHOWN, known.source.n_rows))
        fate, parsed = known.fate.part(rows), known.parsed(rows)
        reader = reader if isinstance(reader, str) else reader[rows]
        us, *_ = instants.instants_in(parsed, fate.used, reader)
        table = known.source.taken(np.arange(rows.stop))
        head = first_rows(table, self.roles, parsed, us, known.degrees(rows), zone)
        return head, np.where(fate.used, user[known.store.read("code", rows)], -1)

    def _antennas(self, projection: Centre) -> Antennas | None:
        """Return the antennas in the data's projection, with their regions if these were given."""
        if self.sites is None:
            return None
        how, notes = self.how, self.notes
        if self.known.placed:
            self.sites = nearer_sites(self.sites, how.turn, projection, notes)
        return antennas_of(self.sites, projection, how.granularity_m, how.regions, notes)

    def _listed(self) -> pd.DataFrame:
        most = MOST_LISTED if isinstance(self.known.source, Parts) else None
        return self.known.fate.rejects(self.known.source, self.roles, most)

    def _kept(
        self,
        made: Path | None,
        user: IntArray,
        buckets: Buckets,
        clock: LocalClock,
        projection: Centre,
        antennas: Antennas | None,
    ) -> tuple[FingerprintSet, FingerprintSet, tuple[float, float]]:
        """Return the set of all users, the set after screening, and the latter's span of time."""
        how, known = self.how, self.known
        n_users = int(user.max()) + 1
        seen = np.argsort(user)[len(user) - n_users :]
        no_cells: dict[str, Any] = {name: np.empty(0) for name in CELL}
        shell = FingerprintSet(
            user_ids=np.empty(0, object),
            offsets=np.zeros(1, np.int64),
            count=np.empty(0, np.int64),
            **no_cells,
            granularity_m=how.granularity_m,
            granularity_min=how.granularity_min,
            clock=clock,
            crs=projection.crs,
            antennas=antennas,
        )
        ids = known.user_ids(seen)

        def kept(columns: Columns, ids: npt.NDArray[Any], folder: Path | None) -> FingerprintSet:
            return columns.in_memory(shell, ids) if folder is None else seal(shell, ids, folder)

        sizes = how.granularity_m, how.granularity_min
        folder = made and made / "fingerprints"
        columns = Columns(folder, sizes)
        buckets.distinct(n_users, clock, sizes, columns, lambda done: how.tell(0.65 + 0.2 * done))
        everyone = kept(columns, ids, folder)
        if not how.rule.active:
            return everyone, everyone, columns.span
        folder = made and made / "screened"
        columns = Columns(folder, sizes)
        keep = screened(everyone, how.rule, columns, lambda done: how.tell(0.85 + 0.1 * done))
        if not keep.any():
            raise SchemaError(
                f"The screening rule leaves none of the {everyone.n_users:,} people; choose a "
                "weaker rule."
            )
        for rows in known.slices:
            part = known.fate.part(rows)
            part.set_aside_used(
                why.SCREENED_OUT, ~keep[user[part.pick(known.store.read("code", rows))]]
            )
        return everyone, kept(columns, ids[keep], folder), columns.span

    def _remarks(self, middle: Centre) -> list[str]:
        """Return notes that need the results of several steps."""
        known, notes = self.known, []
        if self.roles.one_user:
            notes.append("The whole file is read as the records of one person.")
        if self.sites is not None and known.placed:
            notes.append(
                "Positions come from the records; the antenna table is used for antenna clusters "
                "and regions only."
            )
        if any("date only" in name for name in known.formats):
            notes.append("Some times are dates without a time of day; they are read as midnight.")
        if middle.reach_deg > 20:
            notes.append(
                f"The data span {middle.reach_deg:.0f}° of longitude; local hours follow one time "
                "zone everywhere, and distances far from the centre are distorted."
            )
        if known.fate.counts().get(why.IMPOSSIBLE_COORDINATES, 0) * 2 > len(known.fate.codes):
            notes.append("Most positions are impossible; are they map coordinates in metres?")
        return notes


def _set_strays_aside(known: Rows) -> None:
    """Set aside the rows whose times are outliers, such as times from wrong clocks."""

    def days_in(rows: slice) -> dict[int, int]:
        us = known.fate.part(rows).pick(known.store.read("us", rows))
        day = us // DAY
        low = day.min(initial=0)
        many = np.bincount(day - low)
        days = np.flatnonzero(many)
        return dict(zip((days + low).tolist(), many[days].tolist(), strict=True))

    found: Counter[int] = Counter()
    for some in known.over(days_in):
        found.update(some)
    days = np.array(sorted(found), np.int64)
    strays = instants.stray_days(days, np.array([found[day] for day in days.tolist()], np.int64))
    for rows in known.slices if instants.on_days(days * DAY, strays).any() else ():
        part = known.fate.part(rows)
        us = part.pick(known.store.read("us", rows))
        part.set_aside_used(why.TIME_OUTLIER, instants.on_days(us, strays))


def _middle_of(known: Rows) -> Centre:
    """Return the middle of the positions in use, in degrees."""
    counts = list(known.over(lambda rows: degree_counts(*known.used_degrees(rows))))
    lat, lon = (np.sum(each, axis=0) for each in zip(*counts, strict=True))
    return centre_of_counts(lat, lon)


def _of_the_samples(fs: FingerprintSet, span: tuple[float, float]) -> dict[str, Any]:
    """Return the report's fields about the set.

    ``span`` has the first and the last start of its samples, in minutes.
    """
    assert fs.clock is not None
    zone = zone_of(fs.clock.timezone)
    ends = [fs.clock.epoch + dt.timedelta(minutes=t_min) for t_min in span]
    local = [end.astimezone(zone).replace(tzinfo=None) for end in ends]
    days = fs.wall_minutes(list(span)) // 1440
    return {
        **{name: getattr(fs, name) for name in OF_THE_SET},
        "first": local[0].isoformat(timespec="minutes"),
        "last": local[1].isoformat(timespec="minutes"),
        "span_days": int(days[1] - days[0]) + 1,
        "samples_per_user": fs.lengths,
        "machines": describe_machines(fs),
    }
