"""``hide``: a release in which everyone is one of k, verified, and what it costs."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from ..model.glove import Method
from ..studies.hiding import Config, Leftover
from . import hiding as h
from . import leaving
from . import measuring as m
from . import reading as r
from .tables import Tables


@r.reading_options
def hide(
    wanted: r.Request,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="aligned: groups cut in step with time, nobody ever told of where they were not; "
            "glove: GLOVE, as published.",
            metavar="aligned|glove",
        ),
    ] = "aligned",
    k: h.K = 2,
    period: Annotated[
        int | None,
        typer.Option(
            "--period",
            help="Days in a period: everyone has another pseudonym in each, and hides among the "
            "people of it. 1: days, 7: weeks. Whole records if not given.",
        ),
    ] = None,
    leave_out: Annotated[
        float,
        typer.Option(
            "--leave-out",
            help="Largest share of the people who may be left out for being hardest to hide, 0 to "
            "0.1; with periods, of each.",
        ),
    ] = 0.0,
    max_side_m: Annotated[
        float | None,
        typer.Option(
            "--max-side-m",
            "--suppress-space-m",
            help="Leave out samples that would make a published one wider than this, metres.",
        ),
    ] = None,
    max_span_min: Annotated[
        float | None,
        typer.Option(
            "--max-span-min",
            "--suppress-time-min",
            help="Leave out samples that would make a published one longer than this, minutes.",
        ),
    ] = None,
    leftover: h.LeftOver = "merge",
    shards: h.Shards = None,
    checkpoint: h.CheckpointFolder = None,
    w_space: m.WSpace = 0.5,
    w_time: m.WTime = None,
    max_space_m: m.MaxSpaceM = 20_000.0,
    max_time_min: m.MaxTimeMin = 480.0,
    workers: m.Workers = None,
    scheduler: m.Scheduler = None,
    out: leaving.Out = None,
    key: leaving.Key = None,
    left_out: leaving.LeftOut = None,
    data_format: leaving.DataFormat = "csv",
    tables: Tables = None,
    compare: h.Compare = False,
    as_json: h.AsJson = False,
) -> None:
    """Hide everyone in a crowd of k, aligned or by GLOVE, and verify it."""
    config = Config(
        k,
        max_side_m,
        max_span_min,
        cast(Leftover, leftover),
        m.stretch(w_space, w_time, max_space_m, max_time_min),
        cast(Method, method),
        period,
        leave_out,
        shards,
    )
    h.carried_out(
        wanted,
        config,
        workers,
        scheduler,
        out,
        key,
        left_out,
        data_format,
        tables,
        compare,
        as_json,
        checkpoint,
    )
