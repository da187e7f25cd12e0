"""The options that say what to read and how, shared by all commands that read a file."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.models import ArgumentInfo

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
from ..studies.reading_foretold import foretell_reading, is_large
from ..tables.names import ROLES

_KEYS = ", ".join(s.key for s in SAMPLES)
_COLUMN = "Column of the {}: its name, or its position (0 is the first). Found out if not given."
_NAMED = inspect.Parameter.KEYWORD_ONLY


@dataclass(frozen=True)
class Request:
    """What to read and how, as the options of a command say it; one field per option."""

    source: Annotated[
        Path | None,
        typer.Argument(
            help="CSV, TSV, Parquet, XLSX or JSON records, also as .gz or .zip; or a folder kept "
            "by ingest --keep, which also takes a folder of parts.",
            show_default=False,
        ),
    ] = None
    sample_key: Annotated[
        str | None,
        typer.Option("--sample", help=f"Instead of a file, a shipped data set: {_KEYS}."),
    ] = None
    user: Annotated[str | None, typer.Option("--user", help=_COLUMN.format("user"))] = None
    time: Annotated[str | None, typer.Option("--time", help=_COLUMN.format("time"))] = None
    lat: Annotated[str | None, typer.Option("--lat", help=_COLUMN.format("latitude"))] = None
    lon: Annotated[str | None, typer.Option("--lon", help=_COLUMN.format("longitude"))] = None
    antenna: Annotated[str | None, typer.Option("--antenna", help=_COLUMN.format("antenna"))] = None
    offset: Annotated[
        str | None, typer.Option("--offset", help=_COLUMN.format("offset from UTC in minutes"))
    ] = None
    antennas: Annotated[
        Path | None, typer.Option("--antennas", help="Table of the antennas' positions.")
    ] = None
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone", help="Local time zone, such as Africa/Dakar. Guessed if not given."
        ),
    ] = None
    naive_timezone: Annotated[
        str | None,
        typer.Option(
            "--naive-timezone",
            help="Zone of clock times without offset; the local one if not given.",
        ),
    ] = None
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions",
            help="How positions are read, where they are doubtful: " + ", ".join(TURNS) + ". "
            "Turned: all longitudes are west, or all latitudes south, though without a sign. If "
            "not given, positions that cannot be meant are refused.",
        ),
    ] = None
    granularity_m: Annotated[
        float, typer.Option("--granularity-m", help="Side of a sample's cell, metres.")
    ] = 100.0
    granularity_min: Annotated[
        float, typer.Option("--granularity-min", help="Length of a sample, minutes.")
    ] = 1.0
    screen: Annotated[
        str | None,
        typer.Option(
            "--screen",
            help="Users to keep: civ (a sample on every day), sen (active on more than 75 % of "
            "days), or a least number of samples.",
        ),
    ] = None

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
            typer.echo(f"Reading {foretell_reading(what, how)}.", err=True)
        fs, report = read(what, how, keep=keep)
        for doubt in report.doubts:
            typer.echo(f"Warning: {for_command_line(doubt.message)}", err=True)
        return fs, report

    @property
    def is_kept(self) -> bool:
        """Whether the source is a folder in which a reading was kept."""
        return self.source is not None and is_folder_of_fingerprints(self.source)

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
        least = self.screen is not None and self.screen.isdecimal()
        return Reading(
            columns,
            self.timezone,
            self.naive_timezone,
            self.granularity_m,
            self.granularity_min,
            Screening.of(int(self.screen or 0) if least else self.screen or None),
            self.positions,
        )


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command all options of a :class:`Request`, and the command the request they make.

    The command's first parameter is the request; its other parameters are options of its own. What
    to read comes first on the command line, after arguments of its own; how to read it last.
    """
    given, *own = inspect.signature(command).parameters.values()
    types = get_type_hints(command, include_extras=True)
    shared = get_type_hints(Request, include_extras=True)
    options = [
        inspect.Parameter(f.name, _NAMED, default=f.default, annotation=shared[f.name])
        for f in fields(Request)
    ]
    what, how = options[:2], options[2:]
    own = [option.replace(kind=_NAMED, annotation=types[option.name]) for option in own]

    @wraps(command)
    def with_request(**values: Any) -> None:
        request = Request(**{option.name: values.pop(option.name) for option in options})
        command(**{given.name: request}, **values)

    # What typer reads; by the marks of wraps it would find the command's own.
    del with_request.__wrapped__
    first = [option for option in own if _is_argument(option)]
    every = [*first, *what, *(option for option in own if option not in first), *how]
    with_request.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    with_request.__annotations__ = {option.name: option.annotation for option in every}
    return with_request


def _is_argument(option: inspect.Parameter) -> bool:
    marks = getattr(option.annotation, "__metadata__", ())
    return any(isinstance(mark, ArgumentInfo) for mark in marks)
