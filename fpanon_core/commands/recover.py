"""``recover``: what an attacker makes of published counts, and what mitigations help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import pandas as pd
import typer

from ..attacks.aggregation import aggregate_counts
from ..attacks.mitigated import longer_slot, mitigation_table
from ..attacks.recovery import recover_trajectories
from ..attacks.scoring import PAIRINGS, Pairing, score_recovery
from ..engines.local import LocalEngine
from ..io.writing import check_writable, write_table
from ..model.aggregates import AggregateCounts, Recovered, RecoveryConfig, RecoveryScore
from ..model.configs import number, whole
from ..model.errors import ConfigError
from . import measuring as m
from . import reading as r
from .terminal import progress_line, table_text

_STEPS = ("nights", "days", "across days")


def recover(
    source: r.Source = None,
    sample_key: r.SampleKey = None,
    slot_min: Annotated[
        float, typer.Option("--slot-min", help="Length of a slot, minutes; must divide a day.")
    ] = 30.0,
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
    seed: Annotated[int, typer.Option("--seed", help="Of the random baseline.")] = 0,
    mitigations: Annotated[
        bool,
        typer.Option(
            "--mitigations", help="Repeat the attack after each mitigation; takes longer."
        ),
    ] = False,
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
        typer.Option(
            "--out", help="Write the scores, or the mitigations if asked for (.csv, .parquet)."
        ),
    ] = None,
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
    wanted = r.Reading.of(locals())
    config = RecoveryConfig(link_threshold_m)  # before a long reading, not after
    number("slot_min", slot_min, above=0.0)
    whole("seed", seed, 0)
    if pairing not in PAIRINGS:
        raise ConfigError(f"--pairing {pairing!r}; give one of {', '.join(PAIRINGS)}.")
    how = cast(Pairing, pairing)
    engine = LocalEngine(workers)
    for path in (out, trajectories):
        if path is not None:
            check_writable(path)
    fs, report = wanted.read()
    counts, truth = aggregate_counts(fs, slot_min=slot_min)
    with progress_line("recovery") as progress:
        recovered = recover_trajectories(
            counts, link_threshold_m=config.link_threshold_m, engine=engine, progress=progress
        )
    with progress_line("score") as progress:
        score = score_recovery(
            recovered, counts, truth, pairing=how, seed=seed, engine=engine, progress=progress
        )
    table = None
    if mitigations:
        with progress_line("mitigations") as progress:
            table = mitigation_table(
                fs,
                slot_min=slot_min,
                coarse_slot_min=longer_slot(slot_min),
                pairing=how,
                seed=seed,
                engine=engine,
                progress=progress,
            )
    if out is not None:
        write_table([_scores(score) if table is None else table], out)
    if trajectories is not None:
        write_table([_rows(recovered, counts)], trajectories)
    if as_json:
        typer.echo(json.dumps(_plain(counts, recovered, score, table), indent=2, allow_nan=False))
        return
    typer.echo(wanted.account(fs, report))
    typer.echo(
        f"Counts of {score.n_users:,} people at {counts.n_places:,} places in {counts.n_slots:,} "
        f"slots of {counts.slot_min:g} min; the attack saw nothing else."
    )
    typer.echo(_score_text(score))
    if table is not None:
        typer.echo(_mitigations_text(table))
    for path, what in ((out, "Scores"), (trajectories, "Recovered trajectories")):
        if path is not None:
            typer.echo(f"{what} written to {path}.")


def _scores(score: RecoveryScore) -> pd.DataFrame:
    """One row per step."""
    return pd.DataFrame(
        {
            "step": _STEPS,
            "accuracy": score.accuracy_by_step,
            "at_random": score.baseline_by_step,
            "users": score.n_users,
            "slots": score.n_slots,
            "error_mean_m": [np.nan, np.nan, score.error_mean_m],
            "error_median_m": [np.nan, np.nan, score.error_median_m],
            **{f"top{k}": [np.nan, np.nan, u] for k, u in enumerate(score.uniqueness, 1)},
        }
    )


def _rows(recovered: Recovered, counts: AggregateCounts) -> pd.DataFrame:
    """One row per recovered trajectory and slot of which something was published."""
    trajectory, slot = np.nonzero(recovered.places >= 0)
    place = recovered.places[trajectory, slot]
    return pd.DataFrame(
        {
            "trajectory": trajectory,
            "slot_start_min": counts.slot_start_min[slot],
            "slot_min": counts.slot_min,
            "x_m": counts.x_m[place],
            "y_m": counts.y_m[place],
        }
    )


def _plain(
    counts: AggregateCounts, recovered: Recovered, score: RecoveryScore, table: pd.DataFrame | None
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "users": score.n_users,
        "places": counts.n_places,
        "slots": counts.n_slots,
        "config": {
            "slot_min": counts.slot_min,
            "link_threshold_m": float(recovered.config.link_threshold_m),
            "pairing": score.pairing,
            "seed": score.seed,
        },
        "digest": score.digest,
        "scores": _records(_scores(score)),
    }
    return told if table is None else told | {"mitigations": _records(table)}


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows with None where there is no number, as JSON knows no NaN."""
    rows = [dict(row) for row in table.to_dict("records")]
    return [{str(k): None if v != v else v for k, v in row.items()} for row in rows]


def _share(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:,.1%}"


def _score_text(score: RecoveryScore) -> str:
    rows = [
        [step, _share(ours), _share(random)]
        for step, ours, random in zip(
            _STEPS, score.accuracy_by_step, score.baseline_by_step, strict=True
        )
    ]
    unique = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(score.uniqueness, 1))
    return (
        table_text(["after", "recovered", "at random"], rows)
        + f"\nError: median {score.error_median_m:,.0f} m, mean {score.error_mean_m:,.0f} m."
        + f"\nRecovered trajectories unique by their most visited places: {unique}."
    )


def _mitigations_text(table: pd.DataFrame) -> str:
    rows = [
        [
            str(row["mitigation"])
            + ("" if np.isnan(row["setting"]) else f" ({row['setting']:g})")
            + (f", {row['unit']}" if row["unit"] else ""),
            *(_share(row[column]) for column in ("night", "day", "whole", "whole_random")),
            f"{row['count_error']:,.2f}",
            _share(row["count_error_share"]),
        ]
        for row in table.to_dict("records")
    ]
    head = ["mitigation", *_STEPS, "at random", "error of a count", "of all people counted"]
    return table_text(head, rows)
