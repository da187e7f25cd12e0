"""The options that say what to read and how, shared by all commands that read a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from ..io.hints import for_command_line
from ..io.report import IngestReport
from ..io.samples import SAMPLES, sample
from ..io.turns import TURNS
from ..model.configs import Screening
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.mapped import is_folder_of_fingerprints
from ..studies.exploration import Facts, facts_of
from ..studies.reading import Reading, Source, read
from ..studies.reading_estimate import estimate_reading, is_large
from ..tables.names import ROLES
from .from_config import asked

_SOURCE = asked(
    help="CSV, TSV, Parquet, XLSX or JSON records, also as .gz or .zip; or a folder kept by ingest "
    "--keep, which also takes a folder of parts.",
    argument=True,
)
_SAMPLE = asked(
    "--sample",
    help=f"Instead of a file, a shipped data set: {', '.join(each.key for each in SAMPLES)}.",
)
_POSITIONS = asked(
    help=f"How positions are read, where they are doubtful: {', '.join(TURNS)}. Turned: all "
    "longitudes are west, or all latitudes south, though without a sign. If not given, positions "
    "that cannot be meant are refused."
)


@dataclass(frozen=True)
class Request:
    """What to read and how, as the options of a command say it; one field per option.

    Attributes
    ----------
    user : str or None
        Column of the user: its name, or its position (0 is the first). Found out if not given.
    time : str or None
        Column of the time: its name, or its position (0 is the first). Found out if not given.
    lat : str or None
        Column of the latitude: its name, or its position (0 is the first). Found out if not given.
    lon : str or None
        Column of the longitude: its name, or its position (0 is the first). Found out if not given.
    antenna : str or None
        Column of the antenna: its name, or its position (0 is the first). Found out if not given.
    offset : str or None
        Column of the offset from UTC in minutes: its name, or its position (0 is the first). Found
        out if not given.
    antennas : Path or None
        Table of the antennas' positions.
    timezone : str or None
        Local time zone, such as Africa/Dakar. Guessed if not given.
    naive_timezone : str or None
        Zone of clock times without offset; the local one if not given.
    granularity_m : float
        Side of a sample's cell, metres.
    granularity_min : float
        Length of a sample, minutes.
    screen : str or None
        Users to keep: civ (a sample on every day), sen (active on more than 75 % of days), or a
        least number of samples.
    """

    source: Annotated[Path | None, _SOURCE] = None
    sample_key: Annotated[str | None, _SAMPLE] = None
    user: str | None = None
    time: str | None = None
    lat: str | None = None
    lon: str | None = None
    antenna: str | None = None
    offset: str | None = None
    antennas: Path | None = None
    timezone: str | None = None
    naive_timezone: str | None = None
    positions: Annotated[str | None, _POSITIONS] = None
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screen: str | None = None

    def read(
        self, centre: tuple[float, float] | None = None, keep: Path | None = None
    ) -> tuple[FingerprintSet, IngestReport]:
        """The fingerprints and the account of the reading.

        Parameters
        ----------
        centre : (float, float), optional
            Latitude and longitude of the projection's centre; the middle of the data when None.
        keep : Path, optional
            A folder, not there yet, in which to keep what was read.

        Raises
        ------
        ConfigError
            Both or neither of a file and a sample are given, or an option is out of its range.
        SchemaError
            The file cannot be read as mobility data, or its positions cannot be meant.
        """
        if (self.source is None) == (self.sample_key is None):
            raise ConfigError("Give either a file to read or --sample, one of the two.")
        what, how = self._what(), replace(self._how(), centre=centre)
        if sys.stderr.isatty() and is_large(what, in_parts=keep is not None):
            typer.echo(f"Reading {estimate_reading(what, how)}.", err=True)
        fs, report = read(what, how, keep=keep)
        for doubt in report.doubts:
            typer.echo(f"Warning: {for_command_line(doubt.message)}", err=True)
        return fs, report

    @property
    def is_kept(self) -> bool:
        """Whether the source is a folder in which a reading was kept."""
        return self.source is not None and is_folder_of_fingerprints(self.source)

    @property
    def screening(self) -> Screening:
        """Which users are kept."""
        rule = self.screen or None
        return Screening.of(int(rule) if rule and rule.isdecimal() else rule)

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

    def facts(self, report: IngestReport) -> Facts:
        """What the data are, for a report: of a file, no name."""
        if self.sample_key is None:
            return facts_of(report)
        known = sample(self.sample_key)
        return facts_of(
            report, label=known.title, note=known.description, synthetic=known.synthetic
        )

    def antenna_table(self) -> Path | None:
        """The table of antennas that is read, if any."""
        known = None if self.sample_key is None else sample(self.sample_key).antennas_path
        return self.antennas or known

    def _what(self) -> Source:
        antennas = None if self.antennas is None else (self.antennas.name, self.antennas)
        if self.sample_key is not None:
            return Source.of_sample(self.sample_key, antennas)
        assert self.source is not None
        return Source(self.source.name, "", (self.source.name, self.source), antennas)

    def _how(self) -> Reading:
        given = {role: getattr(self, role) for role in ROLES}
        columns = tuple(
            (role, int(column) if column.isdecimal() else column)
            for role, column in given.items()
            if column is not None
        )
        return Reading(
            columns,
            self.timezone,
            self.naive_timezone,
            self.granularity_m,
            self.granularity_min,
            self.screening,
            self.positions,
        )
