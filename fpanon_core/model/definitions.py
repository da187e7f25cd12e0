"""Definitions and names of the measures, in one registry for screens, reports and commands.

The texts are in ``definitions.toml`` next to this module.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from .disclosure import PLAIN


@dataclass(frozen=True)
class Reported:
    """Name and meaning of a measure of risk in a report.

    Attributes
    ----------
    title : str
        Title of a row; ``{p}`` stands for the number of known points.
    name : str
        Technical term, within a sentence.
    meaning : str
        Meaning in plain words, with the people it refers to; ``{p}`` stands for the number of known
        points.
    short : str
        Name in a list.
    unit : str
        "%" for a share of people, else the unit that is counted.
    """

    title: str = ""
    name: str = ""
    meaning: str = ""
    short: str = ""
    unit: str = "%"


@dataclass(frozen=True)
class Definition:
    """Definition and names of a measure or another technical term.

    Attributes
    ----------
    definition : str
        A few sentences, Markdown; empty where only names are given.
    works : str
        Authors and year of the source; empty for our own definition.
    section : str
        Section of the Method page with the formulas.
    risk : str
        For a measure of risk, its name in :data:`~.disclosure.RISKS`; for unique records,
        :data:`~.disclosure.ALONE`.
    name : str
        Name of the measure.
    axis : str
        Title of a figure's axis; ``{p}`` stands for the number of known points.
    asked, short, unit, help : str
        Texts about the threshold of the measure: title of its field, name in a sentence or list,
        unit, and help text of its field.
    counted : str
        What the threshold limits, for texts that count the thresholds in force.
    report : Reported
        Name and meaning in a report.
    """

    definition: str = ""
    works: str = ""
    section: str = ""
    risk: str = ""
    name: str = ""
    axis: str = ""
    asked: str = ""
    short: str = ""
    unit: str = ""
    help: str = ""
    counted: str = ""
    report: Reported = Reported()

    @property
    def tooltip(self) -> str:
        """Definition with its source and the place of its formula."""
        source = f" ({self.works})" if self.works else ""
        return f"{self.definition}{source}  \nFormulas: page Method, “{self.section}”."


@cache
def definitions() -> Mapping[str, Definition]:
    """Return all definitions by name, in the order of the file.

    Examples
    --------
    >>> definitions()["k_gap"].works
    'Gramaglia & Fiore 2015'
    """
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    for risk, plain in PLAIN.items():
        text = text.replace(f"{{{risk}}}", plain)
    found = {
        name: Definition(**told | {"report": Reported(**told.get("report", {}))})
        for name, told in tomllib.loads(text).items()
    }
    return MappingProxyType(found)


@cache
def of_risks() -> Mapping[str, Definition]:
    """Return the definitions of the measures of risk and of unique records, by name of risk."""
    return MappingProxyType({each.risk: each for each in definitions().values() if each.risk})
