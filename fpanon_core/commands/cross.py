"""``cross``: who is alone in two releases of the same people together?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..model.composition import Crossing
from ..model.errors import ConfigError
from ..studies.crossing import Result, cross_releases
from ..studies.crossing_words import MEANING, counted, followed, naming, told
from ..studies.memberships import NO_KEY
from .tables import Tables, check_folder, plain_rows, write_tables
from .tables import told as told_tables
from .terminal import table_text


def cross(
    first: Annotated[
        Path, typer.Argument(help="A release: a folder or a .zip.", show_default=False)
    ],
    second: Annotated[
        Path,
        typer.Argument(help="Another release of the same people.", show_default=False),
    ],
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key",
            help="Twice: the keys that were written with them, which id each pseudonym stands for "
            "(.csv); that of the first release first.",
        ),
    ] = None,
    tables: Tables = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, for machines.")
    ] = False,
) -> None:
    """Say who is left in a crowd by two releases of the same people, before both are out.

    Two releases that each keep everybody in a crowd of k may single people out together.
    """
    keys = key or []
    if len(keys) != 2:
        given = f"{len(keys)} {'key is' if len(keys) == 1 else 'keys are'} given for two releases. "
        raise ConfigError(given + NO_KEY)
    if tables is not None:
        check_folder(tables)
    found = cross_releases(first, second, first_key=keys[0], second_key=keys[1])
    if tables is not None:
        write_tables(Result(found), tables)
    if as_json:
        figures = {
            "names": found.names,
            "k": found.ks,
            "both": found.n_both,
            "only_first": found.only_first,
            "only_second": found.only_second,
            "newly_alone": found.newly_alone,
            "crowds": plain_rows(found.to_frame()),
            "sizes": plain_rows(found.sizes),
            "periods": plain_rows(found.periods),
        }
        typer.echo(json.dumps(figures, ensure_ascii=False, indent=2))
        return
    typer.echo(f"First:  {found.names[0]}\nSecond: {found.names[1]}")
    typer.echo(counted(found))
    typer.echo(_table(found))
    typer.echo(told(found, "the first", ("in the first", "in the second")))
    typer.echo(MEANING)
    typer.echo(naming(found))
    if (found.smaller or not found.falls) and (more := followed(found)):  # else it has been said
        typer.echo(more)
    if len(found.periods) > 1:
        typer.echo(
            f"Of each person the smallest crowd counts, in {len(found.periods):,} pairs of periods "
            "that share a day; each pair is in the tables."
        )
    if tables is not None:
        typer.echo(told_tables(tables))


def _table(found: Crossing) -> str:
    crowds = (found.first, found.second, found.together)
    rows = [
        ["smallest crowd", *(f"{crowd.smallest:,}" for crowd in crowds)],
        ["people alone", *(f"{crowd.alone:,} ({crowd.alone_share:.1%})" for crowd in crowds)],
        ["chance of naming, mean", *(f"{crowd.naming:.1%}" for crowd in crowds)],
    ]
    return table_text(["of the people in both", "first", "second", "together"], rows)
