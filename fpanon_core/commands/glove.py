"""``glove``: ``hide`` by GLOVE, of whole fingerprints; as it was before there was ``hide``."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from ..studies.hiding import Config, Leftover
from . import hiding as h
from . import leaving
from . import measuring as m
from . import reading as r
from .tables import Tables


@r.reading_options
def glove(
    wanted: r.Request,
    k: h.K = 2,
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
    leftover: h.LeftOver = "merge",
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
    """Hide everyone in a crowd of k with one fingerprint (GLOVE), and verify it."""
    config = Config(
        k,
        suppress_space_m,
        suppress_time_min,
        cast(Leftover, leftover),
        m.stretch(w_space, w_time, max_space_m, max_time_min),
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
    )
