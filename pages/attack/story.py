"""What an attacker finds in a release, in sentences; pure functions of the result.

The module also says what an attacker learns about one person as points become known.
"""

from __future__ import annotations

import math

from fpanon_core.model.configs import Strategy
from fpanon_core.model.disclosure import HOME_WITHIN_M
from fpanon_core.model.linkage import LinkConfig
from fpanon_core.model.options import Permute
from fpanon_core.studies.attack import Result
from fpanon_core.studies.followed import Followed, Step
from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.learnt import ExampleKind
from pages.attack.figures import (
    ACCUSED,
    ERROR,
    FOUND,
    Figure,
    between,
    distance,
    figures,
    home,
    off,
    percent,
)
from pages.charts import words
from pages.charts.plain import MESSAGE_LENGTH, plain
from pages.shell import definitions, widgets

TABLES = {"attack": "What is found", "targets": "Each person tested"}
NOT_LISTED = (
    "Tables and synthetic people contain nobody's record, so they are not in the list. "
    "*Release options* shows what they reveal."
)
DEFINITIONS = {
    "linkage": definitions.LINKAGE,
    "home found": definitions.HOMES_WITHIN,
    "expected error": definitions.EXPECTED_ERROR,
}
_DRAWN: dict[Strategy, str] = {
    "uniform": "each of the person's samples is equally likely to be known",
    "random": "points are drawn from the person's events, so busy places and times are likelier",
    "top": "known points are the person's most visited places, without times",
    "consecutive": "known points follow one another",
}
_ATTACKERS = {
    "best_sample": "has true points and takes the record whose samples best match the points",
    "bayes": "has true points and takes the likeliest record",
    "bayes_published": "has points as published and takes the likeliest record",
}
_QUOTED_M = 1_000.0  # of the distances from a home, the nearest to this is told in words


def no_record(which: str, *, nearest: bool) -> str:
    """Say why an option without records, named as chosen or recommended, is not attacked.

    ``nearest`` says whether the option with records nearest to the thresholds is attacked instead.
    """
    shown = (
        " This page attacks the option with records that comes nearest to the thresholds." * nearest
    )
    return (
        f"**Not the {which} option**, which holds nobody's record: this attack finds nothing in "
        f"it; see *Overview*.{shown}"
    )


def expected(seconds: float) -> str:
    """Say how long an attack is likely to take."""
    return f"This attack is likely to take about {words.clock(seconds)} on this machine."


Told = tuple[str, str]
"""A finding, and its details, which may be empty."""


def told(result: Result, limits: Limits) -> tuple[list[str], list[str]]:
    """Return the paragraphs under the figure: the findings, and their details."""
    by_name = figures(result)
    pairs = [
        found(result, by_name[FOUND], limits.limit("outsider")),
        *named(result),
        homes(result, by_name),
        moments(by_name[ERROR]),
        *accused(result, by_name[ACCUSED]),
    ]
    findings, details = map(list, zip(*pairs, strict=True))
    near, more = by_name.get(home(HOME_WITHIN_M)), limits.limit("home")
    if near is not None and more is not None and near.after.high > near.guessing + more:
        most, share = near.guessing + more, words.percent(near.after.value)
        if near.after.value <= most:
            share = f"up to {words.percent(near.after.high)}"
        findings[0] += (
            f" **Homes found to within {distance(HOME_WITHIN_M)}: {share}, above the accepted "
            f"{100 * most:.3g}%.**"
        )
    return findings, [each for each in details if each]


def found(result: Result, here: Figure, most: float | None) -> Told:
    """Say how often the right record is picked in the release, and in the original data.

    If there is a threshold ``most``, also say whether the share in the release is, or may be,
    above it.
    """
    link = result.after.link
    judged = ""
    if most is not None:
        above = "above" if here.after.low > most else "and the true share may be above"
        judged = f", {above if here.after.high > most else 'within'} your threshold of "
        judged += f"{100 * most:.3g}%"
    among = "" if result.period_days is None else " among records of the same period"
    return (
        f"**The strongest attacker with {words.count(link.config.p, 'known point')} picks the "
        f"right record in {cases(here.after.value, here.asked)} (before: "
        f"{_short(here.before.value, here.before_asked)}){judged}.**",
        f"**Right record.** 95% intervals: {between(here.after, here.asked)} in the release; "
        f"{between(here.before, here.before_asked)} in the data as they are. The strongest "
        f"attacker {_ATTACKERS[result.after.risk.attacker]}. Guessing{among} finds 1 in "
        f"{1 / link.guessing:,.0f}. We tested {whom(result)} in the release.",
    )


def whom(result: Result) -> str:
    """Return a text such as "496 people" or "9 records, each covering one week of one person,"."""
    told, days = _of_whom(result.after.link.n_present, result), result.period_days
    return told if days is None else f"{told}, each covering one {widgets.one(days)} of one person,"


def _of_whom(count: int, result: Result) -> str:
    """Return the number of people or, for a release in periods, of their records."""
    if result.period_days is not None:
        return words.count(count, "record")
    return words.people(count)


def drawn(outsider: LinkConfig) -> str:
    """Say how exactly the attacker knows points, and which points these are."""
    wrong = [
        *([f"{outsider.blur_m:g} m"] if outsider.blur_m else []),
        *([words.duration(outsider.blur_min)] if outsider.blur_min else []),
    ]
    exactly = f", with errors of about {' and '.join(wrong)}" if wrong else ""
    return f"{exactly}; {_DRAWN[outsider.strategy]}"


def named(result: Result) -> list[Told]:
    """Say how many people share each record, and how often the right group's record fits best."""
    k, days = result.crowd, result.period_days
    asked = result.after.link.n_present
    if k is None:
        return []
    at = "At" if days is None else f"Within one {widgets.one(days)}, at"
    fewest = max(k, result.after.shared_least)
    promised = f" ({k} are promised)" if fewest > k else ""
    return [
        (
            f"{at} least {fewest:,} people share each record{promised}: an attacker "
            f"picks the right person at most 1 time in {fewest:,}.",
            f"The group's record fits best in {cases(result.leading, asked)}; the attacker then "
            "learns all that the group shares.",
        )
    ]


def homes(result: Result, by_name: dict[str, Figure]) -> Told:
    """Say how often the record shows the home, compared with guessing, or why that is unknown."""
    metres = min(result.config.within_m, key=lambda each: abs(each - _QUOTED_M))
    here = by_name[home(metres)]
    if not here.known:
        why = plain(result.after.home_fault, MESSAGE_LENGTH)
        return f"Whether homes are found is not known. {why}", ""
    before = (
        f" (before: {_short(here.before.value, here.before_asked)})"
        if math.isfinite(here.before.value)
        else ""
    )
    alike = here.after.value <= here.guessing
    share = _short(here.after.value, here.asked, "none")
    gives = f"The records give away the homes of {share} of the people"
    if share == "none":
        gives = f"The records give away none of the {words.count(here.asked, 'home')} tested"
    of_whom = words.people(here.asked)
    if result.period_days is not None:
        gives = f"{share} of the records give away their person's home"
        if share == "none":
            gives = f"None of the {here.asked:,} records tested gives away its person's home"
        of_whom = f"{words.count(here.asked, 'record')} of people"
    return (
        f"**{gives} to within {distance(metres)}{before}.** Guessing "
        f"{'does no worse: it ' if alike else ''}finds {percent(here.guessing, here.asked)}.",
        f"**Home.** We tested {of_whom} whose home is known; the 95% interval of the share found "
        f"is {between(here.after, here.asked)}. Guessing takes the commonest home for everybody. "
        "We assume that the attacker may know where all other people live, for instance from a "
        "census.",
    )


def moments(here: Figure) -> Told:
    """Say how far off the best estimate of a person's place is, compared with guessing."""
    told = (
        "**Asked where a person was at another moment, the attacker is off by "
        f"{off(here.after.value)} on average.** An attacker with the original data "
        f"is off by {off(here.before.value)}; an attacker with no release, by {off(here.without)}."
    )
    if here.without <= here.after.value:
        told += " On average, the release does not bring the attacker nearer."
    return (
        told,
        f"**Error.** 95% interval: {off(here.after.low)} to {off(here.after.high)}. An attacker "
        f"with the known points alone, and no release, is off by {off(here.points_alone)}. If the "
        f"attacker guesses one place for everybody, the mean error is {off(here.guessing)}.",
    )


def accused(result: Result, here: Figure) -> list[Told]:
    """Say how many people outside the release are accused: taken for the owner of a record."""
    if not here.known:
        return []
    count = words.percent(here.after.value, here.asked) if here.after.value else "none"
    return [
        (
            f"**We tested {_of_whom(here.asked, result)} outside the release: {count} are "
            "accused,** that is, taken for the owner of another person's record.",
            f"**Accused.** 95% interval: {between(here.after, here.asked)}. All other figures are "
            "for the people in the release. Leaving other people out makes nobody in it safer.",
        )
    ]


def cases(share: float, asked: int) -> str:
    """Return a text such as "3.2% of cases" or "none of 496 cases"."""
    return _short(share, asked) + (" of cases" if share > 0 else "")


def _short(share: float, asked: int, none: str = "") -> str:
    """Return a text such as "3.2%" or "none of 496 cases"."""
    if not math.isfinite(share):
        return "an unknown share"
    return words.percent(share, asked) if share else none or f"none of {words.count(asked, 'case')}"


# --- what is assumed ---


def assumed(result: Result) -> list[str]:
    """Say which people and which attacker the figures cover."""
    link = result.after.link
    told = [
        f"**Known.** The attacker knows {words.count(link.config.p, 'point')} of each person"
        f"{drawn(link.config)}.{_too_few(link.too_few, result)}",
        "**Who.** The attacker knows that the person is in the release. The attacker has the "
        "release and its description, but not its random draws. The people tested are drawn "
        "at random from those in the release.",
        "**Attackers.** There are three attackers. The first attacker scores a record by how well "
        "its samples match the points. The second asks how likely a record is to yield the "
        "points; of two records that hold all points, the shorter one leads. The third attacker "
        "does the same as the second, with points as published. If several records fit equally "
        "well, each is equally likely to be picked.",
        "**Home.** A home is the place where a person has the most events at night (22:00 to "
        "6:00). The attacker has the right record, or the right group's record.",
        "**Error.** The error is how far the attacker's best guess is from the truth. The guess is "
        "the place that suits all records best; each record is weighted by its probability of "
        "being right. The moment to be guessed is one at which the person was recorded. That "
        "moment is not among the known points, unless all the person's moments are known. Guessing "
        "uses the better of two answers: one place for everybody, or the known points alone.",
    ]
    days = result.period_days
    if days is not None:
        told.append(
            f"**Periods.** Each {widgets.one(days)} of a person is attacked separately: all known "
            "points come from one record. Whether a person's records of several periods can be "
            "linked is shown under “Are the periods kept apart?”."
        )
    if any(isinstance(step, Permute) for step in result.option.steps):
        told.append(
            "**Exchange.** Homes and distances are computed as if the places in a record were its "
            "person's. A better-informed attacker may find more."
        )
    return told


def _too_few(count: int, result: Result) -> str:
    if not count:
        return ""
    of_whom = "people" if result.period_days is None else "records"
    few = f"{count:,} of the {of_whom} tested {'has' if count == 1 else 'have'}"
    p = result.after.link.config.p
    return f" {few} fewer than {p} points; the attacker knows all of their points."


FOLLOWED_HELP = (
    "This is a demonstration on one person in these data, shown by pseudonym. Points become known "
    "one after the other; after each point, all records are ranked by how well they fit. The map "
    "shows the areas published near the points, for the person's own record and for up to three "
    "other leading records. The bars show the leading records, ten at most, and the right one."
)
EXAMPLES: dict[ExampleKind, str] = {
    "hidden": "hidden by the release",
    "found": "found despite the release",
    "home": "not identified, but whose home is found",
    "accused": "not in the release, but accused",
}


def describe_step(found: Followed, step: Step) -> list[str]:
    """Say what a step shows: points known, rank, records that fit, original data and home."""
    order = _describe_order(found, step) if found.present else _accused(found, step)
    return [
        " ".join([*_point(found, step), order]),
        _fitting(found, step),
        _describe_before(step),
        *_describe_home(found, step),
    ]


def _point(found: Followed, step: Step) -> list[str]:
    """Say how many points are known, and the time of the one learned last."""
    if step.known == 0:
        return [f"Nothing is known about {found.pseudonym} yet."]
    at = step.known - 1
    when, timed = found.points["time"].iloc[at], math.isfinite(found.points["t_min"].iloc[at])
    moment = f": {when:%A, %-d %B, %H:%M}" if timed and hasattr(when, "strftime") else ""
    if step.known == 1:
        return [f"The attacker knows 1 point of {found.pseudonym}{moment}."]
    last = f"; the one learned last is from {moment[2:]}" if moment else ""
    return [f"The attacker knows {step.known} points of {found.pseudonym}{last}."]


def _fitting(found: Followed, step: Step) -> str:
    """Say how many people's records hold all points exactly."""
    if step.known == 0:
        return f"Each of the {found.n_people:,} records could be the right one."
    what = {1: "the point", 2: "both points"}.get(step.known, f"all {step.known} points")
    if not step.fitting:
        return f"No record holds {what} exactly."
    have = "has" if step.fitting == 1 else "have"
    of = f"{step.fitting:,} of {found.n_people:,}"
    fit = (
        f"{of} people {have} a record that holds"
        if found.period is None
        else f"{of} records {'holds' if step.fitting == 1 else 'hold'}"
    )
    own = "" if step.fits or not found.present else ", but not this person's"
    return f"{fit} {what} exactly{own}."


def _describe_order(found: Followed, step: Step) -> str:
    """Say how well the right record fits, compared with all others."""
    if step.known == 0:
        return f"Guessing picks out the right record with a chance of 1 in {found.n_people:,}."
    if step.better:
        ahead = (
            "the record of 1 other person fits"
            if step.better == 1
            else f"the records of {step.better:,.0f} other people fit"
        )
        return f"**The attacker does not pick the right record**: {ahead} better."
    if step.level > 1:
        return (
            f"**The records of {step.level:,.0f} people fit best, and equally well. The attacker "
            f"picks the right record with a chance of 1 in {step.level:,.0f}.**"
        )
    return "**The right record fits best: the attacker picks it out.**"


def _accused(found: Followed, step: Step) -> str:
    """Return the sentence about a person who is not in the release."""
    if not step.taken:
        return f"{found.pseudonym} is not in the release, and nobody's record is taken for theirs."
    return (
        f"**{found.pseudonym} is not in the release, but another person's record is taken for "
        "theirs.**"
    )


def _describe_before(step: Step) -> str:
    """Say what the same points reveal in the original data."""
    if step.known == 0:
        return ""
    if step.before_better:
        return "In the data as they are, the known points lead to another person."
    if step.before_level > 1:
        return (
            "In the data as they are, the attacker picks the right record with a chance of 1 in "
            f"{step.before_level:,.0f}."
        )
    return "In the data as they are, the known points pick out the right record."


def _describe_home(found: Followed, step: Step) -> list[str]:
    """Say where the leading record places the person's home, and how far off that is."""
    if step.known == 0 or found.commonest is None:
        return []
    if step.guess is None:
        return ["Several records lead equally, so the attacker infers no home."]
    home, guess, common = found.home, step.guess, found.commonest
    if (guess.x_m, guess.y_m) == (common.x_m, common.y_m):
        return ["The leading record suggests the commonest home, as guessing does."]
    if home is None:
        return ["The data do not show where the home truly is."]
    metres = math.hypot(guess.x_m - home.x_m, guess.y_m - home.y_m)
    verdict = "found" if metres <= found.within_m else "not found"
    return [
        f"The nights of the leading record place the home {off(metres)} from the true one: the "
        f"home is {verdict} to within {distance(found.within_m)}. Other attackers may guess better."
    ]
