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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..model.arrays import CELL
from ..model.clock import LocalClock
from ..model.configs import Screening
from ..model.errors import ConfigError, SchemaError, only_ours
from ..model.fingerprints import FingerprintSet
from ..model.mapped import moved, seal
from ..tables.parts import Parts
from ..tables.times import ParsedTimes
from ..tables.whole import staged
from . import report as why
from .account import account, checked, remarks_on
from .antennas import antennas_of, nearer_sites, read_antennas, turned_sites
from .distinct_parts import Buckets, Columns, screened
from .doubts import ASK, DoubtfulPositions, as_chosen
from .events import without_antennas
from .fate import Fate
from .instants import datetime_of
from .offsets import zone_of_clocks
from .part_lists import MOST_LISTED as MOST_LISTED
from .part_lists import first_rows_of, rejects
from .part_placed import Placed, placed
from .part_rows import PartRows
from .part_twins import identical
from .part_whole import doubt_in, middle_of, set_strays_aside, zone_in
from .positions import Centre, stated_centre
from .preview import ROWS
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


class _Reading:
    """One run, step by step."""

    def __init__(
        self, parts: Parts, own: Path, how: _How, sites: pd.DataFrame | None,
        tell: Callable[[float], object],
    ) -> None:  # fmt: skip
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
            known.with_offsets(), self.roles, parsed, known.fate.used, how.naive_timezone, zone,
            notes,
        )  # fmt: skip
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
        self, made: Path, known: PartRows, second: Placed, buckets: Buckets, clock: LocalClock,
        projection: Centre,
    ) -> tuple[FingerprintSet, FingerprintSet, tuple[float, float]]:  # fmt: skip
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
