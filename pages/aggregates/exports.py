"""The files under the view: every table of its results, and the path that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from fpanon_core.studies import recovery, recovery_factors, recovery_mitigations
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables.writing import table_bytes

PREFIX = "recovery_"
"""Of the names of the tables, and so of the files."""


def files(
    found: recovery.Result,
    row: int,
    varied: recovery_factors.Result | None,
    tried: recovery_mitigations.Result | None,
) -> Mapping[str, tuple[str, Callable[[], bytes]]]:
    """By the label of its button, each file's name, without the prefix, and its content."""
    offered = {
        "Counts": _table(found, "counts"),
        "Scores": _table(found, "scores"),
        "Errors": _table(found, "errors"),
        "Uniqueness": _table(found, "uniqueness"),
        "This path (not for release)": ("path", lambda: _csv(found.path(row))),
    }
    if varied is not None:
        offered["Factors"] = _table(varied, "factors")
    if tried is not None:
        offered["Mitigations"] = _table(tried, "mitigations")
    return offered


def _table(result: Tabled, name: str) -> tuple[str, Callable[[], bytes]]:
    return name, lambda: _csv(result.to_frame(PREFIX + name))


def _csv(table: pd.DataFrame) -> bytes:
    return table_bytes([table], ".csv")
