"""The files under the view: every table of its results, and the path that is looked at."""

from __future__ import annotations

from fpanon_core.studies import recovery, recovery_factors, recovery_mitigations
from fpanon_core.studies.tabled import Tabled
from fpanon_core.tables import leaving
from fpanon_core.tables.writing import table_bytes
from pages.shell.downloads import File, Files

PREFIX = "recovery_"
"""Of the names of the tables, and so of the files."""


def files(
    found: recovery.Result,
    row: int,
    varied: recovery_factors.Result | None,
    tried: recovery_mitigations.Result | None,
) -> Files:
    """By the label of its button, each file; the prefix is not yet in its name."""
    offered = {
        "Counts": _table(found, "counts"),
        "Scores": _table(found, "scores"),
        "Errors": _table(found, "errors"),
        "Uniqueness": _table(found, "uniqueness"),
        "Habits": _table(found, "habits"),
        "Next places": _table(found, "next"),
        "Information gains": _table(found, "gains"),
        "This path": File("path", lambda: _path(found, row)),
    }
    if varied is not None:
        offered["Factors"] = _table(varied, "factors")
    if tried is not None:
        offered["Mitigations"] = _table(tried, "mitigations")
    return offered


def _table(result: Tabled, name: str) -> File:
    def content() -> bytes:
        return table_bytes([result.for_file(PREFIX + name)], ".csv")

    return File(name, content, result.may_leave(PREFIX + name))


def _path(found: recovery.Result, row: int) -> bytes:
    return table_bytes([leaving.guarded(found.path(row))], ".csv")
