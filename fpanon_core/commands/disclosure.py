"""``disclosure``: what does an outsider learn from a few known points, under which profile?"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..model.configs import KnowledgeConfig, Strategy
from ..model.files import keyed
from ..studies.disclosure import Config, Result, study
from ..studies.under_profiles import as_read, corners
from ..tables.writing import check_writable, write_table
from . import measuring as m
from . import reading as r
from . import tables as t
from .measuring import foretold
from .terminal import progress_line, table_text, whole_numbers


@r.reading_options
def disclosure(
    wanted: r.Request,
    p: Annotated[int, typer.Option("--p", help="Points known of each person.")] = 4,
    unicity_p: Annotated[
        str,
        typer.Option("--unicity-p", help="Points known, for the unicities beside it."),
    ] = "3,4,5",
    strategy: m.StrategyName = "random",
    users: m.Users = 2500,
    seed: m.Seed = 0,
    profile: m.Profiles = None,
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write one row per profile (.csv, .parquet)."),
    ] = None,
    tables: t.Tables = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tables as JSON, for machines.")
    ] = False,
) -> None:
    """Measure disclosure: what a few known points give away beyond themselves."""
    known = KnowledgeConfig(p, cast(Strategy, strategy), users, seed)
    points = tuple(whole_numbers(unicity_p, "--unicity-p"))
    config = Config(known, tuple(m.profiles_of(profile)), points)  # before a long reading
    engine = m.engine_of(workers, scheduler)
    if out is not None:
        check_writable(out)
    if tables is not None:
        t.check_folder(tables)
    fs, report = wanted.read()
    config = replace(config, profiles=config.profiles or (as_read(fs),))
    foretold(study, fs, config, engine)
    with progress_line("disclosure") as progress:
        result = study(fs, config, engine=engine, progress=progress)
    if out is not None:
        write_table([result.to_frame()], out)
    if tables is not None:
        t.write_tables(result, tables)
    if as_json:
        typer.echo(json.dumps(_plain(result), ensure_ascii=False, indent=2, allow_nan=False))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_table(result))
    if where := corners(result.grid):
        typer.echo(where)
    typer.echo(
        f"Someone who knows nothing finds one in {result.n_users:,}, and learns nothing: "
        "EM and KL 0."
    )
    if len(result.agreement):
        typer.echo(_agreement(result.agreement))
        typer.echo(
            "EM and KL are means over each profile's own bins, as published: they do not say which "
            "of two profiles is the safer. The sums over all bins of a person do (em_sum and "
            "kl_sum, by --out, --tables or --json; options compares by them)."
        )
    if out is not None:
        typer.echo(f"Disclosure by profile written to {out}.")
    if tables is not None:
        typer.echo(t.told(tables))


def _plain(result: Result) -> dict[str, Any]:
    pairs = result.agreement.to_dict("records")
    for pair in pairs:
        pair["tau"] = None if math.isnan(pair["tau"]) else pair["tau"]
    return {
        "users": result.n_users,
        "config": asdict(result.config.knowledge),
        "digest": keyed(result.digest),
        "disclosure": t.plain_rows(result.grid),
        "agreement": pairs,
    }


def _table(result: Result) -> str:
    points = result.config.points
    rows = [
        [
            row["profile"],
            *(f"{row[f'unicity_p{q}']:.1%}" for q in points),
            *(_with_interval(row, name) for name in ("k", "em", "kl")),
            f"{row['bins']:,}",
            f"{row['targets']:,}",
            f"{row['too_few']:,}",
        ]
        for row in result.grid.to_dict("records")
    ]
    head = [
        "profile",
        *(f"unicity, {q} points" for q in points),
        "k",
        "EM",
        "KL, nats",
        "bins",
        "people",
        "too few points",
    ]
    return table_text(head, rows)


def _with_interval(row: dict[Any, Any], name: str) -> str:
    return f"{row[name]:.3g} ({row[f'{name}_low']:.3g} … {row[f'{name}_high']:.3g})"


def _agreement(agreement: pd.DataFrame) -> str:
    rows = [
        [
            f"{row['a']} and {row['b']}",
            "none" if math.isnan(row["tau"]) else f"{row['tau']:.2f}",
            f"{row['discordant']} of {row['pairs']}",
        ]
        for row in agreement.to_dict("records")
    ]
    return table_text(["ranked alike?", "Kendall's tau", "pairs ranked differently"], rows)
