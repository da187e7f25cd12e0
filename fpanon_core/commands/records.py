"""``ingest``, ``generate``: read a file and report its usable rows, or write invented records."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from ..io.hints import for_command_line
from ..io.report import IngestReport
from ..model.errors import ConfigError
from ..synthetic.generate import DEFAULT_START, generate_cdr_chunks
from ..synthetic.region import generate_region
from ..tables.writing import check_writable, write_table
from .from_config import asked, command
from .run import Run, print_json, progress_line

_CHUNK_USERS = 10_000


@command
def ingest(
    run: Annotated[Run, dict.fromkeys(("workers", "scheduler", "tables"))],
    rejects: Path | None = None,
    keep: Path | None = None,
) -> None:
    """Read a file of call records and report what was found, used and set aside.

    Parameters
    ----------
    rejects : Path or None
        Write the rows set aside: number, reason, and the fields of time and place.
    keep : Path or None
        Keep the data in this new folder, which other commands accept in place of a file. The folder
        holds the user ids: not for release. This option is required for a folder of parts.
    out : Path or None
        Write the samples under pseudonyms (.csv, .parquet). Not for release.
    """
    if rejects is not None and run.wanted.is_kept:
        raise ConfigError("A kept folder does not hold the rows set aside; read the data again.")
    run.read(rejects, keep=keep)
    fs, report = run.fs, run.report
    set_aside = f"{report.rows_set_aside:,} rows set aside, not for release,"
    run.write(report.rejects, rejects, set_aside)
    if keep is not None:
        run.written.append(
            f"{fs.n_users:,} people, with their ids, not for release, kept in {keep}."
        )
    run.write(fs.to_frame(), run.out, f"{fs.n_samples:,} samples", guarded=True)
    if run.as_json:
        print_json(_figures(report))
        return
    note = run.wanted.attribution()
    lines = [report.summary(for_command_line), *([f"Note: {note}"] if note else []), *run.written]
    typer.echo("\n".join(lines))


def _figures(report: IngestReport) -> dict[str, Any]:
    """Return the report as numbers, texts and lists, without any row of the data."""
    rows = ("rejects", "first_rows", "samples_per_user", "sites")
    kept = {f.name: getattr(report, f.name) for f in fields(report) if f.name not in rows}
    shares = (0, 25, 50, 75, 100)
    found = np.percentile(report.samples_per_user, shares)
    return kept | {
        "doubts": [asdict(doubt) for doubt in report.doubts],
        "rows_repeating": report.rows_repeating,
        "samples_per_user": {f"p{share}": float(n) for share, n in zip(shares, found, strict=True)},
        "rows_set_aside": report.rows_set_aside,
        "screening": asdict(report.screening),
        "notes": list(report.notes),
    }


@command
def generate(
    users: Annotated[int, asked(argument=True)],
    out: Path,
    days: int = 14,
    seed: int = 0,
    events_per_day: float = 4.5,
    start: str = DEFAULT_START.isoformat(),
    n_antennas: int = 400,
    antennas_out: Path | None = None,
) -> None:
    """Write synthetic call records of an invented region; they prove nothing about real people.

    Parameters
    ----------
    users : int
        Number of people.
    out : Path
        File to write: .csv, .csv.gz or .parquet.
    days : int
        Length of the data, days.
    seed : int
        Seed; the same seed gives the same people.
    events_per_day : float
        Mean number of events per person and day.
    start : str
        First day, YYYY-MM-DD.
    n_antennas : int
        Number of antennas in the region.
    antennas_out : Path or None
        Write the antennas: .csv or .parquet.
    """
    for path in filter(None, (out, antennas_out)):
        check_writable(path)
    try:
        first = dt.date.fromisoformat(start)
    except ValueError:
        raise ConfigError(f"--start {start!r} is not a date; give it as YYYY-MM-DD.") from None
    region = generate_region(seed, n_antennas=n_antennas)
    pieces = generate_cdr_chunks(
        users,
        chunk_users=_CHUNK_USERS,
        days=days,
        seed=seed,
        events_per_day=events_per_day,
        start=first,
        region=region,
    )
    rows = write_table(_watched(pieces, users), out)
    if antennas_out is not None:
        write_table([region.antennas], antennas_out)
    typer.echo(f"{rows:,} synthetic records of {users:,} invented people written to {out}.")


def _watched(pieces: Iterator[pd.DataFrame], users: int) -> Iterator[pd.DataFrame]:
    """Yield the pieces, with progress shown on a terminal."""
    with progress_line("Generating") as progress:
        for number, piece in enumerate(pieces, 1):
            yield piece
            if progress is not None:
                progress(min(1.0, number * _CHUNK_USERS / users))
