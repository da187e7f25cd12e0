"""Which option may be released, as far as figures say: never by one measure alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fpanon_core.model.options import ReleaseOption
from fpanon_core.model.risk import ALONE, NAMING
from fpanon_core.model.techniques import Periods
from fpanon_core.studies.judgement import interval, most_useful, some_alone
from fpanon_core.studies.option_result import OptionResult
from fpanon_core.studies.options_table import OptionsTable
from fpanon_core.studies.report_words import use_told, utility
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.options.criteria import SPOKEN, Criteria
from pages.options.numbers import beside_guessing, estimate, limit_text, listed


def verdict(table: OptionsTable, criteria: Criteria) -> list[str]:
    """The most useful option within the limit, what other measures say of it, and within all."""
    if criteria.limit is None:
        return _within_all(table, criteria, None) if criteria.limited else []
    name, limit = SPOKEN[criteria.risk], limit_text(criteria.limit, criteria.risk)
    best = _most_useful(table, [criteria.risk], criteria)
    if best is None:
        return [
            f"By {name} no option is within the limit of {limit}: generalize more, or hide more "
            "people together." + _crowd_needed(criteria)
        ]
    result = table.results[best]
    told = [
        f"By {name} alone, “{plain(result.option.told)}” is the most useful within the limit of "
        f"{limit}: {name} {estimate(table, best, criteria.risk)}, {criteria.utility_told} "
        f"{utility(table, best)}."
    ]
    told += found_told(result, table.config.p) + alone_told(result) + shared_told(result)
    told += filter(None, [use_told(result)])
    others = [risk for risk in criteria.limited if risk != criteria.risk]
    over = [r for r in others if over_limit(result, r, criteria)]
    if over:
        listed = "; by ".join(
            f"{SPOKEN[r]} {estimate(table, best, r)}, limit {limit_text(criteria.limit_of(r), r)}"
            for r in over
        )
        told.append(f"But other measures put it over their limits: by {listed}.")
        # What holds by all measures comes first: who reads on no further has the verdict.
        first, *rest = told
        return [*_within_all(table, criteria, best), f"\n\n{first}", *rest]
    return told + _within_all(table, criteria, best) if others else told


def _crowd_needed(criteria: Criteria) -> str:
    """How many people must share a record for a chance of naming within the limit."""
    if criteria.risk not in NAMING or not criteria.limit:
        return ""
    return " Of a crowd of k each is named with 1 in k: the limit takes a k of " + (
        f"{math.ceil(1 / criteria.limit - 1e-9):,} or more."
    )


def _within_all(table: OptionsTable, criteria: Criteria, best: int | None) -> list[str]:
    """The most useful option that breaks no limit, and how many are alone in it all the same.

    A limit for the share of people alone allows some: of an option with such people it is never
    said that it is within all limits.
    """
    every = criteria.limited
    within = _most_useful(table, every, criteria)
    if within is None:
        return ["No option is within all limits."]
    result = table.results[within]
    it = f"“{plain(result.option.told)}”"
    useful = f"{criteria.utility_told} {utility(table, within)}"
    if not some_alone(result):
        if within == best:
            return ["It is within all limits, and nobody is alone in it."]
        return [f"Within all limits, {it} is the most useful: {useful}; nobody is alone in it."]
    let, limit = "", criteria.limit_of(ALONE)
    if limit is not None:
        many = math.floor(limit * result.n_users)
        let = f" (the limit of {limit_text(limit, ALONE)} would let {many:,} be so)"
    if within == best:  # how many are alone in it has just been said
        told = [f"It breaks no limit, with people alone{let}. Whether anybody may be is yours to "
                "decide."]  # fmt: skip
    else:
        told = [
            f"The most useful that breaks no limit is {it}: {useful}, and yet "
            f"{_alone_many(result)} alone with a record of their own in it{let}. Whether anybody "
            "may be is yours to decide."
        ]
    nobody = _most_useful(table, every, criteria, alone=False)
    if nobody is None:
        return [*told, "No option is within all limits with nobody alone."]
    return [
        *told,
        f"Within all limits and with nobody alone, “{plain(table.options[nobody].told)}” is the "
        f"most useful: {criteria.utility_told} {utility(table, nobody)}.",
    ]


def _most_useful(
    table: OptionsTable, risks: Sequence[str], criteria: Criteria, *, alone: bool = True
) -> int | None:
    """Row of the option with the most utility of those within the limits of some measures.

    ``alone``: whether people may be alone with their record, as far as the limit lets them.
    """
    within = [
        i
        for i, result in enumerate(table.results)
        if not any(over_limit(result, risk, criteria) for risk in risks)
        and (alone or not some_alone(result))
    ]
    return most_useful(table, within)


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


def alone_told(result: OptionResult, *, again: bool = False) -> list[str]:
    """How many people have a record that nobody else has: what no measure of few points says.

    ``again``: what that means has just been said of another option.
    """
    if result.crowd_least > 1 or not result.alone:
        return []
    many = f"{words.share(result.alone, result.n_users)} {'has' if result.alone == 1 else 'have'}"
    many = many[0].upper() + many[1:]
    if again:
        return [f"**{many} a record of their own** in that one."]
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
