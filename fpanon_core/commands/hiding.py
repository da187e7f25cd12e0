"""What the commands that hide everyone share: their options, and what is done and told."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..io.checkpoint import Checkpoint
from ..io.publishing import FORMATS, Format
from ..model.checks import one_of
from ..model.errors import ConfigError
from ..model.files import keyed
from ..model.glove import GloveResult
from ..model.periods import days_text
from ..studies import comparison, hiding
from ..studies.publishing import publish
from ..studies.under_profiles import corners
from . import leaving
from . import reading as r
from .measuring import engine_of, foretold
from .tables import check_folder, told, write_tables
from .terminal import progress_line, table_text

K = Annotated[int, typer.Option("--k", "-k", help="Least number of people who look the same.")]
LeftOver = Annotated[
    str,
    typer.Option(
        "--leftover",
        help="The last people, fewer than k: merge them into the nearest group, or suppress.",
        metavar="merge|suppress",
    ),
]
Compare = Annotated[
    bool,
    typer.Option(
        "--compare",
        help="Beside it, the cost of making everyone equally coarse, and of GLOVE without and "
        "with limits (15 km, 6 hours), for k = 2, 5 and 10.",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        help="Cut the data into so many parts first, of people near to each other, and hide each "
        "for itself: everyone is one of k all the same, time and memory fall, and the loss rises "
        "a little. About 5,000 people in a part is a good size.",
    ),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        help="With --shards: a folder of its own in which parts that are done are kept, so that "
        "the same command, begun again, does only what is missing. It tells of people: it is for "
        "you alone, and is emptied when the run ends.",
    ),
]
_KEPT = (
    "Shards that were done are kept in {}: the same command, begun again, does only what is "
    "missing. They tell of people; remove the folder if it is not to be gone on with."
)
AsJson = Annotated[bool, typer.Option("--json", help="Print the figures as JSON, for machines.")]


def carried_out(
    wanted: r.Request,
    config: hiding.Config,
    workers: int | None,
    scheduler: str | None,
    out: Path | None,
    key: Path | None,
    left_out: Path | None,
    data_format: str,
    tables: Path | None,
    compare: bool,
    as_json: bool,
    checkpoint: Path | None = None,
) -> None:
    """Hide everyone as ``config`` says, verify it, write what was asked for, and tell."""
    engine = engine_of(workers, scheduler)
    one_of("--format", data_format, FORMATS)
    if out is None and (key is not None or left_out is not None):
        raise ConfigError(
            "A key and a list of what was left out belong to a release; give --out, too."
        )
    leaving.check_places(out, key, left_out)
    if tables is not None:
        check_folder(tables)
    if checkpoint is not None and config.shards is None:
        raise ConfigError(
            "Checkpoints are of shards; give --shards, too, or leave --checkpoint out."
        )
    kept = None if checkpoint is None else Checkpoint(checkpoint)
    fs, report = wanted.read()
    foretold(hiding.study, fs, config, engine)
    with progress_line("GLOVE" if config.method == "glove" else config.method) as progress:
        try:
            result = hiding.study(fs, config, checkpoint=kept, engine=engine, progress=progress)
        except KeyboardInterrupt:
            if kept is not None:
                typer.echo(f"\nInterrupted. {_KEPT.format(kept.folder)}", err=True)
            raise
    passed = result.verdict.passed
    beside = None
    if compare and passed:
        with progress_line("comparison") as progress:
            wishes = comparison.Config(stretch=config.stretch)
            beside = comparison.study(fs, wishes, engine=engine, progress=progress)
    if passed:  # what fails is not released
        if out is not None:
            publish(
                result.release,
                out,
                key=key,
                original=fs,
                left_out=left_out,
                format=cast(Format, data_format),
            )
        for made in (result, beside):
            if tables is not None and made is not None:
                write_tables(made, tables)
    if kept is not None:
        kept.clear()
    if as_json:
        typer.echo(json.dumps(_plain(result, beside), ensure_ascii=False, indent=2))
    else:
        typer.echo(wanted.account(fs, report))
        typer.echo(_table(result))
        typer.echo(str(result.verdict))
        if beside is not None:
            typer.echo(_compared(beside.comparison))
            tried = beside.searched
            typer.echo(
                f"Uniform: of {len(tried)} grids tried, from {tried[0]} to {tried[-1]}, the "
                "first that hides most. The last puts everything in one cell."
            )
            typer.echo(corners(beside.comparison))
    if not passed:
        typer.echo("Error: the release did not pass its verification; nothing written.", err=True)
        raise typer.Exit(1)
    if out is not None and not as_json:
        typer.echo(leaving.told(out, key, left_out))
    if tables is not None and not as_json:
        typer.echo(told(tables))


def _plain(result: hiding.Result, beside: comparison.Result | None) -> dict[str, Any]:
    release = result.release
    figures = {
        "method": release.method,
        **_without_nan(release.summary()),
        "mean_loss": None if math.isnan(result.mean_loss) else result.mean_loss,
        "suppress_space_m": release.suppress_space_m,
        "suppress_time_min": release.suppress_time_min,
        "leftover": release.leftover,
        "leave_out": release.leave_out,
        "digest": keyed(release.whole_digest or release.digest),
        "verified": result.verdict.passed,
        "violations": result.verdict.counts,
        "versions": release.versions,
    }
    if beside is not None:
        figures["comparison"] = [_without_nan(row) for row in beside.comparison.to_dict("records")]
    return figures


def _without_nan(figures: dict[Any, Any]) -> dict[Any, Any]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in figures.items()
    }


def _table(result: hiding.Result) -> str:
    made: GloveResult = result.release
    s = made.summary()
    each = ""
    rows = []
    if s["period_days"] is not None:
        each = " in all periods"
        rows = [
            ["periods", f"{s['periods']:,} of {days_text(s['period_days'])}"],
            ["parts of people not published", f"{s['pieces_suppressed']:,} of {s['pieces']:,}"],
        ]
    rows += [
        ["groups", f"{s['groups']:,} of {s['smallest_group']} to {s['largest_group']}"],
        ["left over", f"{s['users_left_over']} users{each} ({made.leftover})"],
        ["left out, hardest to hide", f"{s['users_left_out']} users{each}"],
        ["users not published", f"{s['users_suppressed']:,}"],
        ["samples suppressed", f"{s['suppressed_share']:.1%}"],
        ["phantom samples", f"{s['phantom_share']:.1%}"],
        ["spatial span", _span(s["mean_space_m"] / 1000, s["median_space_m"] / 1000, "km", 2)],
        ["temporal span", _span(s["mean_time_min"], s["median_time_min"], "min", 0)],
        [
            "mean loss",
            "nothing published" if math.isnan(result.mean_loss) else f"{result.mean_loss:.3f}",
        ],
    ]
    return table_text(["figure", "value"], rows)


def _compared(table: pd.DataFrame) -> str:
    rows = [
        [
            f"{row['method']} ({row['profile']})" if row["profile"] else row["method"],
            str(row["k"]),
            f"{row['share_hidden']:.1%}",
            _span(row["mean_space_m"] / 1000, row["median_space_m"] / 1000, "km", 2),
            _span(row["mean_time_min"], row["median_time_min"], "min", 0),
            f"{row['suppressed_share']:.1%}",
            "yes" if row["verified"] else "no",
        ]
        for row in table.to_dict("records")
    ]
    head = ["way", "k", "hidden", "spatial span", "temporal span", "suppressed", "verified"]
    return table_text(head, rows)


def _span(mean: float, median: float, unit: str, digits: int) -> str:
    if math.isnan(mean):
        return "nothing published"
    return f"mean {mean:,.{digits}f} {unit}, median {median:,.{digits}f} {unit}"
