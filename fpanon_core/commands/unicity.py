"""``unicity``: how many people do a few points single out, under one profile or a grid of them?"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..model.configs import Strategy, UnicityConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..studies import antenna_merging
from ..studies import unicity as outsider
from ..studies.under_profiles import as_read, corners
from ..studies.unicity_grid import unicity_grid
from ..tables.writing import check_writable, write_table
from . import measuring as m
from . import reading as r
from .measuring import foretold
from .tables import Tables, check_folder, plain_rows, told, write_tables
from .terminal import progress_line, table_text, whole_numbers


@r.reading_options
def unicity(
    wanted: r.Request,
    p: Annotated[str, typer.Option("--p", help="Points known, such as 2,4,6.")] = "4",
    out_of: Annotated[
        str,
        typer.Option(
            "--out-of", help="Largest crowds that count as found, such as 1,2; 1 = unique."
        ),
    ] = "1",
    strategy: m.StrategyName = "random",
    users: m.Users = 2500,
    seed: m.Seed = 0,
    profile: m.Profiles = None,
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write one row per profile, p and crowd (.csv, .parquet)."),
    ] = None,
    tables: Tables = None,
    merge_antennas: Annotated[
        int | None,
        typer.Option(
            "--merge-antennas",
            help="With --tables: what becomes of it when about so many antennas are merged into "
            "one region.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON, for machines.")
    ] = False,
) -> None:
    """Estimate unicity: the share of people whom a few known points single out.

    With --tables also by every strategy and up to 8 points, the points needed, unicity over a grid
    of resolutions (--profile, or a usual one) with its scaling law, and the sparsity model.
    """
    points, crowds = whole_numbers(p, "--p"), whole_numbers(out_of, "--out-of")
    drawing = cast(Strategy, strategy)
    for many, crowd in product(points, crowds):  # before a long reading, not after
        UnicityConfig(many, drawing, users, seed, crowd)
    profiles = m.profiles_of(profile)
    if merge_antennas is not None and tables is None:
        raise ConfigError("--merge-antennas makes tables; give their folder by --tables, too.")
    study = merging = None
    if tables is not None:
        usual = outsider.Config(users, seed)
        study = replace(usual, profiles=tuple(profiles)) if profiles else usual
    if merge_antennas is not None:
        merging = antenna_merging.Config(merge_antennas, users, seed)
    engine = m.engine_of(workers, scheduler)
    if out is not None:
        check_writable(out)
    if tables is not None:
        check_folder(tables)
    fs, report = wanted.read()
    foretold(outsider.study, fs, outsider.Config(users, seed) if study is None else study, engine)
    with progress_line("unicity") as progress:
        table = unicity_grid(
            fs,
            profiles or [as_read(fs)],
            points,
            out_of=crowds,
            strategy=drawing,
            users=users,
            seed=seed,
            engine=engine,
            progress=progress,
        )
    if out is not None:
        write_table([table], out)
    if tables is not None and study is not None:
        with progress_line("what an outsider can tell") as progress:
            write_tables(outsider.study(fs, study, engine=engine, progress=progress), tables)
    if tables is not None and merging is not None:
        with progress_line("merging antennas") as progress:
            merged = antenna_merging.study(fs, merging, engine=engine, progress=progress)
        write_tables(merged, tables)
    if as_json:
        typer.echo(json.dumps(_plain(fs, table), ensure_ascii=False, indent=2))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_table(table))
    if where := corners(table):
        typer.echo(where)
    typer.echo(f"Guessing finds one in {int(fs.weight.sum()):,}.")
    if out is not None:
        typer.echo(f"Unicity by profile and points written to {out}.")
    if tables is not None:
        typer.echo(told(tables))


def _plain(fs: FingerprintSet, table: pd.DataFrame) -> dict[str, Any]:
    return {
        "users": int(fs.weight.sum()),
        "config": table.attrs["config"],
        "digest": table.attrs["digest"],
        "unicity": plain_rows(table),
    }


def _table(table: pd.DataFrame) -> str:
    rows = [
        [
            str(row.profile),
            str(row.p),
            str(row.out_of),
            f"{row.value:.1%}",
            f"{row.low:.1%} … {row.high:.1%}",
            f"{row.targets:,}",
            f"{row.too_few:,}",
        ]
        for row in table.itertuples()
    ]
    head = ["profile", "points", "out of", "unicity", "95 % interval", "people", "too few points"]
    return table_text(head, rows)
