"""``unicity``: how many people do a few points single out, under one profile or a grid of them?"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..anonymize.unicity_grid import unicity_grid
from ..engines.local import LocalEngine
from ..io.writing import check_writable, write_table
from ..model.configs import Strategy, UnicityConfig
from ..model.fingerprints import FingerprintSet
from . import measuring as m
from . import reading as r
from .terminal import progress_line, table_text, whole_numbers


def unicity(
    source: r.Source = None,
    sample_key: r.SampleKey = None,
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
    user: r.User = None,
    time: r.Time = None,
    lat: r.Lat = None,
    lon: r.Lon = None,
    antenna: r.Antenna = None,
    offset: r.Offset = None,
    antennas: r.Antennas = None,
    timezone: r.Timezone = None,
    naive_timezone: r.NaiveTimezone = None,
    granularity_m: r.GranularityM = 100.0,
    granularity_min: r.GranularityMin = 1.0,
    screen: r.Screen = None,
    workers: m.Workers = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write one row per profile, p and crowd (.csv, .parquet)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the table as JSON, for machines.")
    ] = False,
) -> None:
    """Estimate unicity: the share of people whom a few known points single out."""
    wanted = r.Reading.of(locals())
    points, crowds = whole_numbers(p, "--p"), whole_numbers(out_of, "--out-of")
    drawing = cast(Strategy, strategy)
    for many, crowd in product(points, crowds):  # before a long reading, not after
        UnicityConfig(many, drawing, users, seed, crowd)
    profiles = m.profiles_of(profile)
    engine = LocalEngine(workers)
    if out is not None:
        check_writable(out)
    fs, report = wanted.read()
    with progress_line("unicity") as progress:
        table = unicity_grid(
            fs, profiles or [m.as_read(fs)], points, out_of=crowds, strategy=drawing, users=users,
            seed=seed, engine=engine, progress=progress,
        )  # fmt: skip
    if out is not None:
        write_table([table], out)
    if as_json:
        typer.echo(json.dumps(_plain(fs, table), ensure_ascii=False, indent=2))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_table(table))
    typer.echo(f"Guessing finds one in {int(fs.weight.sum()):,}.")
    if out is not None:
        typer.echo(f"Unicity by profile and points written to {out}.")


def _plain(fs: FingerprintSet, table: pd.DataFrame) -> dict[str, Any]:
    return {
        "users": int(fs.weight.sum()),
        "config": table.attrs["config"],
        "digest": table.attrs["digest"],
        "unicity": table.to_dict("records"),
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
