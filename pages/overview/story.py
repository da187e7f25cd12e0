"""Sentences of the overview on the data and on the best option; pure functions."""

from __future__ import annotations

import math

import pandas as pd

from fpanon_core.studies import judgement
from fpanon_core.studies import report_verdict as verdicts
from fpanon_core.studies import report_words as w
from fpanon_core.studies.advice import advise, describe_advice, describe_promise, ladder_table
from fpanon_core.studies.exploration import Exploration
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.search import SKIPPED
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain

COUNTS = (
    "You could publish only counts of people. Counts are no safer than records if trajectories can "
    "be recovered from them: compare *Recovered from exact counts*, above, with linking at random."
)
FEW_HOMES = (
    "So few homes are known that the 95% interval always reaches above the threshold for homes. No "
    "option can be shown to stay within that threshold, not even one in which no home is found."
)
_LARGER = "With larger areas (menu beside *Who gets it?*), more trips may agree with the data."
_EPSILON = "A smaller ε protects more."
_NONE = "No option within the thresholds serves the purpose. "
_NEAR = 2.0  # times its threshold, by the upper end
MEASURE = "Measure the rest"
LARGE = (
    "With data of this size or length, work that takes minutes or hours waits until you ask for "
    "it. While it runs, you see its progress and a button to stop it."
)
PLAN = (
    "The search tries three kinds of option: tables, synthetic people, and real people's records. "
    "It attacks each option, and compares the risks with your thresholds."
)
_NAMED = 2
REFUSED = "Decided: **nothing is released.** The report says so, with the reason."


def heads(exploration: Exploration, waiting: int, untried: int) -> list[tuple[str, str]]:
    """Return the report's verdict as pairs of a mark and a heading.

    A heading says how many options are still ``waiting``, or that some are ``untried``: the verdict
    may then change.
    """
    told = [(verdicts.as_they_are(exploration), "")]
    if exploration.table.results:
        more = ""
        if waiting:
            more = f" ({waiting:,} more {'is' if waiting == 1 else 'are'} on the way.)"
        elif untried:
            more = " **Search not finished: go on below.**"
        told.append((verdicts.describe_tried(exploration), more))
    told += [(each, "") for each in verdicts.unusual(exploration)]
    return [(words.MARKS[each.tone], _plain(each.head) + more) for each, more in told]


def grounds(exploration: Exploration) -> list[str]:
    """Return the grounds of the verdict on the original data, a paragraph each."""
    return [_plain(text) for text in verdicts.as_they_are(exploration).text]


def best(exploration: Exploration) -> int | None:
    """Return the row of the best option within the thresholds; None if none is within them."""
    row = judgement.best_option(exploration.table, exploration.limits)
    return row if verdicts.within(exploration) else None


def best_head(exploration: Exploration, row: int, waiting: int) -> str:
    """Say which option is recommended, and whether that may change."""
    result = exploration.table.results[row]
    yet = " Some people have a unique record." if judgement.some_alone(result) else ""
    none = "" if judgement.serves(exploration.table, verdicts.within(exploration)) else _NONE
    return f"{none}{_plain(verdicts.best_named(exploration, ' so far' * bool(waiting)))}{yet}"


def describe_best_option(exploration: Exploration) -> tuple[list[str], list[str]]:
    """Return paragraphs on the best option, or else the nearest, and paragraphs with details."""
    told = [_plain(text) for text in verdicts.describe_best(exploration)]
    row = judgement.best_option(exploration.table, exploration.limits)
    if best(exploration) is not None and row is not None:
        table, result = exploration.table, exploration.table.results[row]
        good = verdicts.within(exploration)
        most = _plain(w.describe_most(table, judgement.most_useful(table, good), row))
        epsilon = result.option.epsilon
        promised = f"{w.strength(epsilon)}." if epsilon else ""
        least = judgement.needed(table, good)
        useful = f"Utility: {w.utility(table.choice, result)}"
        enough = f"; needed: {least:.2f}, {judgement.NEED:.0%} of the best" if least else ""
        parts = w.describe_kind(result), promised, w.describe_cost(table.choice, result)
        cost = " ".join(filter(None, parts))
        squares = (result.areas or "").startswith("squares")
        serves = judgement.serves(table, good)
        if squares and not serves and "flows" in judgement.needs_lost(table, row):
            cost += f" {_LARGER}"
        left = f"{useful}{enough}. {w.describe_kept(table.choice, result)} {most}"
        kept = f"**3. What it keeps.** {left} {w.areas(table)} {w.draws(table)}"
        grounds = len(verdicts.describe_tried(exploration).text)
        why = f"**2. Why this one.** {' '.join(told[:grounds])}"
        sure = [
            f"**4. How sure this is.** {told[grounds]}",
            *told[grounds + 1 :],
            f"{w.describe_epsilon(epsilon)} {_EPSILON}" if epsilon else "",
        ]
        return [cost], [decides(exploration, row), why, kept, *sure]
    few = row is not None and few_homes(exploration, exploration.table.results[row])
    also = [FEW_HOMES] if few else []
    return [*told[:1], *also, *([] if counted(exploration) else [COUNTS])], told[1:]


def decides(exploration: Exploration, row: int) -> str:
    """Return each risk of an option and the accepted risk, as a Markdown table.

    The risk nearest to its threshold comes first. Thresholds apply to the upper ends of the
    intervals, so the table shows these ends.
    """
    result, limits = exploration.table.results[row], exploration.limits
    asked = [risk for risk in limits.judged if judgement.asked_of(result, risk)]
    lines = [
        "**1. What decides.** No risk may exceed what is accepted; the first row comes closest.\n"
    ]
    lines += ["| Risk | Measured, at most | Accepted |", "|---|---|---|"]
    for risk in sorted(asked, key=lambda risk: -limits.times(result, risk)):
        name = _plain(w.MEASURES[risk].title.format(p=exploration.table.config.p))
        high, allowed = judgement.interval(result, risk)[2], limits.allowed(result, risk) or 0.0
        found, most = w.value(high, risk), w.value(allowed, risk)
        if risk == "membership" and result.option.epsilon is not None:
            bound = math.tanh(result.option.epsilon / 2)
            if bound >= high:
                proven = f"no attack exceeds {math.ceil(100 * bound)}%"
                found += f"; with all else fixed in advance, {proven}"
        if guess := w.guessing(result, risk) if risk == "home" else "":
            more = max(0.0, high - result.guessing[risk])
            found = f"{100 * more:.3g} more in 100 ({found}; {w.guesses(result, guess)})"
            most = f"{100 * (limits.limit(risk) or 0):.3g} more in 100 ({most})"
        lines.append(f"| {name} | {found} | {most} |")
    return "\n".join(lines)


def promise(exploration: Exploration) -> str:
    """Say what the ε of the recommended option does not cover; return "" if there is no such ε."""
    row = best(exploration)
    return "" if row is None else describe_promise(exploration.table.results[row])


def rungs(exploration: Exploration) -> pd.DataFrame:
    """Return a row for each kind of release, the least revealing first."""
    return ladder_table(exploration.table, exploration.limits).map(plain)


def advice(exploration: Exploration) -> list[str]:
    """Say how far each threshold would have to rise for a more useful option to pass."""
    advised = advise(exploration.table, thresholds=exploration.limits)
    return [_plain(text) for text in describe_advice(advised)]


def counted(exploration: Exploration) -> bool:
    """Return whether options without records were tried; counts are then no new alternative."""
    return any(option.recordless is not None for option in exploration.table.options)


def next_is_counts(exploration: Exploration) -> bool:
    """Return whether to propose counts: no option is near, or none can be shown to pass.

    An option is near if its worst measure is at most twice the threshold: slightly larger groups or
    areas may then suffice. None can be shown to pass if too few homes are known
    (:func:`few_homes`). Without a best option, propose counts. Otherwise, once options without
    records have been tried, counts are no alternative.
    """
    row = judgement.best_option(exploration.table, exploration.limits)
    if row is None or counted(exploration):
        return row is None
    result = exploration.table.results[row]
    near = judgement.beyond(result, exploration.limits) <= _NEAR
    return not near or few_homes(exploration, result)


def few_homes(exploration: Exploration, result: OptionResult) -> bool:
    """Return whether so few homes are known that an option fails even if none is found.

    The number n of homes attacked follows from the ends of Wilson's interval. With t = z²/n, the
    two ends add up to (2 share + t) / (1 + t). If no home is found, the upper end is t / (1 + t).
    """
    most = exploration.limits.allowed(result, "home")
    share, low, high = result.risk("home")
    if most is None or math.isnan(share) or low + high >= 1:
        return False
    t = (low + high - 2 * share) / (1 - low - high)
    return t / (1 + t) > most


def untried(names: list[str]) -> str:
    """Say which options have not been tried yet."""
    return f"Not tried yet: {_some(names)}."


def skipped(names: list[str]) -> str:
    """Say which options the search skipped, and why; return "" for none."""
    return f"{SKIPPED}: {_some(names)}." if names else ""


def _some(names: list[str]) -> str:
    more = len(names) - _NAMED
    named = [f"“{plain(each)}”" for each in names[:_NAMED]] + [f"{more} more"] * (more > 0)
    return w.listed(named)


def describe_chosen(name: str, why: str) -> str:
    """Say which option was chosen, and where to produce its release."""
    reason = "" if why else " No reason is given yet."
    return f"Chosen: **{plain(name)}**.{reason} Produce the release on *Report*."


def _plain(text: str) -> str:
    return plain(text, MESSAGE_LENGTH)
