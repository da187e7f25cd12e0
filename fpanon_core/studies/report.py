"""What was decided, on what evidence? The report that an officer signs.

Of a saved exploration and a decision, nothing else: no data are read, nothing is measured. It holds
figures of everyone together, no person, no path and no name of a file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..model.errors import ConfigError
from ..model.keyed import keyed
from ..model.risk import RISKS
from ..model.techniques import Periods
from . import report_figures as figures
from . import report_words as w
from .exploration import Exploration, Facts
from .judgement import JUDGED, interval, limit_key
from .option_result import OptionResult
from .recipe import Decision, Recipe, named, recipe_of
from .report_verdict import Sentence, alone_told, verdict

QUESTION = "Which form of these data may be released, and what is lost?"
COMPARED = ("outsider", "linkage", "k", "home", "unicity", "alone", "em", "kl")


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


Terms = tuple[tuple[str, str], ...]


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


def report(exploration: Exploration, decision: Decision, *, made_on: str = "") -> Report:
    """The report on a saved exploration and what was decided.

    Parameters
    ----------
    exploration : Exploration
    decision : Decision
        Its texts are shown letter by letter.
    made_on : str
        The date, as it is to stand there; a line to fill in where empty.

    Raises
    ------
    ConfigError
        There is no option of the chosen name, it could not be made, no option is there at all, or
        they were judged by a function of one's own.
    """
    table, p = exploration.table, exploration.table.config.p
    if not table.results:
        raise ConfigError("No option was weighed; there is nothing to report.")
    recipe = recipe_of(table, exploration.limits, decision)
    row = None if decision.chosen is None else named(table, decision.chosen)
    chosen = None if row is None else table.results[row]
    raw = exploration.as_it_is
    title = "" if chosen is None else w.shown(chosen.option.told)
    return Report(
        title="Release report",
        question=w.shown(decision.question, lines=True).strip() or QUESTION,
        made_on=w.shown(made_on),
        signer=w.shown(decision.signer),
        verdict=tuple(verdict(exploration, decision, row)),
        data=_data(exploration.facts, decision),
        note="" if exploration.facts is None else w.shown(exploration.facts.note),
        synthetic=exploration.facts is not None and exploration.facts.synthetic,
        now=() if raw is None else _now(raw, p),
        rows=tuple(_row(exploration, i, row) for i, r in enumerate(table.results) if not r.fault),
        faults=tuple((w.shown(r.option.told), w.shown(r.fault)) for r in table.results if r.fault),
        risk_title=w.MEASURES[table.risk_name].title.format(p=p),
        risk_heading=w.first_up(w.MEASURES[table.risk_name].name),
        front=figures.front(exploration, row),
        chosen=title,
        chosen_told=() if chosen is None else _chosen_told(exploration, chosen),
        why=w.shown(decision.why, lines=True).strip(),
        attacks=figures.attacks(exploration, chosen),
        found=tuple(_found(exploration, raw, chosen, risk) for risk in COMPARED),
        cost=figures.cost(exploration, chosen),
        costs=() if chosen is None else _costs(chosen),
        limits=tuple(_limit(exploration, risk) for risk in JUDGED),
        assumed=tuple(_assumed(exploration)),
        settings=_settings(exploration),
        repeat=_repeat(exploration.facts),
        repeatable=_repeatable(exploration),
        definitions=tuple(
            (f"{m.title.format(p=p)} ({m.name})", m.meaning.format(p=p))
            for m in w.MEASURES.values()
        ) + _OTHER_DEFINITIONS,
        recipe=recipe,
    )  # fmt: skip


_OTHER_DEFINITIONS: Terms = (
    ("95 % interval",
     "Measured on people drawn at random, a share is known only to lie within it, 95 times of "
     "100. A form is judged by the upper end."),
    ("Guessing",
     "What somebody finds who has no record at all. A figure says something of the release only "
     "beyond it."),
    ("Utility",
     "How much of what the data are used for remains, from 0 to 1: a weighted mean of the "
     "components, computed against the original; or what experts said."),
    ("On the front", "No other form is surely better in both risk and utility."),
)  # fmt: skip


def _data(facts: Facts | None, decision: Decision) -> Terms:
    name = w.shown(decision.data_name) or ("" if facts is None else w.shown(facts.label))
    told = [("Data", name or "not named by who made this report")]
    if facts is None:
        return (*told, ("Size", "not kept with the figures"))
    told += [("People", f"{facts.people:,}"), ("Samples", f"{facts.samples:,}")]
    if facts.days:
        zone = f", local time of {w.shown(facts.timezone)}" if facts.timezone else ""
        days = w.count(facts.days, "day")
        told.append(("Time", f"{w.shown(facts.first)} to {w.shown(facts.last)} ({days}{zone})"))
    told.append(
        ("A sample is", f"a cell of {facts.granularity_m:g} m by {facts.granularity_m:g} m and "
         f"{facts.granularity_min:g} min")
    )  # fmt: skip
    if facts.rows_read:
        told.append(
            ("Rows set aside", f"{facts.rows_set_aside:,} of {facts.rows_read:,} could not be used")
        )
    if facts.screened_out:
        told.append(("People screened out", f"{facts.screened_out:,}"))
    return tuple(told)


def _now(raw: OptionResult, p: int) -> Terms:
    told = [
        (w.MEASURES[risk].title.format(p=p), w.estimate(raw, risk))
        for risk in ("outsider", "home", "unicity", "alone")
    ]
    return tuple(told)


def _row(exploration: Exploration, i: int, chosen: int | None) -> Row:
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
    utility = f"{table.utility[i]:.2f}" if math.isfinite(table.utility[i]) else "not scored"
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
        utility=utility,
        front=front if math.isfinite(table.utility[i]) else "",
        limits=told,
        within=bool(limits.judged) and not over,
    )


def _beside(result: OptionResult) -> str:
    """The interval of homes found, and what guessing finds."""
    _, low, high = interval(result, "home")
    ends, guess = w.between(low, high, "home"), w.guessing(result, "home")
    return "; ".join(filter(None, (ends, guess and f"guessing {guess}")))


def _chosen_told(exploration: Exploration, chosen: OptionResult) -> tuple[str, ...]:
    """What is done, whether it is within the limits, and who is alone."""
    told = [f"What is done: {w.shown(chosen.option.text)}."]
    limits = exploration.limits
    if over := limits.broken(chosen):
        names = w.listed([w.MEASURES[risk].name for risk in over])
        told.append(f"It is outside of the limits of {names}, or may be: see the verdict.")
    elif limits.judged:
        told.append("It breaks none of the limits.")
    else:
        told.append("No limit was set to hold it to.")
    return (*told, alone_told(chosen))


def _found(
    exploration: Exploration, raw: OptionResult | None, chosen: OptionResult | None, risk: str
) -> Found:
    measure, shown = w.MEASURES[risk], chosen or raw

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
        "" if shown is None else w.guessing(shown, risk),
        w.limit(exploration.limits, risk),
    )


def _costs(chosen: OptionResult) -> Terms:
    """Who and what is not in the release."""
    share = chosen.users_share
    return (
        ("People in it", f"{chosen.n_users:,}"
         + ("" if math.isnan(share) else f" ({w.percent(share)} of those in the data)")),
        ("Samples in it", f"{chosen.n_samples:,}"),
        ("Samples left out by suppression", w.percent(chosen.suppressed_share)),
    )  # fmt: skip


def _limit(exploration: Exploration, risk: str) -> LimitRow:
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
        w.limit(type(exploration.limits)(), risk),
        source if ours else "set by who made this report",
    )


def _assumed(exploration: Exploration) -> list[str]:
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
            "of several periods are one person's is not measured here."
        )
    return told


def _settings(exploration: Exploration) -> Terms:
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
        ("Digest of the data, under a key of this machine", keyed(table.digest)),
        ("Program", f"fpanon {w.shown(table.version) or 'of unknown version'}, "
         f"figures {table.figures}"),
    )  # fmt: skip


def _repeat(facts: Facts | None) -> tuple[str, ...]:
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


def _repeatable(exploration: Exploration) -> str:
    told = (
        "DATA is the original file, read as it was for this report. The recipe beside this report "
        "holds the options, what is known of whom, the seed, the measures, the limits and the "
        "choice; the same program gives the same numbers."
    )
    if exploration.facts is not None and exploration.facts.screened_out:
        told += " People were screened out: give --screen as it was given then."
    return told
