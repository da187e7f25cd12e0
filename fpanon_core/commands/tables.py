"""``--tables``: every table of a result as a file, the same files as the dashboard's downloads."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ..model.errors import ConfigError
from ..studies.tabled import Tabled
from ..tables.writing import write_table

Tables = Annotated[
    Path | None,
    typer.Option("--tables", help="Write every table as a .csv file into this folder."),
]


def check_folder(folder: Path) -> Path:
    """The folder, made if its parent exists, if files can be written there; ConfigError if not."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        raise ConfigError(
            "The tables' folder cannot be made; give one that is there, or a new one in a folder "
            "that is."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError("The tables' folder cannot be written to; choose another one.")
    return folder


def write_tables(result: Tabled, folder: Path) -> list[Path]:
    """Write every table of a result as ``<name>.csv`` into the folder; the files' paths."""
    paths = []
    for name, table in result.tables().items():
        paths.append(check_folder(folder) / f"{name}.csv")
        write_table([table], paths[-1])
    return paths


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows with None where there is no number, as JSON knows no NaN."""
    return [
        {
            str(name): None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]
