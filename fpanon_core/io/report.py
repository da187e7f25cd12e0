"""What came of reading a file: rows used, what became of the others, what was guessed.

Every row is used or set aside for exactly one of the reasons named here, so that
``rows_read == rows_used + sum(set_aside.values())`` always.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.configs import Screening

MALFORMED = "malformed line"
NO_USER = "no user"
UNPARSEABLE_TIME = "unparseable time"
MISSING_COORDINATES = "missing coordinates"
IMPOSSIBLE_COORDINATES = "impossible coordinates"
ZERO_COORDINATES = "coordinates 0,0"
UNKNOWN_ANTENNA = "unknown antenna"
TIME_OUTLIER = "time outlier"
DUPLICATE = "exact duplicate"
SCREENED_OUT = "screened out"

REASONS = {
    MALFORMED: "the line has more or fewer fields than the others, or an unclosed quote",
    NO_USER: "the user is empty",
    UNPARSEABLE_TIME: "the time is empty or in no format known",
    MISSING_COORDINATES: "latitude, longitude or antenna is empty or no number",
    IMPOSSIBLE_COORDINATES: "latitude beyond ±90 or longitude beyond ±180 degrees",
    ZERO_COORDINATES: "latitude and longitude are both 0, the mark of a lost position",
    UNKNOWN_ANTENNA: "the antenna is not in the antenna table, or has no usable position there",
    TIME_OUTLIER: "the time lies years away from the bulk of the data",
    DUPLICATE: "every field equals that of an earlier row",
    SCREENED_OUT: "the user does not meet the screening rule",
}
"""Each reason, in the order in which they are tried, and what it means."""


@dataclass(frozen=True, eq=False)
class IngestReport:
    """The account of one file read by :func:`fpanon_core.read_cdr`.

    Attributes
    ----------
    rows_read, rows_used : int
        Data rows in the source (header and blank lines are none), and those that became samples.
    set_aside : dict of str to int
        Rows by reason (the keys of :data:`REASONS`), only reasons that occur.
    rejects : DataFrame
        One row per row set aside: ``row`` (line of a text file, row of a sheet, else running
        number, from 1), ``reason``, then the fields as text without those that name a person. Of a
        malformed line only the number: which of its fields is the user cannot be known.
    n_users, n_samples : int
    first, last : str
        Earliest and latest sample, local time, ISO 8601 to the minute.
    span_days : int
        Local days from the first to the last, both counted.
    samples_per_user : int64 ndarray (n_users,)
    columns : dict of str to str
        Role (user, time, lat, lon, antenna, offset) -> column.
    found : dict of str to str
        Role -> ``"given"``, ``"by name"``, ``"by content"``.
    available : tuple
        All columns of the source, to choose from; 0, 1, 2 … where it has no names.
    kind : str
        ``"delimited text"``, ``"Parquet"``, ``"XLSX"``, ``"DataFrame"``; packing in ``packed``.
    packed, delimiter, encoding : str or None
    header : bool or None
        Whether the text file or sheet has one; None where names are part of the format.
    time_format : str
        Formats met, commonest first.
    timezone : str
        Display time zone (IANA).
    timezone_guessed : bool
    naive_timezone : str or None
        Zone in which clock times without offset were read; None when there was none.
    granularity_m, granularity_min : float
    crs : str
        Projection, as a PROJ string.
    screening : Screening
    users_screened_out : int
    notes : tuple of str
        What was assumed or is worth knowing, in sentences.
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
    notes: tuple[str, ...] = ()

    @property
    def rows_set_aside(self) -> int:
        """Rows that were not used."""
        return sum(self.set_aside.values())

    def to_frame(self) -> pd.DataFrame:
        """The reconciliation, one row per fate of a row: ``fate, rows, share, meaning``."""
        fates = {"used": self.rows_used, **self.set_aside}
        return pd.DataFrame(
            {
                "fate": list(fates),
                "rows": list(fates.values()),
                "share": [n / self.rows_read for n in fates.values()],
                "meaning": [REASONS.get(fate, "became samples") for fate in fates],
            }
        )

    def summary(self, worded: Callable[[str], str] = str) -> str:
        """The report in plain lines, for a terminal or a log; holds no user id and no place.

        ``worded`` puts a note in the words of its reader, as :mod:`fpanon_core.io.hints` does.
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
            f"{self.n_users:,} users, {self.n_samples:,} samples of {self.granularity_m:g} m × "
            f"{self.granularity_min:g} min; per user {low:g} to {high:g}, median {middle:g}.",
            f"{self.first} to {self.last}, {self.span_days} days, {self.timezone} time"
            + (" (guessed)." if self.timezone_guessed else "."),
            f"Columns: {', '.join(roles)}.",
            f"Times: {self.time_format}.",
            *(f"Note: {worded(note)}" for note in self.notes),
        ]
        return "\n".join(lines)


_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", " ": "space", "|": "bar"}
