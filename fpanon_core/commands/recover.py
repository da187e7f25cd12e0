"""``recover``: trajectories that an attacker recovers from published counts, and mitigations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from ..model.aggregates import RecoveryScore
from ..model.errors import ConfigError
from ..model.files import keyed
from ..studies import recovery, recovery_factors, recovery_mitigations
from ..studies.recovery import STEPS
from .from_config import Fields, asked, command
from .run import Run, table_text

_EVERYONE = "all"


def _number_of(users: str) -> int | None:
    """Return the number of people that ``--users`` states; None for all."""
    if users == _EVERYONE:
        return None
    try:
        return int(users)
    except ValueError:
        raise ConfigError(f"--users {users!r}; give a number of people, or {_EVERYONE}.") from None


_ASKED: Fields = {
    "users": asked(default=_EVERYONE, kind=str, metavar=f"NUMBER|{_EVERYONE}", read=_number_of)
}


@dataclass(frozen=True)
class Besides:
    """Further questions and outputs of the command ``recover``.

    Attributes
    ----------
    factors : bool
        Repeat the attack on coarser places, longer slots and fewer people; takes longer.
    mitigations : bool
        Repeat the attack after each mitigation; takes longer.
    trajectories : Path or None
        Write the recovered trajectories, one row per trajectory and slot (.csv, .parquet). They may
        be correct: guard them like the data.
    """

    factors: bool = False
    mitigations: bool = False
    trajectories: Path | None = None


@command
def recover(config: Annotated[recovery.Config, _ASKED], besides: Besides, run: Run) -> None:
    """Attack the data's own counts by place and time slot: are counts alone safe to publish?

    Parameters
    ----------
    users : int or None
        Number of people counted, drawn at random; all if there are fewer.
    out : Path or None
        Write the scores (.csv, .parquet). With --mitigations, write the mitigations instead;
        otherwise, with --factors, write the factors.
    """
    counting = (config.slot_min, config.users, config.pairing, config.seed)
    run.read(besides.trajectories)
    run.estimate(recovery.study, config)
    found: recovery.Result = run.ask("recovery", recovery.study, config)
    varied = tried = None
    if besides.factors:
        levels = recovery_factors.Config(*counting)
        varied = run.ask("factors", recovery_factors.study, levels)
    if besides.mitigations:
        ways = recovery_mitigations.Config(*counting)
        tried = run.ask("mitigations", recovery_mitigations.study, ways)
    run.write((tried or varied or found).to_frame(), run.out, "Scores")
    trajectories = found.trajectories() if besides.trajectories is not None else pd.DataFrame()
    run.write(trajectories, besides.trajectories, "Recovered trajectories", guarded=True)
    run.write_tables(found, varied, tried)
    counts, n_users = found.counts, found.score.n_users
    figures = {
        "users": n_users,
        "places": counts.n_places,
        "slots": counts.n_slots,
        "config": asdict(config),
        "digest": keyed(found.digest),
        "scores": found.to_frame(),
        **({} if varied is None else {"factors": varied.levels}),
        **({} if tried is None else {"mitigations": tried.table}),
    }
    run.end(
        figures,
        f"Counts of {n_users:,} people at {counts.n_places:,} places in {counts.n_slots:,} slots "
        f"of {counts.slot_min:g} min; the attack saw nothing else.",
        _score_text(found.score),
        "" if varied is None else _factors_text(varied.levels),
        "" if tried is None else _mitigations_text(tried.table),
    )


def _share(value: float) -> str:
    return "none" if np.isnan(value) else f"{value:,.1%}"


def _score_text(score: RecoveryScore) -> str:
    """Return as text the shares recovered after each step and at random, and the uniqueness."""
    recorded = score.recorded_by_step, score.baseline_recorded_by_step
    found = zip(*recorded, score.accuracy_by_step, score.baseline_by_step, strict=True)
    after = zip(STEPS.values(), found, strict=True)
    rows = [[step, *map(_share, shares)] for step, shares in after]
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


_MITIGATED = ("recorded", "recorded_random", "whole", "whole_random")


def _mitigations_text(table: pd.DataFrame) -> str:
    rows = [
        [
            str(row["mitigation"])
            + ("" if np.isnan(row["setting"]) else f" ({row['setting']:g})")
            + (f", {row['unit']}" if row["unit"] else ""),
            *(_share(row[column]) for column in _MITIGATED),
            f"{row['count_error']:,.2f}",
            _share(row["count_error_share"]),
        ]
        for row in table.to_dict("records")
    ]
    points = ["recorded points", "at random", "all points", "at random"]
    head = ["mitigation", *points, "error of a count", "of the sum of counts"]
    return (
        table_text(head, rows)
        + "\nPrivate counts here have the noise that their ε needs, for places and a "
        "period taken from the data. Such counts show what noise does and promise "
        "nothing. See the command counts."
    )
