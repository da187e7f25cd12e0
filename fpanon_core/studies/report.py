"""What was decided, on what evidence? The report that an officer signs.

Of a saved exploration and a decision, nothing else: no data are read, nothing is measured. It holds
figures of everyone together, no person, no path and no name of a file.

A report as one HTML page that opens offline and prints to A4: no script, no request, no font.

Every text is escaped by the template's engine; the page forbids itself to load anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from ..model.errors import ConfigError
from . import report_figures as figures
from . import report_parts as parts
from . import report_words as w
from .exploration import Exploration
from .judgement import JUDGED
from .recipe import Decision, Recipe, named, recipe_of
from .report_parts import Found, LimitRow, Row, Terms
from .report_verdict import Sentence, verdict

QUESTION = "Which form of these data may be released, and what is lost?"
COMPARED = ("outsider", "linkage", "k", "home", "unicity", "alone", "em", "kl")


@dataclass(frozen=True, eq=False)
class Report:
    """The report, in the order in which it is read; every text is plain.

    Attributes
    ----------
    title, question, made_on, signer : str
    verdict : tuple of Sentence
    data : tuple of (str, str)
        What the data are.
    note : str
        What must be said of shipped data.
    synthetic : bool
    now : tuple of (str, str)
        The risk of the data as they are, by measure.
    rows : tuple of Row
    faults : tuple of (str, str)
        Options that could not be made, and why.
    risk_title, risk_heading : str
        Of the measure that makes the front.
    front : figures.Front or None
    chosen : str
        Name of the chosen form; empty without.
    chosen_told : tuple of str
    why : str
        The reason, as it was given.
    refused : bool
        Whether it was decided that nothing is released.
    produced : tuple of (str, str)
        What is in the release that was produced, and its digest; empty without.
    attacks : figures.Attacks
    found : tuple of Found
    cost : figures.Cost or None
    costs : tuple of (str, str)
    limits : tuple of LimitRow
    assumed : tuple of str
    settings : tuple of (str, str)
    repeat : tuple of str
        Commands.
    repeatable : str
        What holds of them.
    definitions : tuple of (str, str)
    recipe : Recipe
    """

    title: str
    question: str
    made_on: str
    signer: str
    verdict: tuple[Sentence, ...]
    data: Terms
    note: str
    synthetic: bool
    now: Terms
    rows: tuple[Row, ...]
    faults: Terms
    risk_title: str
    risk_heading: str
    front: figures.Front | None
    chosen: str
    chosen_told: tuple[str, ...]
    why: str
    refused: bool
    produced: Terms
    attacks: figures.Attacks
    found: tuple[Found, ...]
    cost: figures.Cost | None
    costs: Terms
    limits: tuple[LimitRow, ...]
    assumed: tuple[str, ...]
    settings: Terms
    repeat: tuple[str, ...]
    repeatable: str
    definitions: Terms
    recipe: Recipe


def report(
    exploration: Exploration,
    decision: Decision,
    *,
    made_on: str = "",
    produced: parts.Produced | None = None,
) -> Report:
    """The report on a saved exploration and what was decided.

    Parameters
    ----------
    exploration : Exploration
    decision : Decision
        Its texts are shown letter by letter.
    made_on : str
        The date, as it is to stand there; a line to fill in where empty.
    produced : Produced, optional
        The release of the chosen form, where it was produced.

    Raises
    ------
    ConfigError
        There is no option of the chosen name, it could not be made, no option is there at all, or
        they were judged by a function of one's own.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, GeneralizationProfile, Grid, explore_options
    >>> x, t = [0, 0, 0, 0, 9000, 9000], [60, 600] * 3
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2, 3, 3], x, [0] * 6, t)
    >>> one_cell = GeneralizationProfile(Grid(20_000), 1_440)
    >>> table = explore_options(fs, {"raw": [], "one cell": one_cell}, p=1)
    >>> made = report(Exploration(table), Decision(chosen="one cell"))
    >>> made.verdict[0].head
    'As they are, these data may not be released.'
    >>> made.rows[1].alone
    'nobody of 3'
    """
    table, p = exploration.table, exploration.table.config.p
    if not table.results:
        raise ConfigError("No option was weighed; there is nothing to report.")
    recipe = recipe_of(table, exploration.limits, decision)
    row = None if not decision.chosen else named(table, decision.chosen)
    chosen = None if row is None else table.results[row]
    raw = exploration.as_it_is
    made = [i for i, result in enumerate(table.results) if result.fault is None]
    title = "" if chosen is None else w.shown(chosen.option.told)
    return Report(
        title="Release report",
        question=w.shown(decision.question, lines=True).strip() or QUESTION,
        made_on=w.shown(made_on),
        signer=w.shown(decision.signer),
        verdict=tuple(verdict(exploration, decision, row)),
        data=parts.data(exploration.facts, decision),
        note="" if exploration.facts is None else w.shown(exploration.facts.note),
        synthetic=exploration.facts is not None and exploration.facts.synthetic,
        now=() if raw is None else parts.now(raw, p),
        rows=tuple(parts.row(exploration, i, row) for i in made),
        faults=tuple((w.shown(r.option.told), w.shown(r.fault)) for r in table.results if r.fault),
        risk_title=w.MEASURES[table.risk_name].title.format(p=p),
        risk_heading=w.first_up(w.MEASURES[table.risk_name].name),
        front=figures.front(exploration, row),
        chosen=title,
        chosen_told=() if chosen is None else parts.chosen_told(exploration, chosen),
        why=w.shown(decision.why, lines=True).strip(),
        refused=decision.refused,
        produced=() if produced is None or chosen is None else parts.produced(produced),
        attacks=figures.attacks(exploration, chosen),
        found=tuple(parts.found(exploration, raw, chosen, risk) for risk in COMPARED),
        cost=figures.cost(exploration, chosen),
        costs=() if chosen is None else parts.costs(chosen),
        limits=tuple(parts.limit_row(exploration, risk) for risk in JUDGED),
        assumed=tuple(parts.assumed(exploration)),
        settings=parts.settings(exploration),
        repeat=parts.repeat(exploration.facts),
        repeatable=parts.repeatable(exploration),
        definitions=parts.definitions(p),
        recipe=recipe,
    )


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
