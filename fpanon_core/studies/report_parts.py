"""The parts of a report: what the data are, tables, limits, what is assumed, how to repeat it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..model.disclosure import RISKS
from ..model.facts import ReleaseFacts
from ..model.files import keyed
from ..model.options import Glove, Periods
from . import report_words as w
from .exploration import Exploration, Facts
from .judgement import Limits, interval, limit_key
from .option_result import OptionResult
from .recipe import Decision
from .report_verdict import alone_told

Terms = tuple[tuple[str, str], ...]
"""What is said of what, in pairs."""


@dataclass(frozen=True)
class Row:
    """An option in the table of those considered."""

    number: int
    name: str
    chosen: bool
    risk: str
    risk_interval: str
    home: str
    home_beside: str
    alone: str
    alone_share: str
    utility: str
    front: str
    limits: str
    within: bool


@dataclass(frozen=True)
class Found:
    """A measure before and after."""

    title: str
    name: str
    before: str
    after: str
    guessing: str
    limit: str


@dataclass(frozen=True)
class LimitRow:
    """A limit in force."""

    title: str
    limit: str
    usual: str
    source: str


def data(facts: Facts | None, decision: Decision) -> Terms:
    """What the data are."""
    name = w.shown(decision.data_name) or ("" if facts is None else w.shown(facts.label))
    told = [("Data", name or "Data without a name")]
    if facts is None:
        return (*told, ("Size", "not kept with the figures"))
    told += [("People", f"{facts.people:,}"), ("Samples", f"{facts.samples:,}")]
    if facts.days:
        zone = f", local time of {w.shown(facts.timezone)}" if facts.timezone else ""
        days = w.count(facts.days, "day")
        told.append(("Time", f"{w.shown(facts.first)} to {w.shown(facts.last)} ({days}{zone})"))
    told.append(
        (
            "A sample is",
            f"a cell of {facts.granularity_m:g} m by {facts.granularity_m:g} m and "
            f"{facts.granularity_min:g} min",
        )
    )
    if facts.rows_read:
        told.append(
            ("Rows set aside", f"{facts.rows_set_aside:,} of {facts.rows_read:,} could not be used")
        )
    if facts.screened_out:
        told.append(("People screened out", f"{facts.screened_out:,}"))
    return tuple(told)


def now(raw: OptionResult, p: int) -> Terms:
    """The risk of the data as they are, by the measures asked first."""
    told = [
        (w.MEASURES[risk].title.format(p=p), w.estimate(raw, risk))
        for risk in ("outsider", "home", "unicity", "alone")
    ]
    return tuple(told)


def row(exploration: Exploration, i: int, chosen: int | None) -> Row:
    """An option in the table of those considered."""
    table, limits, result = exploration.table, exploration.limits, exploration.table.results[i]
    risk = table.risk_name
    over = [
        w.MEASURES[name].short + ("" if limits.surely_over(result, name) else " (perhaps)")
        for name in limits.broken(result)
    ]
    told = f"over: {', '.join(over)}" if over else "within all" if limits.judged else "no limit set"
    front = "dominated"
    if table.front[i]:
        front = "on the front" if table.estimated_front[i] else "level with the front"
    return Row(
        number=i + 1,
        name=w.shown(result.option.told),
        chosen=i == chosen,
        risk=w.value(float(table.risk[i]), risk),
        risk_interval=w.between(float(table.risk_low[i]), float(table.risk_high[i]), risk),
        home=w.value(interval(result, "home")[0], "home"),
        home_beside=_beside(result),
        alone=w.alone(result),
        alone_share=w.alone_share(result),
        utility=w.utility(table.choice, result),
        front=front if math.isfinite(table.utility[i]) else "",
        limits=told,
        within=bool(limits.judged) and not over,
    )


def _beside(result: OptionResult) -> str:
    """Of whom homes are asked, the interval of those found, and what guessing finds."""
    _, low, high = interval(result, "home")
    ends, guess = w.between(low, high, "home"), w.guessing(result, "home")
    of = "" if not result.homes_asked else f"of {result.homes_asked:,}"
    return "; ".join(filter(None, (of, ends, guess and f"guessing {guess}")))


def chosen_told(exploration: Exploration, chosen: OptionResult) -> tuple[str, ...]:
    """What is done, whether it is within the limits, and who is alone."""
    told = [f"What is done: {w.shown(chosen.option.text)}."]
    limits = exploration.limits
    if over := limits.broken(chosen):
        names = w.listed([w.MEASURES[risk].name for risk in over])
        told.append(f"It is above the limits of {names}, or may be: see the verdict.")
    elif limits.judged:
        told.append("It breaks none of the limits.")
    else:
        told.append("No limit was set to hold it to.")
    told.append(alone_told(chosen))
    if any(isinstance(step, Periods) for step in chosen.option.steps):
        told.append(
            "In periods what is counted is records, each of one person in one period, and beside "
            "the data as they are people: one person has many. What habits show across the "
            "periods is measured on the page Attack, not here."
        )
    if any(isinstance(step, Glove) for step in chosen.option.steps):
        told.append(
            "The edges of what is published are those of single samples: whoever knows such a "
            "moment of a person may find the group by it, not the person in it."
        )
    return tuple(told)


def found(
    exploration: Exploration, raw: OptionResult | None, chosen: OptionResult | None, risk: str
) -> Found:
    """A measure of the data as they are and of the chosen form."""
    measure = w.MEASURES[risk]

    def told(result: OptionResult | None) -> str:
        if result is None:
            return "–"
        if risk == "alone":
            return w.people(result)
        found, low, high = interval(result, risk)
        ends = w.between(low, high, risk)
        return f"{w.value(found, risk)} (95 %: {ends})" if ends else w.value(found, risk)

    return Found(
        measure.title.format(p=exploration.table.config.p),
        measure.name,
        told(raw),
        told(chosen),
        _guessing(raw, chosen, risk),
        w.limit(exploration.limits, risk),
    )


@dataclass(frozen=True)
class Produced:
    """A release that was produced, and the digest by which the file is known again.

    Attributes
    ----------
    facts : ReleaseFacts
    sha256 : str
        Of the file as it leaves, hexadecimal.
    """

    facts: ReleaseFacts
    sha256: str


def produced(made: Produced) -> Terms:
    """What is in the file that was produced, and how it is told from any other."""
    facts, told = made.facts, []
    if facts.first_day is not None and facts.last_day is not None:
        told.append(("Days in it", f"{facts.first_day} to {facts.last_day}"))
    if facts.periods is not None and facts.period_days is not None:
        records = w.count(facts.pseudonyms or 0, "record")
        length = w.count(facts.period_days, "day")
        told.append(("Periods", f"{facts.periods:,} of {length}, with {records} in all"))
    of = facts.people + facts.people_left_out
    told += [("People", f"{facts.people:,} of {of:,}"), ("Rows", f"{facts.rows:,}")]
    told.append(("Samples left out", f"{facts.samples_left_out:,} of {facts.samples_in:,}"))
    if facts.groups is not None:
        told.append(("Groups", f"{facts.groups:,}"))
    told.append(("SHA-256 of the release file", made.sha256))
    return tuple(told)


def _guessing(raw: OptionResult | None, chosen: OptionResult | None, risk: str) -> str:
    """What guessing finds, as they are and in the form; of other records it finds others."""
    both = ["" if result is None else w.guessing(result, risk) for result in (raw, chosen)]
    if all(both) and both[0] != both[1]:
        return f"{both[0]} as they are, {both[1]} in the form"
    return both[1] or both[0]


def costs(chosen: OptionResult) -> Terms:
    """Who and what is not in the release."""
    share, lost = chosen.users_share, w.days_lost(chosen)
    return (
        (
            "People in it",
            f"{chosen.n_users:,}"
            + ("" if math.isnan(share) else f" ({w.percent(share)} of those in the data)"),
        ),
        ("Rows in it", f"{chosen.n_samples:,}"),
        ("Samples left out by suppression", w.percent(chosen.suppressed_share)),
        *([("Days with samples that are not in it", lost)] if lost else []),
    )


def limit_row(exploration: Exploration, risk: str) -> LimitRow:
    """A limit in force, beside the usual one."""
    key = limit_key(risk)
    usual, most = RISKS[key], exploration.limits.limit(risk)
    source = (
        "the limit of unicity, for shares of unique people" if risk == "alone" else usual.source
    )
    ours = most == usual.limit
    measure = w.MEASURES[risk]
    return LimitRow(
        measure.title.format(p=exploration.table.config.p),
        w.limit(exploration.limits, risk),
        w.limit(Limits(), risk),
        source if ours else "set by who made this report",
    )


def assumed(exploration: Exploration) -> list[str]:
    """What the outsider is taken to know, and what is not measured."""
    table = exploration.table
    known = table.config
    told = [
        f"The outsider knows {w.points(known.p)} of a person: {w.drawn(known.strategy)}. Of every "
        f"form at most {known.users:,} people are asked about, drawn at random. Who has fewer than "
        f"{known.p} has all of them known. Whoever knows more finds more: that is what the people "
        "alone with their record stand for.",
        "The outsider knows that the person is in the release, and how the data were treated. "
        "Linkage is by true points; k-, EM- and KL-disclosure and unicity are by points as they "
        "are published.",
        "A risk is of those who are in the release: a sample of the people lowers nobody's risk "
        "who is in it.",
        "Each form is judged alone. Whoever has two releases of the same people can match their "
        "rows, and learns more than from either.",
    ]
    if any(option.moved for option in table.options):
        told.append(
            "Where noise or exchange moves points, points as published are the moved ones; what "
            "true points find, linkage says."
        )
    if any(isinstance(step, Periods) for option in table.options for step in option.steps):
        told.append(
            "In periods a person has another pseudonym in each. That habits may show which records "
            "of several periods are one person's is not in this report; the page Attack measures "
            "it."
        )
    return told


def settings(exploration: Exploration) -> Terms:
    """What the numbers depend on but the data."""
    table = exploration.table
    known, choice = table.config, table.choice
    weights = ", ".join(
        f"{w.COMPONENTS[name][0].lower()} {100 * weight:.0f} %"
        for name, weight in (choice.weights or {}).items()
        if weight and name in w.COMPONENTS
    )
    return (
        ("Options", f"{len(table.results):,}"),
        ("Points known", f"{known.p}, {known.strategy}"),
        ("People asked about, at most", f"{known.users:,}"),
        ("Seed of the study's draws", f"{known.seed}; what is released is drawn anew, without one"),
        ("Measure of the front", w.MEASURES[table.risk_name].name),
        ("Utility", w.shown(choice.label) + (f": {weights}" if weights else "")),
        *((("Analysis areas", areas),) if (areas := w.areas(table)) else ()),
        ("Digest of the data, under a key of this machine", keyed(table.digest)),
        (
            "Program",
            f"fpanon {w.shown(table.version) or 'of unknown version'}, figures {table.figures}",
        ),
    )


def repeat(facts: Facts | None) -> tuple[str, ...]:
    """The commands that give the same numbers."""
    cells = ""
    if facts is not None:
        cells += f" --granularity-m {facts.granularity_m:g}" if facts.granularity_m != 100 else ""
        cells += (
            f" --granularity-min {facts.granularity_min:g}" if facts.granularity_min != 1 else ""
        )
    return (
        f"python -m fpanon_core options DATA --recipe report.recipe.json{cells} --out again.csv",
        "python -m fpanon_core report again.json --recipe report.recipe.json --out again.html",
    )


def repeatable(exploration: Exploration) -> str:
    """What holds of those commands."""
    told = (
        "DATA is the original file, read as it was for this report. The recipe beside this report "
        "holds the options, what is known of whom, the seed, the measures, the limits and the "
        "choice; the same program gives the same numbers."
    )
    if exploration.facts is not None and exploration.facts.screened_out:
        told += " People were screened out: give --screen as it was given then."
    return told


def definitions(p: int) -> Terms:
    """What the words of a report mean, for p points known."""
    measures = (
        (f"{m.title.format(p=p)} ({m.name})", m.meaning.format(p=p)) for m in w.MEASURES.values()
    )
    return (*measures, *_OTHER_DEFINITIONS)


_OTHER_DEFINITIONS: Terms = (
    (
        "95 % interval",
        "Measured on people drawn at random, a share is known only to lie within it, 95 times of "
        "100. A form is judged by the upper end.",
    ),
    (
        "Guessing",
        "What somebody finds who has no record at all. A figure says something of the release only "
        "beyond it.",
    ),
    (
        "Utility",
        "How much of what the data are used for remains, from 0 to 1: a weighted mean of the "
        "components, computed against the original; or what experts said.",
    ),
    ("On the front", "No other form is surely better in both risk and utility."),
)
