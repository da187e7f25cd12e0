"""Which option may be released, as far as figures say: never by one measure alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fpanon_core.model.disclosure import ALONE, NAMING
from fpanon_core.model.options import Periods, ReleaseOption
from fpanon_core.studies.judgement import (
    best_option,
    interval,
    most_useful,
    some_alone,
    within_limits,
)
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.report_verdict import over_told
from fpanon_core.studies.report_words import describe_utility, use_told
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.options.criteria import SPOKEN, Criteria
from pages.options.numbers import beside_guessing, estimate, limit_text, listed


def verdict(table: OptionsTable, criteria: Criteria) -> list[str]:
    """The option that every page names as the best, and what speaks against it; or the nearest."""
    limits = criteria.judged
    if not limits.judged:
        return []
    best = best_option(table, limits)
    if not within_limits(table, limits):
        return _none_within(table, criteria, best)
    if best is None:
        return ["Which option is the most useful is not known."]
    result = table.results[best]
    told = _best_told(table, criteria, best)
    told += found_told(result, table.config.p) + alone_told(result) + shared_told(result)
    return [*told, *filter(None, [use_told(result)]), *_more_useful(table, criteria, best)]


def _none_within(table: OptionsTable, criteria: Criteria, nearest: int | None) -> list[str]:
    """Which option comes nearest, and which limits it misses, by how much."""
    if nearest is None:
        unasked = {why for result in table.results for why in result.unasked.values()}
        return [
            "No option is within all limits, and how near any comes is not known."
            + _crowd_needed(criteria),
            *(plain(why, MESSAGE_LENGTH) for why in sorted(unasked)),
        ]
    result = table.results[nearest]
    over = plain("; ".join(over_told(result, criteria.judged)), MESSAGE_LENGTH)
    return [
        f"No option is within all limits. The nearest is “{plain(result.option.told)}” "
        f"({_useful(table, criteria, nearest)}). {over}.{_crowd_needed(criteria)}",
        *filter(None, [use_told(result)]),
    ]


def _useful(table: OptionsTable, criteria: Criteria, i: int) -> str:
    return f"{criteria.utility_told} {describe_utility(table.choice, table.results[i])}"


def _crowd_needed(criteria: Criteria) -> str:
    """How many people must share a record for a chance of naming within the limit."""
    if criteria.risk not in NAMING or not criteria.limit:
        return ""
    return " Of a crowd of k each is named with 1 in k: the limit takes a k of " + (
        f"{math.ceil(1 / criteria.limit - 1e-9):,} or more."
    )


def _best_told(table: OptionsTable, criteria: Criteria, best: int) -> list[str]:
    """The best option within all limits, and whether anybody is alone in it.

    A limit for the share of people alone allows some: of an option with such people it is never
    said that it is within all limits.
    """
    result, useful = table.results[best], _useful(table, criteria, best)
    it = f"“{plain(result.option.told)}”"
    if not some_alone(result):
        return [f"Within all limits, {it} is the most useful: {useful}; nobody is alone in it."]
    limit = criteria.limit_of(ALONE)
    let = ""
    if limit is not None:
        many = math.floor(limit * result.n_users)
        let = f" (the limit of {limit_text(limit, ALONE)} would let {many:,} be so)"
    return [
        f"The most useful that breaks no limit is {it}: {useful}, and yet {_alone_many(result)} "
        f"alone with a record of their own in it{let}. Whether anybody may be is yours to decide.",
        "No option is within all limits with nobody alone.",
    ]


def _more_useful(table: OptionsTable, criteria: Criteria, best: int) -> list[str]:
    """An option that breaks no limit either and is more useful, but in which people are alone."""
    other = most_useful(table, within_limits(table, criteria.judged))
    if other is None or not table.utility[other] > table.utility[best]:
        return []
    result = table.results[other]
    return [
        f"“{plain(result.option.told)}” is more useful ({_useful(table, criteria, other)}) and "
        f"breaks no limit, but {_alone_many(result)} alone with a record of their own in it. "
        "Whether anybody may be is yours to decide."
    ]


def over_limit(result: OptionResult, risk: str, criteria: Criteria) -> bool:
    """Whether an option's risk may be above the limit, by the upper end; what is unknown may."""
    return criteria.judged.over(result, risk)


def surely_over(result: OptionResult, risk: str, criteria: Criteria) -> bool:
    """Whether it is above the limit even by the lower end of its interval."""
    return criteria.judged.surely_over(result, risk)


def over_limits(result: OptionResult, criteria: Criteria) -> list[str]:
    """The measures by which an option is over the limit, or may be."""
    return [risk for risk in criteria.limited if over_limit(result, risk, criteria)]


def broken(result: OptionResult, criteria: Criteria) -> list[str]:
    """What an option is over the limit of, or may be, in words."""
    return [SPOKEN[risk] for risk in over_limits(result, criteria)]


def _alone_many(result: OptionResult) -> str:
    if math.isnan(result.alone_share):
        return "it is not known how many are"
    return f"{words.share(result.alone, result.n_users)} {words.verb(result.alone)}"


def found_told(result: OptionResult, p: int) -> list[str]:
    """What an outsider finds who knows true points, and where people live; why, if not known."""
    told = []
    points = "1 true point" if p == 1 else f"{p} true points"
    if "linkage" in result.unasked:
        told.append(
            f"Linkage is not known of it: {plain(result.unasked['linkage'], MESSAGE_LENGTH)}"
        )
    elif math.isfinite(interval(result, "linkage")[0]):
        told.append(
            f"Who knows {points} of a person picks out the record of "
            f"{beside_guessing(result, 'linkage')} of the people in it."
        )
    if "home" in result.unasked:
        told.append(f"Homes are not known: {plain(result.unasked['home'], MESSAGE_LENGTH)}")
    elif math.isfinite(interval(result, "home")[0]):
        told.append(
            "Who has a person's record, or that of the group, finds the home within 1 km of "
            f"{beside_guessing(result, 'home')}."
        )
    return told


def alone_told(result: OptionResult) -> list[str]:
    """How many people have a record that nobody else has: what no measure of few points says."""
    if result.crowd_least > 1 or not result.alone:
        return []
    many = f"{words.share(result.alone, result.n_users)} {'has' if result.alone == 1 else 'have'}"
    many = many[0].upper() + many[1:]
    return [
        f"**{many} a record of their own in it**, like nobody else's: whoever knows enough of such "
        "a person finds it all. The other measures are of a few known points."
    ]


def shared_told(result: OptionResult) -> list[str]:
    """What no measure of finding says where people share a record."""
    if result.crowd_least < 2:
        return []
    many, value = result.crowd_least, result.risk("k")[0]
    return [
        f"Nobody in it is unique, because at least {many:,} people share each record. That is no "
        f"risk of 0: whoever knows points of it names the right person with a chance of "
        f"{words.percent(value)} on average, at most 1 in {many:,}, and learns everything that is "
        "published of the group all the same."
    ]


def moved_told(options: Sequence[ReleaseOption]) -> list[str]:
    """What the figures of options with noise or exchange, or in periods, are of."""
    cut = [
        f"“{plain(option.told)}”"
        for option in options
        if any(isinstance(step, Periods) for step in option.steps)
    ]
    told = []
    if cut:
        told.append(
            f"In {_some_of(cut)} a person has another pseudonym in each period. Points as "
            "published are of one record, each person's longest, which is sought among those of "
            "its period; true points are of one period, and any record of any person is asked for "
            "by itself. "
            "Whether habits show which records are one person's, the page *Attack* measures."
        )
    moved = [f"“{plain(option.told)}”" for option in options if option.moved]
    if not moved:
        return told
    return [
        *told,
        f"In {_some_of(moved)} points are moved by noise or exchange. Unicity, k-, EM- and "
        "KL-disclosure are of an outsider who knows points as they are published, and say nothing "
        "of one who knows where somebody truly was; of that one linkage tells.",
    ]


def _some_of(names: Sequence[str]) -> str:
    """A few by name; of many an example, and how many."""
    return listed(names) if len(names) < 3 else f"{len(names)} forms, such as {names[0]},"


def turned(table: OptionsTable, criteria: Criteria) -> list[str]:
    """Where another measure ranks two options the other way round, an example; else nothing."""
    for risk in ("outsider", "linkage", "k", "home", "unicity", "kl", "em"):
        if risk == criteria.risk:
            continue
        by = table.with_choice(risk)
        for i, better in enumerate(table.dominated_by):
            for j in better.tolist():
                guessed = table.results[j].guessing.get(risk, 0.0)  # what is guessed ranks nothing
                if max(by.risk_high[i], guessed) < by.risk_low[j]:
                    one, other = (plain(table.options[at].told) for at in (i, j))
                    return [
                        f"The ranking turns with the measure: by {SPOKEN[criteria.risk]} “{other}” "
                        f"dominates “{one}”; by {SPOKEN[risk]} it is the riskier of the two "
                        f"({estimate(table, j, risk)} against {estimate(table, i, risk)})."
                    ]
    return []
