"""What is each measure, and how is it spoken of? One registry for screens, reports and commands.

The words stand in ``definitions.toml`` beside this module.
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
class Definition:
    """A measure, or another word of the field, in words.

    Attributes
    ----------
    definition : str
        A sentence or two, Markdown.
    works : str
        Authors and year of the source; empty where it is our own.
    section : str
        Of the Method page, with the formulas.
    risk : str
        Of a measure of risk: its name in :data:`~.disclosure.RISKS`.
    name, spoken : str
        The measure, alone and in a sentence.
    axis : str
        Title of a figure's axis; ``{p}`` stands for the points that are known.
    asked, short, unit, help : str
        Its threshold: as a form asks for it, and as a line tells it.
    counted : str
        What the threshold is of, where those in force are counted.
    """

    definition: str = ""
    works: str = ""
    section: str = ""
    risk: str = ""
    name: str = ""
    spoken: str = ""
    axis: str = ""
    asked: str = ""
    short: str = ""
    unit: str = ""
    help: str = ""
    counted: str = ""

    @property
    def tooltip(self) -> str:
        """The definition with its source, and where its formula is."""
        source = f" ({self.works})" if self.works else ""
        return f"{self.definition}{source}  \nFormulas: page Method, “{self.section}”."


@cache
def definitions() -> Mapping[str, Definition]:
    """All of them by name, in the order of the file.

    Examples
    --------
    >>> definitions()["k_gap"].works
    'Gramaglia & Fiore 2015'
    """
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    found = {
        name: Definition(**{field: _plain(said) for field, said in told.items()})
        for name, told in tomllib.loads(text).items()
    }
    return MappingProxyType(found)


@cache
def of_risks() -> Mapping[str, Definition]:
    """Those of the measures of risk, and of people alone, by their names in a verdict."""
    return MappingProxyType({each.risk: each for each in definitions().values() if each.risk})


def _plain(said: str) -> str:
    for risk, text in PLAIN.items():
        said = said.replace(f"{{{risk}}}", text)
    return said
