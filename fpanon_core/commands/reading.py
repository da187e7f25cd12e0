"""The options that say what to read and how, shared by all commands that read a file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.cdr import read_cdr
from ..io.report import IngestReport
from ..io.samples import SAMPLES, sample
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet

_KEYS = ", ".join(s.key for s in SAMPLES)
_COLUMN = "Column of the {}: its name, or its position (0 is the first). Found out if not given."

Source = Annotated[
    Path | None,
    typer.Argument(help="CSV, TSV, Parquet or XLSX, also as .gz or .zip.", show_default=False),
]
SampleKey = Annotated[
    str | None, typer.Option("--sample", help=f"Instead of a file, a shipped data set: {_KEYS}.")
]
User = Annotated[str | None, typer.Option("--user", help=_COLUMN.format("user"))]
Time = Annotated[str | None, typer.Option("--time", help=_COLUMN.format("time"))]
Lat = Annotated[str | None, typer.Option("--lat", help=_COLUMN.format("latitude"))]
Lon = Annotated[str | None, typer.Option("--lon", help=_COLUMN.format("longitude"))]
Antenna = Annotated[str | None, typer.Option("--antenna", help=_COLUMN.format("antenna"))]
Offset = Annotated[
    str | None, typer.Option("--offset", help=_COLUMN.format("offset from UTC in minutes"))
]
Antennas = Annotated[
    Path | None, typer.Option("--antennas", help="Table of the antennas' positions.")
]
Timezone = Annotated[
    str | None,
    typer.Option("--timezone", help="Local time zone, such as Africa/Dakar. Guessed if not given."),
]
NaiveTimezone = Annotated[
    str | None,
    typer.Option(
        "--naive-timezone",
        help="Zone of clock times without offset; the local one if not given.",
    ),
]
GranularityM = Annotated[
    float, typer.Option("--granularity-m", help="Side of a sample's cell, metres.")
]
GranularityMin = Annotated[
    float, typer.Option("--granularity-min", help="Length of a sample, minutes.")
]
Screen = Annotated[
    str | None,
    typer.Option(
        "--screen",
        help="Users to keep: civ (a sample on every day), sen (active on more than 75 % of days), "
        "or a least number of samples.",
    ),
]


@dataclass(frozen=True)
class Reading:
    """What to read and how; one field per option."""

    source: Path | None = None
    sample_key: str | None = None
    user: str | None = None
    time: str | None = None
    lat: str | None = None
    lon: str | None = None
    antenna: str | None = None
    offset: str | None = None
    antennas: Path | None = None
    timezone: str | None = None
    naive_timezone: str | None = None
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screen: str | None = None

    @classmethod
    def of(cls, options: dict[str, Any]) -> Reading:
        """From a command's options, of which it takes its own."""
        return cls(**{f.name: options[f.name] for f in fields(cls)})

    def read(self) -> tuple[FingerprintSet, IngestReport]:
        """The fingerprints and the account of the reading.

        Raises
        ------
        ConfigError
            Both or neither of a file and a sample are given, or an option is out of its range.
        SchemaError
            The file cannot be read as mobility data.
        """
        if (self.source is None) == (self.sample_key is None):
            raise ConfigError("Give either a file to read or --sample, one of the two.")
        source, antennas, timezone = self.source, self.antennas, self.timezone
        if self.sample_key is not None:
            shipped = sample(self.sample_key)
            source = shipped.path
            antennas = antennas or shipped.antennas_path
            timezone = timezone or shipped.timezone
        roles = ("user", "time", "lat", "lon", "antenna", "offset")
        named = {role: getattr(self, role) for role in roles}
        columns = {
            role: int(column) if column.isdecimal() else column
            for role, column in named.items()
            if column is not None
        }
        return read_cdr(
            source,
            columns=columns or None,
            antennas=antennas,
            timezone=timezone,
            naive_timezone=self.naive_timezone,
            granularity_m=self.granularity_m,
            granularity_min=self.granularity_min,
            screen=int(self.screen) if self.screen and self.screen.isdecimal() else self.screen,
        )

    def account(self, fs: FingerprintSet, report: IngestReport) -> str:
        """What was read, in a line; and what must be said of it."""
        read = (
            f"{fs.n_users:,} users, {fs.n_samples:,} samples, {report.first} to {report.last}; "
            f"{report.rows_set_aside:,} of {report.rows_read:,} rows set aside."
        )
        note = self.attribution()
        return f"{read}\nNote: {note}" if note else read

    def attribution(self) -> str | None:
        """What must be said of a shipped data set; None for a file."""
        return sample(self.sample_key).description if self.sample_key else None
