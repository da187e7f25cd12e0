"""A report as one HTML page that opens offline and prints to A4: no script, no request, no font.

Every text is escaped by the template's engine; the page forbids itself to load anything.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from .report import Report


def page(report: Report) -> str:
    """The page of a report.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        HTML, to be written as UTF-8.
    """
    return _template().render(report=report, attacks=report.attacks, cost=report.cost)


@cache
def _template() -> Template:
    found = Environment(
        loader=PackageLoader(__package__ or "fpanon_core.studies", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_together,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return found.get_template("report.html.jinja")


def _together(text: object) -> object:
    """A number and its sign of per cent stay on one line."""
    return text.replace(" %", "\u00a0%") if isinstance(text, str) else text
