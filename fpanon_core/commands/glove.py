"""``glove``: a release in which everyone is one of k, verified, and what it costs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from ..anonymize.glove import glove as hide
from ..anonymize.verification import verify_k_anonymity
from ..engines.local import LocalEngine
from ..io.published import dictionary_path, write_published, write_suppressed
from ..io.writing import check_writable
from ..model.glove import GloveResult, Verification
from . import measuring as m
from . import reading as r
from .terminal import progress_line, table_text


def glove(
    source: r.Source = None,
    sample_key: r.SampleKey = None,
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
    w_space: m.WSpace = 0.5,
    w_time: m.WTime = None,
    max_space_m: m.MaxSpaceM = 20_000.0,
    max_time_min: m.MaxTimeMin = 480.0,
    workers: m.Workers = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write the release (.csv, .csv.gz, .parquet), and a dictionary of its columns "
            "beside it.",
        ),
    ] = None,
    suppressed_out: Annotated[
        Path | None,
        typer.Option(
            "--suppressed-out",
            help="Write the suppressed samples: pseudonym, row number, reason. Not for release.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, for machines.")
    ] = False,
) -> None:
    """Hide everyone in a crowd of k with one fingerprint (GLOVE), and verify it."""
    wanted = r.Reading.of(locals())
    config = m.stretch(w_space, w_time, max_space_m, max_time_min)
    engine = LocalEngine(workers)
    for path in (out, suppressed_out):
        if path is not None:
            check_writable(path)
    fs, report = wanted.read()
    with progress_line("GLOVE") as progress:
        result = hide(
            fs, k, config=config, suppress_space_m=suppress_space_m,
            suppress_time_min=suppress_time_min,
            leftover=cast(Literal["merge", "suppress"], leftover), engine=engine, progress=progress,
        )  # fmt: skip
    verdict = verify_k_anonymity(fs, result, k)
    if verdict.passed:  # what fails is not released
        if out is not None:
            write_published(result, out)
        if suppressed_out is not None:
            write_suppressed(result, suppressed_out)
    if as_json:
        typer.echo(json.dumps(_plain(result, verdict), ensure_ascii=False, indent=2))
    else:
        typer.echo(wanted.account(fs, report))
        typer.echo(_table(result))
        typer.echo(str(verdict))
    if not verdict.passed:
        typer.echo("Error: the release did not pass its verification; nothing written.", err=True)
        raise typer.Exit(1)
    if out is not None and not as_json:
        typer.echo(f"Release written to {out}, its columns explained in {dictionary_path(out)}.")
    if suppressed_out is not None and not as_json:
        typer.echo(f"Suppressed samples, not for release, written to {suppressed_out}.")


def _plain(result: GloveResult, verdict: Verification) -> dict[str, Any]:
    figures = {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in result.summary().items()
    }
    return {
        **figures,
        "suppress_space_m": result.suppress_space_m,
        "suppress_time_min": result.suppress_time_min,
        "leftover": result.leftover,
        "digest": result.digest,
        "verified": verdict.passed,
        "violations": verdict.counts,
        "versions": result.versions,
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


def _span(mean: float, median: float, unit: str, digits: int) -> str:
    if math.isnan(mean):
        return "nothing published"
    return f"mean {mean:,.{digits}f} {unit}, median {median:,.{digits}f} {unit}"
