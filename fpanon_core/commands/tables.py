"""``--tables``: every table of a result as a file, the same files as the dashboard's downloads."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ..model.errors import ConfigError
from ..studies.tabled import Tabled
from ..tables import leaving
from ..tables.leaving import restored
from ..tables.writing import write_table

Tables = Annotated[
    Path | None,
    typer.Option(
        "--tables",
        help="Write every table as a .csv file into this folder, and FILES.csv, which says of each "
        "whether it may leave.",
    ),
]
LIST = "FILES.csv"
_HEAD = ("file", "may_leave", "why")


def check_folder(folder: Path) -> Path:
    """The folder, made if its parent exists, if files can be written there; ConfigError if not."""
    try:
        folder.mkdir(0o700, exist_ok=True)
    except OSError:
        raise ConfigError(
            "The tables' folder cannot be made; give one that is there, or a new one in a folder "
            "that is."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError("The tables' folder cannot be written to; choose another one.")
    return folder


def write_tables(result: Tabled, folder: Path) -> list[Path]:
    """Write every table of a result as a file into the folder; the files' paths.

    A file is called ``<name>.csv`` if it may leave, ``<name>_not_for_release.csv`` if not, and
    stands in the folder's list, ``FILES.csv``, which keeps what it said of other files.
    """
    listed = _listed(check_folder(folder))
    paths = []
    for name in result.tables():
        may_leave = result.may_leave(name)
        paths.append(folder / leaving.file_name(name, may_leave))
        write_table([result.for_file(name)], paths[-1])
        why = leaving.MAY_LEAVE if may_leave else leaving.GUARDED
        listed[paths[-1].name] = ("yes" if may_leave else "no", why)
    rows = [(file, *said) for file, said in sorted(listed.items())]
    write_table([pd.DataFrame(rows, columns=list(_HEAD))], folder / LIST)
    return paths


def write_guarded(table: pd.DataFrame, path: Path) -> None:
    """Write a table of single people to a file that the user has named; see :mod:`.leaving`."""
    write_table([leaving.guarded(table)], path)


def told(folder: Path) -> str:
    """The line about a folder of tables."""
    return f"Tables written to {folder}; {LIST} there says which may leave."


def _listed(folder: Path) -> dict[str, tuple[str, str]]:
    """What the folder's list says of the files that are still there."""
    try:
        with (folder / LIST).open(encoding="utf-8", newline="") as file:
            rows = [tuple(map(restored, row)) for row in csv.reader(file) if len(row) == len(_HEAD)]
    except (OSError, ValueError, csv.Error):
        return {}
    return {name: (said, why) for name, said, why in rows[1:] if (folder / name).is_file()}


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows with None where there is no number, as JSON knows no NaN."""
    return [
        {
            str(name): None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]
