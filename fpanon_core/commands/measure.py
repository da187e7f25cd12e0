"""``measure``: how far is everyone from hiding? k-gaps over several crowds and profiles."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from ..model.files import keyed
from ..model.fingerprints import FingerprintSet
from ..studies import anonymizability
from ..studies.anonymizability import Config, Result
from ..studies.under_profiles import check_profiles, corners
from ..tables.writing import check_writable
from . import measuring as m
from . import reading as r
from .measuring import foretold
from .tables import Tables, check_folder, told, write_guarded, write_tables
from .terminal import progress_line, table_text, whole_numbers


@r.reading_options
def measure(
    wanted: r.Request,
    k: Annotated[str, typer.Option("--k", "-k", help="Crowds to hide in, such as 2,5,10.")] = "2",
    profile: m.Profiles = None,
    w_space: m.WSpace = 0.5,
    w_time: m.WTime = None,
    max_space_m: m.MaxSpaceM = 20_000.0,
    max_time_min: m.MaxTimeMin = 480.0,
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write one row per person, profile and k (.csv, .parquet). Not for release.",
        ),
    ] = None,
    tables: Tables = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, for machines.")
    ] = False,
) -> None:
    """Measure everyone's k-gap: the effort to make them one of k who look the same."""
    stretch = m.stretch(w_space, w_time, max_space_m, max_time_min)
    config = Config(tuple(m.profiles_of(profile)), tuple(whole_numbers(k, "--k")), stretch)
    engine = m.engine_of(workers, scheduler)
    if out is not None:
        check_writable(out)
    if tables is not None:
        check_folder(tables)
    fs, report = wanted.read()
    check_profiles(fs, config.profiles)
    foretold(anonymizability.study, fs, config, engine)
    with progress_line("k-gap") as progress:
        result = anonymizability.study(fs, config, engine=engine, progress=progress)
    if out is not None:
        write_guarded(result.to_frame(), out)
    if tables is not None:
        write_tables(result, tables)
    if as_json:
        typer.echo(json.dumps(_plain(fs, result), ensure_ascii=False, indent=2))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_table(result))
    if where := corners(result.to_frame("k_gap_summary")):
        typer.echo(where)
    if out is not None:
        typer.echo(f"k-gaps of every person, not for release, written to {out}.")
    if tables is not None:
        typer.echo(told(tables))


def _plain(fs: FingerprintSet, result: Result) -> dict[str, Any]:
    """The summary, with None where there is no number, as JSON knows no NaN."""
    rows = result.to_frame("k_gap_summary").to_dict("records")
    gaps = [
        {n: None if isinstance(v, float) and math.isnan(v) else v for n, v in row.items()}
        for row in rows
    ]
    return {"users": fs.n_users, "digest": keyed(result.digest), "gaps": gaps}


def _table(result: Result) -> str:
    rows = [
        [
            row["profile"],
            str(row["k"]),
            f"{row['share_at_0']:.1%}",
            *(f"{row[name]:.3f}" for name in ("p25", "median", "p75")),
            f"{row['mean_capped_distance_m'] / 1000:.2f} km",
            f"{row['mean_capped_time_min']:.0f} min",
            f"{row['share_beyond_distance']:.1%}",
            f"{row['share_beyond_time']:.1%}",
        ]
        for row in result.to_frame("k_gap_summary").to_dict("records")
    ]
    stretch = result.config.stretch
    upto = (f"{stretch.max_space_m / 1000:g} km", f"{stretch.max_time_min:g} min")
    head = [
        "profile",
        "k",
        "k-gap 0",
        "k-gap p25",
        "median",
        "p75",
        "distance*",
        "time*",
        f"{upto[0]} or more",
        f"{upto[1]} or more",
    ]
    return (
        table_text(head, rows)
        + f"\n* means over the matched samples, each counted up to {upto[0]} and {upto[1]}; after "
        "them, how many are that far apart or farther."
    )
