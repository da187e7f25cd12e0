"""``generate``: a file of synthetic call records, of any size."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from ..model.errors import ConfigError
from ..synthetic.generate import DEFAULT_START, generate_cdr_chunks
from ..synthetic.region import generate_region
from ..tables.writing import check_writable, write_table
from .terminal import progress_line

_CHUNK_USERS = 10_000


def generate(
    users: Annotated[int, typer.Argument(help="How many people.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="File to write: .csv, .csv.gz or .parquet.")],
    days: Annotated[int, typer.Option("--days", help="Length, days.")] = 14,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same people.")] = 0,
    events_per_day: Annotated[float, typer.Option(help="Mean events per person and day.")] = 4.5,
    start: Annotated[
        str, typer.Option("--start", help="First day, YYYY-MM-DD.")
    ] = DEFAULT_START.isoformat(),
    n_antennas: Annotated[int, typer.Option(help="Antennas in the region.")] = 400,
    antennas_out: Annotated[
        Path | None, typer.Option("--antennas-out", help="Write the antennas: .csv or .parquet.")
    ] = None,
) -> None:
    """Write synthetic call records of an invented region; they prove nothing about people."""
    for path in (out, antennas_out):
        if path is not None:
            check_writable(path)
    try:
        first = dt.date.fromisoformat(start)
    except ValueError:
        raise ConfigError(f"--start {start!r} is no date; give it as YYYY-MM-DD.") from None
    region = generate_region(seed, n_antennas=n_antennas)
    pieces = generate_cdr_chunks(
        users,
        chunk_users=_CHUNK_USERS,
        days=days,
        seed=seed,
        events_per_day=events_per_day,
        start=first,
        region=region,
    )
    rows = write_table(_watched(pieces, users), out)
    if antennas_out is not None:
        write_table([region.antennas], antennas_out)
    typer.echo(f"{rows:,} synthetic records of {users:,} invented people written to {out}.")


def _watched(pieces: Iterator[pd.DataFrame], users: int) -> Iterator[pd.DataFrame]:
    """The pieces, with progress shown on a terminal."""
    with progress_line("Generating") as progress:
        for number, piece in enumerate(pieces, 1):
            yield piece
            if progress is not None:
                progress(min(1.0, number * _CHUNK_USERS / users))
