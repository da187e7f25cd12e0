"""Templates of reports and of package READMEs, and descriptions of the packages' columns."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from ..model.release_page import count, templates_in
from .report_words import times_as_likely

_COLUMNS: list[list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)["fields"]


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
        found.append(field_of(name, kind, name.replace("_", " ").capitalize(), meaning, unit))
    return found


def field_of(name: str, kind: str, title: str, meaning: str, unit: str = "") -> dict[str, str]:
    """Return the entry in ``datapackage.json`` for one column."""
    entry = {"name": name, "type": kind, "title": title, "description": meaning}
    return entry | ({"unit": unit} if unit else {})
