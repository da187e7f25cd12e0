"""What the front says, in dots and words."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

from fpanon_core.io.hints import for_screen
from fpanon_core.model.arrays import FloatArray
from fpanon_core.model.configs import KnowledgeConfig, Strategy
from fpanon_core.model.options import ReleaseOption
from fpanon_core.studies.judgement import best_option, interval, some_alone
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.report_words import areas, use_told, utility
from pages.charts import words
from pages.charts.pareto import Dot
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.options.criteria import SPOKEN, Criteria
from pages.options.numbers import beside_guessing, first_up, listed, risk_text, some
from pages.options.verdict import (
    alone_told,
    broken,
    found_told,
    moved_told,
    shared_told,
    surely_over,
    turned,
    verdict,
)

_ONE_LINE = 0.005  # limits that differ by less have one line


_DRAWN: dict[Strategy, str] = {
    "uniform": ", any of the person's rows alike",
    "random": ", drawn from the interactions, so that busy places and times are likelier; the "
    "lesser ones, which tell people apart, are known less often than in a draw of all rows alike",
    "top": ", the most visited places, without times",
    "consecutive": ", which follow one another",
}


def dots(
    table: OptionsTable, criteria: Criteria, pinned: Sequence[str], chosen: str = ""
) -> list[Dot]:
    """The options as the figure draws them, numbered from 1; ``chosen``: the name of the choice."""
    unsafe = _unsafe(table, criteria.limit)
    found = []
    for i, result in enumerate(table.results):
        behind = bool(table.front[i] and not table.estimated_front[i])
        told = [
            "on the front" if table.front[i] else f"dominated by {some(_names(table, i))}",
            _level_told(table, i),
            _limit_told(result, criteria) if unsafe[i] else "",
        ]
        if not math.isfinite(table.utility[i]):
            told = ["nobody scored it"]
        elif not math.isfinite(table.risk[i]):
            told = [f"{SPOKEN[criteria.risk]} is not known"]
        found.append(
            Dot(
                i + 1,
                result.option.told,
                float(table.risk[i]),
                float(table.risk_low[i]),
                float(table.risk_high[i]),
                float(table.utility[i]),
                bool(table.front[i]),
                bool(unsafe[i]),
                "<br>".join(
                    (
                        ", ".join(filter(None, told)),
                        f"utility {utility(table.choice, result)}",
                        naming_told(result),
                        *true_points_told(result),
                    )
                ),
                result.option.name in pinned,
                behind,
                result.option.name == chosen,
            )
        )
    return found


def _named_dots(table: OptionsTable, dots: Sequence[Dot], criteria: Criteria) -> list[Dot]:
    """The chosen option's dot, and that of the best, where they are drawn."""
    best = best_option(table, criteria.judged)
    return [dot for i, dot in enumerate(dots) if dot.chosen or i == best]


def few_numbered(table: OptionsTable, dots: Sequence[Dot], criteria: Criteria) -> list[Dot]:
    """For a wall: only the dots whose names :func:`key_told` says are numbered."""
    named = {dot.number for dot in _named_dots(table, dots, criteria)}
    return [replace(dot, numbered=dot.number in named) for dot in dots]


def key_told(table: OptionsTable, dots: Sequence[Dot], criteria: Criteria) -> str:
    """Which option each number on the slide is."""
    return " ".join(
        f"**{dot.number}**: {plain(dot.name)}{' (chosen)' if dot.chosen else ''}."
        for dot in _named_dots(table, dots, criteria)
    )


def _unsafe(table: OptionsTable, limit: float | None) -> list[bool]:
    return [bool(above) for above in table.unsafe(math.inf if limit is None else limit)]


def _limit_told(result: OptionResult, criteria: Criteria) -> str:
    """Whether a risk that is not surely within the limit is surely above it."""
    sure = surely_over(result, criteria.risk, criteria)
    return "is above the limit" if sure else "may be above the limit"


def _names(table: OptionsTable, i: int) -> list[str]:
    return [table.options[j].name for j in table.dominated_by[i].tolist()]


def _level_told(table: OptionsTable, i: int) -> str:
    level = [table.options[j].name for j in table.level_with[i].tolist()]
    return f"level with {some(level)}" if level else ""


def naming_told(result: OptionResult) -> str:
    """The chance of naming somebody, and how many share a record, in a line."""
    value, _, high = result.risk("k")
    told = f"chance of naming by published points {words.percent(value)} on average"
    if result.crowd_least > 1:
        return f"{told}, at most 1/{result.crowd_least:,}: so many share each record"
    return f"{told} (95 %: up to {words.percent(high)})"


def true_points_told(result: OptionResult) -> list[str]:
    """What true points find, beside guessing, or why it is not known; a line each."""
    return [
        f"linkage by true points: {beside_guessing(result, 'linkage')}",
        f"home found within 1 km: {beside_guessing(result, 'home')}",
    ]


def told(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> list[str]:
    """What this means: first what may be released, then all else that the front says."""
    return [*conclusion(table, found, criteria), *further(table, found, criteria)]


def conclusion(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> list[str]:
    """What is within the limits, by all measures; or why nothing can be said."""
    scored = [dot for dot in found if math.isfinite(dot.utility)]
    if not scored:
        return ["Nobody scored any of the options that are explored so far."]
    if not any(math.isfinite(dot.risk) for dot in scored):
        return [f"{first_up(SPOKEN[criteria.risk])} is not known of any of these options."]
    return verdict(table, criteria)


def further(table: OptionsTable, found: Sequence[Dot], criteria: Criteria) -> list[str]:
    """The front, and one dominated option explained; what figures are of."""
    scored = [d for d in found if math.isfinite(d.utility) and math.isfinite(d.risk)]
    if not scored:
        return moved_told(table.options)
    front = [d for d in scored if d.front]
    told = turned(table, criteria)
    if len(front) == len(scored) > 1:
        told.append(
            f"\n\nNone of the {words.count(len(scored), 'option')} can be told to be worse than "
            "another in risk and utility both, within the 95 % intervals: all are on the front."
        )
    else:
        told.append(
            f"\n\n{len(front)} of {words.count(len(scored), 'option')} "
            f"{'is' if len(front) == 1 else 'are'} on the front: no other is surely better in both."
        )
    if behind := sum(d.behind for d in front):
        told.append(
            f"{behind} of them {'is' if behind == 1 else 'are'} level with another: which of the "
            "two has less risk, the 95 % intervals leave open."
        )
    worse = [d for d in scored if not d.front]
    told.append(
        _explained(table, {d.number: d for d in scored}, worse, criteria)
        if worse
        else "No option is dominated."
    )
    return told + moved_told(table.options)


def _explained(
    table: OptionsTable, found: dict[int, Dot], worse: Sequence[Dot], criteria: Criteria
) -> str:
    """The dominated option that loses the most utility to another, in words."""

    def loss(dot: Dot) -> float:
        better = table.utility[table.dominated_by[dot.number - 1]]
        return float(better.max()) - dot.utility

    one = max(worse, key=loss)
    better = max(
        (found[j + 1] for j in table.dominated_by[one.number - 1]), key=lambda d: d.utility
    )
    mine, less = (risk_text(dot.risk, criteria.risk) for dot in (one, better))
    name = SPOKEN[criteria.risk]
    same_risk = better.risk == one.risk
    bare = name.removeprefix("the ")
    risk = f"the same {bare} ({mine})" if same_risk else f"a lower {bare} ({less} against {mine})"
    gain = (
        f"the same utility ({one.utility:.2f})"
        if better.utility == one.utility
        else f"more utility ({better.utility:.2f} against {one.utility:.2f})"
    )
    return (
        f"{len(worse)} {'is' if len(worse) == 1 else 'are'} dominated: “{plain(one.name)}”, "
        f"for one, by “{plain(better.name)}”, which has {risk} and {gain}. That is by {name} "
        "alone."
    )


def drawn_limit(table: OptionsTable, criteria: Criteria) -> float | None:
    """Where the figure has the limit's line: none where it is not at one place for all options."""
    if criteria.limit is None:
        return None
    allowed = table.allowed(criteria.limit)
    allowed = allowed[allowed == allowed]
    if not len(allowed) or allowed.max() - allowed.min() > _ONE_LINE:
        return None
    return float(allowed.min())


def not_drawn_told(table: OptionsTable, criteria: Criteria) -> str:
    """Why there is no line of the limit, and which options have no dot; else nothing."""
    told = []
    if criteria.limit is not None and drawn_limit(table, criteria) is None:
        told.append(
            "No line is drawn for the limit: what guessing finds is not the same for all options. "
            "The triangles are above it, or perhaps."
        )
    unknown = [
        f"“{plain(result.option.name)}”"
        for result in table.results
        if not math.isfinite(interval(result, criteria.risk)[0])
    ]
    if unknown:
        told.append(
            f"Without a dot, as {SPOKEN[criteria.risk]} is not known of them: {listed(unknown)}."
        )
    return " ".join(told)


def outsider_told(known: KnowledgeConfig) -> str:
    """What the outsider is assumed to know of a release."""
    return (
        f"For every option, {known.users:,} of its users at most are drawn, and {known.p} points "
        f"of each{_DRAWN[known.strategy]}; who has fewer than {known.p} has all of them known, and "
        "the table says of how many published records that is so. For unicity, k-, EM- and "
        "KL-disclosure they are points as they are published, after noise or exchange the moved "
        "ones. For linkage they are true points, of the data as read, exactly known; the outsider "
        "knows the method and its parameters, never its draws. The re-identification risk is that "
        "of the strongest of three attackers. For homes the attacker has the person's record, or "
        "the group's, and may know where all other people live. A risk is of those who are in the "
        "release; a sample of users lowers nobody's risk who is in it."
    )


def fault_told(result: OptionResult) -> str:
    """Why an option has no figures."""
    assert result.fault is not None
    name = plain(result.option.name)
    return f"**{name}** could not be made: {plain(for_screen(result.fault), MESSAGE_LENGTH)}"


REFUSED_BEFORE = (
    "It was decided that nothing leaves. Keep this choice to decide otherwise; the report says "
    "what was kept last."
)


def refused_told(why: str) -> str:
    """That nothing leaves, and why."""
    return f"Decided: **nothing leaves.** {plain(why, MESSAGE_LENGTH)} The report says so."


def chosen_told(
    result: OptionResult, why: str, table: OptionsTable, criteria: Criteria
) -> tuple[str, bool]:
    """The choice that stands, and whether nothing speaks against it."""
    name, reason = plain(result.option.told), plain(why, MESSAGE_LENGTH)
    lines = [f"**Chosen: {name}.** {reason or 'No reason is given yet.'}"]
    lines += found_told(result, table.config.p) + alone_told(result)
    lines += filter(None, [use_told(result)])
    over = broken(result, criteria)
    sure = [SPOKEN[r] for r in criteria.limited if surely_over(result, r, criteria)]
    if sure:
        lines.append(
            f"It is above the limit of {listed(sure)}, even by the lower end of the 95 % interval."
        )
    if open_ := [name for name in over if name not in sure]:
        lines.append(
            f"Its risk may be above the limit of {listed(open_)}: the upper end of the 95 % "
            "interval is, or it is not known."
        )
    dominating = next(
        (
            _names(table, i)
            for i, option in enumerate(table.options)
            if option.steps == result.option.steps
        ),
        [],
    )
    if dominating:
        lines.append(f"By {SPOKEN[criteria.risk]} it is dominated by {plain(some(dominating))}.")
    lines += shared_told(result) + moved_told([result.option])
    return "  \n".join(lines), not over and not dominating and not some_alone(result)


def compared_told(table: OptionsTable) -> str:
    """On which areas utility compares places: who reads it as of streets errs."""
    told = areas(table)
    return told and f"{told} What happens within one does not count."


def gaps_told(name: str, gaps: FloatArray, *, periods: bool = False) -> str:
    """How many of a release do not hide yet, in a sentence; with periods they are records."""
    alone = int((gaps > 0).sum())
    if periods:
        return (
            f"In “{plain(name)}”, {words.share(alone, len(gaps), 'record')}, each a person's of "
            f"one period, {'is' if alone <= 1 else 'are'} like nobody else's."
        )
    return (
        f"In “{plain(name)}”, {words.share(alone, len(gaps))} "
        f"{'has' if alone <= 1 else 'have'} a record that nobody else has."
    )


def recipe(options: Sequence[ReleaseOption]) -> bytes:
    """The options as the command line reads them."""
    return json.dumps([option.to_dict() for option in options], indent=2).encode()
