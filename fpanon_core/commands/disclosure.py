"""``disclosure``: what does an outsider learn from a few known points, under which profile?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..anonymize.disclosure_grid import disclosure_grid
from ..engines.local import LocalEngine
from ..io.writing import check_writable, write_table
from ..measures.agreement import ordinal_agreement
from ..model.configs import Strategy, UnicityConfig
from ..model.fingerprints import FingerprintSet
from . import measuring as m
from . import reading as r
from .terminal import progress_line, table_text, whole_numbers


def disclosure(
    source: r.Source = None,
    sample_key: r.SampleKey = None,
    p: Annotated[int, typer.Option("--p", help="Points known of each person.")] = 4,
    unicity_p: Annotated[
        str,
        typer.Option("--unicity-p", help="Points known, for the unicities beside it."),
    ] = "3,4,5",
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
        typer.Option("--out", help="Write one row per profile (.csv, .parquet)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tables as JSON, for machines.")
    ] = False,
) -> None:
    """Measure disclosure: what a few known points give away beyond themselves."""
    wanted = r.Reading.of(locals())
    points = whole_numbers(unicity_p, "--unicity-p")
    drawing = cast(Strategy, strategy)
    for many in (p, *points):  # before a long reading, not after
        UnicityConfig(many, drawing, users, seed)
    profiles = m.profiles_of(profile)
    engine = LocalEngine(workers)
    if out is not None:
        check_writable(out)
    fs, report = wanted.read()
    with progress_line("disclosure") as progress:
        table = disclosure_grid(
            fs, profiles or [m.as_read(fs)], p=p, unicity_p=points, strategy=drawing, users=users,
            seed=seed, engine=engine, progress=progress,
        )  # fmt: skip
    names = [f"unicity_p{q}" for q in points] + ["k", "em", "kl"]
    values = table.set_index("profile")[names]
    agreement = ordinal_agreement(values) if len(values) > 1 else pd.DataFrame()
    if out is not None:
        write_table([table], out)
    if as_json:
        told = _plain(fs, table, agreement)
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(_table(table, points))
    typer.echo(
        f"Someone who knows nothing finds one in {int(fs.weight.sum()):,}, and learns nothing: "
        "EM and KL 0."
    )
    if len(agreement):
        typer.echo(_agreement(agreement))
    if out is not None:
        typer.echo(f"Disclosure by profile written to {out}.")


def _plain(fs: FingerprintSet, table: pd.DataFrame, agreement: pd.DataFrame) -> dict[str, Any]:
    pairs = agreement.to_dict("records")
    for pair in pairs:
        pair["tau"] = None if math.isnan(pair["tau"]) else pair["tau"]
    return {
        "users": int(fs.weight.sum()),
        "config": table.attrs["config"],
        "digest": table.attrs["digest"],
        "disclosure": table.to_dict("records"),
        "agreement": pairs,
    }


def _table(table: pd.DataFrame, points: list[int]) -> str:
    rows = [
        [
            row["profile"],
            *(f"{row[f'unicity_p{q}']:.1%}" for q in points),
            *(_with_interval(row, name) for name in ("k", "em", "kl")),
            f"{row['bins']:,}",
            f"{row['targets']:,}",
            f"{row['too_few']:,}",
        ]
        for row in table.to_dict("records")
    ]
    head = ["profile", *(f"unicity, {q} points" for q in points), "k", "EM", "KL, nats", "bins",
            "people", "too few points"]  # fmt: skip
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
