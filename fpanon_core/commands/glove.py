"""``glove``: a release in which everyone is one of k, verified, and what it costs."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, cast

import pandas as pd
import typer

from ..engines.local import LocalEngine
from ..io.publishing import FORMATS, Format
from ..model.checks import one_of
from ..model.errors import ConfigError
from ..model.glove import GloveResult
from ..model.keyed import keyed
from ..studies import comparison, hiding
from ..studies.publishing import publish
from ..studies.under_profiles import corners
from . import leaving
from . import measuring as m
from . import reading as r
from .tables import Tables, check_folder, told, write_tables
from .terminal import progress_line, table_text


@r.reading_options
def glove(
    wanted: r.Request,
    k: Annotated[int, typer.Option("--k", help="Least number of people who look the same.")] = 2,
    suppress_space_m: Annotated[
        float | None,
        typer.Option(
            "--suppress-space-m",
            help="Leave out samples that would make a published one wider than this, metres.",
        ),
    ] = None,
    suppress_time_min: Annotated[
        float | None,
        typer.Option(
            "--suppress-time-min",
            help="Leave out samples that would make a published one longer than this, minutes.",
        ),
    ] = None,
    leftover: Annotated[
        str,
        typer.Option(
            "--leftover",
            help="The last people, fewer than k: merge them into the nearest group, or suppress.",
            metavar="merge|suppress",
        ),
    ] = "merge",
    w_space: m.WSpace = 0.5,
    w_time: m.WTime = None,
    max_space_m: m.MaxSpaceM = 20_000.0,
    max_time_min: m.MaxTimeMin = 480.0,
    workers: m.Workers = None,
    out: leaving.Out = None,
    key: leaving.Key = None,
    left_out: leaving.LeftOut = None,
    data_format: leaving.DataFormat = "csv",
    tables: Tables = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Beside it, the cost of making everyone equally coarse, and of GLOVE without and "
            "with limits (15 km, 6 hours), for k = 2, 5 and 10.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, for machines.")
    ] = False,
) -> None:
    """Hide everyone in a crowd of k with one fingerprint (GLOVE), and verify it."""
    stretch = m.stretch(w_space, w_time, max_space_m, max_time_min)
    config = hiding.Config(
        k, suppress_space_m, suppress_time_min, cast(hiding.Leftover, leftover), stretch
    )
    engine = LocalEngine(workers)
    one_of("--format", data_format, FORMATS)
    if out is None and (key is not None or left_out is not None):
        raise ConfigError(
            "A key and a list of what was left out belong to a release; give --out, too."
        )
    leaving.check_places(out, key, left_out)
    if tables is not None:
        check_folder(tables)
    fs, report = wanted.read()
    with progress_line("GLOVE") as progress:
        result = hiding.study(fs, config, engine=engine, progress=progress)
    passed = result.verdict.passed
    beside = None
    if compare and passed:
        with progress_line("comparison") as progress:
            wishes = comparison.Config(stretch=stretch)
            beside = comparison.study(fs, wishes, engine=engine, progress=progress)
    if passed:  # what fails is not released
        if out is not None:
            publish(
                result.release, out, key=key, original=fs, left_out=left_out,
                format=cast(Format, data_format),
            )  # fmt: skip
        for made in (result, beside):
            if tables is not None and made is not None:
                write_tables(made, tables)
    if as_json:
        typer.echo(json.dumps(_plain(result, beside), ensure_ascii=False, indent=2))
    else:
        typer.echo(wanted.account(fs, report))
        typer.echo(_table(result.release))
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
        **_without_nan(release.summary()),
        "suppress_space_m": release.suppress_space_m,
        "suppress_time_min": release.suppress_time_min,
        "leftover": release.leftover,
        "digest": keyed(release.digest),
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


def _table(result: GloveResult) -> str:
    s = result.summary()
    rows = [
        ["groups", f"{s['groups']:,} of {s['smallest_group']} to {s['largest_group']}"],
        ["left over", f"{s['users_left_over']} users ({result.leftover})"],
        ["users not published", f"{s['users_suppressed']:,}"],
        ["samples suppressed", f"{s['suppressed_share']:.1%}"],
        ["phantom samples", f"{s['phantom_share']:.1%}"],
        ["spatial span", _span(s["mean_space_m"] / 1000, s["median_space_m"] / 1000, "km", 2)],
        ["temporal span", _span(s["mean_time_min"], s["median_time_min"], "min", 0)],
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
