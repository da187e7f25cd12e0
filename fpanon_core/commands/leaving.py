"""Options of the commands that write a release: where to, in which format, and the key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..io.publishing import check_beside, check_target
from ..studies.publishing import KEY_NAME, LEFT_OUT_NAME

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Write the release: a name that ends in .zip, or a new folder. Data, one-page README "
        "and a description of every column; verified as written.",
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help="Write which id each pseudonym stands for, outside the release (.csv). Not for "
        f"release: call it {KEY_NAME}.",
    ),
]
LeftOut = Annotated[
    Path | None,
    typer.Option(
        "--left-out",
        help="Write which samples do not leave: id, number among all samples by person and time, "
        "from 0, which is no line of the file; reason (.csv). Not for release: "
        f"call it {LEFT_OUT_NAME}.",
    ),
]
DataFormat = Annotated[
    str, typer.Option("--format", help="Of the release's data.", metavar="csv|parquet")
]


def check_places(out: Path | None, key: Path | None, left_out: Path | None) -> None:
    """ConfigError where one cannot be written to, before a long reading."""
    release = Path("release.zip") if out is None else check_target(out)
    if key is not None:
        check_beside(key, release, "The key")
    if left_out is not None:
        check_beside(left_out, release, "The list of what was left out")


def told(out: Path, key: Path | None, left_out: Path | None) -> str:
    """What was written where."""
    lines = [f"Release written to {out}."]
    if key is not None:
        lines.append(f"Key, NOT FOR RELEASE, written to {key}.")
    if left_out is not None:
        lines.append(f"List of what was left out, NOT FOR RELEASE, written to {left_out}.")
    return "\n".join(lines)
