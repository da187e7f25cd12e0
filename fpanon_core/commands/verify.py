"""``verify``: is a release what it says, and does it keep its promise? Exit code 1 if not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..model.checks import whole
from ..studies.publishing import held_against, promised
from . import reading as r

_MOST_TOLD = 20


@r.reading_options
def verify(
    wanted: r.Request,
    release: Annotated[
        Path, typer.Argument(help="The release: a folder or a .zip.", show_default=False)
    ],
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            "-k",
            help="The crowd that must be kept. Without it, that which the release itself promises.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            help="Which id each pseudonym stands for (.csv). Without it, some way to give everyone "
            "a record must keep the promise.",
        ),
    ] = None,
    left_out: Annotated[
        Path | None,
        typer.Option(
            "--left-out",
            help="The list of left-out samples written with it (.csv).",
        ),
    ] = None,
) -> None:
    """Check the bytes of a release against the original data, read as they were for it."""
    if k is not None:
        whole("--k", k, 2)
    fs, report = wanted.read()
    stated = promised(release, fs) if k is None else None
    found = held_against(release, fs, stated if k is None else k, key=key, left_out=left_out)
    typer.echo(wanted.account(fs, report))
    if k is None:
        typer.echo(
            "The release states no crowd that it promises: files, figures and names are checked, "
            "and nobody's crowd."
            if stated is None
            else f"The release promises a crowd of {stated}: held against that."
        )
    typer.echo(str(found))
    told = list(dict.fromkeys(found.violations["text"].tolist()))
    for text in told[:_MOST_TOLD]:
        typer.echo(f"  {text}")
    if len(told) > _MOST_TOLD:
        typer.echo(f"  and {len(told) - _MOST_TOLD:,} more")
    if not found.passed:
        raise typer.Exit(1)
