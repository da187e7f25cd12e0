"""``recover``: what an attacker makes of published counts, and what mitigations help."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import pandas as pd
import typer

from ..model.aggregates import RecoveryScore
from ..model.errors import ConfigError
from ..model.files import keyed
from ..studies import recovery, recovery_factors, recovery_mitigations
from ..studies.recovery import PAIRINGS, STEPS, Pairing
from ..studies.tabled import Tabled
from ..tables.writing import check_writable, write_table
from . import measuring as m
from . import reading as r
from . import tables as t
from .measuring import foretold
from .terminal import progress_line, table_text

_EVERYONE = "all"


@r.reading_options
def recover(
    wanted: r.Request,
    slot_min: Annotated[
        float, typer.Option("--slot-min", help="Length of a slot, minutes; must divide a day.")
    ] = 30.0,
    users: Annotated[
        str,
        typer.Option(
            "--users",
            help="People counted, drawn at random; all if there are fewer.",
            metavar="NUMBER|all",
        ),
    ] = _EVERYONE,
    link_threshold_m: Annotated[
        float,
        typer.Option(
            "--link-threshold-m",
            help="Link trajectories and records no farther apart at once, metres; 0 keeps every "
            "assignment optimal.",
        ),
    ] = 0.0,
    pairing: Annotated[
        str,
        typer.Option(
            "--pairing",
            help="How recovered and true trajectories are paired for the score.",
            metavar="greedy|optimal",
        ),
    ] = "greedy",
    seed: Annotated[
        int, typer.Option("--seed", help="Of the random baseline, and of whom is drawn.")
    ] = 0,
    factors: Annotated[
        bool,
        typer.Option(
            "--factors",
            help="Repeat the attack on coarser places, longer slots and fewer people; takes "
            "longer.",
        ),
    ] = False,
    mitigations: Annotated[
        bool,
        typer.Option(
            "--mitigations", help="Repeat the attack after each mitigation; takes longer."
        ),
    ] = False,
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write the scores, or the mitigations or else the factors if asked for (.csv, "
            ".parquet).",
        ),
    ] = None,
    tables: t.Tables = None,
    trajectories: Annotated[
        Path | None,
        typer.Option(
            "--trajectories",
            help="Write the recovered trajectories, one row per slot (.csv, .parquet). They may "
            "be true: guard them like the data.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the scores as JSON, for machines.")
    ] = False,
) -> None:
    """Attack the data's own counts by place and time slot: are counts alone safe to publish?"""
    if pairing not in PAIRINGS:
        raise ConfigError(f"--pairing {pairing!r}; give one of {', '.join(PAIRINGS)}.")
    # Before a long reading, not after.
    counting = (slot_min, _number_of(users), cast(Pairing, pairing), seed)
    config = recovery.Config(*counting, link_threshold_m)
    engine = m.engine_of(workers, scheduler)
    for path in (out, trajectories):
        if path is not None:
            check_writable(path)
    if tables is not None:
        t.check_folder(tables)
    fs, report = wanted.read()
    foretold(recovery.study, fs, config, engine)
    with progress_line("recovery") as progress:
        found = recovery.study(fs, config, engine=engine, progress=progress)
    varied = tried = None
    if factors:
        with progress_line("factors") as progress:
            varied = recovery_factors.study(
                fs, recovery_factors.Config(*counting), engine=engine, progress=progress
            )
    if mitigations:
        with progress_line("mitigations") as progress:
            tried = recovery_mitigations.study(
                fs, recovery_mitigations.Config(*counting), engine=engine, progress=progress
            )
    results: list[Tabled] = [each for each in (found, varied, tried) if each is not None]
    if out is not None:
        write_table([results[-1].to_frame()], out)
    if tables is not None:
        for result in results:
            t.write_tables(result, tables)
    if trajectories is not None:
        t.write_guarded(found.trajectories(), trajectories)
    if as_json:
        typer.echo(json.dumps(_plain(found, varied, tried), indent=2, allow_nan=False))
        return
    score, counts = found.score, found.counts
    typer.echo(wanted.account(fs, report))
    typer.echo(
        f"Counts of {score.n_users:,} people at {counts.n_places:,} places in {counts.n_slots:,} "
        f"slots of {counts.slot_min:g} min; the attack saw nothing else."
    )
    typer.echo(_score_text(score))
    if varied is not None:
        typer.echo(_factors_text(varied.levels))
    if tried is not None:
        typer.echo(_mitigations_text(tried.table))
    for path, what in (
        (out, "Scores"),
        (trajectories, "Recovered trajectories, not for release,"),
    ):
        if path is not None:
            typer.echo(f"{what} written to {path}.")
    if tables is not None:
        typer.echo(t.told(tables))


def _number_of(users: str) -> int | None:
    """How many people ``--users`` names; None for all."""
    if users == _EVERYONE:
        return None
    try:
        return int(users)
    except ValueError:
        raise ConfigError(f"--users {users!r}; give a number of people, or {_EVERYONE}.") from None


def _plain(
    found: recovery.Result,
    varied: recovery_factors.Result | None,
    tried: recovery_mitigations.Result | None,
) -> dict[str, Any]:
    score, counts = found.score, found.counts
    told: dict[str, Any] = {
        "users": score.n_users,
        "places": counts.n_places,
        "slots": counts.n_slots,
        "config": asdict(found.config),
        "digest": keyed(found.digest),
        "scores": _records(found.to_frame()),
    }
    if varied is not None:
        told["factors"] = _records(varied.levels)
    if tried is not None:
        told["mitigations"] = _records(tried.table)
    return told


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows with None where there is no number, as JSON knows no NaN."""
    rows = [dict(row) for row in table.to_dict("records")]
    return [{str(k): None if v != v else v for k, v in row.items()} for row in rows]


def _share(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:,.1%}"


def _score_text(score: RecoveryScore) -> str:
    """What is filled in first, then of what is recorded, then of all."""
    rows = [
        [step, *map(_share, shares)]
        for step, *shares in zip(
            STEPS.values(),
            score.recorded_by_step,
            score.baseline_recorded_by_step,
            score.accuracy_by_step,
            score.baseline_by_step,
            strict=True,
        )
    ]
    unique = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(score.uniqueness, 1))
    head = ["after", "recorded points", "at random", "all points", "at random"]
    return (
        f"{1 - score.recorded_share:.1%} of the points had to be filled in between records.\n"
        + table_text(head, rows)
        + f"\nError: median {score.error_median_m:,.0f} m, mean {score.error_mean_m:,.0f} m."
        + f"\nRecovered trajectories unique by their most visited places: {unique}."
    )


def _factors_text(table: pd.DataFrame) -> str:
    level: dict[str, Callable[[float], str]] = {
        "space": lambda metres: f"places of {metres:g} m" if metres else "places as they are",
        "time": lambda minutes: f"slots of {minutes:g} min",
        "users": lambda people: f"{people:,.0f} people",
    }
    rows = [
        [
            level[str(row["factor"])](row["level"]),
            *(_share(row[column]) for column in (*STEPS, "whole_random")),
            f"{row['error_median_m']:,.0f} m",
        ]
        for row in table.to_dict("records")
    ]
    return table_text(["factor", *STEPS.values(), "at random", "median error"], rows)


def _mitigations_text(table: pd.DataFrame) -> str:
    rows = [
        [
            str(row["mitigation"])
            + ("" if np.isnan(row["setting"]) else f" ({row['setting']:g})")
            + (f", {row['unit']}" if row["unit"] else ""),
            *(
                _share(row[column])
                for column in ("recorded", "recorded_random", "whole", "whole_random")
            ),
            f"{row['count_error']:,.2f}",
            _share(row["count_error_share"]),
        ]
        for row in table.to_dict("records")
    ]
    head = [
        "mitigation",
        "recorded points",
        "at random",
        "all points",
        "at random",
        "error of a count",
        "of all people counted",
    ]
    return (
        table_text(head, rows)
        + "\nPrivate counts here are noise over places and a period taken from the data: they "
        "show what noise does, and promise nothing. See the command counts."
    )
