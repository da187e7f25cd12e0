"""Templates of reports and of package READMEs, and descriptions of the packages' columns."""

from __future__ import annotations

import io
import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from ..aggregates.areas import geojson_of
from ..io.publishing import PackedTable, package_bytes
from ..model.count_tables import TableFrame
from ..model.release_page import count, templates_in
from .report_words import times_as_likely

_COLUMNS: list[list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)["fields"]
_TEXTS = dict.fromkeys(("area", "origin", "destination", "day", "place", "time"), str)
_BLANK = {"people": [""], "trips": [""]}  # cells that may be blank


@cache
def templates(*, html: bool = False) -> Any:
    """Return the Jinja environment for the templates here; with ``html``, it escapes texts."""
    made = templates_in(__package__ or "fpanon_core.studies", html=html)
    made.filters |= {"count": count, "form": format, "quoted": repr}
    made.filters |= {"times_as_likely": times_as_likely}
    return made


def paragraphs(name: str, **said: Any) -> list[str]:
    """Return the paragraphs of a README, made from its template; each paragraph is one line."""
    page = templates().get_template(f"{name}.md.jinja").render(said)
    return [part.replace("\n", " ") for part in re.split("\n{2,}", page.strip("\n"))]


def fields_of(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return the entries in ``datapackage.json`` for the columns of a table."""
    known = {name: each for name, *each in _COLUMNS}
    found = []
    for name in map(str, table.columns):
        kind, meaning, unit = known[name]
        title = name.replace("_", " ").capitalize()
        entry = {"name": name, "type": kind, "title": title, "description": meaning}
        found.append(entry | ({"unit": unit} if unit else {}))
    return found


def packed(
    titles: Mapping[str, str],
    tables: Mapping[str, pd.DataFrame],
    frame: TableFrame,
    ending: str,
    **more: Any,
) -> bytes:
    """Return the zip of tables over a frame, with their fields and the areas of the frame.

    Parameters
    ----------
    titles : mapping of str to str
        Title of each table.
    tables : mapping of str to DataFrame
    frame : TableFrame
    ending : {"csv", "parquet"}
    **more
        As for :func:`fpanon_core.io.publishing.package_bytes`.
    """
    shapes = json.dumps(geojson_of(frame), ensure_ascii=False, separators=(",", ":")).encode()
    every = [
        PackedTable(name, titles[name], each, fields_of(each)) for name, each in tables.items()
    ]
    return package_bytes(every, ending=ending, more={"areas.geojson": shapes + b"\n"}, **more)


def zone_of(frame: TableFrame) -> str | None:
    """Return the time zone of a frame; None without a clock."""
    clock = frame.counts.clock
    return None if clock is None else clock.timezone


def table_read(members: Mapping[str, bytes], name: str) -> tuple[pd.DataFrame, str]:
    """Return a table of a package with texts as they are, and the ending of its file."""
    if (content := members.get(f"{name}.parquet")) is not None:
        return pd.read_parquet(io.BytesIO(content)), "parquet"
    rows = io.BytesIO(members[f"{name}.csv"])
    return pd.read_csv(rows, dtype=_TEXTS, keep_default_na=False, na_values=_BLANK), "csv"
