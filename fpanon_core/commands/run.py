"""What every command does that asks a study: read, say what it takes, ask, write, tell.

And how it looks on a terminal: progress, columns of words, figures as JSON.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ..engines.cluster import DaskEngine
from ..engines.local import Engine, LocalEngine
from ..io.report import IngestReport
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..studies.estimates import estimate, refuse_what_does_not_fit, seconds_of
from ..studies.tabled import Tabled
from ..tables import leaving
from ..tables.leaving import restored
from ..tables.writing import check_writable, write_table
from .from_config import asked
from .reading import Request

LIST = "FILES.csv"
_HEAD = ("file", "may_leave", "why")
_MANY_USERS = 5_000  # below, a run is over sooner than anybody has read how long it takes
_REDRAW_S = 0.2


@dataclass
class Run:
    """Where a study is computed, what is written and printed of it, and what it is asked of.

    Attributes
    ----------
    workers : int or None
        Processor cores to use; all if not given.
    scheduler : str or None
        Compute on a Dask cluster, whose workers then hold the data: the address of its scheduler,
        as in tls://host:8786.
    tables : Path or None
        Write every table as a .csv file into this folder, and FILES.csv, which says of each whether
        it may leave.
    as_json : bool
        Print the figures as JSON, for machines.
    fs, report : FingerprintSet, IngestReport
        The data, once :meth:`read`.
    engine : Engine
        Once :meth:`read`.
    written : list of str
        Lines about files, for the end.
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

    def read(
        self,
        *also: Path | None,
        check: Callable[[Path], object] = check_writable,
        **how: Any,
    ) -> None:
        """The data; before that, whatever can be checked of where files are to be written.

        Parameters
        ----------
        *also : Path
            Other files that are to be written.
        check : callable
            What a file that is written must pass.
        **how
            As :meth:`.Request.read`.
        """
        self.engine = engine_of(self.workers, self.scheduler)
        for path in (self.out, *also):
            if path is not None:
                check(path)
        if self.tables is not None:
            check_folder(self.tables)
        self.fs, self.report = self.wanted.read(**how)

    def estimate(self, study: Callable[..., Any], config: Any) -> None:
        """Say on a terminal what a study takes; on this machine, refuse what would not fit.

        Raises
        ------
        InfeasibleError
            It needs more memory than a computation may take here, by an estimate.
        """
        if not isinstance(self.engine, LocalEngine):
            return  # the data go to the workers
        refuse_what_does_not_fit(study, self.fs, config, engine=self.engine)
        if self.fs.n_users >= _MANY_USERS and sys.stderr.isatty():
            found = estimate(study, self.fs, config, engine=self.engine)
            seconds = seconds_of(study, self.fs, config, engine=self.engine)
            said = str(replace(found, seconds=seconds))
            typer.echo(f"{said[:1].upper()}{said[1:]}.", err=True)

    def ask(self, what: str, study: Callable[..., Any], *also: Any, **more: Any) -> Any:
        """What a study says of the data, its progress shown as ``what``."""
        with progress_line(what) as progress:
            return study(self.fs, *also, engine=self.engine, progress=progress, **more)

    def write(
        self, table: pd.DataFrame, path: Path | None, what: str, *, guarded: bool = False
    ) -> None:
        """Write a table to a file that is named, and say so at the end; ``guarded``: of people."""
        if path is not None:
            write_table([leaving.guarded(table) if guarded else table], path)
            self.written.append(f"{what}{', not for release,' * guarded} written to {path}.")

    def write_tables(self, *results: Tabled | None) -> None:
        """Every table of results that are there goes to ``--tables``, if it is given."""
        if self.tables is not None:
            self.written.append(write_tables(self.tables, *results))

    def end(self, figures: Any, *lines: str) -> None:
        """Print the figures as JSON, or else what was read, the lines and what was written."""
        if self.as_json:
            print_json(figures)
            return
        read = [self.wanted.account(self.fs, self.report)] if hasattr(self, "fs") else []
        typer.echo("\n".join(filter(None, (*read, *lines, *self.written))))


def engine_of(workers: int | None, scheduler: str | None) -> Engine:
    """Where the options have the work done.

    Raises
    ------
    ConfigError
        Both are given, or one is not what it should be.
    InfeasibleError
        No scheduler answers.
    """
    if scheduler is None:
        return LocalEngine(workers)
    if workers is not None:
        raise ConfigError(
            "--workers is of this machine's cores, --scheduler of a cluster's; give one of them."
        )
    return DaskEngine(scheduler)


# --- a folder of tables, the same files as the dashboard's downloads -----------------------------


def check_folder(folder: Path) -> Path:
    """The folder, made if its parent exists, if files can be written there; ConfigError if not."""
    try:
        folder.mkdir(0o700, exist_ok=True)
    except OSError:
        raise ConfigError(
            "The tables' folder cannot be made; give one that is there, or a new one in a folder "
            "that is."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError("The tables' folder cannot be written to; choose another one.")
    return folder


def write_tables(folder: Path, *results: Tabled | None) -> str:
    """Write every table of results that are there as files into the folder; says so.

    A file is called ``<name>.csv`` if it may leave, ``<name>_not_for_release.csv`` if not, and
    stands in the folder's list, ``FILES.csv``, which keeps what it said of other files.
    """
    listed = _listed(check_folder(folder))
    for result in filter(None, results):
        for name in result.tables():
            may_leave = result.may_leave(name)
            path = folder / leaving.file_name(name, may_leave)
            write_table([result.for_file(name)], path)
            why = leaving.MAY_LEAVE if may_leave else leaving.GUARDED
            listed[path.name] = ("yes" if may_leave else "no", why)
    rows = [(file, *said) for file, said in sorted(listed.items())]
    write_table([pd.DataFrame(rows, columns=list(_HEAD))], folder / LIST)
    return f"Tables written to {folder}; {LIST} there says which may leave."


def _listed(folder: Path) -> dict[str, tuple[str, str]]:
    """What the folder's list says of the files that are still there."""
    try:
        with (folder / LIST).open(encoding="utf-8", newline="") as file:
            rows = [tuple(map(restored, row)) for row in csv.reader(file) if len(row) == len(_HEAD)]
    except (OSError, ValueError, csv.Error):
        return {}
    return {name: (said, why) for name, said, why in rows[1:] if (folder / name).is_file()}


# --- on a terminal -------------------------------------------------------------------------------


@contextmanager
def progress_line(what: str) -> Iterator[Callable[[float], None] | None]:
    """A callback that redraws one line of standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    drawn = 0.0

    def show(share: float) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - drawn >= _REDRAW_S:
            drawn = now
            typer.echo(f"\r{what}: {share:4.0%}", nl=False, err=True)

    try:
        yield show
    finally:
        typer.echo("\r" + " " * (len(what) + 8) + "\r", nl=False, err=True)


def table_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns of words, the first to the left, the others to the right."""
    every = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    return "\n".join(
        "  ".join(
            word.rjust(width) if i else word.ljust(width)
            for i, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    )


def print_json(figures: Any) -> None:
    """Figures, rows of tables and texts as JSON."""
    typer.echo(json.dumps(plain(figures), ensure_ascii=False, indent=2))


def plain(figures: Any) -> Any:
    """Tables as rows, and None where there is no number, as JSON knows neither."""
    if isinstance(figures, pd.DataFrame):
        return plain(figures.to_dict("records"))
    if isinstance(figures, dict):
        return {str(name): plain(value) for name, value in figures.items()}
    if isinstance(figures, (list, tuple)):
        return [plain(value) for value in figures]
    return None if isinstance(figures, float) and math.isnan(figures) else figures
