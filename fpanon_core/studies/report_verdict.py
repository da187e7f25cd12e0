"""The verdict of a report: what may be released, and whether the choice is within the thresholds.

The sentences rest on the figures alone. Reasons against a choice get the same weight as reasons for
it. What is known about unique records is always stated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..model.disclosure import RISKS
from ..model.options import Periods
from . import judgement
from . import report_words as w
from .exploration import Exploration
from .judgement import Limits, best_option, needs_lost, serves, some_alone
from .option_result import OptionResult
from .options_table import OptionsTable
from .recipe import Decision

Tone = Literal["against", "open", "for"]


@dataclass(frozen=True)
class Sentence:
    """A part of the verdict.

    Attributes
    ----------
    head : str
        The statement.
    text : tuple of str
        Its grounds, in paragraphs.
    tone : {"against", "open", "for"}
        Whether the statement speaks against a release, speaks for it, or leaves the question open.
    over : tuple of str
        The thresholds that are, or may be, exceeded, each with its figures.
    first : int
        Number of paragraphs on the first page.
    """

    head: str
    text: tuple[str, ...]
    tone: Tone
    over: tuple[str, ...] = ()
    first: int = 1


def verdict(
    exploration: Exploration,
    decision: Decision,
    chosen: int | None,
    file: OptionResult | None = None,
) -> list[Sentence]:
    """Judge the data as they are, the options tried, the choice, and the thresholds.

    Parameters
    ----------
    exploration : Exploration
    decision : Decision
    chosen : int or None
        Row of the chosen option; None if no option is chosen.
    file : OptionResult, optional
        Result of the chosen option with the components of the file that was made.
    """
    tried = describe_tried(exploration)
    if left := exploration.untried:
        told = f"The search ended with {w.count(left, 'more option')} to try."
        text = (*tried.text[:1], told, *tried.text[1:])
        tried = replace(tried, text=text, first=tried.first + 1)
    return [
        as_they_are(exploration),
        tried,
        _chosen(exploration, decision, chosen, file),
        *unusual(exploration),
    ]


def within(exploration: Exploration) -> list[int]:
    """Return the rows of the options within all thresholds, without the row of the original data.

    Without any threshold, no row is returned.
    """
    return judgement.within_limits(exploration.table, exploration.limits)


def describe_exceeded(result: OptionResult, limits: Limits) -> tuple[str, ...]:
    """Say which thresholds an option exceeds or may exceed.

    An option exceeds a threshold if even the lower end of its interval is above it. Each sentence
    has the figures and, where it is known and clearly above 1, the multiple of the threshold.
    If there is no sentence, the option is within the thresholds.
    """
    return tuple(
        f"{w.first_up(w.MEASURES[risk].name)}: {w.estimate(result, risk)}. "
        + ("This exceeds" if limits.surely_over(result, risk) else "This may exceed")
        + f" the threshold of {w.limit(limits, risk)}"
        + f"{_by_how_much(result, risk, limits)}."
        for risk in limits.broken(result)
    )


def _by_how_much(result: OptionResult, risk: str, limits: Limits) -> str:
    """Return words such as " (up to 2.4 times that)"; "" if the factor is unknown or below 1.05."""
    times = limits.times(result, risk)
    if not math.isfinite(times) or times < 1.05:
        return ""
    of = "that"
    if risk == "home":  # its threshold is stated above guessing
        of = f"the accepted {w.value(limits.allowed(result, risk) or 0.0, risk)}"
    return f" (up to {times:.{0 if times >= 10 else 1}f} times {of})"


def describe_nearest(exploration: Exploration) -> str:
    """Describe the option that exceeds the thresholds least, if no option is within them.

    Return "" where an option is within the thresholds, or where no option can be judged.
    """
    best = best_option(exploration.table, exploration.limits)
    if best is None or within(exploration):
        return ""
    over = " ".join(describe_exceeded(exploration.table.results[best], exploration.limits))
    return f"The nearest option is {_named(exploration, best)}. {over}"


def describe_alone(result: OptionResult) -> str:
    """Say how many people have a unique record or how many share each one, and what that means."""
    if result.option.recordless is not None:
        told = (
            "This option holds nobody's record. An attacker may still learn something about "
            "people, such as where they live."
        )
        step = result.option.tables
        if step is None or step.epsilon is not None:
            return told
        exact = "A count of one person says where that person was."
        return f"{told} {exact if step.threshold is None else w.BLANK}"
    if result.crowd_least > 1:
        many = result.crowd_least
        return (
            f"At least {many:,} people share each record. The risk is not zero: an attacker can "
            f"still pick the right person up to 1 time in {many:,}, and learns whatever the group "
            "shares."
        )
    if math.isnan(result.alone_share):
        return "How many people have a unique record is not known."
    if not result.alone:
        return "Nobody has a unique record."
    verb = "has" if result.alone == 1 else "have"
    return (
        f"{result.alone:,} of the {w.count(result.n_users, 'person')} "
        f"({w.percent(result.alone_share)}) {verb} a unique record. An attacker who knows enough "
        "about such a person finds the whole record. The other measures assume a few known "
        "points and miss this risk."
    )


def describe_found(result: OptionResult, p: int, limits: Limits) -> str:
    """Say what an attacker with a few known points finds, and how many homes are found."""
    if result.option.recordless is not None:
        return _found_without_records(result, limits)
    if any(isinstance(step, Periods) for step in result.option.steps):
        asked = "tried on the records, each covering one person in one period"
    elif result.n_targets < result.n_users:
        people = w.count(result.n_users, "person")
        asked = f"tried on {result.n_targets:,} of the {people} with records"
    else:
        asked = f"tried on all {result.n_users:,} people with records"
    told = [
        f"The strongest attacker, with {w.count(p, 'point')}, was {asked}. Re-identified: "
        f"{w.estimate(result, 'outsider')}.",
        _describe_homes(result, "An attacker with the record"),
    ]
    for risk, why in result.unasked.items():
        name = w.MEASURES[risk].name if risk in w.MEASURES else risk
        told.append(w.shown(f"Not measured: {name}. {why}"))
    return " ".join(told)


def _describe_homes(result: OptionResult, attacker: str) -> str:
    """Say for how many people an attacker, named in words, finds the home."""
    of = w.homes_asked(result) or "the people with recorded nights"
    found, more = judgement.interval(result, "home")[0], w.evidence(result, "home")
    share = "none" if found == 0 else "an unknown share"
    if found > 0:
        share = w.value(found, "home")
    sure = f" ({more})" if more else ""
    return f"{attacker} finds the home to within 1 km for {share} of {of}{sure}."


def _found_without_records(result: OptionResult, limits: Limits) -> str:
    """Say what attackers find in an option without records."""
    asked = w.count(result.n_targets, "person")
    told = [
        f"This option holds no person's record. For {asked}, an attacker guesses whether they are "
        f"in the data. Advantage over guessing: {w.estimate(result, 'membership')}; threshold: "
        f"{w.limit(limits, 'membership')}."
    ]
    if result.homes_asked:
        high, guess = judgement.interval(result, "home")[2], result.guessing.get("home", math.nan)
        nothing = ", so the person's data add nothing" if high <= guess else ""
        told.append(
            _describe_homes(result, "With 4 points, an attacker")
            + " An attacker without the person's data has the same points and a release made "
            f"without the person{nothing}."
        )
    return " ".join(told)


def as_they_are(exploration: Exploration) -> Sentence:
    """Judge whether the data may be released as they are."""
    raw, limits, p = exploration.as_it_is, exploration.limits, exploration.table.config.p
    if raw is None or raw.fault is not None:
        told = "Explore the options again with this program, which also measures the original data."
        return Sentence("The original data have not been assessed.", (told,), "open")
    said = (describe_found(raw, p, limits), describe_alone(raw))
    if limits.broken(raw):
        many = _describe_above(raw, limits)
        return Sentence("Do not release these data as they are.", (many, *said), "against")
    if not limits.judged:
        return Sentence("As they are, these data are held to no threshold.", said, "against")
    if some_alone(raw):
        head = (
            "As they are, these data stay within the thresholds, and yet some people have a unique "
            "record in them."
        )
        return Sentence(head, said, "open")
    return Sentence("As they are, these data stay within the thresholds.", said, "for")


def _describe_above(result: OptionResult, limits: Limits) -> str:
    """Say how many thresholds there are, and how many are surely or perhaps exceeded."""
    over = limits.broken(result)
    sure = sum(limits.surely_over(result, risk) for risk in over)
    of = sum(judgement.asked_of(result, risk) for risk in limits.judged)
    those = f"of the {w.count(of, 'threshold')} that {'applies' if of == 1 else 'apply'}"
    told = [f"exceed {sure} {those}"] if sure or not over else []
    if more := len(over) - sure:
        which = "more" if sure else those
        told.append(f"may exceed {more} {which}, judging by the upper ends of the intervals")
    return f"The data {', and '.join(told)}."


def describe_tried(exploration: Exploration) -> Sentence:
    """Say how many of the options tried are within the thresholds, and which is recommended."""
    table, limits = exploration.table, exploration.limits
    made, good = judgement.options_tried(table), within(exploration)
    failed = sum(result.fault is not None for result in table.results)
    also = [f"{w.count(failed, 'option')} could not be made."] if failed else []
    forms = w.count(len(made), "option")
    if not limits.judged:
        told = "Without thresholds, no option can be called safe or unsafe."
        return Sentence("No threshold was set.", (told, *also), "against")
    if not good:
        told = describe_nearest(exploration) or "None of these options may be released."
        return Sentence(_none_is(len(made)), (told, *also), "against")
    nobody = [i for i in good if not some_alone(table.results[i])]
    unique = len(good) - len(nobody)
    told = f"In {unique:,} of the options within the thresholds, some records are unique."
    also += [told] * (0 < len(nobody) < len(good))
    verb = "stays" if len(good) == 1 else "stay"
    which = "The only option tried" if len(made) == 1 else f"{len(good):,} of {forms}"
    all_alone = f"; yet some people have a unique record in {'it' if len(good) == 1 else 'each'}"
    head = f"{which} {verb} within the thresholds{'' if nobody else all_alone}."
    best = best_option(table, limits)
    if best is None:
        return Sentence(head, ("The utility is not known.", *also), "open")
    other = judgement.most_useful(table, good)
    if other is not None and not table.utility[other] > table.utility[best]:
        other = None
    beside = () if other is None else describe_passed_over(exploration, other, best)
    if not serves(table, good):
        lost, use = w.components(needs_lost(table, best)), w.describe_use(table.results[best])
        told = (
            f"The best of these options is {_named(exploration, best)}. It keeps too little of "
            f"{lost}. {w.areas(table)} {use}"
        )
        which = "None of them serves" if len(good) > 1 else "It does not serve"
        if any(not needs_lost(table, i) for i in good if i not in nobody):
            which = "None of those without unique records serves"
        head = f"{head[:-1]}. {which} the purpose."
        return Sentence(head, (told, describe_alone(table.results[best]), *beside, *also), "open")
    if len(good) > 1:
        many = len(serves(table, good))
        head = f"{head[:-1]}; {many:,} {'serves' if many == 1 else 'serve'} the purpose."
    told = f"The recommended option is {_named(exploration, best)}."
    some = some_alone(table.results[best])
    alone = other is not None and some_alone(table.results[other]) and not some
    if alone:
        told += " In this option, nobody has a unique record."
    elif other is not None:
        told += describe_least(table, good, best)
    told = " ".join(filter(None, (told, w.describe_use(table.results[best]))))
    if little := w.little_use(table.results[best]):
        head = f"{head[:-1]}. The recommended option may be of little use."
    if not some:
        return Sentence(head, (told, *beside, *also), "open" if little or alone else "for")
    none = (
        "Every option within the thresholds has, or may have, unique records; a person, not a "
        "measurement, must decide whether to accept them."
    )
    return Sentence(head, (told, describe_alone(table.results[best]), none, *also), "open")


def _none_is(made: int) -> str:
    few = {
        0: "No option has been measured, so none is",
        1: "The only option tried is not",
        2: "Neither of the 2 options is",
    }
    return f"{few.get(made, f'None of {made:,} options is')} within all thresholds."


def describe_least(table: OptionsTable, good: Sequence[int], best: int) -> str:
    """Say that no option that serves the purpose reveals less than the recommended one.

    Parameters
    ----------
    good : sequence of int
        Rows of the options within the thresholds.
    best : int
        Row of the recommended option.
    """
    mine = table.options[best]
    others = [table.options[i] for i in serves(table, good) if i != best]
    if not others:
        return " Only this option serves the purpose." if len(good) > 1 else ""
    kind = judgement.kind_of(mine)
    if mine.epsilon is not None and any(each.recordless and not each.epsilon for each in others):
        return " Of those that serve the purpose, none that noise protects reveals less."
    if any(judgement.kind_of(each) != kind for each in others):
        return f" Of those that serve the purpose, {kind} reveal the least about individual people."
    epsilons = [each.epsilon for each in others if each.epsilon is not None]
    if mine.epsilon is not None and len(epsilons) == len(others) and mine.epsilon < min(epsilons):
        return " Of those that serve the purpose, it has the smallest ε, so it reveals least."
    return " Of those that serve the purpose, none reveals less."


def best_named(exploration: Exploration, so_far: str = "") -> str:
    """Name the recommended option, or else the best or the nearest one; "" where there is none.

    ``so_far`` is inserted after the first words, for instance while a search still runs.
    """
    row = best_option(exploration.table, exploration.limits)
    if row is None:
        return ""
    result, good = exploration.table.results[row], within(exploration)
    head = "Recommended" if serves(exploration.table, good) else "The best option"
    lost = "" if not good or serves(exploration.table, good) else needs_lost(exploration.table, row)
    named = f"{head if good else 'The nearest option'}{so_far}: {w.shown(result.option.told)}."
    return f"{named} It keeps too little of {w.components(lost)}." if lost else named


def describe_best(exploration: Exploration) -> tuple[str, ...]:
    """Say why the best or the nearest option is named.

    For an option within the thresholds, also say what an attacker finds in it.
    """
    table, best = exploration.table, best_option(exploration.table, exploration.limits)
    told = describe_tried(exploration).text
    if best is None:
        return told + tuple(sorted({why for r in table.results for why in r.unasked.values()}))
    result = table.results[best]
    if not within(exploration):
        return (*told, w.describe_use(result))
    shared = () if some_alone(result) else (describe_alone(result),)
    return (*told, describe_found(result, table.config.p, exploration.limits), *shared)


def describe_passed_over(exploration: Exploration, row: int, best: int) -> tuple[str, ...]:
    """Describe an option within the thresholds that is more useful than the recommended one."""
    result = exploration.table.results[row]
    if some_alone(result) and not some_alone(exploration.table.results[best]):
        may = "may be" if math.isnan(result.alone_share) else "are"
        told = f"is more useful, but some of its records {may} unique. {describe_alone(result)}"
        return (f"{_named(exploration, row)} {told}",)
    lost = needs_lost(exploration.table, row)
    if lost and not needs_lost(exploration.table, best):
        kept = w.listed([w.keeps(result, name) for name in lost])
        return (f"{_named(exploration, row)} scores higher, but keeps too little: {kept}.",)
    if result.option.recordless is not None and result.option.epsilon is None:
        return (f"{_named(exploration, row)} is more useful, but no noise protects it.",)
    kinds = [judgement.kind_of(exploration.table.options[i]) for i in (row, best)]
    if kinds[0] != kinds[1]:
        told = f"but {kinds[0]} describe people in more detail than {kinds[1]} do"
        noisy = exploration.table.options[row].epsilon is not None
        return (f"{_named(exploration, row)} is more useful, {told}{', at any ε' * noisy}.",)
    return (f"{_named(exploration, row)} is more useful, and reveals more.",)


def _chosen(
    exploration: Exploration, decision: Decision, chosen: int | None, file: OptionResult | None
) -> Sentence:
    why = w.shown(decision.why)
    because = f"Reason: {why}" if why else "No reason is given."
    if decision.refused:
        return Sentence("Decided: nothing is released.", (because,), "against")
    if chosen is None:
        told = "This report approves no release; it says which options were considered."
        return Sentence("No option has been chosen.", (told,), "open")
    table, limits = exploration.table, exploration.limits
    result = table.results[chosen]
    lacking = file is not None and bool(table.choice.too_little(file))
    if file is not None and lacking:
        because = f"{w.describe_file(table.choice, file)} {because}"
    said: tuple[str, ...] = (
        because,
        describe_found(result, table.config.p, limits),
        describe_alone(result),
    )
    if use := w.describe_use(result):
        said += (use,)
    name = f"The chosen option is “{w.shown(result.option.told)}”."
    if not limits.judged:
        return Sentence(f"{name} No threshold was set.", said, "against")
    if over := describe_exceeded(result, limits):
        told = "Nobody is named as overriding the thresholds."
        if who := w.shown(decision.signer):
            told = f"{who} overrides the thresholds."
        override = (f"{told} {because}", *said[1:])
        return Sentence(
            f"{name} This option is not within the thresholds.", override, "against", over
        )
    best = best_option(table, limits)
    if best is not None and best != chosen:
        which = "recommended option" if serves(table, within(exploration)) else "best option"
        said += (f"The {which} is a different one: {_named(exploration, best)}.",)
    head = f"{name} This option stays within the thresholds"
    if some_alone(result):
        return Sentence(f"{head}; yet some people have a unique record in it.", said, "open")
    if lost := needs_lost(table, chosen):
        little = f"it keeps too little of {w.components(lost)} for the purpose"
        return Sentence(f"{head}, but {little}.", said, "open")
    return Sentence(f"{head}.", said, "for" if why and not lacking else "open")


def _named(exploration: Exploration, i: int) -> str:
    table = exploration.table
    score, lost = table.utility[i], w.lost_components(table.choice, table.results[i])
    useful = "not scored" if math.isnan(score) else "; ".join([f"{score:.2f}", *lost])
    return f"“{w.shown(table.options[i].told)}” (utility {useful})"


def unusual(exploration: Exploration) -> list[Sentence]:
    """Report thresholds that are switched off, or looser than usual for the recipient.

    A threshold that is loose enough lets any option pass.
    """
    limits, usual = exploration.limits, judgement.usual_limits(exploration.recipient)
    off = [risk for risk in usual.judged if limits.limit(risk) is None]
    looser = [
        f"{w.MEASURES[risk].name} {w.limit(limits, risk)} (usually {w.limit(usual, risk)})"
        for risk in judgement.JUDGED
        if risk in RISKS
        and (most := limits.limit(risk)) is not None
        and (ours := usual.limit(risk)) is not None
        and most > ours
    ]
    told = []
    if off:
        told.append(f"Without a threshold: {w.measures(off)}.")
    if looser:
        told.append(f"Looser than usual: {'; '.join(looser)}.")
    if not told:
        return []
    return [
        Sentence("These are not the usual thresholds.", tuple(told), "against", first=len(told))
    ]
