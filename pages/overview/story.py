"""What the overview says, in sentences; pure functions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fpanon_core.model.configs import KnowledgeConfig
from fpanon_core.model.utility import COMPONENTS
from fpanon_core.studies import anonymizability, recovery
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.judgement import (
    best_option,
    beyond,
    interval,
    most_useful,
    some_alone,
)
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.report_verdict import (
    Sentence,
    alone_told,
    as_they_are,
    describe_nearest,
    tried_told,
    unusual,
    within,
)
from fpanon_core.studies.report_words import (
    areas,
    component,
    describe_utility,
    homes_asked,
    use_told,
    utility,
)
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain

MARKS = {
    "against": ":material/block:",
    "open": ":material/help:",
    "for": ":material/check_circle:",
}
COUNTS = (
    "The other way out is to publish counts of people only. They are no safer where paths come "
    "back from them: see what *Recovered from counts* says above, beside linking at random."
)
FEW_HOMES = (
    "So few people's homes are asked about that chance alone reaches above the limit of homes: "
    "these data can show no form to be within it, not even one in which no home is found."
)
_NEAR = 2.0  # times its limit, by the upper end
MEASURE = "Measure the rest"
LARGE = (
    "What takes long on data of this size or length waits until you ask: from minutes to hours. "
    "How far it is, and a way to stop it, stand in each place."
)


@dataclass(frozen=True)
class Told:
    """A statement: its number, and of whom it is, how sure, and what guessing gives.

    Both may quote texts from outside.
    """

    number: str
    text: str


def found(raw: OptionResult, known: KnowledgeConfig) -> Told:
    """Found with a few points."""
    if raw.fault is not None:
        return Told("–", raw.fault)
    return Told(
        _share(raw, "unicity"),
        f"of {_asked(raw)} are singled out by {words.count(known.p, 'point')} of their record "
        f"({_ends(raw, 'unicity')}); guessing names 1 in {raw.n_users:,}."
        + (f" {raw.too_few:,} have fewer points: all were known." if raw.too_few else ""),
    )


def moved(result: anonymizability.Result) -> Told:
    """Moved by so much to hide with one other."""
    measured = result.measured[0]
    k = min(measured.parts)
    parts = measured.parts[k]
    space, time = float(np.median(parts.space_m)), float(np.median(parts.time_min))
    n, stretch = len(measured.gaps.users), result.config.stretch
    hidden = int((measured.gaps.at(k).values == 0).sum())
    return Told(
        " · ".join(
            part
            for part in (
                _short(words.distance(space)) if math.isfinite(space) else "",
                _short(words.duration(time)) if math.isfinite(time) else "",
            )
            if part
        ),
        f"Half of the {n:,} people, all counted, would have to be moved so far or more on "
        f"average, half so long or more, to look like {words.others(k)}. What is farther than "
        f"{words.distance(stretch.max_space_m)} or {words.duration(stretch.max_time_min)} off "
        "counts as no more." + (f" {_none(hidden, n)} so already." if hidden else ""),
    )


def home(raw: OptionResult) -> Told:
    """Home found within 1 km."""
    if raw.fault is not None:
        return Told("–", raw.fault)
    if "home" in raw.unasked:
        return Told("not known", raw.unasked["home"])
    guessing = raw.guessing.get("home", math.nan)
    beside = f"; guessing finds {words.percent(guessing)}" if math.isfinite(guessing) else ""
    return Told(
        _share(raw, "home"),
        f"of {_homes_of(raw)} ({_ends(raw, 'home')}), by who has the record{beside}. "
        "A home is where the recorded nights were, however few.",
    )


def recovered(result: recovery.Result) -> Told:
    """Recovered from counts."""
    score = result.score
    share, chance = float(score.recorded_by_step[-1]), float(score.baseline_recorded_by_step[-1])
    if not math.isfinite(share):
        return Told("not known", "No point that was recorded is among those counted.")
    people = words.count(score.n_users, "person").replace("persons", "people")
    whose = people if score.n_users >= result.n_users else f"{people} drawn of {result.n_users:,}"
    return Told(
        words.percent(share),
        f"of the recorded points of {whose}, all scored, come back from counts every "
        f"{words.duration(result.counts.slot_min)}; linking at random, {words.percent(chance)}.",
    )


def heads(exploration: Exploration, waiting: int) -> list[tuple[str, str]]:
    """The verdict, as the report says it: mark and head; so far, while forms are on their way."""
    told = [as_they_are(exploration)]
    if exploration.table.results:
        told.append(tried_told(exploration))
    told += unusual(exploration.limits)
    return [
        (MARKS[each.tone], _head(each, waiting if at == 1 else 0)) for at, each in enumerate(told)
    ]


def grounds(exploration: Exploration) -> list[str]:
    """On what ground, a paragraph each."""
    told = [as_they_are(exploration)]
    if exploration.table.results:
        told.append(tried_told(exploration))
    return [plain(text, MESSAGE_LENGTH) for each in told for text in each.text]


def best(exploration: Exploration) -> int | None:
    """Row of the best form within the limits, as every page names it; None where none is within."""
    best = best_option(exploration.table, exploration.limits)
    return best if within(exploration) else None


def best_head(exploration: Exploration, row: int, waiting: int) -> str:
    """What the form is, and in what sense it is the best."""
    result = exploration.table.results[row]
    told = " with nobody alone" if _more_useful(exploration, row) is not None else ""
    so_far = " so far" if waiting else ""
    yet = ". People are alone in it" if some_alone(result) else ""
    return f"Most useful within the limits{told}{so_far}: {plain(result.option.told)}{yet}"


def passed_over(exploration: Exploration, row: int) -> str:
    """A form that is more useful and within the limits, and in which people are alone."""
    more = _more_useful(exploration, row)
    if more is None:
        return ""
    table = exploration.table
    return (
        f"“{plain(table.options[more].told)}” is more useful "
        f"({describe_utility(table.choice, table.results[more])}) and "
        "breaks none of the limits either, but people are alone in it. "
        f"{alone_told(table.results[more])}"
    )


def _more_useful(exploration: Exploration, row: int) -> int | None:
    table, good = exploration.table, within(exploration)
    other = most_useful(table, good)
    return other if other is not None and table.utility[other] > table.utility[row] else None


def risk_told(exploration: Exploration, row: int) -> str:
    """What an outsider finds in it, and who is alone."""
    result = exploration.table.results[row]
    return (
        f"Re-identified with {words.count(exploration.table.config.p, 'known point')}: "
        f"{_share(result, 'outsider')} ({_ends(result, 'outsider')}). Home found within 1 km: "
        f"{_share(result, 'home')} of {_homes_of(result)} ({_ends(result, 'home')}; guessing finds "
        f"{words.percent(result.guessing.get('home', math.nan))}). {alone_told(result)}"
    )


def cost_told(exploration: Exploration, row: int) -> str:
    """What the form costs, in metres, minutes and people, and what of its uses is kept."""
    table, result = exploration.table, exploration.table.results[row]
    told = [f"**What it costs.** {use_told(result)}"]
    out = []
    if result.users_share < 1:
        out.append(f"{words.percent(1 - result.users_share)} of the people are not in it")
    if result.suppressed_share > 0:
        out.append(f"{words.percent(result.suppressed_share)} of the samples are left out")
    if out:
        told.append(f"{' and '.join(out)}.")
    parts = " · ".join(
        f"{_NAMES[name]} {component(result.components[name])}"
        for name in COMPONENTS
        if name in result.components
    )
    useful = utility(table.choice, result)
    told.append(f"Utility, {plain(table.choice.label)}: {useful} of 1: {parts}.")
    told.append(areas(table))
    return " ".join(told)


def miss(exploration: Exploration) -> list[str]:
    """Where no form is within the limits: which comes nearest, and what it breaks."""
    row = best_option(exploration.table, exploration.limits)
    if row is None:
        return [COUNTS]
    result = exploration.table.results[row]
    few = [FEW_HOMES] if few_homes(exploration, result) else []
    nearest = plain(describe_nearest(exploration), MESSAGE_LENGTH)
    return [f"{nearest} {use_told(result)}", *few, COUNTS]


def next_is_counts(exploration: Exploration) -> bool:
    """Whether counts are what to look at next: no form comes near, or none can be shown to pass.

    Near is up to twice the limit by the worst measure: crowds or cells a step larger may do then.
    """
    row = best_option(exploration.table, exploration.limits)
    if row is None:
        return True
    result = exploration.table.results[row]
    near = beyond(result, exploration.limits) <= _NEAR
    return not near or few_homes(exploration, result)


def few_homes(exploration: Exploration, result: OptionResult) -> bool:
    """Whether chance alone reaches above the limit of homes, even if none were found.

    Of whom homes are asked is seen in the ends of the interval, which is Wilson's: with z²/n = t
    they add up to (2 share + t) / (1 + t), and of none found the upper end is t / (1 + t).
    """
    most = exploration.limits.allowed(result, "home")
    if most is None or math.isnan(result.risk("home")[0]):
        return False
    share, low, high = result.risk("home")
    if low + high >= 1:
        return False
    t = (low + high - 2 * share) / (1 - low - high)
    return t / (1 + t) > most


def plan(count: int, k: int | None, n_users: int) -> str:
    """What would be tried."""
    crowds = (
        f", and crowds of {k} people who share a record, the fewest that the limit of naming allows"
        if k is not None
        else f"; no crowds, because {n_users:,} people are fewer than the limit of naming takes"
    )
    return (
        f"Tries {words.count(count, 'form')}: coarser places and times{crowds}. Each is made, "
        "attacked with points as published and with true ones, and held to the limits."
    )


_NAMES = {
    "density": "density",
    "flows": "flows",
    "mobility": "mobility",
    "visits": "visits",
    "space": "places",
    "time": "times",
}


def _head(sentence: Sentence, waiting: int) -> str:
    head = plain(sentence.head, MESSAGE_LENGTH)
    return (
        f"{head} ({words.count(waiting, 'more')} on the way.)".replace("mores", "more")
        if (waiting)
        else head
    )


def _share(result: OptionResult, risk: str) -> str:
    value = interval(result, risk)[0]
    return words.percent(value) if math.isfinite(value) else "not known"


def _ends(result: OptionResult, risk: str) -> str:
    _, low, high = interval(result, risk)
    if not (math.isfinite(low) and math.isfinite(high)):
        return "no interval"
    return f"95 %: {words.percent(low)} to {words.percent(high)}"


def _homes_of(result: OptionResult) -> str:
    return homes_asked(result) or "the people whose nights are recorded"


def _asked(raw: OptionResult) -> str:
    if raw.n_targets < raw.n_users:
        return f"{raw.n_targets:,} of the {raw.n_users:,} people, drawn at random,"
    return f"all {raw.n_users:,} people"


def _none(hidden: int, n: int) -> str:
    told = words.share(hidden, n, "person").replace("persons", "people")
    return f"{told[0].upper()}{told[1:]} {'does' if hidden <= 1 else 'do'}"


def _short(text: str) -> str:
    """Within a large number."""
    for long, short in ((" minutes", " min"), (" minute", " min"), (" hours", " h")):
        text = text.replace(long, short)
    return text


REFUSED = "Decided: **nothing leaves.** The report says so, with the reason."


def chosen_told(name: str, why: str) -> str:
    """Which option was chosen, and where its release is."""
    reason = "" if why else " No reason is given yet."
    return f"Chosen: **{plain(name)}**.{reason} Its release is produced on *Report*."
