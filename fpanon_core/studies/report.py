"""The report that an officer signs: what was decided, and on what evidence.

The report is made from a saved exploration, a decision and, if a release was produced, its facts.
No data are read, and nothing is measured. The report holds figures about everyone together, nothing
about one person in the data, and no path or file name.

The report is one HTML page that opens offline and prints to A4, without scripts, requests or fonts.
The template engine escapes every text, and the page's own policy forbids loading anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from ..io.ledger import NOTHING_SPENT, Spent
from ..model.counts_frame import FrameConfig
from ..model.disclosure import ALONE, NAMING, RISKS
from ..model.errors import ConfigError
from ..model.facts import ReleaseFacts
from ..model.files import keyed
from ..model.options import Glove, Periods, ReleaseOption
from ..model.purpose import PURPOSES
from . import report_figures as figures
from . import report_words as w
from .advice import advise, describe_advice, describe_promise, ladder_table
from .exploration import Exploration
from .judgement import JUDGED, Limits, interval, usual_limits
from .option_result import OptionResult
from .packages import templates
from .recipe import Decision, Recipe, named, recipe_of
from .report_verdict import Sentence, verdict


@dataclass(frozen=True)
class Produced:
    """A release that was produced, and the digest that identifies its file.

    Attributes
    ----------
    facts : ReleaseFacts or FrameConfig
        Facts of a release of records, or the stated frame of a release without records.
    sha256 : str
        SHA-256 of the published file, hexadecimal.
    file : OptionResult or None
        Result of the option, with the utility components of the file itself; None where not known.
    """

    facts: ReleaseFacts | FrameConfig
    sha256: str
    file: OptionResult | None = None


class SessionRelease(NamedTuple):
    """A release that the session has made about some of the people in the data, in words.

    Attributes
    ----------
    what : str
        Description of the release.
    made : str
        When the session first showed it.
    people : str
        How many of the people in the data are also in the data that the release was made from.
    sha256 : str
        SHA-256 of the files, one in each format.
    """

    what: str
    made: str
    people: str
    sha256: str


@dataclass(frozen=True)
class Row:
    """An option in the report's table of options."""

    number: int
    name: str
    chosen: bool
    risk: str
    home: str
    alone: str
    utility: str
    limits: str


@dataclass(frozen=True, eq=False)
class Report:
    """Contents of a report; every text is plain, without HTML.

    Attributes
    ----------
    exploration : Exploration
    decision : Decision
    row : int or None
        Row of the chosen option; None where none is chosen.
    verdict : tuple of Sentence
    recipe : Recipe
    made_on : str
        The date, as it is printed; empty where it is to be filled in.
    release : Produced or None
        The release of the chosen option, where it was produced.
    spent : Spent
        The ε of the private releases of this file, and what other ledgers hold.
    session : tuple of SessionRelease
        Releases that the session has made about these people, in order.
    warnings : tuple of str
        What may be wrong with the data: machines among the people, places far from all others.
    """

    exploration: Exploration
    decision: Decision
    row: int | None
    verdict: tuple[Sentence, ...]
    recipe: Recipe
    made_on: str
    release: Produced | None
    spent: Spent = NOTHING_SPENT
    session: tuple[SessionRelease, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def chosen(self) -> OptionResult | None:
        """Result of the chosen option; None where none is chosen."""
        return None if self.row is None else self.exploration.table.results[self.row]

    @property
    def p(self) -> int:
        """Number of points that the attacker knows of each target."""
        return self.exploration.table.config.p

    @property
    def weights(self) -> str:
        """Weights of the utility, in words; empty if experts or a function score it."""
        weights = self.exploration.table.choice.weights or {}
        told = ", ".join(
            f"{w.COMPONENTS[name][0].lower()} {100 * weight:.0f}%"
            for name, weight in weights.items()
            if weight and name in w.COMPONENTS
        )
        return f": {told}" if told else ""

    @property
    def in_order(self) -> tuple[Sentence, ...]:
        """The verdict in reading order: the chosen option comes before the others tried."""
        now, tried, chosen, *more = self.verdict
        return (now, chosen, tried, *more)

    @property
    def purpose(self) -> str:
        """Purpose of the release, and what a useful release shows.

        If the utility does not belong to a named purpose, its title and weights appear instead.
        """
        choice = self.exploration.table.choice
        known = PURPOSES.get(choice.label)
        if known is None or known.weights != choice.weights:
            return f"{w.shown(choice.title)}{self.weights}."
        return f"{known.title}. {known.useful}"

    @property
    def recipient(self) -> str:
        """The recipient, and the threshold in force where it differs from the recipient's."""
        who, most = self.exploration.recipient, self.exploration.limits.limit(NAMING[0])
        if who is None:
            return "The recipient is not stated."
        if most == who.threshold:
            return who.sentence
        if most is None:
            return f"{who.sentence} That threshold is not in force."
        limit = w.limit(self.exploration.limits, NAMING[0])
        return f"{who.sentence} The threshold in force is {limit} instead."

    @property
    def promise(self) -> str:
        """What differential privacy does not cover in the chosen option; empty without ε.

        The values of ε of several releases add up, so what is spent so far is named.
        """
        told = "" if self.chosen is None else describe_promise(self.chosen)
        return f"{told} {w.describe_spent(self.spent)}".rstrip() if told else ""

    @property
    def ladder(self) -> pd.DataFrame:
        """The kinds of release, the least revealing first."""
        return ladder_table(self.exploration.table, self.exploration.limits)

    @property
    def advice(self) -> list[str]:
        """How far each threshold would have to rise for a more useful option to pass."""
        table, limits = self.exploration.table, self.exploration.limits
        return describe_advice(advise(table, thresholds=limits))

    def has(self, technique: type, *options: ReleaseOption) -> bool:
        """Return whether any of the given options has this technique."""
        return any(isinstance(step, technique) for each in options for step in each.steps)

    def title(self, risk: str) -> str:
        """Return the title of a measure in the report."""
        return w.MEASURES[risk].title.format(p=self.p)

    @property
    def rows(self) -> list[Row]:
        """Rows of the table of options; options that failed are left out."""
        results = self.exploration.table.results
        return [self._row(i) for i, result in enumerate(results) if result.fault is None]

    def _row(self, i: int) -> Row:
        """Build the row of one option."""
        table, limits = self.exploration.table, self.exploration.limits
        result = table.results[i]
        risk = table.risk_name
        over = limits.broken(result)
        told = "within all" if limits.judged else "no threshold"
        if over:
            told = f"above {len(over)}" if len(over) > 1 else f"above: {w.MEASURES[over[0]].short}"
            told = "may be " * (not any(limits.surely_over(result, r) for r in over)) + told
        bare = result.option.recordless is not None and risk in result.unasked
        value = w.value(float(table.risk[i]), risk)
        low, high = float(table.risk_low[i]), float(table.risk_high[i])
        return Row(
            number=table.numbers[i],
            name=w.shown(result.option.told),
            chosen=i == self.row,
            risk="no record" if bare else _bracketed(value, w.between(low, high, risk)),
            home=_bracketed(
                w.value(interval(result, "home")[0], "home"), w.guessing(result, "home")
            ),
            alone=w.alone_share(result) or w.alone(result).partition(" of ")[0],
            utility=w.component(float(table.utility[i])),
            limits=told,
        )

    @property
    def found(self) -> list[tuple[str, ...]]:
        """Rows of the table of measures.

        Each row has the title, the name, the risk in the data as they are and in the chosen option,
        what guessing finds, and the threshold.
        """
        both = (self.exploration.as_it_is, self.chosen)
        return [
            (
                self.title(risk),
                w.MEASURES[risk].name,
                *(_told(result, risk) for result in both),
                _guessing(*both, risk),
                w.limit(self.exploration.limits, risk),
            )
            for risk in self.measures
        ]

    @property
    def judged(self) -> list[str]:
        """The measures that have a threshold, or usually have one."""
        judged = (self.exploration.limits, self.usual)
        return [risk for risk in JUDGED if any(each.limit(risk) is not None for each in judged)]

    @property
    def usual(self) -> Limits:
        """The usual thresholds for the recipient."""
        return usual_limits(self.exploration.recipient)

    def source(self, risk: str) -> str:
        """Return the source of a threshold."""
        if self.exploration.limits.limit(risk) != self.usual.limit(risk):
            return "set by the author of this report"
        if risk == NAMING[0] and self.exploration.recipient is not None:
            return "follows from who gets the release (first page)"
        if risk == ALONE:
            return "the threshold for unicity, as proposed for shares of unique people"
        return f"{RISKS[risk].source}."

    @property
    def measures(self) -> list[str]:
        """Measures of re-identification, then the others that are judged."""
        return [*NAMING, *(risk for risk in self.judged if risk not in NAMING)]


def report(
    exploration: Exploration,
    decision: Decision,
    *,
    made_on: str = "",
    produced: Produced | None = None,
    spent: Spent = NOTHING_SPENT,
    session: Sequence[SessionRelease] = (),
    warnings: Sequence[str] = (),
) -> Report:
    """Build the report on a saved exploration and a decision.

    Parameters
    ----------
    exploration : Exploration
    decision : Decision
        The decision; its texts are shown with invisible characters replaced, and cut if they are
        very long.
    made_on : str
        The date, as it is to be printed; if empty, the report has a line to fill in.
    produced : Produced, optional
        The release of the chosen option, where it was produced.
    spent : Spent
        The ε that this file's ledger records for private releases, and what other ledgers hold.
    session : sequence of SessionRelease
        Releases that the session has made about these people, in order.
    warnings : sequence of str
        What may be wrong with the data, in sentences.

    Raises
    ------
    ConfigError
        There are no options, two have the same name, or none has the chosen name. Or the chosen
        option could not be made.

    Examples
    --------
    >>> from fpanon_core import FingerprintSet, GeneralizationProfile, Grid, explore_options
    >>> x, t = [0, 0, 0, 0, 9000, 9000], [60, 600] * 3
    >>> fs = FingerprintSet.from_samples([1, 1, 2, 2, 3, 3], x, [0] * 6, t)
    >>> one_cell = GeneralizationProfile(Grid(20_000), 1_440)
    >>> table = explore_options(fs, {"raw": [], "one cell": one_cell}, p=1)
    >>> made = report(Exploration(table), Decision(chosen="one cell"))
    >>> made.verdict[0].head
    'Do not release these data as they are.'
    >>> made.rows[1].alone
    'none'
    """
    table = exploration.table
    if not table.results:
        raise ConfigError(
            "No option was weighed, so there is nothing to report; weigh at least one."
        )
    recipe = recipe_of(exploration, decision)
    row = None if not decision.chosen else named(table, decision.chosen)
    file = None if produced is None else produced.file
    said = tuple(verdict(exploration, decision, row, file))
    release = produced, spent, tuple(session), tuple(map(w.shown, warnings))
    return Report(exploration, decision, row, said, recipe, w.shown(made_on), *release)


def page(report: Report) -> str:
    """Return the page of a report.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        HTML, to be written as UTF-8.
    """
    page = templates(html=True).get_template("report.html.jinja", globals=_USED)
    return str(page.render(report=report))


_USED = {"figures": figures, "w": w, "keyed": keyed} | {"Glove": Glove, "Periods": Periods}


def _bracketed(value: str, beside: str) -> str:
    return f"{value} ({beside})" if beside else value


def _told(result: OptionResult | None, risk: str) -> str:
    """Return a measure with its interval, in words."""
    if result is None:
        return "–"
    if risk == "alone":
        return w.people(result)
    if result.option.recordless is not None and risk in result.unasked:
        return "no record"
    found, low, high = interval(result, risk)
    if risk == "home" and result.option.recordless is not None:
        return _bracketed(w.value(found, risk), w.evidence(result, risk))
    ends = w.between(low, high, risk)
    return _bracketed(w.value(found, risk), ends and f"95% interval: {ends}")


def _guessing(raw: OptionResult | None, chosen: OptionResult | None, risk: str) -> str:
    """Return what guessing finds in the data as they are and in the option, in words."""
    both = ["" if result is None else w.guessing(result, risk) for result in (raw, chosen)]
    if all(both) and both[0] != both[1]:
        return f"{both[0]} as they are, {both[1]} in the option"
    return both[1] or both[0]
