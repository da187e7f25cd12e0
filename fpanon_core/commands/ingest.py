"""``ingest``: what is in a file, and what of it can be used?"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..io.hints import for_command_line
from ..io.report import IngestReport
from ..model.errors import ConfigError
from ..tables.writing import check_writable, write_table
from . import reading as r
from .tables import write_guarded


@r.reading_options
def ingest(
    wanted: r.Request,
    rejects: Annotated[
        Path | None,
        typer.Option(
            "--rejects",
            help="Write the rows set aside: number, reason, and the fields of time and place.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write the samples under pseudonyms (.csv, .parquet). Not for release."
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            help="Keep what was read in this new folder, which other commands take in place of a "
            "file. Holds the user ids: not for release. Needed for a folder of parts.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, for machines.")
    ] = False,
) -> None:
    """Read a file of call records and say what was found, used and set aside."""
    for path in (rejects, out):
        if path is not None:
            check_writable(path)
    if rejects is not None and wanted.is_kept:
        raise ConfigError("A folder that was kept does not hold the rows set aside; read the data.")
    fs, report = wanted.read(keep=keep)
    if rejects is not None:
        write_table([report.rejects], rejects)
    if out is not None:
        write_guarded(fs.to_frame(), out)
    if as_json:
        typer.echo(json.dumps(_plain(report), ensure_ascii=False, indent=2))
        return
    typer.echo(report.summary(for_command_line))
    if note := wanted.attribution():
        typer.echo(f"Note: {note}")
    if rejects is not None:
        typer.echo(
            f"{report.rows_set_aside:,} rows set aside, not for release, written to {rejects}."
        )
    if keep is not None:
        typer.echo(f"{fs.n_users:,} users, with their ids, not for release, kept in {keep}.")
    if out is not None:
        typer.echo(f"{fs.n_samples:,} samples, not for release, written to {out}.")


def _plain(report: IngestReport) -> dict[str, Any]:
    """The report as numbers, texts and lists; without the rejected rows themselves."""
    kept = {f.name: getattr(report, f.name) for f in fields(report)}
    del kept["rejects"]
    kept["doubts"] = [asdict(doubt) for doubt in report.doubts]
    del kept["first_rows"]
    kept["rows_repeating"] = report.rows_repeating
    counts = kept.pop("samples_per_user")
    shares = (0, 25, 50, 75, 100)
    kept["samples_per_user"] = {
        f"p{share}": float(value)
        for share, value in zip(shares, np.percentile(counts, shares), strict=True)
    }
    kept["rows_set_aside"] = report.rows_set_aside
    kept["screening"] = asdict(report.screening)
    kept["notes"] = list(report.notes)
    return kept
