"""``attack``, ``recover``: what attackers find in a release, and in the data's own counts."""

from __future__ import annotations

import math
import zipfile
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from ..io.publishing import DATA_PACKAGE
from ..model.composition import ATTACKERS as RELINKERS
from ..model.composition import RelinkConfig
from ..model.errors import ConfigError, InfeasibleError
from ..model.files import keyed
from ..model.periods import days_text
from ..studies import recovery, recovery_factors, recovery_mitigations, relinking
from ..studies.attack import ATTACKERS, Config, Result, made, study
from ..studies.recovery import STEPS
from ..tables.writing import check_place, write_json
from .from_config import STRATEGY, Fields, asked, command
from .releases import OPTION, OPTIONS, named, options_in
from .run import Run, plain, rows_text, said, table_text

# What the re-linking attack finds, or why it cannot be run.
Linked = relinking.Result | str

_FOUND = "Findings before and after the release"
_UNIFORM = replace(STRATEGY, default="uniform")
_ASKED: Fields = {"option": None, "within_m": None, "strategy": _UNIFORM}


@command
def attack(
    option: Annotated[str, OPTION],
    config: Annotated[Config, _ASKED],
    run: Run,
    options_file: Annotated[Path | None, OPTIONS] = None,
) -> None:
    """Attack the data as they are and as released, with true points; compare with guessing.

    The command makes the release that the option describes, and attacks it with points of the
    original data. The result states how many people's records are picked, how many homes are found,
    and how far off guessed places are.

    For example: fpanon attack records.csv.gz --option 'GLOVE, k = 5' --p 4 --out attack.csv

    Parameters
    ----------
    out : Path or None
        Write one row per measure (.csv, .parquet), or everything (.json).
    seed : int
        Seed of the draws of targets, points and errors, and of the release.
    blur_m : float
        Error of the known places: standard deviation along x and y, metres.
    blur_min : float
        Error of the known times: standard deviation, minutes.
    """
    own = options_in(options_file)
    _check_original(run.wanted.source)
    everything = None
    if run.out is not None and run.out.suffix.lower() == ".json":
        everything, run.out = check_place(run.out), None
    run.read()
    config = replace(config, option=named(option, own, run.fs))
    run.estimate(study, config)
    result: Result = run.ask("attack", study, config)
    linked = None
    if result.period_days is not None:
        linked = _linked(run, config)
    figures = _figures(result, linked)
    run.write(result.to_frame(), run.out, _FOUND)
    if everything is not None:
        write_json(plain(figures), everything)
        run.written.append(f"{_FOUND} written to {everything}.")
    run.write_tables(result, linked if isinstance(linked, relinking.Result) else None)
    run.end(figures, _table(result), " ".join(words(result, linked)))


def _check_original(source: Path | None) -> None:
    """Raise ConfigError if the data are already a release, which does not name its people."""
    if source is None:
        return
    beside = source / DATA_PACKAGE if source.is_dir() else source.with_name(DATA_PACKAGE)
    found = source.exists() and beside.exists()
    other = suppress(OSError, zipfile.BadZipFile, NotImplementedError)
    with other, zipfile.ZipFile(source) as held:  # of other files, the reader says what is wrong
        found = DATA_PACKAGE in held.namelist()
    if found:
        raise ConfigError(
            "This is already a release. It does not say whose records it holds, so nobody can "
            "tell whether the right record is found. Give the original data and, with --option, a "
            "release option: this command makes the release and attacks it."
        )


def _linked(run: Run, config: Config) -> Linked:
    """Return the result of linking people's records across periods, or why that is impossible."""
    asked = relinking.Config(config.option, RelinkConfig(seed=config.seed))
    try:
        linked: relinking.Result = run.ask(
            "link periods", relinking.study, asked, made(run.fs, config, engine=run.engine)
        )
    except InfeasibleError as why:
        return str(why)
    return linked


_NOT_FIGURES = {"per_pair", "method", "period_days", "config", "digest"}


def _figures(result: Result, linked: Linked | None) -> dict[str, Any]:
    settings = {name: value for name, value in asdict(result.config).items() if name != "option"}
    found = vars(linked.found) if isinstance(linked, relinking.Result) else None
    return {
        "method": result.method,
        "option": result.option.to_dict(),
        "crowd": result.crowd,
        "period_days": result.period_days,
        "people_in_release": result.after.link.n_users,
        "config": settings,
        "digest": keyed(result.digest),
        "attack": result.to_frame(),
        "relinked": found and {n: v for n, v in found.items() if n not in _NOT_FIGURES},
    }


# --- the table -----------------------------------------------------------------------------------


def _table(result: Result) -> str:
    head = ["", "as it is", "95% interval", "released", "95% interval", "guessing", "tested"]
    rows = [
        [
            row["measure"],
            *_estimate(row, "before", row["before_asked"]),
            *_estimate(row, "after", row["asked"]),
            "" if math.isnan(row["guessing"]) else _value(row["guessing"], row["unit"]),
            f"{row['asked']:,}",
        ]
        for row in result.to_frame().to_dict("records")
        if row["asked"] or row["before_asked"]
    ]
    return table_text(head, rows)


def _estimate(row: dict[Any, Any], name: str, asked: int) -> list[str]:
    if not asked:
        return ["nobody tested", ""]
    value, low, high = (_value(row[f"{name}{end}"], row["unit"]) for end in ("", "_low", "_high"))
    return [value, f"{low} … {high}"]


def _value(value: float, unit: str) -> str:
    return f"{value:,.0f} m" if unit == "m" else f"{value:.1%}"


# --- the words -----------------------------------------------------------------------------------


def words(result: Result, linked: Linked | None = None) -> list[str]:
    """Return the findings as sentences that can be quoted."""
    table, days = result.after.home, result.period_days
    return said(
        "attack",
        result=result,
        linked=linked,
        home=None if table is None else table.iloc[[len(table) // 2]].to_dict("records")[0],
        length="" if days is None else days_text(days),
        attackers=ATTACKERS,
        relinkers=RELINKERS,
    )


# --- recover --------------------------------------------------------------------------------------

_EVERYONE = "all"


def _number_of(users: str) -> int | None:
    """Return the number of people that ``--users`` states; None for all."""
    if users == _EVERYONE:
        return None
    try:
        return int(users)
    except ValueError:
        raise ConfigError(f"--users {users!r}; give a number of people, or {_EVERYONE}.") from None


_COUNTED: Fields = {
    "users": asked(default=_EVERYONE, kind=str, metavar=f"NUMBER|{_EVERYONE}", read=_number_of)
}


@command
def recover(
    *,
    config: Annotated[recovery.Config, _COUNTED],
    factors: bool = False,
    mitigations: bool = False,
    trajectories: Path | None = None,
    run: Run,
) -> None:
    """Attack the data's own counts by place and time slot: are counts alone safe to publish?

    Parameters
    ----------
    users : int or None
        Number of people counted, drawn at random; all if there are fewer.
    factors : bool
        Repeat the attack on coarser places, longer slots and fewer people; takes longer.
    mitigations : bool
        Repeat the attack after each mitigation; takes longer.
    trajectories : Path or None
        Write the recovered trajectories, one row per trajectory and slot (.csv, .parquet). They may
        be correct: guard them like the data.
    out : Path or None
        Write the scores (.csv, .parquet). With --mitigations, write those after each mitigation
        instead; otherwise, with --factors, write those for each factor.
    """
    counting = (config.slot_min, config.users, config.pairing, config.seed)
    run.read(trajectories)
    run.estimate(recovery.study, config)
    found: recovery.Result = run.ask("recovery", recovery.study, config)
    varied = tried = None
    if factors:
        levels = recovery_factors.Config(*counting)
        varied = run.ask("factors", recovery_factors.study, levels)
    if mitigations:
        ways = recovery_mitigations.Config(*counting)
        tried = run.ask("mitigations", recovery_mitigations.study, ways)
    run.write((tried or varied or found).to_frame(), run.out, "Scores")
    if trajectories is not None:
        run.write(found.trajectories(), trajectories, "Recovered trajectories", guarded=True)
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
        f"of {counts.slot_min:g} min; the attack sees nothing else.",
        _score_text(found),
        "" if varied is None else _factors_text(varied.levels),
        "" if tried is None else _mitigations_text(tried.table),
    )


_AT_RANDOM = "at random"
_STEPS = (
    ("after", "{step}"),
    ("recorded points", "{recorded_accuracy:,.1%}"),
    (_AT_RANDOM, "{recorded_at_random:,.1%}"),
    ("all points", "{accuracy:,.1%}"),
    (_AT_RANDOM, "{at_random:,.1%}"),
)
_FACTORS = (
    ("factor", "{told}"),
    *((step, f"{{{name}:,.1%}}") for name, step in STEPS.items()),
    (_AT_RANDOM, "{whole_random:,.1%}"),
    ("median error", "{error_median_m:,.0f} m"),
)
_MITIGATIONS = (
    ("mitigation", "{told}"),
    ("recorded points", "{recorded:,.1%}"),
    (_AT_RANDOM, "{recorded_random:,.1%}"),
    ("all points", "{whole:,.1%}"),
    (_AT_RANDOM, "{whole_random:,.1%}"),
    ("error of a count", "{count_error:,.2f}"),
    ("of the sum of counts", "{count_error_share:,.1%}"),
)
_LEVELS = {"space": "places of {:g} m", "time": "slots of {:g} min", "users": "{:,.0f} people"}


def _score_text(found: recovery.Result) -> str:
    """Return as text the shares recovered after each step and at random, and the uniqueness."""
    score = found.score
    unique = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(score.uniqueness, 1))
    return (
        f"{1 - score.recorded_share:.1%} of the points had to be filled in between records.\n"
        + rows_text(found.to_frame(), _STEPS)
        + f"\nError: median {score.error_median_m:,.0f} m, mean {score.error_mean_m:,.0f} m."
        + f"\nRecovered trajectories unique by their most visited places: {unique}."
    )


def _factors_text(table: pd.DataFrame) -> str:
    told = [
        _LEVELS[factor].format(level) if factor != "space" or level else "places as they are"
        for factor, level in zip(table["factor"], table["level"], strict=True)
    ]
    return rows_text(table.assign(told=told), _FACTORS)


def _mitigations_text(table: pd.DataFrame) -> str:
    setting = ["" if math.isnan(each) else f" ({each:g})" for each in table["setting"]]
    unit = table["unit"].where(table["unit"] == "", ", " + table["unit"])
    return (
        rows_text(table.assign(told=table["mitigation"] + setting + unit), _MITIGATIONS)
        + "\nPrivate counts here have the noise that their ε needs, for places and a "
        "period taken from the data. Such counts show what noise does and promise "
        "nothing. See `fpanon tables`."
    )
