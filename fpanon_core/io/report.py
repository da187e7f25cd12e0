"""Report on reading a file: rows used, the fate of the others, and what was guessed.

Every row is used or set aside for exactly one of the reasons named here, so ``rows_read ==
rows_used + sum(set_aside.values())`` always holds. A used row makes a sample or repeats a sample of
the same user, so ``rows_used == n_samples + rows_repeating`` also holds.

The report is stored in the folder of the fingerprints. The rows set aside, the first rows and
the antennas are not stored, as they are rows of the source.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.configs import Screening
from ..model.errors import SchemaError
from ..model.fingerprints import FingerprintSet
from ..model.mapped import opened_in
from ..model.release_page import count
from .hints import Message, Way
from .turns import AS_THEY_ARE, TURNS

USED = "used"
MALFORMED = "malformed line"
NO_USER = "no user"
UNPARSEABLE_TIME = "unparseable time"
MISSING_COORDINATES = "missing coordinates"
IMPOSSIBLE_COORDINATES = "impossible coordinates"
ZERO_COORDINATES = "coordinates 0,0"
UNKNOWN_ANTENNA = "unknown antenna"
TIME_OUTLIER = "time outlier"
SCREENED_OUT = "screened out"

REASONS = {
    MALFORMED: "the line has more or fewer fields than the others, or an unclosed quote",
    NO_USER: "the person's id is empty",
    UNPARSEABLE_TIME: "the time is empty or in no known format",
    MISSING_COORDINATES: "latitude or longitude is empty or not a number, or the antenna is empty",
    IMPOSSIBLE_COORDINATES: "latitude beyond ±90 or longitude beyond ±180 degrees",
    ZERO_COORDINATES: "latitude and longitude are both 0, the mark of a lost position",
    UNKNOWN_ANTENNA: "the antenna is not in the antenna table, or has no usable position there",
    TIME_OUTLIER: "the time is outside 1900 to 2199, or over a year away from the bulk of the data",
    SCREENED_OUT: "the person does not meet the screening rule",
}
"""Reasons for setting a row aside, in the order in which they are tried, with their meaning."""
MADE_SAMPLE, REPEATED = "made a sample", "repeated a sample"
MEANINGS = {
    MADE_SAMPLE: "the person's first row at this place and time",
    REPEATED: "the person has a sample at this place and time already; its count goes up by one",
    **REASONS,
}
"""Fates of a row, with their meaning."""


@dataclass(frozen=True)
class OtherReading:
    """Plausible way to read the positions.

    Attributes
    ----------
    positions : str
        Name of the way, a key of :data:`TURNS`.
    title : str
        What this way does, such as "Exchange latitude and longitude".
    why : str
        Where the positions would be if read this way: a clause that follows a colon.
    """

    positions: str
    title: str
    why: str


@dataclass(frozen=True)
class PositionDoubt:
    """Doubt about positions, and other ways to read them.

    Attributes
    ----------
    found : tuple of str
        Findings, in sentences.
    readings : tuple of OtherReading
        Other ways to read the positions, the likeliest first; empty if none is plausible.
    strong : bool
        Whether the positions are impossible, uninhabited, or at odds with the file's own times, and
        another way to read them is plausible. If so, a person should check the positions before any
        work begins.
    """

    found: tuple[str, ...]
    readings: tuple[OtherReading, ...]
    strong: bool

    @property
    def message(self) -> Message:
        """Findings and other readings in one message that says how to settle the doubt."""
        parts: list[str | Way] = [" ".join(["The positions are doubtful.", *self.found])]
        parts += [f" {r.title}: {r.why}." for r in self.readings]
        best = self.readings[0].positions if self.readings else None
        ways = (_way(best, "positions='{}'"), _way(best, "--positions {}"))
        return Message(*parts, Way(*ways, " Say how to read the positions."))


@dataclass(frozen=True, eq=False)
class IngestReport:
    """Report on one source read by :func:`fpanon_core.read_cdr` or :func:`fpanon_core.read_parts`.

    Attributes
    ----------
    rows_read, rows_used : int
        Number of data rows in the source (without header or blank lines), and number of rows used
        for samples.
    set_aside : dict of str to int
        Number of rows for each reason that occurs, by its key in :data:`REASONS`.
    rejects : DataFrame
        One row per row set aside: ``row`` (line of a text file, row of a sheet, else running
        number, from 1) and ``reason``. For a source in parts, ``part`` (from 1) comes first, and at
        most 100,000 rows are listed. The columns recognized as time, offset, latitude, longitude or
        antenna follow as text, and no others. A malformed line has only its number and reason, as
        its user field cannot be identified.
    n_users, n_samples : int
    rows_identical : int
        Number of used rows that equal an earlier row in every field. They count as separate events:
        two calls in one minute at one antenna look alike.
    first, last : str
        Earliest and latest sample, local time, ISO 8601 to the minute.
    span_days : int
        Number of local days from the first to the last, both included.
    samples_per_user : int64 ndarray (n_users,)
    columns : dict of str to str
        Role (user, time, lat, lon, antenna, offset) -> column.
    found : dict of str to str
        Role -> ``"given"``, ``"by name"``, ``"by content"``.
    available : tuple
        All columns of the source, to choose from; 0, 1, 2 … if they have no names.
    kind : str
        ``"delimited text"``, ``"Parquet"``, ``"XLSX"``, ``"DataFrame"``, ``"JSON"``, ``"JSON
        lines"``, ``"GeoJSON"``, ``"GeoJSON lines"``; compression in ``packed``.
    packed, delimiter, encoding : str or None
    header : bool or None
        Whether the text file or sheet has a header; None if names are part of the format.
    time_format : str
        Time formats that occur, commonest first.
    timezone : str
        Display time zone (IANA).
    timezone_guessed : bool
    positions : str
        How positions were read: a key of :data:`fpanon_core.io.turns.TURNS`.
    doubts : tuple of PositionDoubt
        Doubts about positions that were read as they are. Empty if there is no doubt, or if the way
        to read the positions was given.
    first_rows : DataFrame
        The first rows of the source as they were understood. The columns are ``row`` (its number),
        ``user`` (the pseudonym), ``time`` (as written, but "a number" for epochs), ``local_time``,
        ``lat``, ``lon`` and ``fate``. ``antenna`` is added if the positions come from antennas, and
        ``offset`` if there is such a column. Columns without a role are not included.
    naive_timezone : str or None
        Zone in which clock times without an offset were read; None if there were none.
    granularity_m, granularity_min : float
    crs : str
        Projection, as a PROJ string.
    centre_stated : bool
        Whether the projection's centre was stated; if not, it is the middle of the data.
    screening : Screening
    users_screened_out : int
    sites : DataFrame
        The antennas that gave the events their positions (``antenna, lat, lon``), if they did.
    machines : str
        Which ids are probably machines or test phones, and what to do; "" if none are.
    notes : tuple of str
        Assumptions and other findings, in sentences.
    """

    rows_read: int
    rows_used: int
    set_aside: dict[str, int]
    rejects: pd.DataFrame
    n_users: int
    n_samples: int
    first: str
    last: str
    span_days: int
    samples_per_user: npt.NDArray[np.int64]
    columns: dict[str, str]
    found: dict[str, str]
    available: tuple[Any, ...]
    kind: str
    packed: str | None
    delimiter: str | None
    encoding: str | None
    header: bool | None
    time_format: str
    timezone: str
    timezone_guessed: bool
    naive_timezone: str | None
    granularity_m: float
    granularity_min: float
    crs: str
    screening: Screening = field(default_factory=Screening)
    users_screened_out: int = 0
    rows_identical: int = 0
    positions: str = AS_THEY_ARE
    doubts: tuple[PositionDoubt, ...] = ()
    centre_stated: bool = False
    first_rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    sites: pd.DataFrame = field(default_factory=pd.DataFrame)
    machines: str = ""
    notes: tuple[str, ...] = ()

    @property
    def rows_set_aside(self) -> int:
        """Number of rows that were not used."""
        return sum(self.set_aside.values())

    @property
    def rows_repeating(self) -> int:
        """Number of used rows that repeat a sample of their user and add to its count."""
        return self.rows_used - self.n_samples

    def reconciliation(self) -> str:
        """Explain how many samples the used rows became, and why the numbers differ."""
        became = f"{count(self.rows_used, 'row')} became {count(self.n_samples, 'sample')}"
        if not self.rows_repeating:
            return f"{became}."
        cell = "at the same place in the same minute"
        if (self.granularity_m, self.granularity_min) != (100.0, 1.0):
            cell = f"at the same place and time ({self.granularity_m:g} m, "
            cell += f"{self.granularity_min:g} min)"
        one = self.rows_repeating == 1
        repeats = (
            f"{became}: a person's rows {cell} make one sample. "
            f"{count(self.rows_repeating, 'row')} fell into {'an ' * one}existing "
            f"sample{'' if one else 's'} and raised {'its count' if one else 'their counts'}"
        )
        if self.rows_identical:
            repeats += f"; {self.rows_identical:,} matched an earlier row in every field"
        return f"{repeats}."

    def to_frame(self) -> pd.DataFrame:
        """Return the reconciliation as a table with a row per fate: ``fate, rows, share, meaning``.

        Used rows have two fates: they made a sample or repeated one.
        """
        fates = {MADE_SAMPLE: self.n_samples, REPEATED: self.rows_repeating, **self.set_aside}
        return pd.DataFrame(
            {
                "fate": list(fates),
                "rows": list(fates.values()),
                "share": [n / self.rows_read for n in fates.values()],
                "meaning": [MEANINGS[fate] for fate in fates],
            }
        )

    def summary(self, worded: Callable[[str], str] = str) -> str:
        """Return the report as plain lines for a terminal or a log, without user ids or places.

        ``worded`` rewords a note for its reader, as :mod:`fpanon_core.io.hints` does.
        """
        low, middle, high = np.percentile(self.samples_per_user, [0, 50, 100])
        form = [self.kind, *(part for part in (self.packed, self.encoding) if part)]
        if self.delimiter:
            form.append(f"{_DELIMITERS.get(self.delimiter, self.delimiter)}-separated")
        if self.header is not None:
            form.append("with header" if self.header else "no header")
        roles = [f"{role} = {self.columns[role]} ({self.found[role]})" for role in self.columns]
        lines = [
            f"Read {self.rows_read:,} rows ({', '.join(form)}); used {self.rows_used:,}, "
            f"set aside {self.rows_set_aside:,}.",
            *(
                f"  {count:,} {reason}: {REASONS[reason]}"
                for reason, count in self.set_aside.items()
            ),
            self.reconciliation(),
            f"{self.n_users:,} people, {self.n_samples:,} samples of {self.granularity_m:g} m × "
            f"{self.granularity_min:g} min; per person {low:g} to {high:g}, median {middle:g}.",
            f"{self.first} to {self.last}, {self.span_days} days, {self.timezone} time"
            + (" (guessed)." if self.timezone_guessed else "."),
            f"Columns: {', '.join(roles)}.",
            f"Times: {self.time_format}.",
            *(f"Warning: {worded(self.machines)}" for _ in self.machines[:1]),
            *(f"Note: {worded(note)}" for note in self.notes),
            *(f"Doubt: {worded(doubt.message)}" for doubt in self.doubts),
        ]
        return "\n".join(lines)


_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", " ": "space", "|": "bar"}


def _way(best: str | None, given: str) -> str:
    """Return words on how to answer a doubt about positions, with ``best`` as the likeliest way."""
    keep = f"{given.format(AS_THEY_ARE)} to use the positions as they are"
    return f" Give {given.format(best)}, or {keep}." if best else f" Give {keep}."


# --- stored with the fingerprints ----------------------------------------------------------------

_NAME = "account.json"
_LEFT_OUT = ("rejects", "first_rows", "samples_per_user", "doubts", "sites")
OF_THE_SET = ("n_users", "n_samples", "granularity_m", "granularity_min", "crs")
"""Fields that repeat what the set of fingerprints holds."""
_TUPLES = ("available", "notes")


def keep_account(report: IngestReport, folder: Path) -> None:
    """Write the report into a folder of fingerprints."""
    plain = {f.name: getattr(report, f.name) for f in fields(report) if f.name not in _LEFT_OUT}
    plain["screening"] = asdict(report.screening)
    opened = os.open(folder / _NAME, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(json.dumps(plain))


def kept_account(folder: int, fs: FingerprintSet) -> IngestReport:
    """Read the report stored with the fingerprints ``fs``.

    ``folder`` is the file descriptor of their open folder. The report has no doubts and no rows of
    the source, as these are not stored.

    Raises
    ------
    SchemaError
        There is no report, or it does not belong to these fingerprints.
    """
    try:
        with open(opened_in(folder, _NAME), encoding="utf-8") as file:
            plain = json.loads(file.read())
        plain |= {name: tuple(plain[name]) for name in _TUPLES}
        plain["screening"] = Screening(**plain["screening"])
        report = IngestReport(
            **plain, rejects=pd.DataFrame({"row": [], "reason": []}), samples_per_user=fs.lengths
        )
        kinds = get_type_hints(IngestReport)
        fits = (
            all(_is(value, kinds[name]) for name, value in plain.items())
            and all(getattr(report, name) == getattr(fs, name) for name in OF_THE_SET)
            and report.rows_read == report.rows_used + report.rows_set_aside
            and report.rows_used >= report.n_samples
            and min(report.set_aside.values(), default=0) >= 0
            and report.set_aside.keys() <= REASONS.keys()
            and report.columns.keys() <= report.found.keys()
            and report.positions in TURNS
        )
        if not fits:
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise SchemaError(
            "The folder has no account of how these fingerprints were read; read the data again."
        ) from None
    return report


def _is(value: Any, kind: Any) -> bool:
    """Return whether a value has the type that a field of the report declares."""
    of, inner = get_origin(kind), get_args(kind)
    if of is UnionType:
        return any(_is(value, each) for each in inner)
    if of in (dict, tuple):
        within = value.values() if of is dict else value
        # ``Any`` stands for a column's name or number.
        return all(_is(each, str | int if Any in inner else inner[of is dict]) for each in within)
    return type(value) is kind or (kind is float and type(value) is int)
