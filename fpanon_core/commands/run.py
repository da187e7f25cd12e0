"""Steps shared by all commands that run a study: read, estimate, run, write, report.

The module also has the terminal output: progress, columns of words, figures as JSON.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

import pandas as pd
import typer

from ..engines.cluster import DaskEngine
from ..engines.local import Engine, LocalEngine
from ..io.hints import for_command_line
from ..io.report import IngestReport
from ..io.samples import SAMPLES, sample
from ..io.turns import TURNS
from ..model.configs import Screening
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.mapped import is_folder_of_fingerprints
from ..model.release_page import count, templates_in
from ..studies import estimates
from ..studies.exploration import Facts, facts_of
from ..studies.reading import Reading, Source, estimate_reading, is_large, read
from ..studies.tabled import Tabled
from ..tables import leaving
from ..tables.names import ROLES
from ..tables.writing import check_writable, write_table
from .from_config import asked

_SHIPPED = ", ".join(each.key for each in SAMPLES)
_SAMPLE = asked("--sample", help=f"Instead of a file, a shipped data set: {_SHIPPED}.")
_POSITIONS = asked(
    help=f"How the two numbers of a position are read: {', '.join(TURNS)}. Turned: all "
    "longitudes are west, or all latitudes south, but have no minus sign. If not given, positions "
    "that make no sense are refused."
)


@dataclass(frozen=True)
class Request:
    """Data to read and how to read them, with one field per command-line option.

    Attributes
    ----------
    source : Path or None
        CSV, TSV, Parquet, XLSX or JSON records, also as .gz or .zip; or a folder kept by ingest
        --keep. Only ingest --keep reads a folder of parts.
    sample_key : str or None
        Key of a shipped data set; None with ``source``.
    user : str or None
        Column of the user: its name, or its position (0 is the first). Detected if not given.
    time : str or None
        Column of the time: its name, or its position (0 is the first). Detected if not given.
    lat : str or None
        Column of the latitude: its name, or its position (0 is the first). Detected if not given.
    lon : str or None
        Column of the longitude: its name, or its position (0 is the first). Detected if not given.
    antenna : str or None
        Column of the antenna: its name, or its position (0 is the first). Detected if not given.
    offset : str or None
        Column of the offset from UTC in minutes: its name, or its position (0 is the first).
        Detected if not given.
    antennas : Path or None
        Table of the antennas' positions.
    regions : Path or None
        GeoJSON of named areas, such as districts: each antenna gets the name of its area in the
        column "region".
    region_name : str or None
        Property that names the regions. Detected if not given.
    timezone : str or None
        Local time zone, such as Africa/Dakar. Guessed if not given.
    naive_timezone : str or None
        Time zone of clock times without an offset. If not given, the local one, or UTC if the file
        has a column of offsets.
    positions : str or None
        How positions are read: a key of :data:`TURNS`. When None, implausible positions are
        refused.
    granularity_m : float
        Side of a sample's cell, metres.
    granularity_min : float
        Length of a sample, minutes.
    screen : str or None
        People to keep: civ (a sample on every day), sen (active on more than 75% of days), people
        (not recorded day and night alike, as machines are), or a minimum number of samples.
    """

    source: Annotated[Path | None, asked(argument=True)] = None
    sample_key: Annotated[str | None, _SAMPLE] = None
    user: str | None = None
    time: str | None = None
    lat: str | None = None
    lon: str | None = None
    antenna: str | None = None
    offset: str | None = None
    antennas: Path | None = None
    regions: Path | None = None
    region_name: str | None = None
    timezone: str | None = None
    naive_timezone: str | None = None
    positions: Annotated[str | None, _POSITIONS] = None
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screen: str | None = None

    def read(
        self, centre: tuple[float, float] | None = None, keep: Path | None = None
    ) -> tuple[FingerprintSet, IngestReport]:
        """Read the fingerprints and return them with the report of the reading.

        Parameters
        ----------
        centre : (float, float), optional
            Latitude and longitude of the projection's centre; the middle of the data when None.
        keep : Path, optional
            New folder in which to keep the data.

        Raises
        ------
        ConfigError
            Both a file and a sample are given, or neither, or an option is out of its range.
        SchemaError
            The file cannot be read as mobility data, or its positions are implausible.
        InfeasibleError
            The reading would not fit in memory.
        """
        if (self.source is None) == (self.sample_key is None):
            raise ConfigError("Give either a file to read or --sample.")
        what, how = self._what(), replace(self._how(), centre=centre)
        if sys.stderr.isatty() and is_large(what, in_parts=keep is not None):
            typer.echo(f"Reading {estimate_reading(what)}.", err=True)
        fs, report = read(what, how, keep=keep)
        for doubt in report.doubts:
            typer.echo(f"Warning: {for_command_line(doubt.message)}", err=True)
        return fs, report

    @property
    def is_kept(self) -> bool:
        """Whether the source is a folder in which ``ingest --keep`` stored the data."""
        return self.source is not None and is_folder_of_fingerprints(self.source)

    @property
    def screening(self) -> Screening:
        """Conditions for keeping users, from ``screen``."""
        rule = self.screen or None
        return Screening.of(int(rule) if rule and rule.isdecimal() else rule)

    def account(self, fs: FingerprintSet, report: IngestReport) -> str:
        """Return a line on the data read, and the attribution of a shipped data set."""
        read = (
            f"{count(fs.n_users, 'person')}, {count(fs.n_samples, 'sample')}, "
            f"{report.first} to {report.last}; "
            f"{report.rows_set_aside:,} of {report.rows_read:,} rows set aside."
        )
        note = self.attribution()
        lines = [read, report.machines and f"Warning: {for_command_line(report.machines)}"]
        return "\n".join(filter(None, [*lines, note and f"Note: {note}"]))

    def attribution(self) -> str | None:
        """Return the attribution of a shipped data set; None for a file."""
        return sample(self.sample_key).description if self.sample_key else None

    def facts(self, report: IngestReport) -> Facts:
        """Return facts about the data for a report, without a file's name."""
        if self.sample_key is None:
            return facts_of(report)
        it = sample(self.sample_key)
        return facts_of(report, label=it.title, note=it.description, synthetic=it.synthetic)

    def antenna_table(self) -> Path | None:
        """Return the path of the table of antennas to read, if any."""
        known = None if self.sample_key is None else sample(self.sample_key).antennas_path
        return self.antennas or known

    def _what(self) -> Source:
        given = {name: getattr(self, name) for name in ("antennas", "regions")}
        beside: dict[str, Any] = {name: path and (path.name, path) for name, path in given.items()}
        beside["region_name"] = self.region_name
        if self.sample_key is not None:
            return Source.of_sample(self.sample_key, **beside)
        assert self.source is not None
        return Source(self.source.name, "", (self.source.name, self.source), **beside)

    def _how(self) -> Reading:
        given = {role: getattr(self, role) for role in ROLES}
        columns = tuple(
            (role, int(column) if column.isdecimal() else column)
            for role, column in given.items()
            if column is not None
        )
        zones = self.timezone, self.naive_timezone
        cell = self.granularity_m, self.granularity_min
        return Reading(columns, *zones, *cell, self.screening, self.positions)


LIST = "FILES.csv"
_HEAD = ("file", "may_leave", "why")
_MANY_USERS = 5_000  # below this, a run ends before anyone could read its estimate


@dataclass
class Run:
    """Engine, outputs and data of a study.

    Attributes
    ----------
    workers : int or None
        Number of processor cores to use; all if not given.
    scheduler : str or None
        Address of the scheduler of a Dask cluster to compute on, as in tls://host:8786. The
        cluster's workers then hold the data.
    out : Path or None
        File to write.
    tables : Path or None
        Write every table as a .csv file into this folder, and FILES.csv, which states for each file
        whether it may leave.
    as_json : bool
        Print the figures as JSON, for machines.
    wanted : Request
        The data to read.
    fs, report : FingerprintSet, IngestReport
        The data and the report on them, after :meth:`read`.
    engine : Engine
        The engine, after :meth:`read`.
    written : list of str
        Lines about written files, printed at the end.
    """

    workers: int | None = None
    scheduler: Annotated[str | None, asked(metavar="ADDRESS")] = None
    out: Path | None = None
    tables: Path | None = None
    as_json: Annotated[bool, asked("--json")] = False
    wanted: Request = field(default_factory=Request)
    fs: FingerprintSet = field(init=False)
    report: IngestReport = field(init=False)
    engine: Engine = field(init=False)
    written: list[str] = field(init=False, default_factory=list)

    def read(self, *also: Path | None, **how: Any) -> None:
        """Read the data, after checking the places of the files to be written.

        Parameters
        ----------
        *also : Path
            Other files to be written.
        **how
            As for :meth:`.Request.read`.
        """
        self.engine = engine_of(self.workers, self.scheduler)
        for path in (self.out, *also):
            if path is not None:
                check_writable(path)
        if self.tables is not None:
            check_folder(self.tables)
        self.fs, self.report = self.wanted.read(**how)

    def estimate(self, study: Callable[..., Any], config: Any) -> None:
        """On a terminal, report a study's estimated cost; refuse a study too large for memory.

        Raises
        ------
        InfeasibleError
            By an estimate, the study needs more memory than a computation may take here.
        """
        if not isinstance(self.engine, LocalEngine):
            return  # the data go to the workers
        estimates.refuse_what_does_not_fit(study, self.fs, config, engine=self.engine)
        if self.fs.n_users >= _MANY_USERS and sys.stderr.isatty():
            what = estimates.Config(study, config)
            said = str(estimates.study(self.fs, what, engine=self.engine))
            typer.echo(f"{said[:1].upper()}{said[1:]}.", err=True)

    def ask(self, what: str, study: Callable[..., Any], *also: Any, **more: Any) -> Any:
        """Run a study on the data and return its result, with its progress shown as ``what``."""
        with progress_line(what) as progress:
            return study(self.fs, *also, engine=self.engine, progress=progress, **more)

    def write(
        self, table: pd.DataFrame, path: Path | None, what: str, *, guarded: bool = False
    ) -> None:
        """Write a table to ``path``, unless this is None; report the file at the end.

        ``guarded`` is for tables about individual people.
        """
        if path is not None:
            write_table([leaving.guarded(table) if guarded else table], path)
            self.written.append(f"{what}{', not for release,' * guarded} written to {path}.")

    def write_tables(self, *results: Tabled | None) -> None:
        """Write every table of the given results into the folder ``--tables``, if that is given.

        A file is named ``<name>.csv`` if it may leave, ``<name>_not_for_release.csv`` if not. The
        folder's list, ``FILES.csv``, gets an entry for each file, and keeps its other entries.
        """
        if self.tables is None:
            return
        listed = _listed(check_folder(self.tables))
        for result in filter(None, results):
            for name in result.tables():
                may_leave = result.may_leave(name)
                path = self.tables / leaving.file_name(name, may_leave)
                write_table([result.for_file(name)], path)
                why = leaving.MAY_LEAVE if may_leave else leaving.GUARDED
                listed[path.name] = ("yes" if may_leave else "no", why)
        rows = [(file, *said) for file, said in sorted(listed.items())]
        write_table([pd.DataFrame(rows, columns=list(_HEAD))], self.tables / LIST)
        self.written.append(f"Tables written to {self.tables}; {LIST} there says which may leave.")

    def end(self, figures: Any, *lines: str) -> None:
        """Print the figures for ``--json``, else the data's account, ``lines`` and ``written``."""
        if self.as_json:
            print_json(figures)
            return
        read = [self.wanted.account(self.fs, self.report)] if hasattr(self, "fs") else []
        typer.echo("\n".join(filter(None, (*read, *lines, *self.written))))


def engine_of(workers: int | None, scheduler: str | None) -> Engine:
    """Return the engine that the options select.

    Raises
    ------
    ConfigError
        Both options are given, one is invalid, or Dask or its TLS keys are missing.
    InfeasibleError
        No scheduler answers.
    """
    if scheduler is None:
        return LocalEngine(workers)
    if workers is not None:
        raise ConfigError(
            "--workers is for this machine's cores, --scheduler for a cluster; give one of the two."
        )
    return DaskEngine(scheduler)


# --- a folder of tables, the same files as the dashboard's downloads -----------------------------


def check_folder(folder: Path) -> Path:
    """Return the folder, made if its parent exists; raise ConfigError if it is not writable."""
    try:
        folder.mkdir(0o700, exist_ok=True)
    except OSError:
        raise ConfigError(
            "The tables' folder cannot be made; give an existing folder, or a new one inside an "
            "existing folder."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError("The tables' folder cannot be written to; choose another folder.")
    return folder


def _listed(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the entries of the folder's list for the files that are still there."""
    try:
        listed = pd.read_csv(folder / LIST, dtype=str, keep_default_na=False)[list(_HEAD)]
    except (OSError, ValueError, KeyError):
        return {}
    rows = listed.map(leaving.restored).itertuples(index=False)
    return {name: (said, why) for name, said, why in rows if (folder / name).is_file()}


# --- on a terminal -------------------------------------------------------------------------------


@contextmanager
def progress_line(what: str) -> Iterator[Callable[[float], None] | None]:
    """Yield a callback that redraws one line of standard error; None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with typer.progressbar(length=100, label=what, show_eta=False, file=sys.stderr) as bar:
        yield lambda share: bar.update(round(100 * share) - bar.pos)


def table_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as text: the first column is aligned to the left, the others to the right."""
    every = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    return "\n".join(
        "  ".join(
            word.rjust(width) if i else word.ljust(width)
            for i, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    )


class _Words(Formatter):
    """Formatter that writes "none" for a missing number."""

    def format_field(self, value: Any, format_spec: str) -> str:
        missing = isinstance(value, float) and math.isnan(value)
        return "none" if missing else str(super().format_field(value, format_spec))


def rows_text(rows: pd.DataFrame, shown: Iterable[tuple[str, str]]) -> str:
    """Return rows as a table of text; ``shown`` has the head and the format of each column."""
    head, forms = zip(*shown, strict=True)
    every: Any = rows.to_dict("records")
    return table_text(head, [[_Words().format(f, **row) for f in forms] for row in every])


def said(about: str, **of: Any) -> list[str]:
    """Return the paragraphs that the macro ``about`` of ``words.txt.jinja`` makes."""
    text: str = getattr(_words().module, about)(**of)
    return [" ".join(part.strip().splitlines()) for part in text.split("\n\n") if part.strip()]


@cache
def _words() -> Any:
    made = templates_in(__package__ or "fpanon_core.commands")
    made.filters |= {"n": "{:,}".format, "share": "{:.1%}".format, "whole": "{:,.0f}".format}
    made.globals["infinite"] = math.inf
    return made.get_template("words.txt.jinja")


def print_json(figures: Any) -> None:
    """Print figures, rows of tables and texts as JSON."""
    typer.echo(json.dumps(plain(figures), ensure_ascii=False, indent=2))


def plain(figures: Any) -> Any:
    """Return figures with tables as rows and missing numbers as None, as JSON needs them."""
    if isinstance(figures, pd.DataFrame):
        return plain(figures.to_dict("records"))
    if isinstance(figures, dict):
        return {str(name): plain(value) for name, value in figures.items()}
    if isinstance(figures, (list, tuple)):
        return [plain(value) for value in figures]
    return None if isinstance(figures, float) and math.isnan(figures) else figures
